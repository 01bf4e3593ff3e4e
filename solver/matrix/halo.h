/* halo.h: which rows a rank reads of others, and which they read of it (kernels/ops/halo.h).
 *
 * Ranks compute both from the partition and the pattern, which is symmetric, and so agree without a word. */
#ifndef CARDIAC_SOLVER_MATRIX_HALO_H
#define CARDIAC_SOLVER_MATRIX_HALO_H

#include "kernels/device/queue.h"
#include "kernels/ops/halo.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/partition.h"

/* order[nodes], a locality order of the mesh here, <- that of this rank's rows: interior, border, ghosts;
 * the counts are returned in *of. Errors: STATUS_RUN without memory. */
enum status halo_order(struct layout_order *of, const struct partition *partition, const struct csr *pattern,
                       int32_t *order, struct error *error);

/* *halo <- for a layout of that order; NULL where there is one rank. Errors: STATUS_RUN without memory. */
enum status halo_make(struct halo **halo, const struct partition *partition, const struct csr *pattern,
                      const struct layout *layout, struct queue *queue, struct error *error);
void halo_free(struct halo *halo, struct queue *queue); /* NULL is accepted */

#endif
