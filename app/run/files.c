/* files.c: restore the state to start from (rest, another run, a checkpoint) and open the files of a run. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/io/store/h5.h"
#include "app/io/store/journal.h"
#include "app/run/run.h"
#include "app/run/simulation.h"
#include "app/run/stages.h"
#include "app/util/cores.h"
#include "app/util/own_file.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/device/cpu.h"

/* Starts at step 0, at rest or in the state of another run. */
static enum status start(struct run *run, struct error *error)
{
    const char *file = run->setup->config.initial.file;
    TRY(simulation_start(run->setup, error));
    return file ? inputs_digest(run->setup->config.inputs, file, run->checkpoint.head.initial_sha256, error)
                : STATUS_OK;
}

/* Checks that the run of run->checkpoint.from started from the same contents of initial.file, whatever its path; a
 * missing file cannot be compared, and is not needed. */
static enum status check_same_start(struct run *run, struct error *error)
{
    const char *file = run->setup->config.initial.file,
               *then = checkpoint_head(run->checkpoint.from)->initial_sha256;
    char now[SHA256_HEX] = "";
    struct error unread = {0};
    memcpy(run->checkpoint.head.initial_sha256, then, SHA256_HEX);
    if (file && *then && inputs_digest(run->setup->config.inputs, file, now, &unread)) {
        progress_warn(run->setup->progress, "initial.file: %s; whether this run began from it is not checked",
                      unread.text);
        return STATUS_OK;
    }
    if (!file == !*then && strcmp(now, then) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: that run started %s, this one starts %s; resume refused (--overwrite starts again)",
                     checkpoint_path(run->checkpoint.from), *then ? "from an initial.file" : "at rest",
                     !file   ? "at rest"
                     : *then ? "from another one"
                             : "from an initial.file");
}

/* The keys that affect the numbers, as text, from the result in the output directory; NULL if unknown */
static char *earlier_numbers(const struct run *run)
{
    struct config config = {0};
    struct error unread = {0};
    struct h5_file file = {0};
    char path[SETUP_PATH], *text = NULL, *record = NULL, *numbers = NULL;
    setup_path(path, run->setup, "run.vtkhdf");
    if (!h5_open(&file, path, false, &unread)) {
        if (!h5_read_text(&file, "/run/config", &text, &unread) &&
            !h5_read_text(&file, "/run/inputs", &record, &unread) &&
            !config_parse(&config, path, "", text, strlen(text), NULL, 0, &unread)) {
            inputs_free(config.inputs);
            config.inputs = inputs_stored(record);
            numbers = config.inputs ? config_subset_text(&config, CONFIG_NUMBERS) : NULL;
        }
        config_free(&config);
        h5_close(&file, &unread);
    }
    free(record);
    free(text);
    return numbers;
}

/* Checks that the checkpoint belongs to this run; the error lists the keys that have changed, and the remedy. */
static enum status check_same_run(const struct run *run, struct error *error)
{
    const struct checkpoint_head *then = checkpoint_head(run->checkpoint.from);
    const char *path = checkpoint_path(run->checkpoint.from);
    enum status status = checkpoint_fits(run->checkpoint.from, run->checkpoint.head.config_sha256,
                                         run->checkpoint.head.mesh_sha256, error);
    if (!status || strcmp(then->mesh_sha256, run->checkpoint.head.mesh_sha256) != 0)
        return status;
    char changes[500] = "", *numbers = run->setup->numbers ? earlier_numbers(run) : NULL;
    if (numbers)
        config_changes(changes, sizeof changes, numbers, run->setup->numbers);
    free(numbers);
    if (!changes[0])
        return status;
    return error_set(
        error, STATUS_INPUT,
        "%s: %s; resume refused (initial.file: %s with another --output starts a run of its own from "
        "there, --overwrite starts again)",
        path, changes, path);
}

/* Checks that the models' texts are those with which run->checkpoint.from was computed. */
static enum status check_same_texts(struct run *run, struct error *error)
{
    char names[300] = "";
    if (strcmp(checkpoint_head(run->checkpoint.from)->models_sha256, run->checkpoint.head.models_sha256) == 0)
        return STATUS_OK;
    for (int r = 0; r < run->setup->config.tissue.regions; r++) {
        const struct ionic_model *model = run->setup->config.tissue.region[r].model;
        const char *name = model->name;
        for (const struct user_model *user = run->setup->config.models; user; user = user->next)
            name = model == &user->model ? user->path : name;
        printed_item(names, sizeof names, "%s", name);
    }
    return error_set(
        error, STATUS_INPUT,
        "%s: the text of a model has changed since (%s); resume refused (--overwrite starts again)",
        checkpoint_path(run->checkpoint.from), names);
}

/* Checks that the checkpoint was written with the clusters and bounds in use, which determine the numbers of stages and
 * sweeps and their coefficients. */
static enum status check_same_bounds(const struct run *run, struct error *error)
{
    const struct checkpoint_head *then = checkpoint_head(run->checkpoint.from);
    const char *now = run->checkpoint.head.bounds;
    if (strcmp(then->bounds, now) == 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s: %s, which wrote it, used other bounds on the matrix's spectrum (%s; this version: %s), so "
        "results "
        "would not be bit-identical; resume refused (resume with that version, or --overwrite starts again)",
        checkpoint_path(run->checkpoint.from), then->program, then->bounds, now);
}

/* run->checkpoint.from <- with --resume the newest undamaged checkpoint, if there is one */
static enum status resume(struct run *run, struct error *error)
{
    int64_t nodes = mesh_nodes_whole(&run->setup->problem.mesh);
    char passed[1024] = "";
    TRY(checkpoint_latest(&run->checkpoint.from, run->setup->config.output.directory, passed, sizeof passed,
                          error));
    if (passed[0])
        progress_warn(run->setup->progress, "%s", passed);
    if (!run->checkpoint.from) {
        progress_print(run->setup->progress, "no checkpoint in %s: starting from the beginning",
                       run->setup->config.output.directory);
        return STATUS_OK;
    }
    TRY(check_same_run(run, error));
    TRY(check_same_texts(run, error));
    TRY(check_same_bounds(run, error));
    TRY(check_same_start(run, error));
    TRY(checkpoint_restore(run->setup->sim, nodes, run->checkpoint.from, error));
    if (run->before)
        TRY(checkpoint_before(run->checkpoint.from, nodes, run->before, error));
    const struct checkpoint_head *head = checkpoint_head(run->checkpoint.from);
    if (head->step > run->setup->config.steps)
        return error_set(error, STATUS_INPUT,
                         "%s: it is at %.10g ms, past time.end (%.10g ms); resume refused (increase time.end "
                         "to continue, --overwrite starts again)",
                         checkpoint_path(run->checkpoint.from), head->time, run->setup->config.end);
    if (monodomain_report(run->setup->sim)->scheme.mixed &&
        strcmp(head->backend, run->setup->queue->backend->name) != 0)
        progress_warn(run->setup->progress,
                      "the checkpoint was written on %s and the sweeps read fp32: on %s the result may "
                      "differ within solver.precision_budget",
                      head->backend, run->setup->queue->backend->name);
    run->checkpoint.step = run->checkpoint.fetched_step = head->step;
    run->peak.since = head->time; /* a checkpoint does not hold the largest V so far */
    progress_print(run->setup->progress, "resumed from %s at %.10g ms%s",
                   checkpoint_path(run->checkpoint.from), head->time,
                   head->step == run->setup->config.steps ? ", which is time.end: no steps remain" : "");
    return STATUS_OK;
}

/* Checks that all ranks resumed at the same step, since each reads the checkpoint itself. */
static enum status check_same_step(void *argument, struct error *error)
{
    const struct run *run = argument;
    uint64_t first = (uint64_t)run->checkpoint.step + 1, step[2] = {first, ~first};
    run->setup->comm->engine->largest(run->setup->comm, COMM_STEPS, step, 2);
    if (step[0] == ~step[1])
        return STATUS_OK;
    return error_set(
        error, STATUS_RUN,
        "%s: the ranks find different checkpoints there; it must be one folder shared by all machines",
        run->setup->config.output.directory);
}

/* Allocates run->row[] and lead[], and logs the nodes of the probes. */
static enum status prepare_probes(struct run *run, struct error *error)
{
    int probes = run->setup->config.output.probes;
    enum status status = STATUS_OK;
    run->row = array_zeroed((int64_t)probes * run->setup->fields.count, sizeof *run->row, "the probes",
                            &status, error);
    run->lead = array_zeroed((int64_t)WRITER_QUEUE * run->setup->ecg.columns, sizeof *run->lead, "the leads",
                             &status, error);
    for (int p = 0; p < probes && !status; p++) {
        const struct probe *probe = &run->setup->problem.probe[p];
        if (probe->distance > 0)
            progress_log(run->setup->progress, "probe %s reads node %lld, %.3g mm away", probe->name,
                         (long long)probe->node, probe->distance);
    }
    return status;
}

/* The CSV file of a table, and its columns */
struct csv {
    enum output_table which;
    const char *name;
    int columns;
    const struct table_column *column; /* [columns] */
};

/* Renames a file to NAME.END, or NAME.END-2 and so on; to[] <- its new name */
static enum status set_aside(const char *path, const char *end, char to[SETUP_PATH], struct error *error)
{
    snprintf(to, SETUP_PATH, "%s.%s", path, end);
    for (int k = 2; faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0; k++)
        snprintf(to, SETUP_PATH, "%s.%s-%d", path, end, k);
    return journal_rename(path, to) && rename(path, to) == 0
               ? STATUS_OK
               : error_set(error, STATUS_RUN, "%s: it cannot be renamed to %s: %s", path, to,
                           strerror(errno));
}

/* Writes the rows of the result's table to the CSV file. */
static enum status copy_rows(const struct run *run, enum output_table which, struct error *error)
{
    struct table_rows rows;
    TRY(output_read_rows(run->output, which, &rows, error));
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < rows.rows && !status; k++)
        status = probes_row(run->probes[which], rows.time[k], rows.value + k * rows.columns, error);
    table_rows_free(&rows);
    return status;
}

/* Opens a CSV file. An existing one with rows that the new result lacks is renamed. */
static enum status open_csv(struct run *run, const struct csv *csv, struct error *error)
{
    char path[SETUP_PATH], to[SETUP_PATH];
    if (csv->columns == 0)
        return STATUS_OK;
    setup_path(path, run->setup, csv->name);
    if (run->lost && access(path, F_OK) == 0) {
        TRY(set_aside(path, "old", to, error));
        progress_warn(run->setup->progress, "%s was renamed to %s: a new one begins at %.10g ms", path, to,
                      monodomain_time(run->setup->sim));
    }
    TRY(probes_create(&run->probes[csv->which], path, csv->column, csv->columns, error));
    return copy_rows(run, csv->which, error);
}

/* The number of threads for the writer's tasks while steps are taken: with a GPU all (a share on ranks that only send
 * their part), else those that the steps leave. More threads than cores would make the steps' threads sleep at every
 * barrier. */
static int spare_threads(const struct run *run)
{
    const struct comm *comm = run->setup->comm;
    int cores = cores_threads(run->setup->config.threads, INT64_MAX);
    if (!run->setup->queue->backend->immediate)
        return comm->rank == 0 ? cores : 1 + (cores - 1) / comm->size;
    return cpu_threads(run->setup->queue) < cores ? cores - cpu_threads(run->setup->queue) : 1;
}

/* The compression level: 1 if that costs less than 3 % of the steps and the writer keeps up, else 0. Compressing 4
 * bytes takes 20 to 55 ns on one thread; a step takes 80 ns a node on a CPU, or 0.3 ns on a GPU, where all CPU threads
 * are free. */
static int deflate_level(const struct run *run)
{
    const struct config_output *output = &run->setup->config.output;
    const struct queue *queue = run->setup->queue;
    int64_t values = output->fields * (output->precision == OUTPUT_PRECISION_FLOAT64 ? 2 : 1);
    if (!queue->backend->immediate)
        return output->every_steps * spare_threads(run) >= 200 * values * run->setup->comm->size;
    int64_t ratio = (int64_t)run->setup->comm->size * cpu_threads(queue) / spare_threads(run);
    return output->every_steps >= values * (ratio > 25 ? ratio : 25);
}

/* Renames a damaged result and its journal, so that a resume can create a new one. */
static enum status keep_broken(struct run *run, const char *path, struct error *error)
{
    char reason[600], to[SETUP_PATH];
    if (!output_is_broken(path, reason, sizeof reason))
        return STATUS_OK;
    TRY(set_aside(path, "broken", to, error));
    progress_warn(run->setup->progress,
                  "the result is damaged and was renamed to %s (%s): a new one begins at %.10g ms", to,
                  reason, monodomain_time(run->setup->sim));
    run->lost = true;
    return STATUS_OK;
}

/* field[fields], map[maps] <- the names and types of the result's arrays */
static void name_arrays(const struct run *run, struct output_field *field, struct output_map *map)
{
    const struct config_output *from = &run->setup->config.output;
    for (int f = 0; f < from->fields; f++)
        field[f] = (struct output_field){run->setup->fields.field[f].name, run->setup->fields.field[f].unit,
                                         from->precision == OUTPUT_PRECISION_FLOAT64};
    for (int k = 0; k < from->maps; k++) {
        struct maps_map of;
        maps_find(&of, from->map[k], NULL);
        map[k] = (struct output_map){of.name, of.unit, map_values_width(&run->values, &of)};
    }
}

/* Create the result, or reopen it on resume; create it if it is missing */
static enum status create_or_resume(struct run *run, const struct output_params *params, struct error *error)
{
    const struct monodomain_params *physics = &run->setup->config.physics;
    enum status status = STATUS_OK;
    if (run->checkpoint.from)
        run->lost = access(params->path, F_OK) != 0;
    if (run->lost)
        progress_warn(run->setup->progress, "%s does not exist: a new one begins at %.10g ms", params->path,
                      monodomain_time(run->setup->sim));
    else if (run->setup->options.resume && access(params->path, F_OK) == 0)
        status = keep_broken(run, params->path, error);
    if (status)
        return status;
    if (run->checkpoint.from && !run->lost) {
        status =
            output_resume(&run->output, params, monodomain_time(run->setup->sim),
                          !monodomain_report(run->setup->sim)->scheme.mixed && !physics->ionic_mixed, error);
        struct output_resumed found = run->output ? output_resumed(run->output) : (struct output_resumed){0};
        if (found.stale[0])
            progress_warn(run->setup->progress,
                          "%s: %s: no longer among output.maps, so not updated by this run", params->path,
                          found.stale);
        return status;
    }
    return output_create(&run->output, params, run->setup->options.overwrite || run->setup->options.resume,
                         error);
}

/* Everything needed to create a result and its tables, so that the writer's thread can do so while the run continues */
struct run_making {
    char path[SETUP_PATH];
    struct output_params params;
    struct output_field *field;
    struct output_map *map;
    char *text, *record, *libraries, *log;
    struct table_column *probe, *lead;
    struct csv csv[OUTPUT_TABLES];
};

void run_free_making(struct run *run)
{
    struct run_making *making = run->making;
    if (!making)
        return;
    free(making->text);
    free(making->record);
    free(making->libraries);
    free(making->log);
    free(making->field);
    free(making->map);
    free(making->probe);
    free(making->lead);
    free(making);
    run->making = NULL;
}

/* making->params <- the parameters of run.vtkhdf, whether new or continued */
static enum status describe_output(struct run_making *making, const struct run *run, struct error *error)
{
    const struct config_output *from = &run->setup->config.output;
    const char *what = "the result file";
    enum status status = STATUS_OK;
    making->field = array_zeroed(run->setup->fields.count, sizeof *making->field, what, &status, error);
    making->map = array_zeroed(from->maps, sizeof *making->map, what, &status, error);
    TRY(status);
    TRY(files_record(&making->record, &run->setup->config, error));
    making->text = config_printed(&run->setup->config);
    making->libraries = version_libraries();
    making->log = strdup(progress_lines(run->setup->progress)); /* a copy, since lines will be added */
    if (!making->text || !making->libraries || !making->log)
        return error_memory(error, what, 4096);
    setup_path(making->path, run->setup, "run.vtkhdf");
    name_arrays(run, making->field, making->map);
    making->params = (struct output_params){
        .path = making->path,
        .mesh = &run->setup->problem.mesh,
        .subdomain = &run->setup->subdomain,
        .fiber = run->setup->problem.params.fiber,
        .field = making->field,
        .fields = from->fields,
        .map = making->map,
        .maps = from->maps,
        .thresholds = run->setup->problem.thresholds,
        .regions = run->setup->config.tissue.regions,
        .column = {making->probe, making->lead},
        .columns = {making->csv[OUTPUT_PROBES].columns, making->csv[OUTPUT_ECG].columns},
        .config = making->text,
        .inputs = making->record,
        .log = making->log,
        .program = version_text(),
        .libraries = making->libraries,
        .mesh_sha256 = run->setup->head.mesh_sha256,
        .device = run->setup->queue->backend->name,
        .deflate = deflate_level(run),
        .frames = from->every_steps > 0 ? run->setup->config.steps / from->every_steps + 1 : 0,
        .from = run->checkpoint.from};
    return STATUS_OK;
}

/* column[probes * fields] <- the columns of probes.csv: the probe's name for V, PROBE.FIELD for other fields */
static enum status name_columns(struct table_column *column, const struct run *run, struct error *error)
{
    struct setup *setup = run->setup;
    const int fields = setup->fields.count;
    for (int k = 0; k < setup->config.output.probes * fields; k++) {
        const struct probe *p = &setup->problem.probe[k / fields];
        const struct field *field = &setup->fields.field[k % fields];
        const bool is_v = strcmp(field->name, "V") == 0;
        const char *name =
            arena_print(&setup->config.memory, "%s%s%s", p->name, is_v ? "" : ".", is_v ? "" : field->name);
        TRY(name ? STATUS_OK : error_memory(error, "the probes", 64));
        column[k] =
            (struct table_column){name, field->unit, {p->point[0], p->point[1], p->point[2]}, p->node};
    }
    return STATUS_OK;
}

/* run->making <- what is needed to create the result and its tables */
static enum status describe_files(void *argument, struct error *error)
{
    struct run *run = argument;
    const int probes = run->setup->config.output.probes * run->setup->fields.count;
    const struct ecg *ecg = &run->setup->ecg;
    enum status status = STATUS_OK;
    struct run_making *making = array_zeroed(1, sizeof *making, "the result file", &status, error);
    TRY(status);
    run->making = making;
    making->probe = array_zeroed(probes, sizeof *making->probe, "the probes", &status, error);
    making->lead = array_zeroed(ecg->columns, sizeof *making->lead, "the leads", &status, error);
    TRY(status);
    TRY(name_columns(making->probe, run, error));
    for (int k = 0; k < ecg->columns; k++)
        making->lead[k] = (struct table_column){.name = ecg->name[k], .unit = "mV"};
    making->csv[OUTPUT_PROBES] = (struct csv){OUTPUT_PROBES, "probes.csv", probes, making->probe};
    making->csv[OUTPUT_ECG] = (struct csv){OUTPUT_ECG, "ecg.csv", ecg->columns, making->lead};
    return describe_output(making, run, error);
}

/* Creates or opens the result and its tables. */
static enum status open_files(struct run *run, struct error *error)
{
    TRY(create_or_resume(run, &run->making->params, error));
    for (int t = 0; t < OUTPUT_TABLES; t++)
        TRY(open_csv(run, &run->making->csv[t], error));
    return STATUS_OK;
}

/* Removes the tables of an earlier run, since this run may have none. */
static void remove_tables(const struct run *run)
{
    static const char *const tables[] = {"beats.csv", "probes.csv", "ecg.csv"};
    char path[SETUP_PATH];
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        setup_path(path, run->setup, tables[t]);
        unlink(path);
    }
}

enum status run_allocate(void *argument, struct error *error)
{
    struct run *run = argument;
    struct setup *setup = run->setup;
    int64_t held = monodomain_held(setup->sim), beats = setup->config.physics.activation_beats;
    enum status status = STATUS_OK;
    run->map = array_new(held * beats, sizeof *run->map, "the maps", &status, error);
    if (setup->config.stop.when != STOP_WHEN_NEVER)
        run->v = array_new(held, sizeof *run->v, "V", &status, error);
    if (!status)
        status = map_values_create(&run->values, setup->sim, &setup->problem.mesh, beats, error);
    if (!status && !setup->options.no_files)
        status = checkpoint_state_new(&run->checkpoint.state, setup->sim,
                                      mesh_nodes_whole(&setup->problem.mesh), error);
    return status;
}

static enum status allocate_before(void *argument, struct error *error)
{
    struct run *run = argument;
    int64_t nodes = mesh_nodes_whole(&run->setup->problem.mesh);
    enum status status = STATUS_OK;
    if (run->setup->config.stop.when == STOP_WHEN_QUIESCENT)
        run->before = array_new(nodes + 1, sizeof *run->before, "the maps", &status, error);
    for (int64_t i = 0; i <= nodes && run->before; i++)
        run->before[i] = NAN;
    return status;
}

static enum status restore(void *argument, struct error *error)
{
    struct run *run = argument;
    if (run->setup->options.resume && !run->setup->options.no_files)
        TRY(resume(run, error));
    if (!run->checkpoint.from)
        TRY(start(run, error));
    progress_stage(run->setup->progress, "initial state");
    return prepare_probes(run, error);
}

/* Removes all files of an earlier run before a new result is created, so that none remains even after a crash. */
static enum status clear_directory(void *argument, struct error *error)
{
    const struct run *run = argument;
    const char *directory = run->setup->config.output.directory;
    if (!run->checkpoint.from) {
        TRY(checkpoint_remove_all(directory, error));
        remove_tables(run);
    } else { /* a kill may have left one more than checkpoint.keep */
        TRY(checkpoint_remove_old(directory, run->checkpoint.step, run->setup->config.checkpoint.keep,
                                  error));
    }
    TRY(own_file_sync_folder(directory, error));
    return checkpoint_remove_unfinished(directory, error);
}

static enum status make_files(void *argument, struct error *error)
{
    struct run *run = argument;
    enum status status = open_files(run, error);
    if (!status) /* sync the directory entries of all open files */
        status = own_file_sync_folder(run->setup->config.output.directory, error);
    subdomain_end(&run->setup->subdomain);
    if (!status)
        run_free_making(run);
    return status;
}

/* Creates the files on the writer's thread. On a single rank a new result, from which nothing is read, is created while
 * the first steps are taken; frames and checkpoints are queued after it. */
static enum status put_files(void *argument, struct error *error)
{
    struct run *run = argument;
    if (run->setup->comm->size == 1 && !run->setup->options.resume)
        return writer_put(run->writer, make_files, run, error);
    const enum status status = writer_call(run->writer, make_files, run, error);
    progress_stage(run->setup->progress, "writing the mesh");
    return status;
}

/* On ranks other than 0: sends the subdomain to rank 0 until it calls subdomain_end(). */
static enum status serve_mesh(void *argument, struct error *error)
{
    struct run *run = argument;
    (void)error;
    subdomain_serve(&run->setup->subdomain, &run->setup->problem.mesh);
    return STATUS_OK;
}

static enum status drop_mesh(void *argument, struct error *error)
{
    return setup_drop_mesh(((struct run *)argument)->setup, error);
}

static enum status drop_shared(void *argument, struct error *error)
{
    return setup_drop_shared(((struct run *)argument)->setup, error);
}

static enum status start_writer(void *argument, struct error *error)
{
    struct run *run = argument;
    return writer_start(&run->writer, run_sync, run, error);
}

/* Limits the writer's threads, but not while it creates files: frames, and soon the steps, wait for these. */
static enum status limit_writer(void *argument, struct error *error)
{
    struct run *run = argument;
    (void)error;
    writer_spare(run->writer, spare_threads(run));
    return STATUS_OK;
}

enum status run_files(struct run *run, struct error *error)
{
    enum { BEFORE_FILES = 3 }; /* number of stages of a run without files */
    static const struct stage start = {start_writer, start_writer, false};
    static const struct stage stages[] = {
        {run_allocate, run_allocate, false},
        {allocate_before, NULL, false},
        {restore, restore, true},
        {check_same_step, check_same_step, false}, /* afterwards no rank reads the checkpoint */
        {clear_directory, NULL, true},
        {describe_files, NULL, false},
        {put_files, serve_mesh, false},
        {limit_writer, limit_writer, false},
        {drop_shared, drop_mesh, false},
    };
    const struct comm *comm = run->setup->comm;
    run->checkpoint.head = run->setup->head;
    TRY(stages_run(&start, 1, comm, NULL, run, error));
    writer_left_out(run->writer, run_decline);
    int count = run->setup->options.no_files ? BEFORE_FILES : (int)(sizeof stages / sizeof *stages);
    TRY(stages_run(stages, count, comm, run->writer, run, error));
    run->ready = true;
    return STATUS_OK;
}
