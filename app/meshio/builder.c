/* builder.c: adds nodes, elements, faces and arrays to a mesh. */
#include "app/meshio/builder.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_report.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/printed.h"
#include "solver/mesh/surface.h"

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

/* At the first element of a higher dimension, all elements so far become lower ones. */
static void raise_dimension(struct mesh_builder *builder, int dimension)
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
        raise_dimension(builder, dimension);
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

/* Keeps the lower simplices of a dimension with keep[] != 0 (NULL: those with a tag), in order. */
static void select_lower(struct mesh_builder *builder, int dimension, const uint8_t *keep)
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
    select_lower(builder, builder->dimension - 1, NULL);
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

enum { TAGS_SHOWN = 8, TAGS_TEXT = 300 };

/* text <- "tag 2 (100), tag 5 (34) and 3 further tags" of tag[count], which is sorted */
static void list_tags(char text[TAGS_TEXT], int32_t *tag, int64_t count)
{
    int64_t shown = 0, first = 0;
    qsort(tag, (size_t)count, sizeof *tag, compare_int32);
    text[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i + 1 < count && tag[i + 1] == tag[i])
            continue;
        if (shown++ < TAGS_SHOWN)
            printed_item(text, TAGS_TEXT, "tag %d (%lld)", (int)tag[i], (long long)(i + 1 - first));
        first = i + 1;
    }
    if (shown > TAGS_SHOWN)
        printed_add(text, TAGS_TEXT, " and %lld further tags", (long long)(shown - TAGS_SHOWN));
}

static const char *const sides[] = {"", "edges", "faces"};

/* text <- the tags of simplices with on[] = 0; *strays <- how many they are */
static enum status list_strays(char text[TAGS_TEXT], const struct mesh_lower *lower, const uint8_t *on,
                               int64_t *strays, struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *tag = array_new(lower->count, sizeof *tag, "the tags", &status, error);
    TRY(status);
    *strays = 0;
    for (int64_t i = 0; i < lower->count; i++)
        if (!on[i])
            tag[(*strays)++] = lower->tag[i];
    list_tags(text, tag, *strays);
    free(tag);
    return STATUS_OK;
}

/* *on <- [lower] 1 where a lower simplex is a side of an element; to be freed; NULL if there are none */
static enum status find_sides(uint8_t **on, const struct mesh_builder *builder, int dimension,
                              struct error *error)
{
    const struct mesh mesh = {.dimension = builder->dimension,
                              .nodes = builder->nodes,
                              .elements = builder->elements,
                              .vertex = builder->vertex};
    const struct mesh_lower *lower = &builder->lower[dimension];
    enum status status = STATUS_OK;
    *on = lower->count ? array_new(lower->count, sizeof **on, "the edges of the mesh", &status, error) : NULL;
    if (status || !*on)
        return status;
    return mesh_sides_find(*on, &mesh, lower->vertex, dimension + 1, lower->count, error);
}

/* STATUS_INPUT if elements of one tag are both tissue and marks */
static enum status check_tags(const struct mesh_builder *builder, int dimension, const uint8_t *on,
                              const char *path, struct error *error)
{
    const struct mesh_lower *lower = &builder->lower[dimension];
    enum status status = STATUS_OK;
    int64_t strays = 0;
    int64_t *key = array_new(lower->count, sizeof *key, "the tags", &status, error);
    TRY(status);
    for (int64_t i = 0; i < lower->count; i++) {
        key[i] = 2 * (int64_t)lower->tag[i] + !on[i];
        strays += !on[i];
    }
    qsort(key, (size_t)lower->count, sizeof *key, compare_int64);
    for (int64_t i = 1; i < lower->count && !status; i++)
        if (key[i] == key[i - 1] + 1 && key[i] % 2 != 0)
            status =
                error_set(error, STATUS_INPUT,
                          "%s: of the %s of tag %lld some are %s of %s and some are not: %lld of all %lld "
                          "are not. Give "
                          "tissue and marks different tags, or read the tissue from a file of its own "
                          "(mesh.network); "
                          "`cardiac mesh repair IN OUT --drop-stray` removes it",
                          path, mesh_elements_name(dimension), (long long)(key[i] - 1) / 2, sides[dimension],
                          mesh_elements_name(builder->dimension), (long long)strays, (long long)lower->count);
    free(key);
    return status;
}

/* An element, to be sorted by its row in the file */
struct placed {
    int64_t row, index;
    int dimension;
};

/* Inserts the lower elements with on[] = 0 among the elements; their last node is repeated. */
static enum status merge(struct mesh_builder *builder, uint8_t *const on[3], int64_t strays,
                         struct error *error)
{
    const int corners = builder->dimension + 1;
    const int64_t all = builder->elements + strays;
    enum status status = STATUS_OK;
    int64_t count = 0;
    if (all > INT32_MAX)
        return error_set(error, STATUS_INPUT, "more than %d elements", INT32_MAX);
    struct placed *placed = array_new(all, sizeof *placed, "the mesh", &status, error);
    int32_t *vertex = array_new(all * corners, sizeof *vertex, "the mesh", &status, error);
    int32_t *tag = array_new(all, sizeof *tag, "the mesh", &status, error);
    int64_t *row = array_new(all, sizeof *row, "the mesh", &status, error);
    if (status) {
        free(vertex);
        free(tag);
        free(row);
        free(placed);
        return status;
    }
    for (int64_t e = 0; e < builder->elements; e++)
        placed[count++] = (struct placed){builder->row[e], e, builder->dimension};
    for (int d = 1; d < builder->dimension; d++)
        for (int64_t i = 0; i < builder->lower[d].count; i++)
            if (!on[d][i])
                placed[count++] = (struct placed){builder->lower[d].row[i], i, d};
    qsort(placed, (size_t)all, sizeof *placed, compare_int64_pair);
    for (int64_t e = 0; e < all; e++) {
        const struct placed *from = &placed[e];
        const struct mesh_lower *lower =
            from->dimension < builder->dimension ? &builder->lower[from->dimension] : NULL;
        const int own = from->dimension + 1;
        const int32_t *node = (lower ? lower->vertex : builder->vertex) + from->index * own;
        for (int c = 0; c < corners; c++)
            vertex[e * corners + c] = node[c < own ? c : own - 1];
        tag[e] = lower ? lower->tag[from->index] : builder->tag[from->index];
        row[e] = from->row;
    }
    free(placed);
    free(builder->vertex);
    free(builder->tag);
    free(builder->row);
    builder->vertex = vertex;
    builder->tag = tag;
    builder->row = row;
    builder->elements = builder->element_room = all;
    return STATUS_OK;
}

/* Swaps first and last node of a simplex whose last two nodes are equal, so that it is not taken for one of a
 * lower dimension; mesh_check() still reports that it names a node twice. */
static void unlike_lower(int32_t *vertex, int64_t count, int corners)
{
    for (int64_t e = 0; e < count && corners > 2; e++, vertex += corners)
        if (vertex[corners - 1] == vertex[corners - 2]) {
            int32_t first = vertex[0];
            vertex[0] = vertex[corners - 1];
            vertex[corners - 1] = first;
        }
}

/* Whether edges of tetrahedra with this tag are tissue: a path in it, which the file or the caller names */
static bool is_tissue_line(const struct mesh_builder *builder, int32_t tag)
{
    const struct array_selection *selection = builder->selection;
    bool is = (selection->keep_lines && tag != 0) || mesh_names_of(&builder->names, 1, tag);
    for (int k = 0; k < selection->lines && !is; k++)
        is = selection->line[k] == tag;
    return is;
}

/* text <- the tags of lower simplices that stay marks */
static enum status list_left(char text[TAGS_TEXT], const struct mesh_lower *lower, const uint8_t *on,
                             struct error *error)
{
    enum status status = STATUS_OK;
    int64_t count = 0;
    int32_t *tag = array_new(lower->count, sizeof *tag, "the tags", &status, error);
    TRY(status);
    for (int64_t i = 0; i < lower->count; i++)
        if (on[i] && lower->tag[i] != 0)
            tag[count++] = lower->tag[i];
    list_tags(text, tag, count);
    free(tag);
    return STATUS_OK;
}

enum status lower_settle(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                         enum lower_kind kind, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *on[3] = {NULL};
    int64_t strays = 0;
    unlike_lower(builder->vertex, builder->elements, builder->dimension + 1);
    for (int d = 1; d < builder->dimension; d++) {
        struct mesh_lower *lower = &builder->lower[d];
        unlike_lower(lower->vertex, lower->count, d + 1);
        if (kind == LOWER_MARKS)
            continue;
        TRY_DONE(find_sides(&on[d], builder, d, error));
        if (d == 1 && kind == LOWER_LINES && on[d] && !builder->selection->drop_stray)
            memset(on[d], 0, (size_t)lower->count);
        if (on[d] && builder->selection->drop_stray) {
            int64_t before = lower->count;
            select_lower(builder, d, on[d]);
            notes->strays[d] += before - lower->count;
            memset(on[d], 1, (size_t)lower->count);
        }
        if (on[d])
            TRY_DONE(check_tags(builder, d, on[d], path, error));
        for (int64_t i = 0; i < lower->count && d + 1 < builder->dimension; i++)
            on[d][i] = on[d][i] && !is_tissue_line(builder, lower->tag[i]);
        if (on[d] && d + 1 < builder->dimension)
            TRY_DONE(list_left(notes->lines, lower, on[d], error));
        for (int64_t i = 0; i < lower->count; i++)
            strays += !on[d][i];
    }
    if (strays > 0)
        TRY_DONE(merge(builder, on, strays, error));
    for (int d = 1; d < builder->dimension; d++)
        if (on[d])
            select_lower(builder, d, on[d]);
done:
    for (int d = 0; d < 3; d++)
        free(on[d]);
    return status;
}

enum status lower_marks(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                        struct error *error)
{
    enum status status = STATUS_OK;
    for (int d = 1; d < builder->dimension && !status; d++) {
        struct mesh_lower *lower = &builder->lower[d];
        char tags[TAGS_TEXT];
        uint8_t *on;
        int64_t all = lower->count, strays = 0;
        status = find_sides(&on, builder, d, error);
        if (!status && on && memchr(on, 0, (size_t)all) && !builder->selection->drop_stray) {
            status = list_strays(tags, lower, on, &strays, error);
            if (!status)
                status = error_set(error, STATUS_INPUT,
                                   "%s: %lld of %lld marked %s are not %s of the mesh's %s: %s; "
                                   "`cardiac mesh repair IN OUT --drop-stray` removes them",
                                   path, (long long)strays, (long long)all, mesh_elements_name(d), sides[d],
                                   mesh_elements_name(builder->dimension), tags);
        }
        if (!status && on) {
            select_lower(builder, d, on);
            notes->strays[d] += all - lower->count;
        }
        free(on);
    }
    return status;
}
