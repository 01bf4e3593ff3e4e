/* order.h: row orders for comparison, not used by runs; order[k] = mesh node of the k-th row. */
#ifndef CARDIAC_APP_BENCH_ORDER_H
#define CARDIAC_APP_BENCH_ORDER_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "solver/mesh/mesh.h"

/* order[nodes] <- along Hilbert's curve through the nodes' bounding box, 21 bits a direction (J. Skilling,
 * AIP Conf. Proc. 707, 2004, 381). Errors: STATUS_RUN if out of memory. */
enum status order_hilbert(const struct mesh *mesh, int32_t *order, struct error *error);

enum { ORDER_PART = 2048, ORDER_PARTS = 4 /* minimum, except for very few nodes */ };

/* Groups order[rows] into parts of about ORDER_PART nodes with few edges between them (METIS; G. Karypis and V.
 * Kumar, SIAM J. Sci. Comput. 20, 1998, 359); nodes of a part keep the given order. Errors: STATUS_RUN if out of
 * memory, STATUS_INPUT if METIS is missing or cannot number that many edges. */
enum status order_by_parts(const struct csr *pattern, int32_t *order, struct error *error);

/* Whether this build has METIS */
bool order_has_metis(void);

struct bench_matrix;

/* order[rows] <- the order `name`: none, rcm, hilbert, metis, random, windows (random in windows of 2048). *why_not <-
 * NULL, or why this order is unavailable (Hilbert's curve needs a mesh, METIS its library). */
enum status order_by_name(const struct bench_matrix *matrix, const char *name, int32_t *order,
                          const char **why_not, struct error *error);

/* Sorts `order` by descending row length inside windows of `window` rows; 0 or 1: does nothing */
enum status order_sort(const struct bench_matrix *matrix, int64_t window, int32_t *order,
                       struct error *error);

#endif
