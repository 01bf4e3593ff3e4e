/* program.h: a step of the time loop, as a backend may record it once and replay it.
 *
 * place() puts the work of one step on the queue; it waits for nothing and reads nothing that the device
 * computes, so what it places depends on the caller's own state alone, and shape() is a number for that
 * state: equal shapes place equal work, now and in every following step. After `period` steps a shape comes
 * back, at the latest when `period` steps have been placed. On the GPU runs of steps become CUDA graphs, kept
 * under their shape; skip() then brings the caller's state to where place() would have brought it. */
#ifndef CARDIAC_KERNELS_OPS_PROGRAM_H
#define CARDIAC_KERNELS_OPS_PROGRAM_H

#include <stdint.h>

#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"

struct program {
    void (*place)(void *argument);
    void (*skip)(void *argument, int64_t steps);
    int (*shape)(
        const void *argument); /* >= 0; negative: the step waits for the host, it cannot be recorded */
    int period;
    void *argument;
    struct recording *recording; /* the backend's, NULL at first */
};

/* `steps` runs of place(), until control says that something failed. */
enum status program_run_cpu(struct queue *queue, struct control *control, int64_t steps,
                            struct program *program, struct error *error);
void program_forget_cpu(struct queue *queue, struct program *program);
enum status program_run_cuda(struct queue *queue, struct control *control, int64_t steps,
                             struct program *program, struct error *error);
void program_forget_cuda(struct queue *queue, struct program *program);

#endif
