/* matrix_market.c: entries as they come, then sorted into rows. Memory follows what is read, not what the
 * header claims. */
#include "app/bench/matrix_market.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/util/text_file.h"

enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct reader {
    struct text_file text;
    bool pattern, integer;
    enum symmetry symmetry;
    int64_t rows, columns, claimed;
    int32_t *row, *column; /* [entries] from 0, mirrored ones included */
    double *value;
    int64_t entries, room;
};

static enum status read_banner(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    char word[5][24];
    bool more;
    enum status status = text_line(text, &more, error);
    if (status)
        return status;
    for (int k = 0; k < 5; k++)
        text_word(text, word[k], sizeof word[k]);
    text->cursor = text->start ? text->start : text->cursor;
    if (!more || strcmp(word[0], "%%MatrixMarket") != 0 || strcasecmp(word[1], "matrix") != 0)
        return text_error(text, error,
                          "not a Matrix Market file: it must begin with '%%%%MatrixMarket matrix'");
    if (strcasecmp(word[2], "coordinate") != 0)
        return text_error(text, error, "a matrix in '%s' format; only 'coordinate' (sparse) is read",
                          word[2]);
    reader->pattern = strcasecmp(word[3], "pattern") == 0;
    reader->integer = strcasecmp(word[3], "integer") == 0;
    if (!reader->pattern && !reader->integer && strcasecmp(word[3], "real") != 0)
        return text_error(text, error, "entries are '%s'; only real, integer and pattern are read", word[3]);
    if (strcasecmp(word[4], "symmetric") == 0)
        reader->symmetry = SYMMETRIC;
    else if (strcasecmp(word[4], "skew-symmetric") == 0)
        reader->symmetry = SKEW;
    else if (strcasecmp(word[4], "general") != 0)
        return text_error(text, error,
                          "the symmetry is '%s'; only general, symmetric and skew-symmetric are read",
                          word[4]);
    if (reader->symmetry == SKEW && reader->pattern)
        return text_error(text, error, "a pattern cannot be skew-symmetric");
    return STATUS_OK;
}

/* The next line that is neither blank nor a comment */
static enum status next_line(struct text_file *text, const char *what, struct error *error)
{
    bool more;
    do {
        enum status status = text_line(text, &more, error);
        if (status)
            return status;
        if (!more)
            return text_error(text, error, "the file ends before %s", what);
    } while (!text_has_word(text) || *text->cursor == '%');
    return STATUS_OK;
}

static enum status read_size(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    TRY(next_line(text, "the line of sizes", error));
    TRY(text_integer_within(text, &reader->rows, 1, INT32_MAX - 1, "the number of rows", error));
    TRY(text_integer_within(text, &reader->columns, 1, INT32_MAX - 1, "the number of columns", error));
    TRY(text_integer_within(text, &reader->claimed, 0, INT32_MAX - 1, "the number of entries", error));
    TRY(text_end_of_line(text, error));
    if (reader->symmetry != GENERAL && reader->rows != reader->columns)
        return text_error(text, error, "a symmetric matrix of %lld rows and %lld columns",
                          (long long)reader->rows, (long long)reader->columns);
    if (reader->claimed > text_capacity(text, reader->pattern ? 4 : 6))
        return text_error(text, error, "the header declares %lld entries, more than the file can hold",
                          (long long)reader->claimed);
    /* Empty rows take memory too: a short file may not ask for much of it. */
    if (reader->rows > 4 * reader->claimed + (1 << 20))
        return text_error(text, error, "%lld rows with %lld entries: nearly all rows would be empty",
                          (long long)reader->rows, (long long)reader->claimed);
    return STATUS_OK;
}

static enum status add_entry(struct reader *reader, int64_t i, int64_t j, double value, struct error *error)
{
    if (reader->entries == reader->room) {
        int64_t room = reader->room + reader->room / 2 + 1024;
        int32_t *row = realloc(reader->row, (size_t)room * sizeof *row);
        reader->row = row ? row : reader->row;
        int32_t *column = realloc(reader->column, (size_t)room * sizeof *column);
        reader->column = column ? column : reader->column;
        double *values = realloc(reader->value, (size_t)room * sizeof *values);
        reader->value = values ? values : reader->value;
        if (!row || !column || !values)
            return error_memory(error, "the matrix", 16.0 * (double)room);
        reader->room = room;
    }
    if (reader->entries == INT32_MAX - 1)
        return text_error(&reader->text, error, "more than %d entries", INT32_MAX - 1);
    reader->row[reader->entries] = (int32_t)i;
    reader->column[reader->entries] = (int32_t)j;
    reader->value[reader->entries++] = value;
    return STATUS_OK;
}

static enum status read_entry(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    int64_t i, j;
    double value = 1;
    TRY(next_line(text, "its last entry", error));
    TRY(text_integer_within(text, &i, 1, reader->rows, "the row", error));
    TRY(text_integer_within(text, &j, 1, reader->columns, "the column", error));
    if (!reader->pattern)
        TRY(text_number(text, 0, &value, "the value", error));
    TRY(text_end_of_line(text, error));
    if (!isfinite(value))
        return text_error(text, error, "the value is not finite");
    if (reader->symmetry != GENERAL && j > i)
        return text_error(text, error, "entry (%lld, %lld) lies above the diagonal of a symmetric matrix",
                          (long long)i, (long long)j);
    if (reader->symmetry == SKEW && i == j)
        return text_error(text, error, "a diagonal entry in a skew-symmetric matrix");
    TRY(add_entry(reader, i - 1, j - 1, value, error));
    if (reader->symmetry != GENERAL && i != j)
        TRY(add_entry(reader, j - 1, i - 1, reader->symmetry == SKEW ? -value : value, error));
    return STATUS_OK;
}

static enum status read_entries(struct reader *reader, struct error *error)
{
    struct text_file *text = &reader->text;
    bool more = true;
    for (int64_t k = 0; k < reader->claimed; k++)
        TRY(read_entry(reader, error));
    while (more) {
        TRY(text_line(text, &more, error));
        if (more && text_has_word(text) && *text->cursor != '%')
            return text_error(text, error, "the header declares %lld entries, but more follow",
                              (long long)reader->claimed);
    }
    return STATUS_OK;
}

/* Sorts entries by column, then stably by row: two counting sorts. target[] <- number of the k-th entry. */
static void sort_by(const int32_t *key, int64_t keys, int64_t entries, const int32_t *from, int32_t *target,
                    int32_t *begin)
{
    memset(begin, 0, ((size_t)keys + 1) * sizeof *begin);
    for (int64_t k = 0; k < entries; k++)
        begin[key[k] + 1]++;
    for (int64_t i = 0; i < keys; i++)
        begin[i + 1] += begin[i];
    for (int64_t k = 0; k < entries; k++) {
        int32_t entry = from ? from[k] : (int32_t)k;
        target[begin[key[entry]]++] = entry;
    }
}

/* market <- the sorted entries, equal places added up */
static void fill_rows(struct csr *market, const struct reader *reader, const int32_t *order)
{
    int64_t count = 0, row = -1;
    for (int64_t k = 0; k < reader->entries; k++) {
        int32_t entry = order[k];
        bool same = row == reader->row[entry] && market->column[count - 1] == reader->column[entry];
        if (same) {
            market->value[count - 1] += reader->value[entry];
            continue;
        }
        while (row < reader->row[entry])
            market->start[++row] = count;
        market->column[count] = reader->column[entry];
        market->value[count++] = reader->value[entry];
    }
    while (row < reader->rows)
        market->start[++row] = count;
}

static enum status sort_entries(struct csr *market, const struct reader *reader, struct error *error)
{
    size_t entries = (size_t)reader->entries + 1;
    int64_t keys = reader->rows > reader->columns ? reader->rows : reader->columns;
    int32_t *first = malloc(entries * sizeof *first), *second = malloc(entries * sizeof *second);
    int32_t *begin = malloc(((size_t)keys + 2) * sizeof *begin);
    enum status status = STATUS_OK;
    market->rows = reader->rows;
    market->columns = reader->columns;
    market->start = malloc(((size_t)reader->rows + 1) * sizeof *market->start);
    market->column = malloc(entries * sizeof *market->column);
    market->value = malloc(entries * sizeof *market->value);
    if (first && second && begin && market->start && market->column && market->value) {
        sort_by(reader->column, reader->columns, reader->entries, NULL, first, begin);
        sort_by(reader->row, reader->rows, reader->entries, first, second, begin);
        fill_rows(market, reader, second);
    } else {
        status = error_memory(error, "the matrix", 24.0 * (double)entries);
    }
    free(first);
    free(second);
    free(begin);
    return status;
}

enum status matrix_market_read(struct csr *market, const char *path, struct error *error)
{
    struct reader reader = {0};
    enum status status;
    memset(market, 0, sizeof *market);
    TRY_DONE(text_open(&reader.text, path, error));
    TRY_DONE(read_banner(&reader, error));
    TRY_DONE(read_size(&reader, error));
    TRY_DONE(read_entries(&reader, error));
    status = sort_entries(market, &reader, error);
done:
    text_close(&reader.text);
    free(reader.row);
    free(reader.column);
    free(reader.value);
    if (status)
        csr_free(market);
    return status;
}
