/* cpu.h: the CPU's queue: work is done by several threads before each call returns. */
#ifndef CARDIAC_KERNELS_DEVICE_CPU_H
#define CARDIAC_KERNELS_DEVICE_CPU_H

#include "kernels/base/error.h"

struct queue;

/* threads = 0: as many as the machine has. Errors: STATUS_INPUT if negative, STATUS_RUN if out of memory. */
enum status cpu_queue_new(struct queue **queue, int threads, struct error *error);
void cpu_queue_free(struct queue *queue); /* NULL is accepted */

void cpu_event_record(struct queue *queue, int k);
double cpu_event_elapsed(struct queue *queue, int k);

int cpu_threads(const struct queue *queue);
/* Sets the number of threads, at least 1, of later calls. It changes no bit. */
void cpu_set_threads(struct queue *queue, int threads);

#endif
