/* gmsh_file.c: a .msh file, section by section. Physical groups become region tags (0 = in none). */
#include "app/meshio/gmsh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
    const char *name;
    enum status (*read)(struct gmsh *, struct error *); /* NULL: means nothing to us and is left out */
};

/* $PhysicalNames: dimension, tag, "name"; text even in a binary file */
enum status gmsh_read_names(struct gmsh *gmsh, struct error *error)
{
    bool binary = gmsh->binary;
    int64_t count = 0, dimension, tag;
    gmsh->binary = false;
    enum status status = gmsh_count(gmsh, &count, 6, 6, "physical names", error);
    for (int64_t i = 0; i < count && !status; i++) {
        char name[200];
        status = gmsh_int(gmsh, &dimension, "the dimension of a physical group", error);
        AND(gmsh_int(gmsh, &tag, "the number of a physical group", error));
        if (status)
            break;
        if (!text_has_word(&gmsh->text) || *gmsh->text.cursor != '"')
            return text_error(&gmsh->text, error, "the name of a physical group must stand in quotes");
        size_t length = strcspn(gmsh->text.cursor + 1, "\"");
        if (length >= sizeof name || gmsh->text.cursor[1 + length] != '"')
            return text_error(&gmsh->text, error, "the name of a physical group has no end within %d bytes",
                              (int)sizeof name - 1);
        snprintf(name, sizeof name, "%.*s", (int)length, gmsh->text.cursor + 1);
        gmsh->text.cursor += length + 2;
        status = text_end_of_line(&gmsh->text, error);
        if (!status && length && dimension >= 0 && dimension <= 3)
            status = mesh_names_add(&gmsh->builder->names, name, (int)dimension, (int32_t)tag, error);
    }
    gmsh->binary = binary;
    return status ? status : gmsh_expect(gmsh, "$EndPhysicalNames", error);
}

static const struct section sections[] = {
    {"$MeshFormat", gmsh_read_format},   {"$Entities", gmsh_read_entities},
    {"$Nodes", gmsh_read_nodes},         {"$Elements", gmsh_read_elements},
    {"$NodeData", gmsh_read_node_data},  {"$ElementData", gmsh_read_element_data},
    {"$PhysicalNames", gmsh_read_names}, {"$Comments", NULL},
};

/* A section that the table does not know, or that has no reader */
static enum status leave_out(struct gmsh *gmsh, const char *name, bool known, struct error *error)
{
    char end[48];
    if (strncmp(name, "$End", 4) == 0)
        return text_error(&gmsh->text, error, "%s without its beginning", name);
    if (strcmp(name, "$PartitionedEntities") == 0)
        return text_error(&gmsh->text, error,
                          "a partitioned mesh cannot be read; save it without partitions");
    if (!known)
        format_note_ignored(gmsh->notes, name);
    snprintf(end, sizeof end, "$End%s", name + 1);
    return gmsh_skip(gmsh, end, error);
}

static enum status read_section(struct gmsh *gmsh, struct error *error)
{
    char name[40];
    const char *place = gmsh->text.cursor;
    text_word(&gmsh->text, name, sizeof name);
    bool format = strcmp(name, "$MeshFormat") == 0;
    gmsh->text.cursor = place;
    if (format == (gmsh->version != 0))
        return text_error(&gmsh->text, error,
                          format ? "a second $MeshFormat section"
                                 : "this is no Gmsh file: it does not start with $MeshFormat");
    if (name[0] != '$')
        return text_error(&gmsh->text, error, "'%s' where a section like $Nodes is due", name);
    text_word(&gmsh->text, name, sizeof name);
    enum status status = text_end_of_line(&gmsh->text, error);
    if (status)
        return status;
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++)
        if (strcmp(name, sections[s].name) == 0)
            return sections[s].read ? sections[s].read(gmsh, error) : leave_out(gmsh, name, true, error);
    return leave_out(gmsh, name, false, error);
}

static enum status read_sections(struct gmsh *gmsh, struct error *error)
{
    for (;;) {
        bool more;
        enum status status = text_line(&gmsh->text, &more, error);
        if (status)
            return status;
        if (!more)
            break;
        if (text_has_word(&gmsh->text) && (status = read_section(gmsh, error)))
            return status;
    }
    if (gmsh->nodes.count == 0 || gmsh->elements.count == 0)
        return text_error(&gmsh->text, error, "the file has no %s section",
                          gmsh->nodes.count == 0 ? "$Nodes" : "$Elements");
    return STATUS_OK;
}

static enum status gmsh_read(struct mesh_builder *builder, const struct format_files *place,
                             struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct gmsh gmsh = {.builder = builder, .notes = notes, .unit = unit};
    snprintf(notes->format, sizeof notes->format, "Gmsh");
    format_sibling(path, place, ".msh");
    enum status status = text_open(&gmsh.text, path, error);
    AND(read_sections(&gmsh, error));
    text_close(&gmsh.text);
    number_map_free(&gmsh.nodes);
    number_map_free(&gmsh.elements);
    number_map_free(&gmsh.entities);
    free(gmsh.physical);
    return status;
}

/* Names of regions and surfaces are those of physical groups. */
static void write_gmsh_names(struct text_writer *writer, const struct mesh_names *names)
{
    if (!names->count)
        return;
    text_writer_text(writer, "$PhysicalNames\n");
    text_writer_integer(writer, names->count);
    for (int k = 0; k < names->count; k++) {
        text_writer_text(writer, "\n");
        text_writer_integer(writer, names->item[k].dimension);
        text_writer_text(writer, " ");
        text_writer_integer(writer, names->item[k].tag);
        text_writer_text(writer, " \"");
        text_writer_text(writer, names->item[k].name);
        text_writer_text(writer, "\"");
    }
    text_writer_text(writer, "\n$EndPhysicalNames\n");
}

static void write_gmsh_nodes(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_text(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    write_gmsh_names(writer, &mesh->names);
    text_writer_text(writer, "$Nodes\n");
    text_writer_integer(writer, mesh->nodes);
    text_writer_text(writer, "\n");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        text_writer_integer(writer, i + 1);
        text_writer_text(writer, " ");
        text_writer_vector(writer, mesh->point + 3 * i, 0);
        text_writer_text(writer, "\n");
    }
    text_writer_text(writer, "$EndNodes\n");
}

/* The tag is the physical group; it names the elementary entity too, where it may (these count from 1). */
static void write_gmsh_element(struct text_writer *writer, int64_t number, int corners, const int32_t *vertex,
                               int32_t tag)
{
    static const int type[5] = {0, 0, 1, 2, 4};
    int64_t head[4] = {number, type[corners], 2, tag};
    for (int k = 0; k < 4; k++) {
        text_writer_integer(writer, head[k]);
        text_writer_text(writer, " ");
    }
    text_writer_integer(writer, tag > 0 ? tag : 1);
    for (int c = 0; c < corners; c++) {
        text_writer_text(writer, " ");
        text_writer_integer(writer, (int64_t)vertex[c] + 1);
    }
    text_writer_text(writer, "\n");
}

/* The elements come first: views of them count from 1. */
static void write_gmsh_elements(struct text_writer *writer, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
    text_writer_text(writer, "$Elements\n");
    text_writer_integer(writer, mesh->elements + mesh->faces);
    text_writer_text(writer, "\n");
    for (int64_t e = 0; e < mesh->elements; e++)
        write_gmsh_element(writer, e + 1, corners, mesh->vertex + corners * e, mesh->tag[e]);
    for (int64_t f = 0; f < mesh->faces; f++)
        write_gmsh_element(writer, mesh->elements + f + 1, corners - 1, mesh->face + mesh->dimension * f,
                           mesh->mark[f]);
    text_writer_text(writer, "$EndElements\n");
}

static bool has_number(const double *value, int components)
{
    for (int c = 0; c < components; c++)
        if (!isnan(value[c]))
            return true;
    return false;
}

/* Rows without a number (NaN alone) are left out. */
static void write_gmsh_view(struct text_writer *writer, enum location location, const char *name,
                            const double *value, int components, int64_t rows)
{
    const char *section = location == LOCATION_NODE ? "NodeData" : "ElementData";
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        count += has_number(value + components * i, components);
    text_writer_text(writer, "$");
    text_writer_text(writer, section);
    text_writer_text(writer, "\n1\n\"");
    text_writer_text(writer, name);
    text_writer_text(writer, "\"\n1\n0\n3\n0\n");
    text_writer_integer(writer, components);
    text_writer_text(writer, "\n");
    text_writer_integer(writer, count);
    text_writer_text(writer, "\n");
    for (int64_t i = 0; i < rows; i++) {
        if (!has_number(value + components * i, components))
            continue;
        text_writer_integer(writer, i + 1);
        for (int c = 0; c < components; c++) {
            char text[40];
            scan_value_text(text, value[components * i + c]);
            text_writer_text(writer, " ");
            text_writer_text(writer, text);
        }
        text_writer_text(writer, "\n");
    }
    text_writer_text(writer, "$End");
    text_writer_text(writer, section);
    text_writer_text(writer, "\n");
}

static enum status gmsh_write(const struct mesh *mesh, const struct format_files *place, struct error *error)
{
    struct text_writer writer;
    enum status status = text_writer_open(&writer, place->stem, ".msh", place->gzipped, error);
    if (status)
        return status;
    write_gmsh_nodes(&writer, mesh);
    write_gmsh_elements(&writer, mesh);
    int64_t count = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    if (mesh->fiber)
        write_gmsh_view(&writer, mesh->fiber_location, "fiber", mesh->fiber, 3, count);
    if (mesh->sheet)
        write_gmsh_view(&writer, mesh->fiber_location, "sheet", mesh->sheet, 3, count);
    for (int f = 0; f < mesh->fields.count; f++) {
        const struct mesh_field *field = mesh->fields.item + f;
        if (field->value)
            write_gmsh_view(&writer, field->location, field->name, field->value, field->components,
                            field->location == LOCATION_NODE ? mesh->nodes : mesh->elements);
    }
    return text_writer_close(&writer, error);
}

const struct mesh_format format_gmsh = {.name = "Gmsh",
                                        .extension = {".msh"},
                                        .read = gmsh_read,
                                        .write = gmsh_write,
                                        .fields = true,
                                        .faces = true,
                                        .names = true};
