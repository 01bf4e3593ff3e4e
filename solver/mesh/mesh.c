/* mesh.c: the arrays of a mesh, its names and fields, and its connected parts by union-find. */
#include "solver/mesh/mesh.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/union_find.h"

enum status mesh_names_find(const struct mesh_names *names, const char *name, unsigned dimensions,
                            const struct mesh_name **found, struct error *error)
{
    *found = NULL;
    for (int k = 0; k < names->count; k++) {
        const struct mesh_name *item = &names->item[k];
        if (!(dimensions >> item->dimension & 1) || strcmp(item->name, name) != 0)
            continue;
        if (*found)
            return error_set(
                error, STATUS_INPUT,
                "'%.80s' is the name of tag %d (dimension %d) and of tag %d (dimension %d); give "
                "them different names",
                name, (int)(*found)->tag, (*found)->dimension, (int)item->tag, item->dimension);
        *found = item;
    }
    return STATUS_OK;
}

enum status mesh_names_check_number(const struct mesh_names *names, int32_t tag, unsigned dimensions,
                                    struct error *error)
{
    const struct mesh_name *found;
    char digits[16];
    snprintf(digits, sizeof digits, "%d", (int)tag);
    TRY(mesh_names_find(names, digits, dimensions, &found, error));
    return !found || found->tag == tag
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%d is a number here, and the mesh names its tag %d so: rename it", (int)tag,
                           (int)found->tag);
}

const char *mesh_names_of(const struct mesh_names *names, int dimension, int32_t tag)
{
    for (int k = 0; k < names->count; k++)
        if (names->item[k].dimension == dimension && names->item[k].tag == tag)
            return names->item[k].name;
    return NULL;
}

enum status mesh_names_add(struct mesh_names *names, const char *name, int dimension, int32_t tag,
                           struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < names->count; k++) {
        const struct mesh_name *there = &names->item[k];
        if (there->dimension == dimension && there->tag == tag && strcmp(there->name, name) == 0)
            return STATUS_OK;
    }
    size_t room = (size_t)names->count + 1, length = strlen(name) + 1;
    struct mesh_name *item = realloc(names->item, room * sizeof *item);
    if (!item)
        return error_memory(error, "the names of the mesh", (double)(room * sizeof *item));
    names->item = item;
    char *own = array_new((int64_t)length, 1, "the names of the mesh", &status, error);
    TRY(status);
    memcpy(own, name, length);
    item[names->count++] = (struct mesh_name){own, dimension, tag};
    return STATUS_OK;
}

void mesh_names_list(const struct mesh_names *names, unsigned dimensions, char *text, int room)
{
    text[0] = 0;
    for (int k = 0; k < names->count; k++)
        if (dimensions >> names->item[k].dimension & 1)
            printed_item(text, (size_t)room, "%s", names->item[k].name);
    printed_add(text, (size_t)room, "%s", *text ? "" : "none");
}

enum status mesh_names_copy(struct mesh_names *to, const struct mesh_names *from, struct error *error)
{
    for (int k = 0; k < from->count; k++)
        TRY(mesh_names_add(to, from->item[k].name, from->item[k].dimension, from->item[k].tag, error));
    return STATUS_OK;
}

void mesh_names_free(struct mesh_names *names)
{
    for (int k = 0; k < names->count; k++)
        free(names->item[k].name);
    free(names->item);
    *names = (struct mesh_names){0};
}

/* Allocates for one more, doubling at powers of two */
static enum status grow(struct mesh_fields *fields, struct error *error)
{
    if (fields->count & (fields->count - 1))
        return STATUS_OK;
    size_t room = fields->count ? 2 * (size_t)fields->count : 1;
    struct mesh_field *item = realloc(fields->item, room * sizeof *item);
    if (!item)
        return error_memory(error, "the arrays of the mesh", (double)(room * sizeof *item));
    fields->item = item;
    return STATUS_OK;
}

enum status mesh_fields_add(struct mesh_fields *fields, const char *name, enum location location,
                            int components, double *value, struct error *error)
{
    enum status status = grow(fields, error);
    size_t length = strlen(name) + 1;
    char *own = array_new((int64_t)length, 1, "the arrays of the mesh", &status, error);
    if (status) {
        free(value);
        return status;
    }
    memcpy(own, name, length);
    fields->item[fields->count++] = (struct mesh_field){own, location, components, value};
    return STATUS_OK;
}

struct mesh_field *mesh_fields_find(const struct mesh_fields *fields, const char *name,
                                    enum location location)
{
    struct mesh_field *found = NULL;
    for (int f = 0; f < fields->count; f++) {
        struct mesh_field *field = fields->item + f;
        if (strcmp(field->name, name) == 0 && (location == LOCATION_NONE || field->location == location) &&
            (!found || field->location == LOCATION_ELEMENT))
            found = field;
    }
    return found;
}

void mesh_fields_free(struct mesh_fields *fields)
{
    for (int f = 0; f < fields->count; f++) {
        free(fields->item[f].name);
        free(fields->item[f].value);
    }
    free(fields->item);
    *fields = (struct mesh_fields){0};
}

void mesh_fields_names(const struct mesh_fields *fields, char *text, int room)
{
    snprintf(text, (size_t)room, "%s", fields->count ? "" : "none");
    for (int f = 0; f < fields->count; f++) {
        const struct mesh_field *field = fields->item + f;
        printed_item(text, (size_t)room, field->components > 1 ? "%.80s (%d)" : "%.80s", field->name,
                     field->components);
    }
}

enum status mesh_fields_select(struct mesh_fields *to, const struct mesh_fields *from, struct mesh_rows nodes,
                               struct mesh_rows elements, struct error *error)
{
    enum status status = STATUS_OK;
    *to = (struct mesh_fields){0};
    for (int f = 0; f < from->count; f++) {
        const struct mesh_field *field = from->item + f;
        struct mesh_rows rows = field->location == LOCATION_NODE ? nodes : elements;
        size_t size = (size_t)field->components * sizeof(double);
        if (!field->value || rows.count == 0)
            continue;
        double *value = array_new(rows.count, size, field->name, &status, error);
        TRY(status);
        for (int64_t i = 0; i < rows.count; i++)
            memcpy(value + i * field->components,
                   field->value + (rows.row ? rows.row[i] : i) * field->components, size);
        TRY(mesh_fields_add(to, field->name, field->location, field->components, value, error));
    }
    return STATUS_OK;
}

void mesh_centre(double centre[3], const struct mesh *mesh, int64_t e)
{
    const int corners = mesh_corners(mesh, e);
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    for (int d = 0; d < 3; d++) {
        centre[d] = 0;
        for (int c = 0; c < corners; c++)
            centre[d] += mesh->point[3 * (int64_t)vertex[c] + d] / corners;
    }
}

double mesh_longest_edge(const struct mesh *mesh, int64_t e)
{
    const int corners = mesh->dimension + 1;
    const int32_t *vertex = mesh->vertex + e * corners;
    double longest = 0;
    for (int a = 0; a < corners; a++)
        for (int b = 0; b < a; b++)
            longest = fmax(longest, mesh_distance(mesh->point + 3 * (int64_t)vertex[a],
                                                  mesh->point + 3 * (int64_t)vertex[b]));
    return longest;
}

void mesh_box(double low[3], double high[3], const struct mesh *mesh)
{
    for (int d = 0; d < 3; d++) {
        double least = INFINITY, most = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            least = fmin(least, mesh->point[3 * i + d]);
            most = fmax(most, mesh->point[3 * i + d]);
        }
        low[d] = least + 0.0; /* normalises -0 to +0, for any number of threads */
        high[d] = most + 0.0;
    }
}

int64_t mesh_nearest_node(double *distance, const struct mesh *mesh, const double point[3])
{
    int64_t nearest = 0;
    *distance = INFINITY;
#pragma omp parallel
    {
        double least = INFINITY;
        int64_t node = 0;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double r = mesh_distance(point, mesh->point + 3 * i);
            if (r < least) {
                least = r;
                node = i;
            }
        }
#pragma omp critical(mesh_nearest)
        if (least < *distance || (least == *distance && node < nearest)) {
            *distance = least;
            nearest = node;
        }
    }
    return nearest;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->point);
    free(mesh->vertex);
    free(mesh->tag);
    free(mesh->number);
    free(mesh->fiber);
    free(mesh->sheet);
    free(mesh->face);
    free(mesh->mark);
    mesh_names_free(&mesh->names);
    mesh_fields_free(&mesh->fields);
    csr_free(&mesh->neighbours);
    memset(mesh, 0, sizeof *mesh);
}

enum status mesh_allocate(struct mesh *mesh, int with_sheet, struct error *error)
{
    if (mesh->nodes > INT32_MAX || mesh->elements > INT32_MAX)
        return error_set(error, STATUS_INPUT,
                         "the mesh has %lld nodes and %lld elements; at most %d of each are possible",
                         (long long)mesh->nodes, (long long)mesh->elements, INT32_MAX);
    int64_t directions = mesh->fiber_location == LOCATION_NODE      ? mesh->nodes
                         : mesh->fiber_location == LOCATION_ELEMENT ? mesh->elements
                                                                    : 0;
    int64_t corners = mesh->elements * (mesh->dimension + 1);
    enum status status = STATUS_OK;
    mesh->point = array_zeroed(3 * mesh->nodes, sizeof *mesh->point, "the mesh", &status, error);
    mesh->vertex = array_zeroed(corners, sizeof *mesh->vertex, "the mesh", &status, error);
    mesh->tag = array_zeroed(mesh->elements, sizeof *mesh->tag, "the mesh", &status, error);
    mesh->number = NULL;
    mesh->fiber = mesh->sheet = NULL;
    mesh->faces = 0;
    mesh->face = mesh->mark = NULL;
    mesh->names = (struct mesh_names){0};
    mesh->fields = (struct mesh_fields){0};
    if (directions)
        mesh->fiber = array_zeroed(3 * directions, sizeof *mesh->fiber, "the mesh", &status, error);
    if (directions && with_sheet)
        mesh->sheet = array_zeroed(3 * directions, sizeof *mesh->sheet, "the mesh", &status, error);
    if (status)
        mesh_free(mesh);
    return status;
}

void mesh_node_regions(const struct mesh *mesh, const int32_t *element_region, int regions,
                       int32_t *node_region)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            node_region[i] = regions;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < mesh->elements * corners; k++) {
            int32_t r = element_region[k / corners], *own = &node_region[mesh->vertex[k]];
            int32_t now = __atomic_load_n(own, __ATOMIC_RELAXED);
            while (r >= 0 && r < now &&
                   !__atomic_compare_exchange_n(own, &now, r, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
        }
    }
}

enum status mesh_allocate_faces(struct mesh *mesh, int64_t faces, struct error *error)
{
    enum status status = STATUS_OK;
    mesh->face =
        array_zeroed(faces * mesh->dimension, sizeof *mesh->face, "the marked faces", &status, error);
    mesh->mark = array_zeroed(faces, sizeof *mesh->mark, "the marked faces", &status, error);
    mesh->faces = status ? 0 : faces;
    return status;
}

double mesh_counts_bytes(int dimension, double nodes, double elements)
{
    return nodes * 3 * sizeof(double) + elements * (dimension + 2) * (double)sizeof(int32_t);
}

double mesh_bytes(const struct mesh *mesh)
{
    double nodes = (double)mesh->nodes, elements = (double)mesh->elements;
    double directions = mesh->fiber_location == LOCATION_NODE ? nodes : elements;
    double fields = 0;
    for (int f = 0; f < mesh->fields.count; f++) {
        const struct mesh_field *field = mesh->fields.item + f;
        if (field->value)
            fields += 8.0 * field->components * (field->location == LOCATION_NODE ? nodes : elements);
    }
    return mesh_counts_bytes(mesh->dimension, nodes, elements) +
           24 * directions * ((mesh->fiber != NULL) + (mesh->sheet != NULL)) +
           4.0 * (double)mesh->faces * (mesh->dimension + 1) + fields;
}

void mesh_components(int32_t *component, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            component[i] = -1;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->elements * corners; i++)
            __atomic_store_n(&component[mesh->vertex[i]], mesh->vertex[i], __ATOMIC_RELAXED);
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++)
            for (int c = 1; c < corners; c++)
                union_find_join(component, mesh->vertex[e * corners], mesh->vertex[e * corners + c]);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            if (component[i] >= 0)
                __atomic_store_n(&component[i], union_find_root(component, (int32_t)i), __ATOMIC_RELAXED);
    }
}

unsigned mesh_dimensions(const struct mesh *mesh)
{
    int64_t count[4];
    unsigned set = 0;
    mesh_count_dimensions(mesh, count);
    for (int d = 1; d <= mesh->dimension; d++)
        set |= count[d] > 0 ? 1u << d : 0;
    return set;
}

bool mesh_is_mixed(const struct mesh *mesh)
{
    bool mixed = false;
#pragma omp parallel for schedule(static) reduction(|| : mixed)
    for (int64_t e = 0; e < mesh->elements; e++)
        mixed = mixed || mesh_corners(mesh, e) <= mesh->dimension;
    return mixed;
}

void mesh_count_dimensions(const struct mesh *mesh, int64_t count[4])
{
    for (int d = 0; d < 4; d++)
        count[d] = 0;
#pragma omp parallel for schedule(static) reduction(+ : count[:4])
    for (int64_t e = 0; e < mesh->elements; e++)
        count[mesh_corners(mesh, e) - 1]++;
}
