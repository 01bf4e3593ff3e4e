/* writer.h: a thread that executes queued tasks in order while its owner goes on.
 *
 * In a run it makes every call of HDF5 from the moment it starts, so that frames are un-permuted, converted,
 * compressed and written while the next steps are computed. Its queue is short: when it is full, its owner
 * waits, and the seconds are counted. */
#ifndef CARDIAC_APP_RUN_WRITER_H
#define CARDIAC_APP_RUN_WRITER_H

#include <stdint.h>

#include "kernels/base/error.h"

enum { WRITER_QUEUE = 32 };

struct writer;
typedef enum status writer_task(void *argument, struct error *error);

/* Starts the thread. rest, if not NULL, is called about four times a second while the queue is empty; its failure
 * counts as that of a task. */
enum status writer_start(struct writer **out, writer_task *rest, void *argument, struct error *error);
/* `instead` is called, with the argument of `rest` and the error of the failure, for each task that is skipped after a
 * failure, so that no rank waits for another in a collective task. */
void writer_left_out(struct writer *writer, writer_task *instead);
/* Sets the number of threads for the loops of queued tasks. Without this call, and in tasks for which the owner waits,
 * it is the owner's number. It changes no bit. */
void writer_spare(struct writer *writer, int threads);
/* Finishes the queue and ends the thread. NULL is accepted. */
void writer_stop(struct writer *writer);

/* Waits until fewer than WRITER_QUEUE tasks are unfinished; returns the queue index that the next task will have, which
 * no unfinished task uses. */
int writer_index(struct writer *writer);
/* Queues a task; argument must outlive it. After a failure later tasks are skipped, and this put or a later
 * one returns its status and text. */
enum status writer_put(struct writer *writer, writer_task *task, void *argument, struct error *error);
/* Called by a task: a second thread runs `background`, which must not call HDF5, while the writer continues with later
 * tasks. The writer's thread then always runs `after`, between two tasks. `background` uses about a quarter of the
 * spare threads, and leaves its failure to `after`, whose failure counts as that of a task. One at a time. */
void writer_background(struct writer *writer, writer_task *background, writer_task *after, void *argument);

/* The number of tasks put so far; a wait until that many are done or skipped; and the same with the background
 * task. */
int64_t writer_tasks(struct writer *writer);
void writer_wait(struct writer *writer, int64_t tasks);
void writer_wait_all(struct writer *writer, int64_t tasks);
/* Waits until the queue is empty and no background task runs; returns the first failure. */
enum status writer_drain(struct writer *writer, struct error *error);
/* Runs a task on the thread after all others, even if they failed, waits for it and returns its status. */
enum status writer_call(struct writer *writer, writer_task *task, void *argument, struct error *error);
/* The same; while it waits, the owner calls `look` about ten times a second. */
enum status writer_call_looking(struct writer *writer, writer_task *task, void *argument,
                                void (*look)(void *argument), struct error *error);

/* Seconds that writer_index, writer_wait and writer_wait_all have waited */
double writer_waited(const struct writer *writer);

#endif
