/* write.c: a mesh as TetGen, openCARP or Gmsh text, as many digits as the doubles need. Each format can
 * take every mesh: what a reader of mesh_file.h reads back is the same mesh bit for bit. */
#include "app/meshio/format.h"
#include "app/util/text_write.h"

#include <assert.h>
#include <stddef.h>

/* "a b c d tag" for each element, behind *prefix or, without one, the element's number */
static void write_elements(struct text_writer *writer, const struct mesh *mesh, const char *const *prefix)
{
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        if (prefix)
            writer_text(writer, *prefix);
        else
            writer_integer(writer, e);
        for (int c = 0; c < corners; c++) {
            writer_text(writer, " ");
            writer_integer(writer, mesh->vertex[corners * e + c]);
        }
        writer_text(writer, " ");
        writer_integer(writer, mesh->tag[e]);
        writer_text(writer, "\n");
    }
}

/* One line per direction: fibre and, if there is one, sheet; no fibre at all is written as zero */
static void write_directions(struct text_writer *writer, const struct mesh *mesh, int64_t i)
{
    writer_vector(writer, mesh->fiber + 3 * i, 0);
    if (mesh->sheet) {
        writer_text(writer, " ");
        writer_vector(writer, mesh->sheet + 3 * i, 0);
    }
    writer_text(writer, "\n");
}

static enum status write_tetgen_nodes(const struct mesh *mesh, const struct mesh_place *place,
                                      struct error *error)
{
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".node", place->gzipped, error);
    if (status)
        return status;
    writer_integer(&writer, mesh->nodes);
    writer_text(&writer, " 3 0 0\n");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        writer_integer(&writer, i);
        writer_text(&writer, " ");
        writer_vector(&writer, mesh->point + 3 * i, 0);
        writer_text(&writer, "\n");
    }
    return writer_close(&writer, error);
}

static enum status write_tetgen_elements(const struct mesh *mesh, const struct mesh_place *place,
                                         struct error *error)
{
    static const char *const extension[4] = {"", ".edge", ".face", ".ele"};
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, extension[mesh->dimension], place->gzipped, error);
    if (status)
        return status;
    writer_integer(&writer, mesh->elements);
    writer_text(&writer, mesh->dimension == 3 ? " 4 1\n" : " 1\n");
    write_elements(&writer, mesh, NULL);
    return writer_close(&writer, error);
}

static enum status write_tetgen_fibers(const struct mesh *mesh, const struct mesh_place *place,
                                       struct error *error)
{
    int64_t count = mesh->fiber_place == PLACE_NODE ? mesh->nodes : mesh->elements;
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".fib", place->gzipped, error);
    if (status)
        return status;
    writer_integer(&writer, count);
    writer_text(&writer, "\n");
    for (int64_t i = 0; i < count; i++)
        write_directions(&writer, mesh, i);
    return writer_close(&writer, error);
}

enum status tetgen_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error)
{
    if (mesh->fiber_place == PLACE_ELEMENT && mesh->nodes == mesh->elements)
        return error_set(
            error, STATUS_INPUT,
            "%s.fib: there are as many nodes as elements, so fibres of elements could not be told "
            "from fibres of nodes; write a Gmsh or openCARP mesh instead",
            place->stem);
    enum status status = write_tetgen_nodes(mesh, place, error);
    if (!status)
        status = write_tetgen_elements(mesh, place, error);
    if (!status && mesh->fiber_place != PLACE_NONE)
        status = write_tetgen_fibers(mesh, place, error);
    return status;
}

static enum status write_opencarp_points(const struct mesh *mesh, const struct mesh_place *place,
                                         struct error *error)
{
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".pts", place->gzipped, error);
    if (status)
        return status;
    writer_integer(&writer, mesh->nodes);
    writer_text(&writer, "\n");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        writer_vector(&writer, mesh->point + 3 * i, 3); /* mm to um */
        writer_text(&writer, "\n");
    }
    return writer_close(&writer, error);
}

static enum status write_opencarp_elements(const struct mesh *mesh, const struct mesh_place *place,
                                           struct error *error)
{
    static const char *const code[4] = {"", "Ln", "Tr", "Tt"};
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".elem", place->gzipped, error);
    if (status)
        return status;
    writer_integer(&writer, mesh->elements);
    writer_text(&writer, "\n");
    write_elements(&writer, mesh, &code[mesh->dimension]);
    return writer_close(&writer, error);
}

static enum status write_opencarp_fibers(const struct mesh *mesh, const struct mesh_place *place,
                                         struct error *error)
{
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".lon", place->gzipped, error);
    if (status)
        return status;
    writer_text(&writer, mesh->sheet ? "2\n" : "1\n");
    for (int64_t e = 0; e < mesh->elements; e++)
        write_directions(&writer, mesh, e);
    return writer_close(&writer, error);
}

enum status opencarp_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error)
{
    if (mesh->fiber_place == PLACE_NODE)
        return error_set(
            error, STATUS_INPUT,
            "%s.lon: openCARP gives fibres to elements, this mesh to nodes; write a Gmsh or TetGen "
            "mesh instead, or average the fibres first (--fibers-to-elements)",
            place->stem);
    enum status status = write_opencarp_points(mesh, place, error);
    if (!status)
        status = write_opencarp_elements(mesh, place, error);
    if (!status && mesh->fiber_place == PLACE_ELEMENT)
        status = write_opencarp_fibers(mesh, place, error);
    return status;
}

static void write_gmsh_nodes(struct text_writer *writer, const struct mesh *mesh)
{
    writer_text(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n");
    writer_integer(writer, mesh->nodes);
    writer_text(writer, "\n");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        writer_integer(writer, i + 1);
        writer_text(writer, " ");
        writer_vector(writer, mesh->point + 3 * i, 0);
        writer_text(writer, "\n");
    }
    writer_text(writer, "$EndNodes\n");
}

/* The tag is the physical group; it names the elementary entity too, where it may (these count from 1). */
static void write_gmsh_elements(struct text_writer *writer, const struct mesh *mesh)
{
    static const int type[4] = {0, 1, 2, 4};
    int corners = mesh->dimension + 1;
    writer_text(writer, "$Elements\n");
    writer_integer(writer, mesh->elements);
    writer_text(writer, "\n");
    for (int64_t e = 0; e < mesh->elements; e++) {
        int64_t number[4] = {e + 1, type[mesh->dimension], 2, mesh->tag[e]};
        for (int k = 0; k < 4; k++) {
            writer_integer(writer, number[k]);
            writer_text(writer, " ");
        }
        writer_integer(writer, mesh->tag[e] > 0 ? mesh->tag[e] : 1);
        for (int c = 0; c < corners; c++) {
            writer_text(writer, " ");
            writer_integer(writer, (int64_t)mesh->vertex[corners * e + c] + 1);
        }
        writer_text(writer, "\n");
    }
    writer_text(writer, "$EndElements\n");
}

static void write_gmsh_view(struct text_writer *writer, const char *section, const char *name,
                            const double *direction, int64_t count)
{
    writer_text(writer, "$");
    writer_text(writer, section);
    writer_text(writer, "\n1\n\"");
    writer_text(writer, name);
    writer_text(writer, "\"\n1\n0\n3\n0\n3\n");
    writer_integer(writer, count);
    writer_text(writer, "\n");
    for (int64_t i = 0; i < count; i++) {
        writer_integer(writer, i + 1);
        writer_text(writer, " ");
        writer_vector(writer, direction + 3 * i, 0);
        writer_text(writer, "\n");
    }
    writer_text(writer, "$End");
    writer_text(writer, section);
    writer_text(writer, "\n");
}

enum status gmsh_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error)
{
    struct text_writer writer;
    enum status status = writer_open(&writer, place->stem, ".msh", place->gzipped, error);
    if (status)
        return status;
    write_gmsh_nodes(&writer, mesh);
    write_gmsh_elements(&writer, mesh);
    bool at_nodes = mesh->fiber_place == PLACE_NODE;
    const char *section = at_nodes ? "NodeData" : "ElementData";
    int64_t count = at_nodes ? mesh->nodes : mesh->elements;
    if (mesh->fiber)
        write_gmsh_view(&writer, section, "fiber", mesh->fiber, count);
    if (mesh->sheet)
        write_gmsh_view(&writer, section, "sheet", mesh->sheet, count);
    return writer_close(&writer, error);
}
