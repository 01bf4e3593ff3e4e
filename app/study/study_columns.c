/* study_columns.c: a value for each column, of the tissue or of one of its regions. */
#include "app/study/study_columns.h"

#include <math.h>
#include <stdio.h>

/* A column of results: of the tissue, or one for each region */
struct column {
    const char *name, *unit;
    double (*value)(const struct results *results, int region);
    bool regional;
};

static double time_of(const struct results *results, int region)
{
    (void)region;
    return results->time;
}

static double pulses_of(const struct results *results, int region)
{
    int64_t pulses = 0;
    (void)region;
    for (int s = 0; s < results->stimuli; s++)
        pulses += results->stimulus[s].pulses;
    return (double)pulses;
}

static double captured_of(const struct results *results, int region)
{
    int64_t captured = 0;
    (void)region;
    for (int s = 0; s < results->stimuli; s++)
        captured += results->stimulus[s].captured;
    return (double)captured;
}

double study_columns_activated(const struct results *results)
{
    return 100 * (double)results->activated / (double)results->excitable;
}

static double activated_of(const struct results *results, int region)
{
    (void)region;
    return study_columns_activated(results);
}

static double first_of(const struct results *results, int region)
{
    (void)region;
    return results->first;
}

static double last_of(const struct results *results, int region)
{
    (void)region;
    return results->last;
}

static double total_of(const struct results *results, int region)
{
    (void)region;
    return results->last - results->first;
}

static double apd90_of(const struct results *results, int region)
{
    const struct results_quartiles *apd90 = results->region[region].apd90;
    return apd90 && results->apd_beats > 0 ? apd90[0].median : (double)NAN;
}

static double along_of(const struct results *results, int region)
{
    return results->region[region].velocity[VELOCITY_ALONG].median;
}

static double across_of(const struct results *results, int region)
{
    return results->region[region].velocity[VELOCITY_ACROSS].median;
}

/* Of a run that was resumed the sweeps before are not known. */
static double sweeps_of(const struct results *results, int region)
{
    (void)region;
    return results->work.steps == results->step ? (double)results->work.sweeps : (double)NAN;
}

static const struct column columns[] = {
    {"time", "ms", time_of, false},
    {"pulses", NULL, pulses_of, false},
    {"captured", NULL, captured_of, false},
    {"activated", "%", activated_of, false},
    {"first_activation", "ms", first_of, false},
    {"last_activation", "ms", last_of, false},
    {"total_activation", "ms", total_of, false},
    {"apd90", "ms", apd90_of, true},
    {"velocity_along", "m/s", along_of, true},
    {"velocity_across", "m/s", across_of, true},
    {"sweeps", NULL, sweeps_of, false},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* So many columns of that kind */
static int repeats(const struct column *column, const struct config *config)
{
    return column->regional ? config->tissue.regions : 1;
}

/* Column k's kind; *region <- its region */
static const struct column *find_column(const struct config *config, int k, int *region)
{
    const struct column *column = columns;
    *region = k;
    for (int c = 0; *region >= repeats(column, config); c++, column++)
        *region -= repeats(column, config);
    return column;
}

int study_columns(const struct config *config)
{
    int count = 0;
    for (int c = 0; c < COLUMNS; c++)
        count += repeats(&columns[c], config);
    return count;
}

void study_columns_name(char name[STUDY_COLUMN], const char **unit, const struct config *config, int k)
{
    int region;
    const struct column *column = find_column(config, k, &region);
    if (unit)
        *unit = column->unit;
    if (repeats(column, config) > 1)
        snprintf(name, STUDY_COLUMN, "%s[%d]", column->name, region);
    else
        snprintf(name, STUDY_COLUMN, "%s", column->name);
}

double study_columns_read(const struct config *config, int k, const struct results *results)
{
    int region;
    const struct column *column = find_column(config, k, &region);
    double value =
        column->regional && region >= results->regions ? (double)NAN : column->value(results, region);
    return isfinite(value) ? value : (double)NAN;
}
