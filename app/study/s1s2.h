/* s1s2.h: the response to an S2 stimulus at given intervals after an S1 train that is stepped once. */
#ifndef CARDIAC_APP_STUDY_S1S2_H
#define CARDIAC_APP_STUDY_S1S2_H

#include "app/study/branch.h"

/* What S2 has evoked at a probe; NAN = did not come, or not within a second of S2 */
struct s1s2_row {
    double interval;   /* ms from the last S1 to S2 */
    double activation; /* ms since S2 */
    double rested;     /* ms of diastole before that, from the 90 % repolarisation of the beat before */
    double apd90;      /* ms, as the map has it */
    double velocity;   /* m/s at which the wave passes */
};

/* Pulses of S1. STATUS_INPUT as branch_pulses, and where there are no probes. */
enum status s1s2_pulses(int64_t *pulses, const struct config *config, struct error *error);

/* row[count * probes] <- for interval[count], ms, ascending. The tissue is at its start, with one extra
 * stimulus; it keeps a beat for every pulse and notes their repolarisation. Errors: STATUS_RUN. */
enum status s1s2_run(struct s1s2_row *row, const double *interval, int64_t count, struct branches *branches,
                     struct error *error);

#endif
