/* stop.h: what can end a run early: a signal, a time limit, a condition on the tissue. */
#ifndef CARDIAC_APP_RUN_STOP_H
#define CARDIAC_APP_RUN_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/problem/problem.h"

/* From now on INT, TERM, HUP, USR1, USR2 and XCPU end the program at once with status 3, since there is no checkpoint
 * to write yet. Signals that were ignored at the start (nohup) remain ignored; SIGPIPE is ignored. */
void stop_catch_signals(void);
/* Suppresses the message on a signal: rank 0 prints it. */
void stop_mute(void);
/* From now on a signal is only recorded, so that a checkpoint can be written. A second signal, at least 1 s later, ends
 * the program. */
void stop_begin_steps(void);
/* The recorded signal, 0 = none. */
int stop_signal(void);

/* "3h50m", "90s", "2h", "45m30s", or plain seconds -> seconds; false if it is none of these. */
bool stop_parse_duration(const char *text, double *seconds);
/* *seconds <- the argument of --stop-after; unchanged if NULL. Warns on standard error about a number below 60 without
 * unit. Errors: STATUS_INPUT. */
enum status stop_read_duration(double *seconds, const char *text, struct error *error);

/* The end of the last stimulus, ms; infinite for an endless train */
double stop_last_stimulus(const struct stimulus *stimulus, int stimuli);

/* Whether all nodes had `beats` activations; activation: [nodes * width]. */
bool stop_activated(const double *activation, int64_t nodes, int64_t width, int64_t beats);

/* Whether at least one node was activated, no V has changed by more than 0.01 mV since `before` (NaN = unknown), and no
 * V is above its node's threshold. The caller checks that no stimulus is pending. v, before: [nodes]; activation:
 * [nodes * width]. */
bool stop_quiet(const struct problem *problem, const int32_t *node_region, const double *v,
                const double *before, const double *activation, int64_t width);

#endif
