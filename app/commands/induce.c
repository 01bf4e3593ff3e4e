/* induce.c: `cardiac induce`: which sites and intervals bring a tissue to re-entry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/study/induction.h"
#include "app/run/stop.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "kernels/base/clock.h"

static enum status induce(const struct induction_request *request, bool dry_run, struct error *error)
{
    struct induction study;
    enum status status = induction_open(&study, request, error);
    if (!status)
        status = dry_run ? induction_describe(&study, stdout, error) : induction_make(&study, error);
    induction_free(&study);
    return status;
}

enum status command_induce(int argc, char **argv, struct error *error)
{
    struct induction_request request = {.began = clock_seconds(), .stop_after = INFINITY};
    struct option_list sets = {0};
    const char *part = NULL, *device = NULL, *threads = NULL, *stop_after = NULL;
    bool help, dry_run = false;
    const struct option options[] = {
        {"--set", "KEY=VALUE", "override a key of the config (may be repeated)", .list = &sets},
        {"--output", "DIR", "directory of table.csv and the maps (output.directory)",
         .text = &request.directory},
        {"--results", NULL, "also write maps of each tachycardia that was induced", .flag = &request.results},
        {"--part", "K/N", "test the K-th of N parts of the sites alone, to table-K-of-N.csv", .text = &part},
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &device},
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)", .text = &threads},
        {"--overwrite", NULL, "start again; without it branches that the table has are left out",
         .flag = &request.overwrite},
        {"--stop-after", "TIME", "stop with status 4 after this wall time, e.g. 3h50m", .text = &stop_after},
        {"--dry-run", NULL, "check the config, and forecast branches, memory and time", .flag = &dry_run},
        {"--quiet", NULL, "print nothing but warnings and errors", .flag = &request.quiet},
        {"--json", NULL, "for programs: a line of JSON a branch and a site (docs/user/json.md)",
         .flag = &request.json},
        {0},
    };
    const struct usage usage = {
        "induce CONFIG [options]",
        "Tests whether re-entry can be induced: at each site of the config's `induction:`, extra stimuli "
        "follow "
        "the S1\ntrain (the first stimulus). S1 is simulated once a site. Results: DIR/table.csv, a row a "
        "branch, and\nDIR/vulnerability.vtkhdf. The same command goes on where it was interrupted.",
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
        status = induce(&request, dry_run, error);
    }
    free(sets.item);
    return status;
}
