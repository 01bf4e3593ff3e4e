/* log.c: pass the log of a simulation to its caller, line by line. */
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "kernels/base/array.h"

/* Adds a line, in the simulation's thread; drops it if out of memory. */
void handle_log_add(void *argument, const char *line)
{
    struct handle_log *log = argument;
    char *copy = strdup(line);
    pthread_mutex_lock(&log->lock);
    if (copy && !array_grow((void **)&log->text, &log->room, log->lines, sizeof *log->text, "the log", NULL))
        log->text[log->lines++] = copy;
    else
        free(copy);
    pthread_mutex_unlock(&log->lock);
}

/* The next line for the caller, which frees it; NULL = none, and this thread is no longer the one that passes them on */
static char *take_line(struct handle_log *log, void (**line)(void *argument, const char *text),
                       void **argument)
{
    char *next = NULL;
    pthread_mutex_lock(&log->lock);
    while (!next && log->line && log->reported < log->lines)
        next = strdup(log->text[log->reported++]);
    *line = log->line;
    *argument = log->argument;
    log->reporting = next != NULL;
    pthread_mutex_unlock(&log->lock);
    return next;
}

void handle_log_report(struct handle_log *log)
{
    void (*line)(void *argument, const char *text);
    void *argument;
    pthread_mutex_lock(&log->lock);
    const bool other = log->reporting;
    log->reporting = true;
    pthread_mutex_unlock(&log->lock);
    for (char *next; !other && (next = take_line(log, &line, &argument)); free(next))
        line(argument, next);
}

void handle_log_clear(struct handle_log *log)
{
    pthread_mutex_lock(&log->lock);
    for (int64_t k = 0; k < log->lines; k++)
        free(log->text[k]);
    log->lines = log->reported = 0;
    pthread_mutex_unlock(&log->lock);
}

int cardiac_log(struct cardiac *sim, void (*line)(void *argument, const char *text), void *argument)
{
    enum status status = handle_check_owner(sim);
    if (status)
        return (int)status;
    struct handle_log *log = &sim->log;
    pthread_mutex_lock(&log->lock);
    log->line = line;
    log->argument = argument;
    log->reported = 0;
    pthread_mutex_unlock(&log->lock);
    handle_log_report(log);
    return STATUS_OK;
}
