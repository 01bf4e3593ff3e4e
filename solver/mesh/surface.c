/* surface.c: matches faces and edges by a counting sort by their lowest node, then a short sort for each
 * node. */
#include "solver/mesh/surface.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/union_find.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/deal.h"

static const char what[] = "the faces of the mesh";

/* A face or an edge to be matched: its nodes above the lowest, ascending, and its origin */
struct side {
    int32_t node[2];
    int64_t from;
};

struct sides {
    int64_t *first; /* [nodes + 1] first side with lowest node a */
    struct side *side;
};

static int by_nodes(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    if (x->node[0] != y->node[0])
        return x->node[0] < y->node[0] ? -1 : 1;
    if (x->node[1] != y->node[1])
        return x->node[1] < y->node[1] ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

struct mesh_face mesh_face_of(const int32_t *vertex, int corners, int left_out, int64_t from)
{
    struct mesh_face face = {{-1, -1, -1}, from};
    int count = 0;
    for (int c = 0; c < corners; c++)
        if (c != left_out)
            face.node[count++] = vertex[c];
    compare_sort_few(face.node, count);
    return face;
}

int mesh_face_compare(const void *a, const void *b)
{
    const struct mesh_face *x = a, *y = b;
    int c = 0;
    while (c < 2 && x->node[c] == y->node[c])
        c++;
    return compare_int32(&x->node[c], &y->node[c]);
}

/* key[corners] <- the lowest node of the face opposite to each corner, -1 if it is not in [begin, end) */
static void list_lowest(int32_t *key, const int32_t *vertex, int corners, int64_t begin, int64_t end)
{
    int32_t lowest = INT32_MAX, second = INT32_MAX; /* lowest and second-lowest vertex */
    int at = 0;
    for (int c = 0; c < corners; c++)
        if (vertex[c] < lowest) {
            second = lowest;
            lowest = vertex[c];
            at = c;
        } else if (vertex[c] < second)
            second = vertex[c];
    for (int c = 0; c < corners; c++) {
        const int32_t own = c == at ? second : lowest;
        key[c] = own >= begin && own < end ? own : -1;
    }
}

/* The faces of `count` simplices of `corners` corners whose lowest node is in [begin, end); each thread
 * handles a range of lowest nodes */
static enum status sides_create(struct sides *sides, const int32_t *vertex, int64_t count, int corners,
                                int64_t nodes, int64_t begin, int64_t end, struct error *error)
{
    enum { BLOCK = 1 << 19 };
    enum status status = STATUS_OK;
    struct deal deal;
    int64_t *first = sides->first = array_zeroed(nodes + 2, sizeof *first, what, &status, error);
    int32_t *key = array_new((count < BLOCK ? count : BLOCK) * corners, sizeof *key, what, &status, error);
    const enum status dealt = deal_create(&deal, (count < BLOCK ? count : BLOCK) * corners, what, error);
    TRY_DONE(status ? status : dealt);
    for (int fill = 0; fill < 2; fill++) {
#pragma omp parallel
        for (int64_t e = 0; e < count; e += BLOCK) {
            const int64_t some = count - e < BLOCK ? count - e : BLOCK;
#pragma omp for schedule(static)
            for (int64_t k = 0; k < some; k++)
                list_lowest(key + k * corners, vertex + (e + k) * corners, corners, begin, end);
            deal_keys(&deal, key, some * corners);
#pragma omp barrier
            for (int part = 0; part < deal_parts(&deal); part++)
                for (int64_t k = deal_part(&deal, part)[0]; k < deal_part(&deal, part)[1]; k++) {
                    const int32_t item = deal.item[k], a = key[item];
                    const int64_t from = e * corners + item;
                    if (!fill) {
                        first[a + 2]++;
                        continue;
                    }
                    const struct mesh_face face =
                        mesh_face_of(vertex + from / corners * corners, corners, item % corners, from);
                    sides->side[first[a + 1]++] = (struct side){{face.node[1], face.node[2]}, from};
                }
#pragma omp barrier
        }
        for (int64_t a = begin; a < end && !fill; a++)
            first[a + 2] += first[a + 1];
        if (!fill)
            sides->side = array_new(first[end + 1], sizeof *sides->side, what, &status, error);
        TRY_DONE(status);
    }
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t a = begin; a < end; a++)
        qsort(sides->side + first[a], (size_t)(first[a + 1] - first[a]), sizeof *sides->side, by_nodes);
done:
    deal_free(&deal);
    free(key);
    return status;
}

static void sides_free(struct sides *sides)
{
    free(sides->first);
    free(sides->side);
}

/* Number of equal sides (faces or edges) from i on, before `end` */
static int64_t equals(const struct side *side, int64_t i, int64_t end)
{
    int64_t j = i + 1;
    while (j < end && side[j].node[0] == side[i].node[0] && side[j].node[1] == side[i].node[1])
        j++;
    return j - i;
}

/* out <- the face of the element opposite to corner c, outward */
static void put_face(int32_t *out, const int32_t *vertex, int dimension, int c)
{
    static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0, at = 0; k <= dimension; k++)
        if (k != c)
            out[at++] = vertex[k];
    for (int k = 0; dimension == 3 && k < 3; k++)
        out[k] = vertex[outward[c][k]];
}

/* *vertex, *elements <- vertices and number of the elements of the highest dimension */
static enum status pick_elements(int32_t **vertex, int64_t *elements, const struct mesh *mesh,
                                 const uint8_t *among, struct error *error)
{
    int corners = mesh->dimension + 1;
    int64_t count = 0, filled = 0;
    enum status status = STATUS_OK;
    uint8_t *has = array_new(mesh->elements, sizeof *has, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t e = 0; e < mesh->elements; e++) {
        int in = 0;
        for (int c = 0; c < corners; c++)
            in += !among || among[mesh->vertex[e * corners + c]] != 0;
        count += has[e] = in >= mesh->dimension && mesh_corners(mesh, e) == corners;
    }
    *vertex = array_new(count * corners, sizeof **vertex, what, &status, error);
    TRY_DONE(status);
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; has[e] && c < corners; c++)
            (*vertex)[filled++] = mesh->vertex[e * corners + c];
    *elements = count;
done:
    free(has);
    return status;
}

/* Whether all nodes of a side with lowest node a have among[node] != 0 */
static bool is_among(const uint8_t *among, int64_t a, const struct side *side)
{
    return !among || (among[a] && (side->node[0] < 0 || among[side->node[0]]) &&
                      (side->node[1] < 0 || among[side->node[1]]));
}

/* from[] (NULL: only count) <- the sides with lowest node a that occur once; returns their number */
static int64_t find_single(int64_t *from, const struct sides *sides, int64_t a, const uint8_t *among)
{
    int64_t count = 0;
    for (int64_t i = sides->first[a], n; i < sides->first[a + 1]; i += n) {
        n = equals(sides->side, i, sides->first[a + 1]);
        if (n > 1 || !is_among(among, a, sides->side + i))
            continue;
        if (from)
            from[count] = sides->side[i].from;
        count++;
    }
    return count;
}

enum status mesh_surface_create(struct mesh_surface *surface, const struct mesh *mesh, const uint8_t *among,
                                struct error *error)
{
    struct sides sides = {0};
    enum status status = STATUS_OK;
    int corners = mesh->dimension + 1;
    int32_t *vertex = mesh->vertex, *picked = NULL;
    int64_t elements = mesh->elements, *first = NULL, *from = NULL;
    *surface = (struct mesh_surface){.patches = 1};
    if (among || mesh_is_mixed(mesh)) {
        TRY_DONE(pick_elements(&picked, &elements, mesh, among, error));
        vertex = picked;
    }
    TRY_DONE(sides_create(&sides, vertex, elements, corners, mesh->nodes, 0, mesh->nodes, error));
    first = array_zeroed(mesh->nodes + 1, sizeof *first, what, &status, error);
    TRY_DONE(status);
    for (int fill = 0; fill < 2; fill++) {
#pragma omp parallel for schedule(dynamic, 1024)
        for (int64_t a = 0; a < mesh->nodes; a++) {
            int64_t count = find_single(fill ? from + first[a] : NULL, &sides, a, among);
            if (!fill)
                first[a + 1] = count;
        }
        for (int64_t a = 0; a < mesh->nodes && !fill; a++)
            first[a + 1] += first[a];
        if (!fill)
            from = array_new(first[mesh->nodes], sizeof *from, what, &status, error);
        TRY_DONE(status);
    }
    surface->faces = first[mesh->nodes];
    surface->face = array_new(surface->faces * mesh->dimension, sizeof *surface->face, what, &status, error);
    surface->patch = array_zeroed(surface->faces, sizeof *surface->patch, what, &status, error);
    TRY_DONE(status);
    for (int64_t f = 0; f < surface->faces; f++)
        put_face(surface->face + mesh->dimension * f, vertex + from[f] / corners * corners, mesh->dimension,
                 (int)(from[f] % corners));
done:
    sides_free(&sides);
    free(picked);
    free(first);
    free(from);
    if (status)
        mesh_surface_free(surface);
    return status;
}

/* 1 if the nodes, in ascending order, of the face of a tetrahedron opposite to corner c are
 * counter-clockwise seen from outside, else -1 */
static int orientation_of(const int32_t *vertex, int c)
{
    int32_t face[3];
    put_face(face, vertex, 3, c);
    return ((face[0] > face[1]) + (face[0] > face[2]) + (face[1] > face[2])) % 2 ? -1 : 1;
}

/* The pair with the lowest elements is reported */
static void add_overlaps(struct mesh_overlaps *to, const struct mesh_overlaps *more)
{
    const bool lower = to->element < 0 || more->element < to->element ||
                       (more->element == to->element && more->other < to->other);
    to->faces += more->faces;
    if (more->faces && lower) {
        to->element = more->element;
        to->other = more->other;
    }
}

/* Counts faces with lowest node a that belong to more than two tetrahedra, or to two on one side */
static void find_overlaps(struct mesh_overlaps *overlaps, const struct sides *sides, const int32_t *vertex,
                          int64_t a)
{
    for (int64_t i = sides->first[a], n; i < sides->first[a + 1]; i += n) {
        const struct side *side = sides->side + i;
        n = equals(sides->side, i, sides->first[a + 1]);
        if (n < 2 || (n == 2 && orientation_of(vertex + side[0].from / 4 * 4, (int)(side[0].from % 4)) !=
                                    orientation_of(vertex + side[1].from / 4 * 4, (int)(side[1].from % 4))))
            continue;
        add_overlaps(overlaps, &(struct mesh_overlaps){1, side[0].from / 4, side[1].from / 4});
    }
}

enum status mesh_overlaps_find(struct mesh_overlaps *overlaps, const struct mesh *mesh, struct error *error)
{
    enum { SIDES = 1 << 26 }; /* approximate number of faces per batch */
    const int64_t block = mesh->elements > 0 ? mesh->nodes * SIDES / (4 * mesh->elements) + 1 : 1;
    int32_t *vertex = mesh->vertex, *picked = NULL;
    int64_t elements = mesh->elements;
    enum status status = STATUS_OK;
    *overlaps = (struct mesh_overlaps){.element = -1, .other = -1};
    if (mesh->dimension != 3)
        return STATUS_OK;
    if (mesh_is_mixed(mesh)) {
        TRY(pick_elements(&picked, &elements, mesh, NULL, error));
        vertex = picked;
    }
    for (int64_t begin = 0; begin < mesh->nodes && !status; begin += block) {
        const int64_t end = begin + block < mesh->nodes ? begin + block : mesh->nodes;
        struct sides sides = {0};
        status = sides_create(&sides, vertex, elements, 4, mesh->nodes, begin, end, error);
#pragma omp parallel if (!status)
        {
            struct mesh_overlaps own = {.element = -1, .other = -1};
#pragma omp for schedule(static)
            for (int64_t a = begin; a < (status ? begin : end); a++)
                find_overlaps(&own, &sides, vertex, a);
#pragma omp critical(surface_overlaps)
            add_overlaps(overlaps, &own);
        }
        sides_free(&sides);
    }
    free(picked);
    for (int64_t e = 0; e < mesh->elements && picked; e++) { /* numbers among tetrahedra -> numbers of
                                                              * elements */
        const bool below = mesh_corners(mesh, e) < 4;
        overlaps->element += below && e <= overlaps->element;
        overlaps->other += below && e <= overlaps->other;
    }
    return status;
}

void mesh_surface_free(struct mesh_surface *surface)
{
    free(surface->face);
    free(surface->patch);
    *surface = (struct mesh_surface){0};
}

void mesh_surface_normal(const struct mesh_surface *surface, const struct mesh *mesh, int64_t face,
                         double normal[3])
{
    const int32_t *node = surface->face + 3 * face;
    const double *from = mesh->point + 3 * (int64_t)node[0];
    double a[3], b[3];
    vec3_between(a, from, mesh->point + 3 * (int64_t)node[1]);
    vec3_between(b, from, mesh->point + 3 * (int64_t)node[2]);
    vec3_cross(normal, a, b);
}

/* Joins the patches of every pair of faces at one edge, if their normals allow it */
static void join_edge(struct mesh_surface *surface, const struct mesh *mesh, const struct side *side,
                      int64_t count, double cosine, const uint8_t *skip)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) {
            int32_t a = (int32_t)(side[i].from / 3), b = (int32_t)(side[j].from / 3);
            double p[3], q[3];
            if (skip && (skip[a] || skip[b]))
                continue;
            mesh_surface_normal(surface, mesh, a, p);
            mesh_surface_normal(surface, mesh, b, q);
            if (vec3_dot(p, q) / sqrt(vec3_dot(p, p) * vec3_dot(q, q)) > cosine)
                union_find_join(surface->patch, a, b);
        }
}

/* Replaces roots in patch[], the first face of each patch, by consecutive numbers */
static void number_patches(struct mesh_surface *surface, const uint8_t *skip)
{
    surface->patches = 0;
    for (int32_t f = 0; f < surface->faces; f++)
        surface->patch[f] = union_find_root(surface->patch, f);
    for (int32_t f = 0; f < surface->faces; f++) {
        if (skip && skip[f])
            surface->patch[f] = -1;
        else
            surface->patch[f] =
                surface->patch[f] == f ? surface->patches++ : surface->patch[surface->patch[f]];
    }
}

enum status mesh_surface_split(struct mesh_surface *surface, const struct mesh *mesh, double cosine,
                               const uint8_t *skip, struct error *error)
{
    struct sides sides = {0};
    enum status status = STATUS_OK;
    TRY_DONE(sides_create(&sides, surface->face, surface->faces, 3, mesh->nodes, 0, mesh->nodes, error));
    for (int32_t f = 0; f < surface->faces; f++)
        surface->patch[f] = f;
    for (int64_t a = 0; a < mesh->nodes; a++)
        for (int64_t i = sides.first[a], n; i < sides.first[a + 1]; i += n) {
            n = equals(sides.side, i, sides.first[a + 1]);
            join_edge(surface, mesh, sides.side + i, n < 8 ? n : 8, cosine, skip);
        }
    number_patches(surface, skip);
done:
    sides_free(&sides);
    return status;
}

static int32_t lowest(const int32_t *node, int corners)
{
    int32_t low = node[0];
    for (int c = 1; c < corners; c++)
        low = node[c] < low ? node[c] : low;
    return low;
}

/* first[nodes + 2], list[] <- the simplices of each lowest node: list[first[a]] .. list[first[a + 1] - 1] */
static void list_sides(int64_t *first, int64_t *list, int64_t nodes, const int32_t *side, int corners,
                       int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        first[lowest(side + i * corners, corners) + 2]++;
    for (int64_t a = 0; a < nodes; a++)
        first[a + 2] += first[a + 1];
    for (int64_t i = 0; i < count; i++)
        list[first[lowest(side + i * corners, corners) + 1]++] = i;
}

static bool has_all(const int32_t *vertex, int vertices, const int32_t *node, int corners)
{
    for (int c = 0; c < corners; c++) {
        bool has = false;
        for (int v = 0; v < vertices; v++)
            has = has || vertex[v] == node[c];
        if (!has)
            return false;
    }
    return true;
}

enum status mesh_sides_find(uint8_t *on, const struct mesh *mesh, const int32_t *side, int corners,
                            int64_t count, struct error *error)
{
    int vertices = mesh->dimension + 1;
    enum status status = STATUS_OK;
    int64_t *first = array_zeroed(mesh->nodes + 2, sizeof *first, "the sides of elements", &status, error);
    int64_t *list = array_new(count, sizeof *list, "the sides of elements", &status, error);
    TRY_DONE(status);
    memset(on, 0, (size_t)count);
    list_sides(first, list, mesh->nodes, side, corners, count);
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * vertices;
        for (int v = 0; v < vertices; v++)
            for (int64_t k = first[vertex[v]]; k < first[vertex[v] + 1]; k++)
                if (has_all(vertex, vertices, side + list[k] * corners, corners))
#pragma omp atomic write
                    on[list[k]] = 1;
    }
done:
    free(first);
    free(list);
    return status;
}
