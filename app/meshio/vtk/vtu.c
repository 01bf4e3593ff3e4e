/* vtu.c: reads VTK's XML files of an unstructured grid (.vtu) or PolyData (.vtp) of one piece (VTK file
 * formats, "XML file formats"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/vtk/vtk.h"
#include "app/util/text_file.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"

/* A reader for the subset of XML in VTK's files: tags with attributes, and text between them.
 *
 * It supports the five named entities and numeric ones, but no DTD, CDATA or namespaces. It reads character by
 * character, because the file is no longer XML after <AppendedData encoding="raw">. */

enum { XML_TEXT = 8192, XML_ATTRIBUTES = 40 };

struct xml_tag {
    char name[64];
    bool opens, closes; /* <a>, </a>; both for <a/>; none at the end of the file */
    int attributes;
    struct {
        const char *name, *value; /* in `text` */
    } attribute[XML_ATTRIBUTES];
    char text[XML_TEXT];
};

/* *c <- the next character; the end of the file is an error */
static enum status next_char(struct text_file *text, int *c, struct error *error)
{
    TRY(text_byte(text, c, error));
    return *c >= 0 ? STATUS_OK : text_error(text, error, "the file ends inside a tag: it is truncated");
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.';
}

/* Skips everything up to and including `end` ("-->", "?>"). */
static enum status skip_to(struct text_file *text, const char *end, struct error *error)
{
    char last[4] = "";
    size_t length = strlen(end);
    while (strcmp(last, end) != 0) {
        int c = 0;
        TRY(next_char(text, &c, error));
        size_t held = strlen(last);
        if (held == length) {
            memmove(last, last + 1, length);
            held--;
        }
        last[held] = (char)(c ? c : ' ');
        last[held + 1] = '\0';
    }
    return STATUS_OK;
}

/* A character written as &amp; or &#65; */
static enum status read_entity(struct text_file *text, char *out, struct error *error)
{
    static const struct {
        const char *name;
        char c;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    char name[12] = "";
    size_t length = 0;
    int c = 0;
    TRY(next_char(text, &c, error));
    while (c != ';' && length + 1 < sizeof name) {
        name[length++] = (char)c;
        TRY(next_char(text, &c, error));
    }
    name[length] = '\0';
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k].name) == 0) {
            *out = known[k].c;
            return STATUS_OK;
        }
    bool hexadecimal = name[0] == '#' && name[1] == 'x';
    long code = name[0] == '#' ? strtol(name + 1 + hexadecimal, NULL, hexadecimal ? 16 : 10) : 0;
    if (code < 1 || code > 127)
        return text_error(text, error, "'&%s;' cannot be read", name);
    *out = (char)code;
    return STATUS_OK;
}

/* Appends c to tag->text. */
static enum status append_char(struct xml_tag *tag, size_t *used, char c, struct text_file *text,
                               struct error *error)
{
    if (*used == sizeof tag->text)
        return text_error(text, error, "a tag of more than %d characters", XML_TEXT);
    tag->text[(*used)++] = c;
    return STATUS_OK;
}

/* Appends to tag->text a name that starts with *c, and a NUL; *c <- the character after the name */
static enum status read_name(struct xml_tag *tag, size_t *used, int *c, struct text_file *text,
                             struct error *error)
{
    if (!is_name(*c))
        return text_error(text, error, "a tag without a name: not valid XML");
    while (is_name(*c)) {
        TRY(append_char(tag, used, (char)*c, text, error));
        TRY(next_char(text, c, error));
    }
    return append_char(tag, used, '\0', text, error);
}

static enum status skip_blanks(struct text_file *text, int *c, struct error *error)
{
    while (is_blank(*c))
        TRY(next_char(text, c, error));
    return STATUS_OK;
}

/* Reads name = "value"; *c: in, the first character of the name; out, the character after the value */
static enum status read_attribute(struct xml_tag *tag, size_t *used, int *c, struct text_file *text,
                                  struct error *error)
{
    if (tag->attributes == XML_ATTRIBUTES)
        return text_error(text, error, "a tag of more than %d attributes", XML_ATTRIBUTES);
    tag->attribute[tag->attributes].name = tag->text + *used;
    TRY(read_name(tag, used, c, text, error));
    TRY(skip_blanks(text, c, error));
    if (*c != '=')
        return text_error(text, error, "an attribute without a value: not valid XML");
    TRY(next_char(text, c, error));
    TRY(skip_blanks(text, c, error));
    int quote = *c;
    if (quote != '"' && quote != '\'')
        return text_error(text, error, "a value without quotes: not valid XML");
    tag->attribute[tag->attributes++].value = tag->text + *used;
    TRY(next_char(text, c, error));
    while (*c != quote) {
        char kept = (char)*c;
        if (*c == '&')
            TRY(read_entity(text, &kept, error));
        if (kept == '\0')
            return text_error(text, error, "a zero byte in a tag: not valid XML");
        TRY(append_char(tag, used, kept, text, error));
        TRY(next_char(text, c, error));
    }
    TRY(append_char(tag, used, '\0', text, error));
    return next_char(text, c, error);
}

/* Reads a tag after its "<"; c is the next character */
static enum status read_tag(struct xml_tag *tag, int c, struct text_file *text, struct error *error)
{
    size_t used = 0;
    tag->attributes = 0;
    tag->closes = c == '/';
    tag->opens = !tag->closes;
    if (tag->closes)
        TRY(next_char(text, &c, error));
    TRY(read_name(tag, &used, &c, text, error));
    if (used > sizeof tag->name)
        return text_error(text, error, "a tag's name of more than %d characters", (int)sizeof tag->name);
    memcpy(tag->name, tag->text, used);
    for (;;) {
        TRY(skip_blanks(text, &c, error));
        if (c == '>')
            return STATUS_OK;
        if (c == '/') {
            tag->closes = true;
            TRY(next_char(text, &c, error));
            return c == '>' ? STATUS_OK : text_error(text, error, "'/' within a tag: not valid XML");
        }
        TRY(read_attribute(tag, &used, &c, text, error));
    }
}

/* *tag <- the next tag; skips text, comments and <? ?> before it. inside: its "<" has already been read. Errors:
 * STATUS_INPUT if the file is not valid XML. */
static enum status xml_next(struct xml_tag *tag, struct text_file *text, bool inside, struct error *error)
{
    for (;; inside = false) {
        int c = inside ? '<' : 0;
        while (c != '<' && c >= 0)
            TRY(text_byte(text, &c, error));
        tag->opens = tag->closes = false;
        if (c < 0)
            return STATUS_OK;
        TRY(next_char(text, &c, error));
        if (c != '?' && c != '!')
            return read_tag(tag, c, text, error);
        if (c == '!') {
            int dash[2] = {0, 0};
            TRY(next_char(text, &dash[0], error));
            TRY(next_char(text, &dash[1], error));
            if (dash[0] != '-' || dash[1] != '-')
                return text_error(text, error, "'<!' that begins no comment: such XML is not read");
        }
        TRY(skip_to(text, c == '?' ? "?>" : "-->", error));
    }
}

/* The value of an attribute, NULL if there is none */
static const char *xml_value(const struct xml_tag *tag, const char *name)
{
    for (int k = 0; k < tag->attributes; k++)
        if (strcmp(tag->attribute[k].name, name) == 0)
            return tag->attribute[k].value;
    return NULL;
}

enum { MOST_COMPONENTS = 1000 };

/* A selected array, and the destination of its numbers */
struct array {
    int64_t offset;
    struct vtk_values *into; /* values of the grid; NULL: `own`, the values of a field */
    struct vtk_values own;
    int field; /* its index in grid.field */
};

struct vtu {
    struct text_file text;
    struct vtk_grid grid;
    struct xml_tag tag;
    struct xml_coding coding;
    int64_t inflated;    /* bytes decompressed so far */
    char section[20];    /* "Points", `cells`, "PointData", "CellData", or "" */
    const char *cells;   /* "Cells" or, of PolyData, "Lines" or "Polys" */
    bool inside;         /* the "<" of the next tag has been read */
    struct array *array; /* [arrays] with numbers in the appended data */
    int64_t arrays, room;
};

static const char *value_of(const struct vtu *vtu, const char *name)
{
    const char *value = xml_value(&vtu->tag, name);
    return value ? value : "";
}

static enum status read_head(struct vtu *vtu, struct error *error)
{
    const char *compressor = value_of(vtu, "compressor"), *type = value_of(vtu, "type");
    vtu->grid.poly = strcmp(type, "PolyData") == 0 ? VTK_POLY_POLYGONS : VTK_POLY_NONE;
    if (!vtu->grid.poly && strcmp(type, "UnstructuredGrid") != 0)
        return text_error(&vtu->text, error,
                          "file type '%.40s'; expected UnstructuredGrid or PolyData; " FORMAT_BY_PYVISTA,
                          type);
    if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return text_error(&vtu->text, error, "the compressor %.40s is not supported; " FORMAT_BY_PYVISTA,
                          compressor);
    vtu->coding.zlib = *compressor;
    vtu->coding.big = strcmp(value_of(vtu, "byte_order"), "BigEndian") == 0;
    vtu->coding.length_bytes = strcmp(value_of(vtu, "header_type"), "UInt64") == 0 ? 8 : 4;
    snprintf(vtu->grid.notes->format, sizeof vtu->grid.notes->format, "VTK XML");
    return STATUS_OK;
}

/* *value <- an attribute, a whole number in 0 .. most, or `fallback` if it is missing; all others are errors */
static enum status integer_attribute(struct vtu *vtu, const char *name, int64_t fallback, int64_t most,
                                     int64_t *value, struct error *error)
{
    const char *text = xml_value(&vtu->tag, name), *cursor = text;
    *value = fallback;
    if (text && !scan_integer(&cursor, value))
        *value = -1;
    if (*value >= 0 && *value <= most)
        return STATUS_OK;
    return text_error(&vtu->text, error, "<%s %s=\"%.40s\">: expected a whole number from 0 to %lld",
                      vtu->tag.name, name, text ? text : "", (long long)most);
}

/* grid->cells <- the number of cells of PolyData, which may only be lines or only polygons */
static enum status count_poly(struct vtu *vtu, struct error *error)
{
    static const char *const name[] = {"NumberOfVerts", "NumberOfStrips", "NumberOfLines", "NumberOfPolys"};
    int64_t count[4];
    for (int k = 0; k < 4; k++)
        TRY(integer_attribute(vtu, name[k], 0, INT64_MAX / 64, &count[k], error));
    if (count[0] || count[1] || (count[2] && count[3]))
        return text_error(&vtu->text, error,
                          "%lld vertices, %lld strips, %lld lines, %lld polygons; only lines alone or "
                          "polygons alone are supported; " FORMAT_BY_PYVISTA,
                          (long long)count[0], (long long)count[1], (long long)count[2], (long long)count[3]);
    vtu->grid.poly = count[2] ? VTK_POLY_LINES : VTK_POLY_POLYGONS;
    vtu->cells = count[2] ? "Lines" : "Polys";
    vtu->grid.cells = count[2] + count[3];
    return STATUS_OK;
}

static enum status read_piece(struct vtu *vtu, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    if (grid->points >= 0)
        return text_error(&vtu->text, error, "a second piece; " FORMAT_BY_PYVISTA);
    if (grid->poly)
        TRY(count_poly(vtu, error));
    else
        TRY(integer_attribute(vtu, "NumberOfCells", -1, INT64_MAX / 64, &grid->cells, error));
    TRY(integer_attribute(vtu, "NumberOfPoints", -1, INT32_MAX, &grid->points, error));
    grid->node.limit = grid->points;
    return STATUS_OK;
}

/* *array <- the destination of this tag's array; *selected <- whether it is to be read */
static enum status find_target(struct vtu *vtu, struct array *array, bool *selected, struct error *error)
{
    struct vtk_grid *grid = &vtu->grid;
    const char *name = value_of(vtu, "Name");
    bool points = strcmp(vtu->section, "PointData") == 0, cells = strcmp(vtu->section, "CellData") == 0;
    int64_t components;
    TRY(integer_attribute(vtu, "NumberOfComponents", 1, INT32_MAX, &components, error));
    *selected = false;
    *array = (struct array){.offset = -1};
    if (!vtu->section[0])
        return STATUS_OK;
    if (strcmp(vtu->section, "Points") == 0) {
        if (components != 3)
            return text_error(&vtu->text, error, "points of %lld components", (long long)components);
        array->into = &grid->point;
        grid->point.expected = 3 * grid->points;
    } else if (strcmp(vtu->section, vtu->cells) == 0) {
        array->into = strcmp(name, "connectivity") == 0 ? &grid->node
                      : strcmp(name, "offsets") == 0    ? &grid->end
                      : strcmp(name, "types") == 0      ? &grid->type
                                                        : NULL;
        grid->end.expected = grid->type.expected = grid->cells;
        grid->node.expected = INT64_MAX / 8;
    } else if ((points || cells) && components >= 1 && components <= MOST_COMPONENTS && *name) {
        TRY(vtk_grid_field(grid, name, points ? LOCATION_NODE : LOCATION_ELEMENT, (int)components, selected,
                           error));
        array->field = grid->field.count - 1;
        array->own.expected = components * (points ? grid->points : grid->cells);
        array->own.target = VTK_REALS;
    }
    *selected = *selected || array->into;
    if (array->into && array->into->count)
        return text_error(&vtu->text, error, "%s are given twice", array->into->what);
    return STATUS_OK;
}

/* Reads the numbers of an array at the current position, and checks their count. */
static enum status read_numbers(struct vtu *vtu, struct array *array, bool words, struct error *error)
{
    struct vtk_values *values = array->into ? array->into : &array->own;
    enum status status;
    if (!array->into)
        values->what = vtu->grid.field.item[array->field].name;
    TRY_DONE(words ? xml_data_words(values, &vtu->text, error)
                   : xml_data_bytes(values, vtu->coding, &vtu->text, &vtu->inflated, error));
    if (values->count != values->expected && values != &vtu->grid.node)
        status = text_error(&vtu->text, error, "%s: %lld numbers; expected %lld", values->what,
                            (long long)values->count, (long long)values->expected);
done:
    if (!array->into)
        vtu->grid.field.item[array->field].value = values->value; /* the grid frees it */
    return status;
}

/* Skips the tags inside a DataArray before its numbers; *empty <- whether no numbers follow */
static enum status skip_information(struct vtu *vtu, bool *empty, struct error *error)
{
    int depth = 0;
    for (*empty = false;;) {
        int c = 0;
        TRY(text_byte(&vtu->text, &c, error));
        if (c < 0)
            return text_error(&vtu->text, error, "the file ends inside an array: it is truncated");
        if (c == '<') {
            TRY(xml_next(&vtu->tag, &vtu->text, true, error));
            depth += vtu->tag.opens - vtu->tag.closes;
            if (depth < 0) {
                *empty = true;
                return STATUS_OK;
            }
        } else if (c > ' ' && depth == 0) {
            vtu->text.begin--; /* back to the first character of the numbers */
            return STATUS_OK;
        }
    }
}

static enum status read_array(struct vtu *vtu, struct error *error)
{
    struct array array;
    char format[16];
    bool selected, empty = vtu->tag.closes;
    struct xml_coding coding = vtu->coding;
    TRY(find_target(vtu, &array, &selected, error));
    if (!selected)
        return STATUS_OK;
    struct vtk_values *values = array.into ? array.into : &array.own;
    if (!vtk_number_find(&values->number, value_of(vtu, "type")))
        return text_error(&vtu->text, error, "'%.40s' is not a supported number type", value_of(vtu, "type"));
    snprintf(format, sizeof format, "%.15s", value_of(vtu, "format"));
    if (strcmp(format, "appended") == 0) {
        TRY(integer_attribute(vtu, "offset", -1, INT64_MAX / 2, &array.offset, error));
        TRY(array_grow((void **)&vtu->array, &vtu->room, vtu->arrays, sizeof *vtu->array, "the mesh", error));
        vtu->array[vtu->arrays++] = array;
        return STATUS_OK;
    }
    if (*format && strcmp(format, "ascii") != 0 && strcmp(format, "binary") != 0)
        return text_error(&vtu->text, error, "format '%s'; expected ascii, binary or appended", format);
    if (!empty)
        TRY(skip_information(vtu, &empty, error));
    if (empty)
        return values->expected ? text_error(&vtu->text, error, "an array without numbers") : STATUS_OK;
    vtu->coding.base64 = true;
    vtu->inside = strcmp(format, "binary") != 0;
    TRY(read_numbers(vtu, &array, vtu->inside, error));
    vtu->coding = coding;
    return STATUS_OK;
}

static int64_t handed_out(const struct text_file *text)
{
    return text->bytes - (int64_t)(text->end - text->begin);
}

/* Reads the selected arrays after the "_", by ascending offset. */
static enum status read_appended(struct vtu *vtu, struct error *error)
{
    struct text_file *text = &vtu->text;
    const char *encoding = value_of(vtu, "encoding");
    unsigned char skipped[4096];
    vtu->coding.base64 = strcmp(encoding, "base64") == 0;
    if (!vtu->coding.base64 && strcmp(encoding, "raw") != 0)
        return text_error(text, error, "appended data in encoding '%.40s'; expected raw or base64", encoding);
    for (int c = ' '; c != '_';) {
        TRY(text_byte(text, &c, error));
        if ((c < 0 || c > ' ') && c != '_')
            return text_error(text, error, "the appended data does not begin with '_'");
    }
    int64_t begin = handed_out(text);
    if (vtu->arrays)
        qsort(vtu->array, (size_t)vtu->arrays, sizeof *vtu->array, compare_int64);
    for (int64_t k = 0; k < vtu->arrays; k++) {
        int64_t gap = begin + vtu->array[k].offset - handed_out(text);
        if (gap < 0)
            return text_error(text, error, "the array at offset %lld begins inside another",
                              (long long)vtu->array[k].offset);
        while (gap > 0) {
            size_t now = gap < (int64_t)sizeof skipped ? (size_t)gap : sizeof skipped;
            TRY(text_bytes(text, skipped, now, "the appended data", error));
            gap -= (int64_t)now;
        }
        TRY(read_numbers(vtu, &vtu->array[k], false, error));
    }
    return STATUS_OK;
}

static bool is_section(const struct vtu *vtu, const char *name)
{
    return strcmp(name, "Points") == 0 || strcmp(name, vtu->cells) == 0 || strcmp(name, "PointData") == 0 ||
           strcmp(name, "CellData") == 0;
}

static enum status read_tags(struct vtu *vtu, struct error *error)
{
    struct xml_tag *tag = &vtu->tag;
    for (bool head = false;;) {
        TRY(xml_next(tag, &vtu->text, vtu->inside, error));
        bool opens = tag->opens, file = opens && strcmp(tag->name, "VTKFile") == 0;
        if (!head && !file)
            return text_error(&vtu->text, error, "not a VTK XML file: it does not start with <VTKFile>");
        if (!tag->opens && !tag->closes)
            return text_error(&vtu->text, error, "the file ends before </VTKFile>: it is truncated");
        if (!opens && strcmp(tag->name, "VTKFile") == 0)
            return STATUS_OK;
        head = true;
        vtu->inside = false;
        if (is_section(vtu, tag->name))
            snprintf(vtu->section, sizeof vtu->section, "%.19s", tag->closes ? "" : tag->name);
        else if (file)
            TRY(read_head(vtu, error));
        else if (opens && strcmp(tag->name, "Piece") == 0)
            TRY(read_piece(vtu, error));
        else if (opens && strcmp(tag->name, "DataArray") == 0)
            TRY(read_array(vtu, error));
        else if (opens && strcmp(tag->name, "AppendedData") == 0)
            return read_appended(vtu, error);
    }
}

static enum status xml_read(const char *extension, struct mesh_builder *builder,
                            const struct format_files *files, struct length_unit unit,
                            struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct vtu vtu = {.cells = "Cells"};
    format_sibling(path, files, extension);
    vtk_grid_start(&vtu.grid, path, builder, unit, notes);
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&vtu.text, path, files->inputs, error));
    TRY_DONE(read_tags(&vtu, error));
    TRY_DONE(vtk_grid_finish(&vtu.grid, error));
done:
    text_close(&vtu.text);
    vtk_grid_free(&vtu.grid);
    free(vtu.array);
    return status;
}

static enum status vtu_read(struct mesh_builder *builder, const struct format_files *files,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    return xml_read(".vtu", builder, files, unit, notes, error);
}

static enum status vtp_read(struct mesh_builder *builder, const struct format_files *files,
                            struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    return xml_read(".vtp", builder, files, unit, notes, error);
}

const struct mesh_format format_vtu = {.name = "VTK XML",
                                       .extension = {".vtu"},
                                       .read = vtu_read,
                                       .write = vtk_out_xml,
                                       .fields = true,
                                       .faces = true};

const struct mesh_format format_vtp = {.name = "VTK XML", .extension = {".vtp"}, .read = vtp_read};
