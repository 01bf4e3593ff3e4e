/* vtk_grid.c: cells to elements. */
#include "app/meshio/vtk/vtk_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/split.h"
#include "kernels/base/array.h"

void vtk_grid_start(struct vtk_grid *grid, const char *path, struct mesh_builder *builder,
                    struct length_unit unit, struct mesh_notes *notes)
{
    *grid = (struct vtk_grid){.path = path,
                              .builder = builder,
                              .notes = notes,
                              .unit = unit,
                              .points = -1,
                              .cells = -1,
                              .point = {.what = "the points", .target = VTK_COORDINATES, .unit = unit},
                              .node = {.what = "the cells' nodes", .target = VTK_NODES},
                              .end = {.what = "the cells' offsets", .target = VTK_COUNTS},
                              .type = {.what = "the cells' types", .target = VTK_TYPES}};
}

void vtk_grid_free(struct vtk_grid *grid)
{
    vtk_values_free(&grid->point);
    vtk_values_free(&grid->node);
    vtk_values_free(&grid->end);
    vtk_values_free(&grid->type);
    mesh_fields_free(&grid->field);
}

enum status vtk_grid_field(struct vtk_grid *grid, const char *name, enum location location, int components,
                           bool *wanted, struct error *error)
{
    const struct mesh_field *same = mesh_fields_find(&grid->field, name, location);
    *wanted = wanted_has(grid->builder->wanted, name, components);
    if (same && same->location == location)
        return *wanted
                   ? error_set(error, STATUS_INPUT, "%s: two arrays have the name '%.80s'", grid->path, name)
                   : STATUS_OK;
    return mesh_fields_add(&grid->field, name, location, components, NULL, error);
}

/* Whether all cells are of one simplex, so that their nodes are the mesh's as they are */
static bool all_alike(const struct vtk_grid *grid)
{
    const uint8_t *type = grid->type.value;
    for (int64_t i = 1; i < grid->cells; i++)
        if (type[i] != type[0])
            return false;
    return type[0] == SPLIT_LINE || type[0] == SPLIT_TRIANGLE || type[0] == SPLIT_TETRA;
}

/* Types, offsets and nodes must fit each other; types that cannot be used are counted. */
static enum status check_cells(const struct vtk_grid *grid, struct error *error)
{
    const uint8_t *type = grid->type.value;
    const int64_t *end = grid->end.value;
    int64_t unusable[256] = {0}, first = 0;
    if (grid->cells < 1)
        return error_set(error, STATUS_INPUT, "%s: the grid has no cells", grid->path);
    if (grid->points < 0 || grid->point.count != 3 * grid->points || grid->end.count != grid->cells ||
        grid->type.count != grid->cells)
        return error_set(
            error, STATUS_INPUT,
            "%s: %lld of %lld coordinates, %lld of %lld offsets of cells, %lld types: the grid is not "
            "whole",
            grid->path, (long long)grid->point.count, (long long)(3 * grid->points),
            (long long)grid->end.count, (long long)grid->cells, (long long)grid->type.count);
    for (int64_t i = 0; i < grid->cells; first = end[i++]) {
        struct split_shape shape = split_shape(type[i]);
        if (end[i] < first || end[i] > grid->node.count || (shape.nodes && end[i] - first != shape.nodes))
            return error_set(error, STATUS_INPUT, "%s: cell %lld of type %d has nodes %lld to %lld of %lld",
                             grid->path, (long long)i, type[i], (long long)first, (long long)end[i],
                             (long long)grid->node.count);
        unusable[type[i]] += shape.nodes == 0;
    }
    if (first != grid->node.count)
        return error_set(error, STATUS_INPUT, "%s: %lld nodes of cells, of which the cells take %lld",
                         grid->path, (long long)grid->node.count, (long long)first);
    for (int t = 0; t < 256; t++)
        if (unusable[t])
            return error_set(
                error, STATUS_INPUT,
                "%s: %lld cells of VTK type %d cannot be used; a mesh is of linear tetrahedra, hexahedra, "
                "wedges and pyramids, of triangles and quadrangles, or of lines",
                grid->path, (long long)unusable[t], t);
    return STATUS_OK;
}

/* One by one: what is no simplex is split, and row[] says which cell an element is of. */
static enum status build_mixed(struct vtk_grid *grid, const int32_t *tag, struct error *error)
{
    const uint8_t *type = grid->type.value;
    const int64_t *end = grid->end.value;
    const int32_t *node = grid->node.value;
    enum status status = STATUS_OK;
    for (int64_t i = 0, first = 0; i < grid->cells && !status; first = end[i++])
        status = format_cell(grid->builder, grid->notes, type[i], node + first, tag ? tag[i] : 0, error);
    return status;
}

/* The grid's nodes become the elements as they are. */
static enum status build_alike(struct vtk_grid *grid, struct error *error)
{
    struct mesh_builder *builder = grid->builder;
    enum status status = STATUS_OK;
    builder->dimension = split_shape(((const uint8_t *)grid->type.value)[0]).dimension;
    builder->tag = array_zeroed(grid->cells, sizeof *builder->tag, "the tags", &status, error);
    if (status)
        return status;
    builder->vertex = grid->node.value;
    builder->elements = builder->rows = grid->cells;
    grid->node.value = NULL;
    return STATUS_OK;
}

static enum status build(struct vtk_grid *grid, struct error *error)
{
    const struct mesh_field *tags = wanted_tag_field(grid->builder->wanted, &grid->field);
    enum status status = STATUS_OK;
    if (all_alike(grid))
        return build_alike(grid, error);
    int32_t *tag = tags ? array_new(grid->cells, sizeof *tag, "the tags", &status, error) : NULL;
    if (tag)
        status = wanted_tags(tags, grid->cells, tag, grid->path, error);
    AND(build_mixed(grid, tag, error));
    free(tag);
    return status;
}

/* The builder's field <- one of the grid, of whose cells the elements are */
static enum status take_field(struct vtk_grid *grid, struct mesh_field *field, struct error *error)
{
    struct mesh_builder *builder = grid->builder;
    enum status status = STATUS_OK;
    double *value = field->value;
    field->value = NULL;
    if (value && field->location == LOCATION_ELEMENT && builder->row) {
        size_t width = (size_t)field->components;
        double *all = value;
        value = array_new(builder->elements, width * sizeof *value, field->name, &status, error);
        for (int64_t e = 0; e < builder->elements && !status; e++)
            memcpy(value + (size_t)e * width, all + (size_t)builder->row[e] * width, width * sizeof *value);
        free(all);
    }
    AND(mesh_fields_add(&builder->fields, field->name, field->location, field->components, value, error));
    return status;
}

enum status vtk_grid_finish(struct vtk_grid *grid, struct error *error)
{
    struct mesh_builder *builder = grid->builder;
    enum status status = check_cells(grid, error);
    if (!status && (grid->points > INT32_MAX || grid->cells > INT32_MAX))
        status = error_set(error, STATUS_INPUT, "%s: more than %d points or cells", grid->path, INT32_MAX);
    if (status)
        return status;
    builder->point = grid->point.value;
    builder->nodes = grid->points;
    grid->point.value = NULL;
    status = build(grid, error);
    vtk_values_free(&grid->node);
    vtk_values_free(&grid->end);
    vtk_values_free(&grid->type);
    for (int f = 0; f < grid->field.count && !status; f++)
        status = take_field(grid, grid->field.item + f, error);
    return status;
}

int vtk_grid_type(const struct mesh *mesh, bool face)
{
    static const int type[] = {SPLIT_VERTEX, SPLIT_LINE, SPLIT_TRIANGLE, SPLIT_TETRA};
    return type[mesh->dimension - face];
}
