/* measurement.c: a variant is run, compared, and timed if it is right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "kernels/base/clock.h"

enum { REPEATS_MAX = 200, REPEATS_LEAST = 30, REPEATS_QUICK = 3, RUNS_MAX = 64 };

double bench_random(uint64_t seed)
{
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    return (double)((seed ^ seed >> 31) >> 10) * 0x1p-53 - 1;
}

/* Fills what the variant must write with NaN (all bits set, in fp32 and in fp64). */
static enum status nan_fill(struct bench *bench, const struct measurement *trial, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 && !status; k++) {
        if (!trial->nan_fill[k])
            continue;
        void *ones = malloc(trial->nan_fill_bytes[k] + 1);
        if (!ones)
            return error_memory(error, "the validation", (double)trial->nan_fill_bytes[k]);
        memset(ones, 0xff, trial->nan_fill_bytes[k]);
        status = device_upload(bench->queue, trial->nan_fill[k], ones, trial->nan_fill_bytes[k], error);
        free(ones);
    }
    return status;
}

static enum status validate(struct bench *bench, const struct measurement *trial, double *found, bool *right,
                            struct error *error)
{
    enum status status = nan_fill(bench, trial, error);
    if (status)
        return status;
    trial->body(trial->argument);
    status = bench->queue->backend->wait(bench->queue, error);
    AND(trial->check(trial->argument, bench, found, error));
    *right = *found <= trial->limit;
    return status;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Median and spread of many repeats; short bodies run several times in each. */
static void measure(struct bench *bench, const struct measurement *trial, double *median, double *spread)
{
    double taken[REPEATS_MAX], total = 0;
    const struct bench_device *device = bench->device;
    device->time(bench->queue, trial->body, trial->argument, 1); /* warm up */
    double once = device->time(bench->queue, trial->body, trial->argument, 1);
    int least = bench->quick ? REPEATS_QUICK : REPEATS_LEAST, count = 0;
    int runs = bench->quick ? 1 : once > 0 ? (int)fmin(RUNS_MAX, fmax(1, 2e-4 / once)) : RUNS_MAX;
    double enough = bench->quick ? 0 : 0.25;
    while (count < least || (total < enough && count < REPEATS_MAX)) {
        taken[count] = device->time(bench->queue, trial->body, trial->argument, runs);
        total += taken[count++] * runs;
        if (total > 8 * enough + 0.5 && count >= REPEATS_QUICK) /* a slow variant is not waited for */
            break;
    }
    qsort(taken, (size_t)count, sizeof *taken, ascending);
    *median = taken[count / 2];
    *spread = (taken[count * 9 / 10] - taken[count / 10]) / taken[count / 2];
}

static void add_times(struct bench *bench, const struct measurement *trial, struct bench_row *row,
                      double seconds, double spread)
{
    struct bench_report *report = &bench->report;
    report_figure(row, "us", 1e6 * seconds);
    if (report->baseline == 0)
        report->baseline = seconds;
    if (report->baseline > 0)
        report_figure(row, "speed-up", report->baseline / seconds);
    if (trial->bytes > 0) {
        report_figure(row, "GB/s", 1e-9 * trial->bytes / seconds);
        if (bench->copy > 0)
            report_figure(row, "of copy", trial->bytes / seconds / bench->copy);
    }
    if (trial->flops > 0)
        report_figure(row, "GFLOP/s", 1e-9 * trial->flops / seconds);
    report_figure(row, "spread", spread);
}

struct bench_row *bench_verdict(struct bench *bench, const char *variant, bool right, bool expect_wrong,
                                double error_found, struct error *error)
{
    bool as_hoped = right != (expect_wrong || bench->inject);
    bench->right += as_hoped;
    bench->wrong += !as_hoped;
    const char *verdict = as_hoped ? (right ? "ok" : "caught") : right ? "MISSED" : "WRONG";
    struct bench_row *row = report_row(&bench->report, variant, verdict);
    if (!row)
        error_memory(error, "the results", sizeof *row);
    report_figure(row, "error", error_found);
    return row;
}

/* Validated and, if right, timed: a row */
static enum status try_it(struct bench *bench, const struct measurement *trial, double *seconds,
                          struct error *error)
{
    double found = NAN, median = NAN, spread = NAN;
    bool right = false;
    if (seconds)
        *seconds = NAN;
    enum status status = validate(bench, trial, &found, &right, error);
    if (status)
        return status;
    struct bench_row *row = bench_verdict(bench, trial->variant, right, trial->expect_wrong, found, error);
    if (!row)
        return STATUS_RUN;
    if (!right || bench->inject)
        return STATUS_OK;
    measure(bench, trial, &median, &spread);
    status = bench->queue->backend->wait(bench->queue, error);
    int sweeps = trial->sweeps ? trial->sweeps : 1;
    add_times(bench, trial, row, median / sweeps, spread);
    if (seconds)
        *seconds = median / sweeps;
    return status;
}

enum status bench_trial(struct bench *bench, const struct measurement *trial, double *seconds,
                        struct error *error)
{
    double begin = clock_seconds();
    enum status status = try_it(bench, trial, seconds, error);
    if (bench->progress)
        fprintf(stderr, "%8.2f s (%.2f s)  %s %s: %s\n", clock_seconds() - bench->begun,
                clock_seconds() - begin, bench->report.bench, bench->report.title, trial->variant);
    return status;
}

void bench_blank(struct bench *bench, const char *variant, const char *why)
{
    struct bench_row *row = report_row(&bench->report, variant, "-");
    if (row) {
        size_t length = strlen(why) < sizeof row->note - 1 ? strlen(why) : sizeof row->note - 1;
        memcpy(row->note, why, length);
    }
}
