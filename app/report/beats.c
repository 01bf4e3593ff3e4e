/* beats.c: the beats at the probes, as a table, beats.csv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "app/util/own_file.h"
#include "app/util/text_media.h"
#include "kernels/base/array.h"
#include "solver/cells/beats.h"

static const char *const names[RESULTS_COLUMNS] = {"activation_time", "cycle_length", "diastolic_interval",
                                                   "apd90",           "peak",         "rest"};

/* Adds a column of NaN, unless it exists or its map has no value for each beat. */
static enum status add_column(struct results *results, const char *name, struct error *error)
{
    struct maps_map map;
    int64_t values = results->config->output.probes * results->config->physics.activation_beats;
    enum status status = STATUS_OK;
    maps_find(&map, name, NULL);
    for (int c = 0; c < results->columns; c++)
        if (strcmp(results->column[c].map.name, map.name) == 0)
            return STATUS_OK;
    if (map.kind == MAPS_BEATS)
        return STATUS_OK;
    struct results_column *next = &results->column[results->columns++];
    next->map = map;
    next->value = array_new(values, sizeof *next->value, "the beats", &status, error);
    for (int64_t i = 0; i < values && !status; i++)
        next->value[i] = NAN;
    return status;
}

enum status results_allocate(struct results *results, int64_t followed, struct error *error)
{
    const struct config_output *output = &results->config->output;
    enum status status = STATUS_OK;
    results->column =
        array_zeroed(RESULTS_COLUMNS + output->maps, sizeof *results->column, "the beats", &status, error);
    if (followed > 0)
        results->followed = array_new(followed, sizeof *results->followed, "the beats", &status, error);
    for (int k = 0; k < RESULTS_COLUMNS + output->maps && output->probes > 0 && !status; k++)
        status =
            add_column(results, k < RESULTS_COLUMNS ? names[k] : output->map[k - RESULTS_COLUMNS], error);
    return status;
}

void results_free(struct results *results)
{
    for (int c = 0; c < results->columns; c++)
        free(results->column[c].value);
    free(results->column);
    free(results->followed);
    for (int i = 0; results->stimulus && i < results->config->stimuli; i++) {
        for (int64_t k = 0; k < results->stimulus[i].pulses; k++)
            free(results->stimulus[i].pulse[k].together);
        free(results->stimulus[i].pulse);
    }
    free(results->stimulus);
    for (int r = 0; r < results->regions; r++) {
        free(results->region[r].activated);
        free(results->region[r].apd90);
    }
    free(results->region);
    free(results->stop);
    free(results->back);
    facts_free(&results->facts);
    results->column = NULL;
    results->followed = NULL;
    results->stimulus = NULL;
    results->region = NULL;
    results->stop = NULL;
    results->back = NULL;
    results->stops = results->backs = 0;
    results->columns = results->stimuli = results->regions = 0;
    results->apd_beats = 0;
}

void results_read_followed(struct results *results)
{
    struct results_column *column = results->column;
    const struct monodomain_params *physics = &results->config->physics;
    int64_t beats = physics->activation_beats, probes = results->config->output.probes;
    int64_t times = results->sites->times, points = results->sites->points;
    const struct observer o = beats_at_points(physics, times, results->followed, points);
    for (int64_t k = 0; k < probes * beats; k++) {
        int64_t p = k / beats, b = k % beats, at = b * points + p;
        bool able = sites_excitable(results->cells, results->problem->probe[p].node);
        double begin = able ? o.time[at] : (double)NAN, before = b > 0 ? o.time[at - points] : NAN;
        column[RESULTS_ACTIVATION].value[k] = begin;
        column[RESULTS_CYCLE].value[k] = begin - before;
        column[RESULTS_INTERVAL].value[k] = b > 0 ? begin - o.repolarized[0][at - points] : NAN;
        column[RESULTS_APD].value[k] = o.repolarized[0][at] - begin;
        column[RESULTS_PEAK].value[k] = able ? o.peak.value[at] : (double)NAN;
        column[RESULTS_REST].value[k] = able ? o.rest.value[at] : (double)NAN;
    }
}

static void put_table(FILE *file, const struct results *results)
{
    int64_t beats = results->config->physics.activation_beats;
    fputs("probe,beat", file);
    for (int c = 0; c < results->columns; c++)
        fprintf(file, ",%s (%s)", results->column[c].map.name, results->column[c].map.unit);
    fputc('\n', file);
    for (int p = 0; p < results->config->output.probes; p++)
        for (int64_t b = 0; b < beats && !isnan(results->column[RESULTS_ACTIVATION].value[p * beats + b]);
             b++) {
            text_media_cell(file, results->problem->probe[p].name, NULL);
            fprintf(file, ",%lld", (long long)b + 1);
            for (int c = 0; c < results->columns; c++) {
                double value = results->column[c].value[p * beats + b];
                fputc(',', file);
                if (!isnan(value))
                    fprintf(file, "%.10g", value);
            }
            fputc('\n', file);
        }
}

enum status results_write_beats(const struct results *results, const char *path, struct error *error)
{
    struct own_file file;
    TRY(own_file_begin(&file, path, "", error)); /* "": the run checked its directory at the start */
    put_table(file.out, results);
    return own_file_end(&file, STATUS_OK, error);
}
