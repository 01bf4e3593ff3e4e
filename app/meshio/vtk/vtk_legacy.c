/* vtk_legacy.c: reads VTK's legacy files (.vtk) of an unstructured grid or PolyData, versions 1.0 to 5.1,
 * ASCII or binary (VTK file formats, "Simple legacy formats"). Binary numbers begin with their highest byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/meshio/vtk/vtk.h"
#include "kernels/base/array.h"

struct legacy {
    struct text_file text;
    struct vtk_grid grid;
    bool binary;
    bool within;     /* words have been read from the line after the current one, which may be very long */
    int64_t version; /* 1 to 5 */
    enum location location; /* of the next arrays; LOCATION_NONE = arrays of the whole file */
};

enum { NAME = 256, MOST_COMPONENTS = 1000 };

/* Reads the next line, or the rest of the line from which words have been read. */
static enum status any_line(struct legacy *legacy, bool *more, struct error *error)
{
    legacy->text.line -= legacy->within;
    legacy->within = false;
    return text_line(&legacy->text, more, error);
}

/* Reads the next line with a word; *more <- false at the end of the file. */
static enum status next_line(struct legacy *legacy, bool *more, struct error *error)
{
    do
        TRY(any_line(legacy, more, error));
    while (*more && !text_has_word(&legacy->text));
    return STATUS_OK;
}

static enum status need_line(struct legacy *legacy, const char *what, struct error *error)
{
    bool more;
    TRY(next_line(legacy, &more, error));
    if (!more)
        return text_error(&legacy->text, error, "the file ends before %s: it is truncated", what);
    return STATUS_OK;
}

/* word <- the next word of the current line or, read character by character, of the lines after it */
static enum status next_word(struct legacy *legacy, char word[64], const char *what, struct error *error)
{
    struct text_file *text = &legacy->text;
    size_t length = 0;
    int c = ' ';
    if (text_has_word(text)) {
        text_word(text, word, 64);
        return STATUS_OK;
    }
    text->line += !legacy->within;
    legacy->within = true;
    while (c > ' ' || (c >= 0 && length == 0)) {
        TRY(text_byte(text, &c, error));
        if (c > ' ' && length == 63)
            return text_error(text, error, "%s: a number of more than 63 characters", what);
        if (c > ' ')
            word[length++] = (char)c;
    }
    word[length] = '\0';
    return length ? STATUS_OK : text_error(text, error, "the file ends before %s: it is truncated", what);
}

/* STATUS_INPUT if the rest of the file cannot hold `count` numbers; not checked within a line of words */
static enum status check_count(struct legacy *legacy, int64_t count, int bytes, struct error *error)
{
    if (!legacy->binary && text_has_word(&legacy->text))
        return STATUS_OK;
    return format_claimed_count(&legacy->text, count, legacy->binary ? bytes : 2, "numbers", error);
}

/* Appends `count` numbers to values. */
static enum status read_values(struct legacy *legacy, struct vtk_values *values, int64_t count,
                               struct error *error)
{
    struct text_file *text = &legacy->text;
    size_t bytes = (size_t)vtk_number_bytes(values->number);
    unsigned char buffer[4096];
    char word[64];
    values->big = true;
    values->expected = values->count + count;
    TRY(check_count(legacy, count, (int)bytes, error));
    while (values->count < values->expected) {
        if (legacy->binary) {
            int64_t left = values->expected - values->count, most = (int64_t)(sizeof buffer / bytes);
            size_t now = (size_t)(left < most ? left : most);
            TRY(text_bytes(text, buffer, now * bytes, values->what, error));
            for (size_t i = 0; i < now; i++)
                TRY(vtk_values_bytes(values, buffer + i * bytes, text, error));
            continue;
        }
        TRY(next_word(legacy, word, values->what, error));
        TRY(vtk_values_word(values, word, text, error));
    }
    return STATUS_OK;
}

/* Skips `count` numbers. */
static enum status skip_values(struct legacy *legacy, enum vtk_number number, int64_t count,
                               struct error *error)
{
    int bytes = vtk_number_bytes(number);
    char buffer[4096];
    TRY(check_count(legacy, count, bytes, error));
    for (int64_t left = legacy->binary ? count * bytes : count; left > 0;) {
        int64_t now = left < (int64_t)sizeof buffer ? left : (int64_t)sizeof buffer;
        if (legacy->binary) {
            TRY(text_bytes(&legacy->text, buffer, (size_t)now, "an array", error));
            left -= now;
            continue;
        }
        TRY(next_word(legacy, buffer, "the end of an array", error));
        left--;
    }
    return STATUS_OK;
}

static enum status read_type(struct legacy *legacy, enum vtk_number *number, struct error *error)
{
    char word[40];
    text_has_word(&legacy->text);
    const char *begin = legacy->text.cursor;
    text_word(&legacy->text, word, sizeof word);
    if (vtk_number_find(number, word))
        return STATUS_OK;
    legacy->text.cursor = begin;
    return text_error(&legacy->text, error, "'%s' is not a supported number type", word);
}

static int hexadecimal(char c)
{
    const char *at = c ? strchr("0123456789abcdefABCDEF", c) : NULL;
    int digit = at ? (int)(at - "0123456789abcdefABCDEF") : -1;
    return digit > 15 ? digit - 6 : digit;
}

/* name <- the next word, decoded: %20 is a blank */
static enum status read_name(struct legacy *legacy, char name[NAME], struct error *error)
{
    if (!text_has_word(&legacy->text))
        return text_error(&legacy->text, error, "the line ends before the name of the array");
    text_word(&legacy->text, name, NAME);
    char *out = name;
    for (const char *in = name; *in; in++) {
        int high = *in == '%' ? hexadecimal(in[1]) : -1, low = high >= 0 ? hexadecimal(in[2]) : -1;
        *out++ = low >= 0 && 16 * high + low >= ' ' ? (char)(16 * high + low) : *in;
        in += low >= 0 && 16 * high + low >= ' ' ? 2 : 0;
    }
    *out = '\0';
    return STATUS_OK;
}

/* Reads the rows of an array at the current position, or skips them if the array is not selected. */
static enum status read_rows(struct legacy *legacy, const char *name, enum vtk_number number,
                             int64_t components, int64_t rows, struct error *error)
{
    struct vtk_grid *grid = &legacy->grid;
    bool selected = false;
    if (components < 0 || rows < 0 || components > INT32_MAX || rows > INT64_MAX / INT32_MAX)
        return text_error(&legacy->text, error, "%lld rows of %lld numbers", (long long)rows,
                          (long long)components);
    int64_t due = legacy->location == LOCATION_NODE ? grid->points : grid->cells;
    if (legacy->location && components) {
        if (rows != due)
            return text_error(&legacy->text, error, "%lld rows of '%s'; expected %lld", (long long)rows, name,
                              (long long)due);
        if (components <= MOST_COMPONENTS)
            TRY(vtk_grid_field(grid, name, legacy->location, (int)components, &selected, error));
    }
    if (!selected)
        return skip_values(legacy, number, rows * components, error);
    struct vtk_values values = {.what = name, .target = VTK_REALS, .number = number};
    enum status status = read_values(legacy, &values, rows * components, error);
    mesh_fields_find(&grid->field, name, legacy->location)->value = values.value; /* the grid frees it */
    return status;
}

static enum status read_points(struct legacy *legacy, struct error *error)
{
    struct vtk_grid *grid = &legacy->grid;
    TRY(text_integer(&legacy->text, &grid->points, "the number of points", error));
    TRY(read_type(legacy, &grid->point.number, error));
    if (grid->points < 0 || grid->points > INT32_MAX || grid->point.count)
        return text_error(&legacy->text, error, "%lld points; 0 to %d are supported, once",
                          (long long)grid->points, INT32_MAX);
    if (!grid->node.count)
        grid->node.limit = grid->points;
    return read_values(legacy, &grid->point, 3 * grid->points, error);
}

/* Reads the cells before version 5: for each cell the number of its nodes, then the nodes. */
static enum status read_cells_4(struct legacy *legacy, int64_t cells, int64_t size, struct error *error)
{
    struct vtk_grid *grid = &legacy->grid;
    struct vtk_values nodes = {.what = "the nodes of a cell", .target = VTK_COUNTS, .number = VTK_INT32};
    enum status status = STATUS_OK;
    TRY_DONE(array_grow(&nodes.value, &nodes.room, 0, sizeof(int64_t), "the mesh", error));
    grid->node.number = VTK_INT32;
    for (int64_t i = 0; i < cells; i++) {
        nodes.count = 0;
        TRY_DONE(read_values(legacy, &nodes, 1, error));
        int64_t count = *(int64_t *)nodes.value;
        size -= 1 + count;
        if (size < 0)
            TRY_DONE(text_error(&legacy->text, error, "the cells have more numbers than declared"));
        TRY_DONE(read_values(legacy, &grid->node, count, error));
        TRY_DONE(array_grow(&grid->end.value, &grid->end.room, grid->end.count, sizeof(int64_t), "the mesh",
                            error));
        ((int64_t *)grid->end.value)[grid->end.count++] = grid->node.count;
    }
    if (size)
        status = text_error(&legacy->text, error, "the cells have %lld numbers fewer than declared",
                            (long long)size);
done:
    vtk_values_free(&nodes);
    return status;
}

/* Reads a line such as "OFFSETS vtktypeint64" or "CONNECTIVITY vtktypeint64". */
static enum status read_head(struct legacy *legacy, const char *name, enum vtk_number *number,
                             struct error *error)
{
    char word[40];
    TRY(need_line(legacy, name, error));
    text_word(&legacy->text, word, sizeof word);
    if (strcasecmp(word, name) != 0)
        return text_error(&legacy->text, error, "'%s' where %s is expected", word, name);
    TRY(read_type(legacy, number, error));
    return text_end_of_line(&legacy->text, error);
}

/* Reads the cells from version 5 on: the start of each cell's nodes and the end of the last, then all nodes. */
static enum status read_cells_5(struct legacy *legacy, int64_t offsets, int64_t nodes, struct error *error)
{
    struct vtk_grid *grid = &legacy->grid;
    TRY(read_head(legacy, "OFFSETS", &grid->end.number, error));
    TRY(read_values(legacy, &grid->end, offsets, error));
    TRY(read_head(legacy, "CONNECTIVITY", &grid->node.number, error));
    TRY(read_values(legacy, &grid->node, nodes, error));
    int64_t *end = grid->end.value;
    if (end[0] != 0)
        return text_error(&legacy->text, error, "the first cell begins at %lld", (long long)end[0]);
    memmove(end, end + 1, (size_t)(offsets - 1) * sizeof *end);
    grid->end.count--;
    return STATUS_OK;
}

static enum status read_cells(struct legacy *legacy, struct error *error)
{
    struct vtk_grid *grid = &legacy->grid;
    int64_t count = 0, size = 0;
    TRY(text_integer(&legacy->text, &count, "the number of cells", error));
    TRY(text_integer(&legacy->text, &size, "how many numbers describe them", error));
    TRY(text_end_of_line(&legacy->text, error));
    if (count < 1 || size < 0 || grid->end.count)
        return text_error(&legacy->text, error, "%lld cells of %lld numbers; cells must come once",
                          (long long)count, (long long)size);
    if (grid->points < 0)
        grid->node.limit = INT32_MAX; /* checked against the number of points at the end */
    TRY(format_claimed_count(&legacy->text, size, legacy->binary ? 1 : 2, "numbers of cells", error));
    if (legacy->version >= 5) {
        grid->cells = count - 1;
        return read_cells_5(legacy, count, size, error);
    }
    grid->cells = count;
    return read_cells_4(legacy, count, size, error);
}

/* Reads the cells of PolyData, which must all be of one kind. */
static enum status read_poly(struct legacy *legacy, enum vtk_poly poly, struct error *error)
{
    if (legacy->grid.poly)
        return text_error(&legacy->text, error, "lines and polygons in one file; " FORMAT_BY_PYVISTA);
    legacy->grid.poly = poly;
    return read_cells(legacy, error);
}

static enum status read_lines(struct legacy *legacy, struct error *error)
{
    return read_poly(legacy, VTK_POLY_LINES, error);
}

static enum status read_polygons(struct legacy *legacy, struct error *error)
{
    return read_poly(legacy, VTK_POLY_POLYGONS, error);
}

static enum status refuse_section(struct legacy *legacy, struct error *error)
{
    return text_error(&legacy->text, error,
                      "vertices and triangle strips are not supported; " FORMAT_BY_PYVISTA);
}

static enum status read_cell_types(struct legacy *legacy, struct error *error)
{
    int64_t count = 0;
    TRY(text_integer(&legacy->text, &count, "the number of cell types", error));
    legacy->grid.type.number = VTK_INT32;
    if ((legacy->grid.cells >= 0 && count != legacy->grid.cells) || count < 0 || legacy->grid.type.count)
        return text_error(&legacy->text, error, "%lld types for %lld cells", (long long)count,
                          (long long)legacy->grid.cells);
    return read_values(legacy, &legacy->grid.type, count, error);
}

static enum status begin_data(struct legacy *legacy, enum location location, int64_t due, struct error *error)
{
    int64_t rows = 0;
    TRY(text_integer(&legacy->text, &rows, "the number of rows", error));
    if (rows != due)
        return text_error(&legacy->text, error, "data of %lld rows; there are %lld", (long long)rows,
                          (long long)due);
    legacy->location = location;
    return text_end_of_line(&legacy->text, error);
}

static enum status read_cell_data(struct legacy *legacy, struct error *error)
{
    return begin_data(legacy, LOCATION_ELEMENT, legacy->grid.cells, error);
}

static enum status read_point_data(struct legacy *legacy, struct error *error)
{
    return begin_data(legacy, LOCATION_NODE, legacy->grid.points, error);
}

/* Skips lines up to and including a blank one. */
static enum status skip_metadata(struct legacy *legacy, struct error *error)
{
    bool more;
    do
        TRY(any_line(legacy, &more, error));
    while (more && text_has_word(&legacy->text));
    return STATUS_OK;
}

/* Reads arrays, each after a line with its name, components, rows and type. */
static enum status read_field(struct legacy *legacy, struct error *error)
{
    char name[NAME];
    int64_t arrays = 0;
    TRY(read_name(legacy, name, error));
    TRY(text_integer(&legacy->text, &arrays, "the number of arrays", error));
    TRY(format_claimed_count(&legacy->text, arrays, 8, "arrays", error));
    for (int64_t k = 0; k < arrays;) {
        int64_t components = 0, rows = 0;
        enum vtk_number number;
        TRY(need_line(legacy, "an array of the field", error));
        TRY(read_name(legacy, name, error));
        if (strcasecmp(name, "METADATA") == 0 && !text_has_word(&legacy->text)) {
            TRY(skip_metadata(legacy, error));
            continue;
        }
        TRY(text_integer(&legacy->text, &components, "the components of an array", error));
        TRY(text_integer(&legacy->text, &rows, "the rows of an array", error));
        TRY(read_type(legacy, &number, error));
        TRY(read_rows(legacy, name, number, components, rows, error));
        k++;
    }
    return STATUS_OK;
}

/* The number of rows in the arrays of an attribute */
static int64_t rows_due(const struct legacy *legacy)
{
    return legacy->location == LOCATION_NODE ? legacy->grid.points : legacy->grid.cells;
}

/* Reads "name type" and the rows of an attribute with that many components. */
static enum status read_attribute(struct legacy *legacy, int64_t components, struct error *error)
{
    char name[NAME];
    enum vtk_number number;
    if (!legacy->location)
        return text_error(&legacy->text, error, "an array before CELL_DATA or POINT_DATA");
    TRY(read_name(legacy, name, error));
    TRY(read_type(legacy, &number, error));
    return read_rows(legacy, name, number, components, rows_due(legacy), error);
}

/* "SCALARS name type [components]", then "LOOKUP_TABLE name", which some leave out of text */
static enum status read_scalars(struct legacy *legacy, struct error *error)
{
    struct text_file *text = &legacy->text;
    char name[NAME], word[40];
    int64_t components = 1;
    enum vtk_number number;
    if (!legacy->location)
        return text_error(text, error, "an array before CELL_DATA or POINT_DATA");
    TRY(read_name(legacy, name, error));
    TRY(read_type(legacy, &number, error));
    if (text_has_word(text))
        TRY(text_integer(text, &components, "the components of an array", error));
    TRY(need_line(legacy, "LOOKUP_TABLE", error));
    const char *begin = text->cursor;
    text_word(text, word, sizeof word);
    if (strcasecmp(word, "LOOKUP_TABLE") == 0)
        text->cursor = "";
    else if (legacy->binary)
        return text_error(text, error, "'%s' where LOOKUP_TABLE is expected", word);
    else
        text->cursor = begin;
    return read_rows(legacy, name, number, components, rows_due(legacy), error);
}

/* "TEXTURE_COORDINATES name components type" */
static enum status read_texture(struct legacy *legacy, struct error *error)
{
    char name[NAME];
    int64_t components = 0;
    enum vtk_number number;
    TRY(read_name(legacy, name, error));
    TRY(text_integer(&legacy->text, &components, "the components of an array", error));
    TRY(read_type(legacy, &number, error));
    return read_rows(legacy, name, number, components, rows_due(legacy), error);
}

/* Colours, which are bytes in a binary file: "LOOKUP_TABLE name rows", "COLOR_SCALARS name components" */
static enum status skip_colours(struct legacy *legacy, int64_t rows, int64_t columns, struct error *error)
{
    char name[NAME];
    int64_t count = 0;
    TRY(read_name(legacy, name, error));
    TRY(text_integer(&legacy->text, &count, "the size of a table", error));
    if (count < 0 || count > INT32_MAX)
        return text_error(&legacy->text, error, "a table of %lld rows", (long long)count);
    return skip_values(legacy, VTK_UINT8, count * (rows ? rows : columns), error);
}

static enum status skip_table(struct legacy *legacy, struct error *error)
{
    return skip_colours(legacy, 0, 4, error);
}

static enum status skip_scalars(struct legacy *legacy, struct error *error)
{
    return skip_colours(legacy, rows_due(legacy) > 0 ? rows_due(legacy) : 1, 0, error);
}

struct section {
    const char *name;
    int64_t components;                                   /* of an attribute */
    enum status (*read)(struct legacy *, struct error *); /* NULL: an attribute */
};

static const struct section sections[] = {
    {"POINTS", 0, read_points},
    {"CELLS", 0, read_cells},
    {"CELL_TYPES", 0, read_cell_types},
    {"LINES", 0, read_lines},
    {"POLYGONS", 0, read_polygons},
    {"VERTICES", 0, refuse_section},
    {"TRIANGLE_STRIPS", 0, refuse_section},
    {"CELL_DATA", 0, read_cell_data},
    {"POINT_DATA", 0, read_point_data},
    {"FIELD", 0, read_field},
    {"METADATA", 0, skip_metadata},
    {"SCALARS", 0, read_scalars},
    {"VECTORS", 3, NULL},
    {"NORMALS", 3, NULL},
    {"TENSORS", 9, NULL},
    {"TENSORS6", 6, NULL},
    {"GLOBAL_IDS", 1, NULL},
    {"PEDIGREE_IDS", 1, NULL},
    {"EDGE_FLAGS", 1, NULL},
    {"TEXTURE_COORDINATES", 0, read_texture},
    {"LOOKUP_TABLE", 0, skip_table},
    {"COLOR_SCALARS", 0, skip_scalars},
};

static enum status read_dataset(struct legacy *legacy, struct error *error)
{
    char word[40];
    text_word(&legacy->text, word, sizeof word);
    if (strcasecmp(word, "UNSTRUCTURED_GRID") != 0 && strcasecmp(word, "POLYDATA") != 0)
        return text_error(&legacy->text, error,
                          "dataset type %s; expected UNSTRUCTURED_GRID or POLYDATA; " FORMAT_BY_PYVISTA,
                          word);
    return text_end_of_line(&legacy->text, error);
}

/* "# vtk DataFile Version 5.1", a title, ASCII or BINARY */
static enum status read_header(struct legacy *legacy, struct error *error)
{
    static const char magic[] = "# vtk DataFile Version ";
    struct text_file *text = &legacy->text;
    bool more;
    char word[40];
    double version = 0;
    TRY(text_line(text, &more, error));
    if (!more || strncmp(text->cursor, magic, sizeof magic - 1) != 0)
        return text_error(text, error, "not a legacy VTK file: it does not start with '%s'", magic);
    text->cursor += sizeof magic - 1;
    TRY(text_number(text, 0, &version, "the version", error));
    if (!(version >= 1 && version < 6))
        return text_error(text, error, "version %g is not supported; 1.0 to 5.1 are", version);
    legacy->version = (int64_t)version;
    TRY(text_line(text, &more, error)); /* the title */
    TRY(need_line(legacy, "ASCII or BINARY", error));
    text_word(text, word, sizeof word);
    legacy->binary = strcasecmp(word, "BINARY") == 0;
    if (!legacy->binary && strcasecmp(word, "ASCII") != 0)
        return text_error(text, error, "'%s' where ASCII or BINARY is expected", word);
    snprintf(legacy->grid.notes->format, sizeof legacy->grid.notes->format, "VTK %.1f %s", version,
             legacy->binary ? "binary" : "ASCII");
    return text_end_of_line(text, error);
}

static enum status read_sections(struct legacy *legacy, struct error *error)
{
    struct text_file *text = &legacy->text;
    bool dataset = false;
    for (;;) {
        bool more;
        char word[40];
        size_t s = 0;
        TRY(next_line(legacy, &more, error));
        if (!more)
            return STATUS_OK;
        const char *begin = text->cursor;
        text_word(text, word, sizeof word);
        if (strcasecmp(word, "DATASET") == 0) {
            dataset = true;
            TRY(read_dataset(legacy, error));
            continue;
        }
        while (s < sizeof sections / sizeof *sections && strcasecmp(word, sections[s].name) != 0)
            s++;
        if (s == sizeof sections / sizeof *sections || (!dataset && strcasecmp(word, "FIELD") != 0)) {
            text->cursor = begin;
            return text_error(text, error, "'%s' where a section such as POINTS or CELL_DATA is expected",
                              word);
        }
        TRY(sections[s].read ? sections[s].read(legacy, error)
                             : read_attribute(legacy, sections[s].components, error));
        if (!text->binary && text_has_word(text))
            return text_end_of_line(text, error);
    }
}

static enum status vtk_read(struct mesh_builder *builder, const struct format_files *files,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct legacy legacy = {.location = LOCATION_NONE};
    format_sibling(path, files, ".vtk");
    vtk_grid_start(&legacy.grid, path, builder, unit, notes);
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&legacy.text, path, files->inputs, error));
    TRY_DONE(read_header(&legacy, error));
    TRY_DONE(read_sections(&legacy, error));
    TRY_DONE(vtk_grid_finish(&legacy.grid, error));
done:
    text_close(&legacy.text);
    vtk_grid_free(&legacy.grid);
    return status;
}

const struct mesh_format format_vtk = {.name = "VTK",
                                       .extension = {".vtk"},
                                       .read = vtk_read,
                                       .write = vtk_out_legacy,
                                       .fields = true,
                                       .faces = true};
