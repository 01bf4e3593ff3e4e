/* halo.h: the rows of other ranks that a rank reads, and its own rows that others read
 * (kernels/ops/halo.h).
 *
 * Each rank computes both from the partition and the pattern, without communication, because the pattern
 * is symmetric. */
#ifndef CARDIAC_SOLVER_MATRIX_HALO_H
#define CARDIAC_SOLVER_MATRIX_HALO_H

#include "kernels/device/queue.h"
#include "kernels/ops/halo.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/partition.h"

/* The nodes, in mesh order, whose values this rank sends to and receives from each other rank; no links on
 * a single rank. */
struct halo_nodes {
    const struct comm *comm;
    struct comm_link *link; /* [links] one for each rank with which this one shares an element */
    int links;
    int32_t *sent, *received;           /* link by link, ascending within each */
    int64_t sent_count, received_count; /* totals */
    double *out, *in;                   /* [sent_count], [received_count] buffers */
};

/* Errors: STATUS_RUN if out of memory, possibly on this rank alone. */
enum status halo_nodes_make(struct halo_nodes *nodes, const struct partition *partition,
                            const struct csr *pattern, struct error *error);
void halo_nodes_free(struct halo_nodes *nodes);
/* x[nodes of the mesh here]: the values of ghosts <- those of the ranks that own them. Called by all
 * ranks. */
void halo_nodes_exchange(const struct halo_nodes *nodes, double *x);

/* order[nodes]: in, a locality order of this rank's mesh; out, the order of its rows: interior, border,
 * ghosts. *of <- the counts. Errors: STATUS_RUN if out of memory. */
enum status halo_order(struct layout_order *of, const struct partition *partition, const struct csr *pattern,
                       int32_t *order, struct error *error);

/* *halo <- the halo of a layout with that order; NULL on a single rank. Errors: STATUS_RUN if out of
 * memory. */
enum status halo_make(struct halo **halo, const struct halo_nodes *nodes, const struct layout *layout,
                      struct queue *queue, struct error *error);
void halo_free(struct halo *halo, struct queue *queue); /* NULL is accepted */

#endif
