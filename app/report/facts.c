/* facts.c: the values of a run's facts, and their output as log, JSON and columns. */
#include "app/report/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/cells/beats.h"

static int64_t count_pulses(const struct results *results, bool captured)
{
    int64_t pulses = 0;
    for (int s = 0; s < results->stimuli; s++)
        pulses += captured ? results->stimulus[s].captured : results->stimulus[s].pulses;
    return pulses;
}

double facts_activated(const struct results *results)
{
    return 100 * (double)results->activated / (double)results->excitable;
}

/* The median APD90 of the first or the last beat in the region, ms */
static double apd90_of(const struct results *results, const struct results_region *region, bool last)
{
    int64_t b = 0;
    while (last && region->apd90 && b + 1 < results->apd_beats && region->apd90[b + 1].nodes > 0)
        b++;
    return region->apd90 && results->apd_beats > 0 ? region->apd90[b].median : (double)NAN;
}

/* The median velocity, m/s */
static double velocity_of(const struct results_region *region, int way, bool last)
{
    return (last ? region->velocity_last : region->velocity)[way].median;
}

/* value, or NaN if repolarization was not followed */
static double recovery_of(const struct results_recovery *recovery, double value)
{
    return recovery->nodes > 0 ? value : (double)NAN;
}

/* The first or last activation of a probe, ms; NaN = none, or unknown because the record is full */
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

/* name, unit, kind, number of beats, and an expression of results, region, ecg, which and last */
#define VALUES(X)                                                                                            \
    X(time, "ms", FACT_RUN, 1, results->time)                                                                \
    X(pulses, NULL, FACT_RUN, 1, (double)count_pulses(results, false))                                       \
    X(captured, NULL, FACT_RUN, 1, (double)count_pulses(results, true))                                      \
    X(activated, "%", FACT_RUN, 1, facts_activated(results))                                                 \
    X(first_activation, "ms", FACT_RUN, 1, results->first)                                                   \
    X(last_activation, "ms", FACT_RUN, 1, results->last)                                                     \
    X(total_activation, "ms", FACT_RUN, 1, results->last - results->first)                                   \
    X(apd90, "ms", FACT_REGION, 2, apd90_of(results, region, last))                                          \
    X(eads, NULL, FACT_REGION, 1, recovery_of(&region->recovery, region->recovery.eads))                     \
    X(not_repolarised, "%", FACT_REGION, 1,                                                                  \
      recovery_of(&region->recovery, 100 * (double)region->recovery.late / (double)region->recovery.nodes))  \
    X(velocity_along, "m/s", FACT_REGION, 2, velocity_of(region, VELOCITY_ALONG, last))                      \
    X(velocity_across, "m/s", FACT_REGION, 2, velocity_of(region, VELOCITY_ACROSS, last))                    \
    X(qrs, "ms", FACT_LEADS, 2, ecg->qrs)                                                                    \
    X(qt, "ms", FACT_LEADS, 2, ecg->qt)                                                                      \
    X(ecg_peak, "mV", FACT_LEADS, 2, ecg->highest)                                                           \
    X(activation, "ms", FACT_PROBE, 2, arrival_of(results, which, last))                                     \
    X(sweeps, NULL, FACT_RUN, 1,                                                                             \
      results->work.steps == results->step ? (double)results->work.sweeps : (double)NAN) /* NaN: resumed */

#define KIND_NAME(name, unit, of, beats, value) KIND_##name,
enum kind { VALUES(KIND_NAME) KINDS };

static const struct {
    const char *name, *unit;
    enum fact_of of;
    int beats;
} kinds[] = {
#define KIND_ROW(name, unit, of, beats, value) {#name, unit, of, beats},
    VALUES(KIND_ROW)};

/* The value for region, probe .. `which`; NaN = none */
static double value_of(enum kind kind, const struct results *results, int which, bool last)
{
    const struct results_region *region = kinds[kind].of == FACT_REGION ? &results->region[which] : NULL;
    const struct intervals *ecg = last ? &results->intervals_last : &results->intervals;
    double value = NAN;
    switch (kind) {
#define KIND_CASE(name, unit, of, beats, expression)                                                         \
    case KIND_##name:                                                                                        \
        value = expression;                                                                                  \
        break;
        VALUES(KIND_CASE)
    case KINDS:
        break;
    }
    return isfinite(value) ? value : (double)NAN;
}

/* The number of regions, probes .. of a config for which there is such a value */
static int count_of(enum kind kind, const struct config *config)
{
    switch (kinds[kind].of) {
    case FACT_REGION:
        return config->tissue.regions;
    case FACT_LEADS:
        return config->ecg.electrodes > 0;
    case FACT_PROBE:
        return config->output.probes;
    default:
        return 1;
    }
}

enum status facts_add(struct facts *facts, struct fact fact, struct error *error)
{
    enum status status = array_grow((void **)&facts->fact, &facts->room, facts->facts, sizeof *facts->fact,
                                    "the facts", error);
    if (status)
        free(fact.sentence);
    else
        facts->fact[facts->facts++] = fact;
    return status;
}

enum status facts_make(struct facts *facts, const struct results *results, struct error *error)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int which = 0; which < count_of(kind, results->config); which++) {
            struct fact fact = {kinds[kind].name,
                                kinds[kind].unit,
                                kinds[kind].of,
                                which,
                                {0},
                                kinds[kind].beats,
                                NULL,
                                false};
            if (fact.of == FACT_REGION && which >= results->regions)
                continue;
            for (int b = 0; b < fact.values; b++)
                fact.value[b] = value_of(kind, results, which, b > 0);
            TRY(facts_add(facts, fact, error));
        }
    return STATUS_OK;
}

void facts_free(struct facts *facts)
{
    for (int64_t k = 0; k < facts->facts; k++)
        free(facts->fact[k].sentence);
    free(facts->fact);
    *facts = (struct facts){0};
}

void facts_log(const struct facts *facts, struct progress *progress)
{
    for (const struct fact *fact = facts->fact; fact < facts->fact + facts->facts; fact++)
        if (fact->sentence && fact->warning)
            progress_warn(progress, "%s", fact->sentence);
        else if (fact->sentence)
            progress_print(progress, "%s", fact->sentence);
}

static void put_values(struct json *json, const struct fact *fact)
{
    if (fact->values > 1)
        json_open(json, "value", '[');
    for (int b = 0; b < fact->values; b++)
        json_number(json, fact->values > 1 ? NULL : "value", fact->value[b]);
    if (fact->values > 1)
        json_close(json);
}

void facts_json(struct json *json, const struct facts *facts, const struct config *config)
{
    json_open(json, "facts", '[');
    for (const struct fact *fact = facts->fact; fact < facts->fact + facts->facts; fact++) {
        json_open(json, NULL, '{');
        json_text(json, "name", fact->name);
        if (fact->unit)
            json_text(json, "unit", fact->unit);
        if (fact->of == FACT_REGION)
            json_integer(json, "region", fact->which);
        else if (fact->of == FACT_STIMULUS)
            json_text(json, "stimulus", config->stimulus[fact->which].name);
        else if (fact->of == FACT_PROBE)
            json_text(json, "probe", config->output.probe[fact->which].name);
        put_values(json, fact);
        if (fact->sentence) {
            json_text(json, "sentence", fact->sentence);
            json_text(json, "severity", fact->warning ? "warning" : "note");
        }
        json_close(json);
    }
    json_close(json);
}

static int columns_of(enum kind kind, const struct config *config)
{
    return kinds[kind].beats * count_of(kind, config);
}

/* The kind of column k; *which <- its region or probe; *beat <- 0 = first, 1 = last */
static enum kind find_column(const struct config *config, int k, int *which, int *beat)
{
    enum kind kind = 0;
    for (*which = k; *which >= columns_of(kind, config); kind++)
        *which -= columns_of(kind, config);
    *beat = *which / count_of(kind, config);
    *which %= count_of(kind, config);
    return kind;
}

int facts_columns(const struct config *config)
{
    int count = 0;
    for (enum kind kind = 0; kind < KINDS; kind++)
        count += columns_of(kind, config);
    return count;
}

void facts_column_name(char name[FACTS_COLUMN], const char **unit, const struct config *config, int k)
{
    int which, beat;
    const enum kind kind = find_column(config, k, &which, &beat);
    const char *of_beat = kinds[kind].beats == 1 ? "" : beat ? "_last" : "_first";
    if (unit)
        *unit = kinds[kind].unit;
    if (kinds[kind].of == FACT_PROBE)
        snprintf(name, FACTS_COLUMN, "%s%s[%s]", kinds[kind].name, of_beat, config->output.probe[which].name);
    else if (count_of(kind, config) > 1)
        snprintf(name, FACTS_COLUMN, "%s%s[%d]", kinds[kind].name, of_beat, which);
    else
        snprintf(name, FACTS_COLUMN, "%s%s", kinds[kind].name, of_beat);
}

double facts_column(const struct config *config, int k, const struct facts *facts, const struct config *own)
{
    int which, beat;
    const enum kind kind = find_column(config, k, &which, &beat);
    for (const struct fact *fact = facts->fact; fact < facts->fact + facts->facts; fact++)
        if (strcmp(fact->name, kinds[kind].name) == 0 && fact->values > beat &&
            (fact->of == FACT_PROBE
                 ? strcmp(own->output.probe[fact->which].name, config->output.probe[which].name) == 0
                 : fact->which == which))
            return fact->value[beat];
    return NAN;
}
