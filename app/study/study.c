/* study.c: check the configs of all runs, make one after the other, and append a row of each to a table. */
#include "app/study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/describe.h"
#include "app/run/run.h"
#include "app/run/stop.h"
#include "app/util/faults.h"
#include "app/util/json.h"
#include "app/util/text_media.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

/* A column of results: of the tissue, or one for each region */
struct column {
    const char *name, *unit;
    double (*value)(const struct results *results, int region);
    bool regional;
};

static double time_of(const struct results *results, int region)
{
    (void)region;
    return results->time;
}

static double pulses_of(const struct results *results, int region)
{
    int64_t pulses = 0;
    (void)region;
    for (int s = 0; s < results->stimuli; s++)
        pulses += results->stimulus[s].pulses;
    return (double)pulses;
}

static double captured_of(const struct results *results, int region)
{
    int64_t captured = 0;
    (void)region;
    for (int s = 0; s < results->stimuli; s++)
        captured += results->stimulus[s].captured;
    return (double)captured;
}

static double activated_of(const struct results *results, int region)
{
    (void)region;
    return 100 * (double)results->activated / (double)results->excitable;
}

static double first_of(const struct results *results, int region)
{
    (void)region;
    return results->first;
}

static double last_of(const struct results *results, int region)
{
    (void)region;
    return results->last;
}

static double total_of(const struct results *results, int region)
{
    (void)region;
    return results->last - results->first;
}

static double apd90_of(const struct results *results, int region)
{
    const struct results_quartiles *apd90 = results->region[region].apd90;
    return apd90 && results->apd_beats > 0 ? apd90[0].median : (double)NAN;
}

static double along_of(const struct results *results, int region)
{
    return results->region[region].velocity[VELOCITY_ALONG].median;
}

static double across_of(const struct results *results, int region)
{
    return results->region[region].velocity[VELOCITY_ACROSS].median;
}

/* Of a run that was resumed the sweeps before are not known. */
static double sweeps_of(const struct results *results, int region)
{
    (void)region;
    return results->work.steps == results->step ? (double)results->work.sweeps : (double)NAN;
}

static const struct column columns[] = {
    {"time", "ms", time_of, false},
    {"pulses", NULL, pulses_of, false},
    {"captured", NULL, captured_of, false},
    {"activated", "%", activated_of, false},
    {"first_activation", "ms", first_of, false},
    {"last_activation", "ms", last_of, false},
    {"total_activation", "ms", total_of, false},
    {"apd90", "ms", apd90_of, true},
    {"velocity_along", "m/s", along_of, true},
    {"velocity_across", "m/s", across_of, true},
    {"sweeps", NULL, sweeps_of, false},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const int64_t runs_most = 100000000;

/* So many columns of that kind; the names of those of regions end in their number, where there are several.
 */
static int repeats(const struct study *study, int c)
{
    return columns[c].regional ? study->base.tissue.regions : 1;
}

static void name_column(char name[80], const struct study *study, int c, int region)
{
    if (repeats(study, c) > 1)
        snprintf(name, 80, "%s[%d]", columns[c].name, region);
    else
        snprintf(name, 80, "%s", columns[c].name);
}

/* The value of a run's column, NaN = none */
static double read_column(const struct results *results, int c, int region)
{
    double value =
        columns[c].regional && region >= results->regions ? (double)NAN : columns[c].value(results, region);
    return isfinite(value) ? value : (double)NAN;
}

/* How a run ended */
struct ending {
    enum status status;
    double *value; /* [COLUMNS][regions of the study], to be freed; NULL = nothing was computed */
    int64_t steps;
    double seconds;         /* that they took */
    double activated, last; /* %, ms */
    struct error error;
    char *warning; /* the last one, to be freed; NULL = none */
    bool device;   /* it was the device that failed */
};

/* The values of run k of all: those of a row of the table, and a point of the config's lists */
struct values {
    struct config_row row;
    struct config_value *value; /* [row.values] */
};

static enum status make_values(struct values *to, const struct study *study, int64_t k, struct error *error)
{
    const struct csv *table = study->given;
    int count = table ? table->columns : 0;
    enum status status = STATUS_OK;
    to->value = array_zeroed(count, sizeof *to->value, "a row", &status, error);
    TRY(status);
    for (int c = 0; c < count; c++) {
        const struct csv_cell *name = csv_at(table, -1, c), *cell = csv_at(table, k / study->points, c);
        to->value[c] = (struct config_value){
            name->text, *cell->text ? cell->text : NULL, cell->line, cell->column, name->line, name->column};
    }
    to->row = (struct config_row){table ? table->path : NULL, to->value, count,
                                  study->base.axes > 0 ? k % study->points : -1};
    return STATUS_OK;
}

/* The config of run k of all; `more`: options beside those of the request */
static enum status read_config(struct config *config, const struct study *study, int64_t k,
                               const struct config_option *more, struct error *error)
{
    const struct study_request *request = &study->request;
    struct values values;
    struct config_option option[4] = {{0}};
    int options = 0;
    *config = (struct config){0};
    TRY(make_values(&values, study, k, error));
    for (int o = 0; o < request->options && more; o++)
        option[options++] = request->option[o];
    if (more)
        option[options++] = *more;
    enum status status = config_read_row(config, request->config, request->set, request->sets, option,
                                         options, &values.row, error);
    free(values.value);
    return status;
}

/* *run <- what the config of run k of all says */
static enum status inspect_run(struct study_run *run, const struct study *study, int64_t k,
                               struct error *error)
{
    const int regions = study->base.tissue.regions;
    struct config config;
    enum status status;
    TRY_DONE(read_config(&config, study, k, NULL, error));
    TRY_DONE(study_id(run->id, &config, CONFIG_RESULTS, error));
    TRY_DONE(study_id(run->mesh, &config, CONFIG_MESH, error));
    TRY_DONE(study_id(run->matrix, &config, CONFIG_MATRIX, error));
    run->steps = config.steps;
    if (config.tissue.regions != regions)
        status =
            error_set(error, STATUS_INPUT,
                      "%s: run %lld has %d regions and run 1 has %d; a table has a column for each, so runs "
                      "of a study need equally many",
                      study->request.config, (long long)k + 1, config.tissue.regions, regions);
done:
    config_free(&config);
    return status;
}

/* Whether it is a line of the text */
static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

/* The lines of a run's error that no run before had */
static void add_faults(struct faults *faults, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (faults->count == 0 || !has_line(faults->error->text, line))
            faults_add(faults, line);
}

/* study->run[] <- of all runs of this part; the faults of their configs, each once */
static enum status inspect_runs(struct study *study, struct error *error)
{
    struct faults faults = {.error = error};
    for (int64_t k = 0; k < study->runs; k++) {
        struct error found = {0};
        enum status ended = inspect_run(&study->run[k], study, study->first + k, &found);
        if (ended && ended != STATUS_INPUT)
            return error_set(error, ended, "%s", found.text);
        if (ended)
            add_faults(&faults, found.text);
    }
    return faults.count > 0 ? STATUS_INPUT : STATUS_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct study_run *const *one = a, *const *other = b;
    return strcmp((*one)->id, (*other)->id);
}

/* study->sorted[] <- the runs by id. Errors: STATUS_INPUT where two are the same. */
static enum status sort_runs(struct study *study, struct error *error)
{
    enum status status = STATUS_OK;
    study->sorted = array_new(study->runs, sizeof *study->sorted, "the runs", &status, error);
    TRY(status);
    for (int64_t k = 0; k < study->runs; k++)
        study->sorted[k] = &study->run[k];
    qsort(study->sorted, (size_t)study->runs, sizeof *study->sorted, by_id);
    for (int64_t k = 0; k + 1 < study->runs; k++) {
        int64_t one = study->sorted[k] - study->run, other = study->sorted[k + 1] - study->run;
        if (by_id(&study->sorted[k], &study->sorted[k + 1]) == 0)
            return error_set(error, STATUS_INPUT, "%s: runs %lld and %lld are the same",
                             study->request.config,
                             (long long)(study->first + (one < other ? one : other) + 1),
                             (long long)(study->first + (one < other ? other : one) + 1));
    }
    return STATUS_OK;
}

/* Whether a value of `key` is, or holds, one of `other` */
static bool covers(const char *key, const char *other)
{
    size_t length = strlen(key);
    return strncmp(key, other, length) == 0 && strchr(".[", other[length]); /* its end included */
}

/* The name of column c of the table, or of the list of `sweep:` after them */
static const char *column_key(const struct study *study, int c)
{
    const struct csv *table = study->given;
    int columns_of_table = table ? table->columns : 0;
    return c < columns_of_table ? csv_at(table, -1, c)->text : study->base.axis[c - columns_of_table].key;
}

/* Of two columns where one overrides the other, a run would use one alone. */
static enum status check_columns(const struct study *study, struct error *error)
{
    const struct csv *table = study->given;
    const int in_table = table ? table->columns : 0, count = in_table + study->base.axes;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            const char *key = column_key(study, a), *other = column_key(study, b);
            if (a == b || !covers(key, other))
                continue;
            const int at = a < in_table ? a : b;
            if (at >= in_table)
                return error_set(error, STATUS_INPUT, "%s: sweep: '%s' and '%s' give the same value",
                                 study->request.config, key, other);
            const struct csv_cell *cell = csv_at(table, -1, at);
            if (strcmp(key, other) == 0)
                return error_at(error, STATUS_INPUT, table->path, cell->line, cell->column,
                                "%s: is also a list of `sweep:`", key);
            return error_at(error, STATUS_INPUT, table->path, cell->line, cell->column,
                            "'%s' and '%s' give the same value", key, other);
        }
    return STATUS_OK;
}

/* The lists of the config, which has to be a config only with the values of a row */
static enum status read_lists(struct study *study, struct error *error)
{
    const struct study_request *request = &study->request;
    struct values values = {0};
    study->points = 1;
    if (study->given && study->given->rows == 0)
        return error_at(error, STATUS_INPUT, study->given->path, 2, 1, "no row follows the names");
    if (study->given) {
        TRY(make_values(&values, study, 0, error));
    } else {
        values.row.point = -1;
    }
    enum status status = config_read_row(&study->base, request->config, request->set, request->sets,
                                         request->option, request->options, &values.row, error);
    free(values.value);
    if (status != STATUS_INPUT || (!study->given && study->base.axes == 0))
        TRY(status);
    TRY(check_columns(study, error)); /* other faults: inspect_runs finds them again, with those of others */
    for (int a = 0; a < study->base.axes; a++)
        if (__builtin_mul_overflow(study->points, (int64_t)study->base.axis[a].values, &study->points) ||
            study->points > runs_most / (study->given ? study->given->rows : 1))
            return error_set(error, STATUS_INPUT, "%s: sweep: more than %lld runs", request->config,
                             (long long)runs_most);
    if (!study->given && study->base.axes == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: describes one run; --table RUNS.csv gives the values of several, or lists in "
                         "`sweep:`",
                         request->config);
    return STATUS_OK;
}

/* The runs of this part, which lie side by side, so that they share what they can */
static enum status choose_runs(struct study *study, struct error *error)
{
    const struct study_request *request = &study->request;
    int64_t parts = request->parts > 0 ? request->parts : 1, part = request->parts > 0 ? request->part : 1;
    enum status status = STATUS_OK;
    study->all = (study->given ? study->given->rows : 1) * study->points;
    study->first = study->all * (part - 1) / parts;
    study->runs = study->all * part / parts - study->first;
    study->run = array_zeroed(study->runs, sizeof *study->run, "the runs", &status, error);
    return status;
}

static enum status name_files(struct study *study, struct error *error)
{
    const struct study_request *request = &study->request;
    TRY(study_directory(&study->directory, request, &study->base, error));
    return study_table_name(&study->table, study->directory, request->part, request->parts, error);
}

enum status study_open(struct study *study, const struct study_request *request, const struct csv *given,
                       struct error *error)
{
    *study = (struct study){.request = *request, .given = given, .table.file = -1};
    TRY(read_lists(study, error));
    TRY(name_files(study, error));
    TRY(choose_runs(study, error));
    TRY(inspect_runs(study, error));
    return sort_runs(study, error);
}

void study_free(struct study *study)
{
    setup_reuse_free(&study->reuse);
    study_table_free(&study->table);
    for (int k = 0; k < study->warned; k++)
        free(study->warning[k]);
    free(study->warning);
    free(study->sorted);
    free(study->run);
    free(study->directory);
    config_free(&study->base);
}

/* The names of the result table's columns, as a line */
static void print_names(FILE *file, const struct study *study)
{
    const struct csv *table = study->given;
    char name[80];
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
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < repeats(study, c); r++) {
            name_column(name, study, c, r);
            fprintf(file, columns[c].unit ? ",%s (%s)" : ",%s", name, columns[c].unit);
        }
    fputs(",message\n", file);
}

/* The value that run k of all gives a list of `sweep:` */
static const char *axis_text(const struct study *study, int64_t k, int a)
{
    int64_t point = k % study->points;
    for (int b = study->base.axes - 1; b > a; b--)
        point /= study->base.axis[b].values;
    return study->base.axis[a].text[point % study->base.axis[a].values];
}

static double ending_value(const struct study *study, const struct ending *ending, int c, int region)
{
    return ending->value ? ending->value[c * study->base.tissue.regions + region] : (double)NAN;
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
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < repeats(study, c); r++) {
            double value = ending_value(study, ending, c, r);
            fprintf(file, isnan(value) ? "," : ",%.12g", value);
        }
    fputc(',', file);
    csv_put(file, ending->status ? ending->error.text : ending->warning ? ending->warning : "");
    fputc('\n', file);
}

static enum status append_row(struct study *study, int64_t run, const struct ending *ending,
                              struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        print_row(memory, study, run, ending);
    enum status status = memory && fclose(memory) == 0 && text
                             ? study_table_append(&study->table, text, error)
                             : error_memory(error, "the result table", 4096);
    free(text);
    return status;
}

/* With --results, the run in row k of the table has its files. */
static enum status check_results(const struct study *study, int64_t k, const char *id, struct error *error)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s/run.vtkhdf", study->directory, id) < 0)
        return error_memory(error, "a path", 1);
    enum status status = study_table_check_file(&study->table, k, path, "this run", error);
    free(path);
    return status;
}

/* The runs that the table has are done. */
static enum status mark_done(struct study *study, const struct csv *table, struct error *error)
{
    for (int64_t r = 0; r < table->rows; r++) {
        const struct csv_cell *cell = csv_at(table, r, 1);
        struct study_run key;
        const struct study_run *wanted = &key;
        snprintf(key.id, sizeof key.id, "%s", cell->text);
        struct study_run **found =
            strlen(cell->text) == STUDY_ID - 1
                ? bsearch(&wanted, study->sorted, (size_t)study->runs, sizeof *study->sorted, by_id)
                : NULL;
        if (!found)
            return error_at(
                error, STATUS_INPUT, study->table.path, cell->line, cell->column,
                "run '%.20s' is none of this study's, whose config, table or files have changed; %s",
                cell->text, study_table_elsewhere);
        bool good = strcmp(csv_at(table, r, csv_column(table, "status"))->text, "0") == 0;
        if (study->request.results && good)
            TRY(check_results(study, r, (*found)->id, error));
        study->done += !(*found)->done;
        (*found)->done = true;
        study->failed += !good;
    }
    return STATUS_OK;
}

/* Opens the result table, new or with the runs that it has. */
static enum status open_table(struct study *study, struct error *error)
{
    char *names = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&names, &length);
    enum status status = STATUS_OK;
    if (memory)
        print_names(memory, study);
    if (!memory || fclose(memory) || !names)
        status = error_memory(error, "the result table", 4096);
    if (!status)
        status = study_table_open(&study->table, study->directory, study->request.overwrite, names, error);
    free(names);
    return status ? status : mark_done(study, &study->table.rows, error);
}

/* Whether two warnings differ in their numbers alone */
static bool is_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789.e+-";
    while (*a && *a == *b) {
        bool number = strchr(digits, *a);
        a += number ? strspn(a, digits) : 1;
        b += number ? strspn(b, digits) : 1;
    }
    return *a == *b;
}

/* A warning of a kind that no run before had, on standard error; the table has the last one of each run. */
static void print_warning(struct study *study, int64_t run, const char *text)
{
    for (int k = 0; k < study->warned; k++)
        if (is_alike(study->warning[k], text))
            return;
    char **larger = realloc(study->warning, ((size_t)study->warned + 1) * sizeof *larger);
    if (larger)
        study->warning = larger;
    char *copy = larger ? strdup(text) : NULL;
    if (copy)
        study->warning[study->warned++] = copy;
    fprintf(stderr, "cardiac: warning: run %lld: ", (long long)(study->first + run + 1));
    text_media_line(stderr, "", text);
}

/* The warnings in a run's log; ending->warning <- the last one */
static void collect_warnings(struct study *study, int64_t run, struct progress *progress,
                             struct ending *ending)
{
    static const char start[] = "warning: ";
    char *lines = progress ? strdup(progress_lines(progress)) : NULL;
    for (char *line = lines ? strtok(lines, "\n") : NULL; line; line = strtok(NULL, "\n"))
        if (strncmp(line, start, sizeof start - 1) == 0) {
            print_warning(study, run, line + sizeof start - 1);
            free(ending->warning);
            ending->warning = strdup(line + sizeof start - 1);
        }
    free(lines);
}

static void read_results(const struct study *study, const struct results *results, struct ending *ending)
{
    int regions = study->base.tissue.regions;
    enum status status = STATUS_OK;
    ending->value = array_new((int64_t)COLUMNS * regions, sizeof *ending->value, "a row", &status, NULL);
    for (int c = 0; c < COLUMNS && !status; c++)
        for (int r = 0; r < repeats(study, c); r++)
            ending->value[c * regions + r] = read_column(results, c, r);
    ending->steps = results->step;
    ending->seconds = results->loop_seconds;
    ending->activated = activated_of(results, 0);
    ending->last = results->last;
}

static void free_ending(struct ending *ending)
{
    free(ending->value);
    free(ending->warning);
    ending->value = NULL;
    ending->warning = NULL;
}

/* Makes a run. steps: at most so many, for a forecast; 0 = all */
static void make_run(struct study *study, int64_t k, int64_t steps, struct ending *ending,
                     void (*look)(const struct setup *setup, void *argument), void *argument)
{
    const struct study_request *request = &study->request;
    struct setup setup = {.reuse = &study->reuse, .comm = comm_alone(), .began = request->began};
    struct run run = {0};
    char *directory = NULL;
    bool files = request->results && steps == 0;
    *ending = (struct ending){0};
    if (asprintf(&directory, "%s/%s", study->directory, study->run[k].id) < 0)
        directory = NULL;
    const struct config_option output = {"--output", "output.directory", directory};
    setup.options =
        (struct setup_options){.mute = true,
                               .no_files = !files,
                               .overwrite = request->overwrite,
                               .resume = !request->overwrite && directory && access(directory, F_OK) == 0,
                               .stop_after = request->stop_after};
    ending->status = directory ? read_config(&setup.config, study, study->first + k, &output, &ending->error)
                               : error_memory(&ending->error, "a path", 1);
    if (!ending->status && steps > 0 && steps < setup.config.steps)
        setup.config.steps = steps;
    if (!ending->status)
        ending->status = run_simulate(&run, &setup, &ending->error);
    if (run.results.config)
        read_results(study, &run.results, ending);
    ending->device = setup.sim && monodomain_failure(setup.sim)->kind == FAILURE_DEVICE;
    if (look && ending->value)
        look(&setup, argument);
    else
        collect_warnings(study, k, setup.progress, ending);
    run_free(&run);
    setup_free(&setup);
    free(directory);
    if (ending->device)
        setup_reuse_free(&study->reuse);
}

/* Seconds until the study's end, if the runs to come take as long as those that this program has made */
static double seconds_left(const struct study *study, int64_t made, double began)
{
    return made > 0 ? (clock_seconds() - began) / (double)made * (double)(study->runs - study->done)
                    : (double)NAN;
}

static void report_json(const struct study *study, int64_t run, const struct ending *ending, double left)
{
    struct json json = json_line(stdout);
    char name[80];
    json_open(&json, NULL, '{');
    json_integer(&json, "run", study->first + run + 1);
    json_text(&json, "id", study->run[run].id);
    json_integer(&json, "status", ending->status);
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < repeats(study, c); r++) {
            name_column(name, study, c, r);
            json_number(&json, name, ending_value(study, ending, c, r));
        }
    json_text(&json, "message", ending->status ? ending->error.text : ending->warning);
    json_integer(&json, "runs", study->runs);
    json_integer(&json, "done", study->done);
    json_number(&json, "seconds_left", left);
    json_close(&json);
}

/* What became of a run, on standard output */
static void report_run(const struct study *study, int64_t run, const struct ending *ending, double left)
{
    char rest[40];
    if (study->request.json)
        report_json(study, run, ending, left);
    if (study->request.json || study->request.quiet)
        return;
    progress_duration(rest, sizeof rest, left);
    printf("run %lld (%lld of %lld): ", (long long)(study->first + run + 1), (long long)study->done,
           (long long)study->runs);
    if (ending->status)
        text_media_line(stdout, "failed: ", ending->error.text);
    else if (isfinite(ending->last))
        printf("%.4g %% activated, the last at %.6g ms; steps took %.3g s, %s left\n", ending->activated,
               ending->last, ending->seconds, rest);
    else
        printf("nothing activated; steps took %.3g s, %s left\n", ending->seconds, rest);
    fflush(stdout);
}

static enum status end_study(const struct study *study, const struct ending *first, struct error *error)
{
    if (!study->request.quiet && !study->request.json)
        printf("%lld runs, %lld of them failed: %s; made for them: %d mesh%s, %d matri%s\n",
               (long long)study->runs, (long long)study->failed, study->table.path, study->reuse.mesh.made,
               study->reuse.mesh.made == 1 ? "" : "es", study->reuse.matrices,
               study->reuse.matrices == 1 ? "x" : "ces");
    if (study->failed == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%lld of %lld runs failed%s%.600s; %s has their messages",
                     (long long)study->failed, (long long)study->runs, first->status ? ": " : "",
                     first->error.text, study->table.path);
}

static enum status stop_study(const struct study *study, enum status status, struct error *error)
{
    return error_set(error, status, "%s after %lld of %lld runs: the same command goes on",
                     status == STATUS_STOPPED ? "time is up" : "interrupted", (long long)study->done,
                     (long long)study->runs);
}

enum status study_make(struct study *study, struct error *error)
{
    struct ending ending, first = {0};
    double began = clock_seconds();
    int64_t made = 0;
    stop_begin_steps();
    TRY(open_table(study, error));
    if (study->done > 0 && !study->request.quiet && !study->request.json)
        printf("%lld of %lld runs are in %s\n", (long long)study->done, (long long)study->runs,
               study->table.path);
    for (int64_t k = 0; k < study->runs; k++) {
        enum status stop = study_stop(&study->request);
        if (study->run[k].done)
            continue;
        if (stop)
            return stop_study(study, stop, error);
        make_run(study, k, 0, &ending, NULL, NULL);
        if (ending.status >= STATUS_STOPPED) {
            stop = ending.status;
            free_ending(&ending);
            return stop_study(study, stop, error);
        }
        enum status status = append_row(study, k, &ending, error);
        study->run[k].done = true;
        study->done++;
        study->failed += ending.status != STATUS_OK;
        if (ending.status && !first.status)
            first = ending;
        report_run(study, k, &ending, seconds_left(study, ++made, began));
        free_ending(&ending);
        TRY(status);
    }
    return end_study(study, &first, error);
}

/* A run of a few steps, by which the study is described */
struct trial {
    FILE *file;
    const struct study *study;
    double set_up, step; /* seconds */
};

static void describe_trial(const struct setup *setup, void *argument)
{
    const struct trial *trial = argument;
    double bytes = trial->study->request.results ? forecast_disk_bytes(&setup->problem, &setup->config) : 0;
    describe_forecast(trial->file, &setup->forecast, setup->problem.mesh.nodes);
    fprintf(trial->file, "disk: about %.4g MB in %s\n", (double)trial->study->runs * (bytes + 300) / 1e6,
            trial->study->directory);
}

enum status study_describe(struct study *study, FILE *file, struct error *error)
{
    enum { TRIED = 40 };
    struct trial trial = {.file = file, .study = study};
    struct ending ending;
    int64_t meshes = 1, matrices = 1, steps = 0;
    double began = clock_seconds();
    char text[40];
    for (int64_t k = 0; k < study->runs; k++) {
        meshes += k > 0 && strcmp(study->run[k].mesh, study->run[k - 1].mesh) != 0;
        matrices += k > 0 && strcmp(study->run[k].matrix, study->run[k - 1].matrix) != 0;
        steps += study->run[k].steps;
    }
    if (study->runs == 0)
        return STATUS_OK;
    fprintf(file, "%lld runs of %lld; made for them: %lld mesh%s, %lld matri%s; %lld steps in all\n",
            (long long)study->runs, (long long)study->all, (long long)meshes, meshes == 1 ? "" : "es",
            (long long)matrices, matrices == 1 ? "x" : "ces", (long long)steps);
    make_run(study, 0, TRIED, &ending, describe_trial, &trial);
    free_ending(&ending);
    if (ending.status)
        return error_set(error, ending.status, "run %lld: %s", (long long)study->first + 1,
                         ending.error.text);
    double each = ending.seconds / fmax(1, (double)ending.steps);
    double set_up = clock_seconds() - began - ending.seconds;
    progress_duration(text, sizeof text, (double)matrices * set_up + (double)steps * each);
    fprintf(file,
            "duration: about %s on this machine, as the first %lld steps of run %lld took %.3g ms each\n",
            text, (long long)ending.steps, (long long)study->first + 1, 1e3 * each);
    return STATUS_OK;
}
