/* study_columns.c: the columns of results in the table of a study, and their values from the results of a
 * run.
 *
 * Some are there once for each region; their names end in its number where there are several. */
#include "app/study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/beats.h"

/* What a column is of; of the leads there is none without an ECG */
enum scope { OF_TISSUE, OF_REGIONS, OF_LEADS, OF_PROBES };

struct column {
    const char *name, *unit;
    double (*value)(const struct results *results, int which); /* of the region or probe; NULL: twice, */
    enum scope scope;
    double (*of_beat)(const struct results *results, int which,
                      bool last); /* of the first and the last beat */
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

/* The last beat that nodes of the region have: as in the log */
static double apd90_of(const struct results *results, int region, bool last)
{
    const struct results_quartiles *apd90 = results->region[region].apd90;
    int64_t b = 0;
    while (last && apd90 && b + 1 < results->apd_beats && apd90[b + 1].nodes > 0)
        b++;
    return apd90 && results->apd_beats > 0 ? apd90[b].median : (double)NAN;
}

static double along_of(const struct results *results, int region, bool last)
{
    return (last ? results->region[region].velocity_last : results->region[region].velocity)[VELOCITY_ALONG]
        .median;
}

static double across_of(const struct results *results, int region, bool last)
{
    return (last ? results->region[region].velocity_last : results->region[region].velocity)[VELOCITY_ACROSS]
        .median;
}

/* Of a run that was resumed the sweeps before are not known. */
static double sweeps_of(const struct results *results, int region)
{
    (void)region;
    return results->work.steps == results->step ? (double)results->work.sweeps : (double)NAN;
}

static double qrs_of(const struct results *results, int which, bool last)
{
    (void)which;
    return (last ? results->intervals_last : results->intervals).qrs;
}

static double qt_of(const struct results *results, int which, bool last)
{
    (void)which;
    return (last ? results->intervals_last : results->intervals).qt;
}

static double highest_of(const struct results *results, int which, bool last)
{
    (void)which;
    return (last ? results->intervals_last : results->intervals).highest;
}

/* Of a probe; NaN, too, where its last activation is not among those that are recorded there */
static double arrival_of(const struct results *results, int probe, bool last)
{
    const struct sites *sites = results->sites;
    if (!results->followed || !sites_excitable(results->cells, results->problem->probe[probe].node))
        return NAN;
    const double *time =
        beats_at_points(&results->config->physics, sites->times, results->followed, sites->points).time;
    int64_t b = 0;
    while (last && b + 1 < sites->times && !isnan(time[(b + 1) * sites->points + probe]))
        b++;
    return b + 1 < sites->times ? time[b * sites->points + probe] : (double)NAN;
}

static const struct column columns[] = {
    {"time", "ms", time_of, OF_TISSUE, NULL},
    {"pulses", NULL, pulses_of, OF_TISSUE, NULL},
    {"captured", NULL, captured_of, OF_TISSUE, NULL},
    {"activated", "%", activated_of, OF_TISSUE, NULL},
    {"first_activation", "ms", first_of, OF_TISSUE, NULL},
    {"last_activation", "ms", last_of, OF_TISSUE, NULL},
    {"total_activation", "ms", total_of, OF_TISSUE, NULL},
    {"apd90", "ms", NULL, OF_REGIONS, apd90_of},
    {"velocity_along", "m/s", NULL, OF_REGIONS, along_of},
    {"velocity_across", "m/s", NULL, OF_REGIONS, across_of},
    {"qrs", "ms", NULL, OF_LEADS, qrs_of},
    {"qt", "ms", NULL, OF_LEADS, qt_of},
    {"ecg_peak", "mV", NULL, OF_LEADS, highest_of},
    {"activation", "ms", NULL, OF_PROBES, arrival_of},
    {"sweeps", NULL, sweeps_of, OF_TISSUE, NULL},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* Regions, probes .. of that kind */
static int count_nodes(const struct column *column, const struct config *config)
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

static int count_columns(const struct column *column, const struct config *config)
{
    return (column->value ? 1 : 2) * count_nodes(column, config);
}

/* Column k's kind; *which <- its region or probe; *last <- whether it is of the last beat */
static const struct column *find_column(const struct config *config, int k, int *which, bool *last)
{
    const struct column *column = columns;
    *which = k;
    for (; *which >= count_columns(column, config); column++)
        *which -= count_columns(column, config);
    *last = *which >= count_nodes(column, config);
    *which -= *last ? count_nodes(column, config) : 0;
    return column;
}

int study_columns(const struct config *config)
{
    int count = 0;
    for (int c = 0; c < COLUMNS; c++)
        count += count_columns(&columns[c], config);
    return count;
}

void study_columns_name(char name[STUDY_COLUMN], const char **unit, const struct config *config, int k)
{
    int which;
    bool last;
    const struct column *column = find_column(config, k, &which, &last);
    const char *beat = column->value ? "" : last ? "_last" : "_first";
    if (unit)
        *unit = column->unit;
    if (column->scope == OF_PROBES)
        snprintf(name, STUDY_COLUMN, "%s%s[%s]", column->name, beat, config->output.probe[which].name);
    else if (count_nodes(column, config) > 1)
        snprintf(name, STUDY_COLUMN, "%s%s[%d]", column->name, beat, which);
    else
        snprintf(name, STUDY_COLUMN, "%s%s", column->name, beat);
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
    bool last;
    const struct column *column = find_column(config, k, &which, &last);
    which = find_which(column, config, which, results);
    double value = which < 0       ? (double)NAN
                   : column->value ? column->value(results, which)
                                   : column->of_beat(results, which, last);
    return isfinite(value) ? value : (double)NAN;
}
