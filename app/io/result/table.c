/* table.c: the arrays of a table, created, continued, extended and read. */
#include "app/io/result/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* "/probes/times" and so on */
struct array_path {
    char text[64];
};

static struct array_path path_of(const struct table *table, const char *name)
{
    struct array_path at;
    snprintf(at.text, sizeof at.text, "%s/%s", table->group, name);
    return at;
}

/* Fixed-length texts as one array: the columns' names or units */
static enum status put_texts(const struct table *table, struct h5_file *file, const char *name,
                             const struct table_column *column, bool unit, struct error *error)
{
    enum { LENGTH = 96 };
    enum status status = STATUS_OK;
    char(*text)[LENGTH] = array_zeroed(table->columns, LENGTH, name, &status, error);
    if (status)
        return status;
    for (int i = 0; i < table->columns; i++)
        snprintf(text[i], LENGTH, "%s", unit ? column[i].unit : column[i].name);
    hsize_t dim = (hsize_t)table->columns;
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, LENGTH);
    H5Tset_cset(type, H5T_CSET_UTF8);
    status = h5_put(file, path_of(table, name).text, type, 1, &dim, text, NULL, 0, error);
    H5Tclose(type);
    free(text);
    return status;
}

enum status table_create(struct table *table, struct h5_file *file, const struct table_column *column,
                         struct error *error)
{
    const struct array_path times = path_of(table, "times"), values = path_of(table, "values");
    if (!table->columns)
        return STATUS_OK;
    TRY(put_texts(table, file, "names", column, false, error));
    TRY(put_texts(table, file, "units", column, true, error));
    TRY(h5_put_growing(file, times.text, H5T_NATIVE_DOUBLE, 64, 0, error));
    TRY(h5_set_text(file, times.text, "unit", "ms", error));
    TRY(h5_put_growing(file, values.text, H5T_NATIVE_DOUBLE, 64, (hsize_t)table->columns, error));
    table->time = H5Dopen2(file->id, times.text, H5P_DEFAULT);
    table->value = H5Dopen2(file->id, values.text, H5P_DEFAULT);
    if (table->time < 0 || table->value < 0)
        return h5_error(file, STATUS_RUN, error, "cannot open %s", table->group);
    return STATUS_OK;
}

enum status table_put_nodes(const struct table *table, struct h5_file *file,
                            const struct table_column *column, struct error *error)
{
    const struct array_path points = path_of(table, "points"), nodes = path_of(table, "nodes");
    const int count = table->columns;
    const hsize_t dim[2] = {(hsize_t)count, 3};
    enum status status = STATUS_OK;
    if (!count)
        return STATUS_OK;
    double *point = array_new(3 * (int64_t)count, sizeof *point, "the probes", &status, error);
    int64_t *node = array_new(count, sizeof *node, "the probes", &status, error);
    TRY_DONE(status);
    for (int i = 0; i < count; i++) {
        memcpy(point + 3 * i, column[i].point, sizeof column[i].point);
        node[i] = column[i].node;
    }
    TRY_DONE(h5_put(file, points.text, H5T_NATIVE_DOUBLE, 2, dim, point, NULL, 0, error));
    TRY_DONE(h5_set_text(file, points.text, "unit", "mm", error));
    TRY_DONE(h5_put(file, nodes.text, H5T_NATIVE_INT64, 1, dim, node, NULL, 0, error));
done:
    free(point);
    free(node);
    return status;
}

enum status table_check_nodes(const struct table *table, struct h5_file *file,
                              const struct table_column *column, struct error *error)
{
    const struct array_path nodes = path_of(table, "nodes");
    struct h5_array array = {.id = -1};
    enum status status = STATUS_OK;
    if (!table->columns)
        return STATUS_OK;
    int64_t *node = array_new(table->columns, sizeof *node, "the probes", &status, error);
    TRY_DONE(status);
    TRY_DONE(h5_array_open(&array, file, nodes.text, false, 1, error));
    if (array.values != table->columns)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: the result has %lld columns of probes, this run has %d",
                           file->path, (long long)array.values, table->columns));
    TRY_DONE(h5_array_read(&array, file, nodes.text, H5T_NATIVE_INT64, node, error));
    for (int p = 0; p < table->columns; p++)
        if (node[p] != column[p].node)
            TRY_DONE(error_set(error, STATUS_INPUT,
                               "%s: probe %.80s reads node %lld there and %lld in this run", file->path,
                               column[p].name, (long long)node[p], (long long)column[p].node));
done:
    h5_array_close(&array);
    free(node);
    return status;
}

enum status table_open(struct table *table, struct h5_file *file, double time, struct error *error)
{
    const struct array_path of_times = path_of(table, "times"), of_values = path_of(table, "values");
    struct h5_array times = {.id = -1}, values = {.id = -1};
    if (!table->columns)
        return STATUS_OK;
    double *at = NULL;
    enum status status;
    TRY_DONE(h5_array_open(&times, file, of_times.text, true, 1, error));
    TRY_DONE(h5_array_open(&values, file, of_values.text, true, 2, error));
    if (values.dim[1] != (hsize_t)table->columns)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: the result has %lld columns of %s, this run has %d",
                           file->path, (long long)values.dim[1], table->group + 1, table->columns));
    int64_t rows = (int64_t)values.dim[0] < times.values ? (int64_t)values.dim[0] : times.values;
    at = array_new(rows, sizeof *at, "the times of a table", &status, error);
    if (!at)
        goto done;
    TRY_DONE(h5_array_slice(&times, file, of_times.text, H5T_NATIVE_DOUBLE, 0, rows, at, error));
    while (table->rows < rows && at[table->rows] <= time)
        table->last = at[table->rows++];
done:
    free(at);
    table->time = times.id;
    table->value = values.id;
    return status;
}

enum status table_cut(const struct table *table, struct h5_file *file, struct error *error)
{
    if (!table->columns)
        return STATUS_OK;
    TRY(h5_set_rows(file, table->time, table->rows, 0, error));
    return h5_set_rows(file, table->value, table->rows, table->columns, error);
}

enum status table_append(struct table *table, struct h5_file *file, double time, const double *value,
                         struct error *error)
{
    assert(table->columns > 0 && (table->rows == 0 || time >= table->last));
    if (table->rows > 0 && time == table->last)
        return STATUS_OK;
    TRY(h5_set_row(file, table->value, table->rows, table->columns, value, error));
    TRY(h5_set_row(file, table->time, table->rows, 0, &time, error));
    table->rows++;
    table->last = time;
    return STATUS_OK;
}

enum status table_read(struct table_rows *rows, struct h5_file *file, const char *group, struct error *error)
{
    const struct table table = {.group = group};
    const struct array_path of_times = path_of(&table, "times"), of_values = path_of(&table, "values");
    struct h5_array times = {.id = -1}, values = {.id = -1};
    *rows = (struct table_rows){0};
    if (!h5_exists(file, group))
        return STATUS_OK;
    enum status status;
    TRY_DONE(h5_array_open(&times, file, of_times.text, true, 1, error));
    TRY_DONE(h5_array_open(&values, file, of_values.text, true, 2, error));
    rows->time = array_new(times.values, sizeof *rows->time, "a table", &status, error);
    rows->value = array_new(values.values, sizeof *rows->value, "a table", &status, error);
    if (status)
        goto done;
    TRY_DONE(h5_array_read(&times, file, of_times.text, H5T_NATIVE_DOUBLE, rows->time, error));
    TRY_DONE(h5_array_read(&values, file, of_values.text, H5T_NATIVE_DOUBLE, rows->value, error));
    rows->rows = times.values < (int64_t)values.dim[0] ? times.values : (int64_t)values.dim[0];
    rows->columns = (int64_t)values.dim[1];
done:
    if (status)
        table_rows_free(rows);
    h5_array_close(&times);
    h5_array_close(&values);
    return status;
}

void table_rows_free(struct table_rows *rows)
{
    free(rows->time);
    free(rows->value);
    *rows = (struct table_rows){0};
}
