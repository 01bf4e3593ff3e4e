/* times.c: units read, and steps counted. */
#include "app/commands/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/units.h"

enum { STEPS_MAX_EXPONENT = 40, RANGE_MOST = 10000 };

enum status times_read(double *value, const char *name, const char *text, double otherwise,
                       struct error *error)
{
    struct error fault = {0};
    *value = otherwise;
    if (!text)
        return STATUS_OK;
    if (units_read(value, text, QUANTITY_TIME, &fault))
        return error_set(error, STATUS_INPUT, "%s: %s", name, fault.text);
    if (*value < 0)
        return error_set(error, STATUS_INPUT, "%s: '%.60s' is negative", name, text);
    return STATUS_OK;
}

enum status times_steps(int64_t *steps, const char *name, double time, double step, struct error *error)
{
    double count = time / step, whole = nearbyint(count);
    if (!(whole <= ldexp(1, STEPS_MAX_EXPONENT)))
        return error_set(error, STATUS_INPUT, "%s: %g ms is too many steps of %g ms", name, time, step);
    if (fabs(count - whole) > 1e-6)
        return error_set(error, STATUS_INPUT,
                         "%s: %g ms is not a multiple of the step (%g ms); the nearest is %.12g ms", name,
                         time, step, whole * step);
    *steps = (int64_t)whole;
    return STATUS_OK;
}

int64_t times_range_count(const struct times_range *range)
{
    return llabs(range->first - range->last) / range->by + 1;
}

int64_t times_range_at(const struct times_range *range, int64_t k)
{
    return range->first + (range->last < range->first ? -k : k) * range->by;
}

enum status times_range_read(struct times_range *range, const char *name, const char *text, double step,
                             double shortest, struct error *error)
{
    int64_t *to[] = {&range->first, &range->last, &range->by};
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        char part[40];
        double time;
        size_t length = strcspn(at, ":");
        if (length >= sizeof part || (at[length] == ':') != (k < 2))
            return error_set(error, STATUS_INPUT, "%s: '%.60s' is not FROM:TO:BY, such as 500:250:10ms", name,
                             text);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        TRY(times_read(&time, name, part, 0, error));
        TRY(times_steps(to[k], name, time, step, error));
        at += length + 1;
    }
    double least = fmin((double)range->first, (double)range->last) * step;
    if (range->by < 1)
        return error_set(error, STATUS_INPUT, "%s: the increment must be at least one step, %g ms", name,
                         step);
    if (least < shortest)
        return error_set(error, STATUS_INPUT, "%s: %g ms is shorter than the stimulus (%g ms)", name, least,
                         shortest);
    if (times_range_count(range) > RANGE_MOST)
        return error_set(error, STATUS_INPUT, "%s: more than %d intervals", name, RANGE_MOST);
    return STATUS_OK;
}
