/* action_potential.c: one pass over the rows. */
#include "app/run/action_potential.h"

#include <math.h>

struct action_potential action_potential_measure(const double *time, const double *v, int64_t rows,
                                                 int64_t stride, double before, double at, double next)
{
    struct action_potential found = {INFINITY, -INFINITY, NAN};
    int64_t k = 0;
    for (; k < rows && time[k] < at; k++)
        if (time[k] >= before)
            found.rest = fmin(found.rest, v[k * stride]);
    if (k == rows || isinf(found.rest))
        return (struct action_potential){NAN, NAN, NAN};
    for (; k < rows && time[k] < next; k++) {
        double now = v[k * stride], last = v[(k - 1) * stride];
        if (now >= found.peak) {
            found.peak = now;
            found.apd90 = NAN;
            continue;
        }
        double level = found.peak - 0.9 * (found.peak - found.rest);
        if (isnan(found.apd90) && last > level && now <= level)
            found.apd90 = time[k - 1] + (time[k] - time[k - 1]) * (last - level) / (last - now) - at;
    }
    if (isinf(found.peak))
        found.peak = NAN;
    return found;
}
