/* format.c: words and lines that every text format of meshes has. */
#include "app/meshio/format.h"

#include "app/meshio/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool name_file(char path[FORMAT_PATH + 16], const struct format_files *place, const char *extension,
                      bool gzipped)
{
    snprintf(path, FORMAT_PATH + 16, "%s%s%s", place->stem, extension, gzipped ? ".gz" : "");
    return access(path, F_OK) == 0;
}

bool format_sibling(char path[FORMAT_PATH + 16], const struct format_files *place, const char *extension)
{
    return name_file(path, place, extension, place->gzipped) ||
           name_file(path, place, extension, !place->gzipped) ||
           name_file(path, place, extension, place->gzipped);
}

enum status format_node_index(struct text_file *text, int32_t *index, int64_t base, int64_t nodes,
                              struct error *error)
{
    int64_t number;
    text_has_word(text);
    const char *place = text->cursor;
    enum status status = text_integer(text, &number, "a node of the element", error);
    if (status)
        return status;
    if (number < base || number >= base + nodes) {
        text->cursor = place;
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
    const char *place = text->cursor;
    enum status status = text_number(text, 0, &value, "the region tag", error);
    if (status)
        return status;
    if (!(fabs(value) <= INT32_MAX) || value != floor(value)) {
        text->cursor = place;
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
                      "%lld %s are announced, but the file has room for %lld at most: is it truncated?",
                      (long long)count, what, (long long)most);
}

enum status format_directions(struct text_file *text, double *fiber, double *sheet, struct error *error)
{
    const struct length_unit as_is = {0, 1};
    enum status status = STATUS_OK;
    for (int d = 0; d < 3 && !status; d++)
        status = text_length(text, as_is, &fiber[d], "a component of the fibre", error);
    for (int d = 0; sheet && d < 3 && !status; d++)
        status = text_length(text, as_is, &sheet[d], "a component of the sheet direction", error);
    return status ? status : text_end_of_line(text, error);
}

enum status format_cell(struct mesh_builder *builder, struct mesh_notes *notes, int type, const int32_t *node,
                        int32_t tag, struct error *error)
{
    int32_t simplex[SPLIT_MOST][4];
    int dimension = split_shape(type).dimension, count = split(type, node, simplex);
    int64_t row = builder->rows;
    enum status status = STATUS_OK;
    notes->split[type] +=
        type != SPLIT_VERTEX && type != SPLIT_LINE && type != SPLIT_TRIANGLE && type != SPLIT_TETRA;
    for (int s = 0; s < count && !status; s++) {
        builder->rows = row;
        status = builder_element(builder, dimension, simplex[s], tag, error);
    }
    builder->rows = row + 1;
    return status;
}

void format_note_ignored(struct mesh_notes *notes, const char *name)
{
    size_t used = strlen(notes->ignored);
    if (!strstr(notes->ignored, name))
        snprintf(notes->ignored + used, sizeof notes->ignored - used, "%s%s", used ? ", " : "", name);
}

/* "a b c d tag" for each element, behind *prefix or, without one, the element's number */
void format_write_elements(struct text_writer *writer, const struct mesh *mesh, const char *const *prefix)
{
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        if (prefix)
            text_writer_text(writer, *prefix);
        else
            text_writer_integer(writer, e);
        for (int c = 0; c < corners; c++) {
            text_writer_text(writer, " ");
            text_writer_integer(writer, mesh->vertex[corners * e + c]);
        }
        text_writer_text(writer, " ");
        text_writer_integer(writer, mesh->tag[e]);
        text_writer_text(writer, "\n");
    }
}

/* One line per direction: fibre and, if there is one, sheet; no fibre at all is written as zero */
void format_write_directions(struct text_writer *writer, const struct mesh *mesh, int64_t i)
{
    text_writer_vector(writer, mesh->fiber + 3 * i, 0);
    if (mesh->sheet) {
        text_writer_text(writer, " ");
        text_writer_vector(writer, mesh->sheet + 3 * i, 0);
    }
    text_writer_text(writer, "\n");
}
