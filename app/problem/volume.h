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

/* Whether the condition depends on node numbers, not only on positions: it names nodes or a surface, or is random */
bool volume_names_nodes(const struct where *where);

/* *found <- the nodes where w_i, rounded to 1/256, is not 0, for a condition on positions: known, from the cache, or
 * computed; valid until the next call. Instead 1 or 0, the condition at the node: at all nodes if it covers no volume
 * (such as a box without thickness); at nodes of lines in a mesh of higher dimension; at nodes of elements of lower
 * dimension with one of the condition's tags. Errors: those of environment_values(). */
enum status volume_find(const struct environment_weights **found, struct environment *environment,
                        const struct where *where, int *at, struct error *error);

#endif
