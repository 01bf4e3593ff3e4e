/* induction_table.c: write and read the rows, and sum up those of a site. */
#include "app/study/induction_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/study/study_table.h"
#include "app/util/json.h"
#include "app/util/text_media.h"

static const char *const outcomes[] = {
    [INDUCTION_NO_CAPTURE] = "no capture",       [INDUCTION_QUIET] = "quiet",
    [INDUCTION_NON_SUSTAINED] = "non-sustained", [INDUCTION_SUSTAINED] = "sustained",
    [INDUCTION_ACTIVE] = "active after S1",      [INDUCTION_FAILED] = "failed"};

enum { BEFORE = 9, NUMBERS = 7 }; /* columns before the numbers, and these */
static const char *const names[] = {"id",
                                    "site",
                                    "x (mm)",
                                    "y (mm)",
                                    "z (mm)",
                                    "protocol",
                                    "intervals (ms)",
                                    "captured",
                                    "outcome",
                                    "duration (ms)",
                                    "cycle_length (ms)",
                                    "last_activation (ms)",
                                    "earliest_x (mm)",
                                    "earliest_y (mm)",
                                    "earliest_z (mm)",
                                    "time (ms)",
                                    "message"};

enum { COLUMNS = sizeof names / sizeof *names };

/* The numbers of a row, in the order of their columns */
static void list_numbers(double *number[NUMBERS], struct induction_row *row)
{
    double *const all[NUMBERS] = {&row->duration,    &row->cycle,       &row->last, &row->earliest[0],
                                  &row->earliest[1], &row->earliest[2], &row->time};
    memcpy(number, all, sizeof all);
}

void induction_table_intervals(char *text, size_t room, const double *interval, int intervals)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < intervals && used < room; k++)
        used += (size_t)snprintf(text + used, room - used, k ? " %.12g" : "%.12g", interval[k]);
}

void induction_table_names(FILE *file)
{
    for (int c = 0; c < COLUMNS; c++)
        fprintf(file, c ? ",%s" : "%s", names[c]);
    fputc('\n', file);
}

void induction_table_write(FILE *file, const struct induction_heading *heading,
                           const struct induction_row *row)
{
    const struct induction_site *site = &heading->sites->site[row->site];
    struct induction_row copy = *row;
    double *number[NUMBERS];
    char intervals[30 * INDUCTION_EXTRA];
    list_numbers(number, &copy);
    induction_table_intervals(intervals, sizeof intervals, row->interval, row->intervals);
    fprintf(file, "%s,", heading->id);
    text_media_cell(file, site->name, NULL);
    fprintf(file, ",%.12g,%.12g,%.12g,%s,%s,%d,%s", site->point[0], site->point[1], site->point[2],
            heading->protocol, intervals, row->captured, outcomes[row->outcome]);
    for (int k = 0; k < NUMBERS; k++)
        fprintf(file, isfinite(*number[k]) ? ",%.12g" : ",", *number[k]);
    fputc(',', file);
    csv_put(file, row->message);
    fputc('\n', file);
}

static enum status refuse(const struct csv *table, int64_t k, int column, struct error *error)
{
    const struct csv_cell *cell = csv_at(table, k, column);
    return error_at(error, STATUS_INPUT, table->path, cell->line, cell->column,
                    "%s '%.40s' is none of this study's, whose config or files have changed; %s",
                    names[column], cell->text, study_table_elsewhere);
}

/* Whether the cell is what text_media_cell makes of the name */
static bool is_named(const char *cell, const char *name)
{
    bool guarded = *name && strchr("=+-@", *name); /* as no formula of a spreadsheet */
    return strcmp(cell + (guarded && *cell == '\''), name) == 0;
}

enum status induction_table_read(struct induction_row *row, const struct csv *table, int64_t k,
                                 const struct induction_heading *heading, struct error *error)
{
    double *number[NUMBERS];
    int outcome = 0;
    char *end;
    *row = (struct induction_row){0};
    list_numbers(number, row);
    if (strcmp(csv_at(table, k, 0)->text, heading->id) != 0)
        return refuse(table, k, 0, error);
    while (row->site < heading->sites->sites &&
           !is_named(csv_at(table, k, 1)->text, heading->sites->site[row->site].name))
        row->site++;
    if (row->site == heading->sites->sites)
        return refuse(table, k, 1, error);
    for (const char *at = csv_at(table, k, 6)->text; *at && row->intervals < INDUCTION_EXTRA; at = end) {
        row->interval[row->intervals++] = strtod(at, &end);
        if (end == at)
            return refuse(table, k, 6, error);
    }
    row->captured = (int)strtol(csv_at(table, k, 7)->text, NULL, 10);
    while (outcome < INDUCTION_OUTCOMES && strcmp(csv_at(table, k, 8)->text, outcomes[outcome]) != 0)
        outcome++;
    if (outcome == INDUCTION_OUTCOMES)
        return refuse(table, k, 8, error);
    row->outcome = (enum induction_outcome)outcome;
    for (int c = 0; c < NUMBERS; c++) {
        const char *text = csv_at(table, k, BEFORE + c)->text;
        *number[c] = *text ? strtod(text, NULL) : (double)NAN;
    }
    snprintf(row->message, sizeof row->message, "%s", csv_at(table, k, COLUMNS - 1)->text);
    return STATUS_OK;
}

static void put_point(struct json *json, const char *key, const double *point)
{
    json_open(json, key, '[');
    for (int c = 0; c < 3; c++)
        json_number(json, NULL, point[c]);
    json_close(json);
}

static void put_intervals(struct json *json, const char *key, const struct induction_row *row)
{
    json_open(json, key, '[');
    for (int k = 0; row && k < row->intervals; k++)
        json_number(json, NULL, row->interval[k]);
    json_close(json);
}

void induction_table_json(const struct induction_row *row, const struct induction_heading *heading)
{
    struct json json = json_line(stdout);
    json_open(&json, NULL, '{');
    json_text(&json, "site", heading->sites->site[row->site].name);
    put_intervals(&json, "intervals", row);
    json_integer(&json, "captured", row->captured);
    json_text(&json, "outcome", outcomes[row->outcome]);
    json_number(&json, "duration", row->duration);
    json_number(&json, "cycle_length", row->cycle);
    json_number(&json, "last_activation", row->last);
    put_point(&json, "earliest", row->earliest);
    json_number(&json, "time", row->time);
    json_text(&json, "message", row->message[0] ? row->message : NULL);
    json_close(&json);
}

struct induction_result induction_table_result(const struct induction_row *row, int64_t rows, int site)
{
    struct induction_result result = {.shortest = NAN};
    for (; rows > 0; row++, rows--) {
        if (row->site != site)
            continue;
        result.branches++;
        result.failed += row->outcome == INDUCTION_FAILED;
        result.induced += row->outcome == INDUCTION_SUSTAINED;
        result.tested |= row->intervals > 0 && row->outcome != INDUCTION_FAILED;
        if (row->outcome != INDUCTION_FAILED && (!result.first || row->outcome > result.worst)) {
            result.worst = row->outcome;
            result.first = row;
        }
        if (row->intervals == 1 && row->captured == 1 && row->outcome != INDUCTION_FAILED &&
            !(row->interval[0] >= result.shortest))
            result.shortest = row->interval[0];
    }
    return result;
}

void induction_table_summary(const struct induction_result *result, const struct induction_site *site)
{
    const struct induction_row *first = result->first;
    char intervals[30 * INDUCTION_EXTRA] = "";
    printf("site ");
    text_media_put(stdout, TEXT_TERMINAL, site->name);
    printf(": %s", first ? outcomes[result->worst] : "failed");
    if (first)
        induction_table_intervals(intervals, sizeof intervals, first->interval, first->intervals);
    if (*intervals && result->worst >= INDUCTION_NON_SUSTAINED)
        printf(" after %s ms, cycle length %.4g ms", intervals, first->cycle);
    if (result->shortest > 0)
        printf("; S2 captures from %.4g ms", result->shortest);
    printf("; %lld branch%s, %lld sustained", (long long)result->branches, result->branches == 1 ? "" : "es",
           (long long)result->induced);
    printf(result->failed > 0 ? ", %lld failed\n" : "\n", (long long)result->failed);
}

void induction_table_summary_json(const struct induction_result *result, const struct induction_site *site)
{
    struct json json = json_line(stdout);
    json_open(&json, NULL, '{');
    json_text(&json, "site", site->name);
    put_point(&json, "point", site->point);
    json_integer(&json, "branches", result->branches);
    json_integer(&json, "failed", result->failed);
    json_integer(&json, "sustained", result->induced);
    json_text(&json, "outcome", result->first ? outcomes[result->worst] : NULL);
    put_intervals(&json, "intervals", result->first);
    json_number(&json, "shortest_capture", result->shortest);
    json_number(&json, "cycle_length", result->first ? result->first->cycle : (double)NAN);
    json_close(&json);
}
