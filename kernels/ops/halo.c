/* halo.c: ghosts on the CPU. */
#include "kernels/ops/halo.h"

#include "kernels/base/clock.h"

enum status halo_open_cpu(struct queue *queue, struct halo *halo, double *x, struct error *error)
{
    (void)error;
    halo_exchange_cpu(queue, halo, x, NULL); /* the first call creates the links */
    return STATUS_OK;
}

void halo_close_cpu(struct queue *queue, struct halo *halo)
{
    (void)queue, (void)halo;
}

void halo_exchange_cpu(struct queue *queue, const struct halo *halo, double *x, float *x32)
{
    (void)queue;
    if (!halo)
        return;
    double began = clock_seconds();
    for (int64_t k = 0; k < halo->border; k++)
        halo->out[k] = x[halo->row[k]];
    halo->comm->engine->exchange(halo->comm, halo->link, halo->links, halo->out, x + halo->rows);
    for (int64_t k = halo->rows; x32 && k < halo->rows + halo->ghosts; k++)
        x32[k] = (float)x[k];
    *halo->seconds += clock_seconds() - began;
}

void halo_largest_cpu(struct queue *queue, const struct halo *halo, uint64_t *value, int count)
{
    (void)queue;
    if (!halo)
        return;
    double began = clock_seconds();
    halo->comm->engine->largest(halo->comm, COMM_STEPS, value, count);
    *halo->seconds += clock_seconds() - began;
}
