/* activation.c: log when the tissue was activated, and warn of stimuli and nodes that were not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/report/results.h"
#include "solver/cells/stimulus.h"

/* ms after a stimulus until which what it captures is activated */
static const double latency = 5;

void results_find_activation(struct results *results)
{
    results->activated = 0;
    results->first = INFINITY;
    results->last = -INFINITY;
    for (int64_t i = 0; i < results->problem->mesh.nodes; i++) {
        double at = results->map[i * results->config->physics.activation_beats];
        if (isnan(at))
            continue;
        results->activated++;
        results->first = fmin(results->first, at);
        results->last = fmax(results->last, at);
    }
}

/* Whether none of the stimulus' nodes was activated after it began; a node whose beats are all recorded and
 * earlier proves nothing. */
static bool captured_nothing(const struct results *results, const struct stimulus *stimulus)
{
    int64_t beats = results->config->physics.activation_beats;
    for (int64_t k = 0; k < stimulus->nodes; k++) {
        const double *at = results->map + stimulus->node[k] * beats;
        if (!isnan(at[beats - 1]))
            return false;
        for (int64_t b = 0; b < beats; b++)
            if (at[b] >= stimulus->start)
                return false;
    }
    return true;
}

static bool left_out(const struct results *results, int64_t node)
{
    return isnan(results->map[node * results->config->physics.activation_beats]) &&
           (!results->excitable || results->excitable[node]);
}

/* What a stimulated tissue, stepped to its end, has not activated */
static void warn_left_out(const struct results *results, struct progress *progress)
{
    const struct problem *problem = results->problem;
    char *text = NULL;
    size_t length = 0;
    int64_t nodes = 0;
    int probes = 0;
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        nodes += left_out(results, i);
    FILE *file = nodes > 0 ? open_memstream(&text, &length) : NULL;
    if (!file)
        return;
    fprintf(file, "%lld of %lld nodes were not activated", (long long)nodes, (long long)problem->mesh.nodes);
    for (int p = 0; p < results->config->output.probes; p++)
        if (left_out(results, problem->probe[p].node))
            fprintf(file, "%s%s", probes++ ? ", " : "; probes that never were: ", problem->probe[p].name);
    if (results->last > results->time - latency)
        fprintf(file,
                "; the front was still running at the end (last activation at %.6g ms): a later time.end",
                results->last);
    else
        fprintf(
            file,
            "; no front came there (last activation at %.6g ms): the mesh is too coarse, or conduction is "
            "blocked or interrupted",
            results->last);
    fclose(file);
    if (text)
        progress_warn(progress, "%s", text);
    free(text);
}

static void warn_capture(const struct results *results, struct progress *progress)
{
    const struct monodomain_params *physics = &results->config->physics;
    int came = 0;
    for (int s = 0; s < results->problem->stimuli; s++) {
        const struct stimulus *stimulus = results->problem->stimulus + s;
        if (stimulus->current <= 0 || stimulus->start + stimulus->duration + latency > results->time)
            continue;
        came++;
        if (results->activated > 0 && captured_nothing(results, stimulus))
            progress_warn(
                progress,
                "stimulus %s captured nothing: none of its %lld nodes was activated after it began at "
                "%.10g ms",
                results->config->stimulus[results->problem->stimulus_from[s]].name,
                (long long)stimulus->nodes, stimulus->start);
    }
    if (came > 0 && results->activated == 0)
        progress_warn(
            progress,
            "no node was activated: V never rose through activation.threshold (%g mV); a stimulus too "
            "weak or too short, or a threshold that this model does not reach",
            physics->activation_threshold);
    if (came > 0 && results->activated > 0 && results->step >= results->config->steps)
        warn_left_out(results, progress);
}

/* A stimulus that comes to a node behind the last activation kept there: what it evokes is in no map. Whoever
 * keeps one activation wants the first. */
static void warn_dropped(const struct results *results, struct progress *progress)
{
    int64_t beats = results->config->physics.activation_beats;
    double now = results->time - latency;
    for (int s = 0; s < results->problem->stimuli && beats > 1; s++) {
        const struct stimulus *stimulus = results->problem->stimulus + s;
        double last = -INFINITY;
        for (int64_t k = 0;
             (stimulus->count == 0 || k < stimulus->count) && stimulus_start(stimulus, k) < now; k++)
            last = stimulus_start(stimulus, k);
        if (stimulus->current <= 0 || stimulus->nodes == 0 ||
            !(last > results->map[stimulus->node[0] * beats + beats - 1]))
            continue;
        progress_warn(progress,
                      "stimulus %s comes until %.10g ms, and the %lld activations of a node that "
                      "activation.beats keeps are over by then: later ones are in no map",
                      results->config->stimulus[results->problem->stimulus_from[s]].name, last,
                      (long long)beats);
        return;
    }
}

void results_log_activation(const struct results *results, struct progress *progress)
{
    if (results->activated > 0)
        progress_print(progress, "activated: %lld of %lld nodes, the first at %.6g ms, the last at %.6g ms",
                     (long long)results->activated, (long long)results->problem->mesh.nodes, results->first,
                     results->last);
    else
        progress_print(progress, "activated: no node");
    if (results->config->physics.activation == ACTIVATION_THRESHOLD)
        warn_capture(results, progress);
    warn_dropped(results, progress);
}
