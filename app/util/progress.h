/* progress.h: the log of a run and its messages on the terminal.
 *
 * On a terminal one line is rewritten in place a few times a second; elsewhere a plain line is printed occasionally.
 * run.log gets every message and an occasional progress line, without control characters. For programs (PROGRESS_JSON)
 * standard output gets a line of JSON each second and nothing else. If the log cannot be written, a warning is printed
 * on standard error, once and at the end; a closed terminal is ignored. */
#ifndef CARDIAC_APP_UTIL_PROGRESS_H
#define CARDIAC_APP_UTIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/base/printed.h"

struct progress;

/* What is printed on standard output: text, nothing, or JSON */
enum progress_form { PROGRESS_WORDS, PROGRESS_QUIET, PROGRESS_JSON };

/* log_path NULL = no log; append: to the log of an earlier run. Errors: STATUS_RUN if the log cannot be created. */
enum status progress_open(struct progress **out, const char *log_path, bool append, enum progress_form form,
                          struct error *error);
void progress_close(struct progress *progress); /* NULL is accepted */
/* From now on prints no warnings on standard error either, since another rank prints them. */
void progress_mute(struct progress *progress);
/* Writes the log to the disk (fsync); any one thread may call it. */
void progress_sync(struct progress *progress);

/* Writes a line (or several) to the log and the terminal. */
void progress_print(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes lines to the log and, if `terminal`, to the terminal; closes and frees them. Errors: STATUS_RUN if out of
 * memory. */
enum status progress_print_lines(struct progress *progress, struct printed *lines, bool terminal,
                                 struct error *error);
/* Writes a line to the log only. */
void progress_log(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes "warning: ..." to the log and, even if quiet, to standard error. */
void progress_warn(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the time since progress_open or the previous call to the stage `what`, a text that must live as long as
 * progress. progress NULL is accepted. */
void progress_mark(struct progress *progress, const char *what);
/* Adds the time since the previous progress_part or progress_mark to the part `what` of the current, last stage. */
void progress_part(struct progress *progress, const char *what);
/* Like progress_mark, and prints "fibres: 12.3 s" if that time is a second or more. */
void progress_stage(struct progress *progress, const char *what);
/* Moves seconds that one stage waited to another stage. */
void progress_move(struct progress *progress, const char *from, const char *to, double seconds);
/* The first stage, "start", began at this time of clock_seconds and ends now. */
void progress_begin(struct progress *progress, double began);
/* Prints "wall: 38.1 s = start 0.9 + mesh 3.8 + .. + rest 0.2": the time of all stages; those below 1 % of it
 * are in the rest. With `parts` a second line has those of the last stage. */
void progress_print_wall(struct progress *progress, bool parts);
/* Stage k, or part k of the last one, and its seconds, in the order of their first ends; false = there are no more */
bool progress_span(const struct progress *progress, bool parts, int k, const char **what, double *seconds);

/* From now on calls `listen` with each line of the log, in the thread that prints it. */
typedef void progress_listener(void *argument, const char *line);
void progress_listen(struct progress *progress, progress_listener *listen, void *argument);

/* The text of warning k; NULL = there are no more so far */
const char *progress_warning(const struct progress *progress, int k);
/* All lines of the log so far, except those of progress_step and progress_end */
const char *progress_lines(struct progress *progress);

/* The clock of the time loop starts: at `time` ms and step `step` of a run to `end` ms. */
void progress_start(struct progress *progress, double time, double end, int64_t step);
/* Reports that the run has reached `time` and `step`; cheap, called after every few steps. */
void progress_step(struct progress *progress, double time, int64_t step);
/* Prints the last progress line, regardless of the time since the previous one. */
void progress_end(struct progress *progress, double time, int64_t step);

/* A simulation time for a sentence, to 0.01 ms: "12.5" */
struct time_text {
    char text[32];
};
struct time_text time_text(double ms);
/* text <- "1:02:03" or "2:03" */
void progress_duration(char *text, size_t room, double seconds);
/* text <- "12.5 of 60 ms (20.8 %), 0.52 ms/step, 0.038 x real time, 1:31 left"; elapsed: seconds for the `steps` steps
 * since start_time. */
void progress_text(char *text, int room, double time, double end, int64_t steps, double start_time,
                   double elapsed);

#endif
