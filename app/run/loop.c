/* loop.c: take the steps between events, and handle frames, checkpoints and requests to stop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/run/run.h"
#include "app/run/simulation.h"
#include "app/run/stages.h"
#include "app/run/stop.h"
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

/* head->frames, rows[] <- the numbers of frames and rows in the files up to the checkpoint */
static void count_rows(const struct run *run, struct checkpoint_head *head)
{
    head->frames = output_frames(run->output);
    for (int t = 0; t < OUTPUT_TABLES; t++)
        head->rows[t] = output_rows(run->output, (enum output_table)t);
}

static enum status fill_checkpoint(void *argument, struct error *error)
{
    (void)error; /* the state stores a failure; commit_checkpoint() returns it */
    checkpoint_state_fill(((struct run *)argument)->checkpoint.state);
    return STATUS_OK;
}

static enum status commit_checkpoint(void *argument, struct error *error)
{
    struct run *run = argument;
    TRY(checkpoint_state_commit(run->checkpoint.state, run->setup->config.checkpoint.keep, error));
    run->checkpoint.step = run->checkpoint.head.step;
    return STATUS_OK;
}

/* Writes a checkpoint after all frames queued before it, so that the result on disk reaches as far as the checkpoint.
 * Its values are written in the background of later frames; with several ranks before them, because frames and states
 * use the same communicator. A rank that fails still sends its part of the state. */
static enum status save_checkpoint(void *argument, struct error *error)
{
    struct run *run = argument;
    struct run_checkpoint *checkpoint = &run->checkpoint;
    struct error later = {0};
    if (!checkpoint->fetch_error.status)
        checkpoint->fetch_error.status = checkpoint_state_arrive(checkpoint->state, &checkpoint->fetch_error);
    TRY(run_begin_task(run, &checkpoint->fetch_error, error));
    enum status status = run_write_maps(run, checkpoint->state, error);
    run->unsynced = true;
    run->synced_at = 0;
    if (!status)
        status = run_sync(run, error);
    if (run->output)
        count_rows(run, &checkpoint->head);
    const char *directory = run->output && !status ? run->setup->config.output.directory : NULL;
    checkpoint_state_begin(checkpoint->state, directory, &checkpoint->head, NULL);
    if (run->setup->comm->size == 1 && !status) {
        writer_background(run->writer, fill_checkpoint, commit_checkpoint, run);
        return STATUS_OK;
    }
    fill_checkpoint(run, NULL);
    enum status saved = commit_checkpoint(run, &later);
    if (!status && saved)
        *error = later;
    return status ? status : saved;
}

/* Copies the state; the writer's thread writes it while the steps continue. */
static enum status queue_checkpoint(void *argument, struct error *error)
{
    struct run *run = argument;
    struct run_checkpoint *checkpoint = &run->checkpoint;
    int64_t step = monodomain_step(run->setup->sim);
    if (checkpoint->fetched_step == step || run->setup->options.no_files)
        return STATUS_OK;
    writer_wait_all(run->writer, checkpoint->save_task);
    checkpoint->fetch_error = (struct error){0};
    checkpoint->fetch_error.status =
        checkpoint_state_take(checkpoint->state, run->before, &checkpoint->fetch_error);
    checkpoint->fetched_step = step;
    enum status status = writer_put(run->writer, save_checkpoint, run, error);
    checkpoint->save_task = writer_tasks(run->writer);
    return status;
}

/* Queues the frame, probes and leads that are due at the current step. */
static enum status queue_due(struct run *run, struct error *error)
{
    const struct config_output *output = &run->setup->config.output;
    int64_t n = monodomain_step(run->setup->sim);
    bool frame = is_due(n, output->every_steps),
         row = output->probes > 0 && is_due(n, output->probes_every_steps),
         lead = is_due(n, run->setup->config.ecg.every_steps);
    return frame || row || lead ? run_queue_frame(run, frame, row, lead, error) : STATUS_OK;
}

/* The multiple of time.longest at or after step n, so that an event never splits a block of steps */
static int64_t whole_time_blocks(const struct config *config, int64_t n)
{
    const int doublings = config->physics.doublings;
    return (((n - 1) >> doublings) + 1) << doublings;
}

/* Steps between two tests of stop_when: a millisecond or slightly more */
static int64_t check_interval(const struct config *config)
{
    return whole_time_blocks(config, (int64_t)ceil(1 / config->physics.step));
}

/* Whether the tissue has been quiet for stop.quiet ms; before[] <- V and the time since when it is quiet */
static bool is_quiet(struct run *run)
{
    const struct config *config = &run->setup->config;
    int64_t nodes = run->setup->problem.mesh.nodes;
    const double *v = run->v;
    double *since = run->before + nodes, now = monodomain_time(run->setup->sim);
    bool quiet = stop_quiet(&run->setup->problem, run->setup->node_region, v, run->before, run->map,
                            config->physics.activation_beats) &&
                 now >= stop_last_stimulus(run->setup->problem.stimulus, run->setup->problem.stimuli);
    memcpy(run->before, v, (size_t)nodes * sizeof *v);
    *since = !quiet ? NAN : isnan(*since) ? now : *since;
    return now - *since >= config->stop.quiet * (1 - 1e-9);
}

static bool is_activated(const struct run *run)
{
    const struct config *config = &run->setup->config;
    int64_t width = config->physics.activation_beats, first = 0, nodes = run->setup->problem.mesh.nodes;
    for (int p = 0; p < config->output.probes && config->stop.probe; p++)
        if (strcmp(config->output.probe[p].name, config->stop.probe) == 0) {
            first = run->setup->problem.probe[p].node;
            nodes = 1;
        }
    for (int64_t i = 0; i < nodes && !config->stop.probe; i++) /* passive nodes count as activated */
        if (!sites_excitable(&run->setup->cells, i))
            run->map[i * width + config->stop.beats - 1] = -HUGE_VAL;
    return stop_activated(run->map + first * width, nodes, width, config->stop.beats);
}

static bool is_over(void *argument)
{
    struct run *run = argument;
    return run->setup->config.stop.when == STOP_WHEN_QUIESCENT ? is_quiet(run) : is_activated(run);
}

/* run->over <- whether stop_when is met; collective */
static enum status check_stop(void *argument, struct error *error)
{
    struct run *run = argument;
    struct monodomain *sim = run->setup->sim;
    TRY(monodomain_voltage(sim, run->v, error));
    TRY(monodomain_get(sim, monodomain_find(sim, "activation_time"), run->map, error));
    stages_decide(run->setup->comm, is_over, run, &run->over);
    return STATUS_OK;
}

/* run->ended <- why the run stopped before time.end; logs it */
static void log_over(struct run *run)
{
    const struct config_stop *stop = &run->setup->config.stop;
    char times[40] = "";
    if (stop->beats > 1)
        snprintf(times, sizeof times, "%lld times ", (long long)stop->beats);
    const char *what = stop->when == STOP_WHEN_QUIESCENT ? "the tissue is quiescent"
                       : stop->probe                     ? stop->probe
                                                         : "all nodes are activated";
    const bool waits = stop->when != STOP_WHEN_QUIESCENT && stop->probe;
    snprintf(run->ended, sizeof run->ended, "%s %sat %.10g ms", what, waits ? "is activated " : times,
             monodomain_time(run->setup->sim));
    progress_print(run->setup->progress, "%s: stopped", run->ended);
}

/* The step of the next event, at most about 0.2 s of work away, so that signals and progress lines are served */
static int64_t next_event(const struct run *run, int64_t n, double seconds_per_step)
{
    const struct config *config = &run->setup->config;
    int64_t to = config->steps;
    int64_t events[] = {
        next_multiple(n, config->output.every_steps),
        config->output.probes > 0 ? next_multiple(n, config->output.probes_every_steps) : INT64_MAX,
        next_multiple(n, config->ecg.every_steps),
        next_multiple(n, config->checkpoint.every_steps),
        config->stop.when != STOP_WHEN_NEVER ? next_multiple(n, check_interval(config)) : INT64_MAX,
        whole_time_blocks(config, n + 1 + (int64_t)fmin(1e6, 0.2 / fmax(seconds_per_step, 1e-7)))};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        to = events[k] < to ? events[k] : to;
    run->setup->comm->engine->broadcast(run->setup->comm, COMM_STEPS, 0, &to, sizeof to); /* clocks differ */
    return to;
}

/* Adds to an error of the solver or the writer the checkpoint from which to continue. */
static enum status explain(const struct run *run, struct error *error)
{
    const struct failure *failure = monodomain_failure(run->setup->sim);
    struct error inner = *error;
    char rescue[300] = "; no checkpoint was written";
    if (run->checkpoint.step >= 0)
        snprintf(rescue, sizeof rescue, "; the last good checkpoint is checkpoint-%lld.h5%s",
                 (long long)run->checkpoint.step,
                 failure->kind == FAILURE_DEVICE    ? ""
                 : failure->kind == FAILURE_VOLTAGE ? ": --resume continues from it with a larger "
                                                      "solver.voltage_limit; to change time.step, use it "
                                                      "as initial.file"
                                                    : ": to continue from it with other keys of solver or "
                                                      "time, use it as initial.file");
    const char *suspect = failure->kind == FAILURE_DEVICE ? NULL : run->setup->config.suspect;
    error_set(error, inner.status, "%.600s%s%s%.300s", inner.text, rescue,
              suspect ? "; possible cause: " : "", suspect ? suspect : "");
    error->system = inner.system;
    return inner.status;
}

/* Queues the frame and the rows before the first step; a resumed result that already has them ignores them. */
static enum status queue_begin(void *argument, struct error *error)
{
    struct run *run = argument;
    const struct comm *comm = run->setup->comm; /* rank 0 looked for files */
    comm->engine->broadcast(comm, COMM_STEPS, 0, &run->lost, sizeof run->lost);
    TRY(queue_due(run, error));
    return run->lost ? run_queue_frame(run, true, false, false, error) : STATUS_OK;
}

static enum status queue_last(void *argument, struct error *error)
{
    return run_queue_frame(argument, true, false, false, error);
}

static enum status drain(void *argument, struct error *error)
{
    return writer_drain(((struct run *)argument)->writer, error);
}

static enum status end_frames(void *argument, struct error *error)
{
    const struct run *run = argument;
    return run->output ? output_end(run->output, error) : STATUS_OK;
}

/* The status with which any rank was asked to end the run; STATUS_OK = none */
static enum status asked_to_stop(const struct run *run)
{
    bool late = clock_seconds() - run->setup->began > run->setup->options.stop_after &&
                monodomain_step(run->setup->sim) < run->setup->config.steps;
    int caught = stop_signal();
    uint64_t status = caught ? STATUS_INTERRUPTED + (uint64_t)caught : late ? STATUS_STOPPED : STATUS_OK;
    run->setup->comm->engine->largest(run->setup->comm, COMM_STEPS, &status, 1);
    return (enum status)status;
}

/* Logs, at most every 10 s, that a different number of threads was found to be faster. */
static void log_threads(struct run *run)
{
    const struct thread_tuner *tuner = monodomain_thread_tuner(run->setup->sim);
    if (tuner->changes == run->thread_changes || tuner->previous || clock_seconds() < run->threads_at)
        return;
    run->thread_changes = tuner->changes;
    run->threads_at = clock_seconds() + 10;
    progress_log(run->setup->progress,
                 "%.10g ms: %d thread%s: %.3g ms a step, with %d it was %.3g; the numbers stay the same%s",
                 monodomain_time(run->setup->sim), tuner->threads, tuner->threads == 1 ? "" : "s",
                 1e3 * tuner->changed_cost, tuner->from, 1e3 * tuner->from_cost,
                 tuner->threads < tuner->from ? " (is the machine busy with something else?)" : "");
}

static enum status step_to_event(void *argument, struct error *error)
{
    struct run *run = argument;
    struct setup *setup = run->setup;
    struct monodomain *sim = setup->sim;
    int64_t n = monodomain_step(sim);
    double each = n > run->first ? (clock_seconds() - run->began) / (double)(n - run->first) : 1;
    enum status status = simulation_advance(setup, next_event(run, n, each), error);
    progress_step(setup->progress, monodomain_time(sim), monodomain_step(sim));
    log_threads(run);
    if (status && monodomain_failure(sim)->kind == FAILURE_DEVICE)
        comm_give_up(setup->comm, error);
    return status ? status : queue_due(run, error);
}

static enum status run_stage(struct run *run, struct stage stage, struct error *error)
{
    return stages_run(&stage, 1, run->setup->comm, run->writer, run, error);
}

static enum status check_stop_if_due(struct run *run, struct error *error)
{
    const struct config *config = &run->setup->config;
    int64_t n = monodomain_step(run->setup->sim);
    bool due = config->stop.when != STOP_WHEN_NEVER && is_due(n, check_interval(config));
    return due ? run_stage(run, (struct stage){check_stop, check_stop, false}, error) : STATUS_OK;
}

/* Takes the steps up to time.end, or until stop_when or a request ends them. */
static enum status advance_to_event(struct run *run, struct error *error)
{
    const struct config *config = &run->setup->config;
    struct monodomain *sim = run->setup->sim;
    TRY(run_stage(run, (struct stage){queue_begin, queue_begin, false}, error));
    TRY(check_stop_if_due(run, error)); /* so that a resumed run ends at the same step */
    stop_begin_steps();
    while (monodomain_step(sim) < config->steps && !run->over) {
        TRY(run_stage(run, (struct stage){step_to_event, step_to_event, false}, error));
        enum status stop = asked_to_stop(run);
        if (stop || is_due(monodomain_step(sim), config->checkpoint.every_steps))
            TRY(run_stage(run, (struct stage){queue_checkpoint, queue_checkpoint, false}, error));
        TRY(check_stop_if_due(run, error)); /* after the checkpoint: a resumed run repeats the test */
        if (stop > STATUS_INTERRUPTED || !run->over)
            TRY(stop);
    }
    return run->over ? run_stage(run, (struct stage){queue_last, queue_last, false}, error) : STATUS_OK;
}

enum status run_loop(struct run *run, struct error *error)
{
    struct monodomain *sim = run->setup->sim;
    struct error later = {0};
    run->began = clock_seconds();
    run->first = monodomain_step(sim);
    progress_start(run->setup->progress, monodomain_time(sim), run->setup->config.end, run->first);
    enum status status = advance_to_event(run, error);
    progress_mark(run->setup->progress, "steps");
    enum status written = run_stage(run, (struct stage){drain, drain, false}, &later);
    if (!status && !written)
        written = run_stage(run, (struct stage){end_frames, NULL, true}, &later);
    if (written &&
        (!status || status >= STATUS_STOPPED)) { /* without its checkpoint a stopped run has failed */
        status = written;
        *error = later;
    }
    run->loop_seconds = clock_seconds() - run->began;
    progress_mark(run->setup->progress, "waiting for output");
    if (run->writer)
        progress_move(run->setup->progress, "steps", "waiting for output", writer_waited(run->writer));
    progress_end(run->setup->progress, monodomain_time(sim), monodomain_step(sim));
    if (run->over)
        log_over(run);
    return status == STATUS_RUN && !run->making ? explain(run, error) : status;
}
