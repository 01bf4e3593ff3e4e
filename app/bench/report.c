/* report.c: tables and JSON. */
#include "app/bench/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/version.h"

enum { COLUMNS_MAX = 32 };

void report_begin(struct bench_report *report, const char *device, int threads)
{
    if (!report->json) {
        printf("%s on %s", version_text(), device);
        if (threads)
            printf(", %d threads", threads);
        putchar('\n');
        return;
    }
    report->out = json_line(stdout);
    json_open(&report->out, NULL, '{');
    json_text(&report->out, "program", version_text());
    json_text(&report->out, "device", device);
    json_integer(&report->out, "threads", threads);
    json_open(&report->out, "rows", '[');
}

void report_end(struct bench_report *report)
{
    report_close_section(report);
    if (report->json) {
        json_close(&report->out);
        json_close(&report->out);
    }
    free(report->row);
    report->row = NULL;
    report->room = 0;
}

void report_section(struct bench_report *report, const char *bench, const char *matrix, const char *title)
{
    report_close_section(report);
    snprintf(report->bench, sizeof report->bench, "%s", bench);
    snprintf(report->matrix, sizeof report->matrix, "%s", matrix);
    snprintf(report->title, sizeof report->title, "%s", title);
    report->open = true;
    report->rows = 0;
    report->baseline = 0;
}

/* Names of the section's figures in the order of their first appearance */
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

double report_value(const struct bench_row *row, const char *name)
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
            double value = report_value(&report->row[r], name[c]);
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

void report_close_section(struct bench_report *report)
{
    if (!report->open)
        return;
    report->open = false;
    if (report->json)
        for (int r = 0; r < report->rows; r++)
            print_object(report, &report->row[r]);
    else if (report->rows)
        print_table(report);
    fflush(stdout); /* what is measured is kept if the next section is not */
}

struct bench_row *report_row(struct bench_report *report, const char *variant, const char *verdict)
{
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

void report_figure(struct bench_row *row, const char *name, double value)
{
    if (!row || row->figures == REPORT_FIGURES)
        return;
    row->figure[row->figures].name = name;
    row->figure[row->figures++].value = value;
}
