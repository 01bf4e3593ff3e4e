/* opencarp.c: openCARP's text files (openCARP user manual, "Mesh file formats"), coordinates in um.
 *
 *   .pts   N        then  x y z
 *   .elem  N        then  Tt a b c d [region]; also Hx, Pr, Py, Qd, Tr and Ln
 *   .surf  N        then  Tr a b c [mark]; X.NAME.surf is the surface of that name
 *   .lon   1 or 2   then  x y z [sheet x y z], one line per element; without the first line in old files
 *
 * Nodes are numbered from 0. The .lon file may be missing: then the mesh has no fibres. */
#include "app/meshio/format.h"
#include "app/meshio/builder.h"
#include "app/meshio/mesh_report.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"

#include <dirent.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opencarp {
    struct inputs *inputs; /* the record to which its files are added */
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    bool sheets;          /* the .lon file has sheets */
    int64_t rows, fibers; /* lines of fibres read; elements that have their fibre */
};

struct element_code {
    const char *code, *name;
    int type; /* of split.h; 0: cannot be used */
};

static const struct element_code codes[] = {
    {"Tt", "tetrahedron", SPLIT_TETRA},
    {"Tr", "triangle", SPLIT_TRIANGLE},
    {"Ln", "line", SPLIT_LINE},
    {"Qd", "quadrangle", SPLIT_QUAD},
    {"Py", "pyramid", SPLIT_PYRAMID},
    {"Pr", "prism", SPLIT_WEDGE},
    {"Hx", "hexahedron", SPLIT_HEXAHEDRON},
    {"Cx", "connection", 0},
    {"Oc", "octahedron", 0},
};

/* The count on the first line */
static enum status read_count(struct text_file *text, int64_t *count, const char *what, struct error *error)
{
    TRY(text_need(text, what, error));
    TRY(text_integer(text, count, what, error));
    TRY(text_end_of_line(text, error));
    return format_claimed_count(text, *count, 6, what, error);
}

static enum status read_point(void *context, struct text_file *text, int64_t i, struct format_item *item,
                              struct error *error)
{
    (void)i;
    TRY(format_point(text, ((const struct opencarp *)context)->unit, item->value, 3, error));
    return text_end_of_line(text, error);
}

static enum status put_point(void *context, const struct format_item *item, struct error *error)
{
    return builder_node(((struct opencarp *)context)->builder, item->value, error);
}

static enum status read_points(void *context, struct text_file *text, struct error *error)
{
    struct opencarp *carp = context;
    int64_t count;
    TRY(read_count(text, &count, "points", error));
    const struct format_items points = {"the last point", carp, read_point, put_point};
    TRY(format_items_read(&points, text, count, false, error));
    return format_end_of_items(text, count, "points", error);
}

static enum status read_code(struct text_file *text, int *type, struct error *error)
{
    char word[8];
    const char *begin = text->cursor;
    text_word(text, word, sizeof word);
    const char *name = "unknown";
    *type = 0;
    for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++)
        if (strcmp(word, codes[c].code) == 0) {
            *type = codes[c].type;
            name = codes[c].name;
        }
    if (*type)
        return STATUS_OK;
    text->cursor = begin;
    return text_error(
        text, error,
        "an element of type '%s' (%s) cannot be used; a mesh is of tetrahedra (Tt), hexahedra (Hx), "
        "prisms (Pr), pyramids (Py), triangles (Tr), quadrangles (Qd) or lines (Ln)",
        word, name);
}

/* The upper nodes of a prism or hexahedron come in VTK's order or, from openCARP's own tools, in reverse from
 * the first: in the right order each is nearer to the lower node below it. */
static void order_upper(const struct mesh_builder *builder, struct format_item *item)
{
    const int low = item->type == SPLIT_WEDGE ? 3 : 4, last = low - 1;
    int32_t *upper = item->vertex + low;
    const double *point = builder->point;
    if (item->type != SPLIT_WEDGE && item->type != SPLIT_HEXAHEDRON)
        return;
#define DISTANCE(a, b) mesh_distance(point + 3 * (int64_t)item->vertex[a], point + 3 * (int64_t)upper[b])
    if (DISTANCE(1, last) + DISTANCE(last, 1) < DISTANCE(1, 1) + DISTANCE(last, last)) {
        int32_t first = upper[1];
        upper[1] = upper[last];
        upper[last] = first;
    }
#undef DISTANCE
}

static enum status read_element(void *context, struct text_file *text, int64_t i, struct format_item *item,
                                struct error *error)
{
    const struct mesh_builder *builder = ((const struct opencarp *)context)->builder;
    (void)i;
    item->tag = 0;
    TRY(read_code(text, &item->type, error));
    for (int c = 0; c < split_shape(item->type).nodes; c++)
        TRY(format_node_index(text, &item->vertex[c], 0, builder->nodes, error));
    order_upper(builder, item);
    if (text_has_word(text))
        TRY(format_region_tag(text, &item->tag, error));
    return text_end_of_line(text, error);
}

static enum status put_element(void *context, const struct format_item *item, struct error *error)
{
    struct opencarp *carp = context;
    return format_cell(carp->builder, carp->notes, item->type, item->vertex, item->tag, error);
}

static enum status read_elements(void *context, struct text_file *text, struct error *error)
{
    struct opencarp *carp = context;
    int64_t count;
    TRY(read_count(text, &count, "elements", error));
    const struct format_items elements = {"the last element", carp, read_element, put_element};
    TRY(format_items_read(&elements, text, count, false, error));
    return format_end_of_items(text, count, "elements", error);
}

/* The number of numbers at the start of the current line */
static int count_columns(struct text_file *text)
{
    const char *begin = text->cursor;
    double ignored;
    int columns = 0;
    while (scan_number(&text->cursor, 0, &ignored))
        columns++;
    text->cursor = begin;
    return columns;
}

/* *vectors <- 1 or 2, from the first line or, in old files, from the columns of the first direction */
static enum status read_vectors(struct text_file *text, int64_t *vectors, struct error *error)
{
    TRY(text_need(text, "the number of directions", error));
    int columns = count_columns(text);
    if (columns == 3 || columns == 6) {
        *vectors = columns / 3;
        return STATUS_OK;
    }
    TRY(text_integer(text, vectors, "the number of directions, 1 or 2", error));
    TRY(text_end_of_line(text, error));
    if (*vectors != 1 && *vectors != 2)
        return text_error(text, error,
                          "%lld directions per element; expected 1 (fibre) or 2 (fibre and sheet)",
                          (long long)*vectors);
    return text_need(text, "the first fibre", error);
}

static enum status read_fiber(void *context, struct text_file *text, int64_t i, struct format_item *item,
                              struct error *error)
{
    (void)i;
    return format_directions(text, item->value,
                             ((const struct opencarp *)context)->sheets ? item->value + 3 : NULL, error);
}

/* Fibres of dropped elements are skipped; the parts of a split element share one. */
static enum status put_fiber(void *context, const struct format_item *item, struct error *error)
{
    struct opencarp *carp = context;
    struct mesh_builder *builder = carp->builder;
    int64_t row = carp->rows++;
    (void)error;
    for (int64_t e; (e = carp->fibers) < builder->elements && builder->row[e] == row; carp->fibers++) {
        memcpy(builder->fiber + 3 * e, item->value, 3 * sizeof *builder->fiber);
        if (carp->sheets)
            memcpy(builder->sheet + 3 * e, item->value + 3, 3 * sizeof *builder->sheet);
    }
    return STATUS_OK;
}

/* One line for each element of the file */
static enum status read_fibers(void *context, struct text_file *text, struct error *error)
{
    struct opencarp *carp = context;
    struct mesh_builder *builder = carp->builder;
    int64_t vectors = 0;
    TRY(read_vectors(text, &vectors, error));
    if (builder->rows > 0)
        TRY(builder_directions(builder, LOCATION_ELEMENT, vectors == 2, error));
    carp->sheets = vectors == 2;
    const struct format_items fibers = {"the fibre of the last element", carp, read_fiber, put_fiber};
    TRY(format_items_read(&fibers, text, builder->rows, true, error));
    return format_end_of_items(text, builder->rows, "elements", error);
}

/* A surface: faces with their own marks or, if mark != 0, with that one */
static enum status read_surface(struct opencarp *carp, struct text_file *text, int32_t mark,
                                struct error *error)
{
    struct mesh_builder *builder = carp->builder;
    int64_t count;
    TRY(text_need(text, "the number of faces", error));
    TRY(text_integer(text, &count, "the number of faces", error));
    TRY(format_claimed_count(text, count, 6, "faces", error));
    for (int64_t i = 0; i < count; i++) {
        int32_t vertex[SPLIT_NODES], simplex[SPLIT_MOST][4], own = 0;
        int type = 0;
        TRY(text_need(text, "the last face", error));
        TRY(read_code(text, &type, error));
        if (split_shape(type).dimension + 1 != builder->dimension)
            return text_error(text, error, "a face that is one of %s; this mesh is of %s",
                              split_shape(type).name, mesh_elements_name(builder->dimension));
        for (int c = 0; c < split_shape(type).nodes; c++)
            TRY(format_node_index(text, &vertex[c], 0, builder->nodes, error));
        if (text_has_word(text))
            TRY(format_region_tag(text, &own, error));
        TRY(text_end_of_line(text, error));
        own = mark ? mark : own ? own : 1;
        for (int simplices = split(type, vertex, simplex), s = 0; s < simplices; s++)
            TRY(builder_face(builder, simplex[s], own, error));
    }
    return format_end_of_items(text, count, "faces", error);
}

static enum status read_marked(void *context, struct text_file *text, struct error *error)
{
    return read_surface(context, text, 0, error);
}

/* The NAME of X.NAME.surf (maybe .gz); NULL if it is no file of mesh X */
static char *surface_name(const char *file, const char *stem)
{
    size_t length = strlen(stem), end = strlen(file);
    end -= end > 3 && strcmp(file + end - 3, ".gz") == 0 ? 3 : 0;
    if (end < length + 7 || strncmp(file, stem, length) != 0 || strncmp(file + end - 5, ".surf", 5) != 0 ||
        file[length] != '.' || strpbrk(file, "\"\n"))
        return NULL;
    return strndup(file + length + 1, end - 5 - length - 1);
}

/* *names <- [*count] the names of the surfaces next to the mesh, ascending */
static enum status list_surfaces(const char *folder, const char *stem, char ***names, int *count,
                                 struct error *error)
{
    DIR *directory = opendir(folder);
    enum status status = STATUS_OK;
    int64_t room = 0;
    *names = NULL;
    *count = 0;
    if (!directory)
        return STATUS_OK;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char *name = surface_name(entry->d_name, stem);
        if (!name)
            continue;
        status = array_grow((void **)names, &room, *count, sizeof **names, "the mesh", error);
        if (status) {
            free(name);
            break;
        }
        (*names)[(*count)++] = name;
    }
    closedir(directory);
    if (*count)
        qsort(*names, (size_t)*count, sizeof **names, compare_text);
    return status;
}

/* Adds the faces of X.NAME.surf with `mark`, which is named NAME. */
static enum status read_named_surface(struct opencarp *carp, const char *path, const char *name, int32_t mark,
                                      struct error *error)
{
    struct text_file text;
    enum status status;
    TRY_DONE(text_open(&text, path, carp->inputs, error));
    TRY_DONE(read_surface(carp, &text, mark, error));
    status = mesh_names_add(&carp->builder->names, name, carp->builder->dimension - 1, mark, error);
done:
    text_close(&text);
    return status;
}

/* Reads the named surfaces; they get the first marks above those in use. */
static enum status read_surfaces(struct opencarp *carp, const struct format_files *files, struct error *error)
{
    char stem[FORMAT_PATH], folder[FORMAT_PATH], **names;
    int count;
    int32_t mark = 0;
    enum status status;
    snprintf(stem, sizeof stem, "%s", files->stem);
    snprintf(folder, sizeof folder, "%s", files->stem);
    TRY_DONE(list_surfaces(dirname(folder), basename(stem), &names, &count, error));
    const struct mesh_lower *side = &carp->builder->lower[carp->builder->dimension - 1];
    for (int64_t f = 0; f < side->count; f++)
        mark = side->tag[f] > mark ? side->tag[f] : mark;
    for (int k = 0; k < count; k++) {
        char path[FORMAT_PATH + 16], own[300], extension[300];
        snprintf(own, sizeof own, ".%.250s.elem", names[k]);
        snprintf(extension, sizeof extension, ".%.250s.surf", names[k]);
        bool other = format_sibling(path, files, own); /* true: it belongs to another mesh, X.NAME */
        if (other || (k && strcmp(names[k], names[k - 1]) == 0) || !format_sibling(path, files, extension))
            continue;
        if (mark == INT32_MAX)
            TRY_DONE(error_set(error, STATUS_INPUT, "%s: no mark is left above %d", path, INT32_MAX));
        TRY_DONE(read_named_surface(carp, path, names[k], ++mark, error));
    }
done:
    for (int k = 0; k < count; k++)
        free(names[k]);
    free(names);
    return status;
}

static enum status opencarp_read(struct mesh_builder *builder, const struct format_files *files,
                                 struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    static const char *const required[2] = {".pts", ".elem"};
    const format_reader reader[2] = {read_points, read_elements};
    struct opencarp carp = {.inputs = files->inputs, .builder = builder, .notes = notes, .unit = unit};
    char path[FORMAT_PATH + 16];
    snprintf(notes->format, sizeof notes->format, "openCARP");
    for (int k = 0; k < 2; k++) {
        bool found;
        TRY(format_read_file(files, required[k], reader[k], &carp, &found, error));
        if (!found)
            return error_set(error, STATUS_INPUT, "%s%s: no such file; an openCARP mesh needs it",
                             files->stem, required[k]);
    }
    format_sibling(path, files, ".elem");
    TRY(lower_settle(builder, notes, path, LOWER_LINES, error));
    TRY(format_read_file(files, ".lon", read_fibers, &carp, NULL, error));
    TRY(format_read_file(files, ".surf", read_marked, &carp, NULL, error));
    return read_surfaces(&carp, files, error);
}

static void write_points(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 "\n", mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        text_writer_vector(writer, mesh->point + 3 * i, 3); /* mm to um */
        text_writer_text(writer, "\n");
    }
}

static const char *const written_code[4] = {"", "Ln", "Tr", "Tt"}; /* by dimension */

static void write_elements(struct text_writer *writer, const struct mesh *mesh)
{
    const int corners = mesh->dimension + 1;
    text_writer_print(writer, "%" PRId64 "\n", mesh->elements);
    for (int64_t e = 0, n; e < mesh->elements; e += n) { /* runs of one dimension */
        const int own = mesh_corners(mesh, e);
        for (n = 1; own == corners && e + n < mesh->elements && mesh_corners(mesh, e + n) == own;)
            n++;
        format_write_simplices(writer, written_code[own - 1], n, own, mesh->vertex + e * corners,
                               mesh->tag + e);
    }
}

static void write_fibers(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_text(writer, mesh->sheet ? "2\n" : "1\n");
    format_write_directions(writer, mesh);
}

static void write_faces(struct text_writer *writer, const struct mesh *mesh)
{
    text_writer_print(writer, "%" PRId64 "\n", mesh->faces);
    format_write_simplices(writer, written_code[mesh->dimension - 1], mesh->faces, mesh->dimension,
                           mesh->face, mesh->mark);
}

static enum status opencarp_write(const struct mesh *mesh, const struct format_files *files,
                                  struct error *error)
{
    if (mesh->fiber_location == LOCATION_NODE)
        return error_set(
            error, STATUS_INPUT,
            "%s.lon: openCARP gives fibres to elements, this mesh to nodes; write a Gmsh or TetGen "
            "mesh instead, or average the fibres first (--fibers-to-elements)",
            files->stem);
    TRY(format_write_file(files, ".pts", write_points, mesh, error));
    TRY(format_write_file(files, ".elem", write_elements, mesh, error));
    if (mesh->fiber_location == LOCATION_ELEMENT)
        TRY(format_write_file(files, ".lon", write_fibers, mesh, error));
    if (mesh->faces)
        TRY(format_write_file(files, ".surf", write_faces, mesh, error));
    return STATUS_OK;
}

const struct mesh_format format_opencarp = {.name = "openCARP",
                                            .extension = {".pts", ".elem", ".lon", ".surf"},
                                            .scale_mm = 1e-3,
                                            .read = opencarp_read,
                                            .write = opencarp_write,
                                            .faces = true};
