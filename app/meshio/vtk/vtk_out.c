/* vtk_out.c: writes a mesh as a legacy or an XML file of VTK. */
#include "app/meshio/vtk/vtk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct vtk_out {
    struct text_writer writer;
    bool xml;
    unsigned char held[3]; /* bytes not yet encoded in base64 */
    int holds;
};

static void put_base64(struct vtk_out *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4];
    uint32_t bits = 0;
    for (int i = 0; i < 3; i++)
        bits = bits << 8 | (i < out->holds ? out->held[i] : 0u);
    for (int i = 0; i < 4; i++)
        text[i] = i <= out->holds ? digits[bits >> (18 - 6 * i) & 63] : '=';
    text_writer_bytes(&out->writer, text, sizeof text);
    out->holds = 0;
}

static void put_byte(struct vtk_out *out, unsigned char byte)
{
    out->held[out->holds++] = byte;
    if (out->holds == 3)
        put_base64(out);
}

/* Writes the lowest `count` bytes of a number: little-endian in XML, big-endian in a legacy file */
static void put_bits(struct vtk_out *out, uint64_t bits, int count)
{
    unsigned char bytes[8];
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(bits >> 8 * (out->xml ? i : count - 1 - i));
    if (!out->xml)
        text_writer_bytes(&out->writer, bytes, (size_t)count);
    else
        for (int i = 0; i < count; i++)
            put_byte(out, bytes[i]);
}

static void put_real(struct vtk_out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(out, bits, 8);
}

static void put_integer(struct vtk_out *out, int32_t value)
{
    put_bits(out, (uint32_t)value, 4);
}

static void put_text(struct vtk_out *out, const char *text)
{
    text_writer_text(&out->writer, text);
}

/* Writes a name, escaped: a blank as %20 in a legacy file, a quote as &#34; in XML */
static void put_name(struct vtk_out *out, const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        char text[8];
        bool plain = *c > ' ' && *c < 127 && !strchr(out->xml ? "\"<>&" : "\"%", *c);
        if (plain || (out->xml && *c == ' ') || *c >= 128)
            snprintf(text, sizeof text, "%c", *c);
        else
            snprintf(text, sizeof text, out->xml ? "&#%d;" : "%%%02X", *c);
        put_text(out, text);
    }
}

/* Writes the head of an array; bytes: size of a number */
static void begin_array(struct vtk_out *out, const char *name, const char *type, int bytes,
                        int64_t components, int64_t rows)
{
    static const char *const legacy[] = {"Int32", "int", "Float64", "double"};
    if (out->xml) {
        text_writer_print(&out->writer, "<DataArray type=\"%s\" Name=\"", type);
        put_name(out, name);
        text_writer_print(&out->writer, "\" NumberOfComponents=\"%" PRId64 "\" format=\"binary\">\n",
                          components);
        put_bits(out, (uint64_t)(rows * components * bytes), 8);
        return;
    }
    const char *word = strcmp(type, legacy[0]) == 0 ? legacy[1] : legacy[3];
    put_text(out, components == 1 ? "SCALARS " : components == 3 ? "VECTORS " : "FIELD FieldData 1\n");
    put_name(out, name);
    if (components != 1 && components != 3)
        text_writer_print(&out->writer, " %" PRId64 " %" PRId64, components, rows);
    text_writer_print(&out->writer, " %s%s\n", word, components == 1 ? " 1\nLOOKUP_TABLE default" : "");
}

static void end_array(struct vtk_out *out)
{
    if (out->holds)
        put_base64(out);
    put_text(out, out->xml ? "\n</DataArray>\n" : "\n");
}

/* Writes an array of nodes, or of elements and then faces; all values of the faces are `other` */
static void put_array(struct vtk_out *out, const struct mesh *mesh, const char *name, enum location location,
                      int components, const double *value, double other)
{
    int64_t own = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    int64_t rows = location == LOCATION_NODE ? own : own + mesh->faces;
    begin_array(out, name, "Float64", 8, components, rows);
    for (int64_t i = 0; i < rows * components; i++)
        put_real(out, i < own * components ? value[i] : other);
    end_array(out);
}

static void put_arrays(struct vtk_out *out, const struct mesh *mesh, enum location location)
{
    if (mesh->fiber_location == location && mesh->fiber)
        put_array(out, mesh, "fiber", location, 3, mesh->fiber, 0);
    if (mesh->fiber_location == location && mesh->sheet)
        put_array(out, mesh, "sheet", location, 3, mesh->sheet, 0);
    for (int f = 0; f < mesh->fields.count; f++) {
        const struct mesh_field *field = mesh->fields.item + f;
        if (field->value && field->location == location)
            put_array(out, mesh, field->name, location, field->components, field->value, NAN);
    }
}

static void put_tags(struct vtk_out *out, const struct mesh *mesh)
{
    begin_array(out, "region", "Int32", 4, 1, mesh->elements + mesh->faces);
    for (int64_t e = 0; e < mesh->elements; e++)
        put_integer(out, mesh->tag[e]);
    for (int64_t f = 0; f < mesh->faces; f++)
        put_integer(out, mesh->mark[f]);
    end_array(out);
}

/* Corners of an element, or of a marked face after the elements */
static int corners_of(const struct mesh *mesh, int64_t cell)
{
    return cell < mesh->elements ? mesh_corners(mesh, cell) : mesh->dimension;
}

/* Writes the nodes of every cell; in a legacy file each list begins with its length */
static void put_cells(struct vtk_out *out, const struct mesh *mesh)
{
    for (int64_t i = 0; i < mesh->elements + mesh->faces; i++) {
        const int corners = corners_of(mesh, i);
        const int32_t *node = i < mesh->elements ? mesh->vertex + i * (mesh->dimension + 1)
                                                 : mesh->face + (i - mesh->elements) * corners;
        if (!out->xml)
            put_integer(out, corners);
        for (int c = 0; c < corners; c++)
            put_integer(out, node[c]);
    }
}

static int64_t count_nodes(const struct mesh *mesh)
{
    int64_t count = mesh->faces * mesh->dimension;
    for (int64_t e = 0; e < mesh->elements; e++)
        count += mesh_corners(mesh, e);
    return count;
}

static enum status start(struct vtk_out *out, const struct mesh *mesh, const struct format_files *files,
                         const char *extension, struct error *error)
{
    int64_t cells = mesh->elements + mesh->faces;
    if (!out->xml && cells * (mesh->dimension + 2) > INT32_MAX)
        return error_set(
            error, STATUS_INPUT,
            "%s.vtk: the mesh is too large for the numbers of 32 bits of a legacy file; .vtu has 64",
            files->stem);
    return text_writer_open(&out->writer, files->stem, extension, files->gzipped, error);
}

enum status vtk_out_legacy(const struct mesh *mesh, const struct format_files *files, struct error *error)
{
    struct vtk_out out = {.xml = false};
    int64_t cells = mesh->elements + mesh->faces;
    TRY(start(&out, mesh, files, ".vtk", error));
    put_text(&out, "# vtk DataFile Version 3.0\nmesh in mm\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
    text_writer_print(&out.writer, "POINTS %" PRId64 " double\n", mesh->nodes);
    for (int64_t i = 0; i < 3 * mesh->nodes; i++)
        put_real(&out, mesh->point[i]);
    text_writer_print(&out.writer, "\nCELLS %" PRId64 " %" PRId64 "\n", cells, cells + count_nodes(mesh));
    put_cells(&out, mesh);
    text_writer_print(&out.writer, "\nCELL_TYPES %" PRId64 "\n", cells);
    for (int64_t i = 0; i < cells; i++)
        put_integer(&out, vtk_grid_type(corners_of(mesh, i)));
    text_writer_print(&out.writer, "\nCELL_DATA %" PRId64 "\n", cells);
    put_tags(&out, mesh);
    put_arrays(&out, mesh, LOCATION_ELEMENT);
    text_writer_print(&out.writer, "POINT_DATA %" PRId64 "\n", mesh->nodes);
    put_arrays(&out, mesh, LOCATION_NODE);
    return text_writer_close(&out.writer, error);
}

/* Writes <Cells>: nodes, the end of each cell's nodes, and types */
static void put_xml_cells(struct vtk_out *out, const struct mesh *mesh)
{
    int64_t cells = mesh->elements + mesh->faces, end = 0;
    put_text(out, "<Cells>\n");
    begin_array(out, "connectivity", "Int32", 4, 1, count_nodes(mesh));
    put_cells(out, mesh);
    end_array(out);
    begin_array(out, "offsets", "Int64", 8, 1, cells);
    for (int64_t i = 0; i < cells; i++) {
        end += corners_of(mesh, i);
        put_bits(out, (uint64_t)end, 8);
    }
    end_array(out);
    begin_array(out, "types", "UInt8", 1, 1, cells);
    for (int64_t i = 0; i < cells; i++)
        put_bits(out, (uint64_t)vtk_grid_type(corners_of(mesh, i)), 1);
    end_array(out);
    put_text(out, "</Cells>\n");
}

enum status vtk_out_xml(const struct mesh *mesh, const struct format_files *files, struct error *error)
{
    struct vtk_out out = {.xml = true};
    TRY(start(&out, mesh, files, ".vtu", error));
    put_text(&out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                   "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    text_writer_print(&out.writer,
                      "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64 "\">\n<Points>\n",
                      mesh->nodes, mesh->elements + mesh->faces);
    begin_array(&out, "Points", "Float64", 8, 3, mesh->nodes);
    for (int64_t i = 0; i < 3 * mesh->nodes; i++)
        put_real(&out, mesh->point[i]);
    end_array(&out);
    put_text(&out, "</Points>\n");
    put_xml_cells(&out, mesh);
    put_text(&out, "<CellData>\n");
    put_tags(&out, mesh);
    put_arrays(&out, mesh, LOCATION_ELEMENT);
    put_text(&out, "</CellData>\n<PointData>\n");
    put_arrays(&out, mesh, LOCATION_NODE);
    put_text(&out, "</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return text_writer_close(&out.writer, error);
}
