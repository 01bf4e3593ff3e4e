/* check.c: one pass per question, each O(n); equal things are found through a hash table. */
#include "solver/mesh/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static const double FAR = 1e9; /* mm; a kilometre of heart is a wrong unit */
static const double FLAT =
    1e-12; /* measure of an element against its longest edge; rounding is below 1e-14 */

/* count++; *first <- item when it is the first */
static void found(int64_t *count, int64_t *first, int64_t item)
{
    if ((*count)++ == 0)
        *first = item;
}

static void check_indices(const struct mesh *mesh, struct mesh_health *health)
{
    int corners = mesh->dimension + 1;
    for (int64_t i = 0; i < mesh->elements * corners; i++)
        if (mesh->vertex[i] < 0 || mesh->vertex[i] >= mesh->nodes)
            found(&health->out_of_range, &health->range_element, i / corners);
}

static bool usable(const double x[3], double far)
{
    return fabs(x[0]) <= far && fabs(x[1]) <= far && fabs(x[2]) <= far;
}

static void check_numbers(const struct mesh *mesh, struct mesh_health *health)
{
    int64_t directions = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (!usable(mesh->point + 3 * i, FAR))
            found(&health->not_finite, &health->not_finite_node, i);
    for (int64_t i = 0; i < directions; i++)
        if ((mesh->fiber && !usable(mesh->fiber + 3 * i, HUGE_VAL)) ||
            (mesh->sheet && !usable(mesh->sheet + 3 * i, HUGE_VAL)))
            found(&health->bad_fibers, &health->bad_fiber, i);
}

static void edge(double out[3], const double *from, const double *to)
{
    for (int d = 0; d < 3; d++)
        out[d] = to[d] - from[d];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The measure, and the longest of the edges from vertex 0 */
static double measure(const struct mesh *mesh, int64_t element, double *longest)
{
    const int32_t *vertex = mesh->vertex + element * (mesh->dimension + 1);
    double e[3][3] = {{0}}, normal[3];
    *longest = 0;
    for (int c = 0; c < mesh->dimension; c++) {
        edge(e[c], mesh->point + 3 * (int64_t)vertex[0], mesh->point + 3 * (int64_t)vertex[c + 1]);
        *longest = fmax(*longest, sqrt(dot(e[c], e[c])));
    }
    if (mesh->dimension == 1)
        return *longest;
    cross(normal, e[0], e[1]);
    return mesh->dimension == 2 ? sqrt(dot(normal, normal)) : dot(normal, e[2]);
}

double mesh_measure(const struct mesh *mesh, int64_t element)
{
    double longest;
    return measure(mesh, element, &longest);
}

static bool repeats(const int32_t *vertex, int corners)
{
    for (int a = 0; a < corners; a++)
        for (int b = a + 1; b < corners; b++)
            if (vertex[a] == vertex[b])
                return true;
    return false;
}

static void check_shapes(struct mesh *mesh, struct mesh_health *health)
{
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int32_t *vertex = mesh->vertex + corners * e;
        double longest, size = measure(mesh, e, &longest);
        if (repeats(vertex, corners))
            found(&health->repeated, &health->repeated_element, e);
        else if (!(fabs(size) > (mesh->dimension == 1   ? 0
                                 : mesh->dimension == 2 ? FLAT * longest * longest
                                                        : FLAT * longest * longest * longest)))
            found(&health->flat, &health->flat_element, e);
        else if (mesh->dimension == 3 && size < 0) {
            int32_t swapped = vertex[2];
            vertex[2] = vertex[3];
            vertex[3] = swapped;
            health->turned++;
        }
    }
}

/* Union-find: the root of i, its path halved on the way */
static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Components and loose nodes. parent[nodes] is workspace; a node of no element keeps -1. */
static void check_parts(const struct mesh *mesh, int32_t *parent, struct mesh_health *health)
{
    int corners = mesh->dimension + 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        parent[i] = -1;
    for (int64_t i = 0; i < mesh->elements * corners; i++)
        parent[mesh->vertex[i]] = mesh->vertex[i];
    for (int64_t i = 0; i < mesh->elements * corners; i++) {
        int32_t a = root_of(parent, mesh->vertex[i / corners * corners]);
        int32_t b = root_of(parent, mesh->vertex[i]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int64_t i = 0; i < mesh->nodes; i++) {
        if (parent[i] < 0)
            found(&health->loose, &health->loose_node, i);
        health->components += parent[i] == i;
    }
}

/* bits stirred so that each enters every bit of the result (the finaliser of splitmix64) */
static uint64_t stir(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

/* key <- what makes item i of its kind equal to another: coordinates, or vertices in order */
typedef void (*key_function)(const struct mesh *mesh, int64_t i, uint64_t key[3]);

static void point_key(const struct mesh *mesh, int64_t i, uint64_t key[3])
{
    double point[3];
    for (int d = 0; d < 3; d++)
        point[d] = mesh->point[3 * i + d] + 0.0; /* -0 becomes +0 */
    memcpy(key, point, sizeof point);
}

static void element_key(const struct mesh *mesh, int64_t e, uint64_t key[3])
{
    int corners = mesh->dimension + 1;
    uint32_t sorted[6] = {0};
    for (int c = 0; c < corners; c++) {
        uint32_t vertex = (uint32_t)mesh->vertex[corners * e + c] + 1;
        int place = c;
        for (; place > 0 && sorted[place - 1] > vertex; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = vertex;
    }
    memcpy(key, sorted, sizeof sorted);
}

/* Counts the items that equal an earlier one. table[mask + 1] is workspace, mask + 1 a power of two. */
static void check_equal(const struct mesh *mesh, int64_t items, key_function key_of, int64_t *table,
                        uint64_t mask, int64_t *count, int64_t *first, int64_t *first_of)
{
    memset(table, -1, (mask + 1) * sizeof *table);
    for (int64_t i = 0; i < items; i++) {
        uint64_t key[3], other[3];
        key_of(mesh, i, key);
        uint64_t slot = stir(key[0] + stir(key[1] + stir(key[2]))) & mask;
        for (; table[slot] >= 0; slot = (slot + 1) & mask) {
            key_of(mesh, table[slot], other);
            if (memcmp(key, other, sizeof key) == 0)
                break;
        }
        if (table[slot] < 0) {
            table[slot] = i;
            continue;
        }
        if (*count == 0)
            *first_of = table[slot];
        found(count, first, i);
    }
}

static void check_all(struct mesh *mesh, int64_t *table, uint64_t mask, struct mesh_health *health)
{
    check_shapes(mesh, health);
    check_parts(mesh, (int32_t *)table, health);
    check_equal(mesh, mesh->elements, element_key, table, mask, &health->twins, &health->twin_element,
                &health->twin_of);
    check_equal(mesh, mesh->nodes, point_key, table, mask, &health->doubles, &health->double_node,
                &health->double_of);
}

enum status mesh_check(struct mesh *mesh, struct mesh_health *health, struct error *error)
{
    *health = (struct mesh_health){.range_element = -1,
                                   .not_finite_node = -1,
                                   .bad_fiber = -1,
                                   .repeated_element = -1,
                                   .flat_element = -1,
                                   .twin_element = -1,
                                   .twin_of = -1,
                                   .loose_node = -1,
                                   .double_node = -1,
                                   .double_of = -1};
    check_indices(mesh, health);
    check_numbers(mesh, health);
    if (health->out_of_range || health->not_finite)
        return STATUS_OK;
    int64_t items = mesh->nodes > mesh->elements ? mesh->nodes : mesh->elements, slots = 16;
    while (slots < items + items / 2)
        slots *= 2;
    enum status status = STATUS_OK;
    int64_t *table = array_new(slots, sizeof *table, "checking the mesh", &status, error);
    if (status)
        return status;
    check_all(mesh, table, (uint64_t)slots - 1, health);
    free(table);
    return STATUS_OK;
}

/* Faces with a node that goes go with it: they bounded no element. */
static void renumber_faces(struct mesh *mesh, const int32_t *place)
{
    int64_t kept = 0;
    int corners = mesh->dimension;
    for (int64_t f = 0; f < mesh->faces; f++) {
        bool whole = true;
        for (int c = 0; c < corners; c++) {
            mesh->face[corners * kept + c] = place[mesh->face[corners * f + c]];
            whole = whole && mesh->face[corners * kept + c] >= 0;
        }
        mesh->mark[kept] = mesh->mark[f];
        kept += whole;
    }
    mesh->faces = kept;
}

enum status mesh_drop_loose(struct mesh *mesh, int64_t *dropped, struct error *error)
{
    int64_t corners = mesh->elements * (mesh->dimension + 1), kept = 0;
    enum status status = STATUS_OK;
    int32_t *place = array_new(mesh->nodes, sizeof *place, "renumbering the nodes", &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < mesh->nodes; i++)
        place[i] = -1;
    for (int64_t i = 0; i < corners; i++)
        place[mesh->vertex[i]] = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        if (place[i] < 0)
            continue;
        place[i] = (int32_t)kept;
        memmove(mesh->point + 3 * kept, mesh->point + 3 * i, 3 * sizeof(double));
        if (mesh->fiber_location == LOCATION_NODE) {
            memmove(mesh->fiber + 3 * kept, mesh->fiber + 3 * i, 3 * sizeof(double));
            if (mesh->sheet)
                memmove(mesh->sheet + 3 * kept, mesh->sheet + 3 * i, 3 * sizeof(double));
        }
        for (int f = 0; f < mesh->fields.count; f++) {
            const struct mesh_field *field = mesh->fields.item + f;
            size_t width = (size_t)field->components;
            if (field->location == LOCATION_NODE && field->value)
                memmove(field->value + (size_t)kept * width, field->value + (size_t)i * width,
                        width * sizeof(double));
        }
        kept++;
    }
    for (int64_t i = 0; i < corners; i++)
        mesh->vertex[i] = place[mesh->vertex[i]];
    renumber_faces(mesh, place);
    free(place);
    *dropped = mesh->nodes - kept;
    mesh->nodes = kept;
    return STATUS_OK;
}
