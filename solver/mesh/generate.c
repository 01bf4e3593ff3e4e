/* generate.c: cable, sheet and slab on a regular lattice, by one routine: in each dimension the elements
 * of a cell are the paths along its axes, one for each order of the axes. */
#include "solver/mesh/generate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PATHS_MAX = 6 };

/* path[p] = an order of the axes; an odd one gives a negative volume, so two vertices are swapped */
struct path {
    int axis[3];
    int odd;
};

static const struct path paths[4][PATHS_MAX] = {
    [1] = {{{0}, 0}},
    [2] = {{{0, 1}, 0}, {{1, 0}, 1}},
    [3] = {{{0, 1, 2}, 0}, {{0, 2, 1}, 1}, {{1, 0, 2}, 1}, {{1, 2, 0}, 0}, {{2, 0, 1}, 0}, {{2, 1, 0}, 1}},
};
static const int path_count[4] = {0, 1, 2, 6};

enum status mesh_forecast(int dimension, double nodes, double elements, double workspace, struct error *error)
{
    double bytes = mesh_counts_bytes(dimension, nodes, elements) + workspace;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (fmax(nodes, elements) > INT32_MAX)
        return error_set(error, STATUS_INPUT, "%.4g %s; at most %d are possible: take a coarser mesh",
                         fmax(nodes, elements), nodes > elements ? "nodes" : "elements", INT32_MAX);
    if (memory <= 0 || bytes <= memory)
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%.4g nodes and %.4g elements need %.3g GB for the mesh alone, and this machine has %.3g GB", nodes,
        elements, bytes / 1e9, memory / 1e9);
}

/* *cells <- size / spacing, which must be a whole number up to rounding */
static enum status count_cells(int64_t *cells, const char *axis, double size, double spacing,
                               struct error *error)
{
    if (!(spacing > 0) || !isfinite(spacing))
        return error_set(error, STATUS_INPUT, "the spacing %.15g mm is not a positive length", spacing);
    if (!(size > 0) || !isfinite(size))
        return error_set(error, STATUS_INPUT, "the size in %s, %.15g mm, is not a positive length", axis,
                         size);
    double ratio = floor(size / spacing + 0.5);
    if (ratio < 1)
        ratio = 1;
    if (ratio >= INT32_MAX)
        return error_set(
            error, STATUS_INPUT,
            "the size in %s, %.15g mm, holds %.3g times the spacing %.15g mm; at most %d nodes are "
            "possible",
            axis, size, ratio, spacing, INT32_MAX);
    if (fabs(ratio * spacing - size) > 1e-9 * size)
        return error_set(
            error, STATUS_INPUT,
            "the size in %s, %.15g mm, is no multiple of the spacing %.15g mm; the nearest is %.15g "
            "mm",
            axis, size, spacing, ratio * spacing);
    *cells = (int64_t)ratio;
    return STATUS_OK;
}

/* mesh->nodes, mesh->elements <- of a lattice; refused if they cannot be numbered or stored */
static enum status count_mesh(struct mesh *mesh, const int64_t cells[3], double spacing, struct error *error)
{
    double nodes = 1, elements = path_count[mesh->dimension];
    for (int d = 0; d < mesh->dimension; d++) {
        nodes *= (double)(cells[d] + 1);
        elements *= (double)cells[d];
    }
    if (fmax(nodes, elements) > INT32_MAX)
        return error_set(
            error, STATUS_INPUT,
            "a spacing of %.15g mm gives %.4g nodes and %.4g elements; at most %d of each are possible: take "
            "a larger one",
            spacing, nodes, elements, INT32_MAX);
    TRY(mesh_forecast(mesh->dimension, nodes, elements, 0, error));
    mesh->nodes = (int64_t)nodes;
    mesh->elements = (int64_t)elements;
    return STATUS_OK;
}

static void place_nodes(double *point, const int64_t cells[3], double spacing)
{
    for (int64_t k = 0; k <= cells[2]; k++)
        for (int64_t j = 0; j <= cells[1]; j++)
            for (int64_t i = 0; i <= cells[0]; i++, point += 3) {
                point[0] = (double)i * spacing;
                point[1] = (double)j * spacing;
                point[2] = (double)k * spacing;
            }
}

/* vertex <- the elements of the cell whose lowest node is `corner`; returns the next free position */
static int32_t *cut_cell(int32_t *vertex, int dimension, int32_t corner, const int32_t stride[3])
{
    for (int p = 0; p < path_count[dimension]; p++, vertex += dimension + 1) {
        const struct path *path = &paths[dimension][p];
        vertex[0] = corner;
        for (int s = 0; s < dimension; s++)
            vertex[s + 1] = vertex[s] + stride[path->axis[s]];
        if (path->odd) {
            int32_t swapped = vertex[1];
            vertex[1] = vertex[2];
            vertex[2] = swapped;
        }
    }
    return vertex;
}

static void place_elements(int32_t *vertex, int dimension, const int64_t cells[3])
{
    const int32_t row = (int32_t)(cells[0] + 1);
    const int32_t stride[3] = {1, row, row * (int32_t)(cells[1] + 1)};
    int64_t rows = dimension > 1 ? cells[1] : 1, layers = dimension > 2 ? cells[2] : 1;
    for (int64_t k = 0; k < layers; k++)
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = 0; i < cells[0]; i++) {
                int32_t corner = (int32_t)(i + stride[1] * j + stride[2] * k);
                vertex = cut_cell(vertex, dimension, corner, stride);
            }
}

static enum status lattice(struct mesh *mesh, int dimension, const double *size, double spacing,
                           struct error *error)
{
    static const char *const axis[3] = {"x", "y", "z"};
    struct mesh made = {.dimension = dimension};
    int64_t cells[3] = {0, 0, 0};
    for (int d = 0; d < dimension; d++)
        TRY(count_cells(&cells[d], axis[d], size[d], spacing, error));
    TRY(count_mesh(&made, cells, spacing, error));
    TRY(mesh_allocate(&made, 0, error));
    place_nodes(made.point, cells, spacing);
    place_elements(made.vertex, dimension, cells);
    *mesh = made;
    return STATUS_OK;
}

enum status mesh_cable(struct mesh *mesh, double length, double spacing, struct error *error)
{
    return lattice(mesh, 1, &length, spacing, error);
}

enum status mesh_sheet(struct mesh *mesh, const double size[2], double spacing, struct error *error)
{
    return lattice(mesh, 2, size, spacing, error);
}

enum status mesh_slab(struct mesh *mesh, const double size[3], double spacing, struct error *error)
{
    return lattice(mesh, 3, size, spacing, error);
}
