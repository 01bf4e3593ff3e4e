/* ordering.h: a locality order of the rows.
 *
 * All of them give order[k] = mesh node of the k-th row. The order moves data, never a bit of the result. */
#ifndef CARDIAC_SOLVER_MATRIX_ORDERING_H
#define CARDIAC_SOLVER_MATRIX_ORDERING_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "solver/mesh/mesh.h"
#include "solver/params.h"

/* order[rows] <- a permutation. RCM: E. Cuthill and J. McKee, 1969, reversed (A. George, 1971), each
 * component from a pseudo-peripheral node (N. E. Gibbs et al., SIAM J. Numer. Anal. 13, 1976); equal degrees
 * by mesh number. Hilbert: the curve through the nodes' bounding box, 21 bits a direction (J. Skilling, AIP
 * Conf. Proc. 707, 2004, 381). METIS: parts of about ORDERING_PART nodes with few edges between them
 * (G. Karypis and V. Kumar, SIAM J. Sci. Comput. 20, 1998, 359), inside a part as RCM has them. Errors:
 * STATUS_RUN without memory, STATUS_INPUT where METIS is missing or cannot number so many edges. */
enum status ordering_make(enum ordering ordering, const struct csr *pattern, const struct mesh *mesh,
                          int32_t *order, struct error *error);

/* Whether this build has it */
bool ordering_available(enum ordering ordering);

enum { ORDERING_PART = 2048, ORDERING_PARTS = 4 /* at least, but for a handful of nodes */ };

/* Of ordering_make: order[] holds an order, and becomes METIS's parts with that order inside. */
enum status ordering_by_parts(const struct csr *pattern, int32_t *order, struct error *error);

#endif
