/* exchange_buffer.h: memory on each rank's GPU into which the GPUs of the other ranks write, if all ranks
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
    int ranks; /* 0 = no buffer */
};

/* Called by all ranks. Returns false on all of them if one cannot allocate or map this memory; nothing is
 * left allocated then. */
bool exchange_buffer_open_cuda(struct queue *queue, const struct comm *comm, size_t bytes,
                               struct exchange_buffer *buffer);
/* Called by all ranks; waits for them. */
void exchange_buffer_close_cuda(struct queue *queue, const struct comm *comm, struct exchange_buffer *buffer);

#endif
