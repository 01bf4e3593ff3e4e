/* repair.c: each pass determines which nodes are merged and which elements are removed; then all arrays
 * are updated at once. */
#include "solver/mesh/repair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/check.h"
#include "solver/mesh/neighbours.h"
#include "solver/mesh/extract.h"

static const char what[] = "mending the mesh";

/* One pass of a repair, on the mesh as the previous pass left it */
struct repair {
    struct mesh *mesh;
    const struct mesh_repair *wanted;
    struct mesh_repaired *done;
    int32_t *join;    /* [nodes] the node that each node is merged into, or itself */
    uint8_t *keep;    /* [elements] */
    int64_t *first;   /* [nodes + 1] element[first[i]] .. element[first[i + 1] - 1] are those of node i */
    int32_t *element; /* ascending for each node */
};

static void repair_free(struct repair *repair)
{
    free(repair->join);
    free(repair->keep);
    free(repair->first);
    free(repair->element);
    repair->join = repair->element = NULL;
    repair->keep = NULL;
    repair->first = NULL;
}

static const int32_t *nodes_of(const struct mesh *mesh, int64_t e)
{
    return mesh->vertex + e * (mesh->dimension + 1);
}

/* Lists the elements of each node; an element with the same node twice is listed twice */
static void list_elements(struct repair *repair)
{
    const struct mesh *mesh = repair->mesh;
    int64_t *next = repair->first + 1; /* shifted by one while being filled */
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; c < mesh_corners(mesh, e); c++)
            repair->first[nodes_of(mesh, e)[c] + 1]++;
    for (int64_t i = 0, sum = 0; i < mesh->nodes; i++) {
        int64_t count = next[i];
        next[i] = sum;
        sum += count;
    }
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; c < mesh_corners(mesh, e); c++)
            repair->element[next[nodes_of(mesh, e)[c]]++] = (int32_t)e;
}

static enum status repair_begin(struct repair *repair, struct error *error)
{
    const struct mesh *mesh = repair->mesh;
    enum status status = STATUS_OK;
    repair->join = array_new(mesh->nodes, sizeof *repair->join, what, &status, error);
    repair->keep = array_new(mesh->elements, sizeof *repair->keep, what, &status, error);
    repair->first = array_zeroed(mesh->nodes + 1, sizeof *repair->first, what, &status, error);
    repair->element =
        array_new(mesh->elements * (mesh->dimension + 1), sizeof *repair->element, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        repair->join[i] = (int32_t)i;
    memset(repair->keep, 1, (size_t)mesh->elements);
    list_elements(repair);
    return STATUS_OK;
}

/* The array `name` <- 0, 1, 2 ..., unless the mesh has it */
static enum status put_numbers(struct mesh *mesh, const char *name, enum location location,
                               struct error *error)
{
    int64_t count = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    enum status status = STATUS_OK;
    if (mesh_fields_find(&mesh->fields, name, location))
        return STATUS_OK;
    double *number = array_new(count, sizeof *number, name, &status, error);
    TRY(status);
    for (int64_t i = 0; i < count; i++)
        number[i] = (double)i;
    return mesh_fields_add(&mesh->fields, name, location, 1, number, error);
}

static bool repeats(const int32_t *node, int corners)
{
    for (int a = 0; a < corners; a++)
        for (int b = a + 1; b < corners; b++)
            if (node[a] == node[b])
                return true;
    return false;
}

/* Replaces merged nodes in vertices and faces; removes those left with two equal nodes */
static void join_vertices(struct repair *repair)
{
    struct mesh *mesh = repair->mesh;
    const int corners = mesh->dimension + 1, sides = mesh->dimension;
    int64_t faces = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int32_t *node = mesh->vertex + e * corners;
        const int own = mesh_corners(mesh, e);
        bool changed = false;
        for (int c = 0; c < corners; c++) {
            changed = changed || repair->join[node[c]] != node[c];
            node[c] = repair->join[node[c]];
        }
        if (repair->keep[e] && repeats(node, own) && (changed || repair->wanted->duplicates)) {
            repair->keep[e] = 0;
            repair->done->repeated++;
        }
    }
    for (int64_t f = 0; f < mesh->faces; f++) {
        int32_t *face = mesh->face + sides * faces;
        for (int c = 0; c < sides; c++)
            face[c] = repair->join[mesh->face[sides * f + c]];
        mesh->mark[faces] = mesh->mark[f];
        faces += !repeats(face, sides);
    }
    mesh->faces = faces;
}

/* Updates done->new_index from `now`, the numbers before this pass; kept[nodes] <- their original numbers */
static void number_nodes(const struct repair *repair, const uint8_t *more, int32_t *kept, int64_t nodes)
{
    const struct mesh *mesh = repair->mesh;
    int32_t count = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        kept[i] = more[i] ? 0 : -1;
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; repair->keep[e] && c <= mesh->dimension; c++)
            kept[nodes_of(mesh, e)[c]] = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        kept[i] = kept[i] == 0 ? count++ : -1;
        repair->done->orphans +=
            kept[i] < 0 && repair->join[i] == i && repair->first[i + 1] > repair->first[i];
    }
    for (int64_t i = 0; i < nodes; i++)
        if (repair->done->new_index[i] >= 0)
            repair->done->new_index[i] = kept[repair->join[repair->done->new_index[i]]];
}

/* *mesh <- the result of this pass, *changed <- true if it differs; `nodes`: of the original mesh */
static enum status repair_end(struct repair *repair, int64_t nodes, bool *changed, struct error *error)
{
    struct mesh *mesh = repair->mesh, made = {0};
    enum status status = STATUS_OK;
    uint8_t *more = array_new(mesh->nodes, sizeof *more, what, &status, error);
    int32_t *kept = array_new(mesh->nodes, sizeof *kept, what, &status, error);
    int64_t changes = 0;
    TRY_DONE(status);
    join_vertices(repair);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        bool loose = repair->first[i] == repair->first[i + 1];
        more[i] = loose && !repair->wanted->loose && repair->join[i] == i;
        repair->done->loose += loose && repair->wanted->loose && repair->join[i] == i;
        changes += repair->join[i] != i || (loose && !more[i]);
    }
    for (int64_t e = 0; e < mesh->elements; e++)
        changes += !repair->keep[e];
    if (changes == 0)
        goto done;
    *changed = true;
    TRY_DONE(put_numbers(mesh, "old_node", LOCATION_NODE, error));
    TRY_DONE(put_numbers(mesh, "old_element", LOCATION_ELEMENT, error));
    number_nodes(repair, more, kept, nodes);
    TRY_DONE(mesh_extract(&made, mesh, repair->keep, more, error));
    mesh_free(mesh);
    *mesh = made;
done:
    free(more);
    free(kept);
    return status;
}

static bool has_tag(const struct repair *repair, int64_t node, int32_t tag)
{
    for (int64_t k = repair->first[node]; k < repair->first[node + 1]; k++)
        if (repair->mesh->tag[repair->element[k]] == tag)
            return true;
    return false;
}

static bool has_all_tags(const struct repair *repair, int64_t a, int64_t of)
{
    for (int64_t k = repair->first[of]; k < repair->first[of + 1]; k++)
        if (!has_tag(repair, a, repair->mesh->tag[repair->element[k]]))
            return false;
    return true;
}

static bool same_tags(const struct repair *repair, int64_t a, int64_t b)
{
    return repair->wanted->across || (has_all_tags(repair, a, b) && has_all_tags(repair, b, a));
}

/* Whether an element contains node i and a node merged into j */
static bool are_joined(const struct repair *repair, int64_t i, int64_t j)
{
    for (int64_t k = repair->first[i]; k < repair->first[i + 1]; k++) {
        const int32_t *node = nodes_of(repair->mesh, repair->element[k]);
        for (int c = 0; c <= repair->mesh->dimension; c++)
            if (node[c] != i && repair->join[node[c]] == j)
                return true;
    }
    return false;
}

/* A node and its cell in a lattice */
struct spot {
    int64_t key, node;
};

static int64_t key_of(const int64_t cell[3])
{
    uint64_t key = 0;
    for (int d = 0; d < 3; d++)
        key = (key ^ (uint64_t)cell[d]) * 0x9e3779b97f4a7c15u + (key >> 29);
    return (int64_t)key;
}

/* *near <- the lowest node before i within the distance into which i may be merged; returns whether there
 * is one into which it may not */
static bool find_near(const struct repair *repair, const struct spot *spot, int64_t i, int32_t *near)
{
    const struct mesh *mesh = repair->mesh;
    const double *x = mesh->point + 3 * i, reach = repair->wanted->merge;
    bool refused = false;
    *near = -1;
    for (int corner = 0; corner < 8; corner++) {
        int64_t cell[3], low = 0, high = mesh->nodes;
        for (int d = 0; d < 3; d++) { /* cells are twice as wide as the distance: only the nearer neighbour
                                         matters */
            double at = x[d] / (2 * reach), floored = floor(at);
            cell[d] = (int64_t)floored + (corner >> d & 1 ? (at - floored < 0.5 ? -1 : 1) : 0);
        }
        const int64_t key = key_of(cell);
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (spot[middle].key < key)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < mesh->nodes && spot[low].key == key && spot[low].node < i; low++) {
            const int32_t j = (int32_t)spot[low].node;
            if (repair->join[j] != j || !(mesh_distance(x, mesh->point + 3 * (int64_t)j) <= reach))
                continue;
            if (!repair->wanted->across && (are_joined(repair, i, j) || !same_tags(repair, i, j)))
                refused = true;
            else if (*near < 0 || j < *near)
                *near = j;
        }
    }
    return refused;
}

static enum status merge(struct repair *repair, struct error *error)
{
    const struct mesh *mesh = repair->mesh;
    enum status status = STATUS_OK;
    struct spot *spot = array_new(mesh->nodes, sizeof *spot, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        int64_t cell[3];
        for (int d = 0; d < 3; d++)
            cell[d] = (int64_t)floor(mesh->point[3 * i + d] / (2 * repair->wanted->merge));
        spot[i] = (struct spot){key_of(cell), i};
    }
    qsort(spot, (size_t)mesh->nodes, sizeof *spot, compare_int64_pair);
    repair->done->apart = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        int32_t near;
        bool refused = find_near(repair, spot, i, &near);
        if (near >= 0) {
            repair->join[i] = near;
            repair->done->merged++;
        } else if (refused && repair->done->apart++ == 0)
            repair->done->apart_node = i;
    }
    free(spot);
    return STATUS_OK;
}

struct edge {
    double length;
    int32_t low, high;
};

static int by_length(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static bool has_node(const struct mesh *mesh, int64_t e, int32_t node)
{
    for (int c = 0; c <= mesh->dimension; c++)
        if (nodes_of(mesh, e)[c] == node)
            return true;
    return false;
}

static void normal_of(const struct mesh *mesh, double normal[3])
{
    const double *from = mesh->point + 3 * (int64_t)mesh->vertex[0];
    double a[3], b[3];
    vec3_between(a, from, mesh->point + 3 * (int64_t)mesh->vertex[1]);
    vec3_between(b, from, mesh->point + 3 * (int64_t)mesh->vertex[2]);
    vec3_cross(normal, a, b);
}

/* Whether element e remains valid, keeps its orientation and duplicates no element of a, if its node b is
 * replaced by a */
static bool stays_good(const struct repair *repair, int64_t e, int32_t a, int32_t b)
{
    const struct mesh *mesh = repair->mesh;
    int32_t node[4];
    struct mesh one = {.dimension = mesh->dimension, .point = mesh->point, .vertex = node};
    double before[3], after[3];
    uint64_t key[3], other[3];
    const int corners = mesh->dimension + 1, own = mesh_corners(mesh, e);
    memcpy(node, nodes_of(mesh, e), (size_t)corners * sizeof *node);
    if (own == 3)
        normal_of(&one, before);
    for (int c = 0; c < corners; c++)
        node[c] = node[c] == b ? a : node[c];
    if (mesh_is_flat(&one, 0) || (own == 4 && !(mesh_measure(&one, 0) > 0)))
        return false;
    if (own == 3) {
        normal_of(&one, after);
        if (!(vec3_dot(before, after) > 0))
            return false;
    }
    mesh_element_key(&one, 0, key);
    for (int64_t k = repair->first[a]; k < repair->first[a + 1]; k++) {
        mesh_element_key(mesh, repair->element[k], other);
        if (memcmp(key, other, sizeof key) == 0)
            return false;
    }
    return true;
}

/* Whether every common neighbour of both is in an element with both; otherwise collapsing would close a
 * hole */
static bool is_plain(const struct repair *repair, int32_t a, int32_t b, int32_t node)
{
    bool next = false;
    for (int64_t k = repair->first[a]; k < repair->first[a + 1]; k++)
        if (has_node(repair->mesh, repair->element[k], node)) {
            next = true;
            if (has_node(repair->mesh, repair->element[k], b))
                return true;
        }
    return !next;
}

static bool may_collapse(const struct repair *repair, int32_t a, int32_t b)
{
    if (!same_tags(repair, a, b))
        return false;
    for (int64_t k = repair->first[b]; k < repair->first[b + 1]; k++) {
        const int64_t e = repair->element[k];
        if (has_node(repair->mesh, e, a))
            continue;
        if (!stays_good(repair, e, a, b))
            return false;
        for (int c = 0; c <= repair->mesh->dimension; c++)
            if (nodes_of(repair->mesh, e)[c] != b && !is_plain(repair, a, b, nodes_of(repair->mesh, e)[c]))
                return false;
    }
    return true;
}

static void lock_around(const struct repair *repair, int32_t node, uint8_t *locked)
{
    for (int64_t k = repair->first[node]; k < repair->first[node + 1]; k++)
        for (int c = 0; c <= repair->mesh->dimension; c++)
            locked[nodes_of(repair->mesh, repair->element[k])[c]] = 1;
}

/* *edge <- [*count] edges shorter than `below`, shortest first */
static enum status list_short(const struct mesh *mesh, double below, struct edge **edge, int64_t *count,
                              struct error *error)
{
    struct mesh_edges edges = {0};
    int64_t room = 0;
    *edge = NULL;
    *count = 0;
    TRY(mesh_edges_create(&edges, mesh, error));
    enum status status = STATUS_OK;
    for (int64_t a = 0; a < mesh->nodes && !status; a++)
        for (int64_t k = edges.first[a]; k < edges.first[a + 1] && !status; k++) {
            const int32_t b = edges.other[k];
            double length = mesh_distance(mesh->point + 3 * a, mesh->point + 3 * (int64_t)b);
            if (!(length < below))
                continue;
            status = array_grow((void **)edge, &room, *count, sizeof **edge, what, error);
            if (!status)
                (*edge)[(*count)++] = (struct edge){length, (int32_t)a, b};
        }
    mesh_edges_free(&edges);
    if (!status && *count)
        qsort(*edge, (size_t)*count, sizeof **edge, by_length);
    return status;
}

/* Collapses edges that share no element; *count <- their number, or if it is 0 the number of short edges
 * left */
static enum status collapse(struct repair *repair, int64_t *count, struct error *error)
{
    struct edge *edge = NULL;
    int64_t edges = 0;
    enum status status = STATUS_OK;
    uint8_t *locked = array_zeroed(repair->mesh->nodes, sizeof *locked, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(list_short(repair->mesh, repair->wanted->collapse, &edge, &edges, error));
    *count = 0;
    for (int64_t k = 0; k < edges; k++) {
        const int32_t a = edge[k].low, b = edge[k].high;
        if (locked[a] || locked[b] || !may_collapse(repair, a, b))
            continue;
        repair->join[b] = a;
        lock_around(repair, a, locked);
        lock_around(repair, b, locked);
        ++*count;
    }
    repair->done->collapsed += *count;
    repair->done->short_edges = edges;
    repair->done->edge_node = edges ? edge[0].low : -1;
done:
    free(edge);
    free(locked);
    return status;
}

/* Removes elements of zero measure; returns their number */
static int64_t drop_flat(struct repair *repair)
{
    int64_t dropped = 0;
    for (int64_t e = 0; e < repair->mesh->elements; e++)
        if (mesh_is_flat(repair->mesh, e) && !mesh_repeats_node(repair->mesh, e)) {
            repair->keep[e] = 0;
            dropped++;
        }
    repair->done->flat += dropped;
    return dropped;
}

static enum status drop_duplicates(struct repair *repair, struct error *error)
{
    struct duplicates duplicates;
    enum status status = STATUS_OK;
    uint8_t *again = array_new(repair->mesh->elements, sizeof *again, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(
        duplicates_find(&duplicates, repair->mesh, repair->mesh->elements, mesh_element_key, again, error));
    for (int64_t e = 0; e < repair->mesh->elements; e++)
        if (again[e] && !mesh_repeats_node(repair->mesh, e)) {
            repair->keep[e] = 0;
            repair->done->duplicates++;
        }
done:
    free(again);
    return status;
}

enum repair_kind { MERGE, COLLAPSE, DUPLICATES, KINDS };

/* One pass; *again <- whether another may find more */
static enum status do_repair(struct repair *repair, enum repair_kind name, bool *again, struct error *error)
{
    int64_t collapsed = 0;
    *again = false;
    if (name == MERGE && repair->wanted->merge > 0)
        return merge(repair, error);
    if (name == COLLAPSE && repair->wanted->collapse > 0) {
        TRY(collapse(repair, &collapsed, error));
        *again = collapsed || drop_flat(repair);
    }
    return name == DUPLICATES && repair->wanted->duplicates ? drop_duplicates(repair, error) : STATUS_OK;
}

enum status mesh_repair(struct mesh *mesh, const struct mesh_repair *wanted, struct mesh_repaired *done,
                        struct error *error)
{
    struct repair repair = {.mesh = mesh, .wanted = wanted, .done = done};
    const int64_t nodes = mesh->nodes;
    enum status status = STATUS_OK;
    *done = (struct mesh_repaired){.apart_node = -1, .edge_node = -1};
    done->new_index = array_new(nodes, sizeof *done->new_index, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < nodes; i++)
        done->new_index[i] = (int32_t)i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = MERGE; k < KINDS;) {
            bool again;
            TRY_DONE(repair_begin(&repair, error));
            TRY_DONE(do_repair(&repair, (enum repair_kind)k, &again, error));
            TRY_DONE(repair_end(&repair, nodes, &changed, error));
            repair_free(&repair);
            k += !again;
        }
    }
done:
    repair_free(&repair);
    return status;
}

void mesh_repaired_free(struct mesh_repaired *done)
{
    free(done->new_index);
    done->new_index = NULL;
}
