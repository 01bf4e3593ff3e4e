/* writer.c: a ring of tasks between two threads, and one task in the background. */
#include "app/run/writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/util/cores.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

struct task {
    writer_task *task;
    void *argument;
    int threads; /* number of threads of its loops, 0 = unchanged */
};

/* The task that a second thread runs while the writer continues with later ones */
struct background {
    writer_task *task, *after; /* after NULL = no background task */
    void *argument;
    int threads;
    pthread_t thread;
    bool started, ended; /* whether the thread has started; whether the task has ended */
};

struct writer {
    pthread_t thread;
    int threads;            /* number of threads of its loops, as in the owner's */
    int spare;              /* the same for tasks for which the owner does not wait; 0 = threads */
    pthread_mutex_t lock;   /* of everything below except `waited` */
    pthread_cond_t changed; /* a task was put or done, or the writer is ending */
    struct task rest;
    writer_task *instead; /* of skipped tasks; NULL = nothing */
    struct task ring[WRITER_QUEUE];
    int64_t put, done; /* number of tasks since the start */
    struct background background;
    bool ending;
    enum status status; /* of the first task that failed */
    struct error failure;
    double waited; /* seconds; used by the owner only */
};

/* Runs a task with the lock released. */
static enum status do_unlocked(struct writer *writer, writer_task *task, void *argument, struct error *error)
{
    if (!task)
        return STATUS_OK;
    pthread_mutex_unlock(&writer->lock);
    enum status status = task(argument, error);
    pthread_mutex_lock(&writer->lock);
    return status;
}

static void do_task(struct writer *writer, const struct task *task)
{
    struct error error = {0};
    if (writer->status) {
        error = writer->failure;
        if (task != &writer->rest)
            do_unlocked(writer, writer->instead, writer->rest.argument, &error);
        return;
    }
    if (task->threads)
        omp_set_num_threads(task->threads);
    writer->status = do_unlocked(writer, task->task, task->argument, &error);
    if (writer->status)
        writer->failure = error;
}

static void *do_background(void *argument)
{
    struct writer *writer = argument;
    struct error error = {0};
    omp_set_num_threads(writer->background.threads);
    writer->background.task(writer->background.argument, &error);
    pthread_mutex_lock(&writer->lock);
    writer->background.ended = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

void writer_background(struct writer *writer, writer_task *background, writer_task *after, void *argument)
{
    struct error error = {0};
    pthread_mutex_lock(&writer->lock);
    assert(!writer->background.after);
    const int spare = writer->spare ? writer->spare : writer->threads;
    writer->background = (struct background){
        .task = background, .after = after, .argument = argument, .threads = 1 + (spare - 1) / 4};
    writer->background.started = pthread_create(&writer->background.thread, NULL, do_background, writer) == 0;
    if (!writer->background.started) {
        do_unlocked(writer, background, argument, &error);
        writer->background.ended = true;
    }
    pthread_mutex_unlock(&writer->lock);
}

/* After the background task: joins its thread, and calls `after` */
static void do_after(struct writer *writer)
{
    struct error error = {0};
    if (writer->background.started)
        pthread_join(writer->background.thread, NULL);
    writer->background.ended = false;
    const enum status status =
        do_unlocked(writer, writer->background.after, writer->background.argument, &error);
    if (status && !writer->status) {
        writer->status = status;
        writer->failure = error;
    }
    writer->background.after = NULL;
    pthread_cond_broadcast(&writer->changed);
}

/* Whether the writer has nothing to do for now */
static bool is_idle(const struct writer *writer)
{
    const bool ending = writer->ending && !writer->background.after;
    return writer->done == writer->put && !writer->background.ended && !ending;
}

static struct timespec deadline(double seconds)
{
    double t = clock_seconds() + seconds;
    return (struct timespec){(time_t)t, (long)(1e9 * (t - floor(t)))};
}

static void *do_tasks(void *argument)
{
    struct writer *writer = argument;
    cores_limit(writer->threads);
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (is_idle(writer)) {
            struct timespec until = deadline(0.25);
            if (pthread_cond_timedwait(&writer->changed, &writer->lock, &until) == ETIMEDOUT)
                do_task(writer, &writer->rest);
        }
        if (writer->background.ended) {
            do_after(writer);
            continue;
        }
        if (writer->done == writer->put)
            break;
        struct task task = writer->ring[writer->done % WRITER_QUEUE];
        do_task(writer, &task);
        writer->done++;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

void writer_spare(struct writer *writer, int threads)
{
    pthread_mutex_lock(&writer->lock);
    writer->spare = writer->rest.threads = threads;
    pthread_mutex_unlock(&writer->lock);
}

void writer_left_out(struct writer *writer, writer_task *instead)
{
    pthread_mutex_lock(&writer->lock);
    writer->instead = instead;
    pthread_mutex_unlock(&writer->lock);
}

enum status writer_start(struct writer **out, writer_task *rest, void *argument, struct error *error)
{
    enum status status = STATUS_OK;
    struct writer *writer = array_zeroed(1, sizeof *writer, "the writer", &status, error);
    *out = NULL;
    if (status)
        return status;
    writer->rest = (struct task){rest, argument, 0};
    writer->threads = omp_get_max_threads();
    pthread_condattr_t clock;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->changed, &clock);
    pthread_condattr_destroy(&clock);
    int failed = pthread_create(&writer->thread, NULL, do_tasks, writer);
    if (failed) {
        pthread_cond_destroy(&writer->changed);
        pthread_mutex_destroy(&writer->lock);
        free(writer);
        return error_set(error, STATUS_RUN, "cannot start the thread that writes results: %s",
                         strerror(failed));
    }
    *out = writer;
    return STATUS_OK;
}

void writer_stop(struct writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->ending = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

/* Waits until `tasks` tasks are done; all: also for the background task */
static void wait_for(struct writer *writer, int64_t tasks, bool all)
{
    if (writer->done >= tasks && !(all && writer->background.after))
        return;
    double began = clock_seconds();
    while (writer->done < tasks || (all && writer->background.after))
        pthread_cond_wait(&writer->changed, &writer->lock);
    writer->waited += clock_seconds() - began;
}

int64_t writer_tasks(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    int64_t tasks = writer->put;
    pthread_mutex_unlock(&writer->lock);
    return tasks;
}

void writer_wait(struct writer *writer, int64_t tasks)
{
    pthread_mutex_lock(&writer->lock);
    wait_for(writer, tasks, false);
    pthread_mutex_unlock(&writer->lock);
}

void writer_wait_all(struct writer *writer, int64_t tasks)
{
    pthread_mutex_lock(&writer->lock);
    wait_for(writer, tasks, true);
    pthread_mutex_unlock(&writer->lock);
}

int writer_index(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    wait_for(writer, writer->put - WRITER_QUEUE + 1, false);
    int index = (int)(writer->put % WRITER_QUEUE);
    pthread_mutex_unlock(&writer->lock);
    return index;
}

/* Queues a task. waits: the owner waits for it, so that all threads are free */
static enum status put_task(struct writer *writer, writer_task *task, void *argument, bool waits,
                            struct error *error)
{
    int index = writer_index(writer);
    pthread_mutex_lock(&writer->lock);
    writer->ring[index] =
        (struct task){task, argument, waits && writer->spare ? writer->threads : writer->spare};
    writer->put++;
    enum status status = writer->status;
    if (status && error)
        *error = writer->failure;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

enum status writer_put(struct writer *writer, writer_task *task, void *argument, struct error *error)
{
    return put_task(writer, task, argument, false, error);
}

/* Waits a moment, and calls `look` with the lock released. */
static void wait_looking(struct writer *writer, void (*look)(void *argument), void *argument)
{
    const double pause = 0.1; /* seconds */
    struct timespec until = deadline(pause);
    if (pthread_cond_timedwait(&writer->changed, &writer->lock, &until) != ETIMEDOUT)
        return;
    pthread_mutex_unlock(&writer->lock);
    look(argument);
    pthread_mutex_lock(&writer->lock);
}

/* writer_drain(), calling `look` meanwhile unless NULL */
static enum status drain_looking(struct writer *writer, void (*look)(void *argument), void *argument,
                                 struct error *error)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->done < writer->put || writer->background.after)
        if (look)
            wait_looking(writer, look, argument);
        else
            pthread_cond_wait(&writer->changed, &writer->lock);
    enum status status = writer->status;
    if (status && error)
        *error = writer->failure;
    pthread_mutex_unlock(&writer->lock);
    return status;
}

enum status writer_drain(struct writer *writer, struct error *error)
{
    return drain_looking(writer, NULL, NULL, error);
}

enum status writer_call(struct writer *writer, writer_task *task, void *argument, struct error *error)
{
    return writer_call_looking(writer, task, argument, NULL, error);
}

enum status writer_call_looking(struct writer *writer, writer_task *task, void *argument,
                                void (*look)(void *argument), struct error *error)
{
    struct error before, after;
    enum status failed = writer_drain(writer, &before);
    pthread_mutex_lock(&writer->lock);
    writer->status = STATUS_OK; /* so that this task runs even after a failure */
    pthread_mutex_unlock(&writer->lock);
    put_task(writer, task, argument, true, NULL);
    enum status status = drain_looking(writer, look, argument, &after);
    pthread_mutex_lock(&writer->lock);
    writer->status = failed;
    if (failed)
        writer->failure = before;
    pthread_mutex_unlock(&writer->lock);
    if (status && error)
        *error = after;
    return status;
}

double writer_waited(const struct writer *writer)
{
    return writer->waited;
}
