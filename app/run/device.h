/* device.h: open the device that a config names. */
#ifndef CARDIAC_APP_RUN_DEVICE_H
#define CARDIAC_APP_RUN_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "kernels/device/comm.h"
#include "kernels/device/queue.h"

/* *queue <- a queue of the device. name: "auto", "cpu", "cuda", "cuda:1" or the name of a backend ("cpu-avx2").
 * threads: of the CPU (the set-up uses them with every backend), 0 = one for each available core. Errors: STATUS_INPUT
 * if there is no such device. */
enum status device_open(const char *name, int threads, struct queue **queue, struct error *error);

/* The same, collective over the ranks of a run: with GPUs each rank takes the GPU of its local rank on its host.
 * Errors: STATUS_INPUT if there are too few GPUs, or the name denotes a single one. */
enum status device_open_rank(const char *name, int threads, struct comm *comm, struct queue **queue,
                             struct error *error);

/* Creates the GPU's context (0.3 s or more) in a thread, while the mesh is read. */
struct device_waking {
    const char *name; /* as above */
    pthread_t thread;
    bool running;
};

/* Starts that thread unless the name denotes a CPU; failures are reported when the device is opened. */
void device_wake(struct device_waking *waking, const char *name);
/* Waits for the thread, if it was started. */
void device_awake(struct device_waking *waking);

#endif
