/* halo.h: exchange of the rows of other ranks that a rank's own rows read.
 *
 * A vector contains copies of rows of other ranks (ghosts) after its own rows, link by link, in ascending
 * mesh order within a link. Each row is summed with one accumulator in ascending mesh order, wherever its
 * columns are stored, so the bits do not depend on the number of ranks. */
#ifndef CARDIAC_KERNELS_OPS_HALO_H
#define CARDIAC_KERNELS_OPS_HALO_H

#include "kernels/base/error.h"
#include "kernels/device/comm.h"
#include "kernels/device/cpu.h"

struct convergence_gate;
struct halo_stores;

/* Measured microseconds per exchange, alone and including a maximum; 0 = not measured */
struct halo_cost {
    double alone, tested;
};

/* A NULL halo means that there are no other ranks. */
struct halo {
    const struct comm *comm;
    int64_t rows;   /* own rows, padding included */
    int64_t ghosts; /* rows of other ranks, after them */
    int links;
    struct comm_link *link;     /* [links] host */
    int64_t border;             /* values sent */
    int32_t *row;               /* [border] device: row of each value, link by link */
    double *out;                /* [border] device */
    double *seconds;            /* [1] host: time spent in the calls below so far, waits included; CPU only */
    struct halo_stores *stores; /* for GPUs that store into each other's memory; NULL: NCCL is used */
    struct halo_cost by_nccl, by_stores;
};

static inline int64_t halo_ghosts(const struct halo *halo)
{
    return halo ? halo->ghosts : 0;
}

/* x[rows + ghosts]: ghosts <- the values on their ranks; x32 the same, rounded, NULL = not needed */
void halo_exchange_cpu(struct queue *queue, const struct halo *halo, double *x, float *x32);
void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32);

/* Called by all ranks before the first exchange: chooses the method of transfer, on GPUs the faster of
 * two, measured on x, whose ghosts are filled. Errors: STATUS_RUN if out of memory or the device failed. */
enum status halo_open_cpu(struct queue *queue, struct halo *halo, double *x, struct error *error);
enum status halo_open_cuda(struct queue *queue, struct halo *halo, double *x, struct error *error);
void halo_close_cpu(struct queue *queue, struct halo *halo);
void halo_close_cuda(struct queue *queue, struct halo *halo);

/* value[count] <- the maxima over all ranks, as unsigned numbers; on a GPU two, of 4 or 8 bytes */
void halo_largest_cpu(struct queue *queue, const struct halo *halo, uint64_t *value, int count);
void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, size_t size);

/* What is done along with the exchange after a sweep on a GPU, in one kernel if possible */
struct halo_along {
    const struct convergence_gate *gate; /* if closed, which holds on all ranks alike, nothing is done;
                                            NULL = always open */
    uint64_t *largest;                   /* [2] <- the maxima over all ranks; NULL: not needed */
    bool rounds;                         /* also set x32 of the own rows to x rounded */
};

void halo_exchange_along_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32,
                              const struct halo_along *along);

/* Whether the last kernel queued on a GPU belongs to an exchange: when it lets the next one start, all
 * kernels before it are complete */
bool halo_is_last(struct queue *queue);

#endif
