/* protocol.h: a stimulus in time: the trains of its protocol, the shape of its pulse. */
#ifndef CARDIAC_APP_PROBLEM_PROTOCOL_H
#define CARDIAC_APP_PROBLEM_PROTOCOL_H

#include "app/config/config.h"

/* train[protocol_trains] <- their times, one after the other, and the current; those after the first are
 * phases */
int protocol_trains(const struct config_stimulus *stimulus);
void protocol_times(struct stimulus *train, const struct config_stimulus *stimulus);

/* *shape <- [*points] of the file, to be freed: ms, from 0 or later and ascending, and a share of the
 * current. STATUS_INPUT with file:line:column when the file is wrong. */
enum status protocol_pulse(double (**shape)[2], int *points, const char *path, struct error *error);

#endif
