/* delays.c: a line's words tell nodes from places. */
#include "app/problem/delays.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "app/problem/node_list.h"
#include "app/util/text_file.h"
#include "kernels/base/array.h"
#include "solver/mesh/nearest.h"

static const char what[] = "the places of a stimulus";

/* Made once a line has a place */
struct snapping {
    int32_t *node; /* [nodes] 0, 1 ...: the tree's items */
    double *edge;  /* [nodes] mm, the longest at each */
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

/* *node <- the nearest to the place that the line names */
static enum status read_place(struct text_file *text, struct snapping *snapping, const struct mesh *mesh,
                              int64_t *node, struct error *error)
{
    static const struct length_unit mm = {0, 1};
    double place[3], away;
    enum status status = STATUS_OK;
    for (int d = 0; d < 3; d++)
        AND(text_length(text, mm, &place[d], "a coordinate in mm", error));
    if (!status && !snapping->node)
        status = snapping_create(snapping, mesh, error);
    if (status)
        return status;
    *node = nearest_find(&snapping->nearest, place, -1, &away);
    const double *at = mesh->point + 3 * *node;
    if (!(away <= snapping->edge[*node]))
        return text_error(text, error,
                          "this place lies outside the mesh: the nearest node, at (%g, %g, %g) mm, is %g mm "
                          "away; edges there have up to %g mm",
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

static enum status read_line(struct text_file *text, struct snapping *snapping, const struct mesh *mesh,
                             uint8_t *chosen, double *time, struct error *error)
{
    int64_t node = 0;
    double at = 0;
    bool place = count_words(*text) > 2;
    enum status status = place ? read_place(text, snapping, mesh, &node, error)
                               : node_list_number(text, mesh->nodes, &node, error);
    AND(text_number(text, 0, &at, "a time in ms", error));
    AND(text_end_of_line(text, error));
    if (!status && !isfinite(at))
        status = text_error(text, error, "the time is not finite");
    if (!status && chosen[node] && !place)
        status = text_error(text, error, "node %lld has a time already", (long long)node);
    if (!status) {
        time[node] = chosen[node] ? fmin(time[node], at) : at;
        chosen[node] = 1;
    }
    return status;
}

enum status delays_read(const char *path, const struct mesh *mesh, uint8_t *chosen, double *time,
                        struct error *error)
{
    struct text_file text = {0};
    struct snapping snapping = {0};
    bool more = true;
    enum status status = text_open(&text, path, error);
    AND(text_content(&text, &more, error));
    while (!status && more) {
        status = read_line(&text, &snapping, mesh, chosen, time, error);
        AND(text_content(&text, &more, error));
    }
    snapping_free(&snapping);
    text_close(&text);
    return status;
}
