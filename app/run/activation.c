/* activation.c: when the tissue and its probes were activated and what their action potentials were, for the
 * log and beats.csv: what a run was made for, without a look into its result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/run.h"
#include "kernels/base/array.h"
#include "solver/cells/beats.h"
#include "solver/cells/stimulus.h"

/* ms after a stimulus until which what it captures is activated */
static const double latency = 5;

enum status run_find_excitable(struct run *run, const struct upstroke *upstroke, struct error *error)
{
    const struct mesh *mesh = &run->problem.mesh;
    int corners = mesh->dimension + 1;
    bool every = true;
    enum status status = STATUS_OK;
    for (int r = 0; r < run->config.tissue.regions; r++)
        every &= upstroke[r].speed > 0;
    if (every)
        return STATUS_OK;
    run->excitable = array_zeroed(mesh->nodes, sizeof *run->excitable, "the excitable nodes", &status, error);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        for (int c = 0; c < corners && upstroke[run->problem.element_region[e]].speed > 0; c++)
            run->excitable[mesh->vertex[e * corners + c]] = 1;
    return status;
}

static struct run_first_beat find_first_beat(const struct run *run)
{
    struct run_first_beat found = {0, INFINITY, -INFINITY};
    for (int64_t i = 0; i < run->problem.mesh.nodes; i++) {
        double at = run->map[i * run->config.physics.activation_beats];
        if (isnan(at))
            continue;
        found.nodes++;
        found.low = fmin(found.low, at);
        found.high = fmax(found.high, at);
    }
    return found;
}

static void say_tissue(struct run *run)
{
    const struct run_first_beat *first = &run->first;
    if (first->nodes > 0)
        progress_say(run->progress,
                     "activated: %lld of %lld nodes, the first at %.6g ms, the last at %.6g ms",
                     (long long)first->nodes, (long long)run->problem.mesh.nodes, first->low, first->high);
    else
        progress_say(run->progress, "activated: no node");
}

/* Whether none of the stimulus' nodes was activated after it began; a node whose beats are all kept and
 * earlier tells nothing. */
static bool captured_nothing(const struct run *run, const struct stimulus *stimulus)
{
    int64_t beats = run->config.physics.activation_beats;
    for (int64_t k = 0; k < stimulus->nodes; k++) {
        const double *at = run->map + stimulus->node[k] * beats;
        if (!isnan(at[beats - 1]))
            return false;
        for (int64_t b = 0; b < beats; b++)
            if (at[b] >= stimulus->start)
                return false;
    }
    return true;
}

static bool left_out(const struct run *run, int64_t node)
{
    return isnan(run->map[node * run->config.physics.activation_beats]) &&
           (!run->excitable || run->excitable[node]);
}

/* What a stimulated tissue, stepped to its end, has not activated */
static void warn_left_out(struct run *run)
{
    const struct problem *problem = &run->problem;
    char *text = NULL;
    size_t length = 0;
    int64_t nodes = 0;
    int probes = 0;
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        nodes += left_out(run, i);
    FILE *file = nodes > 0 ? open_memstream(&text, &length) : NULL;
    if (!file)
        return;
    fprintf(file, "%lld of %lld nodes were not activated", (long long)nodes, (long long)problem->mesh.nodes);
    for (int p = 0; p < run->config.output.probes; p++)
        if (left_out(run, problem->probe[p].node))
            fprintf(file, "%s%s", probes++ ? ", " : "; probes that never were: ", problem->probe[p].name);
    if (run->first.high > monodomain_time(run->sim) - latency)
        fprintf(file,
                "; the front was still running at the end (last activation at %.6g ms): a later time.end",
                run->first.high);
    else
        fprintf(
            file,
            "; no front came there (last activation at %.6g ms): the mesh is too coarse, or conduction is "
            "blocked or interrupted",
            run->first.high);
    fclose(file);
    if (text)
        progress_warn(run->progress, "%s", text);
    free(text);
}

static void warn_capture(struct run *run)
{
    const struct run_first_beat *first = &run->first;
    const struct monodomain_params *physics = &run->config.physics;
    int came = 0;
    for (int s = 0; s < run->problem.stimuli; s++) {
        const struct stimulus *stimulus = run->problem.stimulus + s;
        if (stimulus->current <= 0 ||
            stimulus->start + stimulus->duration + latency > monodomain_time(run->sim))
            continue;
        came++;
        if (first->nodes > 0 && captured_nothing(run, stimulus))
            progress_warn(
                run->progress,
                "stimulus %s captured nothing: none of its %lld nodes was activated after it began at "
                "%.10g ms",
                run->config.stimulus[run->problem.stimulus_from[s]].name, (long long)stimulus->nodes,
                stimulus->start);
    }
    if (came > 0 && first->nodes == 0)
        progress_warn(
            run->progress,
            "no node was activated: V never rose through activation.threshold (%g mV); a stimulus too "
            "weak or too short, or a threshold that this model does not reach",
            physics->activation_threshold);
    if (came > 0 && first->nodes > 0 && monodomain_step(run->sim) >= run->config.steps)
        warn_left_out(run);
}

/* A stimulus that comes to a node behind the last activation kept there: what it evokes is in no map. Whoever
 * keeps one activation wants the first. */
static void warn_dropped(struct run *run)
{
    int64_t beats = run->config.physics.activation_beats;
    double now = monodomain_time(run->sim) - latency;
    for (int s = 0; s < run->problem.stimuli && beats > 1; s++) {
        const struct stimulus *stimulus = run->problem.stimulus + s;
        double last = -INFINITY;
        for (int64_t k = 0;
             (stimulus->count == 0 || k < stimulus->count) && stimulus_start(stimulus, k) < now; k++)
            last = stimulus_start(stimulus, k);
        if (stimulus->current <= 0 || stimulus->nodes == 0 ||
            !(last > run->map[stimulus->node[0] * beats + beats - 1]))
            continue;
        progress_warn(run->progress,
                      "stimulus %s comes until %.10g ms, and the %lld activations of a node that "
                      "activation.beats keeps are over by then: later ones are in no map",
                      run->config.stimulus[run->problem.stimulus_from[s]].name, last, (long long)beats);
        return;
    }
}

/* A number of every beat of every probe */
struct column {
    struct maps_map map;
    double *value; /* [probes * beats] */
};

enum { COLUMN_ACTIVATION, COLUMN_CYCLE, COLUMN_INTERVAL, COLUMN_APD, COLUMN_PEAK, COLUMN_REST, COLUMNS };

/* What is told in any case, of what was noted at the probes */
static const char *const names[COLUMNS] = {"activation_time", "cycle_length", "diastolic_interval",
                                           "apd90",           "peak",         "rest"};

/* column[COLUMNS] <- what was noted at the probes, NaN = nothing */
static enum status fill_from_probes(struct run *run, struct column *column, struct error *error)
{
    const struct monodomain_params *physics = &run->config.physics;
    int64_t beats = physics->activation_beats, probes = run->config.output.probes;
    enum status status = STATUS_OK;
    double *value =
        array_new(monodomain_followed_values(run->sim), sizeof *value, "the beats", &status, error);
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    AND(monodomain_followed(run->sim, value, error));
    for (int64_t k = 0; k < probes * beats && !status; k++) {
        const struct observer o = beats_at_points(physics, value, probes);
        int64_t p = k / beats, b = k % beats, at = b * probes + p;
        double begin = o.time[at], before = b > 0 ? o.time[at - probes] : NAN;
        column[COLUMN_ACTIVATION].value[k] = begin;
        column[COLUMN_CYCLE].value[k] = begin - before;
        column[COLUMN_INTERVAL].value[k] = b > 0 ? begin - o.repolarized[0][at - probes] : NAN;
        column[COLUMN_APD].value[k] = o.repolarized[0][at] - begin;
        column[COLUMN_PEAK].value[k] = o.peak.value[at];
        column[COLUMN_REST].value[k] = o.rest.value[at];
    }
    free(value);
    return status;
}

static enum status fill_from_map(struct run *run, struct column *column, struct error *error)
{
    int64_t beats = run->config.physics.activation_beats;
    enum status status = map_values_make(&run->values, &column->map, NULL, error);
    for (int p = 0; p < run->config.output.probes && !status && run_writes(run); p++)
        memcpy(column->value + p * beats, run->values.value + run->problem.probe[p].node * beats,
               (size_t)beats * sizeof *column->value);
    return status;
}

/* column[*count] <- those above, and a map of each beat that was asked for beside them; without values */
static enum status make_columns(const struct run *run, struct column *column, int *count, struct error *error)
{
    const struct config_output *output = &run->config.output;
    int64_t beats = run->config.physics.activation_beats;
    enum status status = STATUS_OK;
    for (int k = 0; k < COLUMNS + output->maps && !status; k++) {
        struct maps_map map;
        int known = 0;
        maps_find(&map, k < COLUMNS ? names[k] : output->map[k - COLUMNS], NULL);
        while (known < *count && strcmp(column[known].map.name, map.name) != 0)
            known++;
        if (known < *count || map.kind == MAPS_BEATS)
            continue;
        struct column *next = &column[(*count)++];
        next->map = map;
        next->value = array_new(output->probes * beats, sizeof *next->value, "the beats", &status, error);
        for (int64_t i = 0; i < output->probes * beats && !status; i++)
            next->value[i] = NAN;
    }
    return status;
}

/* The values of all; those of a map are of all ranks, whatever failed before it */
static enum status fill_columns(struct run *run, struct column *column, int count, struct error *error)
{
    bool followed = monodomain_followed_values(run->sim) > 0;
    enum status status = followed ? fill_from_probes(run, column, error) : STATUS_OK;
    for (int c = followed ? COLUMNS : 0; c < count; c++) {
        if (!maps_kept(&run->config.physics.maps, &column[c].map))
            continue;
        enum status filled = fill_from_map(run, &column[c], status ? NULL : error);
        status = status ? status : filled;
    }
    return status;
}

/* A line of the log: " NAME t1 t2 ...", or " NAME never" */
static enum status say_probes(struct run *run, const char *what, const struct column *column, int which,
                              int digits, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    int64_t beats = run->config.physics.activation_beats;
    FILE *file = open_memstream(&text, &length);
    for (int p = 0; file && p < run->config.output.probes; p++) {
        const double *at = column[COLUMN_ACTIVATION].value + p * beats;
        const double *value = column[which].value + p * beats;
        fprintf(file, "%s %s%s", p ? "," : "", run->problem.probe[p].name, isnan(at[0]) ? " never" : "");
        for (int64_t b = 0; b < beats && !isnan(at[b]); b++)
            fprintf(file, isnan(value[b]) ? " -" : " %.*g", digits, value[b]);
    }
    if (file)
        fclose(file);
    if (!text)
        return error_memory(error, "a line of the log", 4096);
    progress_say(run->progress, "%s, ms:%s", what, text);
    free(text);
    return STATUS_OK;
}

static void put_table(FILE *file, const struct run *run, const struct column *column, int count)
{
    int64_t beats = run->config.physics.activation_beats;
    fputs("probe,beat", file);
    for (int c = 0; c < count; c++)
        fprintf(file, ",%s (%s)", column[c].map.name, column[c].map.unit);
    fputc('\n', file);
    for (int p = 0; p < run->config.output.probes; p++)
        for (int64_t b = 0; b < beats && !isnan(column[COLUMN_ACTIVATION].value[p * beats + b]); b++) {
            fprintf(file, "%s,%lld", run->problem.probe[p].name, (long long)b + 1);
            for (int c = 0; c < count; c++) {
                double value = column[c].value[p * beats + b];
                fputc(',', file);
                if (!isnan(value))
                    fprintf(file, "%.10g", value);
            }
            fputc('\n', file);
        }
}

/* beats.csv: a row for each beat of each probe */
static enum status write_table(const struct run *run, const struct column *column, int count,
                               struct error *error)
{
    char *path = run_path(run, "beats.csv");
    FILE *file = path ? fopen(path, "w") : NULL;
    enum status status = STATUS_OK;
    if (file)
        put_table(file, run, column, count);
    if (!path)
        status = error_memory(error, "a path", 1);
    else if (!file || ferror(file))
        status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    if (file && fclose(file) != 0 && !status)
        status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    free(path);
    return status;
}

static enum status say_beats(struct run *run, struct error *error)
{
    int count = 0;
    enum status status = STATUS_OK;
    struct column *column =
        array_zeroed(COLUMNS + run->config.output.maps, sizeof *column, "the beats", &status, error);
    AND(make_columns(run, column, &count, error));
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    AND(fill_columns(run, column, count, error));
    AND(say_probes(run, "probes activated at", column, COLUMN_ACTIVATION, 7, error));
    if (!status && monodomain_followed_values(run->sim) > 0)
        status = say_probes(run, "APD90 at the probes", column, COLUMN_APD, 4, error);
    if (run_writes(run))
        AND(write_table(run, column, count, error));
    for (int c = 0; c < count; c++)
        free(column[c].value);
    free(column);
    return status;
}

enum status run_say_activation(struct run *run, struct error *error)
{
    if (monodomain_step(run->sim) == 0)
        return STATUS_OK;
    enum status status =
        monodomain_get(run->sim, map_values_variable(run->sim, "activation_time"), run->map, error);
    if (status)
        return status;
    if (run_writes(run)) {
        run->first = find_first_beat(run);
        say_tissue(run);
    }
    if (run_writes(run) && run->config.physics.activation == ACTIVATION_THRESHOLD)
        warn_capture(run);
    warn_dropped(run);
    if (run->config.output.probes == 0)
        return STATUS_OK;
    return say_beats(run, error);
}
