/* run_loop.c: the frames of a run. The solver owns the steps between two events; here the events happen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/checkpoint_monodomain.h"
#include "app/describe.h"
#include "app/run.h"
#include "app/stop.h"
#include "kernels/clock.h"

/* The next multiple of `every` after step n; 0 = never */
static int64_t next_multiple(int64_t n, int64_t every)
{
    return every > 0 ? (n / every + 1) * every : INT64_MAX;
}

static int is_due(int64_t n, int64_t every)
{
    return every > 0 && n % every == 0;
}

/* Number of the variable "activation_time" */
static int activation_variable(const struct monodomain *sim)
{
    int k = 0;
    while (strcmp(monodomain_variable(sim, k)->name, "activation_time") != 0)
        k++;
    return k;
}

static enum status write_maps(struct run *run, struct error *error)
{
    enum status status = STATUS_OK;
    if (run->config.output.maps > 0)
        status = monodomain_get(run->sim, activation_variable(run->sim), run->map, error);
    for (int k = 0; k < run->config.output.maps && !status; k++)
        status = output_map(run->output, k, run->map, monodomain_time(run->sim), error);
    return status;
}

static enum status write_checkpoint(struct run *run, struct error *error)
{
    if (run->checkpoint_step == monodomain_step(run->sim))
        return STATUS_OK;
    enum status status = write_maps(run, error);
    if (!status)
        status = output_sync(run->output, error);
    if (!status)
        status = checkpoint_save(run->sim, run->problem.mesh.nodes, run->config.output.directory, &run->head,
                                 run->config.checkpoint.keep, error);
    if (!status)
        run->checkpoint_step = monodomain_step(run->sim);
    return status;
}

/* A row of the probes from the gathered fields */
static enum status write_probes(struct run *run, struct error *error)
{
    int k = 0;
    for (int p = 0; p < run->config.output.probes; p++)
        for (int f = 0; f < run->fields.count; f++)
            run->row[k++] = run->fields.value[f][run->probe[p].node];
    enum status status = probes_row(run->probes, monodomain_time(run->sim), run->row, error);
    return status ? status : output_probe(run->output, monodomain_time(run->sim), run->row, error);
}

static enum status write_frame(struct run *run, struct error *error)
{
    return output_append(run->output, monodomain_time(run->sim), (const double *const *)run->fields.value,
                         error);
}

/* Frame and probes that are due at the present step */
static enum status write_due(struct run *run, struct error *error)
{
    const struct config_output *output = &run->config.output;
    int64_t n = monodomain_step(run->sim);
    int frame = is_due(n, output->every_steps),
        row = output->probes > 0 && is_due(n, output->probes_every_steps);
    if (!frame && !row)
        return STATUS_OK;
    enum status status = fields_gather(&run->fields, run->sim, error);
    if (!status && row)
        status = write_probes(run, error);
    if (!status && frame)
        status = write_frame(run, error);
    return status;
}

/* Steps between two looks at stop_when: a millisecond */
static int64_t look_steps(const struct config *config)
{
    return (int64_t)ceil(1 / config->physics.step);
}

/* Whether stop_when is met, at a step where it is looked at */
static enum status is_finished(struct run *run, bool *finished, struct error *error)
{
    const struct config *config = &run->config;
    int64_t nodes = run->problem.mesh.nodes;
    *finished = false;
    if (config->stop_when == STOP_NEVER || !is_due(monodomain_step(run->sim), look_steps(config)))
        return STATUS_OK;
    double *v = malloc(((size_t)nodes + 1) * sizeof *v);
    if (!v)
        return error_memory(error, "V", 8.0 * (double)nodes);
    enum status status = monodomain_voltage(run->sim, v, error);
    if (!status)
        status = monodomain_get(run->sim, activation_variable(run->sim), run->map, error);
    if (!status)
        *finished = stop_condition(config->stop_when, nodes, v, run->before, run->map,
                                   config->physics.activation_beats, config->physics.activation_threshold);
    if (config->stop_when == STOP_QUIESCENT && monodomain_time(run->sim) < stop_last_stimulus(config))
        *finished = false;
    memcpy(run->before, v, (size_t)nodes * sizeof *v);
    free(v);
    return status;
}

/* Steps until the next event; about a fifth of a second of work, so that signals and the terminal are served
 */
static int64_t next_event(const struct run *run, int64_t n, double seconds_per_step)
{
    const struct config *config = &run->config;
    int64_t to = config->steps;
    int64_t events[] = {next_multiple(n, config->output.every_steps),
                        config->output.probes > 0 ? next_multiple(n, config->output.probes_every_steps)
                                                  : INT64_MAX,
                        next_multiple(n, config->checkpoint.every_steps),
                        config->stop_when != STOP_NEVER ? next_multiple(n, look_steps(config)) : INT64_MAX,
                        n + 1 + (int64_t)fmin(1e6, 0.2 / fmax(seconds_per_step, 1e-7))};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        to = events[k] < to ? events[k] : to;
    return to - n;
}

/* The solver's message with what only this level knows: the place, and what is left to go on from */
static enum status explain(const struct run *run, struct error *error)
{
    const struct failure *failure = monodomain_failure(run->sim);
    struct error inner = *error;
    char place[128] = "", rescue[128] = "; no checkpoint was written";
    if (failure->node >= 0) {
        const double *p = run->problem.mesh.point + 3 * failure->node;
        snprintf(place, sizeof place, " (%.6g, %.6g, %.6g mm)", p[0], p[1], p[2]);
    }
    if (run->checkpoint_step >= 0)
        snprintf(rescue, sizeof rescue, "; the last good checkpoint is checkpoint-%lld.h5",
                 (long long)run->checkpoint_step);
    return error_set(error, inner.status, "%.700s%s%s", inner.text, place, rescue);
}

/* What stands before the first step: its frame, unless a resumed result has it; and the first look at
 * stop_when, so that a resumed run ends where the whole one does. */
static enum status begin(struct run *run, bool *finished, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < run->problem.mesh.nodes; i++)
        run->before[i] = NAN;
    if (!run->from)
        status = write_due(run, error);
    if (run->lost)
        status = fields_gather(&run->fields, run->sim, error);
    if (run->lost && !status)
        status = write_frame(run, error);
    return status ? status : is_finished(run, finished, error);
}

/* All steps. */
enum status run_loop(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    struct monodomain *sim = run->sim;
    int64_t n = monodomain_step(sim), first = n;
    double began = clock_seconds();
    bool finished = false;
    enum status status = begin(run, &finished, error);
    stop_catch_signals();
    progress_start(run->progress, monodomain_time(sim), config->end, n);
    while (!status && n < config->steps && !finished) {
        double each = n > first ? (clock_seconds() - began) / (double)(n - first) : 1;
        status = monodomain_advance(sim, next_event(run, n, each), error);
        n = monodomain_step(sim);
        progress_step(run->progress, monodomain_time(sim), n);
        if (status == STATUS_RUN) {
            status = explain(run, error);
            break;
        }
        if (!status)
            status = write_due(run, error);
        if (!status && is_due(n, config->checkpoint.every_steps))
            status = write_checkpoint(run, error);
        if (!status)
            status = is_finished(run, &finished, error);
        bool late = clock_seconds() - run->began > run->options.stop_after && n < config->steps && !finished;
        if (!status && (stop_signal() || late)) {
            status = write_checkpoint(run, error);
            if (!status)
                status = stop_signal() ? STATUS_INTERRUPTED + stop_signal() - 2 : STATUS_STOPPED;
        }
    }
    progress_end(run->progress, monodomain_time(sim), n);
    if (finished)
        progress_say(run->progress, "%s at %.10g ms: stopped",
                     config->stop_when == STOP_ACTIVATED ? "all nodes are activated" : "the tissue is quiet",
                     monodomain_time(sim));
    if (!status && finished && n > first && !is_due(n, config->output.every_steps)) {
        status = fields_gather(&run->fields, sim, error);
        if (!status)
            status = write_frame(run, error);
    }
    if (!status)
        status = output_end(run->output, error);
    run->loop_seconds = clock_seconds() - began;
    return status;
}

static void say_work(struct run *run)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return;
    struct monodomain_work work = monodomain_work(run->sim);
    if (work.steps > 0)
        describe_work(file, &work, run->problem.mesh.nodes);
    fclose(file);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        progress_say(run->progress, "%s", line);
    free(text);
}

/* Maps and numbers are stored also when the run failed: nothing that was computed is lost. The first error
 * counts. */
enum status run_close(struct run *run, enum status ended, struct error *error)
{
    struct error later = {0};
    enum status status = STATUS_OK;
    bool opened = run->output != NULL;
    if (opened) {
        struct monodomain_work w = monodomain_work(run->sim);
        const struct monodomain_report *r = monodomain_report(run->sim);
        const struct output_number numbers[] = {
            {"steps", (double)monodomain_step(run->sim)},
            {"sweeps", (double)w.sweeps},
            {"loop_seconds", run->loop_seconds},
            {"ionic_seconds", w.ionic_seconds},
            {"product_seconds", w.product_seconds},
            {"sweep_seconds", w.sweep_seconds},
            {"rest_seconds", w.rest_seconds},
            {"mesh_seconds", run->problem.read_seconds},
            {"assembly_seconds", r->assembly_seconds},
            {"ordering_seconds", r->ordering_seconds},
            {"packing_seconds", r->packing_seconds},
            {"single_share", r->single_share},
        };
        status = write_maps(run, &later);
        int count =
            w.steps > 0 ? (int)(sizeof numbers / sizeof *numbers) : 0; /* else they stay as they are */
        enum status closed = output_close(run->output, numbers, count, status ? NULL : &later);
        status = status ? status : closed;
        run->output = NULL;
    }
    enum status closed = probes_close(run->probes, status ? NULL : &later);
    run->probes = NULL;
    status = status ? status : closed;
    say_work(run);
    if (opened && !status)
        status = run_say_activation(run, activation_variable(run->sim), &later);
    if (ended == STATUS_STOPPED)
        progress_say(run->progress, "time is up: checkpoint-%lld.h5 written; go on with --resume",
                     (long long)run->checkpoint_step);
    else if (ended >= STATUS_INTERRUPTED)
        progress_say(run->progress, "interrupted: checkpoint-%lld.h5 written; go on with --resume",
                     (long long)run->checkpoint_step);
    else if (!ended && !status)
        progress_say(run->progress, "results: %s/run.vtkhdf and run.xdmf", run->config.output.directory);
    if (!ended && status)
        *error = later;
    if (ended == STATUS_RUN)
        progress_log(run->progress, "failed: %s", error->text);
    return ended ? ended : status;
}
