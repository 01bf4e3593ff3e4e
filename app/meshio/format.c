/* format.c: words, lines and files that the text formats of meshes share. */
#include "app/meshio/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"

static bool name_file(char path[FORMAT_PATH + 16], const struct format_files *files, const char *extension,
                      bool gzipped)
{
    snprintf(path, FORMAT_PATH + 16, "%s%s%s", files->stem, extension, gzipped ? ".gz" : "");
    return access(path, F_OK) == 0;
}

bool format_sibling(char path[FORMAT_PATH + 16], const struct format_files *files, const char *extension)
{
    return name_file(path, files, extension, files->gzipped) ||
           name_file(path, files, extension, !files->gzipped) ||
           name_file(path, files, extension, files->gzipped);
}

enum status format_node_index(struct text_file *text, int32_t *index, int64_t base, int64_t nodes,
                              struct error *error)
{
    int64_t number;
    text_has_word(text);
    const char *begin = text->cursor;
    TRY(text_integer(text, &number, "a node of the element", error));
    if (number < base || number >= base + nodes) {
        text->cursor = begin;
        return text_error(text, error, "there is no node %lld; nodes are numbered from %lld to %lld",
                          (long long)number, (long long)base, (long long)(base + nodes - 1));
    }
    *index = (int32_t)(number - base);
    return STATUS_OK;
}

enum status format_region_tag(struct text_file *text, int32_t *tag, struct error *error)
{
    double value;
    text_has_word(text);
    const char *begin = text->cursor;
    TRY(text_number(text, 0, &value, "the region tag", error));
    if (!(fabs(value) <= INT32_MAX) || value != floor(value)) {
        text->cursor = begin;
        return text_error(text, error, "the region tag %.17g is not a whole number of 32 bits", value);
    }
    *tag = (int32_t)value;
    return STATUS_OK;
}

enum status format_claimed_count(struct text_file *text, int64_t count, int item_bytes, const char *what,
                                 struct error *error)
{
    int64_t most = text_capacity(text, item_bytes);
    if (count >= 0 && count <= most)
        return STATUS_OK;
    return text_error(text, error,
                      "%lld %s are declared, but the file has room for %lld at most: is it truncated?",
                      (long long)count, what, (long long)most);
}

enum status format_directions(struct text_file *text, double *fiber, double *sheet, struct error *error)
{
    const struct length_unit as_is = {0, 1};
    for (int d = 0; d < 3; d++)
        TRY(text_length(text, as_is, &fiber[d], "a component of the fibre", error));
    for (int d = 0; sheet && d < 3; d++)
        TRY(text_length(text, as_is, &sheet[d], "a component of the sheet direction", error));
    return text_end_of_line(text, error);
}

enum status format_cell(struct mesh_builder *builder, struct mesh_notes *notes, int type, const int32_t *node,
                        int32_t tag, struct error *error)
{
    int32_t simplex[SPLIT_MOST][4];
    int dimension = split_shape(type).dimension, count = split(type, node, simplex);
    int64_t row = builder->rows;
    notes->split[type] +=
        type != SPLIT_VERTEX && type != SPLIT_LINE && type != SPLIT_TRIANGLE && type != SPLIT_TETRA;
    for (int s = 0; s < count; s++) {
        builder->rows = row;
        TRY(builder_element(builder, dimension, simplex[s], tag, error));
    }
    builder->rows = row + 1;
    return STATUS_OK;
}

void format_note_ignored(struct mesh_notes *notes, const char *name)
{
    if (!strstr(notes->ignored, name))
        printed_item(notes->ignored, sizeof notes->ignored, "%s", name);
}

/* The context of text_rows_together(): item[k] is item first + k of the file */
struct together {
    const struct format_items *items;
    struct format_item *item;
    int64_t first;
};

static enum status read_row(void *context, struct text_file *line, int64_t k, struct error *error)
{
    const struct together *together = context;
    return together->items->read(together->items->context, line, together->first + k, together->item + k,
                                 error);
}

static enum status put_items(const struct format_items *items, const struct format_item *item, int64_t count,
                             struct error *error)
{
    for (int64_t k = 0; k < count && items->put; k++)
        TRY(items->put(items->context, item + k, error));
    return STATUS_OK;
}

enum status format_items_read(const struct format_items *items, struct text_file *text, int64_t count,
                              bool current, struct error *error)
{
    enum { MOST = 1 << 17, FEW = 2000 };
    enum status status = STATUS_OK;
    bool even = count > FEW; /* the lines can be read together */
    struct format_item *item = array_new(even ? MOST : 1, sizeof *item, "lines of a mesh", &status, error);
    TRY(status);
    for (int64_t i = 0, read; i < count; i += read) {
        struct together together = {items, item, i};
        read = i > 0 && even
                   ? text_rows_together(text, count - i < MOST ? count - i : MOST, read_row, &together)
                   : 0;
        even = even && (i == 0 || read > 0);
        if (read == 0) {
            if (i > 0 || !current)
                TRY_DONE(text_need(text, items->last, error));
            TRY_DONE(items->read(items->context, text, i, item, error));
            read = 1;
        }
        TRY_DONE(put_items(items, item, read, error));
    }
done:
    free(item);
    return status;
}

enum status format_end_of_items(struct text_file *text, int64_t count, const char *what, struct error *error)
{
    bool more;
    TRY(text_content(text, &more, error));
    if (more)
        return text_error(text, error, "%lld %s are declared, but more follow", (long long)count, what);
    return STATUS_OK;
}

enum status format_point(struct text_file *text, struct length_unit unit, double *point, int dimension,
                         struct error *error)
{
    static const char *const name[3] = {"the x coordinate", "the y coordinate", "the z coordinate"};
    for (int d = 0; d < dimension; d++)
        TRY(text_length(text, unit, &point[d], name[d], error));
    return STATUS_OK;
}

enum status format_read_file(const struct format_files *files, const char *extension, format_reader read,
                             void *context, bool *found, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct text_file text;
    bool exists = format_sibling(path, files, extension);
    if (found)
        *found = exists;
    if (!exists)
        return STATUS_OK;
    enum status status;
    TRY_DONE(text_open(&text, path, files->inputs, error));
    TRY_DONE(read(context, &text, error));
done:
    text_close(&text);
    return status;
}

enum status format_write_file(const struct format_files *files, const char *extension, format_writer write,
                              const struct mesh *mesh, struct error *error)
{
    struct text_writer writer;
    TRY(text_writer_open(&writer, files->stem, extension, files->gzipped, error));
    write(&writer, mesh);
    return text_writer_leave(&writer, &files->written->file[files->written->count++], error);
}

void format_write_simplices(struct text_writer *writer, const char *prefix, int64_t count, int corners,
                            const int32_t *vertex, const int32_t *tag)
{
    for (int64_t i = 0; i < count; i++) {
        if (prefix)
            text_writer_text(writer, prefix);
        else
            text_writer_integer(writer, i);
        for (int c = 0; c < corners; c++) {
            text_writer_text(writer, " ");
            text_writer_integer(writer, vertex[corners * i + c]);
        }
        text_writer_text(writer, " ");
        text_writer_integer(writer, tag[i]);
        text_writer_text(writer, "\n");
    }
}

void format_write_directions(struct text_writer *writer, const struct mesh *mesh)
{
    int64_t count = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    for (int64_t i = 0; i < count; i++) {
        text_writer_vector(writer, mesh->fiber + 3 * i, 0);
        if (mesh->sheet) {
            text_writer_text(writer, " ");
            text_writer_vector(writer, mesh->sheet + 3 * i, 0);
        }
        text_writer_text(writer, "\n");
    }
}
