/* ellipsoid.c: rings of nodes on a surface, triangles between them, and prisms through the wall. */
#include "solver/mesh/ellipsoid.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"

static const double PI = 0x1.921fb54442d18p+1;
enum { ARC = 4096 }; /* pieces of a meridian, to measure its length */

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

/* along[] <- for rings equally far apart on the surface midway; returns the meridian's length */
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

/* Angle of a ring's node k, of a full turn; every other ring is shifted by half an edge */
static double turn_of(const struct shell *shell, int64_t ring, int64_t k)
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

/* The triangles between ring k and the next: the ring that is behind advances */
static void join_rings(struct shell *shell, int64_t k)
{
    const int64_t *first = shell->first;
    int64_t low = first[k + 1] - first[k], high = first[k + 2] - first[k + 1], i = 0, j = 0;
    while (i < low || j < high) {
        int64_t a = first[k] + i % low, b = first[k + 1] + j % high;
        if (j == high || (i < low && turn_of(shell, k, i + 1) < turn_of(shell, k + 1, j + 1)))
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

static void place_nodes(double *point, const struct shell *shell)
{
    for (int64_t layer = 0; layer <= shell->layers; layer++) {
        double s = (double)layer / (double)shell->layers, end = latitude(shell, s);
        double a = shell->radius + s * shell->wall, c = shell->depth + s * shell->wall;
        for (int64_t ring = 0; ring <= shell->rings; ring++) {
            double u = shell->along[ring] * end, r = ring ? a * real_sin_double(u) : 0;
            double z = ring < shell->rings ? -c * real_cos_double(u) : shell->base;
            for (int64_t k = 0; k < shell->first[ring + 1] - shell->first[ring]; k++, point += 3) {
                double angle = 2 * PI * turn_of(shell, ring, k);
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

static void place_elements(struct mesh *mesh, const struct shell *shell)
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
        put_face(mesh, &face, n[0], n[1], n[2], ELLIPSOID_LV);
        put_face(mesh, &face, top + n[0], top + n[1], top + n[2], ELLIPSOID_EPI);
    }
    for (int64_t layer = 0; layer < shell->layers; layer++)
        for (int64_t i = rim; i < shell->nodes; i++) {
            int64_t next = i + 1 < shell->nodes ? i + 1 : rim;
            int64_t a = (i < next ? i : next) + layer * shell->nodes;
            int64_t b = (i < next ? next : i) + layer * shell->nodes;
            put_face(mesh, &face, a, b, b + shell->nodes, ELLIPSOID_BASE);
            put_face(mesh, &face, a, a + shell->nodes, b + shell->nodes, ELLIPSOID_BASE);
        }
}

static enum status name_faces(struct mesh_names *names, struct error *error)
{
    TRY(mesh_names_add(names, "base", 2, ELLIPSOID_BASE, error));
    TRY(mesh_names_add(names, "epi", 2, ELLIPSOID_EPI, error));
    return mesh_names_add(names, "lv", 2, ELLIPSOID_LV, error);
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
    place_nodes(made.point, &shell);
    place_elements(&made, &shell);
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
