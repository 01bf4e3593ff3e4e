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
    char **of; /* [ranks] the address of each rank's buffer in this process, its own included */
    int ranks; /* 0 = there is no buffer */
};

/* By all ranks. False, on all of them, if one cannot allocate or address such memory; nothing is left
 * allocated then. */
bool exchange_buffer_open_cuda(struct queue *queue, const struct comm *comm, size_t bytes,
                               struct exchange_buffer *buffer);
/* By all ranks: it waits for them. */
void exchange_buffer_close_cuda(struct queue *queue, const struct comm *comm, struct exchange_buffer *buffer);

#endif
