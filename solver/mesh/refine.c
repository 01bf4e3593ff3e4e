/* refine.c: regular refinement of lines, triangles and tetrahedra. */
#include "solver/mesh/refine.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/neighbours.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/surface.h"

/* Nodes of a refined tetrahedron: its vertices 0 to 3, then the midpoints of its edges. A triangle uses 0
 * to 2 and the midpoints of 01, 02, 12; a line 0, 1 and the midpoint of 01. */
enum { M01 = 4, M02, M03, M12, M13, M23, LOCAL_NODES };

static const int middle_ends[LOCAL_NODES][2] = {
    [M01] = {0, 1}, [M02] = {0, 2}, [M03] = {0, 3}, [M12] = {1, 2}, [M13] = {1, 3}, [M23] = {2, 3}};

static const int line_children[2][4] = {{0, M01}, {M01, 1}};
static const int triangle_children[4][4] = {{0, M01, M02}, {M01, 1, M12}, {M02, M12, 2}, {M01, M12, M02}};
static const int corner_children[4][4] = {
    {0, M01, M02, M03}, {M01, 1, M12, M13}, {M02, M12, 2, M23}, {M03, M13, M23, 3}};

/* The diagonals of the octahedron, and the other four nodes in a ring around each; {p, q, ring[i], ring[i +
 * 1]} is positively oriented. */
struct diagonal {
    int p, q, ring[5];
};

static const struct diagonal diagonals[3] = {
    {M01, M23, {M02, M03, M13, M12, M02}},
    {M02, M13, {M01, M12, M23, M03, M01}},
    {M03, M12, {M01, M02, M23, M13, M01}},
};

/* out <- the mean of `count` axes (v and -v are the same axis), normalised; each is flipped to the side of
 * the first nonzero one. Zero if all are zero, or if they cancel. */
static void mean_axis(double out[3], const double *const axis[], int count)
{
    const double *reference = NULL;
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        double length = vec3_length(axis[k]);
        if (!(length > 0))
            continue;
        reference = reference ? reference : axis[k];
        double scale = vec3_dot(axis[k], reference) < 0 ? -1 / length : 1 / length;
        for (int d = 0; d < 3; d++)
            sum[d] += scale * axis[k][d];
    }
    double length = vec3_length(sum);
    for (int d = 0; d < 3; d++)
        out[d] = length > 0 ? sum[d] / length : 0;
}

/* vertex <- one child, its last node repeated up to `room`; returns the next free position */
static int32_t *put_child(int32_t *vertex, const int32_t node[LOCAL_NODES], const int child[4], int corners,
                          int room)
{
    for (int c = 0; c < room; c++)
        *vertex++ = node[child[c < corners ? c : corners - 1]];
    return vertex;
}

static int32_t *put_octahedron(int32_t *vertex, const struct mesh *fine, const int32_t node[LOCAL_NODES])
{
    int best = 0;
    double shortest = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        double length = mesh_distance(fine->point + 3 * (int64_t)node[diagonals[k].p],
                                      fine->point + 3 * (int64_t)node[diagonals[k].q]);
        if (length < shortest * (1 - 1e-9)) {
            shortest = length;
            best = k;
        }
    }
    const struct diagonal *diagonal = &diagonals[best];
    for (int i = 0; i < 4; i++) {
        const int child[4] = {diagonal->p, diagonal->q, diagonal->ring[i], diagonal->ring[i + 1]};
        vertex = put_child(vertex, node, child, 4, 4);
    }
    return vertex;
}

/* node[] <- the corners and the midpoints of their edges; false if one of these is not an edge of the mesh */
static bool local_nodes(int32_t node[LOCAL_NODES], const int32_t *vertex, int corners,
                        const struct mesh *coarse, const struct mesh_edges *edges)
{
    memset(node, 0, LOCAL_NODES * sizeof *node);
    memcpy(node, vertex, (size_t)corners * sizeof *node);
    for (int m = M01; m < LOCAL_NODES; m++) {
        if (middle_ends[m][1] >= corners)
            continue;
        int64_t edge = mesh_edges_find(edges, node[middle_ends[m][0]], node[middle_ends[m][1]]);
        if (edge < 0)
            return false;
        node[m] = (int32_t)(coarse->nodes + edge);
    }
    return true;
}

static int children_of(const struct mesh *mesh, int64_t e)
{
    return 1 << (mesh_corners(mesh, e) - 1);
}

static void put_elements(struct mesh *fine, const struct mesh *coarse, const struct mesh_edges *edges)
{
    const int room = coarse->dimension + 1;
    int32_t *vertex = fine->vertex, *tag = fine->tag;
    for (int64_t e = 0; e < coarse->elements; e++) {
        const int corners = mesh_corners(coarse, e), children = children_of(coarse, e);
        int32_t node[LOCAL_NODES];
        local_nodes(node, coarse->vertex + room * e, corners, coarse, edges);
        if (corners == 4) {
            for (int c = 0; c < 4; c++)
                vertex = put_child(vertex, node, corner_children[c], 4, 4);
            vertex = put_octahedron(vertex, fine, node);
        } else {
            for (int c = 0; c < children; c++)
                vertex = put_child(vertex, node, corners == 2 ? line_children[c] : triangle_children[c],
                                   corners, room);
        }
        for (int c = 0; c < children; c++)
            *tag++ = coarse->tag[e];
    }
}

/* to[fine elements][n] <- the values of their parents */
static void put_of_elements(double *to, const double *from, const struct mesh *coarse, int64_t n)
{
    for (int64_t e = 0; e < coarse->elements; e++)
        for (int c = 0; c < children_of(coarse, e); c++, to += n)
            memcpy(to, from + n * e, (size_t)n * sizeof *to);
}

/* A face is split like an element of its dimension, into 2^(d-1) children; *fine has memory for all. Faces
 * with an edge that no element has are skipped. */
static void put_faces(struct mesh *fine, const struct mesh *coarse, const struct mesh_edges *edges)
{
    int corners = coarse->dimension, children = 1 << (corners - 1);
    int32_t *vertex = fine->face, node[LOCAL_NODES];
    fine->faces = 0;
    for (int64_t f = 0; f < coarse->faces; f++) {
        if (!local_nodes(node, coarse->face + corners * f, corners, coarse, edges))
            continue;
        for (int c = 0; c < children; c++) {
            vertex = put_child(vertex, node, corners == 3 ? triangle_children[c] : line_children[c], corners,
                               corners);
            fine->mark[fine->faces++] = coarse->mark[f];
        }
    }
}

static void put_points(struct mesh *fine, const struct mesh *coarse, const struct mesh_edges *edges)
{
    memcpy(fine->point, coarse->point, 3 * (size_t)coarse->nodes * sizeof(double));
    double *middle = fine->point + 3 * coarse->nodes;
    for (int64_t a = 0; a < coarse->nodes; a++)
        for (int64_t k = edges->first[a]; k < edges->first[a + 1]; k++, middle += 3)
            for (int d = 0; d < 3; d++)
                middle[d] = (coarse->point[3 * a + d] + coarse->point[3 * (int64_t)edges->other[k] + d]) / 2;
}

/* One kind of direction; from and to are [nodes or elements][3] of the coarse and of the fine mesh */
static void put_directions(double *to, const double *from, const struct mesh *coarse,
                           const struct mesh_edges *edges)
{
    if (!from)
        return;
    if (coarse->fiber_location == LOCATION_ELEMENT) {
        put_of_elements(to, from, coarse, 3);
        return;
    }
    memcpy(to, from, 3 * (size_t)coarse->nodes * sizeof(double));
    to += 3 * coarse->nodes;
    for (int64_t a = 0; a < coarse->nodes; a++)
        for (int64_t k = edges->first[a]; k < edges->first[a + 1]; k++, to += 3)
            mean_axis(to, (const double *const[]){from + 3 * a, from + 3 * (int64_t)edges->other[k]}, 2);
}

/* Field values: a new node gets the mean of its edge's ends, a child its parent's value. */
static void put_field(double *to, const struct mesh_field *field, const struct mesh *coarse,
                      const struct mesh_edges *edges)
{
    const double *from = field->value;
    int64_t n = field->components;
    size_t row = (size_t)n * sizeof *to;
    if (field->location == LOCATION_ELEMENT) {
        put_of_elements(to, from, coarse, n);
        return;
    }
    memcpy(to, from, (size_t)coarse->nodes * row);
    to += n * coarse->nodes;
    for (int64_t a = 0; a < coarse->nodes; a++)
        for (int64_t k = edges->first[a]; k < edges->first[a + 1]; k++, to += n)
            for (int64_t c = 0; c < n; c++)
                to[c] = (from[n * a + c] + from[n * edges->other[k] + c]) / 2;
}

static enum status put_fields(struct mesh *fine, const struct mesh *coarse, const struct mesh_edges *edges,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (int f = 0; f < coarse->fields.count; f++) {
        const struct mesh_field *field = coarse->fields.item + f;
        int64_t rows = field->location == LOCATION_NODE ? fine->nodes : fine->elements;
        if (!field->value)
            continue;
        double *value = array_new(rows * field->components, sizeof *value, field->name, &status, error);
        TRY(status);
        put_field(value, field, coarse, edges);
        TRY(mesh_fields_add(&fine->fields, field->name, field->location, field->components, value, error));
    }
    return STATUS_OK;
}

/* Elements of lower dimension that are edges or faces of others are marks. Others may be resistors, whose
 * two halves would conduct half as much: STATUS_INPUT. */
static enum status check_lower(const struct mesh *mesh, const int64_t count[4], struct error *error)
{
    const int room = mesh->dimension + 1;
    enum status status = STATUS_OK;
    struct mesh top = {.dimension = mesh->dimension, .nodes = mesh->nodes};
    top.vertex = array_new(count[mesh->dimension] * room, sizeof *top.vertex, "the elements", &status, error);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        if (mesh_corners(mesh, e) == room)
            memcpy(top.vertex + room * top.elements++, mesh->vertex + room * e,
                   (size_t)room * sizeof(int32_t));
    for (int d = 1; d < mesh->dimension && !status; d++) {
        int32_t *side = array_new(count[d] * (d + 1), sizeof *side, "the sides", &status, error);
        uint8_t *on = array_new(count[d], sizeof *on, "the sides", &status, error);
        int64_t sides = 0;
        for (int64_t e = 0; e < mesh->elements && !status; e++)
            if (mesh_corners(mesh, e) == d + 1)
                memcpy(side + (d + 1) * sides++, mesh->vertex + room * e, (size_t)(d + 1) * sizeof *side);
        if (!status && sides)
            status = mesh_sides_find(on, &top, side, d + 1, sides, error);
        if (!status && sides && memchr(on, 0, (size_t)sides))
            status =
                error_set(error, STATUS_INPUT,
                          "a mesh with elements of several dimensions cannot be split; split its parts "
                          "(`cardiac mesh extract IN OUT --regions TAGS`) and join them by mesh.network");
        free(side);
        free(on);
    }
    free(top.vertex);
    return status;
}

enum status mesh_refine(struct mesh *fine, const struct mesh *coarse, struct error *error)
{
    struct mesh_edges edges = {0};
    double edges_bytes =
        10.0 * (coarse->dimension + 1) * (double)coarse->elements; /* 4 bytes per neighbour */
    int64_t count[4], elements = 0;
    mesh_count_dimensions(coarse, count);
    for (int d = 1; d <= coarse->dimension; d++)
        elements += count[d] << d;
    TRY(check_lower(coarse, count, error));
    TRY(mesh_forecast(coarse->dimension, (double)coarse->nodes, (double)elements, edges_bytes, error));
    TRY(mesh_edges_create(&edges, coarse, error));
    struct mesh made = {.dimension = coarse->dimension,
                        .nodes = coarse->nodes + edges.count,
                        .elements = elements,
                        .fiber_location = coarse->fiber_location};
    enum status status = STATUS_OK;
    TRY_DONE(mesh_allocate(&made, coarse->sheet != NULL, error));
    if (coarse->faces)
        TRY_DONE(mesh_allocate_faces(&made, coarse->faces << (coarse->dimension - 1), error));
    TRY_DONE(mesh_names_copy(&made.names, &coarse->names, error));
    TRY_DONE(put_fields(&made, coarse, &edges, error));
    put_points(&made, coarse, &edges);
    put_elements(&made, coarse, &edges);
    put_faces(&made, coarse, &edges);
    put_directions(made.fiber, coarse->fiber, coarse, &edges);
    put_directions(made.sheet, coarse->sheet, coarse, &edges);
    *fine = made;
done:
    if (status)
        mesh_free(&made);
    mesh_edges_free(&edges);
    return status;
}

/* *direction <- its values averaged over the vertices of each element */
static enum status to_elements(double **direction, const struct mesh *mesh, struct error *error)
{
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    double *out = array_new(3 * mesh->elements, sizeof *out, "the fibres of the elements", &status, error);
    TRY(status);
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double *axis[4];
        for (int c = 0; c < corners; c++)
            axis[c] = *direction + 3 * (int64_t)mesh->vertex[corners * e + c];
        mean_axis(out + 3 * e, axis, mesh_corners(mesh, e));
    }
    free(*direction);
    *direction = out;
    return STATUS_OK;
}

enum status mesh_fibers_to_elements(struct mesh *mesh, struct error *error)
{
    if (mesh->fiber_location != LOCATION_NODE)
        return STATUS_OK;
    TRY(to_elements(&mesh->fiber, mesh, error));
    if (mesh->sheet)
        TRY(to_elements(&mesh->sheet, mesh, error));
    mesh->fiber_location = LOCATION_ELEMENT;
    return STATUS_OK;
}
