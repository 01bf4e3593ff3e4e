/* volume.h: the fraction of the volume around each node in which a condition holds.
 *
 *   w_i = int_shape phi_i / int phi_i
 *
 * phi_i is the hat function of node i, the integrals over its elements of the highest dimension. Arrays at
 * nodes and coordinates are linear in an element. An element in which the condition holds in part is cut into
 * equal pieces, 512 of a tetrahedron and 64 of a triangle or line, and each counts by its centroid. */
#ifndef CARDIAC_APP_PROBLEM_VOLUME_H
#define CARDIAC_APP_PROBLEM_VOLUME_H

#include "app/problem/environment.h"

/* In mm^d, over elements of the mesh's dimension d: the volume that the condition covers, and sum_i w_i int phi_i */
struct volume {
    double asked, given;
};

/* mm, mm^2 or mm^3 */
const char *volume_unit(int dimension);

/* weight[nodes] <- w_i, rounded to 1/256. Instead 1 or 0, the condition at the node: at all nodes if it names nodes or
 * a surface, is random, or covers no volume (such as a box without thickness); at nodes of lines in a mesh of higher
 * dimension; at nodes of elements of lower dimension with one of the condition's tags. *volume <- NAN if it names
 * nodes or a surface or is random. Errors: those of environment_values(). */
enum status volume_weights(double *weight, struct volume *volume, struct environment *environment,
                           const struct where *where, int *at, struct error *error);

/* The nodes to which a stimulus is applied, and its weight at each */

struct selection {
    int32_t *node; /* [nodes] ascending */
    int64_t nodes;
    double *time;         /* [nodes] ms, from a file of delays; or NULL */
    double *weight;       /* [nodes] in (0, 1], the fraction of the current; NULL = 1 everywhere */
    struct volume volume; /* NAN where a list of nodes or a surface is given */
};

/* *selection <- the nodes around which the stimulus' condition holds, or those in its file of delays. Free its arrays
 * even after an error. Errors: STATUS_INPUT if nothing is selected, the list is wrong, or a name in `where` cannot be
 * resolved (*at <- its offset in the text, characters). */
enum status selection_make(struct selection *selection, const struct config_stimulus *stimulus,
                           struct environment *environment, int *at, struct error *error);

#endif
