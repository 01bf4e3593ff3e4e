/* gmsh_data.c: the views of a .msh file, $NodeData and $ElementData: numbers at nodes and elements. */
#include "app/meshio/gmsh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum { MOST_COMPONENTS = 9 }; /* a tensor */

/* The tags that start a view */
struct view {
    char name[64];
    int64_t components, count;
};

/* Reads `count` lines of tags and keeps the first line's text, without quotes. */
static enum status read_strings(struct gmsh *gmsh, char name[64], struct error *error)
{
    int64_t count = 0;
    enum status status = gmsh_count(gmsh, &count, 2, 2, "string tags", error);
    AND(text_end_of_line(&gmsh->text, error));
    name[0] = '\0';
    for (int64_t i = 0; i < count && !status; i++) {
        status = gmsh_line(gmsh, "the name of the view", error);
        if (!status && i == 0) {
            const char *start = gmsh->text.cursor + strspn(gmsh->text.cursor, "\"");
            snprintf(name, 64, "%.*s", (int)strcspn(start, "\"\r"), start);
        }
    }
    gmsh->text.cursor = "";
    return status;
}

static enum status read_view(struct gmsh *gmsh, struct view *view, struct error *error)
{
    bool binary = gmsh->binary;
    int64_t reals = 0, integers = 0, value;
    double ignored;
    gmsh->binary = false; /* the tags are text even in a binary file */
    enum status status = read_strings(gmsh, view->name, error);
    AND(gmsh_count(gmsh, &reals, 2, 2, "real tags", error));
    for (int64_t i = 0; i < reals && !status; i++)
        status = gmsh_real(gmsh, &ignored, "a real tag", error);
    AND(gmsh_count(gmsh, &integers, 2, 2, "integer tags", error));
    view->components = view->count = 0;
    for (int64_t i = 0; i < integers && !status; i++) {
        status = gmsh_int(gmsh, &value, "an integer tag", error);
        view->components = i == 1 ? value : view->components;
        view->count = i == 2 ? value : view->count;
    }
    gmsh->binary = binary;
    return status ? status : text_end_of_line(&gmsh->text, error);
}

/* kept[row] <- the first of the kept elements that were the file's element `row`, -1 if it was dropped */
static enum status rows_to_elements(const struct mesh_builder *builder, int64_t **kept, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t *element = array_new(builder->rows, sizeof *element, "the elements of a view", &status, error);
    if (status)
        return status;
    for (int64_t row = 0; row < builder->rows; row++)
        element[row] = -1;
    for (int64_t e = builder->elements - 1; e >= 0; e--)
        element[builder->row[e]] = e;
    *kept = element;
    return STATUS_OK;
}

/* field->value <- a row of components behind each number; rows of elements that were not kept are left out */
static enum status read_rows(struct gmsh *gmsh, const struct number_map *numbers, const int64_t *kept,
                             int64_t count, const struct mesh_field *field, struct error *error)
{
    int columns = field->components;
    const struct mesh_builder *builder = gmsh->builder;
    bool direction = wanted_is_direction(builder->wanted, field->name, columns);
    enum status status = format_claimed_count(
        &gmsh->text, count, gmsh->binary ? 4 + 8 * columns : 2 + 2 * columns, "rows of a view", error);
    for (int64_t i = 0; i < count && !status; i++) {
        int64_t number;
        double value[MOST_COMPONENTS] = {0};
        status = gmsh_int(gmsh, &number, "the number of a node or element", error);
        for (int d = 0; d < columns && !status; d++)
            status = gmsh_real(gmsh, &value[d], "a component", error);
        if (status)
            return status;
        int64_t index = number_map_find(numbers, number);
        if (index < 0)
            return text_error(&gmsh->text, error, "a value for number %lld, which does not exist",
                              (long long)number);
        for (int d = 0; d < columns && direction; d++)
            if (!isfinite(value[d]))
                return text_error(&gmsh->text, error, "the value of number %lld is not finite",
                                  (long long)number);
        int64_t item = kept ? kept[index] : index, row = index;
        for (bool same = item >= 0; same;
             same = kept && item < builder->elements && builder->row[item] == row)
            memcpy(field->value + columns * item++, value, (size_t)columns * sizeof *value);
    }
    return status;
}

static enum status read_data(struct gmsh *gmsh, enum location location, const char *end, struct error *error)
{
    struct mesh_builder *builder = gmsh->builder;
    struct number_map *numbers = location == LOCATION_NODE ? &gmsh->nodes : &gmsh->elements;
    struct view view;
    struct mesh_field *field;
    int64_t *kept = NULL, twice;
    enum status status = read_view(gmsh, &view, error);
    if (status)
        return status;
    if (view.components < 1 || view.components > MOST_COMPONENTS)
        return text_error(&gmsh->text, error, "the view \"%s\" has %lld components; 1 to %d are possible",
                          view.name, (long long)view.components, MOST_COMPONENTS);
    if (builder->elements == 0)
        return text_error(&gmsh->text, error, "the view \"%s\" comes before the elements", view.name);
    if (location == LOCATION_ELEMENT && number_map_close(numbers, &twice))
        return text_error(&gmsh->text, error, "there are two elements %lld", (long long)twice);
    status = builder_field(builder, view.name[0] ? view.name : "a view without a name", location,
                           (int)view.components, &field, error);
    if (!status && !field->value)
        return gmsh_skip(gmsh, end, error);
    if (!status && location == LOCATION_ELEMENT)
        status = rows_to_elements(builder, &kept, error);
    AND(read_rows(gmsh, numbers, kept, view.count, field, error));
    free(kept);
    return status ? status : gmsh_expect(gmsh, end, error);
}

enum status gmsh_read_node_data(struct gmsh *gmsh, struct error *error)
{
    return read_data(gmsh, LOCATION_NODE, "$EndNodeData", error);
}

enum status gmsh_read_element_data(struct gmsh *gmsh, struct error *error)
{
    return read_data(gmsh, LOCATION_ELEMENT, "$EndElementData", error);
}
