/* results.c: the log, the JSON and the numbers of a run. */
#include "app/report/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/json.h"

static void print_work(FILE *file, const struct monodomain_work *w, int64_t nodes)
{
    double steps = w->steps > 0 ? (double)w->steps : 1, sweeps = w->sweeps > 0 ? (double)w->sweeps : 1;
    fprintf(file, "time a step: %.4g ms", 1e3 * w->seconds / steps);
    if (w->split)
        fprintf(file, " = ionic %.4g + K V %.4g + sweeps %.4g + rest %.4g ms", 1e3 * w->ionic_seconds / steps,
                1e3 * w->product_seconds / steps, 1e3 * w->sweep_seconds / steps,
                1e3 * w->rest_seconds / steps);
    fprintf(file, "\nsweeps: %.2f a step, at most %d a solve", (double)w->sweeps / steps, w->sweeps_max);
    if (w->split)
        fprintf(file, "; %.3g ns a row and sweep, %.3g ns a cell and step",
                1e9 * w->sweep_seconds / sweeps / (double)nodes,
                1e9 * w->ionic_seconds / steps / (double)nodes);
    fprintf(file, "\n");
}

/* The number of steps of each length, if there are several lengths */
static void print_lengths(FILE *file, const struct results *results)
{
    const struct monodomain_work *w = &results->work;
    const struct monodomain_params *p = &results->config->physics;
    int64_t all = 0;
    for (int k = 0; k <= p->doublings; k++)
        all += w->by_level[k];
    if (p->doublings == 0)
        return;
    fprintf(file, "steps taken: %lld for %lld of time.step:", (long long)all, (long long)w->steps);
    for (int k = 0; k <= p->doublings; k++)
        fprintf(file, "%s %lld of %g ms", k ? "," : "", (long long)w->by_level[k], ldexp(p->step, k));
    fprintf(file, "; %lld block%s of %g ms repeated in steps of %g ms after %lld sweeps\n",
            (long long)w->rejected, w->rejected == 1 ? "" : "s", ldexp(p->step, p->doublings), p->step,
            (long long)w->rejected_sweeps);
}

static void print_exchange(FILE *file, const struct results *results)
{
    const struct monodomain_work *work = &results->work;
    double steps = (double)work->steps, least = results->exchange_least, most = results->exchange_most;
    if (most > 0)
        fprintf(file,
                "exchange with other ranks: %.3g to %.3g ms a step (%.3g to %.3g %%), waits for slower ranks "
                "included\n",
                1e3 * least / steps, 1e3 * most / steps, 100 * results->exchange_share_least,
                100 * results->exchange_share_most);
}

/* The cost of output is always printed, the rest only to the log unless --verbose. */
static enum status log_work(const struct results *results, bool verbose, struct progress *progress,
                            struct error *error)
{
    struct printed lines;
    TRY(printed_open(&lines, error));
    if (results->work.steps > 0) {
        print_work(lines.file, &results->work, results->problem->mesh.nodes);
        print_lengths(lines.file, results);
        print_exchange(lines.file, results);
    }
    if (results->device_peak > 0)
        fprintf(lines.file, "device memory: %.1f MB at the most\n", results->device_peak / 1e6);
    if (results->waited > 0.05 * results->loop_seconds)
        progress_print(
            progress,
            "output was the limit for %.3g s (%.3g %% of the time): the steps waited until earlier "
            "frames, rows or checkpoints were written",
            results->waited, 100 * results->waited / results->loop_seconds);
    return progress_print_lines(progress, &lines, verbose, error);
}

enum status results_log(const struct results *results, bool tissue, bool verbose, struct progress *progress,
                        struct error *error)
{
    const struct output_resumed *frames = &results->frames;
    if (frames->equal + frames->replaced + frames->dropped > 0)
        progress_print(
            progress,
            "frames after the checkpoint: %lld computed again and equal, %lld replaced, %lld dropped",
            (long long)frames->equal, (long long)frames->replaced, (long long)frames->dropped);
    if (tissue)
        facts_log(&results->facts, progress);
    return log_work(results, verbose, progress, error);
}

void results_log_end(const struct results *results, enum status ended, struct progress *progress)
{
    if (ended > STATUS_INTERRUPTED || ended == STATUS_STOPPED)
        progress_print(progress, "%s: checkpoint-%lld.h5 written; go on with --resume",
                       ended == STATUS_STOPPED ? "time is up" : "interrupted",
                       (long long)results->checkpoint_step);
    else if (!ended)
        progress_print(progress, "results: %s/run.vtkhdf and run.xdmf", results->config->output.directory);
}

const char *const results_number_name[RESULTS_NUMBERS] = {
    "steps",           "sweeps",           "loop_seconds",
    "step_seconds",    "ionic_seconds",    "product_seconds",
    "sweep_seconds",   "rest_seconds",     "output_wait_seconds",
    "mesh_seconds",    "assembly_seconds", "ordering_seconds",
    "packing_seconds", "fp32_share",       "device_peak_bytes", /* last: left out on a CPU */
};

int results_numbers(const struct results *results, struct output_number number[RESULTS_NUMBERS])
{
    const struct monodomain_work *w = &results->work;
    const struct monodomain_report *r = results->set_up;
    const double value[RESULTS_NUMBERS] = {(double)results->step, (double)w->sweeps,
                                           results->loop_seconds, w->seconds,
                                           w->ionic_seconds,      w->product_seconds,
                                           w->sweep_seconds,      w->rest_seconds,
                                           results->waited,       results->problem->read_seconds,
                                           r->assembly_seconds,   r->ordering_seconds,
                                           r->packing_seconds,    r->scheme.fp32_share,
                                           results->device_peak};
    for (int k = 0; k < RESULTS_NUMBERS; k++)
        number[k] = (struct output_number){results_number_name[k], value[k]};
    return w->steps > 0 ? RESULTS_NUMBERS - (results->device_peak == 0) : 0;
}

static void put_position(struct json *json, int64_t node, const double position[3])
{
    json_integer(json, "node", node);
    json_open(json, "place", '[');
    for (int x = 0; x < 3; x++)
        json_number(json, NULL, position[x]);
    json_close(json);
}

#define WORD(name, word, sentence) word,
static const char *const end_words[] = {WAVES_ENDS(WORD)}, *const reason_words[] = {WAVES_REASONS(WORD)};
#undef WORD

const char *results_end_word(enum waves_end end)
{
    return end_words[end];
}

static void put_pulse(struct json *json, const struct results_pulse *pulse)
{
    const struct waves_response *response = &pulse->response;
    json_open(json, NULL, '{');
    json_number(json, "start", pulse->start);
    json_text(json, "end", end_words[response->end]);
    if (response->end == WAVES_NOTHING)
        json_text(json, "why", reason_words[response->reason]);
    json_integer(json, "nodes", response->nodes);
    json_number(json, "latency", response->first);
    json_number(json, "last", response->last);
    json_number(json, "reach", response->reach);
    json_integer(json, "held", response->held);
    json_integer(json, "around", response->around);
    json_open(json, "together", '[');
    for (int64_t k = 0; k < pulse->togethers; k++) {
        json_open(json, NULL, '{');
        json_text(json, "stimulus", pulse->together[k].name);
        json_number(json, "start", pulse->together[k].start);
        json_close(json);
    }
    json_close(json);
    json_flag(json, "late", response->late);
    json_flag(json, "running", response->running);
    json_integer(json, "repeats", response->repeats);
    json_number(json, "rested", response->rest.rested);
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
        for (int64_t k = 0; k < stimulus->pulses; k++)
            put_pulse(json, &stimulus->pulse[k]);
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
    json_text(json, "model", results->config->tissue.region[r].model->name);
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
    json_integer(json, "followed", region->recovery.nodes);
    json_integer(json, "ead_nodes", region->recovery.early);
    json_number(json, "eads", region->recovery.eads);
    json_integer(json, "not_repolarised", region->recovery.late);
    json_close(json);
}

/* Writes members that identify a wave: its stimulus and the time of its pulse. */
static void put_wave_name(struct json *json, const struct results *results, int32_t w)
{
    const struct wave *wave = &results->waves->wave[w];
    if (wave->owner >= 0)
        json_text(json, "stimulus", results_owner(results, wave->owner).name);
    json_number(json, "start", wave->start);
    json_integer(json, "repeat", wave->repeat);
}

static void put_stops(struct json *json, const struct results *results)
{
#define WORD(name, word, sentence) word,
    static const char *const cause[] = {RESULTS_STOPS(WORD)};
#undef WORD
    json_flag(json, "running", results->running);
    json_open(json, "stopped", '[');
    for (int k = 0; k < results->stops; k++) {
        const struct results_stop *stop = &results->stop[k];
        json_open(json, NULL, '{');
        if (stop->wave >= 0) {
            put_wave_name(json, results, stop->wave);
            json_integer(json, "activated", stop->reached);
        }
        json_number(json, "time", stop->time);
        if (stop->node >= 0)
            put_position(json, stop->node, stop->position);
        json_text(json, "cause", cause[stop->cause]);
        json_close(json);
    }
    json_close(json);
}

static void put_waves(struct json *json, const struct results *results)
{
    const struct waves *waves = results->waves;
    int64_t listed = 0;
    json_open(json, "waves", '[');
    for (int32_t w = 0; w < waves->waves && listed < RESULTS_WAVES; w++) {
        const struct wave *wave = &waves->wave[w];
        if (wave->owner < 0)
            continue;
        listed++;
        json_open(json, NULL, '{');
        put_wave_name(json, results, w);
        json_flag(json, "late", wave->late);
        json_integer(json, "activations", wave->activations);
        json_integer(json, "outside", wave->outside);
        json_integer(json, "again", wave->again);
        json_number(json, "first", waves->activation[wave->first].time);
        json_number(json, "last", waves->activation[wave->last].time);
        json_flag(json, "running", waves_running(waves, w));
        json_close(json);
    }
    json_close(json);
    json_open(json, "reentry", '[');
    for (int k = 0; k < results->backs; k++) {
        const struct results_return *back = &results->back[k];
        json_open(json, NULL, '{');
        put_wave_name(json, results, back->wave);
        json_number(json, "time", back->time);
        put_position(json, back->node, back->position);
        json_number(json, "cycle", back->cycle);
        json_flag(json, "running", back->running);
        json_close(json);
    }
    json_close(json);
    json_integer(json, "unknown_causes", results->unknown);
    json_integer(json, "not_recorded", results->dropped);
    json_number(json, "fastest", waves->speed);
}

static void put_tissue(struct json *json, const struct results *results)
{
    const struct intervals *ecg = &results->intervals;
    put_stimuli(json, results);
    json_open(json, "regions", '[');
    for (int r = 0; r < results->regions; r++)
        put_region(json, results, r);
    json_close(json);
    if (results->waves) {
        put_stops(json, results);
        put_waves(json, results);
    }
    json_open(json, "ecg", '{');
    json_number(json, "begin", ecg->begin);
    json_number(json, "qrs", ecg->qrs);
    json_flag(json, "relative", results->relative);
    json_flag(json, "doubted", results_doubt_qrs(results));
    json_number(json, "qt", ecg->qt);
    json_number(json, "t_peak", ecg->t_peak);
    json_number(json, "axis", ecg->axis);
    json_close(json);
    if (isnan(results->peak.value))
        return;
    json_open(json, "largest_v", '{');
    json_number(json, "value", results->peak.value);
    json_number(json, "time", results->peak.time);
    if (!isnan(results->peak.since))
        json_number(json, "since", results->peak.since);
    put_position(json, results->peak.node, results->peak.position);
    json_close(json);
}

/* Writes the seconds of each stage of the run or, with `parts`, of each part of its end. */
static void put_wall(struct json *json, const char *name, const struct progress *wall, bool parts)
{
    const char *what;
    double seconds;
    json_open(json, name, '{');
    for (int k = 0; progress_span(wall, parts, k, &what, &seconds); k++)
        json_number(json, what, seconds);
    json_close(json);
}

void results_print_json(const struct results *results, enum status ended, const char *path,
                        const char *message, const struct progress *warnings, FILE *file)
{
    struct output_number number[RESULTS_NUMBERS];
    int count = results_numbers(results, number);
    struct json json = json_line(file);
    json_open(&json, NULL, '{');
    json_integer(&json, "status", ended);
    json_text(&json, "result", path);
    json_number(&json, "time", results->time);
    json_integer(&json, "nodes", results->problem->mesh.nodes);
    json_integer(&json, "excitable", results->excitable);
    json_integer(&json, "activated", results->activated);
    json_number(&json, "first_activation", results->first);
    json_number(&json, "last_activation", results->last);
    json_number(&json, "total_activation_time", results->last - results->first);
    facts_json(&json, &results->facts, results->config);
    put_tissue(&json, results);
    for (int k = 0; k < count; k++)
        json_number(&json, number[k].name, number[k].value);
    json_open(&json, "warnings", '[');
    for (int k = 0; warnings && progress_warning(warnings, k); k++)
        json_text(&json, NULL, progress_warning(warnings, k));
    json_close(&json);
    json_text(&json, "message", message);
    json_text(&json, "ended", *results->ended ? results->ended : NULL);
    if (results->wall) {
        put_wall(&json, "wall", results->wall, false);
        put_wall(&json, "wall_end", results->wall, true);
    }
    json_close(&json);
}
