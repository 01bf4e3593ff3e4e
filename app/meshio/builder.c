/* builder.c: adds nodes, elements, faces and arrays to a mesh. */
#include "app/meshio/builder.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static const char what[] = "the mesh";

enum status builder_node(struct mesh_builder *builder, const double point[3], struct error *error)
{
    if (builder->nodes == INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d nodes", INT32_MAX);
    TRY(array_grow((void **)&builder->point, &builder->node_room, builder->nodes, 3 * sizeof(double), what,
                   error));
    memcpy(builder->point + 3 * builder->nodes++, point, 3 * sizeof(double));
    return STATUS_OK;
}

/* Room for one more simplex: its vertices and its tag */
static enum status grow_simplices(int32_t **vertex, int32_t **tag, int64_t *room, int64_t count,
                                  int dimension, struct error *error)
{
    int64_t vertices = *room;
    TRY(array_grow((void **)vertex, &vertices, count, ((size_t)dimension + 1) * sizeof **vertex, what,
                   error));
    return array_grow((void **)tag, room, count, sizeof **tag, what, error);
}

static enum status grow_elements(struct mesh_builder *builder, struct error *error)
{
    int64_t room = builder->element_room, rows = room;
    TRY(array_grow((void **)&builder->row, &rows, builder->elements, sizeof(int64_t), what, error));
    TRY(grow_simplices(&builder->vertex, &builder->tag, &room, builder->elements, builder->dimension, error));
    builder->element_room = room;
    return STATUS_OK;
}

static void lower_free(struct mesh_lower *lower)
{
    free(lower->vertex);
    free(lower->tag);
    free(lower->row);
    *lower = (struct mesh_lower){0};
}

static enum status add_lower(struct mesh_builder *builder, int dimension, const int32_t *vertex, int32_t tag,
                             int64_t row, struct error *error)
{
    struct mesh_lower *lower = &builder->lower[dimension];
    size_t corners = (size_t)dimension + 1;
    int64_t rows = lower->room;
    TRY(array_grow((void **)&lower->row, &rows, lower->count, sizeof *lower->row, what, error));
    TRY(grow_simplices(&lower->vertex, &lower->tag, &lower->room, lower->count, dimension, error));
    memcpy(lower->vertex + (size_t)lower->count * corners, vertex, corners * sizeof *vertex);
    lower->row[lower->count] = row;
    lower->tag[lower->count++] = tag;
    return STATUS_OK;
}

enum status builder_face(struct mesh_builder *builder, const int32_t *vertex, int32_t mark,
                         struct error *error)
{
    return add_lower(builder, builder->dimension - 1, vertex, mark, -1, error);
}

/* The first element of a higher dimension comes: those so far become lower ones. */
static void rise(struct mesh_builder *builder, int dimension)
{
    if (builder->dimension)
        builder->lower[builder->dimension] = (struct mesh_lower){builder->vertex, builder->tag, builder->row,
                                                                 builder->elements, builder->element_room};
    builder->vertex = builder->tag = NULL;
    builder->row = NULL;
    builder->elements = builder->element_room = 0;
    builder->dimension = dimension;
}

enum status builder_element(struct mesh_builder *builder, int dimension, const int32_t *vertex, int32_t tag,
                            struct error *error)
{
    int64_t row = builder->rows++;
    if (dimension == 0) {
        builder->points++;
        return STATUS_OK;
    }
    if (dimension < builder->dimension)
        return add_lower(builder, dimension, vertex, tag, row, error);
    if (dimension > builder->dimension)
        rise(builder, dimension);
    if (builder->elements == INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d elements", INT32_MAX);
    TRY(grow_elements(builder, error));
    int64_t corners = dimension + 1, e = builder->elements++;
    memcpy(builder->vertex + corners * e, vertex, (size_t)corners * sizeof *vertex);
    builder->tag[e] = tag;
    builder->row[e] = row;
    return STATUS_OK;
}

enum status builder_directions(struct mesh_builder *builder, enum location location, int with_sheet,
                               struct error *error)
{
    assert(builder->fiber_location == LOCATION_NONE || builder->fiber_location == location);
    int64_t count = location == LOCATION_NODE ? builder->nodes : builder->elements;
    enum status status = STATUS_OK;
    builder->fiber_location = location;
    if (!builder->fiber)
        builder->fiber = array_zeroed(3 * count, sizeof *builder->fiber, "the fibres", &status, error);
    if (with_sheet && !builder->sheet)
        builder->sheet = array_zeroed(3 * count, sizeof *builder->sheet, "the sheets", &status, error);
    return status;
}

enum status builder_field(struct mesh_builder *builder, const char *name, enum location location,
                          int components, struct mesh_field **field, struct error *error)
{
    int64_t rows = location == LOCATION_NODE ? builder->nodes : builder->elements;
    double fill = array_selection_is_direction(builder->selection, name, components) ? 0 : NAN, *value = NULL;
    enum status status = STATUS_OK;
    *field = mesh_fields_find(&builder->fields, name, location);
    if (*field && (*field)->location == location && (*field)->components == components)
        return STATUS_OK;
    if (array_selection_has(builder->selection, name, components))
        value = array_new(rows * components, sizeof *value, name, &status, error);
    for (int64_t i = 0; value && i < rows * components; i++)
        value[i] = fill;
    if (status)
        return status;
    TRY(mesh_fields_add(&builder->fields, name, location, components, value, error));
    *field = builder->fields.item + builder->fields.count - 1;
    return STATUS_OK;
}

void builder_start(struct mesh_builder *builder, struct mesh *mesh)
{
    *builder = (struct mesh_builder){.selection = builder->selection,
                                     .point = mesh->point,
                                     .nodes = mesh->nodes,
                                     .dimension = mesh->dimension,
                                     .vertex = mesh->vertex,
                                     .tag = mesh->tag,
                                     .elements = mesh->elements,
                                     .fiber_location = mesh->fiber_location,
                                     .fiber = mesh->fiber,
                                     .sheet = mesh->sheet,
                                     .fields = mesh->fields,
                                     .names = mesh->names};
    builder->lower[mesh->dimension - 1] =
        (struct mesh_lower){mesh->face, mesh->mark, NULL, mesh->faces, mesh->faces};
    *mesh = (struct mesh){0};
}

void builder_select_lower(struct mesh_builder *builder, int dimension, const uint8_t *keep)
{
    struct mesh_lower *lower = &builder->lower[dimension];
    size_t corners = (size_t)dimension + 1;
    int64_t kept = 0;
    for (int64_t i = 0; i < lower->count; i++) {
        if (keep ? !keep[i] : lower->tag[i] == 0)
            continue;
        memmove(lower->vertex + (size_t)kept * corners, lower->vertex + (size_t)i * corners,
                corners * sizeof *lower->vertex);
        if (lower->row)
            lower->row[kept] = lower->row[i];
        lower->tag[kept++] = lower->tag[i];
    }
    lower->count = kept;
}

void builder_finish(struct mesh_builder *builder, struct mesh *mesh)
{
    struct mesh_lower *side = &builder->lower[builder->dimension - 1];
    builder_select_lower(builder, builder->dimension - 1, NULL);
    if (side->count == 0)
        lower_free(side);
    *mesh = (struct mesh){.dimension = builder->dimension,
                          .nodes = builder->nodes,
                          .elements = builder->elements,
                          .point = builder->point,
                          .vertex = builder->vertex,
                          .tag = builder->tag,
                          .fiber_location = builder->fiber_location,
                          .fiber = builder->fiber,
                          .sheet = builder->sheet,
                          .faces = side->count,
                          .face = side->vertex,
                          .mark = side->tag,
                          .fields = builder->fields,
                          .names = builder->names};
    free(side->row);
    *side = (struct mesh_lower){0};
    free(builder->row);
    for (int d = 0; d < 3; d++)
        lower_free(&builder->lower[d]);
    *builder = (struct mesh_builder){0};
}

void builder_free(struct mesh_builder *builder)
{
    free(builder->point);
    free(builder->vertex);
    free(builder->tag);
    free(builder->row);
    free(builder->fiber);
    free(builder->sheet);
    for (int d = 0; d < 3; d++)
        lower_free(&builder->lower[d]);
    mesh_fields_free(&builder->fields);
    mesh_names_free(&builder->names);
    *builder = (struct mesh_builder){0};
}
