/* vtk.c: checks numbers read from bytes and words; converts cells to elements. */
#include "app/meshio/vtk/vtk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/meshio/builder.h"
#include "app/meshio/split.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"

struct kind {
    const char *name[3];
    int bytes;
};

static const struct kind kinds[] = {
    [VTK_INT8] = {{"Int8", "char", "vtktypeint8"}, 1},
    [VTK_UINT8] = {{"UInt8", "unsigned_char", "vtktypeuint8"}, 1},
    [VTK_INT16] = {{"Int16", "short", "vtktypeint16"}, 2},
    [VTK_UINT16] = {{"UInt16", "unsigned_short", "vtktypeuint16"}, 2},
    [VTK_INT32] = {{"Int32", "int", "vtktypeint32"}, 4},
    [VTK_UINT32] = {{"UInt32", "unsigned_int", "vtktypeuint32"}, 4},
    [VTK_INT64] = {{"Int64", "long", "vtktypeint64"}, 8},
    [VTK_UINT64] = {{"UInt64", "unsigned_long", "vtktypeuint64"}, 8},
    [VTK_FLOAT32] = {{"Float32", "float", "float"}, 4},
    [VTK_FLOAT64] = {{"Float64", "double", "double"}, 8},
};

bool vtk_number_find(enum vtk_number *number, const char *name)
{
    for (int k = VTK_INT8; k <= VTK_FLOAT64; k++)
        for (int i = 0; i < 3; i++)
            if (strcasecmp(name, kinds[k].name[i]) == 0) {
                *number = (enum vtk_number)k;
                return true;
            }
    *number = VTK_INT32; /* how legacy files have these */
    return strcasecmp(name, "vtkIdType") == 0;
}

int vtk_number_bytes(enum vtk_number number)
{
    return kinds[number].bytes;
}

static const size_t target_bytes[] = {[VTK_COORDINATES] = sizeof(double),
                                      [VTK_NODES] = sizeof(int32_t),
                                      [VTK_COUNTS] = sizeof(int64_t),
                                      [VTK_TYPES] = sizeof(uint8_t),
                                      [VTK_REALS] = sizeof(double)};

static bool is_good_real(const struct vtk_values *values, double value)
{
    return values->target != VTK_COORDINATES || isfinite(value);
}

static int64_t most_integer(const struct vtk_values *values)
{
    return values->target == VTK_NODES ? values->limit - 1 : values->target == VTK_TYPES ? 255 : INT64_MAX;
}

static void store_integer(const struct vtk_values *values, int64_t i, int64_t value)
{
    if (values->target == VTK_NODES)
        ((int32_t *)values->value)[i] = (int32_t)value;
    else if (values->target == VTK_COUNTS)
        ((int64_t *)values->value)[i] = value;
    else
        ((uint8_t *)values->value)[i] = (uint8_t)value;
}

static enum status put_real(struct vtk_values *values, double value, struct text_file *text,
                            struct error *error)
{
    if (!is_good_real(values, value))
        return text_error(text, error, "%s: number %lld is not finite", values->what,
                          (long long)values->count);
    TRY(array_grow(&values->value, &values->room, values->count, sizeof(double), "the mesh", error));
    ((double *)values->value)[values->count++] = value;
    return STATUS_OK;
}

static enum status put_integer(struct vtk_values *values, int64_t value, struct text_file *text,
                               struct error *error)
{
    int64_t most = most_integer(values);
    if (value < 0 || value > most)
        return text_error(text, error, "%s: number %lld is %lld; expected 0 to %lld", values->what,
                          (long long)values->count, (long long)value, (long long)most);
    TRY(array_grow(&values->value, &values->room, values->count, target_bytes[values->target], "the mesh",
                   error));
    store_integer(values, values->count++, value);
    return STATUS_OK;
}

static bool is_real(const struct vtk_values *values)
{
    return values->target == VTK_COORDINATES || values->target == VTK_REALS;
}

static enum status check_room(const struct vtk_values *values, struct text_file *text, struct error *error)
{
    return values->count < values->expected
               ? STATUS_OK
               : text_error(text, error, "%s: more than the %lld numbers that are expected", values->what,
                            (long long)values->expected);
}

/* The bytes as an integer whose highest bit is its sign, lowest byte last */
static uint64_t join_bytes(const unsigned char *bytes, int count, bool big)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

static double real_of(enum vtk_number number, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float narrow;
    double wide;
    switch (number) {
    case VTK_FLOAT32:
        memcpy(&narrow, &half, sizeof narrow);
        return narrow;
    case VTK_FLOAT64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return NAN;
    }
}

/* Sign-extended where the type has a sign; one of UInt64 beyond INT64_MAX is negative */
static int64_t integer_of(enum vtk_number number, uint64_t bits)
{
    int shift = 64 - 8 * kinds[number].bytes;
    bool sign = number == VTK_INT8 || number == VTK_INT16 || number == VTK_INT32;
    uint64_t high = bits << shift;
    return sign && high >> 63 ? (int64_t)(bits | (shift ? ~(uint64_t)0 << (64 - shift) : 0)) : (int64_t)bits;
}

/* The number of these bits as a real, in mm where it is a length */
static double to_real(const struct vtk_values *values, uint64_t bits)
{
    double value = values->number >= VTK_FLOAT32  ? real_of(values->number, bits)
                   : values->number == VTK_UINT64 ? (double)bits
                                                  : (double)integer_of(values->number, bits);
    return values->target == VTK_COORDINATES ? length_unit_to_mm(value, values->unit) : value;
}

enum status vtk_values_bytes(struct vtk_values *values, const unsigned char *bytes, struct text_file *text,
                             struct error *error)
{
    uint64_t bits = join_bytes(bytes, kinds[values->number].bytes, values->big);
    TRY(check_room(values, text, error));
    if (is_real(values))
        return put_real(values, to_real(values, bits), text, error);
    return values->number >= VTK_FLOAT32 ? text_error(text, error, "%s are of type %s, not whole numbers",
                                                      values->what, kinds[values->number].name[0])
                                         : put_integer(values, integer_of(values->number, bits), text, error);
}

/* value[first, last) <- from their bytes; false if one is invalid */
static bool convert(const struct vtk_values *values, const unsigned char *bytes, int64_t first, int64_t last)
{
    const int size = kinds[values->number].bytes;
    const bool big = values->big, real = is_real(values);
    const int64_t most = most_integer(values);
    bool good = true;
    for (int64_t k = first; k < last; k++) {
        uint64_t bits = size == 8   ? join_bytes(bytes + 8 * k, 8, big)
                        : size == 4 ? join_bytes(bytes + 4 * k, 4, big)
                                    : join_bytes(bytes + size * k, size, big);
        if (real) {
            double value = to_real(values, bits);
            good = good && is_good_real(values, value);
            ((double *)values->value)[values->count + k] = value;
        } else {
            int64_t value = integer_of(values->number, bits);
            good = good && value >= 0 && value <= most;
            store_integer(values, values->count + k, value);
        }
    }
    return good;
}

bool vtk_values_block(struct vtk_values *values, const unsigned char *bytes, int64_t count)
{
    enum { TASK = 1 << 15 };
    bool good =
        count <= values->expected - values->count && (is_real(values) || values->number < VTK_FLOAT32);
    if (!good || array_grow(&values->value, &values->room, values->count + count,
                            target_bytes[values->target], "the mesh", NULL))
        return false;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : good)
    for (int64_t first = 0; first < count; first += TASK)
        good = convert(values, bytes, first, first + TASK < count ? first + TASK : count) && good;
    values->count += good ? count : 0;
    return good;
}

enum status vtk_values_word(struct vtk_values *values, const char *word, struct text_file *text,
                            struct error *error)
{
    int64_t integer;
    double real;
    const char *cursor = word;
    TRY(check_room(values, text, error));
    if (!is_real(values)) {
        if (!scan_integer(&cursor, &integer))
            return text_error(text, error, "%s: '%.40s' is not a whole number", values->what, word);
        return put_integer(values, integer, text, error);
    }
    bool length = values->target == VTK_COORDINATES;
    if (!scan_number(&cursor, length ? values->unit.shift : 0, &real))
        return text_error(text, error, "%s: '%.40s' is not a number", values->what, word);
    return put_real(values, length ? real * values->unit.factor : real, text, error);
}

void vtk_values_free(struct vtk_values *values)
{
    free(values->value);
    values->value = NULL;
}

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

/* The array in which VTK marks cells that also belong to other pieces of a grid */
static const char ghosts_name[] = "vtkGhostType";

enum status vtk_grid_field(struct vtk_grid *grid, const char *name, enum location location, int components,
                           bool *selected, struct error *error)
{
    const struct mesh_field *same = mesh_fields_find(&grid->field, name, location);
    *selected = array_selection_has(grid->builder->selection, name, components) ||
                (strcmp(name, ghosts_name) == 0 && location == LOCATION_ELEMENT && components == 1);
    if (same && same->location == location)
        return *selected
                   ? error_set(error, STATUS_INPUT, "%s: two arrays are named '%.80s'", grid->path, name)
                   : STATUS_OK;
    return mesh_fields_add(&grid->field, name, location, components, NULL, error);
}

/* Whether all cells are the same kind of simplex, so that their nodes can be used unchanged */
static bool all_alike(const struct vtk_grid *grid)
{
    const uint8_t *type = grid->type.value;
    for (int64_t i = 1; i < grid->cells; i++)
        if (type[i] != type[0])
            return false;
    return type[0] == SPLIT_LINE || type[0] == SPLIT_TRIANGLE || type[0] == SPLIT_TETRA;
}

/* type[cell] of PolyData <- by its number of nodes */
static enum status type_cells(struct vtk_grid *grid, struct error *error)
{
    const int64_t *end = grid->end.value;
    enum status status = STATUS_OK;
    vtk_values_free(&grid->type);
    uint8_t *type = grid->type.value = array_new(grid->end.count, 1, "the mesh", &status, error);
    grid->type.count = grid->end.count;
    for (int64_t i = 0; type && i < grid->end.count; i++) {
        int64_t nodes = end[i] - (i ? end[i - 1] : 0);
        if (grid->poly == VTK_POLY_LINES)
            type[i] = nodes == 2 ? SPLIT_LINE : VTK_POLY_LINES;
        else
            type[i] = nodes == 3 ? SPLIT_TRIANGLE : nodes == 4 ? SPLIT_QUAD : VTK_POLY_POLYGONS;
    }
    return status;
}

/* STATUS_INPUT unless types, offsets and nodes are consistent and all types are supported */
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
    const int32_t *node = grid->node.value;
    for (int64_t i = 0; grid->node.limit > grid->points && i < first; i++)
        if (node[i] >= grid->points)
            return error_set(error, STATUS_INPUT, "%s: a cell has the node %d of %lld", grid->path, node[i],
                             (long long)grid->points);
    if (first != grid->node.count)
        return error_set(error, STATUS_INPUT, "%s: %lld nodes of cells, of which the cells use %lld",
                         grid->path, (long long)grid->node.count, (long long)first);
    for (int t = 0; t < 256; t++)
        if (unusable[t])
            return error_set(
                error, STATUS_INPUT,
                "%s: %lld cells of VTK type %d cannot be used; a mesh is of linear tetrahedra, hexahedra, "
                "wedges and pyramids, of triangles and quadrangles, or of lines; " FORMAT_BY_PYVISTA,
                grid->path, (long long)unusable[t], t);
    return STATUS_OK;
}

/* Cell by cell: other shapes are split; the builder's row[] is the cell of each element. */
static enum status build_mixed(struct vtk_grid *grid, const int32_t *tag, struct error *error)
{
    const uint8_t *type = grid->type.value;
    const int64_t *end = grid->end.value;
    const int32_t *node = grid->node.value;
    for (int64_t i = 0, first = 0; i < grid->cells; first = end[i++])
        TRY(format_cell(grid->builder, grid->notes, type[i], node + first, tag ? tag[i] : 0, error));
    return STATUS_OK;
}

/* Uses the grid's nodes unchanged as the elements. */
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

static enum status build_elements(struct vtk_grid *grid, struct error *error)
{
    const struct mesh_field *tags = array_selection_tag_field(grid->builder->selection, &grid->field);
    enum status status = STATUS_OK;
    int32_t *tag = NULL;
    if (all_alike(grid))
        return build_alike(grid, error);
    if (tags) {
        tag = array_new(grid->cells, sizeof *tag, "the tags", &status, error);
        if (!tag)
            return status;
        TRY_DONE(array_selection_tags(tags, grid->cells, tag, grid->path, error));
    }
    TRY_DONE(build_mixed(grid, tag, error));
done:
    free(tag);
    return status;
}

/* keep[cells] <- 0 for the grid's ghosts: duplicate, refined and hidden cells (vtkDataSetAttributes); returns
 * how many these are */
static int64_t find_ghosts(uint8_t *keep, const struct vtk_grid *grid, const double *type)
{
    enum { DUPLICATE = 1, REFINED = 8, HIDDEN = 32 };
    int64_t ghosts = 0;
    for (int64_t i = 0; i < grid->cells; i++) {
        const int bits = type[i] >= 0 && type[i] <= 255 ? (int)type[i] : 0;
        keep[i] = (bits & (DUPLICATE | REFINED | HIDDEN)) == 0;
        ghosts += !keep[i];
    }
    return ghosts;
}

/* Moves the rows with keep[] to the front */
static void compact(void *value, const uint8_t *keep, int64_t rows, size_t bytes)
{
    char *to = value;
    for (int64_t i = 0; i < rows; i++)
        if (keep[i]) {
            memmove(to, (char *)value + (size_t)i * bytes, bytes);
            to += bytes;
        }
}

/* number[points] <- the new number of each point, -1 if only ghosts have it; returns how many remain */
static int64_t number_points(int32_t *number, const struct vtk_grid *grid, const uint8_t *keep)
{
    enum { UNUSED, OF_GHOST, STAYS };
    const int64_t *end = grid->end.value;
    const int32_t *node = grid->node.value;
    int64_t count = 0;
    for (int64_t p = 0; p < grid->points; p++)
        number[p] = UNUSED;
    for (int64_t i = 0, k = 0; i < grid->cells; i++)
        for (; k < end[i]; k++)
            number[node[k]] = keep[i] || number[node[k]] == STAYS ? STAYS : OF_GHOST;
    for (int64_t p = 0; p < grid->points; p++)
        number[p] = number[p] == OF_GHOST ? -1 : (int32_t)count++;
    return count;
}

/* The grid without the cells with keep[] = 0, and without the points that only these have */
static enum status drop_cells(struct vtk_grid *grid, const uint8_t *keep, int64_t cells, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t *end = grid->end.value, kept = 0, nodes = 0;
    int32_t *node = grid->node.value;
    int32_t *number = array_new(grid->points, sizeof *number, "the mesh", &status, error);
    uint8_t *stays = array_new(grid->points, sizeof *stays, "the mesh", &status, error);
    TRY_DONE(status);
    const int64_t points = number_points(number, grid, keep);
    for (int64_t p = 0; p < grid->points; p++)
        stays[p] = number[p] >= 0;
    for (int f = 0; f < grid->field.count; f++) {
        const struct mesh_field *field = &grid->field.item[f];
        const bool of_cells = field->location == LOCATION_ELEMENT;
        if (field->value)
            compact(field->value, of_cells ? keep : stays, of_cells ? grid->cells : grid->points,
                    (size_t)field->components * sizeof *field->value);
    }
    compact(grid->point.value, stays, grid->points, 3 * sizeof(double));
    compact(grid->type.value, keep, grid->cells, sizeof(uint8_t));
    for (int64_t i = 0, first = 0; i < grid->cells; i++) {
        const int64_t last = end[i];
        for (int64_t k = first; k < last && keep[i]; k++)
            node[nodes++] = number[node[k]];
        if (keep[i])
            end[kept++] = nodes;
        first = last;
    }
    grid->cells = grid->end.count = grid->type.count = cells;
    grid->points = points;
    grid->point.count = 3 * points;
    grid->node.count = nodes;
done:
    free(number);
    free(stays);
    return status;
}

/* Drops the cells that VTK marks as ghosts, and also the array of marks unless it is selected. */
static enum status drop_ghosts(struct vtk_grid *grid, struct error *error)
{
    struct mesh_field *field = NULL;
    for (int f = 0; f < grid->field.count; f++)
        if (strcmp(grid->field.item[f].name, ghosts_name) == 0 &&
            grid->field.item[f].location == LOCATION_ELEMENT)
            field = &grid->field.item[f];
    if (!field || !field->value)
        return STATUS_OK;
    enum status status = STATUS_OK;
    uint8_t *keep = array_new(grid->cells, sizeof *keep, "the mesh", &status, error);
    TRY(status);
    const int64_t ghosts = find_ghosts(keep, grid, field->value);
    if (ghosts == grid->cells)
        status = error_set(error, STATUS_INPUT, "%s: all cells are ghosts (%s)", grid->path, ghosts_name);
    else if (ghosts > 0)
        status = drop_cells(grid, keep, grid->cells - ghosts, error);
    if (ghosts > 0)
        printed_item(grid->notes->ignored, sizeof grid->notes->ignored, "%lld ghost cells (%s)",
                     (long long)ghosts, ghosts_name);
    if (!array_selection_has(grid->builder->selection, ghosts_name, 1)) {
        free(field->value);
        field->value = NULL;
    }
    free(keep);
    return status;
}

/* The builder's field <- one of the grid; rows of cells become rows of elements. */
static enum status check_field(struct vtk_grid *grid, struct mesh_field *field, struct error *error)
{
    struct mesh_builder *builder = grid->builder;
    enum status status = STATUS_OK;
    double *value = field->value;
    field->value = NULL;
    if (value && field->location == LOCATION_ELEMENT && builder->row) {
        size_t width = (size_t)field->components;
        double *all = value;
        value = array_new(builder->elements, width * sizeof *value, field->name, &status, error);
        for (int64_t e = 0; e < builder->elements && value; e++)
            memcpy(value + (size_t)e * width, all + (size_t)builder->row[e] * width, width * sizeof *value);
        free(all);
        if (status)
            return status;
    }
    return mesh_fields_add(&builder->fields, field->name, field->location, field->components, value, error);
}

enum status vtk_grid_finish(struct vtk_grid *grid, struct error *error)
{
    struct mesh_builder *builder = grid->builder;
    if (grid->poly)
        TRY(type_cells(grid, error));
    TRY(check_cells(grid, error));
    if (grid->points > INT32_MAX || grid->cells > INT32_MAX)
        return error_set(error, STATUS_INPUT, "%s: more than %d points or cells", grid->path, INT32_MAX);
    TRY(drop_ghosts(grid, error));
    builder->point = grid->point.value;
    builder->nodes = grid->points;
    grid->point.value = NULL;
    TRY(build_elements(grid, error));
    TRY(lower_settle(builder, grid->notes, grid->path, LOWER_BY_POSITION, error));
    vtk_values_free(&grid->node);
    vtk_values_free(&grid->end);
    vtk_values_free(&grid->type);
    for (int f = 0; f < grid->field.count; f++)
        TRY(check_field(grid, grid->field.item + f, error));
    return STATUS_OK;
}

int vtk_grid_type(int corners)
{
    static const int type[] = {0, SPLIT_VERTEX, SPLIT_LINE, SPLIT_TRIANGLE, SPLIT_TETRA};
    return type[corners];
}
