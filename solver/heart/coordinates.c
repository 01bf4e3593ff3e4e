/* coordinates.c: Laplace's equation between surfaces, and coordinates derived from its solutions. */
#include "solver/heart/coordinates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/heart/rotation.h"
#include "solver/mesh/check.h"
#include "solver/mesh/deal.h"
#include "solver/mesh/nearest.h"
#include "solver/mesh/surface.h"

static const char what[] = "the coordinates of the heart";

static unsigned set_of(enum heart_surface surface)
{
    return 1u << surface;
}

/* u[nodes] <- solution of Laplace's equation, 1 on the surfaces in the set `one`, 0 on those in `zero`; a
 * node on several surfaces belongs to the first */
static enum status solve_between(double *u, struct laplace *laplace, const uint8_t *on, unsigned zero,
                                 unsigned one, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t nodes = laplace->k.rows;
    uint8_t *fixed = array_new(nodes, sizeof *fixed, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < nodes; i++) {
        const unsigned own = on[i] & (zero | one), first = own & (~own + 1u);
        fixed[i] = own != 0;
        u[i] = first & one ? 1 : 0;
    }
    status = laplace_solve(laplace, u, fixed, error);
    free(fixed);
    return status;
}

void coordinates_mark_apex(uint8_t *on, const struct mesh *mesh)
{
    if (heart_surfaces_count(on, mesh->nodes, HEART_APEX))
        return;
    double centre[3] = {0, 0, 0}, farthest = -1;
    int64_t base = heart_surfaces_count(on, mesh->nodes, HEART_BASE), apex = -1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int d = 0; d < 3 && on[i] & set_of(HEART_BASE); d++)
            centre[d] += mesh->point[3 * i + d] / (double)base;
    for (int64_t i = 0; base && i < mesh->nodes; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (mesh->point[3 * i + d] - centre[d]) * (mesh->point[3 * i + d] - centre[d]);
        if (on[i] & set_of(HEART_EPI) && square > farthest) {
            farthest = square;
            apex = i;
        }
    }
    if (apex >= 0)
        on[apex] |= (uint8_t)set_of(HEART_APEX);
}

/* sorted[] <- the nodes by ascending value: distributed to buckets of equal width, then sorted in each */
static enum status sort_nodes(struct ranked *sorted, const double *u, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    double low = HUGE_VAL, high = -HUGE_VAL;
    int64_t *first = array_zeroed(nodes + 2, sizeof *first, what, &status, error);
    int32_t *bucket = array_new(nodes, sizeof *bucket, what, &status, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t i = 0; i < nodes; i++) {
        low = fmin(low, u[i]);
        high = fmax(high, u[i]);
    }
    for (int64_t i = 0; i < nodes; i++) {
        bucket[i] = high > low ? (int32_t)((u[i] - low) / (high - low) * (double)(nodes - 1)) : 0;
        first[bucket[i] + 2]++;
    }
    for (int64_t b = 0; b < nodes; b++)
        first[b + 2] += first[b + 1];
    for (int64_t i = 0; i < nodes; i++)
        sorted[first[bucket[i] + 1]++] = (struct ranked){u[i], i};
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t b = 0; b < nodes; b++)
        if (first[b + 1] > first[b] + 1)
            qsort(sorted + first[b], (size_t)(first[b + 1] - first[b]), sizeof *sorted, compare_ranked);
done:
    free(first);
    free(bucket);
    return status;
}

enum { ADDENDS = 6 }; /* maximum per element */

/* Added to sum[to]; ignored if to is -1 */
struct addend {
    int64_t to;
    double value;
};

/* An element's contributions: to sum[rank], dV/du above this level, and to sum[rank + 1], the volume at
 * exactly this level; ranks are even. Between the values at its corners, in ascending order, the P1 field
 * gives its volume exactly, with constant density. */
static void add_element(struct addend addend[ADDENDS], const struct mesh *mesh, const double *u,
                        const int64_t *rank, int64_t e)
{
    int d = mesh->dimension;
    int32_t node[4] = {0};
    for (int c = 0; c <= d; c++) {
        int at = c;
        for (; at > 0 && rank[node[at - 1]] > rank[mesh->vertex[e * (d + 1) + c]]; at--)
            node[at] = node[at - 1];
        node[at] = mesh->vertex[e * (d + 1) + c];
    }
    double volume = fabs(mesh_measure(mesh, e)), share[3] = {1, 0, 0};
    double a = u[node[0]], b = u[node[1]], c = u[node[d > 1 ? 2 : 1]], f = u[node[d]];
    for (int k = 0; k < ADDENDS; k++)
        addend[k].to = -1;
    if (mesh_corners(mesh, e) <= d)
        return;
    if (!(f > a)) {
        addend[0] = (struct addend){rank[node[0]] + 1, volume};
        return;
    }
    if (d == 2) {
        share[0] = (b - a) / (f - a);
        share[1] = 1 - share[0];
    }
    if (d == 3) {
        share[0] = b > a ? (b - a) / (c - a) * ((b - a) / (f - a)) : 0;
        share[2] = f > c ? (f - c) / (f - b) * ((f - c) / (f - a)) : 0;
        share[1] = 1 - share[0] - share[2];
    }
    for (int k = 0; k < d; k++) {
        double width = u[node[k + 1]] - u[node[k]];
        if (!(width > 0))
            continue;
        addend[2 * k] = (struct addend){rank[node[k]], volume * share[k] / width};
        addend[2 * k + 1] = (struct addend){rank[node[k + 1]], -addend[2 * k].value};
    }
}

/* sum[2 nodes] += the contributions of all elements in ascending order: threads divide the elements of a
 * block, then the ranks */
static enum status add_elements(double *sum, const struct mesh *mesh, const double *u, const int64_t *rank,
                                struct error *error)
{
    enum { BLOCK = 1 << 14 };
    const int64_t elements = mesh->elements;
    enum status status = STATUS_OK;
    struct deal deal;
    struct addend *addend = array_new(BLOCK * ADDENDS, sizeof *addend, what, &status, error);
    int32_t *key = array_new(BLOCK * ADDENDS, sizeof *key, what, &status, error);
    const enum status dealt = deal_create(&deal, BLOCK * ADDENDS, what, error);
    TRY_DONE(status);
    TRY_DONE(dealt);
#pragma omp parallel
    for (int64_t begin = 0; begin < elements; begin += BLOCK) {
        const int64_t count = elements - begin < BLOCK ? elements - begin : BLOCK;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < count; k++) {
            add_element(addend + k * ADDENDS, mesh, u, rank, begin + k);
            for (int64_t a = k * ADDENDS; a < (k + 1) * ADDENDS; a++)
                key[a] = addend[a].to < 0 ? -1 : (int32_t)(addend[a].to / 2);
        }
        deal_keys(&deal, key, count * ADDENDS);
#pragma omp barrier
        for (int part = 0; part < deal_parts(&deal); part++) {
            const int64_t *first = deal_part(&deal, part);
            for (int64_t k = first[0]; k < first[1]; k++)
                sum[addend[deal.item[k]].to] += addend[deal.item[k]].value;
        }
#pragma omp barrier
    }
done:
    deal_free(&deal);
    free(addend);
    free(key);
    return status;
}

/* u <- the fraction of the mesh's volume where the field is lower: 0 at the lowest level, 1 at the highest */
static enum status rank_by_volume(double *u, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t nodes = mesh->nodes;
    struct ranked *sorted = array_new(nodes, sizeof *sorted, what, &status, error);
    int64_t *rank = array_new(nodes, sizeof *rank, what, &status, error);
    double *sum = array_zeroed(2 * nodes, sizeof *sum, what, &status, error); /* density and jump at a rank */
    TRY_DONE(status);
    TRY_DONE(sort_nodes(sorted, u, nodes, error));
    for (int64_t k = 0; k < nodes; k++)
        rank[sorted[k].index] = k && sorted[k].key == sorted[k - 1].key ? rank[sorted[k - 1].index] : 2 * k;
    TRY_DONE(add_elements(sum, mesh, u, rank, error));
    double below = 0, slope = 0;
    for (int64_t k = 0; k < nodes; k++) {
        if (k)
            below += slope * (sorted[k].key - sorted[k - 1].key) + sum[2 * k - 1];
        u[sorted[k].index] = below;
        slope += sum[2 * k];
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (below > 0 ? nodes : 0); i++)
        u[i] = fmin(fmax(u[i] / below, 0), 1);
done:
    free(sorted);
    free(rank);
    free(sum);
    return status;
}

/* out[nodes] <- distance to the nearest item, of `corners` nodes each; order[nodes] (NULL: mesh order): an
 * order in which consecutive nodes are near each other */
static enum status find_nearest(double *out, const struct mesh *mesh, const int32_t *order,
                                const int32_t *item, int corners, int64_t items, struct error *error)
{
    struct nearest nearest;
    TRY(nearest_create(&nearest, mesh->point, item, corners, items, error));
#pragma omp parallel
    {
        int64_t last = -1; /* consecutive nodes are mostly neighbours, so the last result is a good guess */
#pragma omp for schedule(dynamic, 2048)
        for (int64_t q = 0; q < mesh->nodes; q++) {
            int64_t i = order ? order[q] : q;
            last = nearest_find(&nearest, mesh->point + 3 * i, last, out + i);
        }
    }
    nearest_free(&nearest);
    return STATUS_OK;
}

/* Distance to the boundary triangles whose nodes are all on the surface, or if there are none, to its
 * nodes */
static enum status find_distance(double *out, const struct mesh *mesh, const int32_t *order,
                                 const uint8_t *on, enum heart_surface surface, struct error *error)
{
    struct mesh_surface boundary = {0};
    enum status status = STATUS_OK;
    int64_t nodes = 0;
    int32_t *node = NULL;
    uint8_t *among = array_new(mesh->nodes, sizeof *among, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        among[i] = (on[i] & set_of(surface)) != 0;
    if (mesh->dimension == 3)
        TRY_DONE(mesh_surface_create(&boundary, mesh, among, error));
    if (!boundary.faces)
        node = array_new(mesh->nodes, sizeof *node, what, &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; node && i < mesh->nodes; i++)
        if (among[i])
            node[nodes++] = (int32_t)i;
    status = find_nearest(out, mesh, order, node ? node : boundary.face, node ? 1 : 3,
                          node ? nodes : boundary.faces, error);
done:
    mesh_surface_free(&boundary);
    free(among);
    free(node);
    return status;
}

/* Uses the triangles with that mark; in a mesh of lower dimension, their nodes */
enum status coordinates_to_mark(double *distance, const struct mesh *mesh, int32_t mark, struct error *error)
{
    enum status status = STATUS_OK;
    int corners = mesh->dimension;
    int32_t *item = array_new(corners * mesh->faces, sizeof *item, what, &status, error);
    int64_t nodes = 0;
    TRY(status);
    for (int64_t f = 0; f < mesh->faces; f++)
        for (int c = 0; c < corners && mesh->mark[f] == mark; c++)
            item[nodes++] = mesh->face[corners * f + c];
    corners = corners == 3 ? 3 : 1;
    status = find_nearest(distance, mesh, NULL, item, corners, nodes / corners, error);
    free(item);
    return status;
}

enum status coordinates_to_nodes(double *distance, const struct mesh *mesh, const uint8_t *on,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *item = array_new(mesh->nodes, sizeof *item, what, &status, error);
    int64_t nodes = 0;
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (on[i])
            item[nodes++] = (int32_t)i;
    status = find_nearest(distance, mesh, NULL, item, 1, nodes, error);
    free(item);
    return status;
}

static enum status assemble(struct coordinates *to, const struct mesh *mesh, struct error *error)
{
    if (!to->assembled)
        TRY(laplace_create(&to->laplace, mesh, error));
    to->assembled = true;
    return STATUS_OK;
}

/* *u <- Laplace's solution between sets of surfaces that exist */
static enum status solve(double **u, struct coordinates *to, const struct mesh *mesh, const uint8_t *on,
                         unsigned zero, unsigned one, struct error *error)
{
    enum status status = STATUS_OK;
    TRY(assemble(to, mesh, error));
    *u = array_new(mesh->nodes, sizeof **u, what, &status, error);
    TRY(status);
    return solve_between(*u, &to->laplace, on, zero, one, error);
}

enum status coordinates_between(double **u, struct coordinates *coordinates, const struct mesh *mesh,
                                const uint8_t *on, struct error *error)
{
    return solve(u, coordinates, mesh, on, 1u, 2u, error);
}

enum status coordinates_make(struct coordinates *to, const struct mesh *mesh, uint8_t *on, unsigned set,
                             struct error *error)
{
    const unsigned base = set_of(HEART_BASE), epi = set_of(HEART_EPI), lv = set_of(HEART_LV),
                   rv = set_of(HEART_RV), apex = set_of(HEART_APEX);
    enum status status = STATUS_OK;
    unsigned there = 0;
    coordinates_mark_apex(on, mesh);
    for (int64_t i = 0; i < mesh->nodes; i++)
        there |= on[i];
    const bool around =
        set & COORDINATES_ROTATIONAL && !to->rotational && there & epi && there & lv && there & rv;
    if (around)
        set |= COORDINATES_SIDES;
    bool upward = set & COORDINATES_UPWARD || (set & COORDINATES_APICOBASAL && !to->apicobasal);
    if (upward && !to->upward && there & apex && there & base)
        TRY(solve(&to->upward, to, mesh, on, apex, base, error));
    if (set & COORDINATES_APICOBASAL && !to->apicobasal && to->upward) {
        to->apicobasal = array_new(mesh->nodes, sizeof *to->apicobasal, what, &status, error);
        TRY(status);
        memcpy(to->apicobasal, to->upward, (size_t)mesh->nodes * sizeof *to->apicobasal);
        TRY(rank_by_volume(to->apicobasal, mesh, error));
    }
    bool endocardia = set & COORDINATES_ENDOCARDIA && there & lv && there & rv && there & epi;
    if ((set & COORDINATES_TRANSMURAL || endocardia) && !to->transmural && there & (lv | rv) && there & epi)
        TRY(solve(&to->transmural, to, mesh, on, lv | rv, epi, error));
    if (endocardia && !to->endocardium[0])
        TRY(solve(&to->endocardium[0], to, mesh, on, epi | rv, lv, error));
    if (endocardia && !to->endocardium[1]) {
        double *last = to->endocardium[1] = array_new(mesh->nodes, sizeof *last, what, &status, error);
        TRY(status);
        for (int64_t i = 0; i < mesh->nodes; i++)
            last[i] = fmax(1 - to->transmural[i] - to->endocardium[0][i], 0);
    }
    if (set & COORDINATES_INTERVENTRICULAR && !to->interventricular && there & lv && there & rv)
        TRY(solve(&to->interventricular, to, mesh, on, lv, rv, error));
    for (int s = 0; s < HEART_SURFACES; s++) {
        enum heart_surface surface = (enum heart_surface)s;
        if (!(set & COORDINATES_DISTANCE << s) || to->distance[s] || !(there & set_of(surface)))
            continue;
        to->distance[s] = array_new(mesh->nodes, sizeof *to->distance[s], what, &status, error);
        TRY(status);
        TRY(find_distance(to->distance[s], mesh, to->assembled ? to->laplace.node : NULL, on, surface,
                          error));
    }
    if (around)
        TRY(assemble(to, mesh, error));
    return around ? rotation_make(to, mesh, on, error) : STATUS_OK;
}

void coordinates_free(struct coordinates *coordinates)
{
    free(coordinates->transmural);
    free(coordinates->apicobasal);
    free(coordinates->interventricular);
    free(coordinates->upward);
    free(coordinates->rotational);
    free(coordinates->endocardium[0]);
    free(coordinates->endocardium[1]);
    for (int s = 0; s < HEART_SURFACES; s++)
        free(coordinates->distance[s]);
    laplace_free(&coordinates->laplace);
    *coordinates = (struct coordinates){0};
}
