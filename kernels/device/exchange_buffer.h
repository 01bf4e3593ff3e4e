/* exchange_buffer.h: memory of each rank's GPU into which the GPUs of the other ranks write, where all ranks
 * run on one machine. */
#ifndef CARDIAC_KERNELS_DEVICE_EXCHANGE_BUFFER_H
#define CARDIAC_KERNELS_DEVICE_EXCHANGE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/device/comm.h"

struct queue;

struct exchange_buffer {
    char *own; /* device, zeroed */
    char **of; /* [ranks] each rank's, as it is seen from here; its own among them */
    int ranks; /* 0: there is none */
};

/* By all ranks. False, on all of them, where one cannot give or reach such memory; nothing is left then. */
bool exchange_buffer_open_cuda(struct queue *queue, const struct comm *comm, size_t bytes,
                               struct exchange_buffer *buffer);
/* By all ranks, or by none: it waits for them. */
void exchange_buffer_close_cuda(struct queue *queue, const struct comm *comm, struct exchange_buffer *buffer);

#endif
