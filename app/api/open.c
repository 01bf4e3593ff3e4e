/* open.c: open, reopen and close a simulation. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/api/handle.h"
#include "app/config/files.h"
#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "kernels/base/clock.h"

/* Serialises the reading of files by simulations, since HDF5 may not be thread-safe. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

static bool hdf5_is_shared(void)
{
    hbool_t safe = false;
    H5is_library_threadsafe(&safe);
    return safe;
}

void handle_begin_hdf5(struct h5_settings *settings)
{
    if (!hdf5_is_shared())
        pthread_mutex_lock(&hdf5_lock);
    h5_save_settings(settings);
}

void handle_end_hdf5(const struct h5_settings *settings)
{
    h5_restore_settings(settings);
    if (!hdf5_is_shared())
        pthread_mutex_unlock(&hdf5_lock);
}

/* The thread's first task: sets the locale and the floating-point mode, which threads of parallel loops inherit. */
static enum status begin_thread(void *argument, struct error *error)
{
    (void)argument;
    (void)error;
    fesetenv(FE_DFL_ENV);
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return STATUS_OK;
}

static enum status end_thread(void *argument, struct error *error)
{
    (void)argument;
    (void)error;
    locale_t own = uselocale(LC_GLOBAL_LOCALE);
    if (own != LC_GLOBAL_LOCALE)
        freelocale(own);
    return STATUS_OK;
}

/* Starts the simulation's thread with all signals blocked: the caller's threads handle them. */
static enum status start_thread(struct cardiac *sim, struct error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    enum status status = writer_start(&sim->thread, NULL, NULL, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status ? status : writer_call(sim->thread, begin_thread, sim, error);
}

static void free_arrays(struct config_array *array, int count)
{
    for (int k = 0; k < count; k++) {
        free((void *)(uintptr_t)array[k].name);
        free(array[k].value);
    }
    free(array);
}

/* Frees everything except what a reopen may reuse. */
static enum status close_tissue(struct cardiac *sim)
{
    run_free(&sim->run);
    setup_free(&sim->setup);
    drive_free(&sim->drive);
    free(sim->train);
    free(sim->train_from);
    sim->run = (struct run){0};
    sim->setup = (struct setup){0};
    sim->train = NULL;
    sim->train_from = NULL;
    sim->trains = 0;
    sim->open = sim->failed = sim->started = false;
    return STATUS_OK;
}

/* Copies the config's trains, the starting point of drive_apply(). */
static enum status keep_trains(struct cardiac *sim, struct error *error)
{
    const struct problem *problem = &sim->setup.problem;
    enum status status = STATUS_OK;
    sim->trains = problem->stimuli;
    sim->train = array_new(sim->trains, sizeof *sim->train, "the stimuli", &status, error);
    sim->train_from = array_new(sim->trains, sizeof *sim->train_from, "the stimuli", &status, error);
    if (!status && sim->trains > 0) {
        memcpy(sim->train, problem->stimulus, (size_t)sim->trains * sizeof *sim->train);
        memcpy(sim->train_from, problem->stimulus_from, (size_t)sim->trains * sizeof *sim->train_from);
    }
    return status;
}

/* Opens the tissue of a config; takes ownership of the config. */
static enum status open_tissue(struct cardiac *sim, struct config *config, struct error *error)
{
    sim->setup = (struct setup){.options = {.mute = true, .no_files = true, .stop_after = INFINITY},
                                .records = 2,
                                .reuse = &sim->reuse,
                                .comm = comm_alone(),
                                .listen = handle_log_add,
                                .listener = &sim->log,
                                .began = clock_seconds(),
                                .config = *config};
    sim->run = (struct run){.setup = &sim->setup,
                            .checkpoint = {.fetched_step = -1, .step = -1},
                            .peak = {.value = NAN, .time = NAN, .since = NAN}};
    TRY(setup_tissue(&sim->setup, error));
    if (sim->setup.config.stop.when != STOP_WHEN_NEVER)
        progress_warn(sim->setup.progress,
                      "stop_when: has no effect here: it ends `cardiac run`, and a program "
                      "that steps a simulation decides itself when to end");
    TRY(simulation_start(&sim->setup, error));
    TRY(run_allocate(&sim->run, error));
    TRY(keep_trains(sim, error));
    TRY(cancel_check(error)); /* a cancelled part may have ended with a mere warning */
    sim->run.ready = sim->open = true;
    return STATUS_OK;
}

/* Arguments of opening. text: another config; NULL = the same one */
struct opening {
    struct cardiac *sim;
    const char *text, *overrides;
};

static enum status read_source(struct config *config, const struct handle_source *source, struct error *error)
{
    const struct config_source from = {source->path,  source->directory, source->text,  &source->overrides,
                                       source->array, source->arrays,    source->inputs};
    source->inputs->changed = NULL; /* noted by an earlier call, which was refused */
    return config_parse_source(config, &from, error);
}

/* *next <- the source with the call's changes; it does not own its arrays. With the same config its record of files is
 * kept, so that all runs of a study that reopens one simulation use the same files. */
static enum status make_source(struct handle_source *next, const struct opening *opening, struct error *error)
{
    const struct handle_source *now = &opening->sim->source;
    const char *text = opening->text ? opening->text : now->text;
    const struct cardiac *sim = opening->sim;
    *next = (struct handle_source){.array = sim->arrays_changed ? sim->next : now->array,
                                   .arrays = sim->arrays_changed ? sim->nexts : now->arrays};
    TRY(handle_check_pointer(text, "the config", error));
    next->text = strdup(text);
    next->path = strdup(now->path);
    next->directory = strdup(now->directory);
    next->inputs = opening->text ? inputs_new() : inputs_share(now->inputs);
    if (!next->text || !next->path || !next->directory || !next->inputs)
        return error_memory(error, "the config", (double)strlen(text));
    TRY(config_overrides_copy(&next->overrides, &now->overrides, error));
    return opening->overrides ? config_overrides_add(&next->overrides, opening->overrides, error) : STATUS_OK;
}

static void free_source(struct handle_source *source)
{
    free(source->path);
    free(source->directory);
    free(source->text);
    config_overrides_free(&source->overrides);
    inputs_free(source->inputs);
    *source = (struct handle_source){0};
}

/* Restores the simulation after a failed reopen. */
static enum status open_again(struct cardiac *sim, const struct cardiac_state *state, struct error *error)
{
    struct config config;
    enum status status = read_source(&config, &sim->source, error);
    if (status) {
        config_free(&config);
        return status;
    }
    TRY(open_tissue(sim, &config, error));
    return state ? state_put(sim, state, error) : STATUS_OK;
}

/* Opens another config; if it is refused, the simulation is unchanged. */
static enum status change_tissue(struct cardiac *sim, struct handle_source *next, struct config *config,
                                 struct error *error)
{
    struct cardiac_state *state = NULL;
    struct error again = {0};
    const bool was_open = sim->open;
    enum status status = sim->open && sim->started ? state_take(&state, sim, error) : STATUS_OK;
    if (status) {
        config_free(config);
        goto done;
    }
    handle_log_clear(&sim->log);
    close_tissue(sim);
    status = open_tissue(sim, config, error);
    if (!status) {
        if (sim->arrays_changed)
            free_arrays(sim->source.array, sim->source.arrays);
        sim->arrays_changed = false;
        free_source(&sim->source);
        sim->source = *next;
        *next = (struct handle_source){0};
        goto done;
    }
    close_tissue(sim);
    if (was_open && !cancel_requested() && open_again(sim, state, &again)) {
        close_tissue(sim);
        status = error_set(error, STATUS_RUN, "%s; the simulation as it was cannot be opened again: %s",
                           error->text, again.text);
    }
    if (!sim->open && cancel_requested()) {
        setup_reuse_free(&sim->reuse); /* parts of it may be unfinished */
        status = error_set(error, STATUS_STOPPED,
                           "stopped while it was being opened; cardiac_reopen opens it again");
    }
done:
    cardiac_state_free(state);
    return status;
}

/* STATUS_INPUT if a file of the config has changed since it was first read. Hashes also the files that are not read
 * again because their data are reused. */
static enum status check_files(struct config *config, struct error *error)
{
    char *record;
    TRY(files_record(&record, config, error));
    free(record);
    return inputs_check(config->inputs, error);
}

static enum status reopen(void *argument, struct error *error)
{
    const struct opening *opening = argument;
    struct handle_source next;
    struct config config = {0};
    struct h5_settings settings;
    cancel_watch(&opening->sim->stop);
    handle_begin_hdf5(&settings);
    enum status status = make_source(&next, opening, error);
    if (!status) {
        status = read_source(&config, &next, error);
        if (!status)
            status = check_files(&config, error);
        if (status)
            config_free(&config);
    }
    if (!status)
        status = change_tissue(opening->sim, &next, &config, error);
    free_source(&next);
    handle_end_hdf5(&settings);
    cancel_watch(NULL);
    return status;
}

static enum status close_all(void *argument, struct error *error)
{
    struct cardiac *sim = argument;
    close_tissue(sim);
    setup_reuse_free(&sim->reuse);
    return end_thread(NULL, error);
}

/* *sim <- a simulation without a config; NULL if out of memory */
static enum status create(struct cardiac **sim, const char *path, const char *directory)
{
    struct cardiac *made = calloc(1, sizeof *made);
    *sim = NULL;
    if (!made)
        return STATUS_RUN;
    made->owner = getpid();
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->log.lock, NULL);
    __atomic_store_n(sim, made, __ATOMIC_RELEASE); /* from here on another thread may stop it */
    made->source.path = strdup(path);
    made->source.directory = strdup(directory);
    if (!made->source.path || !made->source.directory)
        return error_memory(&made->error, "a simulation", sizeof *made);
    return start_thread(made, &made->error);
}

int cardiac_open(struct cardiac **sim, const char *text, const char *folder, const char *overrides)
{
    if (!sim)
        return STATUS_INPUT;
    enum status status = create(sim, "config", folder ? folder : "");
    if (status)
        return (int)status;
    if (!text && overrides)
        return error_set(&(*sim)->error, STATUS_INPUT,
                         "overrides without a config; give them to cardiac_reopen");
    return text ? cardiac_reopen(*sim, text, overrides) : (int)STATUS_OK;
}

int cardiac_open_file(struct cardiac **sim, const char *path, const char *overrides)
{
    struct error error = {0};
    size_t length = 0;
    char *text = NULL;
    if (!sim)
        return STATUS_INPUT;
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("");
    enum status status = create(sim, path ? path : "config", folder ? folder : "");
    if (!status)
        status = handle_check_pointer(path, "the path of the config", &error);
    if (!status && !folder)
        status = error_memory(&error, "a path", 1);
    if (!status)
        status = config_read_text(&text, &length, path, &error);
    if (!status && memchr(text, 0, length))
        status = error_at(&error, STATUS_INPUT, path, 0, 0, "a NUL character: this is not a config");
    if (status && *sim && error.status) {
        (*sim)->error = error;
        handle_escape_error(*sim);
    }
    if (!status)
        status = (enum status)cardiac_reopen(*sim, text, overrides);
    free(text);
    free(folder);
    return (int)status;
}

int cardiac_reopen(struct cardiac *sim, const char *text, const char *overrides)
{
    return handle_call(sim, HANDLE_ANY, reopen, &(struct opening){sim, text, overrides});
}

void cardiac_close(struct cardiac *sim)
{
    if (!sim || sim->owner != getpid()) /* after fork() a child has neither its thread nor its device */
        return;
    handle_call(sim, HANDLE_ANY, close_all, sim);
    writer_stop(sim->thread);
    if (sim->arrays_changed)
        free_arrays(sim->next, sim->nexts);
    free_arrays(sim->source.array, sim->source.arrays);
    free_source(&sim->source);
    handle_log_clear(&sim->log);
    free(sim->log.text);
    pthread_mutex_destroy(&sim->log.lock);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
}

const char *cardiac_error(const struct cardiac *sim)
{
    return sim ? sim->error.text : "there is no simulation: out of memory, or NULL was passed";
}

struct array_call {
    struct cardiac *sim;
    const char *name;
    const double *value;
    int64_t values;
    int components;
};

static enum status copy_array(struct config_array *to, const char *name, const double *value, int64_t values,
                              int components, struct error *error)
{
    enum status status = STATUS_OK;
    struct sha256 sha;
    *to = (struct config_array){.components = components, .values = values, .name = strdup(name)};
    to->value = array_new(values, sizeof *to->value, "an array", &status, error);
    if (!status && !to->name)
        status = error_memory(error, "an array", 64);
    if (status) {
        free((void *)(uintptr_t)to->name);
        free(to->value);
        return status;
    }
    memcpy(to->value, value, (size_t)values * sizeof *value);
    sha256_start(&sha);
    sha256_add(&sha, to->value, (size_t)values * sizeof *value);
    sha256_end(&sha, to->sha256);
    return STATUS_OK;
}

/* *list <- copies of the current arrays except `name`, with room for one more */
static enum status copy_others(struct config_array **list, int *count, const struct cardiac *sim,
                               const char *name, struct error *error)
{
    const struct config_array *now = sim->arrays_changed ? sim->next : sim->source.array;
    int arrays = sim->arrays_changed ? sim->nexts : sim->source.arrays;
    enum status status = STATUS_OK;
    *count = 0;
    *list = array_zeroed(arrays + 1, sizeof **list, "the arrays", &status, error);
    for (int k = 0; k < arrays && !status; k++)
        if (strcmp(now[k].name, name) != 0) {
            status = copy_array(*list + *count, now[k].name, now[k].value, now[k].values, now[k].components,
                                error);
            *count += !status;
        }
    return status;
}

static enum status set_array(void *argument, struct error *error)
{
    const struct array_call *call = argument;
    struct cardiac *sim = call->sim;
    struct config_array *list = NULL;
    int count = 0;
    TRY(handle_check_pointer(call->name, "the name of the array", error));
    if (call->values < 0 || (call->components != 1 && call->components != 3))
        return error_set(error, STATUS_INPUT,
                         "array '%.60s': %lld values of %d components; expected 1 or 3 for each", call->name,
                         (long long)call->values, call->components);
    if (call->values > 0)
        TRY(handle_check_pointer(call->value, "the array", error));
    for (int64_t k = 0; k < call->values; k++)
        if (!isfinite(call->value[k]))
            return error_set(error, STATUS_INPUT, "array '%.60s': value %lld is not finite", call->name,
                             (long long)k);
    enum status status = copy_others(&list, &count, sim, call->name, error);
    if (!status && call->values > 0) {
        status = copy_array(list + count, call->name, call->value, call->values, call->components, error);
        count += !status;
    }
    if (status) {
        free_arrays(list, count);
        return status;
    }
    if (sim->arrays_changed)
        free_arrays(sim->next, sim->nexts);
    sim->next = list;
    sim->nexts = count;
    sim->arrays_changed = true;
    return STATUS_OK;
}

int cardiac_array(struct cardiac *sim, const char *name, const double *value, int64_t values, int components)
{
    return handle_call(sim, HANDLE_ANY, set_array,
                       &(struct array_call){sim, name, value, values, components});
}
