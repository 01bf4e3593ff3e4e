/* csv.h: tables of texts separated by commas (RFC 4180): a line of names, then a row a line.
 *
 * A cell in double quotes may contain commas, and quotes written twice, but no line break. */
#ifndef CARDIAC_APP_UTIL_CSV_H
#define CARDIAC_APP_UTIL_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "app/util/text_file.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"

struct csv_cell {
    const char *text; /* without surrounding blanks; "" for an empty cell */
    int line, column; /* from 1, of its first character */
};

struct csv {
    const char *path;      /* not owned */
    struct csv_cell *cell; /* [1 + rows][columns], the names first */
    int columns;
    int64_t rows;
    struct arena memory;
};

/* Reads the table, plain or gzipped; blank lines are skipped. Errors: STATUS_INPUT with file:line:column if it is not a
 * table, a name is missing or appears twice, or a row has more or fewer cells than there are names. Free *csv even
 * then. */
enum status csv_read(struct csv *csv, const char *path, struct error *error);
void csv_free(struct csv *csv);

/* The cell of row `row`, from 0; -1 = the names */
const struct csv_cell *csv_at(const struct csv *csv, int64_t row, int column);
/* The column of that name, -1 = none */
int csv_column(const struct csv *csv, const char *name);

/* Writes the text as a cell, on one line. */
void csv_put(FILE *file, const char *text);
/* Writes a comma and the number with 12 digits; for NaN the comma only. */
void csv_put_number(FILE *file, double value);

/* A table of numbers in a text file: column names, then one row per line, separated by commas or blanks. */

enum { COLUMNS_MOST = 1000 };

struct columns {
    struct text_file text;
    char (*name)[64]; /* [count] */
    int count;
};

/* Opens the file and reads the names. Errors: STATUS_INPUT with file:line:column if these are not names. Close *columns
 * even then. */
enum status columns_open(struct columns *columns, const char *path, struct inputs *inputs,
                         struct error *error);
void columns_close(struct columns *columns);

/* columns_row: row[count] <- the next row of finite numbers; STATUS_INPUT if the file has fewer than `rows` rows or the
 * row other cells. columns_end: STATUS_INPUT if there is another row. */
enum status columns_row(struct columns *columns, int64_t rows, double *row, struct error *error);
enum status columns_end(struct columns *columns, int64_t rows, struct error *error);

#endif
