/* network.c: finds the ends of lines and the tissue around them, then appends all to the mesh. */
#include "solver/mesh/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/nearest.h"

static const char what[] = "a network";

/* What is appended to the mesh */
struct joining {
    const struct mesh *mesh;
    const struct network *network;
    struct network_report *report;
    int32_t *of_node; /* [nodes of lines] their number in the joined mesh */
    int32_t *link;    /* [links][2] node of lines, node of the mesh */
    int64_t links, room, nodes;
    struct nearest tissue;
    int32_t *item; /* [] nodes of the mesh's elements of the highest dimension, ascending */
    int32_t *near; /* [near_room] items around an end */
    int64_t near_room;
};

static void joining_free(struct joining *joining)
{
    nearest_free(&joining->tissue);
    free(joining->of_node);
    free(joining->link);
    free(joining->item);
    free(joining->near);
}

/* The nodes that an end may be joined to: those of elements of the highest dimension */
static enum status find_tissue(struct joining *joining, struct error *error)
{
    const struct mesh *mesh = joining->mesh;
    const int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    int64_t items = 0;
    uint8_t *has = array_zeroed(mesh->nodes, sizeof *has, what, &status, error);
    joining->item = array_new(mesh->nodes, sizeof *joining->item, what, &status, error);
    for (int64_t e = 0; !status && e < mesh->elements; e++)
        for (int c = 0; mesh_corners(mesh, e) == corners && c < corners; c++)
            has[mesh->vertex[e * corners + c]] = 1;
    for (int64_t i = 0; !status && i < mesh->nodes; i++)
        if (has[i])
            joining->item[items++] = (int32_t)i;
    free(has);
    return status ? status : nearest_create(&joining->tissue, mesh->point, joining->item, 1, items, error);
}

/* Fails if there are so many links that the radius must have a wrong unit, as every end would be joined to
 * all tissue */
static enum status check_links(const struct joining *joining, struct error *error)
{
    const int64_t most = 1000 + 10 * (joining->mesh->elements + joining->network->lines.elements);
    return joining->links <= most
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "more than %lld resistors, ten times the elements, are within a radius of %.6g mm "
                           "of the ends: use a smaller one",
                           (long long)most, joining->network->radius);
}

static enum status add_link(struct joining *joining, int64_t end, int64_t node, struct error *error)
{
    TRY(check_links(joining, error));
    TRY(array_grow((void **)&joining->link, &joining->room, joining->links, 2 * sizeof(int32_t), what,
                   error));
    joining->link[2 * joining->links] = (int32_t)end;
    joining->link[2 * joining->links++ + 1] = (int32_t)node;
    return STATUS_OK;
}

/* Joins an end to all tissue nodes within the radius, or if fused to the nearest one */
static enum status join_end(struct joining *joining, int64_t end, struct error *error)
{
    const struct network *network = joining->network;
    struct network_report *report = joining->report;
    const double *point = network->lines.point + 3 * end;
    double distance;
    int64_t nearest = nearest_find(&joining->tissue, point, -1, &distance), count;
    report->ends++;
    if (!(distance <= network->radius)) {
        report->free++;
        report->farthest = fmax(report->farthest, distance);
        return STATUS_OK;
    }
    report->least = fmin(report->least, distance);
    report->most = fmax(report->most, distance);
    if (network->fused)
        return add_link(joining, end, joining->item[nearest], error);
    TRY(nearest_list(&joining->tissue, point, network->radius, &joining->near, &joining->near_room, &count,
                     error));
    for (int64_t k = 0; k < count; k++) {
        const int32_t node = joining->item[joining->near[k]];
        if (mesh_distance(joining->mesh->point + 3 * (int64_t)node, point) <= network->radius)
            TRY(add_link(joining, end, node, error));
    }
    return STATUS_OK;
}

/* Ends are nodes of one line; a tree without a joined end is loose */
static enum status join_ends(struct joining *joining, struct error *error)
{
    const struct mesh *lines = &joining->network->lines;
    struct network_report *report = joining->report;
    enum status status = STATUS_OK;
    int32_t *count = array_zeroed(lines->nodes, sizeof *count, what, &status, error);
    int32_t *tree = array_new(lines->nodes, sizeof *tree, what, &status, error);
    TRY_DONE(status);
    for (int64_t k = 0; k < 2 * lines->elements; k++)
        count[lines->vertex[k]]++;
    for (int64_t i = 1; i < lines->nodes && (joining->network->junction || joining->network->fused); i++)
        if (count[i] == 1)
            TRY_DONE(join_end(joining, i, error));
    mesh_components(tree, lines);
    for (int64_t k = 0; k < joining->links; k++)
        count[tree[joining->link[2 * k]]] = -1;
    for (int64_t i = 0; i < lines->nodes; i++)
        if (tree[i] == i) {
            report->trees++;
            report->loose += count[i] != -1;
        }
done:
    free(count);
    free(tree);
    return status;
}

/* of_node[] <- numbers following the mesh's own; fused ends get the number of their mesh node */
static enum status number_nodes(struct joining *joining, struct error *error)
{
    const struct mesh *lines = &joining->network->lines;
    enum status status = STATUS_OK;
    joining->of_node = array_zeroed(lines->nodes, sizeof *joining->of_node, what, &status, error);
    TRY(status);
    for (int64_t k = 0; k < joining->links && joining->network->fused; k++)
        joining->of_node[joining->link[2 * k]] = -1 - joining->link[2 * k + 1];
    joining->nodes = joining->mesh->nodes;
    if (joining->nodes + lines->nodes > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d nodes", INT32_MAX);
    for (int64_t i = 0; i < lines->nodes; i++)
        joining->of_node[i] = joining->of_node[i] < 0 ? -1 - joining->of_node[i] : (int32_t)joining->nodes++;
    return STATUS_OK;
}

/* Extends value[rows][width] of the mesh; new rows <- `fill` */
static enum status extend(double **value, int64_t rows, int64_t all, int width, double fill,
                          struct error *error)
{
    enum status status = STATUS_OK;
    if (!*value)
        return STATUS_OK;
    double *longer = array_new(all * width, sizeof *longer, what, &status, error);
    TRY(status);
    memcpy(longer, *value, (size_t)(rows * width) * sizeof *longer);
    for (int64_t k = rows * width; k < all * width; k++)
        longer[k] = fill;
    free(*value);
    *value = longer;
    return STATUS_OK;
}

/* Extends all arrays; on the lines directions are 0 and other arrays NaN */
static enum status extend_arrays(struct mesh *mesh, int64_t nodes, int64_t elements, struct error *error)
{
    const bool at_nodes = mesh->fiber_location == LOCATION_NODE;
    int64_t rows = at_nodes ? mesh->nodes : mesh->elements, all = at_nodes ? nodes : elements;
    TRY(extend(&mesh->point, mesh->nodes, nodes, 3, 0, error));
    TRY(extend(&mesh->fiber, rows, all, 3, 0, error));
    TRY(extend(&mesh->sheet, rows, all, 3, 0, error));
    for (int f = 0; f < mesh->fields.count; f++) {
        struct mesh_field *field = &mesh->fields.item[f];
        const bool of_nodes = field->location == LOCATION_NODE;
        TRY(extend(&field->value, of_nodes ? mesh->nodes : mesh->elements, of_nodes ? nodes : elements,
                   field->components, NAN, error));
    }
    return STATUS_OK;
}

static void put_line(struct mesh *mesh, int64_t e, int32_t from, int32_t to, int32_t tag)
{
    int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    vertex[0] = from;
    for (int c = 1; c <= mesh->dimension; c++)
        vertex[c] = to;
    mesh->tag[e] = tag;
}

static enum status append(struct mesh *mesh, const struct joining *joining, struct error *error)
{
    const struct network *network = joining->network;
    const struct mesh *lines = &network->lines;
    const int64_t junctions = network->fused ? 0 : joining->links, old = mesh->elements;
    const int64_t elements = old + lines->elements + junctions;
    const int corners = mesh->dimension + 1;
    if (elements > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d elements", INT32_MAX);
    int32_t *vertex = realloc(mesh->vertex, (size_t)(elements * corners) * sizeof *vertex);
    mesh->vertex = vertex ? vertex : mesh->vertex;
    int32_t *tag = realloc(mesh->tag, (size_t)elements * sizeof *tag);
    mesh->tag = tag ? tag : mesh->tag;
    if (!vertex || !tag)
        return error_memory(error, what, (double)(elements * corners) * sizeof *vertex);
    TRY(extend_arrays(mesh, joining->nodes, elements, error));
    for (int64_t i = 0; i < lines->nodes; i++)
        if (joining->of_node[i] >= mesh->nodes)
            memcpy(mesh->point + 3 * (int64_t)joining->of_node[i], lines->point + 3 * i,
                   3 * sizeof *mesh->point);
    for (int64_t e = 0; e < lines->elements; e++)
        put_line(mesh, old + e, joining->of_node[lines->vertex[2 * e]],
                 joining->of_node[lines->vertex[2 * e + 1]], network->tag);
    for (int64_t k = 0; k < junctions; k++)
        put_line(mesh, old + lines->elements + k, joining->of_node[joining->link[2 * k]],
                 joining->link[2 * k + 1], network->junction);
    mesh->nodes = joining->nodes;
    mesh->elements = elements;
    joining->report->junctions = junctions;
    return STATUS_OK;
}

/* report->doubles <- the number of nodes from `before` on at the position of an earlier line node; item[]
 * contains nodes of no line */
static enum status count_doubles(struct joining *joining, int64_t before, struct error *error)
{
    const struct mesh *mesh = joining->mesh;
    enum status status = STATUS_OK;
    struct nearest nearest = {0};
    int64_t items = 0, tissue = 0;
    int32_t *item = array_new(mesh->nodes, sizeof *item, what, &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (tissue < joining->tissue.items && joining->item[tissue] == i)
            tissue++;
        else
            item[items++] = (int32_t)i;
    TRY_DONE(nearest_create(&nearest, mesh->point, item, 1, items, error));
    for (int64_t k = items - 1; k >= 0 && item[k] >= before; k--) {
        int64_t first = nearest_find(&nearest, mesh->point + 3 * (int64_t)item[k], k, NULL);
        joining->report->doubles += first < k;
    }
done:
    nearest_free(&nearest);
    free(item);
    return status;
}

enum status mesh_join_network(struct mesh *mesh, const struct network *network, struct network_report *report,
                              struct error *error)
{
    struct joining joining = {.mesh = mesh, .network = network, .report = report};
    const int64_t before = mesh->nodes;
    enum status status;
    *report = (struct network_report){.least = HUGE_VAL};
    if (network->lines.dimension != 1)
        return error_set(error, STATUS_INPUT, "a network has lines alone, this mesh has %s",
                         network->lines.dimension == 2 ? "triangles" : "tetrahedra");
    TRY_DONE(find_tissue(&joining, error));
    TRY_DONE(join_ends(&joining, error));
    TRY_DONE(number_nodes(&joining, error));
    TRY_DONE(append(mesh, &joining, error));
    status = count_doubles(&joining, before, error);
done:
    joining_free(&joining);
    return status;
}
