/* study_make.c: make the runs of a study one after the other, and append a row of each to its table. */
#include "app/study/study.h"

#include <ctype.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/describe.h"
#include "app/run/run.h"
#include "app/run/stop.h"
#include "app/util/json.h"
#include "app/util/program.h"
#include "app/util/text_media.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"

/* The status if a signal or stop_after asks the study to end before its next steps; STATUS_OK = continue */
static enum status asked_to_stop(const struct study_request *request)
{
    if (stop_signal())
        return STATUS_INTERRUPTED + (unsigned)stop_signal();
    return clock_seconds() - request->began > request->stop_after ? STATUS_STOPPED : STATUS_OK;
}

/* How a run ended */
struct ending {
    enum status status;
    double *value; /* [facts_columns], to be freed; NULL = nothing was computed */
    int64_t steps;
    double seconds;         /* of the steps */
    double activated, last; /* %, ms */
    struct error error;
    char *warning; /* the last one, to be freed; NULL = none */
    bool device;   /* the device failed */
};

/* The first line of the table */
static void print_names(FILE *file, const struct study *study)
{
    const struct csv *table = study->given;
    char name[FACTS_COLUMN], text[FACTS_COLUMN + 20];
    const char *unit;
    fputs("run,id", file);
    for (int c = 0; table && c < table->columns; c++) {
        fputc(',', file);
        csv_put(file, csv_at(table, -1, c)->text);
    }
    for (int a = 0; a < study->base.axes; a++) {
        fputc(',', file);
        csv_put(file, study->base.axis[a].key);
    }
    fputs(",status", file);
    for (int c = 0; c < facts_columns(&study->base); c++) {
        facts_column_name(name, &unit, &study->base, c);
        snprintf(text, sizeof text, unit ? "%s (%s)" : "%s", name, unit);
        fputc(',', file);
        csv_put(file, text);
    }
    fputs(",message\n", file);
}

/* The value of list a of `sweep:` in run k of all parts */
static const char *axis_text(const struct study *study, int64_t k, int a)
{
    int64_t point = k % study->points;
    for (int b = study->base.axes - 1; b > a; b--)
        point /= study->base.axis[b].values;
    return study->base.axis[a].text[point % study->base.axis[a].values];
}

static double ending_value(const struct ending *ending, int c)
{
    return ending->value ? ending->value[c] : (double)NAN;
}

static void print_row(FILE *file, const struct study *study, int64_t run, const struct ending *ending)
{
    const struct csv *table = study->given;
    int64_t k = study->first + run;
    fprintf(file, "%lld,%s", (long long)(k + 1), study->run[run].id);
    for (int c = 0; table && c < table->columns; c++) {
        fputc(',', file);
        csv_put(file, csv_at(table, k / study->points, c)->text);
    }
    for (int a = 0; a < study->base.axes; a++) {
        fputc(',', file);
        csv_put(file, axis_text(study, k, a));
    }
    fprintf(file, ",%d", (int)ending->status);
    for (int c = 0; c < facts_columns(&study->base); c++)
        csv_put_number(file, ending_value(ending, c));
    fputc(',', file);
    csv_put(file, ending->status ? ending->error.text : ending->warning ? ending->warning : "");
    fputc('\n', file);
}

static enum status append_row(struct study *study, int64_t run, const struct ending *ending,
                              struct error *error)
{
    struct printed row;
    TRY(printed_open(&row, error));
    print_row(row.file, study, run, ending);
    TRY(printed_close(&row, error));
    enum status status = study_table_append(&study->table, row.text, error);
    free(row.text);
    return status;
}

/* STATUS_INPUT if the run in row k lacks the file that the option writes; frees the path. */
static enum status check_file(const struct study *study, int64_t k, char *path, const char *option,
                              struct error *error)
{
    const struct csv_cell *cell = csv_at(&study->table.rows, k, 0);
    enum status status = path ? STATUS_OK : error_memory(error, "a path", 1);
    if (path && access(path, F_OK) != 0)
        status = error_at(error, STATUS_INPUT, study->table.path, cell->line, cell->column,
                          "%s is missing: this run was made without %s; delete its line to repeat it, or %s",
                          path, option, study_table_elsewhere);
    free(path);
    return status;
}

static enum status check_files(const struct study *study, int64_t k, const char *id, struct error *error)
{
    char *path = NULL;
    if (study->request.results) {
        if (asprintf(&path, "%s/%s/run.vtkhdf", study->directory, id) < 0)
            path = NULL;
        TRY(check_file(study, k, path, "--results", error));
    }
    if (!study->request.maps)
        return STATUS_OK;
    TRY(study_path(&path, study, "maps", "vtkhdf", error));
    return check_file(study, k, path, "--maps", error);
}

/* With --maps, checks that a run's number is unchanged: it is the time of its frame in the maps' file. */
static enum status check_number(const struct study *study, int64_t k, int64_t number, struct error *error)
{
    const struct csv_cell *cell = csv_at(&study->table.rows, k, 0);
    const long long then = strtoll(cell->text, NULL, 10);
    char *path = NULL;
    if (!study->request.maps || then == number)
        return STATUS_OK;
    TRY(study_path(&path, study, "maps", "vtkhdf", error));
    enum status status =
        error_at(error, STATUS_INPUT, study->table.path, cell->line, cell->column,
                 "this run is number %lld now and its maps are at %lld ms of %s: add runs after the last one "
                 "(a row, or a value of the first list); %s",
                 (long long)number, then, path, study_table_elsewhere);
    free(path);
    return status;
}

/* The error for a row that belongs to another study */
static enum status refuse_row(const struct study *study, const struct csv_cell *cell, struct error *error)
{
    char reason[500];
    if (strlen(cell->text) == STUDY_ID_OLD - 1)
        return error_at(
            error, STATUS_INPUT, study->table.path, cell->line, cell->column,
            "run '%.20s' was made by an earlier version, whose ids do not depend on the contents of "
            "files: whether they have changed is unknown; %s",
            cell->text, study_table_elsewhere);
    study_inputs_reason(reason, sizeof reason, study);
    return error_at(error, STATUS_INPUT, study->table.path, cell->line, cell->column,
                    "run '%.20s' does not belong to this study: %s; %s", cell->text, reason,
                    study_table_elsewhere);
}

/* Marks the runs that are in the table as done. */
static enum status mark_done(struct study *study, struct error *error)
{
    const struct csv *table = &study->table.rows;
    for (int64_t r = 0; r < table->rows; r++) {
        const struct csv_cell *cell = csv_at(table, r, 1);
        struct study_run *found = study_find(study, cell->text);
        if (!found)
            return refuse_row(study, cell, error);
        bool good = strcmp(csv_at(table, r, csv_column(table, "status"))->text, "0") == 0;
        TRY(check_number(study, r, study->first + (found - study->run) + 1, error));
        if (good)
            TRY(check_files(study, r, found->id, error));
        study->done += !found->done;
        found->done = true;
        study->failed += !good;
    }
    return STATUS_OK;
}

static enum status open_table(struct study *study, struct error *error)
{
    struct printed names;
    TRY(study_inputs_claim(study, error));
    TRY(printed_open(&names, error));
    print_names(names.file, study);
    TRY(printed_close(&names, error));
    enum status status =
        study_table_open(&study->table, study->directory, study->request.overwrite, names.text, error);
    free(names.text);
    TRY(status);
    TRY(mark_done(study, error));
    return study_inputs_write(study, error);
}

/* Whether two warnings differ only in their numbers */
static bool is_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789.e+-";
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, digits);
            b += strspn(b, digits);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

/* Prints a warning to standard error unless an earlier run had a similar one, and counts its rows. */
static void print_warning(struct study *study, int64_t run, const char *text)
{
    for (int k = 0; k < study->warned; k++)
        if (is_alike(study->warning[k].text, text)) {
            study->warning[k].rows++;
            return;
        }
    struct study_warning *larger = realloc(study->warning, ((size_t)study->warned + 1) * sizeof *larger);
    if (larger)
        study->warning = larger;
    char *copy = larger ? strdup(text) : NULL;
    if (copy)
        study->warning[study->warned++] = (struct study_warning){copy, 1};
    watch_printed();
    fprintf(stderr, "cardiac: warning: run %lld: ", (long long)(study->first + run + 1));
    text_media_line(stderr, "", text);
}

/* Reports the warnings that all rows of this call share; each was printed only for the first row. */
static void report_shared(const struct study *study)
{
    enum { SHOWN = 60 };
    for (int k = 0; k < study->warned && study->made > 1; k++) {
        const struct study_warning *warning = &study->warning[k];
        char text[SHOWN + 4];
        if (warning->rows < study->made)
            continue;
        snprintf(text, sizeof text, "%.*s%s", SHOWN, warning->text,
                 strlen(warning->text) > SHOWN ? "..." : "");
        fprintf(stderr, "cardiac: warning: in all %lld rows%s: ", (long long)study->made,
                study->made < study->runs ? " of this call" : "");
        text_media_line(stderr, "", text);
    }
}

/* The warnings of a run; ending->warning <- the last one */
static void collect_warnings(struct study *study, int64_t run, const struct progress *progress,
                             struct ending *ending)
{
    const char *last = NULL, *text;
    for (int k = 0; progress && (text = progress_warning(progress, k)); last = text, k++)
        print_warning(study, run, text);
    ending->warning = last ? strdup(last) : NULL;
}

/* Warns if `auto` has chosen rkl2 for some runs only: their fronts differ by the error of the step. */
static void compare_methods(struct study *study, int64_t run, const struct setup *setup)
{
    if (!setup->sim || setup->config.physics.method != METHOD_AUTO)
        return;
    const bool staged = monodomain_report(setup->sim)->scheme.method == METHOD_RKL2;
    study->chosen[staged] = true;
    if (study->chosen[!staged])
        print_warning(study, run,
                      "solver.method: auto has chosen rkl2 for some runs and sweeps for others; their fronts "
                      "differ by up to the error of the step, so name one method where runs are compared");
}

static void read_results(const struct study *study, const struct results *results, struct ending *ending)
{
    enum status status = STATUS_OK;
    int columns = facts_columns(&study->base);
    ending->value = array_new(columns, sizeof *ending->value, "a row", &status, NULL);
    for (int c = 0; c < columns && !status; c++)
        ending->value[c] = facts_column(&study->base, c, &results->facts, results->config);
    ending->steps = results->step;
    ending->seconds = results->loop_seconds;
    ending->activated = facts_activated(results);
    ending->last = results->last;
}

static void free_ending(struct ending *ending)
{
    free(ending->value);
    free(ending->warning);
    ending->value = NULL;
    ending->warning = NULL;
}

/* Elements of run k for each of the first run's: 2^(dimension * halvings) */
static double size_of(const struct study *study, int64_t k, int dimension)
{
    return study->halvings ? ldexp(1, dimension * study->halvings[study->first + k]) : 1;
}

/* A run of a few steps, from which the study's time is forecast */
struct trial {
    double work;        /* of all runs, in steps of the first */
    enum status status; /* of the forecast */
    struct error *error;
};

static void describe_trial(struct trial *trial, const struct study *study, const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    double bytes = study->request.results ? forecast_disk_bytes(problem, &setup->config) : 0, disk = 0,
           most = 1;
    for (int64_t k = 0; k < study->runs; k++) {
        double size = size_of(study, k, problem->mesh.dimension);
        trial->work += size * (double)study->run[k].steps;
        disk += size * bytes + 300;
        most = fmax(most, size);
    }
    struct forecast forecast = setup->forecast;
    forecast.set_up *= most;
    forecast.run *= most;
    forecast.device *= most;
    int64_t nodes = (int64_t)((double)problem->mesh.nodes * most);
    if (most > 1)
        printf("%.4g times the work of run %lld alone, and %.0f times its memory\n",
               trial->work / (double)study->run[0].steps, (long long)study->first + 1, most);
    describe_forecast(stdout, &forecast, nodes);
    printf("disk: about %.4g MB in %s\n", disk / 1e6, study->directory);
    trial->status = forecast_check_host(&forecast, nodes, 1, trial->error);
    if (!trial->status)
        trial->status = forecast_check_device(&forecast, nodes, &setup->config, setup->queue, trial->error);
}

/* Makes a run. A trial takes its first steps, without files. */
static void make_run(struct study *study, int64_t k, struct trial *trial, struct ending *ending)
{
    enum { TRIED = 40 }; /* steps */
    const struct study_request *request = &study->request;
    struct setup setup = {.reuse = &study->reuse, .comm = comm_alone(), .began = request->began};
    struct run run = {0};
    char *directory = NULL;
    bool files = request->results && !trial;
    *ending = (struct ending){0};
    if (asprintf(&directory, "%s/%s", study->directory, study->run[k].id) < 0)
        directory = NULL;
    const struct config_option output = {"--output", "output.directory", directory};
    setup.options =
        (struct setup_options){.mute = true,
                               .no_files = !files,
                               .overwrite = request->overwrite,
                               .resume = !request->overwrite && directory && access(directory, F_OK) == 0,
                               .stop_after = trial ? (double)INFINITY : request->stop_after};
    ending->status = directory ? study_config(&setup.config, study, study->first + k, &output, &ending->error)
                               : error_memory(&ending->error, "a path", 1);
    if (!ending->status && trial && setup.config.steps > TRIED)
        setup.config.steps = TRIED;
    if (!ending->status)
        ending->status = run_simulate(&run, &setup, &ending->error);
    if (run.results.config)
        read_results(study, &run.results, ending);
    if (request->maps && !trial && setup.sim && ending->status < STATUS_STOPPED) {
        struct error unwritten = {0};
        enum status stored = study_maps_put(study, k, &setup, ending->status != STATUS_OK, &unwritten);
        ending->error = stored ? unwritten : ending->error;
        ending->status = stored ? stored : ending->status;
    }
    ending->device = setup.sim && monodomain_failure(setup.sim)->kind == FAILURE_DEVICE;
    if (trial && ending->value)
        describe_trial(trial, study, &setup);
    else {
        collect_warnings(study, k, setup.progress, ending);
        compare_methods(study, k, &setup);
    }
    run_free(&run);
    setup_free(&setup);
    free(directory);
    if (ending->device)
        setup_reuse_free(&study->reuse);
}

/* The work of run k, in steps of the first run */
static double work_of(const struct study *study, int64_t k)
{
    return size_of(study, k, study->reuse.mesh.mesh.dimension) * (double)study->run[k].steps;
}

/* Seconds until the end, if the remaining runs are as fast as those made by this process */
static double seconds_left(const struct study *study, double work, double began)
{
    double left = 0;
    for (int64_t k = 0; k < study->runs; k++)
        left += study->run[k].done ? 0 : work_of(study, k);
    return (clock_seconds() - began) / work * left;
}

static void report_json(const struct study *study, int64_t run, const struct ending *ending, double left)
{
    struct json json = json_line(stdout);
    char name[FACTS_COLUMN];
    json_open(&json, NULL, '{');
    json_integer(&json, "run", study->first + run + 1);
    json_text(&json, "id", study->run[run].id);
    json_integer(&json, "status", ending->status);
    for (int c = 0; c < facts_columns(&study->base); c++) {
        facts_column_name(name, NULL, &study->base, c);
        json_number(&json, name, ending_value(ending, c));
    }
    json_text(&json, "message", ending->status ? ending->error.text : ending->warning);
    json_integer(&json, "runs", study->runs);
    json_integer(&json, "done", study->done);
    json_number(&json, "seconds_left", left);
    json_close(&json);
}

/* Flushes stdout. If its reader has exited, continues silently, since the table is complete; program_main() reports any
 * other loss. */
static void flush_lines(void)
{
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if ((fflush(stdout) || ferror(stdout)) && poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))
        program_silence();
}

/* Prints how a run ended. */
static void report_run(const struct study *study, int64_t run, const struct ending *ending, double left)
{
    char rest[40];
    if (study->request.json)
        report_json(study, run, ending, left);
    if (study->request.json)
        flush_lines();
    if (study->request.json || study->request.quiet)
        return;
    watch_printed();
    progress_duration(rest, sizeof rest, left);
    printf("run %lld (%lld of %lld): ", (long long)(study->first + run + 1), (long long)study->done,
           (long long)study->runs);
    if (ending->status)
        text_media_line(stdout, "failed: ", ending->error.text);
    else if (isfinite(ending->last))
        printf("%.4g %% activated, the last at %s ms; steps took %.3g s, %s left\n", ending->activated,
               time_text(ending->last).text, ending->seconds, rest);
    else
        printf("nothing activated; steps took %.3g s, %s left\n", ending->seconds, rest);
    flush_lines();
}

static enum status end_study(const struct study *study, const struct ending *first, struct error *error)
{
    report_shared(study);
    if (!study->request.quiet && !study->request.json)
        printf("%lld run%s, %lld failed: %s; they share %d mesh%s and %d matri%s\n", (long long)study->runs,
               study->runs == 1 ? "" : "s", (long long)study->failed, study->table.path,
               study->reuse.mesh.made, study->reuse.mesh.made == 1 ? "" : "es", study->reuse.matrices,
               study->reuse.matrices == 1 ? "x" : "ces");
    flush_lines();
    if (study->failed == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%lld of %lld runs failed%s%.600s; %s has their messages",
                     (long long)study->failed, (long long)study->runs, first->status ? ": " : "",
                     first->error.text, study->table.path);
}

static enum status stop_study(const struct study *study, enum status status, struct error *error)
{
    report_shared(study);
    return error_set(error, status, "%s after %lld of %lld runs: the same command goes on",
                     status == STATUS_STOPPED ? "time is up" : "interrupted", (long long)study->done,
                     (long long)study->runs);
}

/* Whether a run failed because of the system (a full disk, another program's file): it gets no row and is repeated */
static bool is_of_system(const struct ending *ending)
{
    return ending->status && ending->error.system;
}

static enum status fail_study(const struct study *study, int64_t run, const struct error *reason,
                              struct error *error)
{
    return error_set(error, reason->status, "%.1000s; run %lld has no row: the same command goes on",
                     reason->text, (long long)(study->first + run + 1));
}

enum status study_make(struct study *study, struct error *error)
{
    struct ending ending, first = {0};
    double began = clock_seconds(), work = 0;
    stop_begin_steps();
    TRY(open_table(study, error));
    TRY(study_maps_begin(study, error));
    if (study->done > 0 && !study->request.quiet && !study->request.json)
        printf("%lld of %lld runs are in %s\n", (long long)study->done, (long long)study->runs,
               study->table.path);
    for (int64_t k = 0; k < study->runs; k++) {
        enum status stop = asked_to_stop(&study->request);
        if (study->run[k].done)
            continue;
        if (stop)
            return stop_study(study, stop, error);
        watch_name("run %lld: ", (long long)(study->first + k + 1));
        make_run(study, k, NULL, &ending);
        if (ending.status >= STATUS_STOPPED || is_of_system(&ending)) {
            stop = ending.status;
            free_ending(&ending);
            return stop < STATUS_STOPPED ? fail_study(study, k, &ending.error, error)
                                         : stop_study(study, stop, error);
        }
        if (inputs_check(study->base.inputs, error)) {
            free_ending(&ending);
            return STATUS_INPUT;
        }
        enum status status = append_row(study, k, &ending, error);
        study->run[k].done = true;
        study->done++;
        study->made++;
        study->failed += ending.status != STATUS_OK;
        if (ending.status && !first.status)
            first = ending;
        work += work_of(study, k);
        report_run(study, k, &ending, seconds_left(study, work, began));
        free_ending(&ending);
        TRY(status);
    }
    return end_study(study, &first, error);
}

enum status study_describe(struct study *study, struct error *error)
{
    struct trial trial = {.error = error};
    struct ending ending;
    int64_t meshes = 1, matrices = 1, steps = 0;
    double began = clock_seconds();
    char text[40];
    for (int64_t k = 0; k < study->runs; k++) {
        meshes += k > 0 && strcmp(study->run[k].mesh, study->run[k - 1].mesh) != 0;
        matrices += k > 0 && strcmp(study->run[k].matrix, study->run[k - 1].matrix) != 0;
        steps += study->run[k].steps;
    }
    if (study->runs == 0) {
        printf("part %d of %d has no run: there are %lld\n", study->request.part, study->request.parts,
               (long long)study->all);
        return STATUS_OK;
    }
    printf("%lld of %lld runs; they share %lld mesh%s and %lld matri%s; %lld steps\n", (long long)study->runs,
           (long long)study->all, (long long)meshes, meshes == 1 ? "" : "es", (long long)matrices,
           matrices == 1 ? "x" : "ces", (long long)steps);
    make_run(study, 0, &trial, &ending);
    free_ending(&ending);
    if (ending.status)
        return error_set(error, ending.status, "run %lld: %s", (long long)study->first + 1,
                         ending.error.text);
    double each = ending.seconds / fmax(1, (double)ending.steps);
    double set_up = clock_seconds() - began - ending.seconds;
    progress_duration(text, sizeof text, (double)matrices * set_up + trial.work * each);
    printf("duration: about %s on this machine, as the first %lld steps of run %lld took %.3g ms each\n",
           text, (long long)ending.steps, (long long)study->first + 1, 1e3 * each);
    return trial.status;
}
