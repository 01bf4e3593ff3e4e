/* study_table.c: open, check and lock the table, and write its lines to the disk. */
#include "app/study/study_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run/setup.h"
#include "app/util/plain_file.h"
#include "kernels/base/printed.h"

const char study_table_elsewhere[] = "--overwrite starts again, --output chooses another place";

enum status study_table_name(struct study_table *table, const char *directory, int part, int parts,
                             struct error *error)
{
    int length = parts > 0 ? asprintf(&table->path, "%s/table-%d-of-%d.csv", directory, part, parts)
                           : asprintf(&table->path, "%s/table.csv", directory);
    if (length < 0)
        table->path = NULL;
    return table->path ? STATUS_OK : error_memory(error, "a path", 1);
}

static enum status refuse_names(const struct study_table *table, struct error *error)
{
    return error_at(error, STATUS_INPUT, table->path, 1, 1,
                    "the table of another study, with other columns; %s", study_table_elsewhere);
}

/* Whether the file begins with these names, or ends within them */
static bool begins_with(int file, const char *names)
{
    size_t length = strlen(names);
    char *start = malloc(length);
    ssize_t got = start ? pread(file, start, length, 0) : -1;
    bool equal = got >= 0 && memcmp(start, names, (size_t)got) == 0;
    free(start);
    return equal;
}

/* A line without an end is of a program that was killed: its run is made again. */
static enum status cut_torn_line(const struct study_table *table, const char *names, int64_t *size,
                                 struct error *error)
{
    char byte = '\n';
    struct stat info;
    if (fstat(table->file, &info))
        return error_set(error, STATUS_RUN, "%s: %s", table->path, strerror(errno));
    *size = info.st_size;
    while (*size > 0 && pread(table->file, &byte, 1, *size - 1) == 1 && byte != '\n')
        --*size;
    if (*size < info.st_size && !begins_with(table->file, names))
        return refuse_names(table, error);
    if (*size < info.st_size && ftruncate(table->file, *size))
        return error_set(error, STATUS_RUN, "%s: %s", table->path, strerror(errno));
    return STATUS_OK;
}

/* The columns of the rows that are there are `names`. */
static enum status check_names(const struct study_table *table, const char *names, struct error *error)
{
    struct printed found;
    TRY(printed_open(&found, error));
    for (int c = 0; c < table->rows.columns; c++) {
        fputs(c ? "," : "", found.file);
        csv_put(found.file, csv_at(&table->rows, -1, c)->text);
    }
    fputc('\n', found.file);
    TRY(printed_close(&found, error));
    enum status status = strcmp(names, found.text) == 0 ? STATUS_OK : refuse_names(table, error);
    free(found.text);
    return status;
}

enum status study_table_open(struct study_table *table, const char *directory, bool overwrite,
                             const char *names, struct error *error)
{
    int64_t size = 0;
    TRY(setup_make_directory(directory, error));
    TRY(plain_file_open(&table->file, table->path, O_RDWR | O_CREAT | O_APPEND, error));
    if (flock(table->file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return error_set(error, STATUS_INPUT, "%s: another study is writing there", table->path);
    if (overwrite && ftruncate(table->file, 0))
        return error_set(error, STATUS_RUN, "%s: %s", table->path, strerror(errno));
    TRY(cut_torn_line(table, names, &size, error));
    if (size == 0)
        return study_table_append(table, names, error);
    TRY(csv_read(&table->rows, table->path, error));
    return check_names(table, names, error);
}

enum status study_table_check_file(const struct study_table *table, int64_t k, const char *path,
                                   const char *made, struct error *error)
{
    const struct csv_cell *cell = csv_at(&table->rows, k, 0);
    return access(path, F_OK) == 0
               ? STATUS_OK
               : error_at(error, STATUS_INPUT, table->path, cell->line, cell->column,
                          "%s is missing: %s was made without --results; delete its line to repeat it, or %s",
                          path, made, study_table_elsewhere);
}

enum status study_table_append(struct study_table *table, const char *line, struct error *error)
{
    size_t length = strlen(line);
    for (size_t done = 0; done < length;) {
        ssize_t written = write(table->file, line + done, length - done);
        if (written < 0 && errno != EINTR)
            return error_set(error, STATUS_RUN, "%s: %s", table->path, strerror(errno));
        done += written > 0 ? (size_t)written : 0;
    }
    return fsync(table->file) ? error_set(error, STATUS_RUN, "%s: %s", table->path, strerror(errno))
                              : STATUS_OK;
}

void study_table_free(struct study_table *table)
{
    if (table->file >= 0)
        close(table->file);
    csv_free(&table->rows);
    free(table->path);
    *table = (struct study_table){.file = -1};
}

enum status study_table_part(int *part, int *parts, const char *text, struct error *error)
{
    char rest;
    if (!text || (sscanf(text, "%d/%d%c", part, parts, &rest) == 2 && *part >= 1 && *part <= *parts))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "--part: '%.40s' is not a part such as 3/64, from 1/64 on", text);
}
