/* induce.c: `cardiac induce`: which sites and intervals bring a tissue to re-entry. */
#include <stdio.h>
#include <stdlib.h>

#include "app/commands/study_options.h"
#include "app/study/induction.h"
#include "app/util/command.h"

static enum status induce(const struct study_request *request, bool dry_run, struct error *error)
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
    struct study_request request = {0};
    struct study_options chosen = {0};
    const struct option options[] = {
        {"--output", "DIR", "directory of table.csv and the maps (output.directory)",
         .text = &request.directory},
        {"--results", NULL, "also write maps of each tachycardia that was induced", .flag = &request.results},
        {"--part", "K/N", "test the K-th of N parts of the sites alone, to table-K-of-N.csv",
         .text = &chosen.part},
        {"--overwrite", NULL, "start again; without it branches that the table has are left out",
         .flag = &request.overwrite},
        {"--dry-run", NULL, "check the config, and forecast branches, memory and time",
         .flag = &chosen.dry_run},
        STUDY_OPTIONS(chosen, request),
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
    enum status status = study_options_read(&request, &chosen, &usage, argc, argv, error);
    if (!status && !chosen.help)
        status = induce(&request, chosen.dry_run, error);
    free(chosen.sets.item);
    return status;
}
