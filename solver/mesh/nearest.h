/* nearest.h: the nearest of many points, triangles or tetrahedra, by a tree of boxes. */
#ifndef CARDIAC_SOLVER_MESH_NEAREST_H
#define CARDIAC_SOLVER_MESH_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct nearest {
    const double *point; /* [][3], the caller's */
    int corners;         /* of an item: 1 a point, 3 a triangle, 4 a positive tetrahedron with its inside */
    const int32_t *node; /* [items][corners] */
    int64_t items;
    int32_t *order; /* [items] in the order of the tree's leaves */
    double *box;    /* [2 * leaves][6] low and high corner of each node of the tree, 1 the root */
    double *disc;   /* [items][7] of triangles, in the tree's order: centre, unit normal and radius of a
                     * disc around each; infinite radius if it is too flat for a normal */
    int64_t leaves; /* a power of two */
};

/* Builds the tree; point and node must outlive it. STATUS_RUN without memory. */
enum status nearest_create(struct nearest *nearest, const double *point, const int32_t *node, int corners,
                           int64_t items, struct error *error);
void nearest_free(struct nearest *nearest);

/* The item nearest to x, the lowest of equally near ones; *distance (NULL = not needed) <- its distance in
 * mm. -1 and infinity without items. guess: an item that may be near, which saves time; -1 = none. */
int64_t nearest_find(const struct nearest *nearest, const double x[3], int64_t guess, double *distance);

/* weight[corners] <- weights of the item's corners, >= 0, in its point nearest to x; returns the distance
 * in mm. */
double nearest_weights(const struct nearest *nearest, int64_t item, const double x[3], double *weight);

/* (*list)[*room] <- the items that nearest_within() would accept, ascending, *count of them; the array
 * grows and the caller frees it. STATUS_RUN without memory. */
enum status nearest_list(const struct nearest *nearest, const double x[3], double distance, int32_t **list,
                         int64_t *room, int64_t *count, struct error *error);

/* Whether an item is within this distance of x, mm; possibly also if one is 1e-9 of it farther */
bool nearest_within(const struct nearest *nearest, const double x[3], double distance);

#endif
