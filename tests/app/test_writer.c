/* test_writer.c: works are done in order by one other thread, never more than WRITER_QUEUE unfinished; behind
 * a failure nothing is done but what is called for; waiting is counted; tasks next to the owner use its spare threads;
 * a background task ends while later tasks are done, and whoever waits for all waits for it. */
#include "app/run/writer.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "kernels/base/clock.h"
#include "tests/support/check.h"

enum { WORKS = 37 };

struct job {
    int number;
    double pause; /* seconds */
    bool fails;
};

static atomic_int done[WORKS + 10], count;
static atomic_bool full;
static pthread_t by[WORKS + 10];

static void pause_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

static enum status task(void *argument, struct error *error)
{
    const struct job *job = argument;
    if (job->pause > 0)
        pause_for(job->pause);
    int k = atomic_load(&count);
    by[k] = pthread_self();
    atomic_store(&done[k], job->number);
    atomic_store(&count, k + 1);
    return job->fails ? error_set(error, STATUS_RUN, "work %d failed", job->number) : STATUS_OK;
}

/* Goes on once the queue behind it is full */
static enum status slow_task(void *argument, struct error *error)
{
    while (!atomic_load(&full))
        pause_for(0.001);
    return task(argument, error);
}

static void test_order(void)
{
    struct error error = {0};
    struct writer *writer;
    struct job job[WORKS];
    CHECK_OK(writer_start(&writer, NULL, NULL, &error), error);
    atomic_store(&count, 0);
    for (int k = 0; k < WORKS; k++) {
        CHECK(writer_index(writer) == k % WRITER_QUEUE, "work %d has the place of another", k);
        CHECK(k - atomic_load(&count) < WRITER_QUEUE, "%d unfinished works", k - atomic_load(&count));
        job[k] = (struct job){k, k % 5 == 1 ? 0.002 : 0, false};
        CHECK_OK(writer_put(writer, task, &job[k], &error), error);
    }
    CHECK_OK(writer_drain(writer, &error), error);
    CHECK(atomic_load(&count) == WORKS, "%d works were done", atomic_load(&count));
    for (int k = 0; k < WORKS; k++) {
        CHECK(atomic_load(&done[k]) == k, "work %d was done as number %d", atomic_load(&done[k]), k);
        CHECK(pthread_equal(by[k], by[0]) && !pthread_equal(by[k], pthread_self()), "thread of work %d", k);
    }
    writer_stop(writer);
}

/* What is counted of a put that finds the queue full, its first work lasting for `pause` seconds longer */
static double waited_for(double pause)
{
    struct error error = {0};
    struct writer *writer;
    struct job slow = {0, pause, false}, quick = {1, 0, false};
    CHECK_OK(writer_start(&writer, NULL, NULL, &error), error);
    atomic_store(&count, 0);
    atomic_store(&full, false);
    CHECK_OK(writer_put(writer, slow_task, &slow, &error), error);
    for (int k = 1; k < WRITER_QUEUE; k++)
        CHECK_OK(writer_put(writer, task, &quick, &error), error);
    CHECK(writer_waited(writer) == 0, "%g s without a full queue", writer_waited(writer));
    double began = clock_seconds();
    atomic_store(&full, true);
    CHECK_OK(writer_put(writer, task, &quick, &error), error);
    double waited = writer_waited(writer), most = clock_seconds() - began;
    CHECK(waited <= most, "%g s of waiting in %g s", waited, most);
    writer_stop(writer); /* what is queued is done first */
    CHECK(atomic_load(&count) == WRITER_QUEUE + 1, "%d works were done", atomic_load(&count));
    return waited;
}

/* A thread that gets no core for longer than the pause finds a queue that is full no more. */
static void test_waiting(void)
{
    double waited = 0, pause = 0.01;
    for (int round = 0; round < 9 && waited < 0.1 * pause; round++)
        waited = waited_for(pause *= 2);
    CHECK(waited >= 0.1 * pause, "waited %g s for one of %g s", waited, pause);
}

static void test_failure(void)
{
    struct error error = {0};
    struct writer *writer;
    struct job good = {1, 0, false}, bad = {2, 0, true}, last = {3, 0, false};
    CHECK_OK(writer_start(&writer, NULL, NULL, &error), error);
    atomic_store(&count, 0);
    CHECK_OK(writer_put(writer, task, &good, &error), error);
    writer_put(writer, task, &bad, NULL);
    writer_put(writer, task, &good, NULL);
    CHECK(writer_drain(writer, &error) == STATUS_RUN, "a failure went unseen");
    CHECK(strcmp(error.text, "work 2 failed") == 0, "%s", error.text);
    CHECK(atomic_load(&count) == 2, "%d works were done, want 2", atomic_load(&count));
    CHECK(writer_put(writer, task, &good, &error) == STATUS_RUN, "put behind a failure");
    CHECK_OK(writer_call(writer, task, &last, &error), error);
    CHECK(atomic_load(&count) == 3 && atomic_load(&done[2]) == 3, "a call behind a failure is not done");
    CHECK(writer_call(writer, task, &bad, &error) == STATUS_RUN, "a call does not return its status");
    CHECK(writer_drain(writer, &error) == STATUS_RUN && strcmp(error.text, "work 2 failed") == 0,
          "the first failure is forgotten: %s", error.text);
    writer_stop(writer);
    writer_stop(NULL);
}

static enum status count_threads(void *argument, struct error *error)
{
    (void)error;
    *(int *)argument = omp_get_max_threads();
    return STATUS_OK;
}

/* Loops of tasks that the owner waits for have its threads, those of the others the spare ones. */
static void test_threads(void)
{
    enum { OWN = 3, SPARE = 2 };
    struct error error = {0};
    struct writer *writer;
    int now = 0, later = 0, before = omp_get_max_threads();
    omp_set_num_threads(OWN);
    CHECK_OK(writer_start(&writer, NULL, NULL, &error), error);
    CHECK_OK(writer_put(writer, count_threads, &later, &error), error);
    CHECK_OK(writer_drain(writer, &error), error);
    CHECK(later == OWN, "%d threads", later);
    writer_spare(writer, SPARE);
    CHECK_OK(writer_put(writer, count_threads, &later, &error), error);
    CHECK_OK(writer_call(writer, count_threads, &now, &error), error);
    CHECK(later == SPARE && now == OWN, "%d threads, %d of a call", later, now);
    CHECK_OK(writer_put(writer, count_threads, &later, &error), error);
    CHECK_OK(writer_drain(writer, &error), error);
    CHECK(later == SPARE, "%d threads after a call", later);
    writer_stop(writer);
    omp_set_num_threads(before);
}

/* A background task that lasts until it is released */
struct apart {
    struct writer *writer;
    atomic_bool go;
    atomic_int backgrounds, afters;
    int threads, tasks; /* of its loops; tasks done before `after` */
    pthread_t background, after;
    bool fails;
};

static enum status go_background(void *argument, struct error *error)
{
    struct apart *apart = argument;
    (void)error;
    while (!atomic_load(&apart->go))
        pause_for(0.001);
    apart->threads = omp_get_max_threads();
    apart->background = pthread_self();
    atomic_fetch_add(&apart->backgrounds, 1);
    return STATUS_OK;
}

static enum status end_background(void *argument, struct error *error)
{
    struct apart *apart = argument;
    apart->tasks = atomic_load(&count);
    apart->after = pthread_self();
    atomic_fetch_add(&apart->afters, 1);
    return apart->fails ? error_set(error, STATUS_RUN, "the end failed") : STATUS_OK;
}

static enum status leave_background(void *argument, struct error *error)
{
    struct apart *apart = argument;
    (void)error;
    writer_background(apart->writer, go_background, end_background, apart);
    return STATUS_OK;
}

/* how: 0 = it ends well, 1 = its end fails, 2 = a later task fails, 3 = nobody waits but the writer's end */
static void test_background(int how)
{
    struct error error = {0};
    struct apart apart = {.fails = how == 1};
    struct job later[3] = {{1, 0, false}, {2, 0, how == 2}, {3, 0, false}};
    CHECK_OK(writer_start(&apart.writer, NULL, NULL, &error), error);
    atomic_store(&count, 0);
    writer_spare(apart.writer, 9);
    CHECK_OK(writer_put(apart.writer, leave_background, &apart, &error), error);
    for (int k = 0; k < 3; k++)
        writer_put(apart.writer, task, &later[k], NULL);
    writer_wait(apart.writer, writer_tasks(apart.writer)); /* not for the background task */
    CHECK(atomic_load(&count) == (how == 2 ? 2 : 3) && atomic_load(&apart.afters) == 0,
          "%d tasks during a background task, %d ends", atomic_load(&count), atomic_load(&apart.afters));
    atomic_store(&apart.go, true);
    if (how < 2)
        writer_wait_all(apart.writer, 0);
    if (how < 3)
        CHECK(writer_drain(apart.writer, &error) == (how ? STATUS_RUN : STATUS_OK), "how %d", how);
    CHECK(how == 3 || atomic_load(&apart.afters) == 1, "how %d: %d ends", how, atomic_load(&apart.afters));
    CHECK(how != 1 || strcmp(error.text, "the end failed") == 0, "%s", error.text);
    CHECK(how != 2 || strcmp(error.text, "work 2 failed") == 0, "%s", error.text);
    writer_stop(apart.writer);
    CHECK(atomic_load(&apart.backgrounds) == 1 && atomic_load(&apart.afters) == 1, "it was not ended");
    CHECK(apart.threads == 3, "%d threads of 9 spare ones", apart.threads);
    CHECK(apart.tasks == (how == 2 ? 2 : 3) && pthread_equal(apart.after, by[0]) &&
              !pthread_equal(apart.background, by[0]),
          "how %d: its threads", how);
}

int main(void)
{
    for (int how = 0; how < 4; how++)
        test_background(how);
    test_threads();
    test_order();
    test_waiting();
    test_failure();
    printf("test_writer: passed\n");
    return 0;
}
