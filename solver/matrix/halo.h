/* halo.h: the rows that a rank reads of others, and those that they read of it (kernels/ops/halo.h).
 *
 * Each rank computes both from the partition and the pattern; since that is symmetric, no communication is
 * needed. */
#ifndef CARDIAC_SOLVER_MATRIX_HALO_H
#define CARDIAC_SOLVER_MATRIX_HALO_H

#include "kernels/device/queue.h"
#include "kernels/ops/halo.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/partition.h"

/* order[nodes], a locality order of this rank's mesh, <- that of its rows: interior, border, ghosts; *of <-
 * the counts. Errors: STATUS_RUN without memory. */
enum status halo_order(struct layout_order *of, const struct partition *partition, const struct csr *pattern,
                       int32_t *order, struct error *error);

/* *halo <- for a layout of that order; NULL on a single rank. Errors: STATUS_RUN without memory. */
enum status halo_make(struct halo **halo, const struct partition *partition, const struct csr *pattern,
                      const struct layout *layout, struct queue *queue, struct error *error);
void halo_free(struct halo *halo, struct queue *queue); /* NULL is accepted */

#endif
