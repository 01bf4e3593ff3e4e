/* device.h: open the queue of a device that a config names. */
#ifndef CARDIAC_APP_RUN_DEVICE_H
#define CARDIAC_APP_RUN_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "kernels/device/comm.h"
#include "kernels/device/queue.h"

/* name: "auto", "cpu", "cuda", "cuda:1" or one table's own name ("cpu-avx2"); threads: of the CPU, 0 = as
 * many as there are cores for it (the set-up uses them on every backend). Errors: STATUS_INPUT when there is
 * no such device. */
enum status device_open(const char *name, int threads, struct queue **queue, struct error *error);

/* The same by all ranks of a run together: on GPUs each takes one of its machine's, in order. Errors:
 * STATUS_INPUT when these are too few, or the name is that of one. */
enum status device_open_rank(const char *name, int threads, struct comm *comm, struct queue **queue,
                             struct error *error);

/* A GPU whose context the driver creates, in 0.3 s or more, while the mesh is read. */
struct device_waking {
    const char *name; /* as above */
    pthread_t thread;
    bool running;
};

/* Begins, unless the name is that of a CPU; failures are reported when the device is opened. */
void device_wake(struct device_waking *waking, const char *name);
/* Waits until that has ended, if it began. */
void device_awake(struct device_waking *waking);

#endif
