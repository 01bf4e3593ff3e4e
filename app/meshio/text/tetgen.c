/* tetgen.c: TetGen's text files (Si 2015, TetGen manual 1.5, section 5), numbered from 0 or from 1.
 *
 *   .node  N dim attributes markers     then  i x y z [attributes] [marker]
 *   .ele   N corners attributes         then  i a b c d [attributes]   the last attribute is the region tag
 *   .face  N markers                    then  i a b c [marker]
 *   .edge  N markers                    then  i a b [marker]
 *   .fib   N                            then  x y z [sheet x y z], one line per node or per element
 *
 * Without a .ele the faces are the mesh, without these the edges, and their markers are the tags. The .fib
 * lines belong to the nodes if there are as many, else to the elements. */
#include "app/meshio/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is common to reading one of the files. */
struct tetgen {
    struct mesh_builder *builder;
    struct length_unit unit;
    int64_t base; /* number of the first node, 0 or 1 */
};

enum { ATTRIBUTES_MAX = 1000 };

static enum status optional_number(struct text_file *text, int64_t *value, int64_t high, const char *what,
                                   struct error *error)
{
    *value = 0;
    return text_has_word(text) ? text_integer_within(text, value, 0, high, what, error) : STATUS_OK;
}

/* count further words that must be numbers and are not used */
static enum status skip_numbers(struct text_file *text, int64_t count, const char *what, struct error *error)
{
    double ignored;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < count && !status; i++)
        status = text_number(text, 0, &ignored, what, error);
    return status;
}

/* The item number that starts a line must be base + i. */
static enum status check_number(struct text_file *text, int64_t want, const char *what, struct error *error)
{
    int64_t number;
    const char *place = text->cursor;
    enum status status = text_integer(text, &number, what, error);
    if (status || number == want)
        return status;
    text->cursor = place;
    return text_error(text, error, "%s %lld comes where %lld is due", what, (long long)number,
                      (long long)want);
}

/* What follows the last item must be nothing. */
static enum status end_of_items(struct text_file *text, int64_t count, const char *what, struct error *error)
{
    bool more;
    enum status status = text_content(text, &more, error);
    if (!status && more)
        return text_error(text, error, "the header says %lld %s, but more follow", (long long)count, what);
    return status;
}

static enum status read_node(struct tetgen *tetgen, struct text_file *text, int64_t dimension, int64_t extra,
                             struct error *error)
{
    static const char *const name[3] = {"the x coordinate", "the y coordinate", "the z coordinate"};
    double point[3] = {0, 0, 0};
    enum status status = STATUS_OK;
    for (int d = 0; d < dimension && !status; d++)
        status = text_length(text, tetgen->unit, &point[d], name[d], error);
    AND(skip_numbers(text, extra, "a node attribute or marker", error));
    AND(text_end_of_line(text, error));
    return status ? status : builder_node(tetgen->builder, point, error);
}

static enum status read_nodes(struct tetgen *tetgen, struct text_file *text, struct error *error)
{
    int64_t count = 0, dimension = 3, attributes, markers;
    enum status status = text_need(text, "the number of nodes", error);
    AND(text_integer_within(text, &count, 1, INT32_MAX, "the number of nodes", error));
    if (!status && text_has_word(text))
        status = text_integer_within(text, &dimension, 2, 3, "the dimension", error);
    AND(optional_number(text, &attributes, ATTRIBUTES_MAX, "the number of attributes", error));
    AND(optional_number(text, &markers, 1, "the number of boundary markers", error));
    AND(text_end_of_line(text, error));
    AND(format_claimed_count(text, count, 2 * (1 + (int)dimension), "nodes", error));
    for (int64_t i = 0; i < count && !status; i++) {
        if ((status = text_need(text, "the last node", error)))
            break;
        if (i == 0) {
            int64_t first;
            const char *place = text->cursor;
            tetgen->base = scan_integer(&text->cursor, &first) && first == 1;
            text->cursor = place;
        }
        status = check_number(text, tetgen->base + i, "node", error);
        AND(read_node(tetgen, text, dimension, attributes + markers, error));
    }
    return status ? status : end_of_items(text, count, "nodes", error);
}

static enum status read_element(struct tetgen *tetgen, struct text_file *text, int64_t corners,
                                int64_t attributes, struct error *error)
{
    int32_t vertex[4] = {0}, tag = 0;
    enum status status = STATUS_OK;
    for (int64_t c = 0; c < corners && !status; c++)
        status = format_node_index(text, &vertex[c], tetgen->base, tetgen->builder->nodes, error);
    AND(skip_numbers(text, attributes - 1, "an attribute", error));
    if (!status && attributes > 0)
        status = format_region_tag(text, &tag, error);
    AND(text_end_of_line(text, error));
    return status ? status : builder_element(tetgen->builder, (int)corners - 1, vertex, tag, error);
}

static enum status read_items(struct tetgen *tetgen, struct text_file *text, int64_t count, int64_t corners,
                              int64_t attributes, const char *what, struct error *error)
{
    enum status status = text_end_of_line(text, error);
    AND(format_claimed_count(text, count, 2 * (1 + (int)corners), what, error));
    for (int64_t i = 0; i < count && !status; i++) {
        status = text_need(text, "its last item", error);
        AND(check_number(text, tetgen->base + i, "item", error));
        AND(read_element(tetgen, text, corners, attributes, error));
    }
    return status ? status : end_of_items(text, count, what, error);
}

static enum status read_elements(struct tetgen *tetgen, struct text_file *text, struct error *error)
{
    int64_t count, corners = 4, attributes;
    enum status status = text_need(text, "the number of elements", error);
    AND(text_integer_within(text, &count, 0, INT64_MAX / 64, "the number of elements", error));
    if (!status && text_has_word(text))
        status = text_integer(text, &corners, "the number of corners", error);
    if (!status && (corners == 6 || corners == 10))
        return text_error(text, error,
                          "elements of %lld corners are quadratic; only linear triangles (3) and tetrahedra "
                          "(4) can be used",
                          (long long)corners);
    if (!status && corners != 3 && corners != 4)
        return text_error(text, error,
                          "elements of %lld corners: only triangles (3) and tetrahedra (4) exist",
                          (long long)corners);
    AND(optional_number(text, &attributes, ATTRIBUTES_MAX, "the number of attributes", error));
    return status ? status : read_items(tetgen, text, count, corners, attributes, "elements", error);
}

/* .face or .edge: count, marker flag, then items of that many corners */
static enum status read_boundary(struct tetgen *tetgen, struct text_file *text, int64_t corners,
                                 struct error *error)
{
    int64_t count, markers;
    enum status status = text_need(text, "the number of items", error);
    AND(text_integer_within(text, &count, 0, INT64_MAX / 64, "the number of items", error));
    AND(optional_number(text, &markers, 1, "the number of boundary markers", error));
    return status
               ? status
               : read_items(tetgen, text, count, corners, markers, corners == 3 ? "faces" : "edges", error);
}

static enum status read_faces(struct tetgen *tetgen, struct text_file *text, struct error *error)
{
    return read_boundary(tetgen, text, 3, error);
}

static enum status read_edges(struct tetgen *tetgen, struct text_file *text, struct error *error)
{
    return read_boundary(tetgen, text, 2, error);
}

static enum status place_of_fibers(const struct mesh_builder *builder, struct text_file *text, int64_t count,
                                   enum location *place, struct error *error)
{
    *place = count == builder->nodes ? LOCATION_NODE : LOCATION_ELEMENT;
    if (count != builder->nodes && count != builder->elements)
        return text_error(
            text, error,
            "there are %lld fibres for %lld nodes and %lld elements; there must be one for each "
            "node or one for each element",
            (long long)count, (long long)builder->nodes, (long long)builder->elements);
    return STATUS_OK;
}

static enum status read_fibers(struct tetgen *tetgen, struct text_file *text, struct error *error)
{
    struct mesh_builder *builder = tetgen->builder;
    int64_t count = 0;
    enum location location;
    int with_sheet = 0;
    enum status status = text_need(text, "the number of fibres", error);
    AND(text_integer(text, &count, "the number of fibres", error));
    AND(text_end_of_line(text, error));
    AND(place_of_fibers(builder, text, count, &location, error));
    AND(format_claimed_count(text, count, 6, "fibres", error));
    for (int64_t i = 0; i < count && !status; i++) {
        status = text_need(text, "the last fibre", error);
        if (!status && i == 0) {
            double ignored;
            const char *start = text->cursor;
            for (int columns = 0; scan_number(&text->cursor, 0, &ignored); columns++)
                with_sheet = columns >= 3;
            text->cursor = start;
            status = builder_directions(builder, location, with_sheet, error);
        }
        AND(format_directions(text, builder->fiber + 3 * i, with_sheet ? builder->sheet + 3 * i : NULL,
                              error));
    }
    return status ? status : end_of_items(text, count, "fibres", error);
}

/* Opens one of the files, if it is there, and reads it. */
static enum status read_file(struct tetgen *tetgen, const struct format_files *place, const char *extension,
                             enum status (*read)(struct tetgen *, struct text_file *, struct error *),
                             bool *found, struct error *error)
{
    char path[FORMAT_PATH + 16];
    *found = format_sibling(path, place, extension);
    if (!*found)
        return STATUS_OK;
    struct text_file text;
    enum status status = text_open(&text, path, error);
    AND(read(tetgen, &text, error));
    text_close(&text);
    return status;
}

static enum status tetgen_read(struct mesh_builder *builder, const struct format_files *place,
                               struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    struct tetgen tetgen = {.builder = builder, .unit = unit};
    bool nodes, elements, faces = false, edges = false, fibers;
    snprintf(notes->format, sizeof notes->format, "TetGen");
    enum status status = read_file(&tetgen, place, ".node", read_nodes, &nodes, error);
    if (!status && !nodes)
        return error_set(error, STATUS_INPUT, "%s.node: no such file; a TetGen mesh needs it", place->stem);
    AND(read_file(&tetgen, place, ".ele", read_elements, &elements, error));
    AND(read_file(&tetgen, place, ".face", read_faces, &faces, error));
    AND(read_file(&tetgen, place, ".edge", read_edges, &edges, error));
    if (!status && !elements && !faces && !edges)
        return error_set(
            error, STATUS_INPUT,
            "%s.ele: no such file; a TetGen mesh needs it (or a .face file of triangles, or a .edge "
            "file of lines)",
            place->stem);
    return status ? status : read_file(&tetgen, place, ".fib", read_fibers, &fibers, error);
}

static enum status write_tetgen_nodes(const struct mesh *mesh, const struct format_files *place,
                                      struct error *error)
{
    struct text_writer writer;
    enum status status = text_writer_open(&writer, place->stem, ".node", place->gzipped, error);
    if (status)
        return status;
    text_writer_integer(&writer, mesh->nodes);
    text_writer_text(&writer, " 3 0 0\n");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        text_writer_integer(&writer, i);
        text_writer_text(&writer, " ");
        text_writer_vector(&writer, mesh->point + 3 * i, 0);
        text_writer_text(&writer, "\n");
    }
    return text_writer_close(&writer, error);
}

static enum status write_tetgen_elements(const struct mesh *mesh, const struct format_files *place,
                                         struct error *error)
{
    static const char *const extension[4] = {"", ".edge", ".face", ".ele"};
    struct text_writer writer;
    enum status status =
        text_writer_open(&writer, place->stem, extension[mesh->dimension], place->gzipped, error);
    if (status)
        return status;
    text_writer_integer(&writer, mesh->elements);
    text_writer_text(&writer, mesh->dimension == 3 ? " 4 1\n" : " 1\n");
    format_write_elements(&writer, mesh, NULL);
    return text_writer_close(&writer, error);
}

static enum status write_tetgen_faces(const struct mesh *mesh, const struct format_files *place,
                                      struct error *error)
{
    int corners = mesh->dimension;
    struct text_writer writer;
    enum status status =
        text_writer_open(&writer, place->stem, corners == 3 ? ".face" : ".edge", place->gzipped, error);
    if (status)
        return status;
    text_writer_integer(&writer, mesh->faces);
    text_writer_text(&writer, " 1\n");
    for (int64_t f = 0; f < mesh->faces; f++) {
        text_writer_integer(&writer, f);
        for (int c = 0; c < corners; c++) {
            text_writer_text(&writer, " ");
            text_writer_integer(&writer, mesh->face[corners * f + c]);
        }
        text_writer_text(&writer, " ");
        text_writer_integer(&writer, mesh->mark[f]);
        text_writer_text(&writer, "\n");
    }
    return text_writer_close(&writer, error);
}

static enum status write_tetgen_fibers(const struct mesh *mesh, const struct format_files *place,
                                       struct error *error)
{
    int64_t count = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    struct text_writer writer;
    enum status status = text_writer_open(&writer, place->stem, ".fib", place->gzipped, error);
    if (status)
        return status;
    text_writer_integer(&writer, count);
    text_writer_text(&writer, "\n");
    for (int64_t i = 0; i < count; i++)
        format_write_directions(&writer, mesh, i);
    return text_writer_close(&writer, error);
}

static enum status tetgen_write(const struct mesh *mesh, const struct format_files *place,
                                struct error *error)
{
    if (mesh->fiber_location == LOCATION_ELEMENT && mesh->nodes == mesh->elements)
        return error_set(
            error, STATUS_INPUT,
            "%s.fib: there are as many nodes as elements, so fibres of elements could not be told "
            "from fibres of nodes; write a Gmsh or openCARP mesh instead",
            place->stem);
    enum status status = write_tetgen_nodes(mesh, place, error);
    AND(write_tetgen_elements(mesh, place, error));
    if (!status && mesh->faces)
        status = write_tetgen_faces(mesh, place, error);
    if (!status && mesh->fiber_location != LOCATION_NONE)
        status = write_tetgen_fibers(mesh, place, error);
    return status;
}

const struct mesh_format format_tetgen = {.name = "TetGen",
                                          .extension = {".node", ".ele", ".face", ".edge", ".fib"},
                                          .read = tetgen_read,
                                          .write = tetgen_write,
                                          .faces = true};
