/* bundle.c: copy the files of a run, digest its results, and compare those of a repeated run. */
#include "app/run/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/config/yaml.h"
#include "app/io/checkpoint/checkpoint.h"
#include "app/io/result/result.h"
#include "app/io/result/table.h"
#include "app/run/setup.h"
#include "app/util/csv.h"
#include "app/util/cores.h"
#include "app/util/path.h"
#include "app/util/own_file.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/sha256.h"

static const char what[] = "a bundle";
static const char head_of_digests[] = "array,time (ms),sha256\n";

/* ---- files ---- */

/* Copies a file to out (NULL = do not copy); hex <- its SHA-256 digest */
static enum status copy_bytes(FILE *out, const char *from, char hex[SHA256_HEX], struct error *error)
{
    enum { BUFFER = 1 << 16 };
    struct input_file in;
    struct sha256 sha;
    int64_t read = 1;
    enum status status = STATUS_OK;
    TRY(input_open(&in, from, NULL, error));
    char *buffer = array_new(BUFFER, 1, what, &status, error);
    sha256_start(&sha);
    while (!status && (read = input_read(&in, buffer, BUFFER)) > 0) {
        sha256_add(&sha, buffer, (size_t)read);
        if (out)
            fwrite(buffer, 1, (size_t)read, out);
    }
    if (!status && read < 0)
        status = error_set(error, STATUS_INPUT, "%s: cannot be read", from);
    sha256_end(&sha, hex);
    free(buffer);
    input_close(&in);
    return status;
}

/* Creates the file `to` as a copy of `from`; hex <- its digest */
static enum status copy_file(const char *from, const char *to, char hex[SHA256_HEX], struct error *error)
{
    struct own_file out;
    TRY(own_file_begin(&out, to, NULL, error));
    enum status status = own_file_end(&out, copy_bytes(out.out, from, hex, error), error);
    return status;
}

/* The state of creating a bundle */
struct making {
    const char *from, *to;
    int files;             /* number of keys with files so far; each has a folder in inputs/ */
    const char *key;       /* the current key, */
    char folder[PATH_MAX]; /* its folder, */
    int copied;            /* and the number of its files copied */
    struct inputs *record; /* the files that the run read; NULL = unknown */
    struct arena *memory;
    struct error *error;
    enum status status; /* of the copies so far */
};

/* Copies a file only if its digest is the one that the run recorded, so that no other data leave the machine. */
static enum status copy_read(const struct making *making, const char *from, struct error *error)
{
    char to[2 * PATH_MAX], then[SHA256_HEX], now[SHA256_HEX];
    snprintf(to, sizeof to, "%s/%s", making->folder, path_base_name(from));
    TRY(inputs_digest(making->record, from, then, error));
    TRY(copy_bytes(NULL, from, now, error));
    if (strcmp(now, then) == 0)
        TRY(copy_file(from, to, now, error));
    if (strcmp(now, then) == 0)
        return STATUS_OK;
    unlink(to);
    return error_set(error, STATUS_INPUT,
                     "%s: %s has changed since the run read it: put that file back, or repeat the run",
                     making->key, from);
}

static void copy_recorded(const char *file, void *argument)
{
    struct making *making = argument;
    if (!making->status)
        making->status = copy_read(making, file, making->error);
    making->copied++;
}

/* Copies the files of a key to inputs/N/; node <- the path of the copy, relative to the config */
static enum status copy_input(struct tree *node, const char *key, void *argument, struct error *error)
{
    struct making *making = argument;
    snprintf(making->folder, sizeof making->folder, "%s/inputs/%d", making->to, ++making->files);
    TRY(setup_make_directory(making->folder, error));
    making->error = error;
    making->key = key;
    making->copied = 0;
    if (making->record)
        files_of_record(making->record, node->text, key, copy_recorded, making);
    TRY(making->status);
    if (!making->copied)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: the result does not record the contents of this file%s", key, node->text,
                         making->record ? "" : ", as results of this version do: repeat the run");
    node->text = arena_print(making->memory, "inputs/%d/%s", making->files, path_base_name(node->text));
    node->file = false; /* it stays relative */
    return node->text ? STATUS_OK : error_memory(error, what, 1);
}

static enum status print_config(FILE *file, const struct config *config, struct error *error)
{
    char *text = config_printed(config);
    TRY(text ? STATUS_OK : error_memory(error, what, 4096));
    fputs(text, file);
    free(text);
    return STATUS_OK;
}

/* The run must have succeeded: its summary, which is written last, begins with its status. */
static enum status check_ended(struct h5_file *file, struct error *error)
{
    static const char well[] = "{\"status\": 0,";
    char *text = NULL;
    enum status status = STATUS_OK;
    if (h5_exists(file, "/run/summary"))
        status = h5_read_text(file, "/run/summary", &text, error);
    if (!status && (!text || strncmp(text, well, strlen(well)) != 0))
        status = error_set(error, STATUS_INPUT,
                           "%s: its run was interrupted or failed; a bundle is made of one that has finished",
                           file->path);
    free(text);
    return status;
}

/* making->record <- the result's record of input files; NULL if an earlier version wrote the result */
static enum status read_record(struct making *making, struct h5_file *file, struct error *error)
{
    char *text = NULL;
    if (!h5_exists(file, "/run/inputs"))
        return STATUS_OK;
    TRY(h5_read_text(file, "/run/inputs", &text, error));
    making->record = inputs_stored(text);
    free(text);
    return making->record ? STATUS_OK : error_memory(error, what, 1);
}

/* Writes config.yaml and inputs/ from the result's config. */
static enum status write_config(struct making *making, struct h5_file *file, struct error *error)
{
    struct config config = {0};
    char *text = NULL, path[PATH_MAX];
    struct own_file out;
    enum status status;
    TRY_DONE(read_record(making, file, error));
    TRY_DONE(h5_read_text(file, "/run/config", &text, error));
    TRY_DONE(config_parse(&config, file->path, "", text, strlen(text), NULL, 0, error));
    making->memory = &config.memory;
    yaml_tree_get(config.resolved, "device")->text = "auto"; /* another machine may lack this one */
    yaml_tree_get(config.resolved, "threads")->text = "0";
    TRY_DONE(files_each(&config, copy_input, making, error));
    snprintf(path, sizeof path, "%s/config.yaml", making->to);
    TRY_DONE(own_file_begin(&out, path, NULL, error));
    status = own_file_end(&out, print_config(out.out, &config, error), error);
done:
    free(text);
    config_free(&config);
    inputs_free(making->record);
    making->record = NULL;
    return status;
}

/* ---- digests of results ---- */

/* Writes a line of results.csv; time: NaN = the array has no time */
static void put_digest(FILE *file, const char *array, double time, const char *hex)
{
    char text[40] = "";
    if (!isnan(time))
        snprintf(text, sizeof text, "%.12g", time);
    csv_put(file, array);
    fprintf(file, ",%s,%s\n", text, hex);
}

/* Writes the digests of array k, one for every time if it has times */
static enum status digest_array(FILE *file, struct result *result, int k, struct error *error)
{
    const struct result_array *array = &result->array[k];
    int64_t values = result_values(result, k), frames = array->in_time ? result->frames : 1;
    enum status status = STATUS_OK;
    char hex[SHA256_HEX];
    double *value = array_new(values, sizeof *value, what, &status, error);
    for (int64_t f = 0; f < frames && !status; f++) {
        status = result_get(result, k, f, value, error);
        if (status)
            break;
        sha256_of(value, (size_t)values * sizeof *value, hex);
        put_digest(file, array->variable, array->in_time ? result->time[f] : (double)NAN, hex);
    }
    free(value);
    return status;
}

static enum status digest_table(FILE *file, struct result *result, const char *group, struct error *error)
{
    struct table_rows rows = {0};
    struct sha256 sha;
    char hex[SHA256_HEX];
    enum status status = table_read(&rows, &result->file, group, error);
    if (!status && rows.columns > 0) {
        sha256_start(&sha);
        sha256_add(&sha, rows.time, (size_t)rows.rows * sizeof *rows.time);
        sha256_add(&sha, rows.value, (size_t)(rows.rows * rows.columns) * sizeof *rows.value);
        sha256_end(&sha, hex);
        put_digest(file, group + 1, NAN, hex);
    }
    table_rows_free(&rows);
    return status;
}

/* Writes the digests of the last checkpoint's arrays: V and all states in fp64, as the run left them */
static enum status digest_checkpoint(FILE *file, const char *directory, struct error *error)
{
    struct checkpoint *checkpoint = NULL;
    char passed[1000], name[80], hex[SHA256_HEX];
    enum status status;
    TRY(checkpoint_latest(&checkpoint, directory, passed, sizeof passed, error));
    for (int k = 0; checkpoint && k < checkpoint_arrays(checkpoint); k++) {
        const struct checkpoint_array *array = checkpoint_array(checkpoint, k);
        status = STATUS_OK;
        double *value = array_new(array->count, sizeof *value, what, &status, error);
        if (!status)
            status = checkpoint_get_double(checkpoint, k, value, error);
        if (!status) {
            sha256_of(value, (size_t)array->count * sizeof *value, hex);
            snprintf(name, sizeof name, "checkpoint:%s", array->name);
            put_digest(file, name, checkpoint_head(checkpoint)->time, hex);
        }
        free(value);
        TRY_DONE(status);
    }
    status = STATUS_OK;
done:
    checkpoint_close(checkpoint);
    return status;
}

/* Writes results.csv for the results in `directory`. */
static enum status digest_results(FILE *file, const char *directory, struct error *error)
{
    struct result result;
    char path[PATH_MAX];
    enum status status;
    snprintf(path, sizeof path, "%s/run.vtkhdf", directory);
    TRY(result_open(&result, path, error));
    fputs(head_of_digests, file);
    for (int k = 0; k < result.arrays; k++)
        TRY_DONE(digest_array(file, &result, k, error));
    TRY_DONE(digest_table(file, &result, "/probes", error));
    TRY_DONE(digest_table(file, &result, "/ecg", error));
    status = digest_checkpoint(file, directory, error);
done:
    result_close(&result);
    return status;
}

/* The same to a new file, or to one that bundle_check_output() has accepted */
static enum status write_digests(const char *path, const char *directory, struct error *error)
{
    struct own_file file;
    TRY(own_file_begin(&file, path, "", error));
    return own_file_end(&file, digest_results(file.out, directory, error), error);
}

/* ---- the folder ---- */

static void put_attribute(FILE *file, const struct h5_file *result, const char *label, const char *name)
{
    char text[400];
    if (h5_get_text(result, "/run", name, text, sizeof text))
        fprintf(file, "%-10s %s\n", label, text);
}

static enum status write_about(const struct making *making, const struct h5_file *result, struct error *error)
{
    char path[PATH_MAX], processor[256];
    struct own_file own;
    snprintf(path, sizeof path, "%s/about.txt", making->to);
    TRY(own_file_begin(&own, path, NULL, error));
    FILE *file = own.out;
    put_attribute(file, result, "program", "program");
    put_attribute(file, result, "libraries", "libraries");
    put_attribute(file, result, "device", "device");
    put_attribute(file, result, "mesh", "mesh_sha256");
    cores_processor(processor, sizeof processor);
    fprintf(file, "\nthis folder was made by\n%-10s %s\n%-10s %s\n%-10s %s\n", "program", version_text(),
            "compiler", version_compiler(), "processor", processor);
    return own_file_end(&own, STATUS_OK, error);
}

/* Copies the reports that exist in the run's directory. */
static enum status copy_reports(const struct making *making, struct error *error)
{
    static const char *const names[] = {"run.log", "beats.csv", "converge.txt", "converge/converge.txt",
                                        "verify.txt"};
    char from[PATH_MAX], to[PATH_MAX], hex[SHA256_HEX];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(from, sizeof from, "%s/%s", making->from, names[k]);
        snprintf(to, sizeof to, "%s/%s", making->to, path_base_name(names[k]));
        if (access(from, F_OK) == 0 && access(to, F_OK) != 0)
            TRY(copy_file(from, to, hex, error));
    }
    return STATUS_OK;
}

/* A walk over all files of a folder except SHA256SUMS */
struct walk {
    enum status (*visit)(const char *path, const char *name, void *argument, struct error *error);
    void *argument;
    char path[PATH_MAX]; /* of the current file */
    size_t start;        /* of its name inside the folder */
};

static enum status visit_folder(struct walk *walk, int depth, struct error *error);

/* Visits one entry of the folder walk->path[0 .. length). Uses lstat because links to folders may form cycles. */
static enum status visit_entry(struct walk *walk, size_t length, const char *entry, int depth,
                               struct error *error)
{
    struct stat info;
    int added = snprintf(walk->path + length, sizeof walk->path - length, "/%s", entry);
    if (added >= (int)(sizeof walk->path - length))
        return error_set(error, STATUS_INPUT, "%.200s...: the path is too long", walk->path);
    const char *name = walk->path + walk->start;
    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0 || strcmp(name, "SHA256SUMS") == 0 ||
        lstat(walk->path, &info))
        return STATUS_OK;
    return S_ISDIR(info.st_mode) ? visit_folder(walk, depth + 1, error)
                                 : walk->visit(walk->path, name, walk->argument, error);
}

static enum status visit_folder(struct walk *walk, int depth, struct error *error)
{
    enum { DEEPEST = 100 };
    struct dirent **entry;
    enum status status = STATUS_OK;
    size_t length = strlen(walk->path);
    if (depth > DEEPEST)
        return error_set(error, STATUS_INPUT, "%.200s...: more than %d folders inside each other", walk->path,
                         DEEPEST);
    int entries = scandir(walk->path, &entry, NULL, alphasort);
    for (int k = 0; k < entries; k++) {
        if (!status)
            status = visit_entry(walk, length, entry[k]->d_name, depth, error);
        free(entry[k]);
    }
    if (entries >= 0)
        free(entry);
    return status;
}

/* Visits all files in folder/inside; inside NULL: in folder */
static enum status each_file(const char *folder, const char *inside,
                             enum status (*visit)(const char *path, const char *name, void *argument,
                                                  struct error *error),
                             void *argument, struct error *error)
{
    struct walk walk = {.visit = visit, .argument = argument, .start = strlen(folder) + 1};
    if (snprintf(walk.path, sizeof walk.path, "%s%s%s", folder, inside ? "/" : "", inside ? inside : "") >=
        (int)sizeof walk.path)
        return error_set(error, STATUS_INPUT, "%.200s...: the path is too long", folder);
    return visit_folder(&walk, 0, error);
}

static enum status put_sum(const char *path, const char *name, void *argument, struct error *error)
{
    const struct own_file *sums = argument;
    char hex[SHA256_HEX];
    if (strcmp(path, sums->beside) == 0)
        return STATUS_OK;
    TRY(copy_bytes(NULL, path, hex, error));
    fprintf(sums->out, "%s  %s\n", hex, name);
    return STATUS_OK;
}

static enum status write_sums(const char *folder, struct error *error)
{
    char path[PATH_MAX];
    struct own_file file;
    snprintf(path, sizeof path, "%s/SHA256SUMS", folder);
    TRY(own_file_begin(&file, path, NULL, error));
    return own_file_end(&file, each_file(folder, NULL, put_sum, &file, error), error);
}

/* Creates the folder; an existing one must be empty. */
static enum status make_folder(const char *path, struct error *error)
{
    TRY(setup_make_directory(path, error));
    DIR *folder = opendir(path);
    if (!folder)
        return error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    bool empty = true;
    for (struct dirent *entry; (entry = readdir(folder));)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(folder);
    return empty ? STATUS_OK : error_set(error, STATUS_INPUT, "%s is not empty: choose a new folder", path);
}

enum status bundle_write(const char *from, const char *to, struct error *error)
{
    struct making making = {.from = from, .to = to};
    struct h5_file file = {0};
    char path[PATH_MAX];
    enum status status;
    snprintf(path, sizeof path, "%s/run.vtkhdf", from);
    if (result_is_growing(path))
        return error_set(error, STATUS_INPUT, "%s: a run is writing it", path);
    TRY_DONE(h5_open(&file, path, false, error));
    TRY_DONE(check_ended(&file, error));
    TRY_DONE(make_folder(to, error));
    TRY_DONE(write_config(&making, &file, error));
    TRY_DONE(write_about(&making, &file, error));
    h5_close(&file, NULL);
    file = (struct h5_file){0};
    snprintf(path, sizeof path, "%s/results.csv", to);
    TRY_DONE(write_digests(path, from, error));
    TRY_DONE(copy_reports(&making, error));
    status = write_sums(to, error);
done:
    if (file.path)
        h5_close(&file, NULL);
    return status;
}

/* ---- a repeated run ---- */

bool bundle_is(const char *path)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/SHA256SUMS", path);
    return access(name, F_OK) == 0;
}

enum status bundle_check_output(const char *directory, bool overwrite, struct error *error)
{
    char path[PATH_MAX];
    if (bundle_is(directory))
        return error_set(
            error, STATUS_INPUT,
            "--output: %s is a bundle, whose results.csv would be replaced; choose another folder",
            directory);
    snprintf(path, sizeof path, "%s/results.csv", directory);
    return overwrite ? STATUS_OK
                     : own_file_claim(path, head_of_digests,
                                      "--overwrite replaces it, --output selects another directory", error);
}

/* Whether the path, relative to a folder, leads out of it */
static bool leads_out(const char *name)
{
    for (const char *at = strstr(name, ".."); at; at = strstr(at + 1, ".."))
        if ((at == name || at[-1] == '/') && (!at[2] || at[2] == '/'))
            return true;
    return *name == '/';
}

/* *name <- the file name in a line of SHA256SUMS, whose newline is removed; NULL = not such a line */
static void find_name(char **name, char *line)
{
    size_t digits = strspn(line, "0123456789abcdef");
    line[strcspn(line, "\n")] = 0;
    *name = digits == SHA256_HEX - 1 && strncmp(line + digits, "  ", 2) == 0 ? line + digits + 2 : NULL;
}

/* Checks the file in a line of SHA256SUMS against its digest. */
static enum status check_sum(const char *folder, char *line, struct error *error)
{
    char path[2 * PATH_MAX], hex[SHA256_HEX], *name;
    find_name(&name, line);
    if (!name || leads_out(name))
        return error_set(error, STATUS_INPUT, "%s/SHA256SUMS: '%.80s' is no digest of a file of this folder",
                         folder, line);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    TRY(copy_bytes(NULL, path, hex, error));
    return strncmp(hex, line, SHA256_HEX - 1) == 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s has changed since the bundle was made", path);
}

/* The names in SHA256SUMS, sorted */
struct listed {
    char **name; /* [names] */
    int64_t names, room;
};

/* Checks that a file is listed in SHA256SUMS, which may have been truncated. */
static enum status check_listed(const char *path, const char *name, void *argument, struct error *error)
{
    const struct listed *listed = argument;
    return listed->names > 0 &&
                   bsearch(&name, listed->name, (size_t)listed->names, sizeof *listed->name, compare_text)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: is not in SHA256SUMS, which is not whole", path);
}

/* Checks all lines of SHA256SUMS; *listed <- their names */
static enum status check_sums(struct listed *listed, const char *path, struct error *error)
{
    char name[PATH_MAX], line[PATH_MAX];
    enum status status = STATUS_OK;
    snprintf(name, sizeof name, "%s/SHA256SUMS", path);
    FILE *file = fopen(name, "r");
    if (!file)
        return error_set(error, STATUS_INPUT, "%s: %s", name, strerror(errno));
    while (!status && fgets(line, sizeof line, file)) {
        status = check_sum(path, line, error);
        if (!status)
            status = array_grow((void **)&listed->name, &listed->room, listed->names, sizeof *listed->name,
                                what, error);
        if (status)
            break;
        listed->name[listed->names] = strdup(line + SHA256_HEX + 1);
        status = listed->name[listed->names] ? STATUS_OK : error_memory(error, what, 1);
        listed->names += !status;
    }
    fclose(file);
    if (listed->names > 0)
        qsort(listed->name, (size_t)listed->names, sizeof *listed->name, compare_text);
    return status;
}

enum status bundle_check(const char *path, struct error *error)
{
    static const char *const needed[] = {"config.yaml", "results.csv"};
    struct listed listed = {0};
    char name[PATH_MAX];
    enum status status = check_sums(&listed, path, error);
    for (int k = 0; k < 2 && !status; k++) {
        snprintf(name, sizeof name, "%s/%s", path, needed[k]);
        status = check_listed(name, needed[k], &listed, error);
    }
    if (!status)
        status = each_file(path, "inputs", check_listed, &listed, error);
    for (int64_t k = 0; k < listed.names; k++)
        free(listed.name[k]);
    free(listed.name);
    return status;
}

static bool is_row(const struct csv *table, int64_t k, const char *array, const char *time)
{
    return strcmp(csv_at(table, k, 0)->text, array) == 0 && strcmp(csv_at(table, k, 1)->text, time) == 0;
}

/* The digest of that array and time, "" = none; at: the row where it is expected */
static const char *find_digest(const struct csv *table, int64_t at, const char *array, const char *time)
{
    if (at < table->rows && is_row(table, at, array, time))
        return csv_at(table, at, 2)->text;
    for (int64_t k = 0; k < table->rows; k++)
        if (is_row(table, k, array, time))
            return csv_at(table, k, 2)->text;
    return "";
}

/* The number of rows of `then` whose digest differs in `now`; text <- the first of these, "V at 12 ms" */
static int64_t count_differences(const struct csv *then, const struct csv *now, char *text, size_t room)
{
    int64_t apart = 0;
    for (int64_t k = 0; k < then->rows; k++) {
        const char *array = csv_at(then, k, 0)->text, *time = csv_at(then, k, 1)->text;
        if (strcmp(csv_at(then, k, 2)->text, find_digest(now, k, array, time)) != 0 && apart++ == 0)
            snprintf(text, room, "%.80s%s%.30s%s", array, *time ? " at " : "", time, *time ? " ms" : "");
    }
    return apart;
}

enum status bundle_compare(const char *path, const char *directory, bool mixed, bool quiet,
                           struct error *error)
{
    struct csv then = {0}, now = {0};
    char name[PATH_MAX], other[PATH_MAX], first[200];
    enum status status;
    snprintf(name, sizeof name, "%s/results.csv", path);
    snprintf(other, sizeof other, "%s/results.csv", directory);
    TRY_DONE(write_digests(other, directory, error));
    TRY_DONE(csv_read(&then, name, error));
    TRY_DONE(csv_read(&now, other, error));
    if (then.columns != now.columns || then.rows == 0)
        TRY_DONE(error_at(error, STATUS_INPUT, name, 1, 1, "not the digests of a bundle"));
    int64_t apart = count_differences(&then, &now, first, sizeof first);
    if (apart == 0 && !quiet)
        printf("the same bits as in %s: %lld arrays\n", path, (long long)then.rows);
    if (apart > 0)
        status = error_set(
            error, STATUS_DIFFERS, "%lld of %lld arrays have other bits than in %s, the first of them %s%s",
            (long long)apart, (long long)then.rows, path, first,
            mixed ? "; with solver.precision: mixed, bits depend on the kind of device (about.txt)" : "");
done:
    csv_free(&then);
    csv_free(&now);
    return status;
}
