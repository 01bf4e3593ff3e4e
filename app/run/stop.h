/* stop.h: what may end a run early: a signal, a time limit, a condition on the tissue. */
#ifndef CARDIAC_APP_RUN_STOP_H
#define CARDIAC_APP_RUN_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/problem/problem.h"

/* From now on INT, TERM, HUP, USR1, USR2 and XCPU end the program at once with status 3, since there is no
 * checkpoint to write yet. Signals that were ignored when it began (nohup) stay ignored, and so is SIGPIPE.
 * */
void stop_catch_signals(void);
/* No message: rank 0 prints it. */
void stop_mute(void);
/* From now on a signal is only recorded, so that a checkpoint can be written. Another one a second later ends
 * the program. */
void stop_begin_steps(void);
/* The recorded signal, 0 = none. */
int stop_signal(void);

/* "3h50m", "90s", "2h", "45m30s", or plain seconds -> seconds; false if it is none of these. */
bool stop_parse_duration(const char *text, double *seconds);
/* *seconds <- the text of --stop-after; unchanged for NULL. A number below 60 without a unit is a warning on standard
 * error. Errors: STATUS_INPUT. */
enum status stop_read_duration(double *seconds, const char *text, struct error *error);

/* ms of the end of the last stimulus; infinite for an endless train */
double stop_last_stimulus(const struct stimulus *stimulus, int stimuli);

/* Whether all nodes had `beats` activations; activation: [nodes * width]. */
bool stop_activated(const double *activation, int64_t nodes, int64_t width, int64_t beats);

/* Whether at least one node was activated, no V has changed by more than 0.01 mV since `before` (NaN = not
 * known) and none lies above the node's threshold. The caller checks that no stimulus is to come. v,
 * before: [nodes]; activation: [nodes * width]. */
bool stop_quiet(const struct problem *problem, const int32_t *node_region, const double *v,
                const double *before, const double *activation, int64_t width);

#endif
