/* mesh.c: the arrays of a mesh. */
#include "solver/mesh/mesh.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

void mesh_free(struct mesh *mesh)
{
    free(mesh->point);
    free(mesh->vertex);
    free(mesh->tag);
    free(mesh->number);
    free(mesh->fiber);
    free(mesh->sheet);
    free(mesh->face);
    free(mesh->mark);
    mesh_names_free(&mesh->names);
    mesh_fields_free(&mesh->fields);
    memset(mesh, 0, sizeof *mesh);
}

enum status mesh_allocate(struct mesh *mesh, int with_sheet, struct error *error)
{
    if (mesh->nodes > INT32_MAX || mesh->elements > INT32_MAX)
        return error_set(error, STATUS_INPUT,
                         "the mesh has %lld nodes and %lld elements; at most %d of each are possible",
                         (long long)mesh->nodes, (long long)mesh->elements, INT32_MAX);
    int64_t directions = mesh->fiber_location == LOCATION_NODE      ? mesh->nodes
                         : mesh->fiber_location == LOCATION_ELEMENT ? mesh->elements
                                                                    : 0;
    int64_t corners = mesh->elements * (mesh->dimension + 1);
    enum status status = STATUS_OK;
    mesh->point = array_zeroed(3 * mesh->nodes, sizeof *mesh->point, "the mesh", &status, error);
    mesh->vertex = array_zeroed(corners, sizeof *mesh->vertex, "the mesh", &status, error);
    mesh->tag = array_zeroed(mesh->elements, sizeof *mesh->tag, "the mesh", &status, error);
    mesh->number = NULL;
    mesh->fiber = mesh->sheet = NULL;
    mesh->faces = 0;
    mesh->face = mesh->mark = NULL;
    mesh->names = (struct mesh_names){0};
    mesh->fields = (struct mesh_fields){0};
    if (directions)
        mesh->fiber = array_zeroed(3 * directions, sizeof *mesh->fiber, "the mesh", &status, error);
    if (directions && with_sheet)
        mesh->sheet = array_zeroed(3 * directions, sizeof *mesh->sheet, "the mesh", &status, error);
    if (status)
        mesh_free(mesh);
    return status;
}

void mesh_node_regions(const struct mesh *mesh, const int32_t *element_region, int regions,
                       int32_t *node_region)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            node_region[i] = regions;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < mesh->elements * corners; k++) {
            int32_t r = element_region[k / corners], *own = &node_region[mesh->vertex[k]];
            int32_t now = __atomic_load_n(own, __ATOMIC_RELAXED);
            while (r >= 0 && r < now &&
                   !__atomic_compare_exchange_n(own, &now, r, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
        }
    }
}

enum status mesh_allocate_faces(struct mesh *mesh, int64_t faces, struct error *error)
{
    enum status status = STATUS_OK;
    mesh->face =
        array_zeroed(faces * mesh->dimension, sizeof *mesh->face, "the marked faces", &status, error);
    mesh->mark = array_zeroed(faces, sizeof *mesh->mark, "the marked faces", &status, error);
    mesh->faces = status ? 0 : faces;
    return status;
}

double mesh_counts_bytes(int dimension, double nodes, double elements)
{
    return nodes * 3 * sizeof(double) + elements * (dimension + 2) * (double)sizeof(int32_t);
}

double mesh_bytes(const struct mesh *mesh)
{
    double nodes = (double)mesh->nodes, elements = (double)mesh->elements;
    double directions = mesh->fiber_location == LOCATION_NODE ? nodes : elements;
    double fields = 0;
    for (int f = 0; f < mesh->fields.count; f++) {
        const struct mesh_field *field = mesh->fields.item + f;
        if (field->value)
            fields += 8.0 * field->components * (field->location == LOCATION_NODE ? nodes : elements);
    }
    return mesh_counts_bytes(mesh->dimension, nodes, elements) +
           24 * directions * ((mesh->fiber != NULL) + (mesh->sheet != NULL)) +
           4.0 * (double)mesh->faces * (mesh->dimension + 1) + fields;
}
