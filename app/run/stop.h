/* stop.h: what may end a run early: a signal, a time limit, a condition on the tissue. */
#ifndef CARDIAC_APP_RUN_STOP_H
#define CARDIAC_APP_RUN_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/problem/problem.h"

/* What asks a run to end (INT, TERM, HUP, USR1, USR2, XCPU) ends it at once from now on, with status 3: there
 * is no checkpoint to write yet. A signal that was ignored when the program began stays so (nohup), and
 * nobody reading its output ends no run. */
void stop_catch_signals(void);
/* Another rank says it if it does. */
void stop_mute(void);
/* From now on it is noted only: a checkpoint can be written. A second one, a second later, ends the program.
 */
void stop_begin_steps(void);
/* The signal that came, 0 = none. */
int stop_signal(void);

/* "3h50m", "90s", "2h", "45m30s", or plain seconds -> seconds; false if it is none of these. */
bool stop_parse_duration(const char *text, double *seconds);
/* *seconds <- the text of --stop-after; NULL = it does not change. Errors: STATUS_INPUT. */
enum status stop_read_duration(double *seconds, const char *text, struct error *error);

/* ms from which on no stimulus comes any more; infinite with one that comes for ever */
double stop_last_stimulus(const struct stimulus *stimulus, int stimuli);

/* Whether each of [nodes] has been activated so often, by that time, ms; activation: [nodes * width]. */
bool stop_activated(const double *activation, int64_t nodes, int64_t width, int64_t beats, double by);

/* Whether at least one node was activated, no V has changed by more than 0.01 mV since `before` (NaN = not
 * known) and none lies above the node's threshold; that no stimulus is to come is the caller's to see. v,
 * before: [nodes]; activation: [nodes * width]. */
bool stop_quiet(const struct problem *problem, const int32_t *node_region, const double *v,
                const double *before, const double *activation, int64_t width);

#endif
