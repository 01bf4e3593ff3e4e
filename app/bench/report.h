/* report.h: results as plain tables, or as JSON: one object a row, with the same figures. */
#ifndef CARDIAC_APP_BENCH_REPORT_H
#define CARDIAC_APP_BENCH_REPORT_H

#include <stdbool.h>

#include "app/util/json.h"

enum { REPORT_FIGURES = 16 };

struct bench_row {
    char variant[80];
    char verdict[16]; /* "ok", "WRONG", "caught", "-" */
    char note[160];
    struct {
        const char *name; /* "us", "GB/s": also the key in JSON */
        double value;     /* NaN = blank */
    } figure[REPORT_FIGURES];
    int figures;
};

struct bench_report {
    bool json, open;
    struct json out;
    char bench[16], matrix[80], title[120];
    struct bench_row *row; /* of the section */
    int rows, room;
    double baseline; /* seconds of the section's first timed variant; 0 = none yet */
};

/* {"program": ..., "device": ..., "rows": [ */
void report_begin(struct bench_report *report, const char *device, int threads);
void report_end(struct bench_report *report);

/* Begins a section, and ends the one before, which prints its table. */
void report_section(struct bench_report *report, const char *bench, const char *matrix, const char *title);
void report_close_section(struct bench_report *report);

/* A new row of the section; NULL without memory. Valid until the next. */
struct bench_row *report_row(struct bench_report *report, const char *variant, const char *verdict);
void report_figure(struct bench_row *row, const char *name, double value);
/* That figure of the row, NaN where it has none */
double report_value(const struct bench_row *row, const char *name);

#endif
