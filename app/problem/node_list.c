/* node_list.c: node numbers in a text file, with or without openCARP's header, and times of nodes. */
#include "app/problem/node_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/meshio/format.h"
#include "app/meshio/text_write.h"
#include "app/util/path.h"
#include "app/util/text_file.h"
#include "kernels/base/array.h"
#include "solver/mesh/nearest.h"

static const char what[] = "the points of a stimulus";

static enum status read_node(struct text_file *text, int64_t nodes, int64_t *node, struct error *error)
{
    TRY(text_integer(text, node, "a node number", error));
    if (*node < 0 || *node >= nodes)
        return text_error(text, error, "node %lld does not exist; the mesh has nodes 0 to %lld",
                          (long long)*node, (long long)nodes - 1);
    return STATUS_OK;
}

/* Reads the header of a .vtx file, a count and a domain word; both are only checked. */
static enum status read_vtx_head(struct text_file *text, int64_t *count, char word[16], struct error *error)
{
    TRY(text_need(text, "the number of nodes", error));
    TRY(text_integer(text, count, "the number of nodes", error));
    TRY(text_need(text, "the domain (intra or extra)", error));
    text_word(text, word, 16);
    if (strcmp(word, "intra") != 0 && strcmp(word, "extra") != 0)
        return text_error(text, error, "'%s' is not a domain; a .vtx file has intra or extra here", word);
    return STATUS_OK;
}

static enum status check_announced(const char *path, int64_t announced, int64_t found, struct error *error)
{
    return found == announced
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: the file announces %lld nodes and lists %lld", path,
                           (long long)announced, (long long)found);
}

static bool has_head(const char *path)
{
    return path_ends_in(path, ".vtx") || path_ends_in(path, ".vtx.gz");
}

enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct inputs *inputs,
                           struct error *error)
{
    struct text_file text = {0};
    char domain[16];
    bool vtx = has_head(path), more = true;
    int64_t announced = -1, found = 0, node;
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&text, path, inputs, error));
    if (vtx)
        TRY_DONE(read_vtx_head(&text, &announced, domain, error));
    TRY_DONE(text_content(&text, &more, error));
    while (more) {
        for (; text_has_word(&text); found++) {
            TRY_DONE(read_node(&text, nodes, &node, error));
            chosen[node] = 1;
        }
        TRY_DONE(text_content(&text, &more, error));
    }
    if (vtx)
        status = check_announced(path, announced, found, error);
done:
    text_close(&text);
    return status;
}

enum status node_list_write(const char *out, bool gzipped, const char *like, const uint8_t *chosen,
                            int64_t nodes, bool overwrite, struct error *error)
{
    struct text_writer writer;
    struct text_file text = {0};
    char domain[16], path[4200];
    int64_t count = 0;
    enum status status = STATUS_OK;
    snprintf(path, sizeof path, "%s%s", out, gzipped ? ".gz" : "");
    if (!overwrite && access(path, F_OK) == 0)
        return error_set(error, STATUS_INPUT, "%s exists; --overwrite replaces it", path);
    if (has_head(like)) {
        TRY_DONE(text_open(&text, like, NULL, error));
        TRY_DONE(read_vtx_head(&text, &count, domain, error));
    }
    count = 0;
    for (int64_t i = 0; i < nodes; i++)
        count += chosen[i];
    TRY_DONE(text_writer_open(&writer, out, "", gzipped, error));
    if (has_head(like))
        text_writer_print(&writer, "%" PRId64 "\n%s\n", count, domain);
    for (int64_t i = 0; i < nodes; i++)
        if (chosen[i])
            text_writer_print(&writer, "%" PRId64 "\n", i);
    status = text_writer_close(&writer, error);
done:
    text_close(&text);
    return status;
}

/* Search for the nearest node of a point; created when a line first has a point */
struct snapping {
    int32_t *node; /* [nodes] 0, 1 ...: the items of the search tree */
    double *edge;  /* [nodes] longest edge at each node, mm */
    struct nearest nearest;
};

static void measure_edges(const struct mesh *mesh, double *edge)
{
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++)
                edge[vertex[a]] = fmax(edge[vertex[a]], mesh_distance(mesh->point + 3 * (int64_t)vertex[a],
                                                                      mesh->point + 3 * (int64_t)vertex[b]));
    }
}

static enum status snapping_create(struct snapping *snapping, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    snapping->node = array_new(mesh->nodes, sizeof *snapping->node, what, &status, error);
    snapping->edge = array_zeroed(mesh->nodes, sizeof *snapping->edge, what, &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < mesh->nodes; i++)
        snapping->node[i] = (int32_t)i;
    measure_edges(mesh, snapping->edge);
    return nearest_create(&snapping->nearest, mesh->point, snapping->node, 1, mesh->nodes, error);
}

static void snapping_free(struct snapping *snapping)
{
    free(snapping->node);
    free(snapping->edge);
    nearest_free(&snapping->nearest);
}

/* *node <- the node nearest to the point on the line */
static enum status read_point(struct text_file *text, struct snapping *snapping, const struct mesh *mesh,
                              int64_t *node, struct error *error)
{
    static const struct length_unit mm = {0, 1};
    double point[3], away;
    for (int d = 0; d < 3; d++)
        TRY(text_length(text, mm, &point[d], "a coordinate in mm", error));
    if (!snapping->node)
        TRY(snapping_create(snapping, mesh, error));
    *node = nearest_find(&snapping->nearest, point, -1, &away);
    const double *at = mesh->point + 3 * *node;
    if (!(away <= snapping->edge[*node]))
        return text_error(text, error,
                          "this position is outside the mesh: the nearest node, at (%g, %g, %g) mm, is %g mm "
                          "away; edges there are up to %g mm long",
                          at[0], at[1], at[2], away, snapping->edge[*node]);
    return STATUS_OK;
}

static int count_words(struct text_file text)
{
    char word[2];
    int words = 0;
    for (; text_has_word(&text); words++)
        text_word(&text, word, sizeof word);
    return words;
}

static enum status read_time(struct text_file *text, struct snapping *snapping, const struct mesh *mesh,
                             uint8_t *chosen, double *time, struct error *error)
{
    int64_t node = 0;
    double at = 0;
    bool point = count_words(*text) > 2;
    TRY(point ? read_point(text, snapping, mesh, &node, error) : read_node(text, mesh->nodes, &node, error));
    TRY(text_number(text, 0, &at, "a time in ms", error));
    TRY(text_end_of_line(text, error));
    if (!isfinite(at))
        return text_error(text, error, "the time is not finite");
    if (chosen[node] && !point)
        return text_error(text, error, "node %lld already has a time", (long long)node);
    time[node] = chosen[node] ? fmin(time[node], at) : at;
    chosen[node] = 1;
    return STATUS_OK;
}

enum status node_list_read_times(const char *path, const struct mesh *mesh, uint8_t *chosen, double *time,
                                 struct inputs *inputs, struct error *error)
{
    struct text_file text = {0};
    struct snapping snapping = {0};
    bool more = true;
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&text, path, inputs, error));
    TRY_DONE(text_content(&text, &more, error));
    while (more) {
        TRY_DONE(read_time(&text, &snapping, mesh, chosen, time, error));
        TRY_DONE(text_content(&text, &more, error));
    }
done:
    snapping_free(&snapping);
    text_close(&text);
    return status;
}

enum status node_list_read_values(const char *path, int64_t most, double *value, int64_t *count,
                                  struct inputs *inputs, struct error *error)
{
    struct text_file text = {0};
    char domain[16];
    const bool numbered = path_ends_in(path, ".adj") || path_ends_in(path, ".adj.gz");
    bool more = true;
    int64_t announced = 0, at;
    enum status status;
    *count = 0;
    if (path_ends_in(path, ".igb"))
        return error_set(error, STATUS_INPUT, "%s: is not text; " FORMAT_OF_IGB, path);
    for (int64_t i = 0; i < most; i++)
        value[i] = NAN;
    TRY_DONE(text_open(&text, path, inputs, error));
    if (numbered)
        TRY_DONE(read_vtx_head(&text, &announced, domain, error));
    TRY_DONE(text_content(&text, &more, error));
    for (; more && *count < most; (*count)++) {
        at = *count;
        if (numbered)
            TRY_DONE(read_node(&text, most, &at, error));
        if (!isnan(value[at]))
            TRY_DONE(text_error(&text, error, "node %lld already has a value", (long long)at));
        TRY_DONE(text_number(&text, 0, &value[at], "a number", error));
        TRY_DONE(text_end_of_line(&text, error));
        if (!isfinite(value[at]))
            TRY_DONE(text_error(&text, error, "the number is not finite"));
        TRY_DONE(text_content(&text, &more, error));
    }
    if (more)
        status = error_set(error, STATUS_INPUT, "%s: holds more than %lld numbers", path, (long long)most);
    else if (numbered)
        status = check_announced(path, announced, *count, error);
done:
    text_close(&text);
    return status;
}
