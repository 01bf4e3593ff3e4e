/* columns.h: a table of numbers in a text file: column names, then one row per line, separated by commas or
 * blanks between. */
#ifndef CARDIAC_APP_UTIL_COLUMNS_H
#define CARDIAC_APP_UTIL_COLUMNS_H

#include "app/util/text_file.h"

enum { COLUMNS_MOST = 1000 };

struct columns {
    struct text_file text;
    char (*name)[64]; /* [count] */
    int count;
};

/* Opens the file and reads the names. STATUS_INPUT with file:line:column when they are none. To be closed in
 * any case. */
enum status columns_open(struct columns *columns, const char *path, struct error *error);
void columns_close(struct columns *columns);

/* row[count] <- the next one, finite numbers all; STATUS_INPUT if there is none of `rows` rows, or it is of
 * other numbers. columns_end: STATUS_INPUT if there is one more. */
enum status columns_row(struct columns *columns, int64_t rows, double *row, struct error *error);
enum status columns_end(struct columns *columns, int64_t rows, struct error *error);

#endif
