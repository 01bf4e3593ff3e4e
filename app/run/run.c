/* run.c: `cardiac run`: read the options and the config, then set up, step and finish. */
#include "app/run/run.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run/bundle.h"
#include "app/run/launcher.h"
#include "app/run/stop.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "app/util/program.h"
#include "app/util/watch.h"
#include "kernels/base/sha256.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/device/backend.h"

enum status run_simulate(struct run *run, struct setup *setup, struct error *error)
{
    *run = (struct run){.setup = setup,
                        .checkpoint = {.fetched_step = -1, .step = -1},
                        .peak = {.value = NAN, .time = NAN, .since = NAN}};
    setup->records = 1;
    TRY(setup_tissue(setup, error));
    if (setup->options.dry_run)
        return STATUS_OK;
    malloc_trim(0); /* return small arrays that the set-up freed to the system */
    enum status status = run_files(run, error);
    if (!status)
        status = run_loop(run, error);
    if (run->writer)
        status = run_finish(run, status, error);
    return status;
}

static enum status simulate(struct setup *setup, struct error *error)
{
    struct run run;
    enum status status = run_simulate(&run, setup, error);
    run_free(&run);
    return status;
}

/* Reads the config with --set and the options that set a key. */
static enum status read_config(struct setup *setup, const char *path, const struct option_list *sets,
                               const char *output, const char *device, const char *threads,
                               struct error *error)
{
    const struct config_option options[] = {{"--output", "output.directory", output},
                                            {"--device", "device", device},
                                            {"--threads", "threads", threads}};
    return config_read_with(&setup->config, path, sets->item, sets->count, options, 3, error);
}

/* Checks that all ranks have the same config: independent runs started by a launcher are not ranks of one run. */
static enum status check_same_config(const struct setup *setup, struct error *error)
{
    char *keys = config_printed(&setup->config), hex[SHA256_HEX];
    uint64_t first[2];
    enum status status = keys ? STATUS_OK : error_memory(error, "the config's text", 4096);
    status = comm_agree(setup->comm, COMM_STEPS, status, error);
    if (status) {
        free(keys);
        return status;
    }
    sha256_of(keys, strlen(keys), hex);
    free(keys);
    memcpy(first, hex, sizeof *first);
    first[1] = ~first[0];
    setup->comm->engine->largest(setup->comm, COMM_STEPS, first, 2);
    if (first[0] == ~first[1])
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "a launcher started this as one of %d ranks of one run, but they have different "
                     "configs; independent runs begin with: " COMM_UNSET " cardiac run",
                     setup->comm->size);
}

/* options->stop_after <- its text. Errors: options that are wrong alone or in combination */
static enum status check_options(struct setup_options *options, const char *stop_after, int gpus,
                                 const char *device, struct error *error)
{
    struct error missing = {0};
    TRY(stop_read_duration(&options->stop_after, stop_after, error));
    if (options->resume && options->overwrite)
        return error_set(error, STATUS_INPUT,
                         "--resume continues existing results, --overwrite replaces them: use one of them");
    if (options->json && (options->quiet || options->dry_run))
        return error_set(error, STATUS_INPUT,
                         "--json reports the progress of steps and cannot be combined with %s",
                         options->quiet ? "--quiet" : "--dry-run");
    if (gpus == 0)
        return error_set(error, STATUS_INPUT, "--gpus 0: use --device cpu to run without GPUs");
    if (gpus > 0 && device && strncmp(device, "cpu", 3) == 0)
        return error_set(error, STATUS_INPUT, "--gpus %d and --device %.40s: use one of them", gpus, device);
    if (gpus == 1 && !backend_find("cuda", &missing))
        return error_set(error, STATUS_INPUT, "--gpus 1: %s", missing.text);
    return STATUS_OK;
}

/* What to run: a config, or the config of a bundle */
struct source {
    const char *bundle;     /* NULL = a config */
    char *config, *results; /* paths in the bundle, owned */
};

/* *source <- the command's argument; *output <- DIR/repeat for a bundle, unless given. Errors: STATUS_INPUT if the
 * bundle has changed. */
static enum status find_source(struct source *source, const char *path, const struct option_list *sets,
                               bool overwrite, const char **output, struct error *error)
{
    struct stat info;
    if (!bundle_is(path))
        return STATUS_OK;
    source->bundle = path;
    if (sets->count > 0)
        return error_set(error, STATUS_INPUT,
                         "--set: %s is a bundle, which is repeated as it is; run %s/config.yaml to change it",
                         path, path);
    if (asprintf(&source->config, "%s/config.yaml", path) < 0)
        source->config = NULL;
    if (asprintf(&source->results, "%s/repeat", path) < 0)
        source->results = NULL;
    if (!source->config || !source->results)
        return error_memory(error, "a path", 1);
    if (!*output && lstat(source->results, &info) == 0 &&
        S_ISLNK(info.st_mode)) /* its target was chosen by the bundle's author */
        return error_set(error, STATUS_INPUT, "%s is a symbolic link; --output selects another directory",
                         source->results);
    *output = *output ? *output : source->results;
    TRY(bundle_check_output(*output, overwrite, error));
    return bundle_check(path, error);
}

/* Prints the error of the rank that ends all others. */
static void report_rank(const struct comm *comm, const struct error *error)
{
    fprintf(stderr, "cardiac: rank %d: %s\n", comm->rank, error->text);
}

enum status command_run(int argc, char **argv, struct error *error)
{
    struct setup setup = {.options.stop_after = INFINITY, .began = clock_seconds()};
    struct option_list sets = {0};
    const char *output = NULL, *device = NULL, *threads = NULL, *stop_after = NULL;
    int gpus = -1; /* not given */
    bool help = false, done;
    struct source source = {0};
    const struct option options[] = {
        {"--set", "KEY=VALUE",
         "override a key of the config, such as solver.precision=double (may be repeated)", .list = &sets},
        {"--output", "DIR", "directory of the results (output.directory)", .text = &output},
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &device},
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)", .text = &threads},
        {"--gpus", "N", "use N GPUs of this machine, one rank per GPU", .number = &gpus},
        {"--resume", NULL, "continue from the newest valid checkpoint in the output directory",
         .flag = &setup.options.resume},
        {"--overwrite", NULL, "replace existing results", .flag = &setup.options.overwrite},
        {"--stop-after", "TIME",
         "write a checkpoint and stop with status 4 after this wall time, set-up included, e.g. 3h50m or 600 "
         "(seconds)",
         .text = &stop_after},
        {"--dry-run", NULL, "set everything up and describe it, but take no step",
         .flag = &setup.options.dry_run},
        {"--verbose", NULL, "print details of the matrix: spectrum, bounds and layout",
         .flag = &setup.options.verbose},
        {"--quiet", NULL, "print nothing but warnings and errors", .flag = &setup.options.quiet},
        {"--json", NULL, "print a line of JSON each second and one at the end (docs/user/output.schema.json)",
         .flag = &setup.options.json},
        {0},
    };
    const struct usage usage = {
        "run CONFIG | BUNDLE [options]",
        "Runs the simulation described by CONFIG. Results: DIR/run.vtkhdf (ParaView 5.12 and later), "
        "run.xdmf\n(any ParaView), run.log, probes.csv and checkpoints. A BUNDLE (`cardiac bundle`) is "
        "repeated, by "
        "default to\nBUNDLE/repeat, and its bits are compared: status 1 if they differ.",
        options, 1, 1};
    enum status status = comm_open(&setup.comm, error);
    if (status)
        return status;
    setup.comm->report = report_rank;
    if (setup.comm->rank > 0) {
        stop_mute();
        if (!program_silence())
            status = error_set(error, STATUS_RUN, "/dev/null cannot be opened");
    }
    char **given = array_new(argc + 1, sizeof *given, "the arguments", &status, error);
    if (given)
        memcpy(given, argv, ((size_t)argc + 1) * sizeof *given);
    if (!status)
        status = options_read(&usage, argc, argv, NULL, &help, error);
    if (!status && !help)
        status = check_options(&setup.options, stop_after, gpus, device, error);
    if (gpus == 1 && !device)
        device = "cuda";
    done = help;
    if (!status && !help && gpus > 1) {
        enum status ended = STATUS_OK;
        status = launcher_start_ranks(gpus, given, &ended, error);
        status = status ? status : ended;
        done = true;
    }
    free(given);
    if (!status && !done)
        stop_catch_signals();
    if (!status && !done)
        status = find_source(&source, argv[1], &sets, setup.options.overwrite, &output, error);
    if (!status && !done)
        status = read_config(&setup, source.bundle ? source.config : argv[1], &sets, output, device, threads,
                             error);
    status = comm_agree(setup.comm, COMM_STEPS, status, error);
    if (!status && !done)
        status = check_same_config(&setup, error);
    if (!status && !done && setup.comm->rank == 0 && !setup.options.quiet && !setup.options.json)
        watch_begin(WATCH_SILENCE);
    if (!status && !done)
        status = simulate(&setup, error);
    watch_end();
    if (!status && source.bundle && !setup.options.dry_run && setup.comm->rank == 0)
        status = bundle_compare(source.bundle, output, setup.config.physics.precision == PRECISION_MIXED,
                                setup.options.quiet || setup.options.json, error);
    setup_free(&setup);
    free(source.config);
    free(source.results);
    free(sets.item);
    if (setup.comm->rank > 0) { /* rank 0 reports the error, and the launcher returns rank 0's status */
        *error = (struct error){0};
        status = STATUS_OK;
    }
    comm_close(setup.comm);
    return status;
}
