/* times.c: check that a config's times are whole numbers of steps and lie within the run. */
#include <math.h>
#include <stdlib.h>

#include "app/config/resolve.h"

/* Whether a time is a whole number of steps, up to the rounding of decimal fractions */
static bool whole(double time, double step)
{
    double count = floor(time / step + 0.5);
    return fabs(time - count * step) <= 1e-9 * time && count >= 1;
}

/* advice <- a hint with the largest time.longest that divides the time, or "" */
static const char *longest_for(char advice[100], double time, const struct monodomain_params *physics)
{
    char step[60];
    int doublings = physics->doublings;
    while (doublings > 0 && !whole(time, ldexp(physics->step, doublings)))
        doublings--;
    *advice = '\0';
    if (doublings > 0)
        snprintf(advice, 100, "; time.longest: %s divides it",
                 units_write(step, sizeof step, ldexp(physics->step, doublings), QUANTITY_TIME));
    return advice;
}

enum status resolve_on_grid(struct reader *reader, const char *path, double time, int64_t *steps)
{
    const int doublings = reader->config->physics.doublings;
    double step = ldexp(reader->config->physics.step, doublings);
    double count = floor(time / step + 0.5);
    if (ldexp(count, doublings) > 1e12)
        return reader_error_at(reader, path, "is longer than 1e12 steps of %g ms",
                               reader->config->physics.step);
    *steps = (int64_t)count << doublings;
    if (whole(time, step))
        return STATUS_OK;
    char nearest[60], written[60], grid[60], advice[100];
    snprintf(nearest, sizeof nearest, "%.12g ms", fmax(count, 1) * step);
    units_write(written, sizeof written, time, QUANTITY_TIME);
    return reader_error_at(reader, path,
                           doublings > 0 ? "%s is not a multiple of time.longest (%s); the nearest is %s%s"
                                         : "%s is not a multiple of time.step (%s); the nearest is %s%s",
                           written, units_write(grid, sizeof grid, step, QUANTITY_TIME), nearest,
                           longest_for(advice, time, &reader->config->physics));
}

/* physics.doublings <- log2(longest / step), which must be a whole number */
static enum status resolve_longest(struct reader *reader)
{
    struct config *config = reader->config;
    struct monodomain_params *physics = &config->physics;
    char nearest[60], written[60], grid[60];
    if (isnan(config->longest))
        return STATUS_OK;
    double k = floor(log2(config->longest / physics->step) + 0.5);
    k = fmin(fmax(k, 0), PARAMS_DOUBLINGS);
    physics->doublings = (int)k;
    double found = ldexp(physics->step, physics->doublings);
    if (fabs(config->longest - found) > 1e-9 * found) {
        units_write(nearest, sizeof nearest, found, QUANTITY_TIME);
        units_write(written, sizeof written, config->longest, QUANTITY_TIME);
        return reader_error_at(reader, "time.longest",
                               "%s is not time.step (%s) times 1, 2, 4 .. %d; the nearest is %s", written,
                               units_write(grid, sizeof grid, physics->step, QUANTITY_TIME),
                               1 << PARAMS_DOUBLINGS, nearest);
    }
    return STATUS_OK;
}

/* Warns about an interval of output or checkpoints that is longer than the run. */
static void warn_late(struct reader *reader, const char *path, int64_t every, const char *text)
{
    if (every > reader->config->steps)
        reader_warning(reader, path, "is beyond time.end (%.10g ms): %s", reader->config->end, text);
}

void resolve_intervals(struct reader *reader)
{
    static const char stored[] = "only the state at 0 ms is stored";
    const struct config *config = reader->config;
    const struct config_output *output = &config->output;
    int64_t every = output->every_steps, rest = config->steps % every;
    if (output->fields > 0)
        warn_late(reader, "output.every", every, stored);
    if (output->probes > 0 && output->probes_every_steps != every)
        warn_late(reader, "output.probes_every", output->probes_every_steps, stored);
    if (config->ecg.electrodes > 0)
        warn_late(reader, "ecg.every", config->ecg.every_steps, stored);
    warn_late(reader, "checkpoint.every", config->checkpoint.every_steps, "no checkpoint is written");
    if (output->fields > 0 && every <= config->steps && rest)
        reader_warning(
            reader, "output.every",
            "does not divide time.end: the last frame is at %.10g ms, and the state at %.10g ms is "
            "not stored",
            (double)(config->steps - rest) * config->physics.step, config->end);
}

double resolve_interval(const struct config *config)
{
    const double usual = 1, longest = ldexp(config->physics.step, config->physics.doublings);
    char digits[40];
    if (whole(usual, longest))
        return usual;
    snprintf(digits, sizeof digits, "%.12g", ceil(usual / longest) * longest);
    return strtod(digits, NULL);
}

enum status resolve_times(struct reader *reader)
{
    struct config *config = reader->config;
    struct config_output *output = &config->output;
    bool given = reader_sound(reader, "output");
    TRY(resolve_longest(reader));
    enum status status = resolve_on_grid(reader, "time.end", config->end, &config->steps);
    if (isnan(output->every))
        output->every = resolve_interval(config);
    if (isnan(output->probes_every))
        output->probes_every = output->every;
    if (given)
        FAULTS_TRY(resolve_on_grid(reader, "output.every", output->every, &output->every_steps));
    if (given && output->probes_every != output->every)
        FAULTS_TRY(resolve_on_grid(reader, "output.probes_every", output->probes_every,
                                   &output->probes_every_steps));
    else
        output->probes_every_steps = output->every_steps;
    if (reader_sound(reader, "checkpoint") && config->checkpoint.every > 0)
        FAULTS_TRY(resolve_on_grid(reader, "checkpoint.every", config->checkpoint.every,
                                   &config->checkpoint.every_steps));
    return status;
}
