/* progress.h: the log of a run and its messages on the terminal.
 *
 * On a terminal one line is rewritten in place a few times a second; elsewhere a plain line is printed now
 * and then. run.log gets every message and a progress line now and then, without control characters. For
 * programs (PROGRESS_JSON) standard output has a line a second of JSON instead, and nothing else. A log that
 * cannot be written is a warning on standard error, once and at the end; a terminal that is gone is none.
 */
#ifndef CARDIAC_APP_UTIL_PROGRESS_H
#define CARDIAC_APP_UTIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/base/printed.h"

struct progress;

/* What standard output gets: words, nothing, or JSON */
enum progress_form { PROGRESS_WORDS, PROGRESS_QUIET, PROGRESS_JSON };

/* log_path NULL = no log; append = after what an earlier run wrote.
 * Errors: STATUS_RUN when the log cannot be made. */
enum status progress_open(struct progress **out, const char *log_path, bool append, enum progress_form form,
                          struct error *error);
void progress_close(struct progress *progress); /* NULL is accepted */
/* From now on no warning goes to standard error either: another rank prints them. */
void progress_mute(struct progress *progress);
/* Writes the log to the disk (fsync); any one thread may call it. */
void progress_sync(struct progress *progress);

/* A line (or several) for the log and the terminal. */
void progress_print(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Lines for the log and, if `terminal`, for that; they are closed and freed. Errors: STATUS_RUN without memory.
 */
enum status progress_print_lines(struct progress *progress, struct printed *lines, bool terminal,
                                 struct error *error);
/* A line for the log alone. */
void progress_log(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "warning: ..." in the log and, quiet or not, on standard error. */
void progress_warn(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Counts the time since progress_open, or since the last of these, for `what`, a text that lives as long. NULL
 * is accepted: nothing is done. */
void progress_mark(struct progress *progress, const char *what);
/* Counts the time since the last of these or of progress_mark for a part of the last stage, which is not over. */
void progress_part(struct progress *progress, const char *what);
/* As progress_mark, and prints "fibres: 12.3 s" if it is a second or more. */
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

/* From now on passes each line that the log gets, in the thread that prints it. */
typedef void progress_listener(void *argument, const char *line);
void progress_listen(struct progress *progress, progress_listener *listen, void *argument);

/* The text of warning k so far; NULL = there are no more */
const char *progress_warning(const struct progress *progress, int k);
/* All lines so far, as the log has them, but for those of progress_step and progress_end */
const char *progress_lines(struct progress *progress);

/* The clock of the time loop starts: at `time` ms and step `step` of a run to `end` ms. */
void progress_start(struct progress *progress, double time, double end, int64_t step);
/* The run has reached `time` and `step`; cheap, and called after every few steps. */
void progress_step(struct progress *progress, double time, int64_t step);
/* The last line, whatever the time since the one before. */
void progress_end(struct progress *progress, double time, int64_t step);

/* "12.5": a time of the simulation in a sentence, to 0.01 ms */
struct time_text {
    char text[32];
};
struct time_text time_text(double ms);
/* text <- "1:02:03" or "2:03" */
void progress_duration(char *text, size_t room, double seconds);
/* text <- "12.5 of 60 ms (20.8 %), 0.52 ms/step, 0.038 x real time, 1:31 left"; elapsed in seconds since the
 * start at start_time and start_step. */
void progress_text(char *text, int room, double time, double end, int64_t steps, double start_time,
                   double elapsed);

#endif
