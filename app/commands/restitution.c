/* restitution.c: `cardiac restitution`: action potentials and speeds of a tissue after shorter and shorter
 * intervals. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/times.h"
#include "app/config/files.h"
#include "app/study/s1s2.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "app/util/plain_file.h"
#include "app/util/text_media.h"
#include "kernels/base/array.h"

/* What was typed. */
struct request {
    const char *config, *s2, *output, *device, *threads;
    struct option_list sets;
};

/* *config <- with as many beats kept as S1 and S2 may evoke, their repolarisation noted */
static enum status read_config(struct config *config, const struct request *request, struct error *error)
{
    const struct config_option options[] = {{"--device", "device", request->device},
                                            {"--threads", "threads", request->threads}};
    int count = request->sets.count;
    char beats[60];
    int64_t pulses;
    TRY(config_read_with(config, request->config, request->sets.item, count, options, 2, error));
    TRY(s1s2_pulses(&pulses, config, error));
    config_free(config);
    enum status status = STATUS_OK;
    const char **set = array_new(count + 3, sizeof *set, "the options", &status, error);
    TRY(status);
    for (int k = 0; k < count; k++)
        set[k] = request->sets.item[k];
    snprintf(beats, sizeof beats, "activation.beats=%lld", (long long)pulses + 1);
    set[count] = beats;
    set[count + 1] = "output.maps=[apd90]";
    set[count + 2] = "activation.method=threshold";
    status = config_read_with(config, request->config, set, count + 3, options, 2, error);
    free(set);
    return status;
}

static void print_number(FILE *file, double value)
{
    fprintf(file, isnan(value) ? "," : ",%.10g", value);
}

static void print(FILE *file, const struct s1s2_row *row, const struct config *config)
{
    for (int p = 0; p < config->output.probes; p++, row++) {
        fprintf(file, "%.12g,", row->interval);
        text_media_cell(file, config->output.probe[p].name, NULL);
        print_number(file, row->activation);
        print_number(file, row->rested);
        print_number(file, row->apd90);
        print_number(file, row->velocity);
        fprintf(file, ",%s\n", isnan(row->activation) ? "no" : "yes");
    }
}

/* All intervals, in rising order, and the table in the order that was asked for */
static enum status study(const struct request *request, struct branches *branches, struct error *error)
{
    const struct config *config = &branches->setup->config;
    struct times_range range;
    double step = config->physics.step, duration = branches->setup->problem.stimulus->duration;
    TRY(times_range_read(&range, "--s2", request->s2, step, duration, error));
    int64_t count = times_range_count(&range), probes = config->output.probes;
    bool falls = range.last < range.first;
    enum status status = STATUS_OK;
    double *interval = array_new(count, sizeof *interval, "the intervals", &status, error);
    struct s1s2_row *row = array_new(count * probes, sizeof *row, "the table", &status, error);
    TRY_DONE(status);
    if (request->output) {
        TRY_DONE(plain_file_claim(request->output, "S2 (ms),", "choose another --output", error));
        TRY_DONE(files_check_output(&branches->setup->config, request->output, error));
    }
    FILE *file = request->output ? fopen(request->output, "w") : stdout;
    if (!file)
        TRY_DONE(error_set(error, STATUS_INPUT, "%.300s: %s", request->output, strerror(errno)));
    for (int64_t k = 0; k < count; k++) {
        char decimal[40]; /* 320 ms and not 16000 times 0.02 ms, which a run has not either */
        snprintf(decimal, sizeof decimal, "%.12g",
                 (double)times_range_at(&range, falls ? count - 1 - k : k) * step);
        interval[k] = strtod(decimal, NULL);
    }
    status = s1s2_run(row, interval, count, branches, error);
    if (!status)
        fputs("S2 (ms),probe,activation (ms),DI (ms),APD90 (ms),CV (m/s),captured\n", file);
    for (int64_t k = 0; k < count && !status; k++)
        print(file, row + (falls ? count - 1 - k : k) * probes, config);
    if (file != stdout && fclose(file) && !status)
        status = error_set(error, STATUS_RUN, "%.300s: %s", request->output, strerror(errno));
done:
    free(interval);
    free(row);
    return status;
}

static enum status restitute(const struct request *request, struct error *error)
{
    struct setup setup = {.comm = comm_alone(), .options = {.quiet = true, .no_files = true}};
    struct branches branches = {0};
    enum status status;
    TRY_DONE(read_config(&setup.config, request, error));
    TRY_DONE(branch_open(&branches, &setup, 1, error));
    status = study(request, &branches, error);
done:
    branch_free(&branches);
    setup_free(&setup);
    return status;
}

enum status command_restitution(int argc, char **argv, struct error *error)
{
    struct request request = {0};
    bool help;
    const struct option options[] = {
        {"--s2", "FROM:TO:BY", "intervals from the last S1 to S2, such as 500:250:10ms", .text = &request.s2},
        {"--set", "KEY=VALUE", "override a key of the config (may be repeated)", .list = &request.sets},
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &request.device},
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)",
         .text = &request.threads},
        {"--output", "FILE", "file for the table (standard output)", .text = &request.output},
        {0},
    };
    const struct usage usage = {"restitution CONFIG --s2 FROM:TO:BY [options]",
                                "Prints a CSV table of action potential duration and conduction velocity at "
                                "the config's probes in response\nto an S2 stimulus at each interval after a "
                                "train of S1 (the config's first stimulus). S1 is simulated once.",
                                options, 1, 1};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (!status && !help && !request.s2)
        status = error_set(error, STATUS_INPUT, "--s2 is missing, such as --s2 500:250:10ms");
    request.config = argv[1];
    if (!status && !help)
        status = restitute(&request, error);
    free(request.sets.item);
    return status;
}
