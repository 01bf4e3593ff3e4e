/* sweep.c: `cardiac sweep`: many runs of one config, as a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/run/stop.h"
#include "app/study/study.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "kernels/base/clock.h"

static enum status sweep(struct study_request *request, const char *path, bool dry_run, struct error *error)
{
    struct study study = {.table.file = -1};
    struct csv table = {0};
    enum status status;
    if (path) {
        TRY_DONE(csv_read(&table, path, error));
        request->table = &table;
    }
    TRY_DONE(study_open(&study, request, error));
    status = dry_run ? study_describe(&study, stdout, error) : study_make(&study, error);
done:
    study_free(&study);
    csv_free(&table);
    return status;
}

enum status command_sweep(int argc, char **argv, struct error *error)
{
    struct study_request request = {.began = clock_seconds(), .stop_after = INFINITY};
    struct option_list sets = {0};
    const char *table = NULL, *part = NULL, *device = NULL, *threads = NULL, *stop_after = NULL;
    bool help, dry_run = false;
    const struct option options[] = {
        {"--table", "RUNS.csv", "a run a row: names of columns are keys, cells their values", .text = &table},
        {"--set", "KEY=VALUE", "override a key of the config in all runs (may be repeated)", .list = &sets},
        {"--output", "DIR", "directory of table.csv and the results (output.directory)",
         .text = &request.directory},
        {"--results", NULL, "also write the results of each run, as `cardiac run` does, to DIR/ID",
         .flag = &request.results},
        {"--part", "K/N", "make the K-th of N parts of the runs alone, to table-K-of-N.csv", .text = &part},
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &device},
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)", .text = &threads},
        {"--overwrite", NULL, "make all runs anew; without it those that the table has are left out",
         .flag = &request.overwrite},
        {"--stop-after", "TIME", "stop with status 4 after this wall time, e.g. 3h50m", .text = &stop_after},
        {"--dry-run", NULL, "check all runs, and forecast memory, disk and time by the first steps of one",
         .flag = &dry_run},
        {"--quiet", NULL, "print nothing but warnings and errors", .flag = &request.quiet},
        {"--json", NULL, "for programs: a line of JSON a run (docs/user/json.md)", .flag = &request.json},
        {0},
    };
    const struct usage usage = {
        "sweep CONFIG [--table RUNS.csv] [options]",
        "Makes many runs of one config in one process: for each row of a table, and for each combination of "
        "the\nlists in the config's `sweep:`. Results: DIR/table.csv, a row a run. What is made from the "
        "same "
        "keys\n(mesh, fibres, matrix) is made once. The same command goes on where it was interrupted.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (!status && !help)
        status = study_table_part(&request.part, &request.parts, part, error);
    if (!status && !help && stop_after && !stop_parse_duration(stop_after, &request.stop_after))
        status = error_set(error, STATUS_INPUT,
                           "--stop-after: '%.40s' is not a duration such as 3h50m, 90s or 600", stop_after);
    const struct config_option keys[] = {{"--device", "device", device}, {"--threads", "threads", threads}};
    request.config = argv[1];
    request.set = sets.item;
    request.sets = sets.count;
    request.option = keys;
    request.options = 2;
    if (!status && !help) {
        stop_catch_signals();
        status = sweep(&request, table, dry_run, error);
    }
    free(sets.item);
    return status;
}
