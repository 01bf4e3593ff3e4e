/* watch.c: a thread that prints when nothing else was printed for a while. */
#include "app/util/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/util/text_media.h"
#include "kernels/base/clock.h"

enum { NAME = 40, TEXT = 240 };

struct watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double silence, printed, since; /* seconds; clock times of the last line and of the start of this work */
    char name[NAME], doing[TEXT];
    bool ending;
};

static _Thread_local struct watch *own;

static void print(const struct watch *watch, double now)
{
    char line[NAME + TEXT + 40];
    if (now - watch->since < watch->silence || !(watch->silence > 0))
        snprintf(line, sizeof line, "%s%s", watch->name, watch->doing);
    else
        snprintf(line, sizeof line, "%s%s (%.0f s)", watch->name, watch->doing, now - watch->since);
    text_media_line(stderr, "cardiac: ", line);
}

static void *wait(void *argument)
{
    struct watch *watch = argument;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ending) {
        const double due = watch->printed + watch->silence, now = clock_seconds();
        if (now >= due) {
            print(watch, now);
            watch->printed = now;
            continue;
        }
        const struct timespec until = {(time_t)due, (long)(1e9 * (due - (double)(time_t)due))};
        pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

void watch_begin(double silence)
{
    struct watch *watch = calloc(1, sizeof *watch);
    pthread_condattr_t clock;
    sigset_t all, before;
    if (!watch)
        return;
    *watch = (struct watch){.silence = silence, .printed = clock_seconds(), .doing = "setting up"};
    watch->since = watch->printed;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* other threads handle the signals */
    if (silence > 0 && pthread_create(&watch->thread, NULL, wait, watch)) {
        free(watch);
        watch = NULL;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    own = watch;
}

void watch_end(void)
{
    struct watch *watch = own;
    if (!watch)
        return;
    own = NULL;
    pthread_mutex_lock(&watch->lock);
    watch->ending = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    if (watch->silence > 0)
        pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void watch_now(const char *format, ...)
{
    va_list arguments;
    if (!own)
        return;
    pthread_mutex_lock(&own->lock);
    va_start(arguments, format);
    vsnprintf(own->doing, sizeof own->doing, format, arguments);
    va_end(arguments);
    own->since = clock_seconds();
    if (!(own->silence > 0))
        print(own, own->since);
    pthread_mutex_unlock(&own->lock);
}

void watch_name(const char *format, ...)
{
    va_list arguments;
    if (!own)
        return;
    pthread_mutex_lock(&own->lock);
    va_start(arguments, format);
    vsnprintf(own->name, sizeof own->name, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&own->lock);
}

void watch_printed(void)
{
    if (!own)
        return;
    pthread_mutex_lock(&own->lock);
    own->printed = clock_seconds();
    pthread_mutex_unlock(&own->lock);
}
