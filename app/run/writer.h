/* writer.h: a thread that does queued works in order while its owner goes on.
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
typedef enum status writer_work(void *argument, struct error *error);

/* rest, if not NULL, is done some four times a second while nothing else is to do; its failure is one of what
 * was put. */
enum status writer_start(struct writer **out, writer_work *rest, void *argument, struct error *error);
/* This is done, with the argument of `rest`, in place of each work that is left out because one before it has
 * failed, whose error it is given: so ranks that do the same works together never wait for each other. */
void writer_left_out(struct writer *writer, writer_work *instead);
/* Does what is still queued and ends. NULL is accepted. */
void writer_stop(struct writer *writer);

/* Waits until less than WRITER_QUEUE works are unfinished; returns the number of a place that none of them
 * has, 0 .. WRITER_QUEUE - 1: that of the work that is put next. */
int writer_place(struct writer *writer);
/* Hands work over; argument lives until it is done. Once a work has failed, those behind it are left out, and
 * its status and text are returned, by this put or a later one. */
enum status writer_put(struct writer *writer, writer_work *work, void *argument, struct error *error);
/* The number of works put so far; and a wait until that many are done or left out. */
int64_t writer_works(struct writer *writer);
void writer_wait(struct writer *writer, int64_t works);
/* Waits until nothing is left to do; returns the first failure of what was put. */
enum status writer_drain(struct writer *writer, struct error *error);
/* Has the thread do this work behind all others, whether they failed or not, waits for it and returns what it
 * returned. */
enum status writer_call(struct writer *writer, writer_work *work, void *argument, struct error *error);

/* Seconds that writer_place and writer_wait have waited */
double writer_waited(const struct writer *writer);

#endif
