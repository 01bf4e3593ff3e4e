/* converge.c: `cardiac converge`: the numerical error of a config, by half its edge and half its step. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/commands/study_options.h"
#include "app/config/files.h"
#include "app/study/convergence.h"
#include "app/study/study_table.h"
#include "app/util/command.h"
#include "app/util/plain_file.h"

static enum status report_path(char **path, const struct convergence *convergence, struct error *error)
{
    if (asprintf(path, "%s/converge.txt", convergence->directory) >= 0)
        return STATUS_OK;
    *path = NULL;
    return error_memory(error, "a path", 1);
}

/* Without a table, nothing in the directory is of an earlier call. */
static enum status check_report(struct convergence *convergence, bool fresh, bool overwrite,
                                struct error *error)
{
    char *path = NULL;
    enum status status = report_path(&path, convergence, error);
    if (!status)
        status = files_check_output(&convergence->base, path, error);
    if (!status && fresh && !overwrite)
        status = plain_file_claim(path, NULL, study_table_elsewhere, error);
    free(path);
    return status;
}

/* DIR/converge.txt */
static enum status keep_report(const struct convergence *convergence, struct error *error)
{
    char *path = NULL;
    FILE *file = NULL;
    enum status status = report_path(&path, convergence, error);
    if (!status)
        status = plain_file_stream(&file, path, O_WRONLY | O_CREAT | O_TRUNC, "w", error);
    if (!status) {
        convergence_report(convergence, file);
        if (fclose(file))
            status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    }
    free(path);
    return status;
}

static enum status report(const struct convergence *convergence, const struct study_request *request,
                          struct error *error)
{
    if (request->json)
        convergence_report_json(convergence, stdout);
    else if (!request->quiet) {
        putchar('\n');
        convergence_report(convergence, stdout);
    }
    fflush(stdout);
    return keep_report(convergence, error);
}

static enum status converge(const struct study_request *request, int levels, bool mesh, bool dry_run,
                            struct error *error)
{
    struct convergence convergence;
    enum status status;
    TRY_DONE(convergence_open(&convergence, request, levels, mesh, error));
    bool fresh = request->overwrite || access(convergence.table_path, F_OK) != 0;
    if (!dry_run)
        TRY_DONE(check_report(&convergence, fresh, request->overwrite, error));
    FILE *forecast = request->quiet || request->json ? NULL : stdout;
    if (dry_run || fresh)
        TRY_DONE(convergence_describe(&convergence, forecast, error));
    if (dry_run)
        goto done;
    status = convergence_make(&convergence, error);
    if (convergence.maps > 0) { /* whatever failed, it was compared */
        struct error other = {0};
        enum status reported = report(&convergence, request, status ? &other : error);
        status = status ? status : reported;
    }
done:
    convergence_free(&convergence);
    return status;
}

enum status command_converge(int argc, char **argv, struct error *error)
{
    struct study_request request = {0};
    struct study_options chosen = {0};
    int levels = 2;
    bool fixed_mesh = false;
    const struct option options[] = {
        {"--levels", "N",
         "2: half the edge and step; 3: also a quarter, and bars where they are justified (2)",
         .number = &levels},
        {"--fixed-mesh", NULL, "leave the mesh as it is: half the step and a tighter solver alone",
         .flag = &fixed_mesh},
        {"--output", "DIR",
         "directory of converge.txt, table.csv and the results (output.directory/converge)",
         .text = &request.directory},
        {"--overwrite", NULL, "make all runs anew; without it those that the table has are left out",
         .flag = &request.overwrite},
        {"--dry-run", NULL, "check all runs, and forecast memory, disk and time", .flag = &chosen.dry_run},
        STUDY_OPTIONS(chosen, request),
        {"--json", NULL, "for programs: a line of JSON a run, then one of the comparison (docs/user/json.md)",
         .flag = &request.json},
        {0},
    };
    const struct usage usage = {"converge CONFIG [options]",
                                "Estimates the numerical error of a config: repeats it with half the step, "
                                "with half the edge and step, "
                                "with a\ntenth of the tolerance and in double precision, and reports how "
                                "activation, APD90, velocities, "
                                "the ECG and\nthe maps change. Half the edge and step is 16 times the work "
                                "and 8 times the memory of one "
                                "run in 3D.\nThe same command goes on where it was interrupted.",
                                options, 1, 1};
    enum status status = study_options_read(&request, &chosen, &usage, argc, argv, error);
    if (!status && !chosen.help && (levels < 2 || levels > REFINEMENT_LEVELS))
        status = error_set(error, STATUS_INPUT, "--levels is 2 or 3, not %d", levels);
    if (!status && !chosen.help)
        status = converge(&request, levels, !fixed_mesh, chosen.dry_run, error);
    free(chosen.sets.item);
    return status;
}
