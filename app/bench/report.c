/* report.c: run and check a variant, time it if it is correct, and print a row of a table or a JSON object. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/util/version.h"
#include "kernels/base/clock.h"
#include "kernels/base/compare.h"

enum { REPEATS_MAX = 200, REPEATS_LEAST = 30, REPEATS_QUICK = 3, RUNS_MAX = 64, COLUMNS_MAX = 32 };

double bench_worse(double found, double apart)
{
    return isnan(found) || apart <= found ? found : apart;
}

/* name[] <- the figures of the section, in order of first appearance; returns their number */
static int column_names(const struct bench_report *report, const char *name[COLUMNS_MAX])
{
    int columns = 0;
    for (int r = 0; r < report->rows; r++)
        for (int f = 0; f < report->row[r].figures; f++) {
            int c = 0;
            while (c < columns && strcmp(name[c], report->row[r].figure[f].name) != 0)
                c++;
            if (c == columns && columns < COLUMNS_MAX)
                name[columns++] = report->row[r].figure[f].name;
        }
    return columns;
}

double bench_value(const struct bench_row *row, const char *name)
{
    for (int f = 0; f < row->figures; f++)
        if (strcmp(row->figure[f].name, name) == 0)
            return row->figure[f].value;
    return NAN;
}

static void print_table(const struct bench_report *report)
{
    const char *name[COLUMNS_MAX];
    int columns = column_names(report, name), widest = 7;
    for (int r = 0; r < report->rows; r++) {
        int width = (int)strlen(report->row[r].variant);
        widest = width > widest ? width : widest;
    }
    printf("\n%s: %s%s%s\n  %-*s %-7s", report->bench, report->title, *report->matrix ? ", " : "",
           report->matrix, widest, "variant", "");
    for (int c = 0; c < columns; c++)
        printf(" %10s", name[c]);
    putchar('\n');
    for (int r = 0; r < report->rows; r++) {
        printf("  %-*s %-7s", widest, report->row[r].variant, report->row[r].verdict);
        for (int c = 0; c < columns; c++) {
            double value = bench_value(&report->row[r], name[c]);
            if (isnan(value))
                printf(" %10s", "");
            else
                printf(" %10.4g", value);
        }
        printf("%s%s\n", *report->row[r].note ? "  " : "", report->row[r].note);
    }
}

static void print_object(struct bench_report *report, const struct bench_row *row)
{
    struct json *out = &report->out;
    json_open(out, NULL, '{');
    json_text(out, "bench", report->bench);
    json_text(out, "section", report->title);
    json_text(out, "matrix", report->matrix);
    json_text(out, "variant", row->variant);
    json_text(out, "verdict", row->verdict);
    if (*row->note)
        json_text(out, "note", row->note);
    for (int f = 0; f < row->figures; f++)
        json_number(out, row->figure[f].name, row->figure[f].value);
    json_close(out);
}

static void close_section(struct bench_report *report)
{
    if (!report->open)
        return;
    report->open = false;
    if (report->json)
        for (int r = 0; r < report->rows; r++)
            print_object(report, &report->row[r]);
    else if (report->rows)
        print_table(report);
    fflush(stdout); /* so that this section is not lost if the next one fails */
}

void bench_begin(struct bench *bench, int threads)
{
    struct json *out = &bench->report.out;
    if (!bench->report.json) {
        printf("%s on %s", version_text(), bench->device->name);
        if (threads)
            printf(", %d threads", threads);
        putchar('\n');
        return;
    }
    *out = json_line(stdout);
    json_open(out, NULL, '{');
    json_text(out, "program", version_text());
    json_text(out, "device", bench->device->name);
    json_integer(out, "threads", threads);
    json_open(out, "rows", '[');
}

void bench_end(struct bench *bench)
{
    struct bench_report *report = &bench->report;
    close_section(report);
    if (report->json) {
        json_close(&report->out);
        json_close(&report->out);
    }
    free(report->row);
}

void bench_section(struct bench *bench, const char *name, const char *matrix, const char *title)
{
    struct bench_report *report = &bench->report;
    close_section(report);
    snprintf(report->bench, sizeof report->bench, "%s", name);
    snprintf(report->matrix, sizeof report->matrix, "%s", matrix);
    snprintf(report->title, sizeof report->title, "%s", title);
    report->open = true;
    report->rows = 0;
    report->baseline = 0;
}

struct bench_row *bench_add_row(struct bench *bench, const char *variant, const char *verdict)
{
    struct bench_report *report = &bench->report;
    if (report->rows == report->room) {
        int room = 2 * report->room + 16;
        struct bench_row *grown = realloc(report->row, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        report->row = grown;
        report->room = room;
    }
    struct bench_row *row = &report->row[report->rows++];
    memset(row, 0, sizeof *row);
    snprintf(row->variant, sizeof row->variant, "%s", variant);
    snprintf(row->verdict, sizeof row->verdict, "%s", verdict);
    return row;
}

struct bench_row *bench_last_row(struct bench *bench)
{
    return bench->report.rows ? &bench->report.row[bench->report.rows - 1] : NULL;
}

void bench_figure(struct bench_row *row, const char *name, double value)
{
    if (!row || row->figures == BENCH_FIGURES)
        return;
    row->figure[row->figures].name = name;
    row->figure[row->figures++].value = value;
}

/* Fills the memory that the variant must write with NaN (all bits set, in fp32 and in fp64). */
static enum status nan_fill(struct bench *bench, const struct measurement *trial, struct error *error)
{
    for (int k = 0; k < 2; k++) {
        if (!trial->nan_fill[k])
            continue;
        void *ones = bench_array(bench, (int64_t)trial->nan_fill_bytes[k], 1);
        TRY(bench_check(bench, error));
        memset(ones, 0xff, trial->nan_fill_bytes[k]);
        TRY(device_upload(bench->queue, trial->nan_fill[k], ones, trial->nan_fill_bytes[k], error));
    }
    return STATUS_OK;
}

static enum status validate_variant(struct bench *bench, const struct measurement *trial, double *found,
                                    bool *right, struct error *error)
{
    TRY(nan_fill(bench, trial, error));
    trial->body(trial->argument);
    TRY(bench->queue->backend->wait(bench->queue, error));
    TRY(trial->check(trial->argument, bench, found, error));
    *right = *found <= trial->limit;
    return STATUS_OK;
}

/* Median, s, and spread of many repeats; a repeat runs a short body several times. */
static void time_variant(struct bench *bench, const struct measurement *trial, double *median, double *spread)
{
    double seconds[REPEATS_MAX], total = 0;
    const struct bench_device *device = bench->device;
    device->time(bench->queue, trial->body, trial->argument, 1); /* warm up */
    double once = device->time(bench->queue, trial->body, trial->argument, 1);
    int least = bench->quick ? REPEATS_QUICK : REPEATS_LEAST, count = 0;
    int runs = bench->quick ? 1 : once > 0 ? (int)fmin(RUNS_MAX, fmax(1, 2e-4 / once)) : RUNS_MAX;
    double enough = bench->quick ? 0 : 0.25;
    while (count < least || (total < enough && count < REPEATS_MAX)) {
        seconds[count] = device->time(bench->queue, trial->body, trial->argument, runs);
        total += seconds[count++] * runs;
        if (total > 8 * enough + 0.5 && count >= REPEATS_QUICK) /* fewer repeats of a slow variant */
            break;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare_double);
    *median = seconds[count / 2];
    *spread = (seconds[count * 9 / 10] - seconds[count / 10]) / seconds[count / 2];
}

static void add_times(struct bench *bench, const struct measurement *trial, struct bench_row *row,
                      double seconds, double spread)
{
    struct bench_report *report = &bench->report;
    bench_figure(row, "us", 1e6 * seconds);
    if (report->baseline == 0)
        report->baseline = seconds;
    if (report->baseline > 0)
        bench_figure(row, "speed-up", report->baseline / seconds);
    if (trial->bytes > 0) {
        bench_figure(row, "GB/s", 1e-9 * trial->bytes / seconds);
        if (bench->copy > 0)
            bench_figure(row, "of copy", trial->bytes / seconds / bench->copy);
    }
    if (trial->flops > 0)
        bench_figure(row, "GFLOP/s", 1e-9 * trial->flops / seconds);
    bench_figure(row, "spread", spread);
}

struct bench_row *bench_verdict(struct bench *bench, const char *variant, bool right, bool expect_wrong,
                                double error_found, struct error *error)
{
    bool as_hoped = right != (expect_wrong || bench->inject);
    bench->right += as_hoped;
    bench->wrong += !as_hoped;
    const char *verdict = as_hoped ? (right ? "ok" : "caught") : right ? "MISSED" : "WRONG";
    struct bench_row *row = bench_add_row(bench, variant, verdict);
    if (!row)
        error_memory(error, "the results", sizeof *row);
    bench_figure(row, "error", error_found);
    return row;
}

/* Validates the variant, times it if correct, and adds a row. */
static enum status try_variant(struct bench *bench, const struct measurement *trial, double *seconds,
                               struct error *error)
{
    double found = NAN, median = NAN, spread = NAN;
    bool right = false;
    if (seconds)
        *seconds = NAN;
    TRY(validate_variant(bench, trial, &found, &right, error));
    struct bench_row *row = bench_verdict(bench, trial->variant, right, trial->expect_wrong, found, error);
    if (!row)
        return STATUS_RUN;
    if (!right || bench->inject)
        return STATUS_OK;
    time_variant(bench, trial, &median, &spread);
    TRY(bench->queue->backend->wait(bench->queue, error));
    int sweeps = trial->sweeps ? trial->sweeps : 1;
    add_times(bench, trial, row, median / sweeps, spread);
    if (seconds)
        *seconds = median / sweeps;
    return STATUS_OK;
}

enum status bench_trial(struct bench *bench, const struct measurement *trial, double *seconds,
                        struct error *error)
{
    const int64_t pieces = bench->pieces;
    double begin = clock_seconds();
    enum status status = try_variant(bench, trial, seconds, error);
    bench_release(bench, pieces);
    if (bench->progress)
        fprintf(stderr, "%8.2f s (%.2f s)  %s %s: %s\n", clock_seconds() - bench->begun,
                clock_seconds() - begin, bench->report.bench, bench->report.title, trial->variant);
    return status;
}

void bench_blank(struct bench *bench, const char *variant, const char *why)
{
    struct bench_row *row = bench_add_row(bench, variant, "-");
    if (row)
        snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1, why);
}

enum status bench_blank_input(struct bench *bench, const char *variant, enum status status,
                              struct error *error)
{
    if (status != STATUS_INPUT)
        return status;
    bench_blank(bench, variant, error ? error->text : "too much padding");
    if (error)
        memset(error, 0, sizeof *error);
    return STATUS_OK;
}
