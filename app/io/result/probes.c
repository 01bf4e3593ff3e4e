/* probes.c: nearest nodes, and the CSV file (RFC 4180 quoting). */
#include "app/io/result/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/util/own_file.h"
#include "app/util/scan.h"
#include "app/util/text_media.h"

/* The longest edge of the elements at a node. */
static double longest_edge(const struct mesh *mesh, int64_t node)
{
    const int corners = mesh->dimension + 1;
    double longest = 0;
    for (int64_t k = 0; k < mesh->elements * corners; k++)
        if (mesh->vertex[k] == node)
            longest = fmax(longest, mesh_longest_edge(mesh, k / corners));
    return longest;
}

enum status probes_locate(struct probe *probe, int probes, const struct mesh *mesh, struct error *error)
{
    for (int p = 0; p < probes; p++) {
        probe[p].node = mesh_nearest_node(&probe[p].distance, mesh, probe[p].point);
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
    double last; /* ms, time of the last row */
};

static void put_header(FILE *out, const struct table_column *column, int columns)
{
    fputs("time (ms)", out);
    for (int c = 0; c < columns; c++) {
        fputc(',', out);
        text_media_cell(out, column[c].name, strcmp(column[c].unit, "1") != 0 ? column[c].unit : NULL);
    }
    fputc('\n', out);
}

static void put_number(FILE *out, double value)
{
    char text[40];
    scan_value_text(text, value);
    fputs(text, out);
}

static enum status write_error(struct probes *probes, struct error *error)
{
    return error_system(error, STATUS_RUN, errno, "%s", probes->path);
}

enum status probes_create(struct probes **out, const char *path, const struct table_column *column,
                          int columns, struct error *error)
{
    struct probes *probes = calloc(1, sizeof *probes);
    *out = NULL;
    if (!probes || !(probes->path = strdup(path))) {
        free(probes);
        return error_memory(error, "the probes", sizeof *probes);
    }
    probes->columns = columns;
    probes->last = -INFINITY;
    enum status status = own_file_stream(&probes->out, path, O_WRONLY | O_CREAT | O_TRUNC, "w", error);
    if (status) {
        probes_close(probes, NULL);
        return status;
    }
    *out = probes;
    put_header(probes->out, column, columns);
    return fflush(probes->out) ? write_error(probes, error) : STATUS_OK;
}

enum status probes_row(struct probes *probes, double time, const double *value, struct error *error)
{
    if (!(time > probes->last))
        return STATUS_OK;
    probes->last = time;
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
