/* sweep.c: `cardiac sweep`: many runs of one config, as a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/run/stop.h"
#include "app/study/study.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

/* Options of a command that makes many runs */
struct study_options {
    struct option_list sets;
    const char *part, *device, *threads, *stop_after;
    struct config_option key[2];
    bool dry_run, help;
};

/* Rows of a command's table of options, into struct study_options and struct study_request */
#define STUDY_OPTIONS(options_, request_)                                                                    \
    {"--set", "KEY=VALUE", "override a key of the config (may be repeated)", .list = &(options_).sets},      \
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &(options_).device},              \
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)",                       \
         .text = &(options_).threads},                                                                       \
        {"--stop-after", "TIME", "stop with status 4 after this wall time, e.g. 3h50m or 600 (seconds)",     \
         .text = &(options_).stop_after},                                                                    \
    {                                                                                                        \
        "--quiet", NULL, "print nothing but warnings and errors", .flag = &(request_).quiet                  \
    }

/* *request <- the options of a command whose first argument is the config; installs the signal handlers. Errors:
 * STATUS_INPUT. Free options->sets.item even then. */
static enum status study_options_read(struct study_request *request, struct study_options *options,
                                      const struct usage *usage, int argc, char **argv, struct error *error)
{
    request->began = clock_seconds();
    request->stop_after = INFINITY;
    TRY(options_read(usage, argc, argv, NULL, &options->help, error));
    if (options->help)
        return STATUS_OK;
    TRY(study_table_part(&request->part, &request->parts, options->part, error));
    TRY(stop_read_duration(&request->stop_after, options->stop_after, error));
    options->key[0] = (struct config_option){"--device", "device", options->device};
    options->key[1] = (struct config_option){"--threads", "threads", options->threads};
    request->config = argv[1];
    request->set = options->sets.item;
    request->sets = options->sets.count;
    request->option = options->key;
    request->options = 2;
    stop_catch_signals();
    return STATUS_OK;
}

/* halvings[runs] <- "0,0,1" of `converge`: how often the edges of the first run's mesh are halved */
static enum status read_halvings(int *halvings, int64_t runs, const char *text, struct error *error)
{
    int64_t count = 0;
    for (char *end; *text && count < runs; text = end + (*end == ',')) {
        halvings[count++] = (int)strtol(text, &end, 10);
        if (end == text)
            break;
    }
    return count == runs && !*text ? STATUS_OK
                                   : error_set(error, STATUS_INPUT, "--halvings: a number for each run");
}

static enum status sweep(const struct study_request *request, const char *path, const char *halvings,
                         bool dry_run, struct error *error)
{
    struct study study = {.table.file = -1};
    struct csv table = {0};
    int *halved = NULL;
    enum status status;
    if (path)
        TRY_DONE(csv_read(&table, path, error));
    TRY_DONE(study_open(&study, request, path ? &table : NULL, error));
    if (halvings) {
        halved = array_new(study.all, sizeof *halved, "the runs", &status, error);
        TRY_DONE(status);
        TRY_DONE(read_halvings(halved, study.all, halvings, error));
        study.halvings = halved;
    }
    if (!request->quiet && !request->json)
        watch_begin(WATCH_SILENCE);
    status = dry_run ? study_describe(&study, error) : study_make(&study, error);
done:
    watch_end();
    study_free(&study);
    csv_free(&table);
    free(halved);
    return status;
}

enum status command_sweep(int argc, char **argv, struct error *error)
{
    struct study_request request = {0};
    struct study_options chosen = {0};
    const char *table = NULL, *halvings = NULL;
    const struct option options[] = {
        {"--table", "RUNS.csv", "a run a row: names of columns are keys, cells their values", .text = &table},
        {"--output", "DIR", "directory of table.csv and the results (output.directory)",
         .text = &request.directory},
        {"--results", NULL, "also write the results of each run, as `cardiac run` does, to DIR/ID",
         .flag = &request.results},
        {"--maps", NULL, "also write output.maps of all runs to DIR/maps.vtkhdf, whose frames are the runs",
         .flag = &request.maps},
        {"--part", "K/N", "make the K-th of N parts of the runs alone, to table-K-of-N.csv",
         .text = &chosen.part},
        {"--overwrite", NULL, "make all runs anew; without it those that the table has are left out",
         .flag = &request.overwrite},
        {"--dry-run", NULL, "check all runs, and forecast memory, disk and time by the first steps of one",
         .flag = &chosen.dry_run},
        STUDY_OPTIONS(chosen, request),
        {"--halvings", "LIST", NULL, .text = &halvings},
        {"--json", NULL, "for programs: a line of JSON a run (docs/user/output.schema.json)",
         .flag = &request.json},
        {0},
    };
    const struct usage usage = {
        "sweep CONFIG [--table RUNS.csv] [options]",
        "Makes many runs of one config in one process: for each row of a table, and for each combination of "
        "the\nlists in the config's `sweep:`. Results: DIR/table.csv, a row a run. What is made from the "
        "same "
        "keys\n(mesh, fibres, matrix) is made once. The same command goes on where it was interrupted.",
        options, 1, 1};
    enum status status = study_options_read(&request, &chosen, &usage, argc, argv, error);
    if (!status && !chosen.help)
        status = sweep(&request, table, halvings, chosen.dry_run, error);
    free(chosen.sets.item);
    return status;
}
