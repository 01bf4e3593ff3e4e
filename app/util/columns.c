/* columns.c: lines split at commas and blanks. */
#include "app/util/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = ", \t\r";
static const double SENSE = 1e100; /* sums and products of such numbers stay finite */

/* The next name of the line, which is moved behind it; its length, 0 at the end */
static size_t next_name(const char **line)
{
    *line += strspn(*line, between);
    return strcspn(*line, between);
}

enum status columns_open(struct columns *columns, const char *path, struct error *error)
{
    *columns = (struct columns){0};
    TRY(text_open(&columns->text, path, error));
    TRY(text_need(&columns->text, "a line of names", error));
    const char *line = columns->text.cursor;
    for (size_t length; (length = next_name(&line)) > 0; line += length) {
        char *end;
        if (columns->count == COLUMNS_MOST)
            return text_error(&columns->text, error, "more than %d columns", COLUMNS_MOST);
        void *larger = realloc(columns->name, ((size_t)columns->count + 1) * sizeof *columns->name);
        if (!larger)
            return error_memory(error, "a table", 64);
        columns->name = larger;
        strtod(line, &end);
        if (length >= sizeof *columns->name || end == line + length || memchr(line, '"', length))
            return text_error(&columns->text, error, "'%.*s' is not a column name",
                              (int)(length < 80 ? length : 80), line);
        memcpy(columns->name[columns->count], line, length);
        columns->name[columns->count++][length] = 0;
        for (int k = 0; k < columns->count - 1; k++)
            if (strcmp(columns->name[k], columns->name[columns->count - 1]) == 0)
                return text_error(&columns->text, error, "column '%s' appears twice", columns->name[k]);
    }
    return columns->count ? STATUS_OK : text_error(&columns->text, error, "no column names");
}

void columns_close(struct columns *columns)
{
    text_close(&columns->text);
    free(columns->name);
    *columns = (struct columns){0};
}

enum status columns_row(struct columns *columns, int64_t rows, double *row, struct error *error)
{
    bool more;
    TRY(text_content(&columns->text, &more, error));
    if (!more)
        return error_set(error, STATUS_INPUT, "%s: fewer than %lld rows, one for each node",
                         columns->text.path, (long long)rows);
    const char *line = columns->text.cursor + strspn(columns->text.cursor, between);
    for (int k = 0; k < columns->count; k++) {
        char *end;
        row[k] = strtod(line, &end);
        if (end == line || (*end && !strchr(between, *end)) || !isfinite(row[k]))
            return text_error(&columns->text, error, "expected %d numbers, one for each column",
                              columns->count);
        if (!(fabs(row[k]) <= SENSE))
            return text_error(&columns->text, error, "%g is out of range (at most %g)", row[k], SENSE);
        line = end + strspn(end, between);
    }
    return *line ? text_error(&columns->text, error, "more than %d numbers", columns->count) : STATUS_OK;
}

enum status columns_end(struct columns *columns, int64_t rows, struct error *error)
{
    bool more;
    enum status status = text_content(&columns->text, &more, error);
    return status || !more
               ? status
               : text_error(&columns->text, error, "more than %lld rows, one for each node", (long long)rows);
}
