/* gmsh_out.c: writes .msh files of version 2.2. */
#include <inttypes.h>
#include <math.h>

#include "app/meshio/gmsh/gmsh_numbers.h"

/* Names of regions and surfaces are those of physical groups. */
static void write_gmsh_names(struct text_writer *writer, const struct mesh_names *names)
{
    if (!names->count)
        return;
    text_writer_print(writer, "$PhysicalNames\n%d\n", names->count);
    for (int k = 0; k < names->count; k++)
        text_writer_print(writer, "%d %d \"%s\"\n", names->item[k].dimension, (int)names->item[k].tag,
                          names->item[k].name);
    text_writer_text(writer, "$EndPhysicalNames\n");
}

static void write_gmsh_nodes(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_text(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    write_gmsh_names(writer, &mesh->names);
    text_writer_print(writer, "$Nodes\n%" PRId64 "\n", mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        text_writer_integer(writer, i + 1);
        text_writer_text(writer, " ");
        text_writer_vector(writer, mesh->point + 3 * i, 0);
        text_writer_text(writer, "\n");
    }
    text_writer_text(writer, "$EndNodes\n");
}

/* The tag is the physical group and, if positive, the elementary entity, which counts from 1. */
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

/* Writes elements before faces, since views of elements number these from 1. */
static void write_gmsh_elements(struct text_writer *writer, const struct mesh *mesh)
{
    const int corners = mesh->dimension + 1;
    text_writer_print(writer, "$Elements\n%" PRId64 "\n", mesh->elements + mesh->faces);
    for (int64_t e = 0; e < mesh->elements; e++)
        write_gmsh_element(writer, e + 1, mesh_corners(mesh, e), mesh->vertex + corners * e, mesh->tag[e]);
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
    text_writer_print(writer, "$%s\n1\n\"%s\"\n1\n0\n3\n0\n%d\n%" PRId64 "\n", section, name, components,
                      count);
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
    text_writer_print(writer, "$End%s\n", section);
}

enum status gmsh_write(const struct mesh *mesh, const struct format_files *files, struct error *error)
{
    struct text_writer writer;
    TRY(text_writer_open(&writer, files->stem, ".msh", files->gzipped, error));
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
