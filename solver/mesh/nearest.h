/* nearest.h: finds the nearest of many points, triangles or tetrahedra with a bounding-volume tree. */
#ifndef CARDIAC_SOLVER_MESH_NEAREST_H
#define CARDIAC_SOLVER_MESH_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct nearest {
    const double *point; /* [][3] borrowed */
    int corners;         /* per item: 1 a point, 3 a triangle, 4 a solid, positively oriented tetrahedron */
    const int32_t *node; /* [items][corners] */
    int64_t items;
    int32_t *order; /* [items] items in the order of the tree's leaves */
    double *box;    /* [2 * leaves][6] bounding box (low, high) of each node of the tree; node 1 is the
                       root */
    double *disc;   /* [items][7] of triangles, in the tree's order: centre, unit normal and radius of an
                       enclosing disc; the radius is infinite if the triangle is too flat for a normal */
    int64_t leaves; /* a power of two */
};

/* Builds the tree; point and node must outlive it. STATUS_RUN if out of memory. */
enum status nearest_create(struct nearest *nearest, const double *point, const int32_t *node, int corners,
                           int64_t items, struct error *error);
void nearest_free(struct nearest *nearest);

/* The item nearest to x, the lowest of equally near ones; *distance (NULL = not needed) <- its distance in
 * mm. Returns -1 and an infinite distance if there are no items. guess: an item that may be near, to start
 * from; -1 = none. */
int64_t nearest_find(const struct nearest *nearest, const double x[3], int64_t guess, double *distance);

/* weight[corners] <- barycentric coordinates, >= 0, of the item's point nearest to x; returns the distance
 * in mm. */
double nearest_weights(const struct nearest *nearest, int64_t item, const double x[3], double *weight);

/* (*list)[*count] <- the items that nearest_within() would accept, ascending. *list, of *room items, grows
 * as needed; the caller frees it. STATUS_RUN if out of memory. */
enum status nearest_list(const struct nearest *nearest, const double x[3], double distance, int32_t **list,
                         int64_t *room, int64_t *count, struct error *error);

/* Whether an item is within `distance` mm of x; an item up to 1e-9 of it farther away may be accepted */
bool nearest_within(const struct nearest *nearest, const double x[3], double distance);

#endif
