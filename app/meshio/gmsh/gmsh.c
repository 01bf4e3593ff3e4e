/* gmsh.c: reads .msh files, versions 2.2 and 4.1, section by section. Physical groups become region tags (0 =
 * in none). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/gmsh/gmsh_numbers.h"
#include "app/meshio/builder.h"
#include "app/meshio/split.h"
#include "kernels/base/array.h"

/* The int 1 that a binary file starts with gives its byte order. */
static enum status read_byte_order(struct gmsh *gmsh, struct error *error)
{
    int64_t one;
    TRY(gmsh_int(gmsh, &one, "the byte order mark", error));
    if (one == 1)
        return STATUS_OK;
    if (one != 0x01000000)
        return text_error(&gmsh->text, error, "the byte order mark is %lld instead of 1", (long long)one);
    gmsh->swapped = true;
    return STATUS_OK;
}

static enum status read_format(struct gmsh *gmsh, struct error *error)
{
    char version[16];
    int64_t type = 0, size = 0;
    TRY(gmsh_line(gmsh, "the version", error));
    text_word(&gmsh->text, version, sizeof version);
    static const char *const second[] = {"2.2", "2.1", "2.0",
                                         "2"}; /* they differ in tags of partitions alone */
    gmsh->version = strcmp(version, "4.1") == 0 ? 4 : 0;
    for (size_t k = 0; k < sizeof second / sizeof *second; k++)
        gmsh->version = strcmp(version, second[k]) == 0 ? 2 : gmsh->version;
    if (gmsh->version == 0)
        return text_error(&gmsh->text, error,
                          "version '%s' of the Gmsh format cannot be read; " FORMAT_BY_GMSH, version);
    TRY(text_integer(&gmsh->text, &type, "the file type", error));
    TRY(text_integer(&gmsh->text, &size, "the data size", error));
    if (type < 0 || type > 1 || size != 8)
        return text_error(&gmsh->text, error,
                          "file type %lld with data size %lld; expected type 0 or 1 with size 8",
                          (long long)type, (long long)size);
    TRY(text_end_of_line(&gmsh->text, error));
    gmsh->binary = type == 1;
    if (gmsh->binary)
        TRY(read_byte_order(gmsh, error));
    snprintf(gmsh->notes->format, sizeof gmsh->notes->format, "Gmsh %s %s", version,
             gmsh->binary ? "binary" : "ASCII");
    return gmsh_expect(gmsh, "$EndMeshFormat", error);
}

static int64_t entity_key(int64_t dimension, int64_t tag)
{
    return dimension * ((int64_t)1 << 33) + tag;
}

/* Skips `count` reals. */
static enum status skip_reals(struct gmsh *gmsh, int64_t count, struct error *error)
{
    double ignored;
    for (int64_t i = 0; i < count; i++)
        TRY(gmsh_real(gmsh, &ignored, "a corner of an entity", error));
    return STATUS_OK;
}

/* The physical groups of an entity: *group <- the only one, 0 if there is none */
static enum status read_groups(struct gmsh *gmsh, int64_t tag, int32_t *group, struct error *error)
{
    int64_t count, first = 0;
    TRY(gmsh_count(gmsh, &count, 2, 4, "physical groups", error));
    *group = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        TRY(gmsh_int(gmsh, &number, "a physical group", error));
        number = llabs(number); /* the sign is an orientation */
        if (i > 0 && number != first)
            return text_error(&gmsh->text, error,
                              "entity %lld is in several physical groups; an element can have one tag only",
                              (long long)tag);
        first = number;
        *group = (int32_t)number;
    }
    return STATUS_OK;
}

static enum status read_entity(struct gmsh *gmsh, int dimension, struct error *error)
{
    int64_t tag, bounding = 0, ignored;
    int32_t group = 0;
    TRY(gmsh_int(gmsh, &tag, "the tag of an entity", error));
    TRY(skip_reals(gmsh, dimension == 0 ? 3 : 6, error));
    TRY(read_groups(gmsh, tag, &group, error));
    if (dimension > 0)
        TRY(gmsh_count(gmsh, &bounding, 2, 4, "bounding entities", error));
    for (int64_t i = 0; i < bounding; i++)
        TRY(gmsh_int(gmsh, &ignored, "a bounding entity", error));
    TRY(array_grow((void **)&gmsh->physical, &gmsh->physical_room, gmsh->entities.count,
                   sizeof *gmsh->physical, "the mesh", error));
    gmsh->physical[gmsh->entities.count] = group;
    return number_map_add(&gmsh->entities, entity_key(dimension, tag), error);
}

static enum status read_entities(struct gmsh *gmsh, struct error *error)
{
    int64_t count[4], twice;
    if (gmsh->version != 4 || gmsh->entities.count > 0 || gmsh->elements.count > 0)
        return text_error(&gmsh->text, error,
                          "$Entities may come once, before $Elements, in version 4.1 only");
    for (int d = 0; d < 4; d++)
        TRY(gmsh_count(gmsh, &count[d], 10, 36, "entities", error));
    for (int d = 0; d < 4; d++)
        for (int64_t i = 0; i < count[d]; i++)
            TRY(read_entity(gmsh, d, error));
    if (number_map_close(&gmsh->entities, &twice))
        return text_error(&gmsh->text, error, "an entity is listed twice");
    return gmsh_expect(gmsh, "$EndEntities", error);
}

/* Reads the three coordinates of the next node. */
static enum status read_point(struct gmsh *gmsh, struct error *error)
{
    static const char *const name[3] = {"the x coordinate", "the y coordinate", "the z coordinate"};
    double point[3];
    for (int d = 0; d < 3; d++) {
        if (gmsh->binary) {
            TRY(gmsh_real(gmsh, &point[d], name[d], error));
            point[d] = length_unit_to_mm(point[d], gmsh->unit);
        } else {
            if (!text_has_word(&gmsh->text))
                TRY(gmsh_line(gmsh, name[d], error));
            TRY(text_length(&gmsh->text, gmsh->unit, &point[d], name[d], error));
        }
        if (!isfinite(point[d]))
            return text_error(&gmsh->text, error, "%s of node number %lld in the file is not finite", name[d],
                              (long long)gmsh->builder->nodes + 1);
    }
    return builder_node(gmsh->builder, point, error);
}

/* Skips what follows the coordinates of a node in $ParametricNodes: dimension and tag of its entity, and the
 * parameters of a curve (1) or surface (2) */
static enum status skip_parameters(struct gmsh *gmsh, struct error *error)
{
    int64_t dimension, tag;
    TRY(gmsh_int(gmsh, &dimension, "the dimension of a node's entity", error));
    TRY(gmsh_int(gmsh, &tag, "the entity of a node", error));
    return skip_reals(gmsh, dimension == 1 || dimension == 2 ? dimension : 0, error);
}

/* 2.2: a count, which is text even in a binary file */
static enum status read_text_count(struct gmsh *gmsh, int64_t *count, const char *what, struct error *error)
{
    const bool binary = gmsh->binary;
    gmsh->binary = false;
    TRY(gmsh_count(gmsh, count, 8, 8, what, error));
    gmsh->binary = binary;
    return text_end_of_line(&gmsh->text, error);
}

/* 2.2: number x y z */
static enum status read_nodes_2(struct gmsh *gmsh, struct error *error)
{
    int64_t count = 0, number;
    TRY(read_text_count(gmsh, &count, "nodes", error));
    for (int64_t i = 0; i < count; i++) {
        TRY(gmsh_int(gmsh, &number, "the number of a node", error));
        TRY(number_map_add(&gmsh->nodes, number, error));
        TRY(read_point(gmsh, error));
        TRY(gmsh->parametric ? skip_parameters(gmsh, error) : STATUS_OK);
    }
    return STATUS_OK;
}

/* 4.1: the numbers of a block's nodes, then their coordinates */
static enum status read_node_block(struct gmsh *gmsh, struct error *error)
{
    int64_t dimension, tag, parametric, count = 0, number;
    TRY(gmsh_int(gmsh, &dimension, "the dimension of a block of nodes", error));
    TRY(gmsh_int(gmsh, &tag, "the entity of a block of nodes", error));
    TRY(gmsh_int(gmsh, &parametric, "the parametric flag of a block of nodes", error));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
        return text_error(&gmsh->text, error, "a block of nodes of dimension %lld with parametric flag %lld",
                          (long long)dimension, (long long)parametric);
    TRY(gmsh_count(gmsh, &count, 8, 32, "nodes", error));
    for (int64_t i = 0; i < count; i++) {
        TRY(gmsh_size(gmsh, &number, "the number of a node", error));
        TRY(number_map_add(&gmsh->nodes, number, error));
    }
    for (int64_t i = 0; i < count; i++) {
        TRY(read_point(gmsh, error));
        TRY(skip_reals(gmsh, parametric ? dimension : 0, error));
    }
    return STATUS_OK;
}

static enum status read_block_header(struct gmsh *gmsh, int64_t *blocks, int64_t *count, int ascii_bytes,
                                     int binary_bytes, const char *what, struct error *error)
{
    int64_t least, most;
    TRY(gmsh_count(gmsh, blocks, 8, 20, "blocks", error));
    TRY(gmsh_count(gmsh, count, ascii_bytes, binary_bytes, what, error));
    TRY(gmsh_size(gmsh, &least, "the smallest number", error));
    return gmsh_size(gmsh, &most, "the largest number", error);
}

static enum status read_nodes(struct gmsh *gmsh, struct error *error)
{
    int64_t blocks = 0, count = 0, twice;
    if (gmsh->nodes.count > 0)
        return text_error(&gmsh->text, error, "a second $Nodes section");
    if (gmsh->version == 2) {
        TRY(read_nodes_2(gmsh, error));
    } else {
        TRY(read_block_header(gmsh, &blocks, &count, 8, 32, "nodes", error));
        for (int64_t i = 0; i < blocks; i++)
            TRY(read_node_block(gmsh, error));
        if (gmsh->nodes.count != count)
            return text_error(&gmsh->text, error, "%lld nodes were declared, but the blocks hold %lld",
                              (long long)count, (long long)gmsh->nodes.count);
    }
    TRY(gmsh_expect(gmsh, gmsh->parametric ? "$EndParametricNodes" : "$EndNodes", error));
    if (number_map_close(&gmsh->nodes, &twice))
        return text_error(&gmsh->text, error, "node %lld is defined twice", (long long)twice);
    return STATUS_OK;
}

static enum status read_parametric_nodes(struct gmsh *gmsh, struct error *error)
{
    gmsh->parametric = true;
    return read_nodes(gmsh, error);
}

struct element_type {
    const char *name;
    int cell; /* of split.h; 0: cannot be used */
};

static const struct element_type element_types[] = {
    [1] = {"lines", SPLIT_LINE},           [2] = {"triangles", SPLIT_TRIANGLE},
    [3] = {"quadrangles", SPLIT_QUAD},     [4] = {"tetrahedra", SPLIT_TETRA},
    [5] = {"hexahedra", SPLIT_HEXAHEDRON}, [6] = {"prisms", SPLIT_WEDGE},
    [7] = {"pyramids", SPLIT_PYRAMID},     [8] = {"quadratic lines", 0},
    [9] = {"quadratic triangles", 0},      [10] = {"quadratic quadrangles", 0},
    [11] = {"quadratic tetrahedra", 0},    [12] = {"quadratic hexahedra", 0},
    [13] = {"quadratic prisms", 0},        [14] = {"quadratic pyramids", 0},
    [15] = {"points", SPLIT_VERTEX},
};

static enum status type_cell(struct gmsh *gmsh, int64_t type, int *cell, struct error *error)
{
    const int64_t types = sizeof element_types / sizeof element_types[0];
    const char *name = type > 0 && type < types ? element_types[type].name : "unknown to this program";
    *cell = type > 0 && type < types ? element_types[type].cell : 0;
    if (*cell)
        return STATUS_OK;
    return text_error(
        &gmsh->text, error,
        "elements of type %lld (%s) cannot be used, only linear ones; `gmsh -string 'Merge \"IN\"; "
        "SetOrder 1; Save \"OUT.msh\";' -parse_and_exit` (absolute paths) makes them linear",
        (long long)type, name);
}

/* Reads the nodes of an element, after its number, and adds it. The base of Gmsh's prisms is oriented
 * opposite to that of VTK's wedges. */
static enum status read_element(struct gmsh *gmsh, int cell, int64_t number, int64_t tag, struct error *error)
{
    static const int prism[SPLIT_NODES] = {0, 2, 1, 3, 5, 4, 6, 7};
    int32_t vertex[SPLIT_NODES];
    for (int c = 0; c < split_shape(cell).nodes; c++) {
        int64_t node;
        TRY(gmsh->version == 4 ? gmsh_size(gmsh, &node, "a node of an element", error)
                               : gmsh_int(gmsh, &node, "a node of an element", error));
        int64_t index = number_map_find(&gmsh->nodes, node);
        if (index < 0)
            return text_error(&gmsh->text, error, "element %lld has the node %lld, which does not exist",
                              (long long)number, (long long)node);
        vertex[cell == SPLIT_WEDGE ? prism[c] : c] = (int32_t)index;
    }
    TRY(gmsh->binary ? STATUS_OK : text_end_of_line(&gmsh->text, error));
    TRY(number_map_add(&gmsh->elements, number, error));
    return format_cell(gmsh->builder, gmsh->notes, cell, vertex, (int32_t)tag, error);
}

/* The tags of an element of 2.2; *tag <- the first, its physical group */
static enum status read_tags(struct gmsh *gmsh, int64_t tags, int64_t *tag, struct error *error)
{
    int64_t value;
    *tag = 0;
    for (int64_t i = 0; i < tags; i++) {
        TRY(gmsh_int(gmsh, &value, "a tag", error));
        if (i == 0)
            *tag = value;
    }
    return STATUS_OK;
}

/* The start of an element of 2.2 or, in a binary file, of a block of elements */
struct header {
    int cell;
    int64_t number, elements, tags;
};

/* ASCII: number type tags ...; binary: type elements tags, of a block of at most `most` elements */
static enum status read_header(struct gmsh *gmsh, struct header *header, int64_t most, struct error *error)
{
    int64_t type;
    *header = (struct header){.elements = 1};
    if (!gmsh->binary)
        TRY(gmsh_int(gmsh, &header->number, "the number of an element", error));
    TRY(gmsh_int(gmsh, &type, "the type of an element", error));
    TRY(type_cell(gmsh, type, &header->cell, error));
    if (gmsh->binary)
        TRY(gmsh_int(gmsh, &header->elements, "the elements of a block", error));
    TRY(gmsh_int(gmsh, &header->tags, "the number of tags", error));
    if (header->elements < 1 || header->elements > most || header->tags < 0)
        return text_error(&gmsh->text, error, "a block of %lld elements with %lld tags",
                          (long long)header->elements, (long long)header->tags);
    return STATUS_OK;
}

static enum status read_elements_2(struct gmsh *gmsh, struct error *error)
{
    int64_t count = 0, tag;
    TRY(read_text_count(gmsh, &count, "elements", error));
    while (gmsh->elements.count < count) {
        struct header header;
        TRY(read_header(gmsh, &header, count - gmsh->elements.count, error));
        for (int64_t i = 0; i < header.elements; i++) {
            if (gmsh->binary)
                TRY(gmsh_int(gmsh, &header.number, "the number of an element", error));
            TRY(read_tags(gmsh, header.tags, &tag, error));
            TRY(read_element(gmsh, header.cell, header.number, tag, error));
        }
    }
    return STATUS_OK;
}

/* 4.1: dimension, entity, type and count of a block, then number and nodes of each element */
static enum status read_element_block(struct gmsh *gmsh, struct error *error)
{
    int64_t dimension, tag, type, count, number;
    int found;
    TRY(gmsh_int(gmsh, &dimension, "the dimension of a block of elements", error));
    TRY(gmsh_int(gmsh, &tag, "the entity of a block of elements", error));
    TRY(gmsh_int(gmsh, &type, "the type of a block of elements", error));
    TRY(type_cell(gmsh, type, &found, error));
    if (split_shape(found).dimension != dimension)
        return text_error(&gmsh->text, error, "a block of dimension %lld with elements of type %lld (%s)",
                          (long long)dimension, (long long)type, element_types[type].name);
    TRY(gmsh_count(gmsh, &count, 4, 16, "elements", error));
    int64_t entity = number_map_find(&gmsh->entities, entity_key(dimension, tag));
    for (int64_t i = 0; i < count; i++) {
        TRY(gmsh_size(gmsh, &number, "the number of an element", error));
        TRY(read_element(gmsh, found, number, entity < 0 ? 0 : gmsh->physical[entity], error));
    }
    return STATUS_OK;
}

static enum status read_elements(struct gmsh *gmsh, struct error *error)
{
    int64_t blocks = 0, count = 0;
    if (gmsh->elements.count > 0 || gmsh->nodes.count == 0)
        return text_error(&gmsh->text, error, "$Elements may come once, after $Nodes");
    if (gmsh->version == 2) {
        TRY(read_elements_2(gmsh, error));
    } else {
        TRY(read_block_header(gmsh, &blocks, &count, 4, 16, "elements", error));
        for (int64_t i = 0; i < blocks; i++)
            TRY(read_element_block(gmsh, error));
        if (gmsh->elements.count != count)
            return text_error(&gmsh->text, error, "%lld elements were declared, but the blocks hold %lld",
                              (long long)count, (long long)gmsh->elements.count);
    }
    TRY(gmsh_expect(gmsh, "$EndElements", error));
    return lower_settle(gmsh->builder, gmsh->notes, gmsh->text.path, LOWER_BY_POSITION, error);
}

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
    TRY(gmsh_count(gmsh, &count, 2, 2, "string tags", error));
    TRY(text_end_of_line(&gmsh->text, error));
    name[0] = '\0';
    for (int64_t i = 0; i < count; i++) {
        TRY(gmsh_line(gmsh, "the name of the view", error));
        if (i == 0) {
            const char *start = gmsh->text.cursor + strspn(gmsh->text.cursor, "\"");
            snprintf(name, 64, "%.*s", (int)strcspn(start, "\"\r"), start);
        }
    }
    gmsh->text.cursor = "";
    return STATUS_OK;
}

static enum status read_view(struct gmsh *gmsh, struct view *view, struct error *error)
{
    bool binary = gmsh->binary;
    int64_t reals = 0, integers = 0, value;
    double ignored;
    gmsh->binary = false; /* the tags are text even in a binary file */
    TRY(read_strings(gmsh, view->name, error));
    TRY(gmsh_count(gmsh, &reals, 2, 2, "real tags", error));
    for (int64_t i = 0; i < reals; i++)
        TRY(gmsh_real(gmsh, &ignored, "a real tag", error));
    TRY(gmsh_count(gmsh, &integers, 2, 2, "integer tags", error));
    view->components = view->count = 0;
    for (int64_t i = 0; i < integers; i++) {
        TRY(gmsh_int(gmsh, &value, "an integer tag", error));
        view->components = i == 1 ? value : view->components;
        view->count = i == 2 ? value : view->count;
    }
    gmsh->binary = binary;
    return text_end_of_line(&gmsh->text, error);
}

/* first[row] <- the first of the mesh's elements that are the file's element `row`, -1 if it was dropped */
static enum status rows_to_elements(const struct mesh_builder *builder, int64_t **first, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t *element = array_new(builder->rows, sizeof *element, "the elements of a view", &status, error);
    if (status)
        return status;
    for (int64_t row = 0; row < builder->rows; row++)
        element[row] = -1;
    for (int64_t e = builder->elements - 1; e >= 0; e--)
        element[builder->row[e]] = e;
    *first = element;
    return STATUS_OK;
}

/* field->value <- a row of components after each number; rows of dropped elements are skipped */
static enum status read_rows(struct gmsh *gmsh, const struct number_map *numbers, const int64_t *first,
                             int64_t count, const struct mesh_field *field, struct error *error)
{
    int columns = field->components;
    const struct mesh_builder *builder = gmsh->builder;
    bool direction = array_selection_is_direction(builder->selection, field->name, columns);
    TRY(format_claimed_count(&gmsh->text, count, gmsh->binary ? 4 + 8 * columns : 2 + 2 * columns,
                             "rows of a view", error));
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        double value[MOST_COMPONENTS] = {0};
        TRY(gmsh_int(gmsh, &number, "the number of a node or element", error));
        for (int d = 0; d < columns; d++)
            TRY(gmsh_real(gmsh, &value[d], "a component", error));
        int64_t index = number_map_find(numbers, number);
        if (index < 0)
            return text_error(&gmsh->text, error, "a value for number %lld, which does not exist",
                              (long long)number);
        for (int d = 0; d < columns && direction; d++)
            if (!isfinite(value[d]))
                return text_error(&gmsh->text, error, "the value of number %lld is not finite",
                                  (long long)number);
        int64_t item = first ? first[index] : index, row = index;
        for (bool same = item >= 0; same;
             same = first && item < builder->elements && builder->row[item] == row)
            memcpy(field->value + columns * item++, value, (size_t)columns * sizeof *value);
    }
    return STATUS_OK;
}

static enum status read_data(struct gmsh *gmsh, enum location location, const char *end, struct error *error)
{
    struct mesh_builder *builder = gmsh->builder;
    struct number_map *numbers = location == LOCATION_NODE ? &gmsh->nodes : &gmsh->elements;
    struct view view;
    struct mesh_field *field;
    int64_t *first = NULL, twice;
    TRY(read_view(gmsh, &view, error));
    if (view.components < 1 || view.components > MOST_COMPONENTS)
        return text_error(&gmsh->text, error, "the view \"%s\" has %lld components; 1 to %d are supported",
                          view.name, (long long)view.components, MOST_COMPONENTS);
    if (builder->elements == 0)
        return text_error(&gmsh->text, error, "the view \"%s\" comes before the elements", view.name);
    if (location == LOCATION_ELEMENT && number_map_close(numbers, &twice))
        return text_error(&gmsh->text, error, "element %lld is defined twice", (long long)twice);
    TRY(builder_field(builder, view.name[0] ? view.name : "a view without a name", location,
                      (int)view.components, &field, error));
    if (!field->value)
        return gmsh_skip(gmsh, end, error);
    if (location == LOCATION_ELEMENT)
        TRY(rows_to_elements(builder, &first, error));
    enum status status = read_rows(gmsh, numbers, first, view.count, field, error);
    free(first);
    return status ? status : gmsh_expect(gmsh, end, error);
}

static enum status read_node_data(struct gmsh *gmsh, struct error *error)
{
    return read_data(gmsh, LOCATION_NODE, "$EndNodeData", error);
}

static enum status read_element_data(struct gmsh *gmsh, struct error *error)
{
    return read_data(gmsh, LOCATION_ELEMENT, "$EndElementData", error);
}

struct section {
    const char *name;
    enum status (*read)(struct gmsh *, struct error *); /* NULL: the section is skipped */
};

/* $PhysicalNames: dimension, tag, "name"; text even in a binary file */
static enum status read_names(struct gmsh *gmsh, struct error *error)
{
    bool binary = gmsh->binary;
    int64_t count = 0, dimension, tag;
    gmsh->binary = false;
    TRY(gmsh_count(gmsh, &count, 6, 6, "physical names", error));
    for (int64_t i = 0; i < count; i++) {
        char name[200];
        TRY(gmsh_int(gmsh, &dimension, "the dimension of a physical group", error));
        TRY(gmsh_int(gmsh, &tag, "the number of a physical group", error));
        if (!text_has_word(&gmsh->text) || *gmsh->text.cursor != '"')
            return text_error(&gmsh->text, error, "the name of a physical group must be in quotes");
        size_t length = strcspn(gmsh->text.cursor + 1, "\"");
        if (length >= sizeof name || gmsh->text.cursor[1 + length] != '"')
            return text_error(&gmsh->text, error, "the name of a physical group has no end within %d bytes",
                              (int)sizeof name - 1);
        snprintf(name, sizeof name, "%.*s", (int)length, gmsh->text.cursor + 1);
        gmsh->text.cursor += length + 2;
        TRY(text_end_of_line(&gmsh->text, error));
        if (length && dimension >= 0 && dimension <= 3)
            TRY(mesh_names_add(&gmsh->builder->names, name, (int)dimension, (int32_t)tag, error));
    }
    gmsh->binary = binary;
    return gmsh_expect(gmsh, "$EndPhysicalNames", error);
}

static const struct section sections[] = {
    {"$MeshFormat", read_format},
    {"$Entities", read_entities},
    {"$Nodes", read_nodes},
    {"$Elements", read_elements},
    {"$NodeData", read_node_data},
    {"$ElementData", read_element_data},
    {"$PhysicalNames", read_names},
    {"$Comments", NULL},
    {"$ParametricNodes", read_parametric_nodes},
};

/* Skips a section without a reader; one that is not in the table is noted. */
static enum status leave_out(struct gmsh *gmsh, const char *name, bool known, struct error *error)
{
    char end[48];
    if (strncmp(name, "$End", 4) == 0)
        return text_error(&gmsh->text, error, "%s without its beginning", name);
    if (strcmp(name, "$PartitionedEntities") == 0)
        return text_error(&gmsh->text, error, "a partitioned mesh cannot be read; " FORMAT_BY_GMSH);
    if (!known)
        format_note_ignored(gmsh->notes, name);
    snprintf(end, sizeof end, "$End%s", name + 1);
    return gmsh_skip(gmsh, end, error);
}

static enum status read_section(struct gmsh *gmsh, struct error *error)
{
    char name[40];
    const char *begin = gmsh->text.cursor;
    text_word(&gmsh->text, name, sizeof name);
    bool format = strcmp(name, "$MeshFormat") == 0;
    gmsh->text.cursor = begin;
    if (format == (gmsh->version != 0))
        return text_error(&gmsh->text, error,
                          format ? "a second $MeshFormat section"
                                 : "not a Gmsh file of version 2 or 4: it does not start with $MeshFormat; "
                                   "`meshio convert IN OUT.vtu` (pip install meshio) converts Ansys's .msh, "
                                   "`gmsh IN -save -format msh22 -o OUT.msh` Gmsh's version 1");
    if (name[0] != '$')
        return text_error(&gmsh->text, error, "'%s' where a section such as $Nodes is expected", name);
    text_word(&gmsh->text, name, sizeof name);
    TRY(text_end_of_line(&gmsh->text, error));
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++)
        if (strcmp(name, sections[s].name) == 0)
            return sections[s].read ? sections[s].read(gmsh, error) : leave_out(gmsh, name, true, error);
    return leave_out(gmsh, name, false, error);
}

static enum status read_sections(struct gmsh *gmsh, struct error *error)
{
    for (;;) {
        bool more;
        TRY(text_line(&gmsh->text, &more, error));
        if (!more)
            break;
        if (text_has_word(&gmsh->text))
            TRY(read_section(gmsh, error));
    }
    if (gmsh->nodes.count == 0 || gmsh->elements.count == 0)
        return text_error(&gmsh->text, error, "the file has no %s section",
                          gmsh->nodes.count == 0 ? "$Nodes" : "$Elements");
    return STATUS_OK;
}

static enum status gmsh_read(struct mesh_builder *builder, const struct format_files *files,
                             struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct gmsh gmsh = {.builder = builder, .notes = notes, .unit = unit};
    snprintf(notes->format, sizeof notes->format, "Gmsh");
    format_sibling(path, files, ".msh");
    enum status status = STATUS_OK;
    TRY_DONE(text_open(&gmsh.text, path, files->inputs, error));
    TRY_DONE(read_sections(&gmsh, error));
done:
    text_close(&gmsh.text);
    number_map_free(&gmsh.nodes);
    number_map_free(&gmsh.elements);
    number_map_free(&gmsh.entities);
    free(gmsh.physical);
    return status;
}

const struct mesh_format format_gmsh = {.name = "Gmsh",
                                        .extension = {".msh"},
                                        .read = gmsh_read,
                                        .write = gmsh_write,
                                        .fields = true,
                                        .faces = true,
                                        .names = true};
