/* vtu.c: reading VTK's XML files of an unstructured grid (.vtu) of one piece, whose arrays are ASCII, base64
 * or appended, compressed by zlib or not (VTK file formats, "XML file formats"). */
#include "app/meshio/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/vtk/vtk_grid.h"
#include "app/meshio/vtk/vtk_out.h"
#include "app/meshio/vtk/vtu_data.h"
#include "app/meshio/vtk/vtu_xml.h"

enum { MOST_COMPONENTS = 1000 };

/* An array that is wanted, and where its numbers go */
struct array {
    struct vtk_values *into; /* of the grid; NULL: `own`, which are those of a field */
    struct vtk_values own;
    int field; /* its number in grid.field */
    int64_t offset;
};

struct vtu {
    struct text_file text;
    struct vtk_grid grid;
    struct vtu_xml tag;
    struct vtu_coding coding;
    int64_t inflated;    /* bytes out of zlib so far */
    char section[20];    /* "Points", "Cells", "PointData", "CellData", or "" */
    bool inside;         /* the "<" of the next tag is read */
    struct array *array; /* [arrays] those whose numbers are appended */
    int64_t arrays, room;
};

static const char *value_of(const struct vtu *vtu, const char *name)
{
    const char *value = vtu_xml_value(&vtu->tag, name);
    return value ? value : "";
}

static enum status read_head(struct vtu *vtu, struct error *error)
{
    const char *compressor = value_of(vtu, "compressor"), *type = value_of(vtu, "type");
    if (strcmp(type, "UnstructuredGrid") != 0)
        return text_error(&vtu->text, error, "a file of type '%.40s'; meshes are UnstructuredGrid", type);
    if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return text_error(&vtu->text, error, "compressed by %.40s; vtkZLibDataCompressor is read",
                          compressor);
    vtu->coding.zlib = *compressor;
    vtu->coding.big = strcmp(value_of(vtu, "byte_order"), "BigEndian") == 0;
    vtu->coding.length_bytes = strcmp(value_of(vtu, "header_type"), "UInt64") == 0 ? 8 : 4;
    snprintf(vtu->grid.notes->format, sizeof vtu->grid.notes->format, "VTK XML");
    return STATUS_OK;
}

/* *value <- an attribute that is a whole number; `fallback` where there is none, which must not be < 0 */
static enum status attribute(struct vtu *vtu, const char *name, int64_t fallback, int64_t most,
                             int64_t *value, struct error *error)
{
    const char *text = vtu_xml_value(&vtu->tag, name), *cursor = text;
    *value = fallback;
    if (text && !scan_integer(&cursor, value))
        *value = -1;
    if (*value >= 0 && *value <= most)
        return STATUS_OK;
    return text_error(&vtu->text, error, "<%s %s=\"%.40s\">: a whole number from 0 to %lld is due",
                      vtu->tag.name, name, text ? text : "", (long long)most);
}

static enum status read_piece(struct vtu *vtu, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    if (grid->points >= 0)
        return text_error(&vtu->text, error, "a second piece; grids of one piece are read");
    enum status status = attribute(vtu, "NumberOfCells", -1, INT64_MAX / 64, &grid->cells, error);
    AND(attribute(vtu, "NumberOfPoints", -1, INT32_MAX, &grid->points, error));
    grid->node.limit = grid->points;
    return status;
}

/* *array <- where the array of this tag goes; *wanted is false for one that nobody asks for */
static enum status find_target(struct vtu *vtu, struct array *array, bool *wanted, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    const char *name = value_of(vtu, "Name");
    bool points = strcmp(vtu->section, "PointData") == 0, cells = strcmp(vtu->section, "CellData") == 0;
    int64_t components;
    enum status status = attribute(vtu, "NumberOfComponents", 1, INT32_MAX, &components, error);
    *wanted = false;
    *array = (struct array){.offset = -1};
    if (status || !vtu->section[0])
        return status;
    if (strcmp(vtu->section, "Points") == 0) {
        if (components != 3)
            return text_error(&vtu->text, error, "points of %lld components", (long long)components);
        array->into = &grid->point;
        grid->point.expected = 3 * grid->points;
    } else if (strcmp(vtu->section, "Cells") == 0) {
        array->into = strcmp(name, "connectivity") == 0 ? &grid->node
                      : strcmp(name, "offsets") == 0    ? &grid->end
                      : strcmp(name, "types") == 0      ? &grid->type
                                                        : NULL;
        grid->end.expected = grid->type.expected = grid->cells;
        grid->node.expected = INT64_MAX / 8;
    } else if ((points || cells) && components >= 1 && components <= MOST_COMPONENTS && *name) {
        status = vtk_grid_field(grid, name, points ? LOCATION_NODE : LOCATION_ELEMENT, (int)components,
                                wanted, error);
        array->field = grid->field.count - 1;
        array->own.expected = components * (points ? grid->points : grid->cells);
        array->own.target = VTK_REALS;
    }
    *wanted = *wanted || array->into;
    if (!status && array->into && array->into->count)
        return text_error(&vtu->text, error, "%s come twice", array->into->what);
    return status;
}

/* The numbers of an array, which lie here, checked for their count */
static enum status read_numbers(struct vtu *vtu, struct array *array, bool words, struct error *error)
{
    struct vtk_values *values = array->into ? array->into : &array->own;
    if (!array->into)
        values->what = vtu->grid.field.item[array->field].name;
    enum status status = words ? vtu_data_words(values, &vtu->text, error)
                               : vtu_data_bytes(values, vtu->coding, &vtu->text, &vtu->inflated, error);
    if (!status && values->count != values->expected && values != &vtu->grid.node)
        status = text_error(&vtu->text, error, "%s: %lld numbers; there should be %lld", values->what,
                            (long long)values->count, (long long)values->expected);
    if (!array->into)
        vtu->grid.field.item[array->field].value = values->value;
    return status;
}

/* What stands inside a DataArray before its numbers; *empty where that is all */
static enum status skip_information(struct vtu *vtu, bool *empty, struct error *error)
{
    int depth = 0;
    for (*empty = false;;) {
        int c = 0;
        enum status status = text_byte(&vtu->text, &c, error);
        if (status)
            return status;
        if (c < 0)
            return text_error(&vtu->text, error, "the file ends inside an array: it is truncated");
        if (c == '<') {
            status = vtu_xml_next(&vtu->tag, &vtu->text, true, error);
            depth += vtu->tag.opens - vtu->tag.closes;
            if (status || depth < 0) {
                *empty = true;
                return status;
            }
        } else if (c > ' ' && depth == 0) {
            vtu->text.begin--; /* the first of the numbers */
            return STATUS_OK;
        }
    }
}

static enum status read_array(struct vtu *vtu, struct error *error)
{
    struct array array;
    char format[16];
    bool wanted, empty = vtu->tag.closes;
    struct vtu_coding coding = vtu->coding;
    enum status status = find_target(vtu, &array, &wanted, error);
    if (status || !wanted)
        return status;
    struct vtk_values *values = array.into ? array.into : &array.own;
    if (!vtk_number_find(&values->number, value_of(vtu, "type")))
        return text_error(&vtu->text, error, "'%.40s' is no type of number that can be read",
                          value_of(vtu, "type"));
    snprintf(format, sizeof format, "%.15s", value_of(vtu, "format"));
    if (strcmp(format, "appended") == 0) {
        status = attribute(vtu, "offset", -1, INT64_MAX / 2, &array.offset, error);
        AND(builder_grow((void **)&vtu->array, &vtu->room, vtu->arrays, sizeof *vtu->array, error));
        if (!status)
            vtu->array[vtu->arrays++] = array;
        return status;
    }
    if (*format && strcmp(format, "ascii") != 0 && strcmp(format, "binary") != 0)
        return text_error(&vtu->text, error, "format '%s'; there are ascii, binary and appended", format);
    if (!empty)
        status = skip_information(vtu, &empty, error);
    if (!status && empty)
        return values->expected ? text_error(&vtu->text, error, "an array without numbers") : STATUS_OK;
    vtu->coding.base64 = true;
    vtu->inside = strcmp(format, "binary") != 0;
    AND(read_numbers(vtu, &array, vtu->inside, error));
    vtu->coding = coding;
    return status;
}

static int by_offset(const void *a, const void *b)
{
    const struct array *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int64_t handed_out(const struct text_file *text)
{
    return text->bytes - (int64_t)(text->end - text->begin);
}

/* The arrays one after the other, as they lie behind the "_" */
static enum status read_appended(struct vtu *vtu, struct error *error)
{
    struct text_file *text = &vtu->text;
    const char *encoding = value_of(vtu, "encoding");
    unsigned char skipped[4096];
    vtu->coding.base64 = strcmp(encoding, "base64") == 0;
    if (!vtu->coding.base64 && strcmp(encoding, "raw") != 0)
        return text_error(text, error, "appended data in the encoding '%.40s'; there are raw and base64",
                          encoding);
    enum status status = STATUS_OK;
    for (int c = ' '; !status && c != '_';) {
        status = text_byte(text, &c, error);
        if (!status && (c < 0 || c > ' ') && c != '_')
            return text_error(text, error, "the appended data does not begin with '_'");
    }
    int64_t begin = handed_out(text);
    if (vtu->arrays)
        qsort(vtu->array, (size_t)vtu->arrays, sizeof *vtu->array, by_offset);
    for (int64_t k = 0; k < vtu->arrays && !status; k++) {
        int64_t gap = begin + vtu->array[k].offset - handed_out(text);
        if (gap < 0)
            return text_error(text, error, "the array at offset %lld begins inside another",
                              (long long)vtu->array[k].offset);
        while (gap > 0 && !status) {
            size_t now = gap < (int64_t)sizeof skipped ? (size_t)gap : sizeof skipped;
            status = text_bytes(text, skipped, now, "the appended data", error);
            gap -= (int64_t)now;
        }
        AND(read_numbers(vtu, &vtu->array[k], false, error));
    }
    return status;
}

static bool is_section(const char *name)
{
    return strcmp(name, "Points") == 0 || strcmp(name, "Cells") == 0 || strcmp(name, "PointData") == 0 ||
           strcmp(name, "CellData") == 0;
}

static enum status read_tags(struct vtu *vtu, struct error *error)
{
    struct vtu_xml *tag = &vtu->tag;
    for (bool head = false;;) {
        enum status status = vtu_xml_next(tag, &vtu->text, vtu->inside, error);
        bool opens = tag->opens, file = opens && strcmp(tag->name, "VTKFile") == 0;
        if (!status && !head && !file)
            return text_error(&vtu->text, error, "this is no VTK XML file: it does not start with <VTKFile>");
        if (!status && !tag->opens && !tag->closes)
            return text_error(&vtu->text, error, "the file ends before </VTKFile>: it is truncated");
        if (status || (!opens && strcmp(tag->name, "VTKFile") == 0))
            return status;
        head = true;
        vtu->inside = false;
        if (is_section(tag->name))
            snprintf(vtu->section, sizeof vtu->section, "%.19s", tag->closes ? "" : tag->name);
        else if (file)
            status = read_head(vtu, error);
        else if (opens && strcmp(tag->name, "Piece") == 0)
            status = read_piece(vtu, error);
        else if (opens && strcmp(tag->name, "DataArray") == 0)
            status = read_array(vtu, error);
        else if (opens && strcmp(tag->name, "AppendedData") == 0)
            return read_appended(vtu, error);
        if (status)
            return status;
    }
}

static enum status vtu_read(struct mesh_builder *builder, const struct format_files *place,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct vtu vtu = {.inside = false};
    format_sibling(path, place, ".vtu");
    vtk_grid_start(&vtu.grid, path, builder, unit, notes);
    enum status status = text_open(&vtu.text, path, error);
    AND(read_tags(&vtu, error));
    AND(vtk_grid_finish(&vtu.grid, error));
    text_close(&vtu.text);
    vtk_grid_free(&vtu.grid);
    free(vtu.array);
    return status;
}

const struct mesh_format format_vtu = {.name = "VTK XML",
                                       .extension = {".vtu"},
                                       .read = vtu_read,
                                       .write = vtk_out_xml,
                                       .fields = true,
                                       .faces = true};
