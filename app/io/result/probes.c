/* probes.c: nearest nodes, and the CSV file (RFC 4180 quoting). */
#include "app/io/result/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/util/plain_file.h"
#include "app/util/scan.h"
#include "app/util/text_media.h"
#include "kernels/base/array.h"

static void find_nearest(struct probe *probe, const struct mesh *mesh)
{
    probe->node = 0;
    probe->distance = INFINITY;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double d = mesh_distance(probe->point, mesh->point + 3 * i);
        if (d < probe->distance) {
            probe->distance = d;
            probe->node = i;
        }
    }
}

/* The longest edge of the elements at a node. */
static double longest_edge(const struct mesh *mesh, int64_t node)
{
    int corners = mesh->dimension + 1;
    double longest = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        int here = 0;
        for (int a = 0; a < corners; a++)
            here |= vertex[a] == node;
        for (int a = 0; a < corners && here; a++)
            for (int b = 0; b < a; b++)
                longest = fmax(longest, mesh_distance(mesh->point + 3 * (int64_t)vertex[a],
                                                      mesh->point + 3 * (int64_t)vertex[b]));
    }
    return longest;
}

enum status probes_locate(struct probe *probe, int probes, const struct mesh *mesh, struct error *error)
{
    for (int p = 0; p < probes; p++) {
        find_nearest(&probe[p], mesh);
        double edge = longest_edge(mesh, probe[p].node);
        const double *at = mesh->point + 3 * probe[p].node;
        if (!(probe[p].distance <= edge))
            return error_set(error, STATUS_INPUT,
                             "probe %s is outside the mesh: the nearest node, at (%g, %g, %g) mm, is %g mm "
                             "away; edges there are up to %g mm long",
                             probe[p].name, at[0], at[1], at[2], probe[p].distance, edge);
    }
    return STATUS_OK;
}

struct probes {
    FILE *out;
    char *path;
    int columns;
    int64_t rows;
    double last; /* ms, time of the last row; NAN = there is none */
};

/* unit = NULL: as earlier versions wrote it */
static void put_header(FILE *out, const char *const *column, const char *const *unit, int columns)
{
    fputs(unit ? "time (ms)" : "time_ms", out);
    for (int c = 0; c < columns; c++) {
        fputc(',', out);
        text_media_cell(out, column[c], unit && strcmp(unit[c], "1") != 0 ? unit[c] : NULL);
    }
    fputc('\n', out);
}

static void put_number(FILE *out, double value)
{
    char text[40];
    scan_value_text(text, value);
    fputs(text, out);
}

/* Times apart by no more than what 15 digits lose */
static bool is_after(double time, double other)
{
    return time - other > 1e-14 * time;
}

static enum status write_error(struct probes *probes, struct error *error)
{
    return error_set(error, STATUS_RUN, "%s: %s", probes->path, strerror(errno));
}

static enum status open_file(struct probes **out, const char *path, int columns, int flags,
                             struct error *error)
{
    struct probes *probes = calloc(1, sizeof *probes);
    *out = NULL;
    if (!probes || !(probes->path = strdup(path))) {
        free(probes);
        return error_memory(error, "the probes", sizeof *probes);
    }
    probes->columns = columns;
    probes->last = NAN;
    enum status status = plain_file_stream(&probes->out, path, flags, flags & O_CREAT ? "w" : "r+", error);
    if (status) {
        int reason = errno;
        probes_close(probes, NULL);
        errno = reason;
        return status;
    }
    *out = probes;
    return STATUS_OK;
}

enum status probes_create(struct probes **out, const char *path, const char *const *column,
                          const char *const *unit, int columns, bool overwrite, struct error *error)
{
    enum status status =
        open_file(out, path, columns, O_WRONLY | O_CREAT | (overwrite ? O_TRUNC : O_EXCL), error);
    if (status && !overwrite && errno == EEXIST)
        return error_set(error, STATUS_INPUT,
                         "%s exists: use --overwrite to replace it or --resume to continue it", path);
    TRY(status);
    put_header((*out)->out, column, unit, columns);
    return fflush((*out)->out) ? write_error(*out, error) : STATUS_OK;
}

static bool is_header(const char *line, const char *const *column, const char *const *unit, int columns)
{
    char *want = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&want, &size);
    if (!memory)
        return false;
    put_header(memory, column, unit, columns);
    fclose(memory);
    bool same = want && strcmp(line, want) == 0;
    free(want);
    return same;
}

static bool same_header(FILE *in, const char *const *column, const char *const *unit, int columns)
{
    char *line = NULL;
    size_t room = 0;
    bool same = getline(&line, &room, in) > 0 &&
                (is_header(line, column, unit, columns) || is_header(line, column, NULL, columns));
    free(line);
    return same;
}

/* Where the first row begins that is later than `time`, is no number or has no end; *rows and *last <- how
 * many are before it, and the time of the last. */
static long first_later(FILE *in, double time, int64_t *rows, double *last)
{
    char *line = NULL;
    size_t room = 0;
    long at = ftell(in);
    for (ssize_t length; (length = getline(&line, &room, in)) > 0; at = ftell(in)) {
        char *end;
        double t = strtod(line, &end);
        if (line[length - 1] != '\n' || end == line || *end != ',' || isnan(t) || is_after(t, time))
            break;
        *last = t;
        ++*rows;
    }
    free(line);
    return at;
}

enum status probes_resume(struct probes **out, const char *path, const char *const *column,
                          const char *const *unit, int columns, double time, struct error *error)
{
    struct stat info;
    if (stat(path, &info) && errno == ENOENT)
        return probes_create(out, path, column, unit, columns, false, error);
    TRY(open_file(out, path, columns, O_RDWR, error));
    struct probes *probes = *out;
    enum status status = STATUS_OK;
    if (!same_header(probes->out, column, unit, columns))
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: its columns are not those of this run's probes", path));
    long end = first_later(probes->out, time, &probes->rows, &probes->last);
    if (fflush(probes->out) || ftruncate(fileno(probes->out), end) || fseek(probes->out, end, SEEK_SET))
        status = write_error(probes, error);
done:
    if (status) {
        probes_close(probes, NULL);
        *out = NULL;
    }
    return status;
}

enum status probes_retained(const char *path, double time, int64_t *rows, double *last, struct error *error)
{
    FILE *in;
    *rows = 0;
    TRY(plain_file_stream(&in, path, O_RDONLY, "r", error));
    for (int c = 0; c != EOF && c != '\n';)
        c = fgetc(in);
    first_later(in, time, rows, last);
    fclose(in);
    return STATUS_OK;
}

enum status probes_read(const char *path, int columns, double **value, int64_t *rows, struct error *error)
{
    char *line = NULL;
    size_t length = 0;
    int64_t room = 0;
    FILE *in;
    enum status status = STATUS_OK;
    *value = NULL;
    *rows = 0;
    TRY(plain_file_stream(&in, path, O_RDONLY, "r", error));
    for (bool head = true; getline(&line, &length, in) > 0; head = false) {
        char *at = line;
        if (head)
            continue;
        TRY_DONE(array_grow((void **)value, &room, (*rows + 1) * (1 + columns), sizeof **value, path, error));
        for (int c = 0; c <= columns; c++) {
            char *end;
            (*value)[*rows * (1 + columns) + c] = strtod(at, &end);
            at = end + (*end == ',');
        }
        ++*rows;
    }
done:
    free(line);
    fclose(in);
    return status;
}

int64_t probes_rows(const struct probes *probes)
{
    return probes->rows;
}

enum status probes_row(struct probes *probes, double time, const double *value, struct error *error)
{
    if (probes->rows && !is_after(time, probes->last))
        return STATUS_OK;
    probes->last = time;
    probes->rows++;
    fprintf(probes->out, "%.15g", time);
    for (int c = 0; c < probes->columns; c++) {
        fputc(',', probes->out);
        put_number(probes->out, value[c]);
    }
    fputc('\n', probes->out);
    return fflush(probes->out) ? write_error(probes, error) : STATUS_OK;
}

enum status probes_sync(struct probes *probes, struct error *error)
{
    return fsync(fileno(probes->out)) ? write_error(probes, error) : STATUS_OK;
}

enum status probes_close(struct probes *probes, struct error *error)
{
    enum status status = STATUS_OK;
    if (!probes)
        return status;
    if (probes->out && fclose(probes->out))
        status = write_error(probes, error);
    free(probes->path);
    free(probes);
    return status;
}
