/* ordering.h: a locality order of the rows.
 *
 * All three give order[k] = mesh node of the k-th row. The order moves data, never a bit of the result. */
#ifndef CARDIAC_SOLVER_ORDERING_H
#define CARDIAC_SOLVER_ORDERING_H

#include "solver/assembly.h"
#include "solver/mesh.h"
#include "solver/monodomain.h"

/* order[rows] <- a permutation. RCM: E. Cuthill and J. McKee, 1969, reversed (A. George, 1971), each
 * component from a pseudo-peripheral node (N. E. Gibbs et al., SIAM J. Numer. Anal. 13, 1976); equal degrees
 * by mesh number. Hilbert: the curve through the nodes' bounding box, 21 bits a direction (J. Skilling, AIP
 * Conf. Proc. 707, 2004, 381). Errors: STATUS_RUN without memory. */
enum status ordering_make(enum ordering ordering, const struct system *system, const struct mesh *mesh,
                          int32_t *order, struct error *error);

/* max_k |k - position of a neighbour|: the half bandwidth under an order */
int64_t ordering_bandwidth(const struct system *system, const int32_t *order);

#endif
