/* sweep.c: `cardiac sweep`: many runs of one config, as a table. */
#include <stdio.h>
#include <stdlib.h>

#include "app/commands/study_options.h"
#include "app/study/study.h"
#include "app/util/command.h"
#include "kernels/base/array.h"

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
    status = dry_run ? study_describe(&study, stdout, error) : study_make(&study, error);
done:
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
    enum status status = study_options_read(&request, &chosen, &usage, argc, argv, error);
    if (!status && !chosen.help)
        status = sweep(&request, table, halvings, chosen.dry_run, error);
    free(chosen.sets.item);
    return status;
}
