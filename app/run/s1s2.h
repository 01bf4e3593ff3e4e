/* s1s2.h: the response to an S2 stimulus at given intervals after an S1 train that is stepped once. */
#ifndef CARDIAC_APP_RUN_S1S2_H
#define CARDIAC_APP_RUN_S1S2_H

#include "app/problem/problem.h"

/* What S2 has evoked at a probe; NAN = did not come, or not within a second of S2 */
struct s1s2_row {
    double interval;   /* ms from the last S1 to S2 */
    double activation; /* ms since S2 */
    double rested;     /* ms of diastole before that, from the 90 % repolarisation of the beat before */
    double apd90;      /* ms, as the map has it */
    double velocity;   /* m/s at which the wave passes */
};

/* Pulses of S1, which is the config's first stimulus. STATUS_INPUT where there is none, too many, or one for
 * ever, and where there are no probes. */
enum status s1s2_pulses(int64_t *pulses, const struct config *config, struct error *error);

/* The config's S1 <- with S2 as a train behind it, so that a problem has it. Errors: STATUS_RUN. */
enum status s1s2_append(struct config *config, struct error *error);

/* row[count * probes] <- for interval[count], ms, ascending. The tissue is at its start, of a problem whose
 * config was appended to, keeps a beat for every pulse and notes their repolarisation. Each S2 goes on from a
 * copy of the tissue: it has the bits that it has in a run of its own. Errors: STATUS_RUN. */
enum status s1s2_run(struct s1s2_row *row, const double *interval, int64_t count, const struct config *config,
                     const struct problem *problem, struct monodomain *sim, struct error *error);

#endif
