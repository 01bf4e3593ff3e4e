/* finish.c: the end of a run: fill in the results, log them, store maps and numbers, close the files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/run.h"
#include "app/run/simulation.h"
#include "app/run/stages.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"

/* The state of finishing a run */
struct finish {
    struct run *run;
    struct results results;
    enum status ended;
    const char *message; /* why it failed; NULL = it has not */
};

static bool has_failed(const struct finish *finish)
{
    return finish->ended == STATUS_INPUT || finish->ended == STATUS_RUN;
}

static enum status measure_work(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct run *run = finish->run;
    struct results *results = &finish->results;
    struct queue *queue = run->setup->queue;
    double available;
    (void)error;
    queue->backend->memory(queue, &available, &results->device_peak);
    results->work = monodomain_work(run->setup->sim);
    double own = results->work.exchange_seconds, all = results->work.seconds;
    double share = all > 0 ? own / all : 0; /* of this rank's own time, since the ranks' clocks differ */
    double most[] = {monodomain_passed(run->setup->sim), own, -own, share, -share};
    comm_most(run->setup->comm, most, 5);
    simulation_warn_of_rounding(run->setup, most[0], true);
    results->exchange_most = most[1];
    results->exchange_least = -most[2];
    results->exchange_share_most = most[3];
    results->exchange_share_least = -most[4];
    if (run->output)
        results->frames = output_resumed(run->output);
    return STATUS_OK;
}

/* Allocates memory for the records at points and for the columns of the probes. */
static enum status allocate_beats(void *argument, struct error *error)
{
    struct finish *finish = argument;
    return results_allocate(&finish->results, monodomain_followed_values(finish->run->setup->sim), error);
}

static enum status gather_activation(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct run *run = finish->run;
    struct monodomain *sim = run->setup->sim;
    TRY(monodomain_get(sim, monodomain_find(sim, "activation_time"), run->map, error));
    finish->results.map = run->map;
    return STATUS_OK;
}

/* Whether a node of any rank was activated */
static bool is_activated(const struct run *run)
{
    const struct comm *comm = run->setup->comm;
    const int64_t values = monodomain_held(run->setup->sim) * run->setup->config.physics.activation_beats;
    uint64_t any = 0;
    for (int64_t k = 0; k < values && !any; k++)
        any = isnan(run->map[k]) ? 0U : 1U;
    comm->engine->largest(comm, COMM_STEPS, &any, 1);
    return any;
}

/* Reads the activations that are recorded in addition to the maps. */
static enum status gather_record(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct setup *setup = finish->run->setup;
    struct forest *forest = &finish->run->forest;
    if (setup->problem.params.activation_slots == 0)
        return STATUS_OK;
    if (finish->run->grows && forest->waves.excitable)
        return forest_read(forest, setup, error);
    finish->run->grows = false;
    const bool any = is_activated(finish->run);
    forest_free(forest); /* of an earlier call */
    TRY(comm_agree(setup->comm, COMM_STEPS, forest_create(forest, setup, any, error), error));
    return any ? forest_read(forest, setup, error) : STATUS_OK;
}

/* With several ranks, unless velocities are measured, only the result file has the whole mesh: reads the elements from
 * it if there are waves to find. */
static enum status read_mesh(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct run *run = finish->run;
    struct mesh *mesh = &run->mesh;
    const struct forest *forest = &run->forest;
    enum status status = STATUS_OK;
    if (run->setup->comm->size == 1 || run->setup->problem.params.activation_slots == 0)
        return STATUS_OK;
    if (run->setup->problem.mesh.vertex)
        return forest_set_mesh(&run->forest, run->setup, &run->setup->problem.mesh, error);
    if (forest->slots == 0) {
        *mesh = (struct mesh){.dimension = 1, .nodes = mesh_nodes_whole(&run->setup->problem.mesh)};
        return forest_set_mesh(&run->forest, run->setup, mesh, error);
    }
    TRY(output_mesh(run->output, mesh, error));
    status = forest_set_mesh(&run->forest, run->setup, mesh, error);
    struct mesh kept = {.dimension = mesh->dimension, .nodes = mesh->nodes, .point = mesh->point};
    mesh->point = NULL;
    mesh_free(mesh);
    *mesh = kept;
    return status;
}

static enum status find_waves(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct forest *forest = &finish->run->forest;
    const int64_t slots = finish->run->setup->problem.params.activation_slots;
    if (slots > 0) {
        TRY(forest_grow(forest, finish->run->setup, error));
        finish->results.waves = &forest->waves;
        finish->results.point = forest->waves.point;
        finish->results.slots = slots;
        TRY(results_find_waves(&finish->results, error));
    }
    progress_part(finish->run->setup->progress, "waves");
    TRY(results_find_regions(&finish->results, error));
    progress_part(finish->run->setup->progress, "velocities");
    return STATUS_OK;
}

static enum status gather_followed(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct setup *setup = finish->run->setup;
    if (!finish->results.followed)
        return STATUS_OK;
    TRY(monodomain_followed(setup->sim, finish->results.followed, error));
    if (setup->comm->rank == 0)
        results_read_followed(&finish->results);
    return STATUS_OK;
}

/* Gathers the maps at the probes; collective even after a failure. */
static enum status gather_maps(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct run *run = finish->run;
    struct results *results = &finish->results;
    const struct config *config = results->config;
    int64_t beats = config->physics.activation_beats;
    enum status status = STATUS_OK;
    if (config->output.probes == 0)
        return STATUS_OK;
    for (int c = results->followed ? RESULTS_COLUMNS : 0; c < results->columns; c++) {
        struct results_column *column = &results->column[c];
        if (!maps_stored(&config->physics.maps, &column->map))
            continue;
        enum status made = map_values_make(&run->values, &column->map, NULL, status ? NULL : error);
        status = status ? status : made;
        for (int p = 0; p < config->output.probes && run->setup->comm->rank == 0 && !status; p++)
            memcpy(column->value + p * beats, run->values.value + results->problem->probe[p].node * beats,
                   (size_t)beats * sizeof *column->value);
    }
    return status;
}

/* Gathers APD90 of every node if its maps are recorded, else at the points; collective. */
static enum status gather_apd(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct run *run = finish->run;
    const struct config *config = &run->setup->config;
    struct monodomain *sim = run->setup->sim;
    struct maps_map map;
    maps_find(&map, "apd90", NULL);
    bool stored = maps_stored(&config->physics.maps, &map);
    if (stored) {
        TRY(map_values_make(&run->values, &map, NULL, error));
        TRY(monodomain_get(sim, monodomain_find(sim, "eads"), run->values.time, error));
    }
    if (run->setup->comm->rank > 0 || !(stored || finish->results.followed))
        return STATUS_OK;
    TRY(results_find_recovery(&finish->results, stored ? run->values.value : NULL, run->values.time, error));
    return results_find_apd(&finish->results, stored ? run->values.value : NULL, error);
}

/* Finds the captures; requires followed[]. */
static enum status find_captures(void *argument, struct error *error)
{
    struct results *results = &((struct finish *)argument)->results;
    if (results->followed)
        results_find_peak(results);
    return results_find_captures(results, error);
}

/* Measures the intervals of the first and the last beat from the ECG's rows, including those of the resumed runs. */
static enum status find_intervals(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct ecg *ecg = &finish->run->setup->ecg;
    struct results *results = &finish->results;
    struct table_rows rows;
    if (ecg->columns == 0 || finish->run->setup->options.no_files || has_failed(finish) ||
        results->activated == 0 || finish->run->lost) /* the leads lack activation, or part of a beat */
        return STATUS_OK;
    TRY(output_read_rows(finish->run->output, OUTPUT_ECG, &rows, error));
    double second = results_second_beat(results), last = results_last_capture(results);
    int64_t end = 0, from = 0; /* number of rows of the first beat; first row of the last beat */
    for (int64_t k = 0; k < rows.rows; k++) {
        end += rows.time[k] <= second;
        from += rows.time[k] < last;
    }
    results->intervals = intervals_measure(rows.time, rows.value, end, ecg->columns, ecg->name);
    results->intervals_last = last > results->intervals.begin + results->intervals.qrs
                                  ? intervals_measure(rows.time + from, rows.value + from * ecg->columns,
                                                      rows.rows - from, ecg->columns, ecg->name)
                                  : results->intervals;
    table_rows_free(&rows);
    return STATUS_OK;
}

/* Makes the facts, after everything else. A failed run gets only values, no sentences: it has not finished. */
static enum status make_facts(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct results *results = &finish->results;
    TRY(facts_make(&results->facts, results, error));
    return results->map && !has_failed(finish) ? facts_tell(&results->facts, results, error) : STATUS_OK;
}

static enum status find_activation(void *argument, struct error *error)
{
    (void)error;
    results_find_activation(&((struct finish *)argument)->results);
    return STATUS_OK;
}

/* Finds the position of the largest V: rank 0 knows the node, but any rank may own it. */
static enum status find_positions(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct setup *setup = finish->run->setup;
    struct results_peak *peak = &finish->results.peak;
    int64_t node = isnan(peak->value) ? -1 : peak->node;
    (void)error;
    setup->comm->engine->broadcast(setup->comm, COMM_STEPS, 0, &node, sizeof node);
    if (node >= 0)
        setup_point(setup, node, peak->position);
    return STATUS_OK;
}

static enum status log_results(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct setup *setup = finish->run->setup;
    return results_log(&finish->results, !has_failed(finish), setup->options.verbose, setup->progress, error);
}

static enum status write_beats(void *argument, struct error *error)
{
    struct finish *finish = argument;
    char path[SETUP_PATH];
    if (finish->run->setup->options.no_files || finish->run->setup->config.output.probes == 0)
        return STATUS_OK;
    setup_path(path, finish->run->setup, "beats.csv");
    return results_write_beats(&finish->results, path, error);
}

static enum status store_summary(struct finish *finish, struct error *error)
{
    struct printed line;
    char path[SETUP_PATH];
    enum status status;
    setup_path(path, finish->run->setup, "run.vtkhdf");
    TRY(printed_open(&line, error));
    results_print_json(&finish->results, finish->ended, path, finish->message, finish->run->setup->progress,
                       line.file);
    TRY_DONE(printed_close(&line, error));
    status = output_text(finish->run->output, "/run/summary", line.text, error);
done:
    free(line.text);
    return status;
}

/* Stores maps and numbers even if the run failed, so that nothing that was computed is lost, and closes the result. */
static enum status close_result(struct finish *finish, struct error *error)
{
    struct run *run = finish->run;
    struct output_number number[RESULTS_NUMBERS];
    int count = results_numbers(&finish->results, number); /* 0: the stored numbers are kept */
    bool maps = run->ready && !run->setup->options.no_files;
    enum status status = maps ? run_write_maps(run, NULL, error) : STATUS_OK;
    progress_part(run->setup->progress, "maps");
    if (run->output && !status)
        status = output_text(run->output, "/run/log", progress_lines(run->setup->progress), error);
    if (run->output && !status)
        status = store_summary(finish, error);
    enum status closed = output_close(run->output, number, count, status ? NULL : error);
    run->output = NULL;
    progress_part(run->setup->progress, "sync");
    return status ? status : closed;
}

/* Closes all files; returns the first error. */
static enum status close_files(void *argument, struct error *error)
{
    struct finish *finish = argument;
    struct run *run = finish->run;
    enum status status = close_result(finish, error);
    for (int t = 0; t < OUTPUT_TABLES; t++) {
        enum status closed = probes_close(run->probes[t], status ? NULL : error);
        run->probes[t] = NULL;
        status = status ? status : closed;
    }
    checkpoint_close(run->checkpoint.from);
    run->checkpoint.from = NULL;
    return status;
}

/* Computes the results, as far as the run has any. */
static enum status find_results(struct finish *finish, struct error *error)
{
    static const struct stage stages[] = {
        {measure_work, measure_work, false},
        {gather_activation, gather_activation, false}, /* from here on only if the run took a step */
        {find_activation, NULL, false},
        {gather_record, gather_record, false},
        {read_mesh, NULL, true},
        {find_waves, NULL, false},
        {allocate_beats, allocate_beats, false},
        {gather_followed, gather_followed, false},
        {gather_maps, gather_maps, false},
        {write_beats, NULL, false},
        {gather_apd, gather_apd, false},
        {find_captures, NULL, false},
        {find_positions, find_positions, false},
        {find_intervals, NULL, true},
        {make_facts, NULL, false},
    };
    const struct run *run = finish->run;
    const bool stepped = run->ready && finish->results.step > 0;
    enum status status = stages_run(stages, stepped ? sizeof stages / sizeof *stages : 1, run->setup->comm,
                                    run->writer, finish, error);
    if (status)
        results_free(&finish->results);
    return status;
}

/* Computes and logs the results. */
static enum status report_results(struct finish *finish, struct error *error)
{
    static const struct stage lines = {log_results, NULL, false};
    enum status status = find_results(finish, error);
    enum status logged = stages_run(&lines, 1, finish->run->setup->comm, NULL, finish, status ? NULL : error);
    return status ? status : logged;
}

static struct finish start_finish(struct run *run)
{
    const struct setup *setup = run->setup;
    return (struct finish){.run = run,
                           .results = {.config = &setup->config,
                                       .problem = &setup->problem,
                                       .time = monodomain_time(setup->sim),
                                       .step = monodomain_step(setup->sim),
                                       .sites = &setup->sites,
                                       .cells = &setup->cells,
                                       .ended = run->ended,
                                       .relative = setup->ecg.relative,
                                       .peak = run->peak,
                                       .intervals = intervals_none(),
                                       .intervals_last = intervals_none(),
                                       .first = NAN,
                                       .last = NAN,
                                       .set_up = monodomain_report(setup->sim),
                                       .waited = run->writer ? writer_waited(run->writer) : 0,
                                       .loop_seconds = run->loop_seconds,
                                       .checkpoint_step = run->checkpoint.step}};
}

static enum status log_end(void *argument, struct error *error)
{
    struct finish *finish = argument;
    const struct setup *setup = finish->run->setup;
    char path[SETUP_PATH];
    (void)error;
    if (setup->options.no_files)
        return STATUS_OK;
    progress_mark(setup->progress, "end");
    progress_print_wall(setup->progress, setup->options.verbose);
    finish->results.wall = setup->progress;
    results_log_end(&finish->results, finish->ended, setup->progress);
    setup_path(path, setup, "run.vtkhdf");
    if (setup->options.json)
        results_print_json(&finish->results, finish->ended, path, finish->message, setup->progress, stdout);
    return STATUS_OK;
}

enum status run_finish(struct run *run, enum status ended, struct error *error)
{
    static const struct stage close = {close_files, close_files, true}, end = {log_end, NULL, false};
    const struct comm *comm = run->setup->comm;
    struct error later = {0};
    struct finish finish = start_finish(run);
    finish.ended = ended;
    finish.message = has_failed(&finish) ? error->text : NULL;
    checkpoint_state_free(run->checkpoint.state); /* frees memory for the maps */
    run->checkpoint.state = NULL;
    enum status status = report_results(&finish, &later);
    if (ended == STATUS_RUN)
        progress_log(run->setup->progress, "failed: %s", error->text);
    enum status closed = stages_run(&close, 1, comm, run->writer, &finish, status ? NULL : &later);
    status = status ? status : closed;
    if (!ended && status)
        *error = later;
    finish.ended = ended ? ended : status;
    finish.message = has_failed(&finish) ? error->text : NULL;
    if (!ended && status == STATUS_RUN)
        progress_log(run->setup->progress, "failed: %s", error->text);
    stages_run(&end, 1, comm, NULL, &finish, NULL);
    run->results = finish.results;
    return finish.ended;
}

enum status run_results(struct run *run, struct results *results, struct error *error)
{
    struct finish finish = start_finish(run);
    enum status status = find_results(&finish, error);
    *results = finish.results;
    return status;
}

void run_free(struct run *run)
{
    writer_stop(run->writer);
    run_free_making(run);
    checkpoint_state_free(run->checkpoint.state);
    checkpoint_close(run->checkpoint.from);
    map_values_free(&run->values);
    results_free(&run->results);
    forest_free(&run->forest);
    mesh_free(&run->mesh);
    free(run->map);
    free(run->v);
    free(run->before);
    free(run->row);
    free(run->lead);
}
