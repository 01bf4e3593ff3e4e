/* verdict.c: sentences about the tissue's behaviour: captures, activation, velocities, APD90, the ECG. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/problem/velocity.h"
#include "app/report/results.h"
#include "solver/cells/stimulus.h"

enum { LISTED = 6 };                  /* at most this many regions, stimuli or waves get a line each */
static const double missed_by = 0.05; /* relative difference from `velocity:` that gives a warning, */
static const double alike = 0.03;     /* if the quartiles are within this of the median */
static const double high = 60;        /* mV, more than cells reach without a stimulus */

/* The facts and the sentence being written; if out of memory facts are missing, and status is an error */
struct report {
    const struct results *results;
    struct facts *facts;
    struct printed line;
    enum status status;
    struct error *error;
};

static FILE *start_line(struct report *report)
{
    enum status status = printed_open(&report->line, report->status ? NULL : report->error);
    report->status = report->status ? report->status : status;
    return report->line.file;
}

/* Ends the sentence and adds it as a fact of that name, for region or stimulus `which`. */
static void tell_of(struct report *report, const char *name, enum fact_of of, int which, bool warning)
{
    enum status status = printed_close(&report->line, report->status ? NULL : report->error);
    struct fact fact = {
        .name = name, .of = of, .which = which, .sentence = report->line.text, .warning = warning};
    if (!status)
        status = facts_add(report->facts, fact, report->status ? NULL : report->error);
    report->status = report->status ? report->status : status;
}

static void tell(struct report *report, const char *name, bool warning)
{
    tell_of(report, name, FACT_RUN, 0, warning);
}

static void say(struct report *report, const char *name, bool warning, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(struct report *report, const char *name, bool warning, const char *format, ...)
{
    va_list arguments;
    FILE *file = start_line(report);
    va_start(arguments, format);
    if (file)
        vfprintf(file, format, arguments);
    va_end(arguments);
    if (file)
        tell(report, name, warning);
}

static void print_position(FILE *file, int64_t node, const double position[3])
{
    double p[3];
    for (int x = 0; x < 3; x++)
        p[x] = fabs(position[x]) < 1e-6 ? 0 : position[x]; /* on a plane of symmetry: print 0 */
    fprintf(file, "node %lld (%.4g, %.4g, %.4g mm)", (long long)node, p[0], p[1], p[2]);
}

static void print_rest(FILE *file, const struct waves_rest *rest)
{
    if (rest->rested >= 0)
        fprintf(file, " (last activated at %s ms, repolarized %s ms before the pulse)",
                time_text(rest->rose).text, time_text(rest->rested).text);
    else if (!isnan(rest->rose))
        fprintf(file, " (activated at %s ms, not repolarized yet)", time_text(rest->rose).text);
    else if (!isnan(rest->rested))
        fprintf(file, " (not repolarized since the beginning)");
}

static void print_suspect(FILE *file, const struct results *results)
{
    if (results->config->suspect)
        fprintf(file, "; possible cause: %s", results->config->suspect);
}

#define SENTENCE(name, word, sentence) sentence,
static const char *const end_sentences[] = {WAVES_ENDS(SENTENCE)}, *const reason_sentences[] = {
                                                                       WAVES_REASONS(SENTENCE)};
#undef SENTENCE

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_followers(FILE *file, const struct waves_response *response)
{
    fprintf(file, "%lld node%s followed, %s to %s ms after it", (long long)response->nodes,
            plural(response->nodes), time_text(response->first).text, time_text(response->last).text);
}

/* Prints the details of a reason, after "captured nothing" and the reason itself. */
static void print_reason(FILE *file, const struct results *results, const struct results_stimulus *stimulus,
                         const struct results_pulse *pulse)
{
    const struct waves_response *response = &pulse->response;
    const double threshold = results->config->physics.activation_threshold;
    const bool early = 2 * (response->rest.up + response->rest.early) > response->rest.nodes;
    switch (response->reason) {
    case WAVES_PASSIVE:
        fprintf(file, ": none of its %lld nodes has cells that carry a front", (long long)stimulus->nodes);
        break;
    case WAVES_REFRACTORY:
        print_rest(file, &response->rest);
        break;
    case WAVES_WEAK:
        fprintf(file, ": it raised none of its %lld nodes through the threshold", (long long)stimulus->nodes);
        if (!isnan(threshold))
            fprintf(file, " (activation.threshold, %g mV)", threshold);
        fprintf(file, " in the %s ms until the run ended", time_text(results->time - pulse->start).text);
        print_suspect(file, results);
        break;
    case WAVES_NONE_FOLLOWED:
        fprintf(file, ": %lld of its %lld nodes rose, none beside them", (long long)response->rose,
                (long long)response->own);
        if (early)
            print_rest(file, &response->rest);
        else
            print_suspect(file, results);
        break;
    case WAVES_ANOTHER:
        fprintf(file, ", that of %s ms, activated its nodes while it was on",
                time_text(results->waves->wave[response->other].start).text);
        break;
    default:
        break;
    }
}

/* Prints the response to a pulse, after its name and time. */
static void print_end(FILE *file, const struct results *results, const struct results_stimulus *stimulus,
                      const struct results_pulse *pulse)
{
    const struct waves_response *response = &pulse->response;
    const bool captured = response->end == WAVES_CAPTURED;
    fprintf(file, "%s%s", end_sentences[response->end], reason_sentences[response->reason]);
    if (captured && response->nodes == 0)
        fprintf(file, ": all of its %lld nodes rose; none beside them was left", (long long)response->own);
    else if (captured || response->end == WAVES_FADED) {
        fprintf(file, response->late ? ", late: " : ": ");
        print_followers(file, response);
    }
    if (response->end == WAVES_FADED) {
        fprintf(file, ", up to %.2g mm away, each step slower than the one before", response->reach);
        print_suspect(file, results);
    }
    print_reason(file, results, stimulus, pulse);
    for (int64_t k = 0; k < pulse->togethers; k++)
        fprintf(file, "%s%s at %s ms", k ? " and " : "; together with ", pulse->together[k].name,
                time_text(pulse->together[k].start).text);
    if (captured && response->held > 0) {
        const struct waves_rest *rest = &response->rest;
        fprintf(file, "; blocked at %lld of the %lld nodes next to it", (long long)response->held,
                (long long)response->around);
        if (2 * (rest->up + rest->early) > rest->nodes) {
            fprintf(file, ", refractory");
            print_rest(file, rest);
        }
    }
    if (response->repeats > 0)
        fprintf(file, "; %lld more wave%s while it lasted", (long long)response->repeats,
                plural(response->repeats));
    if (captured && response->running)
        fprintf(file, "; still running at the end");
}

/* Whether a pulse captured or, if its response was not recorded, may have */
static bool is_good(const struct results_pulse *pulse)
{
    return pulse->response.end == WAVES_CAPTURED || pulse->response.end == WAVES_NOT_RECORDED;
}

static void log_stimulus(struct report *report, const struct results_stimulus *stimulus)
{
    const struct results_pulse *bad = NULL;
    int64_t unknown = 0;
    for (int64_t k = stimulus->pulses - 1; k >= 0; k--) {
        bad = is_good(&stimulus->pulse[k]) ? bad : &stimulus->pulse[k];
        unknown += stimulus->pulse[k].response.end == WAVES_NOT_RECORDED;
    }
    FILE *file = stimulus->pulses > 0 ? start_line(report) : NULL;
    if (!file)
        return;
    if (stimulus->pulses == 1) {
        fprintf(file, "stimulus %s at %s ms: ", stimulus->name, time_text(stimulus->pulse->start).text);
        print_end(file, report->results, stimulus, stimulus->pulse);
    } else {
        fprintf(file, "stimulus %s: %lld of %lld pulses from %s to %s ms captured", stimulus->name,
                (long long)stimulus->captured, (long long)stimulus->pulses,
                time_text(stimulus->pulse->start).text,
                time_text(stimulus->pulse[stimulus->pulses - 1].start).text);
        if (unknown > 0)
            fprintf(file, ", %lld unknown", (long long)unknown);
        if (bad) {
            fprintf(file, "; the pulse at %s ms: ", time_text(bad->start).text);
            print_end(file, report->results, stimulus, bad);
        }
    }
    tell_of(report, "stimulus", FACT_STIMULUS, (int)(stimulus - report->results->stimulus), bad);
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
        say(report, "stimuli", false, "stimuli: %d of %d captured", captured, results->stimuli);
    if (results->config->stimuli == 0)
        say(report, "stimuli", false, "no stimulus: %s",
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
        fprintf(file, "activated: %lld of %lld nodes, the first at %s ms, the last at %s ms (within %s ms)",
                (long long)results->activated, able, time_text(results->first).text,
                time_text(results->last).text, time_text(results->last - results->first).text);
    else
        fprintf(file, "activated: no node");
    if (able < nodes)
        fprintf(file, " (%lld passive nodes are left out)", nodes - able);
    tell(report, "activation", false);
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
        tell(report, "activation", false);
}

static bool left_out(const struct results *results, int64_t node)
{
    return sites_excitable(results->cells, node) &&
           isnan(results->map[node * results->config->physics.activation_beats]);
}

static void print_cause(FILE *file, const struct results_stop *stop)
{
#define SENTENCE(name, word, sentence) sentence,
    static const char *const sentences[] = {RESULTS_STOPS(SENTENCE)};
#undef SENTENCE
    fputs(sentences[stop->cause], file);
    if (stop->cause == RESULTS_COARSE)
        fprintf(file, " %.2g mm long; to stay within 5 %%, use %.2g mm", stop->edge, stop->enough);
    else if (stop->cause == RESULTS_AGAIN && stop->rested < 0)
        fprintf(file, " were not repolarized yet");
    else if (stop->cause == RESULTS_AGAIN)
        fprintf(file, " had been repolarized for %s ms at least", time_text(stop->rested).text);
}

/* Prints the origin of a wave: " of S2 at 340 ms". */
static void print_wave(FILE *file, const struct results *results, int32_t w)
{
    const struct wave *wave = &results->waves->wave[w];
    if (wave->owner < 0)
        fprintf(file,
                wave->owner == WAVES_ITSELF ? " that began by itself at %s ms"
                                            : " that began without a stimulus at %s ms",
                time_text(wave->start).text);
    for (int32_t o = wave->owner; o >= 0; o = results->waves->owner[o].next) {
        const struct results_name name = results_owner(results, o);
        fprintf(file, "%s %s at %s ms", o == wave->owner ? " of" : " and", name.name,
                time_text(name.start).text);
    }
}

static void print_stop(FILE *file, const struct results_stop *stop, const char *how)
{
    if (stop->node >= 0) {
        fprintf(file, " %s at %s ms at ", how, time_text(stop->time).text);
        print_position(file, stop->node, stop->position);
    } else
        fprintf(file, " ended at %s ms", time_text(stop->time).text);
    print_cause(file, stop);
}

/* The stop that left nodes unactivated: the last one with such nodes ahead */
static const struct results_stop *final_stop(const struct results *results)
{
    const struct results_stop *final = NULL;
    for (int k = 0; k < results->stops; k++)
        if (results->stop[k].wave < 0 || (results->stop[k].never > 0 && !results->running))
            final = &results->stop[k];
    return final;
}

static void warn_left(struct report *report)
{
    const struct results *results = report->results;
    const struct results_stop *stop = final_stop(results);
    int probes = 0;
    FILE *file =
        results->activated > 0 && results->activated < results->excitable ? start_line(report) : NULL;
    if (!file)
        return;
    fprintf(file, "%lld of %lld nodes were not activated",
            (long long)(results->excitable - results->activated), (long long)results->excitable);
    for (int p = 0; p < results->config->output.probes; p++)
        if (left_out(results, results->problem->probe[p].node))
            fprintf(file, "%s%s",
                    probes++ ? ", " : "; probes that never were: ", results->problem->probe[p].name);
    if (stop) {
        fprintf(file, "; the front");
        print_stop(file, stop, "stopped");
    } else if (results->running)
        fprintf(file,
                "; the front was still running at the end (last activation at %s ms); set a later time.end",
                time_text(results->waves->activation[results->waves->activations - 1].time).text);
    tell(report, stop ? "blocked" : "not_activated", true);
}

/* Logs the stops other than the final one: of waves that met nodes already activated by an earlier wave. */
static void log_stops(struct report *report)
{
    const struct results *results = report->results;
    const struct results_stop *final = final_stop(results);
    int shown = 0, left = 0;
    for (int k = 0; k < results->stops; k++) {
        const struct results_stop *stop = &results->stop[k];
        const struct wave *wave = stop->wave < 0 ? NULL : &results->waves->wave[stop->wave];
        if (stop == final || !wave->steady) /* a wave that is not steady captured nothing */
            continue;
        FILE *file = shown < LISTED ? start_line(report) : NULL;
        left += !file;
        if (!file)
            continue;
        shown++;
        fprintf(file, "the wave");
        print_wave(file, results, stop->wave);
        print_stop(file, stop, "was blocked");
        fprintf(file, "; it activated %lld of %lld nodes", (long long)stop->reached,
                (long long)results->excitable);
        tell(report, "blocked", true);
    }
    if (left > 0)
        say(report, "blocked", false, "%d more waves were blocked", left);
}

static void log_returns(struct report *report)
{
    const struct results *results = report->results;
    for (int k = 0; k < results->backs; k++) {
        const struct results_return *back = &results->back[k];
        const struct wave *wave = &results->waves->wave[back->wave];
        FILE *file = k < LISTED ? start_line(report) : NULL;
        if (!file)
            continue;
        fprintf(file, "re-entry: the wave");
        print_wave(file, results, back->wave);
        fprintf(file, " activated nodes again %lld time%s, first ", (long long)wave->again,
                plural(wave->again));
        print_position(file, back->node, back->position);
        fprintf(file, " at %s ms, at intervals of %s ms; ", time_text(back->time).text,
                time_text(back->cycle).text);
        fprintf(file, back->running ? "it was still running at the end" : "its last activation was at %s ms",
                time_text(results->waves->activation[wave->last].time).text);
        tell(report, "reentry", false);
    }
    if (results->backs > LISTED)
        say(report, "reentry", false, "re-entry: %d more waves", results->backs - LISTED);
}

/* Logs spontaneous activations, unless the config has no stimulus, so that they are expected. */
static void log_unknown(struct report *report)
{
    const struct results *results = report->results;
    if (!isnan(results->itself_at) && results->config->stimuli > 0)
        say(report, "activated_by_itself", false, "the tissue was activated by itself, first at %s ms",
            time_text(results->itself_at).text);
    if (results->unknown > 0 && results->config->stimuli > 0)
        say(report, "unknown_cause", false,
            "%lld activation%s by neither a stimulus nor a neighbour, the first at %s ms",
            (long long)results->unknown, results->unknown == 1 ? "" : "s",
            time_text(results->unknown_at).text);
    if (results->dropped > 0)
        say(report, "unknown_cause", false,
            "not recorded: %lld nodes were activated more than %lld times; of these the first ones "
            "and the last are recorded",
            (long long)results->dropped, (long long)results->slots);
}

/* The tissue for which a given velocity holds, if it differs from this one */
static const char *asked_for(const struct results *results, int r)
{
    const struct problem *problem = results->problem;
    return problem->region[r].fields > 0                               ? " in cells with uniform parameters"
           : velocity_fibers_turn(&problem->mesh, &problem->params, r) ? " with parallel fibres"
                                                                       : "";
}

static void log_velocities(struct report *report)
{
    const struct results *results = report->results;
    int lines = 0;
    for (int r = 0; r < results->regions && lines < LISTED; r++) {
        const struct results_region *region = &results->region[r];
        bool isotropic = results->problem->params.region[r].isotropic;
        FILE *file = NULL;
        bool missed = false, surely = false;
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
                fprintf(file, k == VELOCITY_ALONG ? " along the fibres"
                              : begins            ? " across the fibres"
                                                  : " across them");
            fprintf(file, " (quartiles %.3g to %.3g", v->low, v->high);
            if (!isnan(region->asked[k]))
                fprintf(file, "; asked for %.3g%s", region->asked[k], asked_for(results, r));
            fprintf(file, ")");
            const bool misses = fabs(v->median / region->asked[k] - 1) > missed_by;
            missed |= misses;
            surely |= misses && fmax(v->high - v->median, v->median - v->low) < alike * v->median;
        }
        if (file) {
            tell_of(report, "velocity", FACT_REGION, r,
                    surely || (missed && results->problem->region[r].fields > 0));
            lines++;
        }
    }
}

/* Warns about maps of repolarization in which no node has a value. */
static void warn_unrepolarized(struct report *report)
{
    const struct results *results = report->results;
    const struct config_output *output = &results->config->output;
    bool any = false;
    for (int r = 0; r < results->regions && results->apd_beats > 0; r++)
        any = any || results->region[r].apd90[0].nodes > 0;
    if (!any && results->apd_everywhere && results->activated > 0 &&
        maps_ask(output->map, output->maps, MAPS_APD))
        say(report, "apd90", true,
            "output.maps: no node has an APD90: none repolarized before the run ended");
}

/* The number of nodes that were activated after that beat */
static int64_t count_later(const struct results *results, int64_t beat)
{
    const struct waves *waves = results->waves;
    int64_t beats = results->config->physics.activation_beats, later = 0;
    for (int64_t i = 0; i < results->problem->mesh.nodes && waves; i++)
        later += waves->latest[i] >= 0 &&
                 waves->activation[waves->latest[i]].time > results->map[i * beats + beat];
    return later;
}

static void log_apd(struct report *report)
{
    enum { FIRST = 2 };
    const struct results *results = report->results;
    bool more = results->apd_beats > 0 && count_later(results, 0) > 0;
    for (int r = 0; r < results->regions && r < LISTED && results->apd_beats > 0; r++) {
        const struct results_quartiles *apd = results->region[r].apd90;
        int64_t beats = 0;
        while (beats < results->apd_beats && apd[beats].nodes > 0)
            beats++;
        FILE *file = beats > 0 ? start_line(report) : NULL;
        if (!file)
            continue;
        bool several = beats > 1 || more;
        if (results->regions > 1)
            fprintf(file, "APD90 in region %d (%s): ", r, model_of(results, r));
        else
            fprintf(file, "APD90: ");
        for (int64_t b = 0; b < beats; b++) {
            if (b >= FIRST && b < beats - 1)
                continue;
            fprintf(file, "%s%s", b == 0 ? "" : b > FIRST ? ", ... " : ", ", several ? "beat " : "");
            if (several)
                fprintf(file, "%lld ", (long long)b + 1);
            fprintf(file, "%s ms (quartiles %s to %s)", time_text(apd[b].median).text,
                    time_text(apd[b].low).text, time_text(apd[b].high).text);
        }
        if (!results->apd_everywhere)
            fprintf(file, ", at %lld recorded nodes", (long long)apd[0].nodes);
        tell_of(report, "apd90", FACT_REGION, r, false);
    }
}

/* Logs early afterdepolarisations, and cells that stay depolarised. */
static void log_recovery(struct report *report)
{
    const struct results *results = report->results;
    for (int r = 0; r < results->regions; r++) {
        const struct results_recovery *recovery = &results->region[r].recovery;
        FILE *file = recovery->early > 0 ? start_line(report) : NULL;
        if (file) {
            fprintf(file,
                    "early afterdepolarisations in region %d (%s): at %lld of %lld nodes, up to %g in a beat",
                    r, model_of(results, r), (long long)recovery->early, (long long)recovery->nodes,
                    recovery->eads);
            tell_of(report, "eads", FACT_REGION, r, true);
        }
        file = recovery->late > 0 ? start_line(report) : NULL;
        if (file) {
            fprintf(file,
                    "region %d (%s) had not repolarised: %lld of %lld nodes, up to %s ms after their last "
                    "activation",
                    r, model_of(results, r), (long long)recovery->late, (long long)recovery->nodes,
                    time_text(recovery->waited).text);
            tell_of(report, "not_repolarised", FACT_REGION, r, true);
        }
    }
}

static void log_ecg(struct report *report)
{
    const struct intervals *ecg = &report->results->intervals;
    FILE *file = isnan(ecg->begin) ? NULL : start_line(report);
    if (!file)
        return;
    const double total = report->results->last - report->results->first;
    const bool doubted = results_doubt_qrs(report->results);
    if (doubted)
        fprintf(file, "ECG: %s ms, not a QRS: the tissue was activated for %s ms", time_text(ecg->qrs).text,
                time_text(total).text);
    else if (isnan(ecg->qrs))
        fprintf(file, "ECG: QRS not over");
    else
        fprintf(file, "ECG: QRS %s ms, the tissue was activated for %s ms", time_text(ecg->qrs).text,
                time_text(total).text);
    fprintf(file, isnan(ecg->qt) ? ", QT unknown: T does not end" : ", QT %s ms", time_text(ecg->qt).text);
    if (!isnan(ecg->axis))
        fprintf(file, ", axis %.0f degrees", ecg->axis);
    if (!report->results->config->ecg.fields && !report->results->config->ecg.torso)
        fprintf(file, " (in an unbounded conductor)");
    tell(report, "ecg", doubted);
}

static void log_peak(struct report *report)
{
    const struct results_peak *peak = &report->results->peak;
    FILE *file = peak->value > high ? start_line(report) : NULL;
    if (!file)
        return;
    if (isnan(peak->since))
        fputs("largest V in frames, rows of probes and recorded beats", file);
    else
        fprintf(file, "largest V in recorded beats and, since %s ms, in frames and rows of probes",
                time_text(peak->since).text);
    fprintf(file, ": %.4g mV at ", peak->value);
    print_position(file, peak->node, peak->position);
    if (!isnan(peak->time))
        fprintf(file, " at %s ms", time_text(peak->time).text);
    fprintf(file, ", more than cells reach by themselves: a strong stimulus, or too long a step");
    tell(report, "largest_v", false);
}

/* Warns about activations that were recorded but are in no map; not with activation.beats: 1, which requests only the
 * first. */
static void warn_kept(struct report *report)
{
    int64_t beats = report->results->config->physics.activation_beats;
    int64_t more = beats > 1 ? count_later(report->results, beats - 1) : 0;
    if (more > 0)
        say(report, "not_recorded", true,
            "%lld nodes were activated more often than the %lld times that activation.beats keeps: "
            "later activations are in no map",
            (long long)more, (long long)beats);
}

/* Adds a fact with the times, or APD90, of each beat at the probes: " NAME t1 t2 ...", or " NAME never". */
static void tell_beats(struct report *report, const char *what, const char *name, int which)
{
    const struct results *results = report->results;
    const int64_t beats = results->config->physics.activation_beats;
    FILE *file = start_line(report);
    if (!file)
        return;
    fprintf(file, "%s, ms:", what);
    for (int p = 0; p < results->config->output.probes; p++) {
        const double *at = results->column[RESULTS_ACTIVATION].value + p * beats;
        const double *value = results->column[which].value + p * beats;
        fprintf(file, "%s %s%s", p ? "," : "", results->problem->probe[p].name, isnan(at[0]) ? " never" : "");
        for (int64_t b = 0; b < beats && !isnan(at[b]); b++)
            fprintf(file, " %s", isnan(value[b]) ? "-" : time_text(value[b]).text);
    }
    tell(report, name, false);
}

static void tell_probes(struct report *report)
{
    const struct results *results = report->results;
    if (results->columns > 0)
        tell_beats(report, "probes activated at", "probe_activation", RESULTS_ACTIVATION);
    if (results->columns > 0 && results->followed)
        tell_beats(report, "APD90 at the probes", "probe_apd90", RESULTS_APD);
}

enum status facts_tell(struct facts *facts, const struct results *results, struct error *error)
{
    struct report report = {.results = results, .facts = facts, .error = error};
    log_stimuli(&report);
    log_activation(&report);
    warn_left(&report);
    log_stops(&report);
    log_returns(&report);
    log_unknown(&report);
    warn_kept(&report);
    log_velocities(&report);
    log_apd(&report);
    warn_unrepolarized(&report);
    log_recovery(&report);
    tell_probes(&report);
    log_ecg(&report);
    log_peak(&report);
    return report.status;
}
