/* stop.h: what may end a run early: a signal, a time limit, a condition on the tissue. */
#ifndef CARDIAC_APP_STOP_H
#define CARDIAC_APP_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/config.h"

/* From now on SIGINT and SIGTERM are noted (a second one ends the program at once). */
void stop_catch_signals(void);
/* The signal that came, 0 = none. */
int stop_signal(void);

/* "3h50m", "90s", "2h", "45m30s", or plain seconds -> seconds; false if it is none of these. */
bool stop_parse_duration(const char *text, double *seconds);

/* Whether the tissue meets the config's stop_when. activated: every node has an activation time. quiescent:
 * at least one node was activated, no V is within `window` of a change (|V - before| <= 0.01 mV at every node
 * since the last call) and no V lies above the activation threshold. v, before: [nodes]; activation: [nodes *
 * width] or NULL. */
bool stop_condition(enum stop_when when, int64_t nodes, const double *v, const double *before,
                    const double *activation, int64_t width, double threshold);

#endif
