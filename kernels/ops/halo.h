/* halo.h: the rows of other ranks that own rows read, brought here.
 *
 * Behind its own rows a vector holds copies of those of other ranks (ghosts), link after link, within one in
 * ascending mesh order. A row sums as ever, one accumulator in ascending mesh order, wherever its columns
 * stand: hence the same bits whatever the ranks. */
#ifndef CARDIAC_KERNELS_OPS_HALO_H
#define CARDIAC_KERNELS_OPS_HALO_H

#include "kernels/base/error.h"
#include "kernels/device/comm.h"
#include "kernels/device/cpu.h"

struct convergence_gate;
struct halo_stores;

/* Microseconds that an exchange was measured to take, alone and with a maximum in it; 0 = not measured */
struct halo_cost {
    double alone, tested;
};

/* Where there are no other ranks there is none of it: NULL is accepted for a halo. */
struct halo {
    const struct comm *comm;
    int64_t rows;   /* own ones, padding included */
    int64_t ghosts; /* behind them */
    int links;
    struct comm_link *link; /* [links] host */
    int64_t border;         /* values that are sent */
    int32_t *row;           /* [border] device: the row of each, link after link */
    double *out;            /* [border] device */
    double *seconds;        /* [1] host: those of the calls below so far, waits included; of a CPU alone */
    struct halo_stores *stores; /* of GPUs that store into each other's memory; NULL: NCCL brings values */
    struct halo_cost by_nccl, by_stores;
};

static inline int64_t halo_ghosts(const struct halo *halo)
{
    return halo ? halo->ghosts : 0;
}

/* x[rows + ghosts]: its ghosts <- what their ranks have; x32 the same, rounded, NULL = not needed */
void halo_exchange_cpu(struct queue *queue, const struct halo *halo, double *x, float *x32);
void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32);

/* By all ranks, before the first exchange: what those take from then on, on GPUs the faster of both ways as
 * this measures it on x, whose ghosts are brought. Errors: STATUS_RUN, without memory or of the device. */
enum status halo_open_cpu(struct queue *queue, struct halo *halo, double *x, struct error *error);
enum status halo_open_cuda(struct queue *queue, struct halo *halo, double *x, struct error *error);
void halo_close_cpu(struct queue *queue, struct halo *halo);
void halo_close_cuda(struct queue *queue, struct halo *halo);

/* value[count] <- the largest of all ranks, as unsigned numbers; on a GPU two, of 4 or 8 bytes */
void halo_largest_cpu(struct queue *queue, const struct halo *halo, uint64_t *value, int count);
void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, size_t size);

/* What goes along with the exchange behind a sweep on a GPU, in one kernel where it can */
struct halo_along {
    const struct convergence_gate *gate; /* closed, on all ranks: nothing is done; NULL: there is none */
    uint64_t *largest;                   /* [2] <- the largest of all ranks; NULL: not needed */
    bool rounds;                         /* x32 of the own rows <- x rounded, too */
};

void halo_exchange_along_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32,
                              const struct halo_along *along);

/* Whether the kernel that was placed last on a GPU is one of an exchange: all that was placed before it is
 * then done when it lets the next one start */
bool halo_is_last(struct queue *queue);

#endif
