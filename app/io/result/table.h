/* table.h: a table in a result: a group with the names and units of columns, times and values. */
#ifndef CARDIAC_APP_IO_RESULT_TABLE_H
#define CARDIAC_APP_IO_RESULT_TABLE_H

#include "app/io/store/h5.h"

/* A column */
struct table_column {
    const char *name, *unit;
    double point[3]; /* mm, as in the config */
    int64_t node;    /* nearest to it */
};

struct table {
    const char *group; /* "/probes" */
    int columns;       /* 0 = there is no such table */
    int64_t rows;
    double last;       /* ms, time of the last row */
    hid_t time, value; /* closed with the file */
};

/* Creates a group without rows. Errors: STATUS_RUN. */
enum status table_create(struct table *table, struct h5_file *file, const struct table_column *column,
                         struct error *error);
/* Writes /probes/points, the requested positions of the columns, and /probes/nodes. Errors: STATUS_RUN. */
enum status table_put_nodes(const struct table *table, struct h5_file *file,
                            const struct table_column *column, struct error *error);
/* STATUS_INPUT unless an earlier run's columns read the same nodes */
enum status table_check_nodes(const struct table *table, struct h5_file *file,
                              const struct table_column *column, struct error *error);
/* Opens an earlier run's table; keeps rows up to `time` ms. Errors: STATUS_INPUT if it has other columns. */
enum status table_open(struct table *table, struct h5_file *file, double time, struct error *error);
/* Removes later rows. */
enum status table_cut(const struct table *table, struct h5_file *file, struct error *error);
/* Appends value[columns] at `time` ms, not before the last row; ignored at its time. */
enum status table_append(struct table *table, struct h5_file *file, double time, const double *value,
                         struct error *error);

struct table_rows {
    int64_t rows, columns; /* 0 = no table */
    double *time;          /* [rows] ms */
    double *value;         /* [rows][columns] */
};

/* Errors: STATUS_INPUT. */
enum status table_read(struct table_rows *rows, struct h5_file *file, const char *group, struct error *error);
void table_rows_free(struct table_rows *rows);

#endif
