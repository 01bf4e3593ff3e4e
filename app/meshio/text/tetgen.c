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
#include "app/meshio/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tetgen {
    struct mesh_builder *builder;
    struct length_unit unit;
    int64_t base;           /* number of the first node, 0 or 1 */
    int dimension;          /* of the nodes, or items, of the file being read */
    int64_t extra;          /* attributes and markers of each of them */
    bool counted;           /* the header gives their number, which may be 0 */
    enum location location; /* of the fibres */
    int with_sheet;
};

enum { ATTRIBUTES_MAX = 1000 };

static enum status optional_number(struct text_file *text, int64_t *value, int64_t high, const char *what,
                                   struct error *error)
{
    *value = 0;
    return text_has_word(text) ? text_integer_within(text, value, 0, high, what, error) : STATUS_OK;
}

/* Skips `count` words, which must be numbers. */
static enum status skip_numbers(struct text_file *text, int64_t count, const char *what, struct error *error)
{
    double ignored;
    for (int64_t i = 0; i < count; i++)
        TRY(text_number(text, 0, &ignored, what, error));
    return STATUS_OK;
}

/* Skips the attributes and markers of an item. If the header gives 0, further columns are ignored, as in TetGen. */
static enum status skip_extra(struct text_file *text, const struct tetgen *tetgen, const char *what,
                              struct error *error)
{
    TRY(skip_numbers(text, tetgen->extra, what, error));
    while (tetgen->counted && tetgen->extra == 0 && text_has_word(text))
        TRY(skip_numbers(text, 1, what, error));
    return text_end_of_line(text, error);
}

/* The item number that starts a line must be base + i. */
static enum status check_number(struct text_file *text, int64_t want, const char *what, struct error *error)
{
    int64_t number;
    const char *begin = text->cursor;
    TRY(text_integer(text, &number, what, error));
    if (number == want)
        return STATUS_OK;
    text->cursor = begin;
    return text_error(text, error, "%s %lld found where %lld is expected", what, (long long)number,
                      (long long)want);
}

/* The first node's number is the base. */
static enum status read_node(void *context, struct text_file *text, int64_t i, struct format_item *item,
                             struct error *error)
{
    struct tetgen *tetgen = context;
    if (i == 0) {
        int64_t first;
        const char *begin = text->cursor;
        tetgen->base = scan_integer(&text->cursor, &first) && first == 1;
        text->cursor = begin;
    }
    TRY(check_number(text, tetgen->base + i, "node", error));
    item->value[2] = 0;
    TRY(format_point(text, tetgen->unit, item->value, tetgen->dimension, error));
    return skip_extra(text, tetgen, "a node attribute or marker", error);
}

static enum status put_node(void *context, const struct format_item *item, struct error *error)
{
    return builder_node(((struct tetgen *)context)->builder, item->value, error);
}

static enum status read_nodes(void *context, struct text_file *text, struct error *error)
{
    struct tetgen *tetgen = context;
    int64_t count = 0, dimension = 3, attributes, markers;
    TRY(text_need(text, "the number of nodes", error));
    TRY(text_integer_within(text, &count, 1, INT32_MAX, "the number of nodes", error));
    if (text_has_word(text))
        TRY(text_integer_within(text, &dimension, 0, 3, "the dimension", error));
    dimension = dimension ? dimension : 3; /* 0: the default, as TetGen reads it */
    tetgen->counted = text_has_word(text);
    TRY(optional_number(text, &attributes, ATTRIBUTES_MAX, "the number of attributes", error));
    TRY(optional_number(text, &markers, 1, "the number of boundary markers", error));
    TRY(text_end_of_line(text, error));
    TRY(format_claimed_count(text, count, 2 * (1 + (int)dimension), "nodes", error));
    tetgen->dimension = (int)dimension;
    tetgen->extra = attributes + markers;
    const struct format_items nodes = {"the last node", tetgen, read_node, put_node};
    TRY(format_items_read(&nodes, text, count, false, error));
    return format_end_of_items(text, count, "nodes", error);
}

static enum status read_element(void *context, struct text_file *text, int64_t i, struct format_item *item,
                                struct error *error)
{
    const struct tetgen *tetgen = context;
    TRY(check_number(text, tetgen->base + i, "item", error));
    item->tag = 0;
    for (int c = 0; c <= tetgen->dimension; c++)
        TRY(format_node_index(text, &item->vertex[c], tetgen->base, tetgen->builder->nodes, error));
    if (tetgen->extra == 0)
        return skip_extra(text, tetgen, "an attribute or marker", error);
    TRY(skip_numbers(text, tetgen->extra - 1, "an attribute", error));
    TRY(format_region_tag(text, &item->tag, error));
    return text_end_of_line(text, error);
}

static enum status put_element(void *context, const struct format_item *item, struct error *error)
{
    struct tetgen *tetgen = context;
    return builder_element(tetgen->builder, tetgen->dimension, item->vertex, item->tag, error);
}

static enum status read_items(struct tetgen *tetgen, struct text_file *text, int64_t count, int64_t corners,
                              int64_t attributes, const char *what, struct error *error)
{
    int64_t none;
    TRY(optional_number(text, &none, 0, "a number after the attributes", error)); /* an extra column */
    TRY(text_end_of_line(text, error));
    TRY(format_claimed_count(text, count, 2 * (1 + (int)corners), what, error));
    tetgen->dimension = (int)corners - 1;
    tetgen->extra = attributes;
    const struct format_items items = {"its last item", tetgen, read_element, put_element};
    TRY(format_items_read(&items, text, count, false, error));
    return format_end_of_items(text, count, what, error);
}

static enum status read_elements(void *context, struct text_file *text, struct error *error)
{
    struct tetgen *tetgen = context;
    int64_t count, corners = 4, attributes;
    TRY(text_need(text, "the number of elements", error));
    TRY(text_integer_within(text, &count, 0, INT64_MAX / 64, "the number of elements", error));
    if (text_has_word(text))
        TRY(text_integer(text, &corners, "the number of corners", error));
    corners = corners ? corners : 4; /* 0: the default */
    if (corners == 6 || corners == 10)
        return text_error(text, error,
                          "elements of %lld corners are quadratic; only linear triangles (3) and tetrahedra "
                          "(4) can be used",
                          (long long)corners);
    if (corners != 3 && corners != 4)
        return text_error(text, error,
                          "elements of %lld corners: only triangles (3) and tetrahedra (4) are supported",
                          (long long)corners);
    tetgen->counted = text_has_word(text);
    TRY(optional_number(text, &attributes, ATTRIBUTES_MAX, "the number of attributes", error));
    return read_items(tetgen, text, count, corners, attributes, "elements", error);
}

/* .face or .edge: count, marker flag, then items of that many corners */
static enum status read_boundary(struct tetgen *tetgen, struct text_file *text, int64_t corners,
                                 struct error *error)
{
    int64_t count, markers;
    TRY(text_need(text, "the number of items", error));
    TRY(text_integer_within(text, &count, 0, INT64_MAX / 64, "the number of items", error));
    tetgen->counted = text_has_word(text);
    TRY(optional_number(text, &markers, 1, "the number of boundary markers", error));
    return read_items(tetgen, text, count, corners, markers, corners == 3 ? "faces" : "edges", error);
}

static enum status read_faces(void *context, struct text_file *text, struct error *error)
{
    return read_boundary(context, text, 3, error);
}

static enum status read_edges(void *context, struct text_file *text, struct error *error)
{
    return read_boundary(context, text, 2, error);
}

static enum status location_of_fibers(const struct mesh_builder *builder, struct text_file *text,
                                      int64_t count, enum location *location, struct error *error)
{
    *location = count == builder->nodes ? LOCATION_NODE : LOCATION_ELEMENT;
    if (count != builder->nodes && count != builder->elements)
        return text_error(
            text, error,
            "there are %lld fibres for %lld nodes and %lld elements; there must be one for each "
            "node or one for each element",
            (long long)count, (long long)builder->nodes, (long long)builder->elements);
    return STATUS_OK;
}

/* The first line decides whether there are sheets. */
static enum status read_fiber(void *context, struct text_file *text, int64_t i, struct format_item *item,
                              struct error *error)
{
    struct tetgen *tetgen = context;
    struct mesh_builder *builder = tetgen->builder;
    (void)item;
    if (i == 0) {
        double ignored;
        const char *start = text->cursor;
        for (int columns = 0; scan_number(&text->cursor, 0, &ignored); columns++)
            tetgen->with_sheet = columns >= 3;
        text->cursor = start;
        TRY(builder_directions(builder, tetgen->location, tetgen->with_sheet, error));
    }
    return format_directions(text, builder->fiber + 3 * i, tetgen->with_sheet ? builder->sheet + 3 * i : NULL,
                             error);
}

static enum status read_fibers(void *context, struct text_file *text, struct error *error)
{
    struct tetgen *tetgen = context;
    int64_t count = 0;
    TRY(text_need(text, "the number of fibres", error));
    TRY(text_integer(text, &count, "the number of fibres", error));
    TRY(text_end_of_line(text, error));
    TRY(location_of_fibers(tetgen->builder, text, count, &tetgen->location, error));
    TRY(format_claimed_count(text, count, 6, "fibres", error));
    const struct format_items fibers = {"the last fibre", tetgen, read_fiber, NULL};
    TRY(format_items_read(&fibers, text, count, false, error));
    return format_end_of_items(text, count, "fibres", error);
}

static enum status tetgen_read(struct mesh_builder *builder, const struct format_files *files,
                               struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    struct tetgen tetgen = {.builder = builder, .unit = unit};
    bool nodes, elements, faces, edges;
    snprintf(notes->format, sizeof notes->format, "TetGen");
    TRY(format_read_file(files, ".node", read_nodes, &tetgen, &nodes, error));
    if (!nodes)
        return error_set(error, STATUS_INPUT, "%s.node: no such file; a TetGen mesh needs it", files->stem);
    TRY(format_read_file(files, ".ele", read_elements, &tetgen, &elements, error));
    TRY(format_read_file(files, ".face", read_faces, &tetgen, &faces, error));
    TRY(format_read_file(files, ".edge", read_edges, &tetgen, &edges, error));
    if (!elements && !faces && !edges)
        return error_set(
            error, STATUS_INPUT,
            "%s.ele: no such file; a TetGen mesh needs it (or a .face file of triangles, or a .edge "
            "file of lines)",
            files->stem);
    TRY(lower_settle(builder, notes, files->stem, LOWER_MARKS, error));
    return format_read_file(files, ".fib", read_fibers, &tetgen, NULL, error);
}

static void write_nodes(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 " 3 0 0\n", mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        text_writer_integer(writer, i);
        text_writer_text(writer, " ");
        text_writer_vector(writer, mesh->point + 3 * i, 0);
        text_writer_text(writer, "\n");
    }
}

static void write_elements(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 "%s 1\n", mesh->elements, mesh->dimension == 3 ? " 4" : "");
    format_write_simplices(writer, NULL, mesh->elements, mesh->dimension + 1, mesh->vertex, mesh->tag);
}

static void write_faces(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 " 1\n", mesh->faces);
    format_write_simplices(writer, NULL, mesh->faces, mesh->dimension, mesh->face, mesh->mark);
}

static void write_fibers(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 "\n",
                      mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements);
    format_write_directions(writer, mesh);
}

static enum status tetgen_write(const struct mesh *mesh, const struct format_files *files,
                                struct error *error)
{
    static const char *const extension[4] = {"", ".edge", ".face", ".ele"};
    if (mesh->fiber_location == LOCATION_ELEMENT && mesh->nodes == mesh->elements)
        return error_set(error, STATUS_INPUT,
                         "%s.fib: there are as many nodes as elements, so fibres of elements could not be "
                         "distinguished from fibres of nodes; write a Gmsh or openCARP mesh instead",
                         files->stem);
    TRY(format_write_file(files, ".node", write_nodes, mesh, error));
    if (mesh_is_mixed(mesh))
        return error_set(
            error, STATUS_INPUT,
            "%s: a TetGen mesh has elements of one dimension; write a .vtu, .msh or openCARP mesh",
            files->stem);
    TRY(format_write_file(files, extension[mesh->dimension], write_elements, mesh, error));
    if (mesh->faces)
        TRY(format_write_file(files, extension[mesh->dimension - 1], write_faces, mesh, error));
    if (mesh->fiber_location != LOCATION_NONE)
        TRY(format_write_file(files, ".fib", write_fibers, mesh, error));
    return STATUS_OK;
}

const struct mesh_format format_tetgen = {.name = "TetGen",
                                          .extension = {".node", ".ele", ".face", ".edge", ".fib"},
                                          .read = tetgen_read,
                                          .write = tetgen_write,
                                          .faces = true};
