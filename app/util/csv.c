/* csv.c: split lines into cells, and write cells. */
#include "app/util/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/text_file.h"
#include "app/util/text_media.h"
#include "kernels/base/array.h"

/* The state of reading a table */
struct reading {
    struct csv *csv;
    struct text_file text;
    int64_t cells, room;
};

/* text[] <- the cell at *at; advances *at to the comma after it or to the end of the line. Returns whether its quotes
 * are closed. */
static bool cut_cell(const char **at, char *text)
{
    const char *from = *at + strspn(*at, " \t");
    bool quoted = *from == '"';
    size_t length = 0;
    from += quoted;
    while (*from && (quoted || *from != ',')) {
        if (quoted && from[0] == '"' && from[1] != '"')
            break;
        from += quoted && *from == '"';
        text[length++] = *from++;
    }
    while (!quoted && length > 0 && strchr(" \t\r", text[length - 1]))
        length--;
    text[length] = 0;
    bool closed = !quoted || *from == '"';
    from += quoted && closed;
    *at = from + strspn(from, quoted ? " \t\r" : "");
    return closed;
}

static enum status add_cell(struct reading *reading, const char *text, int column, struct error *error)
{
    struct csv *csv = reading->csv;
    TRY(array_grow((void **)&csv->cell, &reading->room, reading->cells, sizeof *csv->cell, "a table", error));
    char *copy = arena_text(&csv->memory, text, strlen(text));
    csv->cell[reading->cells++] = (struct csv_cell){copy, reading->text.line, column};
    return copy ? STATUS_OK : error_memory(error, "a table", (double)strlen(text));
}

/* Appends the cells of the current line; *count <- their number */
static enum status read_cells(struct reading *reading, char *text, int *count, struct error *error)
{
    struct text_file *file = &reading->text;
    const char *at = file->cursor;
    for (*count = 0;; at++) {
        int column = (int)(at + strspn(at, " \t") - file->start) + 1;
        if (!cut_cell(&at, text) || (*at && *at != ','))
            return error_at(
                error, STATUS_INPUT, file->path, file->line, column,
                "a cell that begins with a double quote ends with one, before a comma or the end of "
                "the line");
        if (!text_is_utf8(text))
            return error_at(error, STATUS_INPUT, file->path, file->line, column, "not UTF-8 text");
        bool quoted = file->start[column - 1] == '"';
        TRY(add_cell(reading, text, column + quoted, error));
        if (++*count > COLUMNS_MOST)
            return error_at(error, STATUS_INPUT, file->path, file->line, column, "more than %d columns",
                            COLUMNS_MOST);
        if (!*at)
            return STATUS_OK;
    }
}

static enum status check_names(const struct csv *csv, struct error *error)
{
    const char *const other = csv->columns == 1 ? strpbrk(csv->cell->text, ";\t") : NULL;
    if (other)
        return error_at(error, STATUS_INPUT, csv->path, csv->cell->line,
                        csv->cell->column + (int)(other - csv->cell->text),
                        "columns are separated by commas, and decimals follow a point; this line has %s",
                        *other == ';' ? "';'" : "tabs");
    for (int c = 0; c < csv->columns; c++) {
        const struct csv_cell *name = &csv->cell[c];
        if (!*name->text)
            return error_at(error, STATUS_INPUT, csv->path, name->line, name->column, "column %d has no name",
                            c + 1);
        for (int k = 0; k < c; k++)
            if (strcmp(name->text, csv->cell[k].text) == 0)
                return error_at(error, STATUS_INPUT, csv->path, name->line, name->column,
                                "column '%.80s' appears twice", name->text);
    }
    return STATUS_OK;
}

static enum status read_line(struct reading *reading, struct error *error)
{
    struct csv *csv = reading->csv;
    struct text_file *file = &reading->text;
    size_t room = strlen(file->cursor) + 1;
    int count = 0;
    if (file->cursor[strspn(file->cursor, " \t\r")] == 0)
        return STATUS_OK;
    char *text = malloc(room);
    enum status status =
        text ? read_cells(reading, text, &count, error) : error_memory(error, "a table", (double)room);
    free(text);
    TRY(status);
    if (csv->columns == 0) {
        csv->columns = count;
        return check_names(csv, error);
    }
    csv->rows++;
    if (count != csv->columns)
        return error_at(error, STATUS_INPUT, csv->path, file->line, 1,
                        "%d cells, but there are %d names in the first line", count, csv->columns);
    return STATUS_OK;
}

enum status csv_read(struct csv *csv, const char *path, struct error *error)
{
    struct reading reading = {.csv = csv};
    bool more = true;
    enum status status;
    *csv = (struct csv){.path = path};
    TRY_DONE(text_open(&reading.text, path, NULL, error));
    TRY_DONE(text_line(&reading.text, &more, error));
    while (more) {
        TRY_DONE(read_line(&reading, error));
        TRY_DONE(text_line(&reading.text, &more, error));
    }
    status = csv->columns ? STATUS_OK
                          : error_at(error, STATUS_INPUT, path, 1, 1, "expected a line of column names");
done:
    text_close(&reading.text);
    return status;
}

void csv_free(struct csv *csv)
{
    free(csv->cell);
    arena_free(&csv->memory);
    *csv = (struct csv){0};
}

const struct csv_cell *csv_at(const struct csv *csv, int64_t row, int column)
{
    return &csv->cell[(row + 1) * csv->columns + column];
}

int csv_column(const struct csv *csv, const char *name)
{
    for (int c = 0; c < csv->columns; c++)
        if (strcmp(csv->cell[c].text, name) == 0)
            return c;
    return -1;
}

void csv_put(FILE *file, const char *text)
{
    char *line = strdup(text);
    for (char *at = line; at && *at; at++) /* an error's text may have several lines */
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    text_media_cell(file, line ? line : "", NULL);
    free(line);
}

static const char between[] = ", \t\r";
static const double SENSE = 1e100; /* sums and products of such numbers stay finite */

/* Advances *line to the next name; returns the name's length, 0 at the end */
static size_t next_name(const char **line)
{
    *line += strspn(*line, between);
    return strcspn(*line, between);
}

enum status columns_open(struct columns *columns, const char *path, struct inputs *inputs,
                         struct error *error)
{
    int64_t room = 0;
    *columns = (struct columns){0};
    TRY(text_open(&columns->text, path, inputs, error));
    TRY(text_need(&columns->text, "a line of names", error));
    const char *line = columns->text.cursor;
    for (size_t length; (length = next_name(&line)) > 0; line += length) {
        char *end;
        if (columns->count == COLUMNS_MOST)
            return text_error(&columns->text, error, "more than %d columns", COLUMNS_MOST);
        TRY(array_grow((void **)&columns->name, &room, columns->count, sizeof *columns->name, "a table",
                       error));
        if (memchr(line, ';', length))
            return text_error(&columns->text, error, "columns are separated by commas or blanks, not by ';'");
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

void csv_put_number(FILE *file, double value)
{
    fputc(',', file);
    if (!isnan(value))
        fprintf(file, "%.12g", value);
}
