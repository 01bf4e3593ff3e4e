/* loop.c: the frames of a run. The solver owns the steps between two events; here the events happen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/run.h"
#include "app/run/stop.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "solver/step/thread_tuner.h"

/* The next multiple of `every` after step n; 0 = never */
static int64_t next_multiple(int64_t n, int64_t every)
{
    return every > 0 ? (n / every + 1) * every : INT64_MAX;
}

static int is_due(int64_t n, int64_t every)
{
    return every > 0 && n % every == 0;
}

/* Behind all frames, so that the result on the disk reaches as far as the checkpoint */
static enum status save(void *argument, struct error *error)
{
    struct run *run = argument;
    if (!run->taken.status)
        run->taken.status = checkpoint_state_arrive(run->state, &run->taken);
    enum status status = run_begin_work(run, &run->taken, error);
    if (status)
        return status;
    status = run_write_maps(run, run->state, error);
    if (!run_writes(run)) {
        checkpoint_state_save(run->state, NULL, &run->head, 0, NULL);
        run->checkpoint_step = run->head.step;
        return status;
    }
    run->unkept = true;
    run->kept_at = 0;
    AND(run_keep(run, error));
    run->head.frames = output_frames(run->output);
    for (int t = 0; t < OUTPUT_TABLES; t++) {
        run->head.rows[t] = output_rows(run->output, (enum output_table)t);
        run->head.csv_rows[t] = run->probes[t] ? probes_rows(run->probes[t]) : 0;
    }
    struct error later = {0};
    enum status saved = checkpoint_state_save(run->state, status ? NULL : run->config.output.directory,
                                              &run->head, run->config.checkpoint.keep, &later);
    if (!status && saved)
        *error = later;
    status = status ? status : saved;
    if (!status)
        run->checkpoint_step = run->head.step;
    return status;
}

/* Taken here, written by the writer's thread while the steps go on */
static enum status hand_over_checkpoint(struct run *run, struct error *error)
{
    if (run->taken_step == monodomain_step(run->sim))
        return STATUS_OK;
    writer_wait(run->writer, run->taken_work);
    run->taken = (struct error){0};
    run->taken.status = checkpoint_state_take(run->state, run->before, &run->taken);
    run->taken_step = monodomain_step(run->sim);
    enum status status = writer_put(run->writer, save, run, error);
    run->taken_work = writer_works(run->writer);
    return status;
}

/* Frame, probes and leads that are due at the present step */
static enum status hand_over_due(struct run *run, struct error *error)
{
    const struct config_output *output = &run->config.output;
    int64_t n = monodomain_step(run->sim);
    bool frame = is_due(n, output->every_steps),
         row = output->probes > 0 && is_due(n, output->probes_every_steps),
         lead = is_due(n, run->config.ecg.every_steps);
    return frame || row || lead ? run_hand_over(run, frame, row, lead, error) : STATUS_OK;
}

/* Steps between two looks at stop_when: a millisecond */
static int64_t look_steps(const struct config *config)
{
    return (int64_t)ceil(1 / config->physics.step);
}

/* Whether it has been quiet for so long; before[] <- V, and since when it is */
static bool is_quiet(struct run *run, const double *v)
{
    const struct config *config = &run->config;
    int64_t nodes = run->problem.mesh.nodes;
    double *since = run->before + nodes, now = monodomain_time(run->sim);
    bool quiet = stop_quiet(nodes, v, run->before, run->map, config->physics.activation_beats,
                            config->physics.activation_threshold) &&
                 now >= stop_last_stimulus(run->problem.stimulus, run->problem.stimuli);
    memcpy(run->before, v, (size_t)nodes * sizeof *v);
    *since = !quiet ? NAN : isnan(*since) ? now : *since;
    return now - *since >= config->stop.quiet * (1 - 1e-9);
}

/* The steepest rise is known a look after it, when none came that was steeper. */
static bool is_activated(const struct run *run)
{
    const struct config *config = &run->config;
    int64_t width = config->physics.activation_beats, first = 0, nodes = run->problem.mesh.nodes;
    bool by_slope = config->physics.activation == ACTIVATION_MAX_SLOPE;
    double by = by_slope ? monodomain_time(run->sim) - 1 : HUGE_VAL;
    for (int p = 0; p < config->output.probes && config->stop.probe; p++)
        if (strcmp(config->output.probe[p].name, config->stop.probe) == 0) {
            first = run->problem.probe[p].node;
            nodes = 1;
        }
    return stop_activated(run->map + first * width, nodes, width, config->stop.beats, by);
}

/* Whether stop_when is met, at a step where it is looked at; of ranks that have come here with `status` */
static enum status is_finished(struct run *run, enum status status, bool *finished, struct error *error)
{
    const struct config *config = &run->config;
    *finished = false;
    if (config->stop.when == STOP_WHEN_NEVER || !is_due(monodomain_step(run->sim), look_steps(config)))
        return status;
    double *v = array_new(monodomain_held(run->sim), sizeof *v, "V", &status, error);
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    if (status) {
        free(v);
        return status;
    }
    AND(monodomain_voltage(run->sim, v, error));
    AND(monodomain_get(run->sim, map_values_variable(run->sim, "activation_time"), run->map, error));
    if (!status && run_writes(run))
        *finished = config->stop.when == STOP_WHEN_QUIESCENT ? is_quiet(run, v) : is_activated(run);
    free(v);
    run->comm->engine->broadcast(run->comm, COMM_STEPS, 0, finished, sizeof *finished);
    return status;
}

/* What is said of a run that stop_when has ended */
static void say_finished(const struct run *run)
{
    const struct config_stop *stop = &run->config.stop;
    if (stop->when == STOP_WHEN_QUIESCENT)
        progress_say(run->progress, "the tissue is quiet at %.10g ms: stopped", monodomain_time(run->sim));
    else if (stop->probe)
        progress_say(run->progress, "%s is activated at %.10g ms: stopped", stop->probe,
                     monodomain_time(run->sim));
    else if (stop->beats > 1)
        progress_say(run->progress, "all nodes are activated %lld times at %.10g ms: stopped",
                     (long long)stop->beats, monodomain_time(run->sim));
    else
        progress_say(run->progress, "all nodes are activated at %.10g ms: stopped",
                     monodomain_time(run->sim));
}

/* Steps until the next event; about a fifth of a second of work, so that signals and the terminal are served
 */
static int64_t next_event(const struct run *run, int64_t n, double seconds_per_step)
{
    const struct config *config = &run->config;
    int64_t to = config->steps;
    int64_t events[] = {
        next_multiple(n, config->output.every_steps),
        config->output.probes > 0 ? next_multiple(n, config->output.probes_every_steps) : INT64_MAX,
        next_multiple(n, config->ecg.every_steps),
        next_multiple(n, config->checkpoint.every_steps),
        config->stop.when != STOP_WHEN_NEVER ? next_multiple(n, look_steps(config)) : INT64_MAX,
        n + 1 + (int64_t)fmin(1e6, 0.2 / fmax(seconds_per_step, 1e-7))};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        to = events[k] < to ? events[k] : to;
    to -= n;
    run->comm->engine->broadcast(run->comm, COMM_STEPS, 0, &to, sizeof to); /* clocks differ */
    return to;
}

/* A message of the solver or the writer with what only this level knows: the place, and what is left to go on
 * from */
static enum status explain(const struct run *run, struct error *error)
{
    const struct failure *failure = monodomain_failure(run->sim);
    struct error inner = *error;
    static const char *const resumed[] = {[FAILURE_SWEEPS] = "larger solver.max_sweeps",
                                          [FAILURE_BOUND] = "larger solver.precision_bound",
                                          [FAILURE_VOLTAGE] = "larger solver.voltage_limit",
                                          [FAILURE_DEVICE] = NULL};
    int used = 0;
    char place[128] = "", rescue[300] = "; no checkpoint was written";
    if (failure->kind == FAILURE_VOLTAGE && failure->node >= 0) { /* on all ranks */
        double p[3];
        if (run->comm->size > 1)
            subdomain_point(&run->subdomain, &run->problem.mesh, failure->node, p);
        else
            memcpy(p, run->problem.mesh.point + 3 * failure->node, sizeof p);
        snprintf(place, sizeof place, " (%.6g, %.6g, %.6g mm)", p[0], p[1], p[2]);
    }
    if (run->checkpoint_step >= 0)
        used = snprintf(rescue, sizeof rescue, "; the last good checkpoint is checkpoint-%lld.h5",
                        (long long)run->checkpoint_step);
    if (used > 0 && resumed[failure->kind])
        snprintf(
            rescue + used, sizeof rescue - (size_t)used,
            ": --resume goes on from it with a %s; with another time.step or tolerance, initial.file does",
            resumed[failure->kind]);
    return error_set(error, inner.status, "%.700s%s%s", inner.text, place, rescue);
}

/* What stands before the first step: its frame and row, which are left out where a resumed result has them
 * already (it has not if output.every was another); and the first look at stop_when, so that a resumed run
 * ends where the whole one does. */
static enum status begin(struct run *run, bool *finished, struct error *error)
{
    enum status status = hand_over_due(run, error);
    if (!status && run->lost)
        status = run_hand_over(run, true, false, false, error);
    return is_finished(run, status, finished, error);
}

/* How the run is to end because one rank was asked to, STATUS_OK = none was */
static enum status asked_to_stop(const struct run *run)
{
    bool late = clock_seconds() - run->began > run->options.stop_after &&
                monodomain_step(run->sim) < run->config.steps;
    int caught = stop_signal();
    uint64_t status = caught ? STATUS_INTERRUPTED + (uint64_t)caught : late ? STATUS_STOPPED : STATUS_OK;
    run->comm->engine->largest(run->comm, COMM_STEPS, &status, 1);
    return (enum status)status;
}

static enum status end_frames(void *argument, struct error *error)
{
    struct run *run = argument;
    return run->output ? output_end(run->output, error) : STATUS_OK;
}

/* A line of the log when another number of threads was found to be faster; where that comes and goes, every
 * ten seconds */
struct said {
    int changes;
    double next;
};

static void say_threads(const struct run *run, struct said *said)
{
    const struct thread_tuner *tuner = monodomain_thread_tuner(run->sim);
    if (tuner->changes == said->changes || tuner->kept || clock_seconds() < said->next)
        return;
    said->changes = tuner->changes;
    said->next = clock_seconds() + 10;
    progress_log(run->progress,
                 "%.10g ms: %d thread%s: %.3g ms a step, with %d it was %.3g; the numbers stay the same%s",
                 monodomain_time(run->sim), tuner->threads, tuner->threads == 1 ? "" : "s",
                 1e3 * tuner->changed_cost, tuner->from, 1e3 * tuner->from_cost,
                 tuner->threads < tuner->from ? " (is the machine busy with something else?)" : "");
}

/* All steps. */
enum status run_loop(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    struct monodomain *sim = run->sim;
    int64_t n = monodomain_step(sim), first = n;
    double began = clock_seconds();
    bool finished = false;
    struct said said = {0};
    enum status status = begin(run, &finished, error);
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    stop_begin_steps();
    progress_start(run->progress, monodomain_time(sim), config->end, n);
    while (!status && n < config->steps && !finished) {
        double each = n > first ? (clock_seconds() - began) / (double)(n - first) : 1;
        status = monodomain_advance(sim, next_event(run, n, each), error);
        n = monodomain_step(sim);
        progress_step(run->progress, monodomain_time(sim), n);
        say_threads(run, &said);
        if (status && monodomain_failure(sim)->kind == FAILURE_DEVICE)
            comm_give_up(run->comm, error);
        AND(hand_over_due(run, error));
        enum status stop = asked_to_stop(run);
        status = comm_agree(run->comm, COMM_STEPS, status, error);
        if (!status && (stop || is_due(n, config->checkpoint.every_steps)))
            status = hand_over_checkpoint(run, error);
        /* after the checkpoint, so that a resumed run looks again, beside what this one saw before */
        status = is_finished(run, status, &finished, error);
        status = comm_agree(run->comm, COMM_STEPS, status, error);
        if (!status && (stop > STATUS_INTERRUPTED || !finished))
            status = stop;
    }
    if (!status && finished) /* left out where it stands already */
        status = run_hand_over(run, true, false, false, error);
    /* of one that was asked to stop, too: it stops with its checkpoint or not at all */
    bool failed = status && status < STATUS_STOPPED;
    enum status written = writer_drain(run->writer, failed ? NULL : error);
    status = failed || !written ? status : written;
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    AND(writer_call(run->writer, end_frames, run, error));
    run->loop_seconds = clock_seconds() - began;
    progress_end(run->progress, monodomain_time(sim), n);
    if (finished)
        say_finished(run);
    return status == STATUS_RUN ? explain(run, error) : status;
}
