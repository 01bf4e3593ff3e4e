/* study_table.h: the CSV table of a study: a row appended as soon as it is there, and the rows of earlier
 * calls.
 *
 * Each row is on the disk when a call returns. One that a killed program left without its end is cut off. */
#ifndef CARDIAC_APP_STUDY_STUDY_TABLE_H
#define CARDIAC_APP_STUDY_STUDY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/util/csv.h"

struct study_table {
    char *path;
    int file;        /* -1 = not open */
    struct csv rows; /* of earlier calls */
};

/* Ends the messages of a table that belongs to another study */
extern const char study_table_elsewhere[];

/* DIR/table.csv, or of part 1 .. parts DIR/table-3-of-64.csv. Errors: STATUS_RUN without memory. */
enum status study_table_name(struct study_table *table, const char *directory, int part, int parts,
                             struct error *error);
/* Open it in its directory, which is made, lock it, and read its rows; overwrite: it has none. names: the
 * line of its columns. Errors: STATUS_INPUT where it has other columns or is in use; STATUS_RUN. */
enum status study_table_open(struct study_table *table, const char *directory, bool overwrite,
                             const char *names, struct error *error);
/* A file of the run in row k of earlier calls is there. made: "run 12ab is done", why it should be. Errors:
 * STATUS_INPUT. */
enum status study_table_check_file(const struct study_table *table, int64_t k, const char *path,
                                   const char *made, struct error *error);
/* Append a line. Errors: STATUS_RUN. */
enum status study_table_append(struct study_table *table, const char *line, struct error *error);
void study_table_free(struct study_table *table);

/* "3/64" -> part and parts; text NULL = neither changes. Errors: STATUS_INPUT. */
enum status study_table_part(int *part, int *parts, const char *text, struct error *error);

#endif
