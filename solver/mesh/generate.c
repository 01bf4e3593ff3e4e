/* generate.c: cable, sheet and slab on a regular lattice, by one routine: in each dimension the elements
 * of a cell are the paths along its axes, one for each order of the axes. */
#include "solver/mesh/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"
#include "solver/mesh/check.h"

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

/* *cells <- size / spacing, which must be an integer up to rounding */
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

/* mesh->nodes, mesh->elements <- the counts of a lattice; error if they cannot be numbered or stored */
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

static const double PI = 0x1.921fb54442d18p+1;
enum { ARC = 4096 }; /* segments of a meridian, for measuring its length */

struct shell {
    double radius, depth, wall, base; /* mm; base = height of the base's plane */
    double edge;
    int64_t rings, layers; /* rings besides the apex; layers through the wall */
    int64_t *first;        /* [rings + 1] first surface node of ring k = 1 ..; [0] the apex, 0 */
    double *along;         /* [rings + 1] latitude of a ring over that of the base */
    int64_t nodes;         /* of a surface */
    int32_t (*triangle)[3];
    int64_t triangles;
};

/* Latitude at which the surface at depth s (0 to 1) of the wall meets the base: -depth cos u = base */
static double latitude(const struct shell *shell, double s)
{
    double low = 0, high = PI, want = -shell->base / (shell->depth + s * shell->wall);
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (real_cos_double(middle) > want)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* along[] <- positions of equidistant rings on the mid-wall surface; returns the meridian's length */
static double place_rings(struct shell *shell, double *arc)
{
    double a = shell->radius + shell->wall / 2, c = shell->depth + shell->wall / 2;
    double end = latitude(shell, 0.5);
    arc[0] = 0;
    for (int k = 0; k < ARC; k++) {
        double u = (k + 0.5) / ARC * end, across = a * real_cos_double(u), down = c * real_sin_double(u);
        arc[k + 1] = arc[k] + sqrt(across * across + down * down) * end / ARC;
    }
    for (int64_t ring = 0, k = 0; shell->along && ring <= shell->rings; ring++) {
        double want = arc[ARC] * (double)ring / (double)shell->rings;
        while (k + 1 < ARC && arc[k + 1] < want)
            k++;
        shell->along[ring] = ((double)k + (want - arc[k]) / (arc[k + 1] - arc[k])) / ARC;
    }
    return arc[ARC];
}

static int64_t ring_nodes(const struct shell *shell, int64_t ring)
{
    double u = shell->along[ring] * latitude(shell, 0.5);
    double length = 2 * PI * (shell->radius + shell->wall / 2) * real_sin_double(u);
    double nodes = floor(length / shell->edge + 0.5);
    return nodes < 5 ? 5 : (int64_t)nodes;
}

/* Angle of a ring's node k, as a fraction of a revolution; every other ring is shifted by half an edge */
static double revolution_of(const struct shell *shell, int64_t ring, int64_t k)
{
    int64_t count = shell->first[ring + 1] - shell->first[ring];
    return ((double)k + (ring % 2 ? 0.5 : 0)) / (double)count;
}

static void add_triangle(struct shell *shell, int64_t a, int64_t b, int64_t c)
{
    int32_t *t = shell->triangle[shell->triangles++];
    t[0] = (int32_t)a;
    t[1] = (int32_t)b;
    t[2] = (int32_t)c;
}

/* Appends the triangles between ring k and the next: each one advances on the ring that is behind */
static void join_rings(struct shell *shell, int64_t k)
{
    const int64_t *first = shell->first;
    int64_t low = first[k + 1] - first[k], high = first[k + 2] - first[k + 1], i = 0, j = 0;
    while (i < low || j < high) {
        int64_t a = first[k] + i % low, b = first[k + 1] + j % high;
        if (j == high || (i < low && revolution_of(shell, k, i + 1) < revolution_of(shell, k + 1, j + 1)))
            add_triangle(shell, a, first[k] + ++i % low, b);
        else
            add_triangle(shell, a, first[k + 1] + ++j % high, b);
    }
}

static enum status make_surface(struct shell *shell, struct error *error)
{
    enum status status = STATUS_OK;
    double *arc = array_new(ARC + 1, sizeof *arc, "the mesh", &status, error);
    TRY(status);
    double rings = floor(place_rings(shell, arc) / (shell->edge * sqrt(0.75)) + 0.5);
    double layers = floor(shell->wall / shell->edge + 0.5);
    double widest = 2 * PI * (shell->radius + shell->wall) / shell->edge;
    shell->layers = layers < 1 ? 1 : (int64_t)fmin(layers, 1e9);
    TRY_DONE(mesh_forecast(3, rings * widest * fmax(layers, 1) / 2, 3 * rings * widest * fmax(layers, 1), 0,
                           error));
    shell->rings = (int64_t)rings;
    shell->along = array_new(shell->rings + 1, sizeof *shell->along, "the mesh", &status, error);
    shell->first = array_new(shell->rings + 2, sizeof *shell->first, "the mesh", &status, error);
    TRY_DONE(status);
    place_rings(shell, arc);
    shell->first[0] = 0;
    shell->first[1] = 1;
    for (int64_t k = 1; k <= shell->rings; k++)
        shell->first[k + 1] = shell->first[k] + ring_nodes(shell, k);
    shell->nodes = shell->first[shell->rings + 1];
    shell->triangle = array_new(2 * shell->nodes, sizeof *shell->triangle, "the mesh", &status, error);
    TRY_DONE(status);
    int64_t fan = shell->first[2] - 1;
    for (int64_t i = 0; i < fan; i++)
        add_triangle(shell, 0, 1 + i, 1 + (i + 1) % fan);
    for (int64_t k = 1; k < shell->rings; k++)
        join_rings(shell, k);
done:
    free(arc);
    return status;
}

static void place_shell_nodes(double *point, const struct shell *shell)
{
    for (int64_t layer = 0; layer <= shell->layers; layer++) {
        double s = (double)layer / (double)shell->layers, end = latitude(shell, s);
        double a = shell->radius + s * shell->wall, c = shell->depth + s * shell->wall;
        for (int64_t ring = 0; ring <= shell->rings; ring++) {
            double u = shell->along[ring] * end, r = ring ? a * real_sin_double(u) : 0;
            double z = ring < shell->rings ? -c * real_cos_double(u) : shell->base;
            for (int64_t k = 0; k < shell->first[ring + 1] - shell->first[ring]; k++, point += 3) {
                double angle = 2 * PI * revolution_of(shell, ring, k);
                point[0] = r * real_cos_double(angle);
                point[1] = r * real_sin_double(angle);
                point[2] = z;
            }
        }
    }
}

static void put_tetrahedron(struct mesh *mesh, int64_t e, int64_t a, int64_t b, int64_t c, int64_t d)
{
    int32_t *vertex = mesh->vertex + 4 * e;
    vertex[0] = (int32_t)a;
    vertex[1] = (int32_t)b;
    vertex[2] = (int32_t)c;
    vertex[3] = (int32_t)d;
    if (mesh_measure(mesh, e) < 0) {
        vertex[2] = (int32_t)d;
        vertex[3] = (int32_t)c;
    }
}

static void place_shell_elements(struct mesh *mesh, const struct shell *shell)
{
    int64_t e = 0, up = shell->nodes;
    for (int64_t layer = 0; layer < shell->layers; layer++)
        for (int64_t t = 0; t < shell->triangles; t++, e += 3) {
            const int32_t *n = shell->triangle[t];
            int64_t low = n[0] < n[1] ? n[0] : n[1], high = n[0] < n[1] ? n[1] : n[0];
            int64_t a = low < n[2] ? low : n[2], c = high > n[2] ? high : n[2];
            int64_t b = (int64_t)n[0] + n[1] + n[2] - a - c;
            a += layer * up;
            b += layer * up;
            c += layer * up;
            put_tetrahedron(mesh, e, a, b, c, c + up);
            put_tetrahedron(mesh, e + 1, a, b, b + up, c + up);
            put_tetrahedron(mesh, e + 2, a, a + up, b + up, c + up);
        }
}

static void put_face(struct mesh *mesh, int64_t *face, int64_t a, int64_t b, int64_t c, int32_t mark)
{
    int32_t *node = mesh->face + 3 * *face;
    node[0] = (int32_t)a;
    node[1] = (int32_t)b;
    node[2] = (int32_t)c;
    mesh->mark[(*face)++] = mark;
}

static void place_faces(struct mesh *mesh, const struct shell *shell)
{
    int64_t face = 0, top = shell->layers * shell->nodes, rim = shell->first[shell->rings];
    for (int64_t t = 0; t < shell->triangles; t++) {
        const int32_t *n = shell->triangle[t];
        put_face(mesh, &face, n[0], n[1], n[2], MESH_LV);
        put_face(mesh, &face, top + n[0], top + n[1], top + n[2], MESH_EPI);
    }
    for (int64_t layer = 0; layer < shell->layers; layer++)
        for (int64_t i = rim; i < shell->nodes; i++) {
            int64_t next = i + 1 < shell->nodes ? i + 1 : rim;
            int64_t a = (i < next ? i : next) + layer * shell->nodes;
            int64_t b = (i < next ? next : i) + layer * shell->nodes;
            put_face(mesh, &face, a, b, b + shell->nodes, MESH_BASE);
            put_face(mesh, &face, a, a + shell->nodes, b + shell->nodes, MESH_BASE);
        }
}

static enum status name_faces(struct mesh_names *names, struct error *error)
{
    TRY(mesh_names_add(names, "base", 2, MESH_BASE, error));
    TRY(mesh_names_add(names, "epi", 2, MESH_EPI, error));
    return mesh_names_add(names, "lv", 2, MESH_LV, error);
}

static enum status check_lengths(const double size[3], double edge, struct error *error)
{
    static const char *const name[] = {"cavity's radius", "cavity's depth", "wall"};
    for (int k = 0; k < 3; k++)
        if (!(size[k] > 0) || !isfinite(size[k]))
            return error_set(error, STATUS_INPUT, "the %s, %.15g mm, is not a positive length", name[k],
                             size[k]);
    if (!(edge > 0) || !isfinite(edge))
        return error_set(error, STATUS_INPUT, "the edge, %.15g mm, is not a positive length", edge);
    double most = fmin(size[0], size[1]) / 2;
    if (edge > most)
        return error_set(
            error, STATUS_INPUT,
            "an edge of %.15g mm is too long for a cavity of radius %.15g mm and depth %.15g mm: "
            "at most %.15g mm",
            edge, size[0], size[1], most);
    return STATUS_OK;
}

enum status mesh_ellipsoid(struct mesh *mesh, const double size[3], double edge, struct error *error)
{
    struct shell shell = {
        .radius = size[0], .depth = size[1], .wall = size[2], .base = size[1] / 4, .edge = edge};
    struct mesh made = {.dimension = 3};
    TRY(check_lengths(size, edge, error));
    enum status status = STATUS_OK;
    TRY_DONE(make_surface(&shell, error));
    made.nodes = shell.nodes * (shell.layers + 1);
    made.elements = 3 * shell.triangles * shell.layers;
    TRY_DONE(mesh_allocate(&made, 0, error));
    int64_t rim = shell.nodes - shell.first[shell.rings];
    TRY_DONE(mesh_allocate_faces(&made, 2 * shell.triangles + 2 * shell.layers * rim, error));
    place_shell_nodes(made.point, &shell);
    place_shell_elements(&made, &shell);
    place_faces(&made, &shell);
    TRY_DONE(name_faces(&made.names, error));
    *mesh = made;
done:
    if (status)
        mesh_free(&made);
    free(shell.first);
    free(shell.along);
    free(shell.triangle);
    return status;
}
