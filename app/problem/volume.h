/* volume.h: the share of the volume around each node in which a condition holds.
 *
 *   w_i = int_shape phi_i / int phi_i
 *
 * phi_i is the hat function of node i, the integrals over its elements of the highest dimension. Arrays at
 * nodes and coordinates are linear in an element. An element in which the condition holds in part is cut into
 * equal pieces, 512 of a tetrahedron and 64 of a triangle or line, and each counts by its centroid. */
#ifndef CARDIAC_APP_PROBLEM_VOLUME_H
#define CARDIAC_APP_PROBLEM_VOLUME_H

#include "app/problem/environment.h"

/* Of the elements of the mesh's dimension d, mm^d: how much the condition covers, and sum_i w_i int phi_i */
struct volume {
    double asked, given;
};

/* mm, mm^2 or mm^3 */
const char *volume_unit(int dimension);

/* weight[nodes] <- w_i, rounded to 1/256. 1 or 0, as the condition holds at the node: where it names nodes or
 * a surface or is random, or covers no volume, such as a box without thickness; nodes of lines in a mesh of
 * higher dimension; nodes of elements of lower dimension that have one of the condition's tags. *volume <-
 * NAN where it names nodes or a surface or is random. Errors as of environment_values. */
enum status volume_weights(double *weight, struct volume *volume, struct environment *environment,
                           const struct where *where, int *at, struct error *error);

/* The mesh nodes to which a stimulus is applied, and how much of it. */

struct selection {
    int32_t *node; /* [nodes] ascending */
    int64_t nodes;
    double *time;         /* [nodes] ms of a file of delays, or NULL */
    double *weight;       /* [nodes] in (0, 1], the share of the current that each gets; NULL = 1 */
    struct volume volume; /* NAN where a list of nodes or a surface is given */
};

/* The nodes around which the stimulus' condition holds, or that its file of delays lists; its arrays are to
 * be freed in any case. STATUS_INPUT where nothing is selected or the list is wrong, and, *at characters into
 * the text of `where`, where that names what the mesh does not have. */
enum status selection_make(struct selection *selection, const struct config_stimulus *stimulus,
                           struct environment *environment, int *at, struct error *error);

#endif
