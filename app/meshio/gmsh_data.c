/* gmsh_data.c: fibres and sheet directions of a .msh file: $NodeData or $ElementData views named "fiber" and
 * "sheet" (British spelling and plural too) with three components. Other views are left out and noted. */
#include "app/meshio/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

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
    TRY(text_end_of_line(&gmsh->text, error));
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
    TRY(gmsh_count(gmsh, &reals, 2, 2, "real tags", error));
    for (int64_t i = 0; i < reals && !status; i++)
        status = gmsh_real(gmsh, &ignored, "a real tag", error);
    TRY(gmsh_count(gmsh, &integers, 2, 2, "integer tags", error));
    view->components = view->count = 0;
    for (int64_t i = 0; i < integers && !status; i++) {
        status = gmsh_int(gmsh, &value, "an integer tag", error);
        view->components = i == 1 ? value : view->components;
        view->count = i == 2 ? value : view->count;
    }
    gmsh->binary = binary;
    return status ? status : text_end_of_line(&gmsh->text, error);
}

static bool is_fiber(const char *name)
{
    return strcmp(name, "fiber") == 0 || strcmp(name, "fibre") == 0 || strcmp(name, "fibers") == 0 ||
           strcmp(name, "fibres") == 0;
}

static bool is_sheet(const char *name)
{
    return strcmp(name, "sheet") == 0 || strcmp(name, "sheets") == 0;
}

/* kept[row] <- index of the kept element that was the file's element `row`, -1 if dropped */
static enum status rows_to_elements(const struct mesh_builder *builder, int64_t **kept, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t *element = array_new(builder->rows, sizeof *element, "the elements of a view", &status, error);
    if (status)
        return status;
    for (int64_t row = 0; row < builder->rows; row++)
        element[row] = -1;
    for (int64_t e = 0; e < builder->elements; e++)
        element[builder->row[e]] = e;
    *kept = element;
    return STATUS_OK;
}

static enum status read_vectors(struct gmsh *gmsh, const struct number_map *numbers, const int64_t *kept,
                                int64_t count, double *direction, struct error *error)
{
    enum status status = format_claimed_count(&gmsh->text, count, gmsh->binary ? 28 : 8, "vectors", error);
    for (int64_t i = 0; i < count && !status; i++) {
        int64_t number;
        double value[3] = {0, 0, 0};
        status = gmsh_int(gmsh, &number, "the number of a node or element", error);
        for (int d = 0; d < 3 && !status; d++)
            status = gmsh_real(gmsh, &value[d], "a component", error);
        if (status)
            return status;
        int64_t index = number_map_find(numbers, number);
        if (index < 0)
            return text_error(&gmsh->text, error, "a vector for number %lld, which does not exist",
                              (long long)number);
        if (!isfinite(value[0]) || !isfinite(value[1]) || !isfinite(value[2]))
            return text_error(&gmsh->text, error, "the vector of number %lld is not finite",
                              (long long)number);
        index = kept ? kept[index] : index;
        if (index >= 0)
            memcpy(direction + 3 * index, value, sizeof value);
    }
    return status;
}

static enum status read_data(struct gmsh *gmsh, enum location location, const char *end, struct error *error)
{
    struct mesh_builder *builder = gmsh->builder;
    struct number_map *numbers = location == LOCATION_NODE ? &gmsh->nodes : &gmsh->elements;
    struct view view;
    int64_t *kept = NULL, twice;
    enum status status = read_view(gmsh, &view, error);
    if (status)
        return status;
    bool sheet = is_sheet(view.name);
    if (!sheet && !is_fiber(view.name)) {
        format_note_ignored(gmsh->notes, view.name[0] ? view.name : "a view without a name");
        return gmsh_skip(gmsh, end, error);
    }
    if (view.components != 3)
        return text_error(&gmsh->text, error, "the view \"%s\" has %lld components; a direction has 3",
                          view.name, (long long)view.components);
    if (builder->elements == 0)
        return text_error(&gmsh->text, error, "the view \"%s\" comes before the elements", view.name);
    if (builder->fiber_location != LOCATION_NONE && builder->fiber_location != location)
        return text_error(&gmsh->text, error,
                          "fibre and sheet must both be given at nodes or both at elements");
    if (location == LOCATION_ELEMENT && number_map_close(numbers, &twice))
        return text_error(&gmsh->text, error, "there are two elements %lld", (long long)twice);
    status = builder_directions(builder, location, sheet, error);
    if (!status && location == LOCATION_ELEMENT)
        status = rows_to_elements(builder, &kept, error);
    TRY(read_vectors(gmsh, numbers, kept, view.count, sheet ? builder->sheet : builder->fiber, error));
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
