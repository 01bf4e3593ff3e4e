/* activation.c: when the tissue and its probes were activated and what their action potentials were, for the
 * log and activation.csv: what a run was made for, without a look into its result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/action_potential.h"
#include "app/run/run.h"

/* ms after a stimulus until which what it captures is activated */
static const double latency = 5;

/* The first and the last time of the first beat, and how many nodes have it */
struct first_beat {
    int64_t nodes;
    double low, high;
};

static struct first_beat find_first_beat(const struct run *run)
{
    struct first_beat found = {0, INFINITY, -INFINITY};
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

static void say_tissue(struct run *run, const struct first_beat *first)
{
    if (first->nodes > 0)
        progress_say(run->progress,
                     "activated: %lld of %lld nodes, the first at %.6g ms, the last at %.6g ms",
                     (long long)first->nodes, (long long)run->problem.mesh.nodes, first->low, first->high);
    else
        progress_say(run->progress, "activated: no node");
    if (run->v_low <= run->v_high)
        progress_say(run->progress, "V in the stored frames: %.4g to %.4g mV", run->v_low, run->v_high);
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

static void warn_capture(struct run *run, const struct first_beat *first)
{
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
                run->config.stimulus[s].name, (long long)stimulus->nodes, stimulus->start);
    }
    if (came > 0 && first->nodes == 0)
        progress_warn(
            run->progress,
            "no node was activated: V never rose through activation.threshold (%g mV); a stimulus too "
            "weak or too short, or a threshold that this model does not reach",
            physics->activation_threshold);
}

/* That which begins with beat b of probe p */
static struct action_potential measure(const struct run *run, int p, int64_t b)
{
    int64_t beats = run->config.physics.activation_beats;
    const double *at = run->map + run->problem.probe[p].node * beats;
    const struct run_trace *trace = &run->trace;
    return action_potential_measure(trace->time,
                                    trace->rows ? trace->value + trace->first + p * trace->fields : NULL,
                                    trace->rows, trace->columns, b > 0 ? at[b - 1] : -INFINITY, at[b],
                                    b + 1 < beats && !isnan(at[b + 1]) ? at[b + 1] : INFINITY);
}

/* The beats of probe p, each by put(file, number of the beat, time, its potential); returns how many */
typedef void put_beat(FILE *file, const char *name, int64_t b, double at, struct action_potential potential);

static int64_t put_beats(FILE *file, const struct run *run, int p, put_beat *put)
{
    int64_t beats = run->config.physics.activation_beats, b = 0;
    const double *at = run->map + run->problem.probe[p].node * beats;
    for (; b < beats && !isnan(at[b]); b++)
        put(file, run->problem.probe[p].name, b, at[b], measure(run, p, b));
    return b;
}

static void put_time(FILE *file, const char *name, int64_t b, double at, struct action_potential potential)
{
    (void)name, (void)b, (void)potential;
    fprintf(file, " %.7g", at);
}

static void put_apd(FILE *file, const char *name, int64_t b, double at, struct action_potential potential)
{
    (void)name, (void)b, (void)at;
    if (isnan(potential.apd90))
        fputs(" -", file);
    else
        fprintf(file, " %.4g", potential.apd90);
}

static void put_row(FILE *file, const char *name, int64_t b, double at, struct action_potential potential)
{
    fprintf(file, "%s,%lld,%.10g,", name, (long long)b + 1, at);
    if (!isnan(potential.apd90))
        fprintf(file, "%.6g", potential.apd90);
    fputc(',', file);
    if (!isnan(potential.peak))
        fprintf(file, "%.6g", potential.peak);
    fputc('\n', file);
}

/* A line of the log: " NAME t1 t2 ...", or " NAME never" */
static enum status say_probes(struct run *run, const char *what, put_beat *put, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    for (int p = 0; file && p < run->config.output.probes; p++) {
        fprintf(file, "%s %s", p ? "," : "", run->problem.probe[p].name);
        if (put_beats(file, run, p, put) == 0)
            fputs(" never", file);
    }
    if (file)
        fclose(file);
    if (!text)
        return error_memory(error, "a line of the log", 4096);
    progress_say(run->progress, "%s, ms:%s", what, text);
    free(text);
    return STATUS_OK;
}

/* activation.csv: a row for each beat of each probe */
static enum status write_table(const struct run *run, struct error *error)
{
    char *path = run_path(run, "activation.csv");
    FILE *file = path ? fopen(path, "w") : NULL;
    enum status status = STATUS_OK;
    if (file) {
        fputs("probe,beat,activation_ms,apd90_ms,peak_mV\n", file);
        for (int p = 0; p < run->config.output.probes; p++)
            put_beats(file, run, p, put_row);
    }
    if (!path)
        status = error_memory(error, "a path", 1);
    else if (!file || ferror(file))
        status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    if (file && fclose(file) != 0 && !status)
        status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    free(path);
    return status;
}

enum status run_say_activation(struct run *run, struct error *error)
{
    if (monodomain_step(run->sim) == 0)
        return STATUS_OK;
    enum status status = monodomain_get(run->sim, run_activation(run), run->map, error);
    if (status)
        return status;
    struct first_beat first = find_first_beat(run);
    say_tissue(run, &first);
    if (run->config.physics.activation == ACTIVATION_THRESHOLD)
        warn_capture(run, &first);
    if (run->config.output.probes == 0)
        return STATUS_OK;
    status = say_probes(run, "probes activated at", put_time, error);
    if (run->trace.rows > 0)
        TRY(say_probes(run, "APD90 at the probes", put_apd, error));
    TRY(write_table(run, error));
    return status;
}
