/* extract.c: selects elements and nodes, then gathers all arrays by their old numbers. */
#include "solver/mesh/extract.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/surface.h"

/* Old numbers of the selected items, and new numbers of nodes (-1 = removed) */
struct choice {
    struct mesh_rows node, element;
    int64_t *node_row, *element_row;
    int32_t *new_index;
};

static void choice_free(struct choice *choice)
{
    free(choice->node_row);
    free(choice->element_row);
    free(choice->new_index);
}

/* The nodes of `vertices` corners and those with more[] != 0 (NULL = none), in ascending order */
static enum status choose_nodes(struct choice *choice, const struct mesh *mesh, const int32_t *vertex,
                                int64_t vertices, const uint8_t *more, struct error *error)
{
    enum status status = STATUS_OK;
    choice->new_index =
        array_new(mesh->nodes, sizeof *choice->new_index, "a part of the mesh", &status, error);
    choice->node_row = array_new(mesh->nodes, sizeof *choice->node_row, "a part of the mesh", &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        choice->new_index[i] = more && more[i] ? 0 : -1;
    for (int64_t i = 0; i < vertices; i++)
        choice->new_index[vertex[i]] = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (choice->new_index[i] == 0) {
            choice->new_index[i] = (int32_t)kept;
            choice->node_row[kept++] = i;
        }
    choice->node = (struct mesh_rows){kept, choice->node_row};
    return STATUS_OK;
}

static void gather(double *to, const double *from, int64_t width, struct mesh_rows rows)
{
    for (int64_t i = 0; from && i < rows.count; i++)
        memcpy(to + width * i, from + width * rows.row[i], (size_t)width * sizeof *to);
}

/* Copies the marked faces of the selected elements */
static enum status put_faces(struct mesh *submesh, const struct mesh *mesh, const int32_t *new_index,
                             struct error *error)
{
    int corners = mesh->dimension;
    size_t face_bytes = (size_t)corners * sizeof *submesh->face;
    int64_t whole = 0, kept = 0;
    TRY(mesh_allocate_faces(submesh, mesh->faces, error));
    enum status status = STATUS_OK;
    uint8_t *on = array_new(mesh->faces, sizeof *on, "the marked faces", &status, error);
    TRY(status);
    for (int64_t f = 0; f < mesh->faces; f++) {
        int32_t *face = submesh->face + corners * whole;
        bool gone = false;
        for (int c = 0; c < corners; c++) {
            face[c] = new_index[mesh->face[corners * f + c]];
            gone = gone || face[c] < 0;
        }
        submesh->mark[whole] = mesh->mark[f];
        whole += !gone;
    }
    TRY_DONE(mesh_sides_find(on, submesh, submesh->face, corners, whole, error));
    for (int64_t f = 0; f < whole; f++)
        if (on[f]) {
            memmove(submesh->face + corners * kept, submesh->face + corners * f, face_bytes);
            submesh->mark[kept++] = submesh->mark[f];
        }
    submesh->faces = kept;
done:
    free(on);
    return status;
}

/* *submesh <- the selected elements and their directions */
static enum status put_submesh(struct mesh *submesh, const struct mesh *mesh, const struct choice *choice,
                               struct error *error)
{
    int corners = mesh->dimension + 1;
    *submesh = (struct mesh){.dimension = mesh->dimension,
                             .nodes = choice->node.count,
                             .elements = choice->element.count,
                             .fiber_location = mesh->fiber_location};
    struct mesh_rows rows = mesh->fiber_location == LOCATION_NODE ? choice->node : choice->element;
    TRY(mesh_allocate(submesh, mesh->sheet != NULL, error));
    TRY(mesh_names_copy(&submesh->names, &mesh->names, error));
    TRY(mesh_fields_select(&submesh->fields, &mesh->fields, choice->node, choice->element, error));
    gather(submesh->point, mesh->point, 3, choice->node);
    gather(submesh->fiber, mesh->fiber, 3, rows);
    gather(submesh->sheet, mesh->sheet, 3, rows);
    for (int64_t e = 0; e < submesh->elements; e++) {
        int64_t from = choice->element_row[e];
        submesh->tag[e] = mesh->tag[from];
        for (int c = 0; c < corners; c++)
            submesh->vertex[corners * e + c] = choice->new_index[mesh->vertex[corners * from + c]];
    }
    return mesh->faces ? put_faces(submesh, mesh, choice->new_index, error) : STATUS_OK;
}

/* If only elements of a lower dimension are left, reduces the dimension of the submesh to theirs */
static void lower_dimension(struct mesh *submesh)
{
    int most = 2, corners = submesh->dimension + 1;
    for (int64_t e = 0; e < submesh->elements; e++)
        most = mesh_corners(submesh, e) > most ? mesh_corners(submesh, e) : most;
    for (int64_t e = 0; e < submesh->elements && most < corners; e++)
        memmove(submesh->vertex + most * e, submesh->vertex + corners * e,
                (size_t)most * sizeof *submesh->vertex);
    if (most < corners)
        submesh->faces = 0;
    submesh->dimension = most - 1;
}

enum status mesh_extract(struct mesh *submesh, const struct mesh *mesh, const uint8_t *keep,
                         const uint8_t *more, struct error *error)
{
    struct choice choice = {0};
    struct mesh made = {0};
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    int32_t *vertex =
        array_new(mesh->elements * corners, sizeof *vertex, "a part of the mesh", &status, error);
    choice.element_row = array_new(mesh->elements, sizeof(int64_t), "a part of the mesh", &status, error);
    int64_t kept = 0;
    TRY_DONE(status);
    for (int64_t e = 0; e < mesh->elements; e++)
        if (keep[e]) {
            memcpy(vertex + corners * kept, mesh->vertex + corners * e, (size_t)corners * sizeof *vertex);
            choice.element_row[kept++] = e;
        }
    choice.element = (struct mesh_rows){kept, choice.element_row};
    if (kept == 0) {
        status = error_set(error, STATUS_INPUT, "no element of the mesh is selected");
        goto done;
    }
    TRY_DONE(choose_nodes(&choice, mesh, vertex, kept * corners, more, error));
    free(vertex);
    vertex = NULL;
    TRY_DONE(put_submesh(&made, mesh, &choice, error));
    lower_dimension(&made);
    *submesh = made;
done:
    free(vertex);
    choice_free(&choice);
    if (status)
        mesh_free(&made);
    return status;
}

/* skin->tag <- the marks of its elements, whose nodes still have the mesh's numbers */
static enum status put_marks(struct mesh *skin, const struct mesh *mesh, const int32_t *face,
                             struct error *error)
{
    int corners = mesh->dimension;
    enum status status = STATUS_OK;
    struct mesh_face *marked = array_new(mesh->faces, sizeof *marked, "the marked faces", &status, error);
    TRY(status);
    for (int64_t f = 0; f < mesh->faces; f++)
        marked[f] = mesh_face_of(mesh->face + corners * f, corners, corners, mesh->mark[f]);
    qsort(marked, (size_t)mesh->faces, sizeof *marked, mesh_face_compare);
    for (int64_t f = 0; f < skin->elements; f++) {
        const struct mesh_face key = mesh_face_of(face + corners * f, corners, corners, 0),
                               *found =
                                   bsearch(&key, marked, (size_t)mesh->faces, sizeof key, mesh_face_compare);
        skin->tag[f] = found ? (int32_t)found->from : 0;
    }
    free(marked);
    return STATUS_OK;
}

enum status mesh_extract_surface(struct mesh *skin, const struct mesh *mesh, struct error *error)
{
    struct mesh_surface surface = {0};
    struct choice choice = {0};
    struct mesh made = {.dimension = mesh->dimension - 1};
    if (mesh->dimension < 2)
        return error_set(error, STATUS_INPUT, "the boundary of lines is points, which are no mesh");
    TRY(mesh_surface_create(&surface, mesh, NULL, error));
    enum status status = STATUS_OK;
    if (surface.faces == 0) {
        status = error_set(error, STATUS_INPUT, "the mesh has no boundary");
        goto done;
    }
    int64_t corners = mesh->dimension, vertices = corners * surface.faces;
    TRY_DONE(choose_nodes(&choice, mesh, surface.face, vertices, NULL, error));
    made.nodes = choice.node.count;
    made.elements = surface.faces;
    if (mesh->fiber_location == LOCATION_NODE)
        made.fiber_location = LOCATION_NODE;
    TRY_DONE(mesh_allocate(&made, mesh->sheet != NULL, error));
    TRY_DONE(mesh_names_copy(&made.names, &mesh->names, error));
    TRY_DONE(mesh_fields_select(&made.fields, &mesh->fields, choice.node, (struct mesh_rows){0}, error));
    TRY_DONE(put_marks(&made, mesh, surface.face, error));
    gather(made.point, mesh->point, 3, choice.node);
    gather(made.fiber, made.fiber ? mesh->fiber : NULL, 3, choice.node);
    gather(made.sheet, made.sheet ? mesh->sheet : NULL, 3, choice.node);
    for (int64_t i = 0; i < vertices; i++)
        made.vertex[i] = choice.new_index[surface.face[i]];
    *skin = made;
done:
    if (status)
        mesh_free(&made);
    mesh_surface_free(&surface);
    choice_free(&choice);
    return status;
}
