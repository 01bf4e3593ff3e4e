/* environment.c: find the arrays that an expression names, and evaluate it. */
#include "app/problem/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/value.h"
#include "app/problem/heart.h"
#include "app/problem/node_list.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/suggest.h"
#include "solver/heart/rotation.h"

static const char what[] = "the values of an expression";

double environment_diagonal(const struct mesh *mesh)
{
    double low[3], high[3];
    mesh_box(low, high, mesh);
    return mesh_distance(low, high);
}

static enum status make_surfaces(struct environment *environment, struct error *error)
{
    return environment->on ? STATUS_OK
                           : heart_surfaces(&environment->on, environment->mesh, environment->from,
                                            environment->inputs, error);
}

enum status environment_heart(struct environment *environment, unsigned set, struct error *error)
{
    TRY(make_surfaces(environment, error));
    const struct mesh *mesh = environment->mesh;
    struct coordinates *to = &environment->coordinates;
    coordinates_mark_apex(environment->on, mesh);
    heart_cache_read(&environment->cache, to, mesh, environment->on, set);
    struct coordinates before = *to;
    TRY(coordinates_make(to, mesh, environment->on, set, error));
    heart_cache_store(&environment->cache, &before, to, mesh->nodes);
    return STATUS_OK;
}

/* array <- an array of the mesh; at nodes, an element array is converted to the value of each node's first element */
static enum status find_field_values(const struct mesh *mesh, const struct mesh_field *field,
                                     enum location location, struct environment_array *array,
                                     struct error *error)
{
    enum status status = STATUS_OK;
    int corners = mesh->dimension + 1;
    *array = (struct environment_array){field->value, field->location, NULL, false};
    if (field->components != 1)
        return error_set(error, STATUS_INPUT, "'%.60s' of the mesh has %d components; expected one",
                         field->name, field->components);
    if (field->location == LOCATION_NODE || location == LOCATION_ELEMENT)
        return STATUS_OK;
    array->owned = array_zeroed(mesh->nodes, sizeof *array->owned, what, &status, error);
    for (int64_t k = mesh->elements * corners - 1; k >= 0 && !status; k--)
        array->owned[mesh->vertex[k]] = field->value[k / corners];
    array->value = array->owned;
    array->location = LOCATION_NODE;
    return status;
}

/* The mesh's array of that name, preferably at `location`; NULL = none */
static const struct mesh_field *find_field(const struct mesh *mesh, const char *name, enum location location)
{
    const struct mesh_field *here = mesh_fields_find(&mesh->fields, name, location);
    if (!here)
        here = mesh_fields_find(&mesh->fields, name,
                                location == LOCATION_NODE ? LOCATION_ELEMENT : LOCATION_NODE);
    return here && here->value ? here : NULL;
}

/* Coordinates of the heart by name */
struct coordinate {
    const char *name, *needs;
    unsigned set;
};
static const struct coordinate coordinates[] = {
    {"transmural", "the surfaces epi and lv or rv", COORDINATES_TRANSMURAL},
    {"apicobasal", "the surfaces epi and base", COORDINATES_APICOBASAL},
    {"interventricular", "the surfaces lv and rv", COORDINATES_INTERVENTRICULAR},
    {"rotational",
     "the surfaces base, epi, rv and lv, which meets base, of a heart in one piece with a septum",
     COORDINATES_ROTATIONAL}};
enum { NAMES = sizeof coordinates / sizeof *coordinates };

static enum status find_coordinate(struct environment *environment, const struct coordinate *coordinate,
                                   struct environment_array *array, struct error *error)
{
    TRY(environment_heart(environment, coordinate->set, error));
    const struct coordinates *made = &environment->coordinates;
    const double *const values[NAMES] = {made->transmural, made->apicobasal, made->interventricular,
                                         made->rotational};
    *array = (struct environment_array){values[coordinate - coordinates], LOCATION_NODE, NULL,
                                        coordinate->set == COORDINATES_ROTATIONAL};
    return array->value ? STATUS_OK
                        : error_set(error, STATUS_INPUT, "%s requires %s, which the mesh does not have",
                                    coordinate->name, coordinate->needs);
}

/* What a surface name denotes: an entry of mesh.surfaces, a surface of the heart, or faces of the mesh */
struct named_surface {
    const struct config_surface *given; /* NULL: none */
    int heart;                          /* enum heart_surface, < 0: none; `given` may define it */
    struct config_surface faces;        /* if neither of these */
    int32_t mark;                       /* of `faces`; possibly of no face */
};

static enum status find_surface(struct named_surface *found, const struct environment *environment,
                                const char *name, struct error *error)
{
    const struct mesh_names *of_mesh = &environment->mesh->names;
    const unsigned dimension = 1u << (environment->mesh->dimension - 1);
    const struct mesh_name *named;
    struct suggestion suggestion = suggest_for(name);
    char given[400] = "", names[400];
    *found = (struct named_surface){.heart = -1};
    for (int k = 0; k < environment->from->nameds; k++) {
        if (suggest_try(&suggestion, environment->from->named[k].key))
            found->given = &environment->from->named[k];
        printed_item(given, sizeof given, "%s", environment->from->named[k].key);
    }
    for (int s = 0; s < HEART_SURFACES; s++)
        if (strcmp(name, heart_surface_name((enum heart_surface)s)) == 0)
            found->heart = s;
    if (found->given || found->heart >= 0)
        return STATUS_OK;
    if (value_surface(&found->faces, name) && found->faces.mark) {
        found->mark = found->faces.mark;
        return STATUS_OK;
    }
    TRY(mesh_names_find(of_mesh, name, dimension, &named, error));
    mesh_names_list(of_mesh, dimension, names, sizeof names);
    if (!named)
        return error_set(error, STATUS_INPUT,
                         "no surface '%.60s'%s; mesh.surfaces has: %s; the mesh file has: %s", name,
                         suggest_hint(&suggestion), *given ? given : "none", names);
    found->faces = (struct config_surface){.name = name};
    found->mark = named->tag;
    return STATUS_OK;
}

/* on[] |= 1 << bit at the nodes of the named surface */
static enum status add_nodes_on(uint8_t *on, int bit, struct environment *environment, const char *name,
                                struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    struct named_surface surface;
    TRY(find_surface(&surface, environment, name, error));
    if (surface.given || surface.heart < 0)
        return heart_add_surface(on, mesh, surface.given ? surface.given : &surface.faces,
                                 (enum heart_surface)bit, environment->inputs, error);
    TRY(make_surfaces(environment, error));
    coordinates_mark_apex(environment->on, mesh);
    for (int64_t i = 0; i < mesh->nodes; i++)
        on[i] |= (uint8_t)((environment->on[i] >> surface.heart & 1) << bit);
    return heart_surfaces_count(environment->on, mesh->nodes, (enum heart_surface)surface.heart) > 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "this mesh has no surface %s", name);
}

/* on[nodes] <- bit 0 on the `from` surfaces, bit 1 on the `to` surfaces */
static enum status mark_ends(uint8_t *on, struct environment *environment,
                             const struct config_laplace *laplace, struct error *error)
{
    int64_t ends[2] = {0, 0};
    for (int k = 0; k < laplace->froms; k++)
        TRY(add_nodes_on(on, 0, environment, laplace->from[k], error));
    for (int k = 0; k < laplace->tos; k++)
        TRY(add_nodes_on(on, 1, environment, laplace->to[k], error));
    for (int64_t i = 0; i < environment->mesh->nodes; i++) {
        ends[0] += on[i] & 1;
        ends[1] += on[i] == 2;
    }
    return ends[0] && ends[1]
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "mesh.laplace.%s: every node of `to` is one of `from`, too",
                           laplace->key);
}

enum status environment_laplace(struct environment *environment, int k, const double **value,
                                struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    const struct config_laplace *laplace = &environment->from->laplace[k];
    enum status status = STATUS_OK;
    struct error inner = {0};
    uint8_t *on = NULL;
    for (int c = 0; c < NAMES; c++)
        if (strcmp(coordinates[c].name, laplace->key) == 0)
            return error_set(error, STATUS_INPUT,
                             "mesh.laplace.%s: this is a coordinate of the heart; choose another name",
                             laplace->key);
    if (mesh_fields_find(&mesh->fields, laplace->key, LOCATION_NONE))
        return error_set(error, STATUS_INPUT,
                         "mesh.laplace.%s: the mesh has an array of that name; choose another one",
                         laplace->key);
    if (!environment->laplace)
        environment->laplace =
            array_zeroed(environment->from->laplaces, sizeof *environment->laplace, what, &status, error);
    if (!status && !environment->laplace[k]) {
        on = array_zeroed(mesh->nodes, sizeof *on, what, &status, error);
        TRY_DONE(status);
        status = mark_ends(on, environment, laplace, &inner);
        if (status)
            TRY_DONE(error_set(error, status, "mesh.laplace.%s: %.1000s", laplace->key, inner.text));
        TRY_DONE(heart_between(&environment->laplace[k], &environment->cache, &environment->coordinates, mesh,
                               on, error));
    }
    *value = environment->laplace ? environment->laplace[k] : NULL;
done:
    free(on);
    return status;
}

int environment_find_laplace(const struct environment *environment, const char *name)
{
    for (int k = 0; k < environment->from->laplaces; k++)
        if (strcmp(environment->from->laplace[k].key, name) == 0)
            return k;
    return -1;
}

/* array <- a field of mesh.laplace, an array of the mesh, or a coordinate of the heart */
static enum status find_name(struct environment *environment, const struct where_leaf *leaf,
                             enum location location, struct environment_array *array, struct error *error)
{
    char own[300];
    const int laplace = environment_find_laplace(environment, leaf->name);
    if (laplace >= 0) {
        *array = (struct environment_array){.location = LOCATION_NODE};
        return environment_laplace(environment, laplace, &array->value, error);
    }
    struct suggestion suggestion = suggest_for(leaf->name);
    const struct mesh_fields *fields = &environment->mesh->fields;
    const struct mesh_field *field = find_field(environment->mesh, leaf->name, location);
    if (field)
        return find_field_values(environment->mesh, field, location, array, error);
    for (int k = 0; k < fields->count; k++)
        suggest_try(&suggestion, fields->item[k].name);
    for (int k = 0; k < environment->from->laplaces; k++)
        suggest_try(&suggestion, environment->from->laplace[k].key);
    for (int k = 0; k < NAMES; k++)
        if (suggest_try(&suggestion, coordinates[k].name))
            return find_coordinate(environment, coordinates + k, array, error);
    mesh_fields_names(fields, own, sizeof own);
    return error_set(error, STATUS_INPUT,
                     "no variable is named '%.60s'%s; available: x, y, z, transmural, apicobasal, "
                     "interventricular, rotational; arrays of the mesh: %s",
                     leaf->name, suggest_hint(&suggestion), own);
}

/* array <- 1 in a segment of the left ventricle */
static enum status find_segment(struct environment *environment, const struct where_leaf *leaf,
                                enum location location, struct environment_array *array, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    const int64_t count = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    enum status status = STATUS_OK;
    TRY(environment_heart(environment, COORDINATES_SIDES, error));
    TRY(find_coordinate(environment, coordinates + NAMES - 1, array, error));
    array->owned = array_new(count, sizeof *array->owned, what, &status, error);
    *array = (struct environment_array){array->owned, location, array->owned, false};
    if (!status)
        status = rotation_segments(array->owned, &environment->coordinates, mesh, environment->on, location,
                                   error);
    for (int64_t i = 0; i < count && !status; i++)
        array->owned[i] = array->owned[i] == leaf->number;
    return status;
}

/* array <- the distance to the nearest node of a surface in mesh.surfaces, mm */
static enum status find_distance_to_nodes(struct environment *environment, const char *name,
                                          struct environment_array *array, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    uint8_t *on = array_zeroed(mesh->nodes, sizeof *on, what, &status, error);
    array->owned = array_new(mesh->nodes, sizeof *array->owned, what, &status, error);
    array->value = array->owned;
    array->location = LOCATION_NODE;
    if (!status)
        status = add_nodes_on(on, 0, environment, name, error);
    if (!status)
        status = coordinates_to_nodes(array->owned, mesh, on, error);
    free(on);
    return status;
}

/* array <- the distance to a surface of the heart or to faces of the mesh, mm; for one in mesh.surfaces, to its
 * nearest node */
static enum status find_distance(struct environment *environment, const struct where_leaf *leaf,
                                 struct environment_array *array, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    struct named_surface surface;
    bool there = false;
    TRY(find_surface(&surface, environment, leaf->name, error));
    if (surface.given && surface.heart < 0)
        return find_distance_to_nodes(environment, leaf->name, array, error);
    if (surface.heart >= 0) {
        TRY(environment_heart(environment, COORDINATES_DISTANCE << surface.heart, error));
        *array = (struct environment_array){environment->coordinates.distance[surface.heart], LOCATION_NODE,
                                            NULL, false};
        return array->value ? STATUS_OK
                            : error_set(error, STATUS_INPUT, "this mesh has no surface %s", leaf->name);
    }
    for (int64_t f = 0; f < mesh->faces && !there; f++)
        there = mesh->mark[f] == surface.mark;
    if (!there)
        return error_set(error, STATUS_INPUT, "no surface '%.60s': no face of the mesh has mark %d",
                         leaf->name, (int)surface.mark);
    array->owned = array_new(mesh->nodes, sizeof *array->owned, what, &status, error);
    array->value = array->owned;
    array->location = LOCATION_NODE;
    return status ? status : coordinates_to_mark(array->owned, mesh, surface.mark, error);
}

/* array <- 1 where an element, or any element of a node, has one of the tags. Each tag must exist in the mesh. */
static enum status find_tags(const struct mesh *mesh, const struct where_leaf *leaf, enum location location,
                             struct environment_array *array, struct error *error)
{
    const int64_t count = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    enum status status = STATUS_OK;
    TRY(environment_resolve_tags(leaf->tags, mesh, error));
    for (int k = 0; k < leaf->tags->count; k++)
        if (!environment_tag_there(leaf->tags, k, mesh))
            return error_set(error, STATUS_INPUT, "no element of the mesh has tag %d",
                             (int)leaf->tags->tag[k]);
    uint8_t *tagged = array_new(count, sizeof *tagged, what, &status, error);
    array->owned = array_new(count, sizeof *array->owned, what, &status, error);
    if (!status)
        environment_mark_tags(tagged, mesh, leaf->tags, location);
    for (int64_t i = 0; i < count && !status; i++)
        array->owned[i] = tagged[i];
    array->value = array->owned;
    array->location = location;
    free(tagged);
    return status;
}

/* array <- 1 at nodes with mark[] != 0, and in elements with such a node */
static enum status find_marked(const struct mesh *mesh, const uint8_t *mark, enum location location,
                               struct environment_array *array, struct error *error)
{
    const int corners = mesh->dimension + 1;
    const int64_t count = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    enum status status = STATUS_OK;
    array->owned = array_zeroed(count, sizeof *array->owned, what, &status, error);
    array->value = array->owned;
    array->location = location;
    for (int64_t i = 0; i < count && !status; i++)
        if (location == LOCATION_NODE)
            array->owned[i] = mark[i];
        else
            for (int c = 0; c < corners; c++)
                array->owned[i] = array->owned[i] != 0 || mark[mesh->vertex[i * corners + c]] != 0;
    return status;
}

static enum status find_on_surface(struct environment *environment, const struct where_leaf *leaf,
                                   enum location location, struct environment_array *array,
                                   struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    uint8_t *on = array_zeroed(mesh->nodes, sizeof *on, what, &status, error);
    if (!status)
        status = add_nodes_on(on, 0, environment, leaf->name, error);
    if (!status)
        status = find_marked(mesh, on, location, array, error);
    free(on);
    return status;
}

static enum status find_listed(const struct environment *environment, const struct where_leaf *leaf,
                               enum location location, struct environment_array *array, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    uint8_t *listed = array_zeroed(mesh->nodes, sizeof *listed, what, &status, error);
    if (!status)
        status = node_list_read(leaf->name, mesh->nodes, listed, environment->inputs, error);
    if (!status)
        status = find_marked(mesh, listed, location, array, error);
    free(listed);
    return status;
}

/* array <- the values of a leaf; unchanged if the leaf needs no array */
static enum status find_array(struct environment *environment, const struct where_leaf *leaf,
                              enum location location, struct environment_array *array, struct error *error)
{
    switch (leaf->kind) {
    case WHERE_NAME:
        return find_name(environment, leaf, location, array, error);
    case WHERE_DISTANCE:
        return find_distance(environment, leaf, array, error);
    case WHERE_SURFACE:
        return find_on_surface(environment, leaf, location, array, error);
    case WHERE_SEGMENT:
        return find_segment(environment, leaf, location, array, error);
    case WHERE_NODES:
        return find_listed(environment, leaf, location, array, error);
    case WHERE_TAG:
        return find_tags(environment->mesh, leaf, location, array, error);
    default:
        return STATUS_OK;
    }
}

/* out[count] <- value[node * stride] at nodes, or its mean over the nodes of each element */
static void find_node_values(const struct environment_view *view, const double *value, int stride,
                             bool periodic, int64_t first, int count, double *out)
{
    const struct mesh *mesh = view->mesh;
    int corners = mesh->dimension + 1;
    for (int i = 0; i < count; i++) {
        if (view->location == LOCATION_NODE) {
            out[i] = value[(first + i) * stride];
            continue;
        }
        const int own = mesh_corners(mesh, first + i);
        double corner[4], sum = 0;
        for (int c = 0; c < own; c++)
            corner[c] = value[(int64_t)mesh->vertex[(first + i) * corners + c] * stride];
        if (periodic)
            rotation_unwrap(corner, own);
        for (int c = 0; c < own; c++)
            sum += corner[c];
        out[i] = periodic ? rotation_wrap(sum / own) : sum / own;
    }
}

static void find_values(const void *data, int k, int64_t first, int count, double *out)
{
    const struct environment_view *view = data;
    const struct where_leaf *leaf = k < 0 ? NULL : view->where->leaf + k;
    if (!leaf || leaf->kind == WHERE_COORDINATE)
        find_node_values(view, view->mesh->point + (leaf ? (int)leaf->number : -1 - k), 3, false, first,
                         count, out);
    else if (view->array[k].location == LOCATION_NODE)
        find_node_values(view, view->array[k].value, 1, view->array[k].periodic, first, count, out);
    else
        memcpy(out, view->array[k].value + first, (size_t)count * sizeof *out);
}

enum status environment_view_make(struct environment_view *view, struct environment *environment,
                                  const struct where *where, enum location location, int *at,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    *at = 0;
    *view = (struct environment_view){environment->mesh, where, location,
                                      1e-9 * environment_diagonal(environment->mesh), NULL};
    view->array = array_zeroed(where->leaves, sizeof *view->array, what, &status, error);
    for (int k = 0; k < where->leaves && !status; k++) {
        *at = where->leaf[k].at;
        status = find_array(environment, where->leaf + k, location, view->array + k, error);
    }
    if (!status)
        *at = 0;
    return status;
}

void environment_view_free(struct environment_view *view)
{
    for (int k = 0; view->array && k < view->where->leaves; k++)
        free(view->array[k].owned);
    free(view->array);
}

enum status environment_values(struct environment *environment, const struct where *where,
                               enum location location, double *out, int *at, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    struct environment_view view;
    enum status status = environment_view_make(&view, environment, where, location, at, error);
    const struct where_values all = {&view, view.slack, find_values};
    if (!status)
        status = where_evaluate(where, &all, 0, location == LOCATION_NODE ? mesh->nodes : mesh->elements, out,
                                error);
    environment_view_free(&view);
    return status;
}

void environment_free(struct environment *environment)
{
    for (int k = 0; environment->laplace && k < environment->from->laplaces; k++)
        free(environment->laplace[k]);
    free(environment->laplace);
    while (environment->weights) {
        struct environment_weights *first = environment->weights;
        environment->weights = first->next;
        free(first);
    }
    free(environment->on);
    coordinates_free(&environment->coordinates);
    *environment = (struct environment){0};
}

/* Appends the expression's names to list[count]; only counts them if list is NULL. Returns the new count. */
static int add_names(const char **list, int count, const struct where *where)
{
    for (int k = 0; where && k < where->leaves; k++)
        if (where->leaf[k].kind == WHERE_NAME) {
            if (list)
                list[count] = where->leaf[k].name;
            count++;
        }
    return count;
}

int environment_names(const char ***names, const struct config *config)
{
    int count = 0;
    *names = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(*names = calloc((size_t)count + 1, sizeof **names)))
            return -1;
        count = 0;
        for (int r = 0; r < config->tissue.regions; r++) {
            count = add_names(*names, count, config->tissue.region[r].where);
            count = add_names(*names, count, config->tissue.region[r].scale);
            for (int k = 0; k < 3; k++)
                count = add_names(*names, count, config->tissue.region[r].scale_axis[k]);
            count = add_names(*names, count, config->tissue.region[r].phase);
            for (int f = 0; f < config->tissue.region[r].fields; f++)
                count = add_names(*names, count, config->tissue.region[r].field[f].values);
        }
        for (int k = 0; k < config->tissue.fiber_rules; k++) {
            count = add_names(*names, count, config->tissue.fiber_rule[k].where);
            count = add_names(*names, count, config->tissue.fiber_rule[k].angle);
        }
        for (int s = 0; s < config->stimuli; s++)
            count = add_names(*names, count, config->stimulus[s].where);
        count = add_names(*names, count, config->induction.where);
        for (int k = 0; k < config->induction.lesions; k++)
            count = add_names(*names, count, config->induction.lesion[k].where);
        for (int k = 0; k < config->fit.parameters; k++)
            count = add_names(*names, count, config->fit.parameter[k].on);
    }
    return count;
}
