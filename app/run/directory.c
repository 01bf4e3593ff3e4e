/* directory.c: check, create and lock the output directory, and open the log in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/io/result/xdmf.h"
#include "app/run/setup.h"
#include "app/util/own_file.h"

void setup_path(char path[SETUP_PATH], const struct setup *setup, const char *name)
{
    snprintf(path, SETUP_PATH, "%s/%s", setup->config.output.directory, name);
}

enum status setup_make_directory(const char *directory, struct error *error)
{
    char *path = strdup(directory);
    if (!path)
        return error_memory(error, "a path", (double)strlen(directory));
    enum status status = STATUS_OK;
    for (char *at = path + 1; !status; at++) {
        char kept = *at;
        if (kept && kept != '/')
            continue;
        *at = 0;
        bool made = mkdir(path, 0777) == 0;
        if (!made && errno != EEXIST)
            status =
                error_system(error, own_file_status(errno), errno, "%s: cannot make the directory", path);
        if (made) /* the parent folder need not be readable */
            own_file_sync_name(path, NULL);
        *at = kept;
        if (!kept)
            break;
    }
    free(path);
    return status;
}

/* Prevents two runs from writing to the same directory, until the program ends. Locks the directory itself, which
 * nobody removes by mistake, and run.lock in it, because hosts that share a file system see only locks on files. Some
 * file systems have no locks. */
static enum status lock_directory(struct setup *setup, struct error *error)
{
    const char *directory = setup->config.output.directory;
    char path[SETUP_PATH];
    setup_path(path, setup, "run.lock");
    TRY(own_file_open(&setup->lock[0], path, O_RDWR | O_CREAT, error));
    setup->lock[1] = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (setup->lock[1] < 0)
        return error_system(error, own_file_status(errno), errno, "%s", directory);
    for (int k = 0; k < 2; k++)
        if (flock(setup->lock[k], LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
            error_set(error, STATUS_INPUT, "%s: another run is writing there; %s", directory,
                      comm_strangers() ? "srun --mpi=pmix joins the processes that it starts into one run"
                                       : "--output selects another directory");
            error->system = EWOULDBLOCK;
            return STATUS_INPUT;
        }
    return STATUS_OK;
}

/* name[] <- the name of a result in the output directory; "" = none */
static enum status find_result(const struct setup *setup, char *name, size_t room, struct error *error)
{
    static const char *const files[] = {"run.vtkhdf", "probes.csv", "ecg.csv"};
    char path[SETUP_PATH];
    int64_t *step;
    int steps;
    enum status status = checkpoint_list(setup->config.output.directory, &step, &steps, error);
    name[0] = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files && !status && !name[0]; k++) {
        setup_path(path, setup, files[k]);
        if (access(path, F_OK) == 0)
            snprintf(name, room, "%s", files[k]);
        else if (k == 0 && steps > 0)
            snprintf(name, room, "checkpoint-%lld.h5", (long long)step[0]);
    }
    free(step);
    return status;
}

/* The start of the name of a file that a run writes, and the text with which the file begins; mark NULL: such a file
 * is recognised in another way */
struct run_name {
    const char *start, *mark;
};

static const struct run_name *find_own(const char *name)
{
    static const char ours[] = "cardiac ", hdf5[] = "\211HDF";
    static const struct run_name files[] = {{"run.log", ours},           {"run.vtkhdf.journal", ours},
                                            {"run.vtkhdf.new", ours}, /* and its journal */
                                            {"run.vtkhdf", NULL},        {"run.xdmf", xdmf_mark},
                                            {"probes.csv", "time (ms)"}, {"beats.csv", "probe,beat,"},
                                            {"ecg.csv", "time (ms)"},    {"checkpoint-", hdf5}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strncmp(name, files[k].start, strlen(files[k].start)) == 0)
            return &files[k];
    return NULL;
}

/* Checks a file in the directory whose name a run would read or write: it must be a regular file (a pipe would block),
 * not one of the run's inputs and, without --overwrite, made by a run. */
static enum status check_file(struct setup *setup, const char *name, struct error *error)
{
    const struct run_name *own = find_own(name);
    char path[SETUP_PATH];
    setup_path(path, setup, name);
    if (!own)
        return STATUS_OK;
    TRY(own_file_claim(path, "", "remove it or choose another --output", error));
    if (setup->options.dry_run)
        return STATUS_OK;
    TRY(files_check_output(&setup->config, path, error));
    return setup->options.overwrite || !own->mark
               ? STATUS_OK
               : own_file_claim(path, own->mark,
                                "--overwrite replaces it, --output selects another directory", error);
}

static enum status check_files(struct setup *setup, struct error *error)
{
    DIR *directory = opendir(setup->config.output.directory);
    enum status status = STATUS_OK;
    for (struct dirent *entry; directory && !status && (entry = readdir(directory));)
        status = check_file(setup, entry->d_name, error);
    if (directory)
        closedir(directory);
    return status;
}

/* Results are replaced or continued only on request, which is checked before any work. Tables without a
 * result, a checkpoint or a log belong to no run. */
static enum status check_existing(const struct setup *setup, struct error *error)
{
    char name[64], log[SETUP_PATH];
    if (setup->options.overwrite || setup->options.dry_run)
        return STATUS_OK;
    TRY(find_result(setup, name, sizeof name, error));
    setup_path(log, setup, "run.log");
    const bool of_run = !strstr(name, ".csv") || access(log, F_OK) == 0;
    if (!name[0] || (setup->options.resume && of_run))
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s/%s exists; --overwrite replaces it, --resume goes on with it, --output selects another directory",
        setup->config.output.directory, name);
}

/* Checks that initial.file exists and that the run would not replace it. */
static enum status check_initial(const struct setup *setup, struct error *error)
{
    struct stat from, to;
    const char *file = setup->config.initial.file;
    if (!file || setup->options.resume)
        return STATUS_OK;
    enum status status = problem_check_initial(&setup->config, error);
    if (status || setup->options.dry_run || setup->options.no_files)
        return status;
    char *copy = strdup(file);
    if (!copy)
        return error_memory(error, "a path", (double)strlen(file));
    int same = stat(dirname(copy), &from) == 0 && stat(setup->config.output.directory, &to) == 0 &&
               from.st_dev == to.st_dev && from.st_ino == to.st_ino;
    free(copy);
    if (!same)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "initial.file: %s lies in the output directory, whose results this run replaces; choose "
                     "another --output",
                     file);
}

/* Opens setup->progress; path NULL = without a log file */
static enum status open_log(struct setup *setup, const char *path, struct error *error)
{
    const struct setup_options *options = &setup->options;
    enum progress_form form = options->json                     ? PROGRESS_JSON
                              : options->quiet || options->mute ? PROGRESS_QUIET
                                                                : PROGRESS_WORDS;
    TRY(progress_open(&setup->progress, path, options->resume, form, error));
    progress_begin(setup->progress, setup->began);
    if (options->mute)
        progress_mute(setup->progress);
    return STATUS_OK;
}

enum status setup_directory(struct setup *setup, struct error *error)
{
    bool files = !setup->options.no_files;
    char log[SETUP_PATH];
    if (files) {
        TRY(check_files(setup, error));
        TRY(check_existing(setup, error));
    }
    TRY(check_initial(setup, error));
    if (setup->options.dry_run || !files)
        return open_log(setup, NULL, error);
    TRY(setup_make_directory(setup->config.output.directory, error));
    TRY(lock_directory(setup, error));
    setup_path(log, setup, "run.log");
    return open_log(setup, log, error);
}
