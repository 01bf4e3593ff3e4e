/* halo.h: the rows of other ranks that own rows read, brought here.
 *
 * Behind its own rows a vector holds copies of those of other ranks (ghosts), link after link, within one in
 * ascending mesh order. A row sums as ever, one accumulator in ascending mesh order, wherever its columns
 * stand: hence the same bits whatever the ranks. */
#ifndef CARDIAC_KERNELS_OPS_HALO_H
#define CARDIAC_KERNELS_OPS_HALO_H

#include "kernels/device/comm.h"
#include "kernels/device/cpu.h"

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
};

static inline int64_t halo_ghosts(const struct halo *halo)
{
    return halo ? halo->ghosts : 0;
}

/* x[rows + ghosts]: its ghosts <- what their ranks have; x32 the same, rounded, NULL = not wanted */
void halo_exchange_cpu(struct queue *queue, const struct halo *halo, double *x, float *x32);
void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32);

/* value[count] <- the largest of all ranks, as unsigned numbers, on a GPU of so many bytes each, 4 or 8 */
void halo_largest_cpu(struct queue *queue, const struct halo *halo, uint64_t *value, int count);
void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, int count, size_t size);

#endif
