/* study.c: read the values of all runs, and check their configs before the first run. */
#include "app/study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/run/setup.h"
#include "app/util/faults.h"
#include "app/util/own_file.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/sha256.h"

const char study_table_elsewhere[] = "--overwrite starts again, --output chooses another place";

enum status study_path(char **path, const struct study *study, const char *name, const char *extension,
                       struct error *error)
{
    const struct study_request *request = &study->request;
    const int length = request->parts > 0 ? asprintf(path, "%s/%s-%d-of-%d.%s", study->directory, name,
                                                     request->part, request->parts, extension)
                                          : asprintf(path, "%s/%s.%s", study->directory, name, extension);
    if (length < 0)
        *path = NULL;
    return *path ? STATUS_OK : error_memory(error, "a path", 1);
}

static enum status refuse_names(const struct study_table *table, struct error *error)
{
    return error_at(error, STATUS_INPUT, table->path, 1, 1,
                    "the table of another study, with other columns; %s", study_table_elsewhere);
}

/* Whether the file begins with these names, or ends within them */
static bool begins_with(int file, const char *names)
{
    size_t length = strlen(names);
    char *start = malloc(length);
    ssize_t got = start ? pread(file, start, length, 0) : -1;
    bool equal = got >= 0 && memcmp(start, names, (size_t)got) == 0;
    free(start);
    return equal;
}

/* A last line without an end was cut off by a kill: its run is repeated. */
static enum status cut_torn_line(const struct study_table *table, const char *names, int64_t *size,
                                 struct error *error)
{
    char byte = '\n';
    struct stat info;
    if (fstat(table->file, &info))
        return error_system(error, STATUS_RUN, errno, "%s", table->path);
    *size = info.st_size;
    while (*size > 0 && pread(table->file, &byte, 1, *size - 1) == 1 && byte != '\n')
        --*size;
    if (*size < info.st_size && !begins_with(table->file, names))
        return refuse_names(table, error);
    if (*size < info.st_size && ftruncate(table->file, *size))
        return error_system(error, STATUS_RUN, errno, "%s", table->path);
    return STATUS_OK;
}

/* STATUS_INPUT unless the table's first line is `names` */
static enum status check_names(const struct study_table *table, const char *names, struct error *error)
{
    struct printed found;
    TRY(printed_open(&found, error));
    for (int c = 0; c < table->rows.columns; c++) {
        fputs(c ? "," : "", found.file);
        csv_put(found.file, csv_at(&table->rows, -1, c)->text);
    }
    fputc('\n', found.file);
    TRY(printed_close(&found, error));
    enum status status = strcmp(names, found.text) == 0 ? STATUS_OK : refuse_names(table, error);
    free(found.text);
    return status;
}

enum status study_table_open(struct study_table *table, const char *directory, bool overwrite,
                             const char *names, struct error *error)
{
    int64_t size = 0;
    TRY(setup_make_directory(directory, error));
    TRY(own_file_open(&table->file, table->path, O_RDWR | O_CREAT | O_APPEND, error));
    if (flock(table->file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return error_set(error, STATUS_INPUT, "%s: another study is writing there", table->path);
    if (overwrite && ftruncate(table->file, 0))
        return error_system(error, STATUS_RUN, errno, "%s", table->path);
    TRY(cut_torn_line(table, names, &size, error));
    if (size == 0) {
        TRY(study_table_append(table, names, error));
        return own_file_sync_folder(directory, error);
    }
    TRY(csv_read(&table->rows, table->path, error));
    return check_names(table, names, error);
}

enum status study_table_append(struct study_table *table, const char *line, struct error *error)
{
    size_t length = strlen(line);
    for (size_t done = 0; done < length;) {
        ssize_t written = write(table->file, line + done, length - done);
        if (written < 0 && errno != EINTR)
            return error_system(error, STATUS_RUN, errno, "%s", table->path);
        done += written > 0 ? (size_t)written : 0;
    }
    return fsync(table->file) ? error_system(error, STATUS_RUN, errno, "%s", table->path) : STATUS_OK;
}

enum status study_table_part(int *part, int *parts, const char *text, struct error *error)
{
    char rest;
    if (!text || (sscanf(text, "%d/%d%c", part, parts, &rest) == 2 && *part >= 1 && *part <= *parts))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "--part: '%.40s' is not a part such as 3/64, from 1/64 on", text);
}

enum status study_id(char id[STUDY_ID], const struct config *config, enum config_subset subset,
                     struct error *error)
{
    char hex[SHA256_HEX], *text = config_subset_text(config, subset);
    if (!text)
        return error_memory(error, "the config's text", 4096);
    sha256_of(text, strlen(text), hex);
    snprintf(id, STUDY_ID, "%.16s", hex);
    free(text);
    return STATUS_OK;
}

static const int64_t runs_most = 100000000;

/* The values of a run: a row of the table, and a point of the config's lists */
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
    to->row = (struct config_row){.path = table ? table->path : NULL,
                                  .value = to->value,
                                  .values = count,
                                  .inputs = study->base.inputs,
                                  .point = study->base.axes > 0 ? k % study->points : -1};
    return STATUS_OK;
}

enum status study_config(struct config *config, const struct study *study, int64_t k,
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

/* *run <- ids and steps from the config of run k of all parts */
static enum status inspect_run(struct study_run *run, const struct study *study, int64_t k,
                               struct error *error)
{
    const int regions = study->base.tissue.regions;
    struct config config;
    enum status status;
    TRY_DONE(study_config(&config, study, k, NULL, error));
    TRY_DONE(files_check_output(&config, study->table.path, error));
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

/* Whether `line` is one of the text's */
static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

/* Adds the lines of a run's error that no earlier run had. */
static void add_faults(struct faults *faults, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (faults->count == 0 || !has_line(faults->error->text, line))
            faults_add(faults, line);
}

/* study->run[] <- the runs of this part. Errors: all different faults of their configs. */
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

/* study->sorted[] <- the runs sorted by id. Errors: STATUS_INPUT if two runs are equal. */
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

struct study_run *study_find(const struct study *study, const char *id)
{
    struct study_run key;
    const struct study_run *wanted = &key;
    snprintf(key.id, sizeof key.id, "%s", id);
    struct study_run **found =
        strlen(id) == STUDY_ID - 1
            ? bsearch(&wanted, study->sorted, (size_t)study->runs, sizeof *study->sorted, by_id)
            : NULL;
    return found ? *found : NULL;
}

/* Whether key `other` is `key` or inside it */
static bool is_key_or_within(const char *key, const char *other)
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

/* STATUS_INPUT if one column overrides another */
static enum status check_columns(const struct study *study, struct error *error)
{
    const struct csv *table = study->given;
    const int in_table = table ? table->columns : 0, count = in_table + study->base.axes;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            const char *key = column_key(study, a), *other = column_key(study, b);
            if (a == b || !is_key_or_within(key, other))
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

/* Reads the config's lists. The config alone may be invalid: it must be valid with the values of a row. */
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
    TRY(check_columns(study, error)); /* inspect_runs finds the other faults again, with those of all runs */
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

/* Assigns consecutive runs to a part, so that they can share as much as possible. */
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
    const char *given = request->directory ? request->directory : study->base.output.directory;
    study->directory = strdup(given ? given : "out");
    if (!study->directory)
        return error_memory(error, "a path", 1);
    TRY(study_path(&study->table.path, study, "table", "csv", error));
    if (study->given && own_file_same(study->given->path, study->table.path))
        return error_set(error, STATUS_INPUT, "--table: the output would replace %s; choose another --output",
                         study->table.path);
    return STATUS_OK;
}

/* With --maps all runs need one mesh. */
static enum status check_meshes(const struct study *study, struct error *error)
{
    for (int64_t k = 1; study->request.maps && k < study->runs; k++)
        if (strcmp(study->run[k].mesh, study->run[0].mesh) != 0)
            return error_set(
                error, STATUS_INPUT,
                "--maps: run %lld has another mesh than run %lld; one file holds the maps of one "
                "mesh",
                (long long)(study->first + k + 1), (long long)(study->first + 1));
    return STATUS_OK;
}

enum status study_open(struct study *study, const struct study_request *request, const struct csv *given,
                       struct error *error)
{
    *study = (struct study){.request = *request, .given = given, .table.file = -1};
    TRY(read_lists(study, error));
    TRY(name_files(study, error));
    TRY(choose_runs(study, error));
    TRY(inspect_runs(study, error));
    TRY(check_meshes(study, error));
    return sort_runs(study, error);
}

void study_free(struct study *study)
{
    setup_reuse_free(&study->reuse);
    if (study->table.file >= 0)
        close(study->table.file);
    csv_free(&study->table.rows);
    free(study->table.path);
    for (int k = 0; k < study->warned; k++)
        free(study->warning[k].text);
    free(study->warning);
    free(study->sorted);
    free(study->run);
    free(study->directory);
    config_free(&study->base);
}
