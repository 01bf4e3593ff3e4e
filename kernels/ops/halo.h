/* halo.h: exchange of the rows of other ranks that a rank's own rows read.
 *
 * After its own rows a vector holds copies of rows of other ranks (ghosts), link after link, in ascending
 * mesh order within a link. A row's sum has one accumulator and ascending mesh order, wherever its columns
 * are stored: hence the same bits on any number of ranks. */
#ifndef CARDIAC_KERNELS_OPS_HALO_H
#define CARDIAC_KERNELS_OPS_HALO_H

#include "kernels/base/error.h"
#include "kernels/device/comm.h"
#include "kernels/device/cpu.h"

struct convergence_gate;
struct halo_stores;

/* Measured microseconds of an exchange, alone and with a maximum; 0 = not measured */
struct halo_cost {
    double alone, tested;
};

/* NULL is accepted for a halo: there are no other ranks. */
struct halo {
    const struct comm *comm;
    int64_t rows;   /* own ones, padding included */
    int64_t ghosts; /* behind them */
    int links;
    struct comm_link *link;     /* [links] host */
    int64_t border;             /* values that are sent */
    int32_t *row;               /* [border] device: the row of each, link after link */
    double *out;                /* [border] device */
    double *seconds;            /* [1] host: spent in the calls below so far, waits included; CPU only */
    struct halo_stores *stores; /* of GPUs that store into each other's memory; NULL: by NCCL */
    struct halo_cost by_nccl, by_stores;
};

static inline int64_t halo_ghosts(const struct halo *halo)
{
    return halo ? halo->ghosts : 0;
}

/* x[rows + ghosts]: its ghosts <- what their ranks have; x32 the same, rounded, NULL = not needed */
void halo_exchange_cpu(struct queue *queue, const struct halo *halo, double *x, float *x32);
void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32);

/* By all ranks, before the first exchange: chooses how values travel, on GPUs the faster of both ways,
 * measured on x, whose ghosts are filled. Errors: STATUS_RUN, without memory or of the device. */
enum status halo_open_cpu(struct queue *queue, struct halo *halo, double *x, struct error *error);
enum status halo_open_cuda(struct queue *queue, struct halo *halo, double *x, struct error *error);
void halo_close_cpu(struct queue *queue, struct halo *halo);
void halo_close_cuda(struct queue *queue, struct halo *halo);

/* value[count] <- the largest of all ranks, as unsigned numbers; on a GPU two, of 4 or 8 bytes */
void halo_largest_cpu(struct queue *queue, const struct halo *halo, uint64_t *value, int count);
void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, size_t size);

/* What is done together with the exchange after a sweep on a GPU, in one kernel if possible */
struct halo_along {
    const struct convergence_gate *gate; /* if closed, on all ranks, nothing is done; NULL = always open */
    uint64_t *largest;                   /* [2] <- the largest of all ranks; NULL: not needed */
    bool rounds;                         /* also x32 of the own rows <- x rounded */
};

void halo_exchange_along_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32,
                              const struct halo_along *along);

/* Whether the last kernel queued on a GPU belongs to an exchange: all kernels before it are complete when it
 * lets the next one start */
bool halo_is_last(struct queue *queue);

#endif
