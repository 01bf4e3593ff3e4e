/* study_columns.c: a value for each column, of the tissue or of one of its regions. */
#include "app/study/study_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a column is of; of the leads there is none without an ECG */
enum scope { OF_TISSUE, OF_REGIONS, OF_LEADS, OF_PROBES };

struct column {
    const char *name, *unit;
    double (*value)(const struct results *results, int which); /* of the region or probe */
    enum scope scope;
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

static double qrs_of(const struct results *results, int which)
{
    (void)which;
    return results->intervals.qrs;
}

static double qt_of(const struct results *results, int which)
{
    (void)which;
    return results->intervals.qt;
}

static double highest_of(const struct results *results, int which)
{
    (void)which;
    return results->intervals.highest;
}

/* Of the first beat */
static double arrival_of(const struct results *results, int probe)
{
    int64_t beats = results->config->physics.activation_beats;
    return results->followed ? results->column[RESULTS_ACTIVATION].value[probe * beats] : (double)NAN;
}

static const struct column columns[] = {
    {"time", "ms", time_of, OF_TISSUE},
    {"pulses", NULL, pulses_of, OF_TISSUE},
    {"captured", NULL, captured_of, OF_TISSUE},
    {"activated", "%", activated_of, OF_TISSUE},
    {"first_activation", "ms", first_of, OF_TISSUE},
    {"last_activation", "ms", last_of, OF_TISSUE},
    {"total_activation", "ms", total_of, OF_TISSUE},
    {"apd90", "ms", apd90_of, OF_REGIONS},
    {"velocity_along", "m/s", along_of, OF_REGIONS},
    {"velocity_across", "m/s", across_of, OF_REGIONS},
    {"qrs", "ms", qrs_of, OF_LEADS},
    {"qt", "ms", qt_of, OF_LEADS},
    {"ecg_peak", "mV", highest_of, OF_LEADS},
    {"activation", "ms", arrival_of, OF_PROBES},
    {"sweeps", NULL, sweeps_of, OF_TISSUE},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* So many columns of that kind */
static int repeats(const struct column *column, const struct config *config)
{
    switch (column->scope) {
    case OF_REGIONS:
        return config->tissue.regions;
    case OF_LEADS:
        return config->ecg.electrodes > 0;
    case OF_PROBES:
        return config->output.probes;
    default:
        return 1;
    }
}

/* Column k's kind; *which <- its region or probe */
static const struct column *find_column(const struct config *config, int k, int *which)
{
    const struct column *column = columns;
    *which = k;
    for (; *which >= repeats(column, config); column++)
        *which -= repeats(column, config);
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
    int which;
    const struct column *column = find_column(config, k, &which);
    if (unit)
        *unit = column->unit;
    if (column->scope == OF_PROBES)
        snprintf(name, STUDY_COLUMN, "%s[%s]", column->name, config->output.probe[which].name);
    else if (repeats(column, config) > 1)
        snprintf(name, STUDY_COLUMN, "%s[%d]", column->name, which);
    else
        snprintf(name, STUDY_COLUMN, "%s", column->name);
}

/* The run's number of the study's region or probe; -1: it has none */
static int find_which(const struct column *column, const struct config *config, int which,
                      const struct results *results)
{
    if (column->scope != OF_PROBES)
        return column->scope != OF_REGIONS || which < results->regions ? which : -1;
    for (int p = 0; p < results->config->output.probes; p++)
        if (strcmp(results->config->output.probe[p].name, config->output.probe[which].name) == 0)
            return p;
    return -1;
}

double study_columns_read(const struct config *config, int k, const struct results *results)
{
    int which;
    const struct column *column = find_column(config, k, &which);
    which = find_which(column, config, which, results);
    double value = which < 0 ? (double)NAN : column->value(results, which);
    return isfinite(value) ? value : (double)NAN;
}
