/* verdict.c: what the tissue did, in words and as JSON: captures, activation, velocities, APD90, the ECG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/problem/velocity.h"
#include "app/report/results.h"
#include "solver/cells/stimulus.h"

enum { LISTED = 6 };             /* regions, or stimuli that all captured, with a line of their own */
static const double latency = 5; /* ms after a pulse until which what it captures is activated */
static const double missed_by = 0.05;
static const double high = 60; /* mV, more than cells reach by themselves */

/* Results and their log; text: of the line that is being made */
struct report {
    const struct results *results;
    struct progress *progress;
    FILE *file;
    char *text;
    size_t length;
};

static FILE *start_line(struct report *report)
{
    report->text = NULL;
    report->file = open_memstream(&report->text, &report->length);
    return report->file;
}

static void end_line(struct report *report, bool warning)
{
    if (report->file)
        fclose(report->file);
    if (report->text && warning)
        progress_warn(report->progress, "%s", report->text);
    else if (report->text)
        progress_print(report->progress, "%s", report->text);
    free(report->text);
    report->text = NULL;
}

static void print_place(FILE *file, int64_t node, const double place[3])
{
    double p[3];
    for (int x = 0; x < 3; x++)
        p[x] = fabs(place[x]) < 1e-6 ? 0 : place[x]; /* nodes on a plane of symmetry */
    fprintf(file, "node %lld (%.4g, %.4g, %.4g mm)", (long long)node, p[0], p[1], p[2]);
}

static const char *const ends[RESULTS_PULSE_ENDS] = {
    [RESULTS_CAPTURED] = "captured",       [RESULTS_PARTLY] = "captured in part",
    [RESULTS_NEGATIVE] = "wrong sign",     [RESULTS_PASSIVE] = "passive",
    [RESULTS_REFRACTORY] = "refractory",   [RESULTS_WEAK] = "too weak",
    [RESULTS_NOT_LEFT] = "did not spread", [RESULTS_NOT_APPLIED] = "not applied",
    [RESULTS_REACHED] = "another wave",    [RESULTS_CUT] = "run ended",
    [RESULTS_UNKNOWN] = "unknown"};

static void print_rest(FILE *file, const struct results_pulse *pulse)
{
    if (pulse->rested >= 0)
        fprintf(file, " (last activated at %.6g ms, repolarized %.3g ms before the pulse)", pulse->rose,
                pulse->rested);
    else if (!isnan(pulse->rose))
        fprintf(file, " (activated at %.6g ms, not repolarized yet)", pulse->rose);
}

/* Why a pulse did not capture, or not everywhere */
static void print_end(FILE *file, const struct results *results, const struct results_stimulus *stimulus,
                      const struct results_pulse *pulse)
{
    long long nodes = (long long)stimulus->nodes;
    switch (pulse->end) {
    case RESULTS_PARTLY:
        fprintf(file, "captured in part: %.0f %% of the nodes around it rose within 20 ms",
                100 * pulse->share);
        if (pulse->rested >= 0 || !isnan(pulse->rose)) {
            fprintf(file, "; the others were refractory");
            print_rest(file, pulse);
        } else
            fprintf(file, "; at the others the front is blocked or slow");
        break;
    case RESULTS_NEGATIVE:
        fprintf(file, "captured nothing, wrong sign: a negative current hyperpolarises");
        break;
    case RESULTS_PASSIVE:
        fprintf(file, "captured nothing, passive: none of its %lld nodes has cells that carry a front",
                nodes);
        break;
    case RESULTS_REFRACTORY:
        fprintf(file, "captured nothing, refractory");
        print_rest(file, pulse);
        break;
    case RESULTS_WEAK:
        fprintf(file,
                "captured nothing, too weak or too short: its %lld nodes did not rise through "
                "activation.threshold (%g mV)",
                nodes, results->config->physics.activation_threshold);
        break;
    case RESULTS_NOT_LEFT:
        fprintf(
            file,
            "captured nothing: its %lld nodes rose, but none around them did: too few of them, too weak a "
            "current, or a mesh too coarse",
            nodes);
        break;
    case RESULTS_REACHED:
        fprintf(file, "captured nothing: another wave reached its %lld nodes, and nodes around them first",
                nodes);
        break;
    case RESULTS_NOT_APPLIED:
        fprintf(file, "was not applied: the run ended before");
        break;
    case RESULTS_CUT:
        fprintf(file, "had captured nothing when the run ended less than 20 ms later");
        break;
    case RESULTS_UNKNOWN:
        fprintf(file, "unknown: the nodes around it were activated more often than is recorded");
        break;
    default:
        fprintf(file, "captured after %.3g ms", pulse->latency);
    }
}

/* Whether nothing is known to have failed */
static bool is_good(const struct results_pulse *pulse)
{
    return pulse->end == RESULTS_CAPTURED || pulse->end == RESULTS_UNKNOWN || pulse->end == RESULTS_CUT;
}

static void log_stimulus(struct report *report, const struct results_stimulus *stimulus)
{
    const struct results_pulse *bad = NULL;
    bool lost = false; /* a part may be all that was wanted: a wave that turns back */
    int64_t unknown = 0;
    for (int64_t k = stimulus->pulses - 1; k >= 0; k--) {
        bad = is_good(&stimulus->pulse[k]) ? bad : &stimulus->pulse[k];
        lost |= !is_good(&stimulus->pulse[k]) && stimulus->pulse[k].end != RESULTS_PARTLY;
        unknown += stimulus->pulse[k].end == RESULTS_UNKNOWN;
    }
    FILE *file = stimulus->pulses > 0 ? start_line(report) : NULL;
    if (!file)
        return;
    if (stimulus->pulses == 1) {
        fprintf(file, "stimulus %s at %.6g ms: ", stimulus->name, stimulus->pulse->start);
        print_end(file, report->results, stimulus, stimulus->pulse);
    } else {
        fprintf(file, "stimulus %s: %lld of %lld pulses from %.6g to %.6g ms captured", stimulus->name,
                (long long)stimulus->captured, (long long)stimulus->pulses, stimulus->pulse->start,
                stimulus->pulse[stimulus->pulses - 1].start);
        if (unknown > 0)
            fprintf(file, ", %lld unknown", (long long)unknown);
        if (bad) {
            fprintf(file, "; the pulse at %.6g ms ", bad->start);
            print_end(file, report->results, stimulus, bad);
        }
    }
    end_line(report, lost);
}

static void log_stimuli(struct report *report)
{
    const struct results *results = report->results;
    int captured = 0;
    for (int i = 0; i < results->stimuli; i++) {
        const struct results_stimulus *stimulus = &results->stimulus[i];
        bool all = true;
        for (int64_t k = 0; k < stimulus->pulses; k++)
            all = all && is_good(&stimulus->pulse[k]);
        captured += all;
        if (results->stimuli <= LISTED || !all)
            log_stimulus(report, stimulus);
    }
    if (results->stimuli > LISTED)
        progress_print(report->progress, "stimuli: %d of %d captured", captured, results->stimuli);
    if (results->stimuli < results->config->stimuli)
        progress_print(report->progress,
                       "stimuli: what they captured is unknown: activation.method max-slope "
                       "records one activation of a node");
    if (results->config->stimuli == 0)
        progress_print(report->progress, "no stimulus: %s",
                       results->activated > 0 ? "the tissue was activated by itself, or by its initial state"
                                              : "nothing was activated");
}

static const char *model_of(const struct results *results, int r)
{
    return results->config->tissue.region[r].model->name;
}

static void log_activation(struct report *report)
{
    const struct results *results = report->results;
    long long nodes = (long long)results->problem->mesh.nodes, able = (long long)results->excitable;
    FILE *file = start_line(report);
    if (!file)
        return;
    if (results->activated > 0)
        fprintf(file,
                "activated: %lld of %lld nodes, the first at %.4g ms, the last at %.6g ms (%.4g ms in all)",
                (long long)results->activated, able, results->first, results->last,
                results->last - results->first);
    else
        fprintf(file, "activated: no node");
    if (able < nodes)
        fprintf(file, " (%lld passive nodes are left out)", nodes - able);
    end_line(report, false);
    file = results->regions > 1 && results->regions <= LISTED && results->activated < able &&
                   results->activated > 0
               ? start_line(report)
               : NULL;
    for (int r = 0, shown = 0; file && r < results->regions; r++) {
        const struct results_region *region = &results->region[r];
        if (results->problem->region[r].resistor)
            continue;
        fprintf(file, shown++ ? ", %d %s " : "activated by region: %d %s ", r, model_of(results, r));
        if (region->excitable && region->nodes > 0)
            fprintf(file, "%.3g %%", 100.0 * (double)region->activated[0] / (double)region->nodes);
        else
            fprintf(file, region->nodes > 0 ? "passive" : "without nodes");
    }
    if (file)
        end_line(report, false);
}

static bool left_out(const struct results *results, int64_t node)
{
    return sites_excitable(results->cells, node) &&
           isnan(results->map[node * results->config->physics.activation_beats]);
}

static void print_cause(FILE *file, const struct results *results)
{
    const struct results_stop *stop = &results->stop;
    switch (stop->cause) {
    case RESULTS_COARSE:
        fprintf(file, ": too coarse, edges there are %.2g mm long; to stay within 5 %%, use %.2g mm",
                stop->edge, stop->enough);
        break;
    case RESULTS_AGAIN:
        fprintf(file, ": refractory, the nodes ahead had been activated before");
        break;
    case RESULTS_BEHIND:
        fprintf(file, ": passive, what is left lies behind cells that carry no front");
        break;
    case RESULTS_DISCONNECTED:
        fprintf(file, ": no element connects what is left");
        break;
    case RESULTS_FAILED:
        fprintf(file, ": too little current for the tissue ahead (conductivity, excitability, or a narrow "
                      "passage)");
        break;
    case RESULTS_UNSEEN:
        fprintf(file, " (several ranks do not look for the cause)");
        break;
    default:
        break;
    }
}

static void warn_stop(struct report *report)
{
    const struct results *results = report->results;
    const struct results_stop *stop = &results->stop;
    bool running = stop->cause == RESULTS_RUNNING;
    int probes = 0;
    if (stop->cause == RESULTS_NO_STOP || (running && stop->beat > 1))
        return;
    FILE *file = start_line(report);
    if (!file)
        return;
    fprintf(file, "%lld of %lld nodes were not activated", (long long)stop->left,
            (long long)results->excitable);
    if (stop->beat > 1)
        fprintf(file, " by beat %lld", (long long)stop->beat);
    for (int p = 0; p < results->config->output.probes && stop->beat == 1; p++)
        if (left_out(results, results->problem->probe[p].node))
            fprintf(file, "%s%s",
                    probes++ ? ", " : "; probes that never were: ", results->problem->probe[p].name);
    if (running)
        fprintf(file,
                "; the front was still running at the end (last activation at %.6g ms); set a later time.end",
                results->last);
    else {
        fprintf(file, "; the front stopped at %.6g ms at ", stop->time);
        print_place(file, stop->node, stop->place);
        print_cause(file, results);
    }
    end_line(report, true);
}

/* Several ranks measure velocities only for the map, for which each has all elements. */
static void log_unmeasured(struct report *report)
{
    const struct results *results = report->results;
    FILE *file = results->activated > 1 && !results->problem->mesh.vertex ? start_line(report) : NULL;
    if (!file)
        return;
    fprintf(file, "velocity: not measured on several ranks; output.maps: [conduction_velocity] measures it");
    end_line(report, false);
}

/* What the asked velocity is for, where that is not this tissue */
static const char *asked_for(const struct results *results, int r)
{
    const struct problem *problem = results->problem;
    return problem->region[r].fields > 0                               ? " in cells with uniform parameters"
           : velocity_fibers_turn(&problem->mesh, &problem->params, r) ? " with parallel fibres"
                                                                       : "";
}

static void log_velocities(struct report *report)
{
    static const char *const way[VELOCITY_DIRECTIONS] = {"along the fibres", "across them"};
    const struct results *results = report->results;
    int lines = 0;
    for (int r = 0; r < results->regions && lines < LISTED; r++) {
        const struct results_region *region = &results->region[r];
        bool isotropic = results->problem->params.region[r].isotropic;
        FILE *file = NULL;
        bool missed = false;
        for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
            const struct velocity_spread *v = &region->velocity[k];
            if (isnan(v->median))
                continue;
            bool begins = !file;
            file = file ? file : start_line(report);
            if (!file)
                return;
            if (begins && results->regions > 1)
                fprintf(file, "velocity in region %d (%s): ", r, model_of(results, r));
            else
                fprintf(file, begins ? "velocity: " : ", ");
            fprintf(file, "%.3g m/s", v->median);
            if (!isotropic && results->problem->mesh.dimension > 1)
                fprintf(file, " %s", way[k]);
            fprintf(file, " (quartiles %.3g to %.3g", v->low, v->high);
            if (!isnan(region->asked[k]))
                fprintf(file, "; asked for %.3g%s", region->asked[k], asked_for(results, r));
            fprintf(file, ")");
            missed |= fabs(v->median / region->asked[k] - 1) > missed_by;
        }
        if (file) {
            end_line(report, missed && results->problem->region[r].fields > 0);
            lines++;
        }
    }
}

static void log_apd(struct report *report)
{
    enum { FIRST = 2 };
    const struct results *results = report->results;
    for (int r = 0; r < results->regions && r < LISTED && results->apd_beats > 0; r++) {
        const struct results_quartiles *apd = results->region[r].apd90;
        int64_t beats = 0;
        while (beats < results->apd_beats && apd[beats].nodes > 0)
            beats++;
        FILE *file = beats > 0 ? start_line(report) : NULL;
        if (!file)
            continue;
        if (results->regions > 1)
            fprintf(file, "APD90 in region %d (%s): ", r, model_of(results, r));
        else
            fprintf(file, "APD90: ");
        for (int64_t b = 0; b < beats; b++) {
            if (b >= FIRST && b < beats - 1)
                continue;
            fprintf(file, "%s%s", b == 0 ? "" : b > FIRST ? ", ... " : ", ", beats > 1 ? "beat " : "");
            if (beats > 1)
                fprintf(file, "%lld ", (long long)b + 1);
            fprintf(file, "%.4g ms (quartiles %.4g to %.4g)", apd[b].median, apd[b].low, apd[b].high);
        }
        if (!results->apd_everywhere)
            fprintf(file, ", at %lld recorded nodes", (long long)apd[0].nodes);
        end_line(report, false);
    }
}

static void log_ecg(struct report *report)
{
    const struct intervals *ecg = &report->results->intervals;
    FILE *file = isnan(ecg->begin) ? NULL : start_line(report);
    if (!file)
        return;
    fprintf(file, "ECG: QRS ");
    fprintf(file, isnan(ecg->qrs) ? "not over" : "%.4g ms", ecg->qrs);
    fprintf(file, isnan(ecg->qt) ? ", QT unknown: T does not end" : ", QT %.4g ms", ecg->qt);
    if (!isnan(ecg->axis))
        fprintf(file, ", axis %.0f degrees", ecg->axis);
    if (!report->results->config->ecg.fields && !report->results->config->ecg.torso)
        fprintf(file, " (in an unbounded conductor)");
    end_line(report, false);
}

static void log_peak(struct report *report)
{
    const struct results_peak *peak = &report->results->peak;
    FILE *file = peak->value > high ? start_line(report) : NULL;
    if (!file)
        return;
    fprintf(file, "largest V: %.4g mV at ", peak->value);
    print_place(file, peak->node, peak->place);
    if (!isnan(peak->time))
        fprintf(file, " at %.6g ms", peak->time);
    fprintf(file, ", more than cells reach by themselves: a strong stimulus, or too long a step");
    end_line(report, false);
}

/* A stimulus that comes to a node after the last activation that the maps keep there: what it evokes is in no
 * map. Whoever keeps one activation needs the first alone. */
static void warn_dropped(struct report *report)
{
    const struct results *results = report->results;
    int64_t beats = results->config->physics.activation_beats;
    for (int s = 0; s < results->problem->stimuli && beats > 1; s++) {
        const struct stimulus *stimulus = results->problem->stimulus + s;
        double last = -INFINITY;
        for (int64_t k = 0; (stimulus->count == 0 || k < stimulus->count) &&
                            stimulus_start(stimulus, k) < results->time - latency;
             k++)
            last = stimulus_start(stimulus, k);
        int64_t one = 0;
        while (one < stimulus->nodes && stimulus_weight(stimulus, one) < stimulus_least_weight(stimulus))
            one++;
        if (stimulus->current <= 0 || stimulus->nodes == 0 ||
            !(last > results->map[stimulus->node[one] * beats + beats - 1]))
            continue;
        progress_warn(report->progress,
                      "stimulus %s comes until %.10g ms, and the %lld activations of a node that "
                      "activation.beats keeps are over by then: later ones are in no map",
                      results->config->stimulus[results->problem->stimulus_from[s]].name, last,
                      (long long)beats);
        return;
    }
}

enum status results_log_tissue(const struct results *results, struct progress *progress, struct error *error)
{
    struct report report = {.results = results, .progress = progress};
    log_stimuli(&report);
    log_activation(&report);
    warn_stop(&report);
    warn_dropped(&report);
    log_unmeasured(&report);
    log_velocities(&report);
    log_apd(&report);
    if (results->columns > 0)
        TRY(results_log_beats(results, progress, error));
    log_ecg(&report);
    log_peak(&report);
    return STATUS_OK;
}

static void put_place(struct json *json, int64_t node, const double place[3])
{
    json_integer(json, "node", node);
    json_open(json, "place", '[');
    for (int x = 0; x < 3; x++)
        json_number(json, NULL, place[x]);
    json_close(json);
}

static void put_stimuli(struct json *json, const struct results *results)
{
    json_open(json, "stimuli", '[');
    for (int i = 0; i < results->stimuli; i++) {
        const struct results_stimulus *stimulus = &results->stimulus[i];
        json_open(json, NULL, '{');
        json_text(json, "name", stimulus->name);
        json_integer(json, "nodes", stimulus->nodes);
        json_integer(json, "captured", stimulus->captured);
        json_open(json, "pulses", '[');
        for (int64_t k = 0; k < stimulus->pulses; k++) {
            const struct results_pulse *pulse = &stimulus->pulse[k];
            json_open(json, NULL, '{');
            json_number(json, "start", pulse->start);
            json_text(json, "end", ends[pulse->end]);
            json_number(json, "latency", pulse->latency);
            json_number(json, "share", pulse->share);
            json_close(json);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_quartiles(struct json *json, const char *key, int64_t count, double low, double median,
                          double upper)
{
    json_open(json, key, '{');
    json_integer(json, "count", count);
    json_number(json, "low", low);
    json_number(json, "median", median);
    json_number(json, "high", upper);
    json_close(json);
}

static void put_region(struct json *json, const struct results *results, int r)
{
    static const char *const way[VELOCITY_DIRECTIONS] = {"along", "across"};
    const struct results_region *region = &results->region[r];
    json_open(json, NULL, '{');
    json_text(json, "model", model_of(results, r));
    json_integer(json, "nodes", region->nodes);
    json_flag(json, "excitable", region->excitable);
    json_open(json, "activated", '[');
    for (int64_t b = 0; b < results->config->physics.activation_beats; b++)
        json_integer(json, NULL, region->activated[b]);
    json_close(json);
    json_open(json, "velocity", '{');
    for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
        const struct velocity_spread *v = &region->velocity[k];
        json_open(json, way[k], '{');
        json_integer(json, "elements", v->elements);
        json_number(json, "low", v->low);
        json_number(json, "median", v->median);
        json_number(json, "high", v->high);
        json_number(json, "asked", region->asked[k]);
        json_close(json);
    }
    json_close(json);
    json_open(json, "apd90", '[');
    for (int64_t b = 0; b < results->apd_beats && region->apd90[b].nodes > 0; b++) {
        const struct results_quartiles *apd = &region->apd90[b];
        put_quartiles(json, NULL, apd->nodes, apd->low, apd->median, apd->high);
    }
    json_close(json);
    json_close(json);
}

static void put_stop(struct json *json, const struct results *results)
{
    static const char *const cause[RESULTS_STOP_CAUSES] = {
        [RESULTS_RUNNING] = "run ended",         [RESULTS_COARSE] = "too coarse",
        [RESULTS_AGAIN] = "refractory",          [RESULTS_BEHIND] = "passive",
        [RESULTS_FAILED] = "too little current", [RESULTS_DISCONNECTED] = "disconnected"};
    const struct results_stop *stop = &results->stop;
    if (stop->cause == RESULTS_NO_STOP)
        return;
    json_open(json, "stopped", '{');
    json_integer(json, "beat", stop->beat);
    json_integer(json, "left", stop->left);
    json_number(json, "time", stop->time);
    put_place(json, stop->node, stop->place);
    json_text(json, "cause", cause[stop->cause]);
    json_close(json);
}

void results_json_tissue(const struct results *results, struct json *json)
{
    const struct intervals *ecg = &results->intervals;
    put_stimuli(json, results);
    json_open(json, "regions", '[');
    for (int r = 0; r < results->regions; r++)
        put_region(json, results, r);
    json_close(json);
    put_stop(json, results);
    json_open(json, "ecg", '{');
    json_number(json, "begin", ecg->begin);
    json_number(json, "qrs", ecg->qrs);
    json_number(json, "qt", ecg->qt);
    json_number(json, "t_peak", ecg->t_peak);
    json_number(json, "axis", ecg->axis);
    json_close(json);
    if (isnan(results->peak.value))
        return;
    json_open(json, "largest_v", '{');
    json_number(json, "value", results->peak.value);
    json_number(json, "time", results->peak.time);
    put_place(json, results->peak.node, results->peak.place);
    json_close(json);
}
