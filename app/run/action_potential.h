/* action_potential.h: rest, peak and duration of the action potentials in V at one point. */
#ifndef CARDIAC_APP_RUN_ACTION_POTENTIAL_H
#define CARDIAC_APP_RUN_ACTION_POTENTIAL_H

#include <stdint.h>

struct action_potential {
    double rest, peak; /* mV */
    double apd90;      /* ms from the activation until V has fallen by 90 % of peak - rest */
};

/* That which begins with the activation at `at` ms, from V at time[rows], v[stride * row]. rest: the lowest V
 * since the activation `before` it (-INFINITY = there was none); the next one is at `next` (INFINITY = none).
 * NaN = not seen: the rows begin later or end before. V between two rows is a straight line. */
struct action_potential action_potential_measure(const double *time, const double *v, int64_t rows,
                                                 int64_t stride, double before, double at, double next);

#endif
