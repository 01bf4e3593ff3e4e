/* gmsh_elements.c: the section $Elements of a .msh file, versions 2.2 and 4.1. */
#include "app/meshio/gmsh/gmsh.h"
#include "app/meshio/split.h"

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
    return text_error(&gmsh->text, error,
                      "elements of type %lld (%s) cannot be used; a mesh is of linear elements",
                      (long long)type, name);
}

/* The vertices of an element whose number is read, and the element itself. Gmsh's prisms stand on a triangle
 * that turns the other way round than that of VTK's wedges. */
static enum status read_element(struct gmsh *gmsh, int cell, int64_t number, int64_t tag, struct error *error)
{
    static const int prism[SPLIT_NODES] = {0, 2, 1, 3, 5, 4, 6, 7};
    int32_t vertex[SPLIT_NODES];
    for (int c = 0; c < split_shape(cell).nodes; c++) {
        int64_t node;
        enum status status = gmsh->version == 4 ? gmsh_size(gmsh, &node, "a node of an element", error)
                                                : gmsh_int(gmsh, &node, "a node of an element", error);
        if (status)
            return status;
        int64_t index = number_map_find(&gmsh->nodes, node);
        if (index < 0)
            return text_error(&gmsh->text, error, "element %lld has the node %lld, which does not exist",
                              (long long)number, (long long)node);
        vertex[cell == SPLIT_WEDGE ? prism[c] : c] = (int32_t)index;
    }
    enum status status = gmsh->binary ? STATUS_OK : text_end_of_line(&gmsh->text, error);
    AND(number_map_add(&gmsh->elements, number, error));
    return status ? status : format_cell(gmsh->builder, gmsh->notes, cell, vertex, (int32_t)tag, error);
}

/* The tags of an element of 2.2; *tag <- the first, its physical group */
static enum status read_tags(struct gmsh *gmsh, int64_t tags, int64_t *tag, struct error *error)
{
    int64_t value;
    enum status status = STATUS_OK;
    *tag = 0;
    for (int64_t i = 0; i < tags && !status; i++) {
        status = gmsh_int(gmsh, &value, "a tag", error);
        if (i == 0)
            *tag = value;
    }
    return status;
}

/* What starts an element of 2.2, or a block of them in a binary file */
struct header {
    int cell;
    int64_t number, elements, tags;
};

/* ASCII: number type tags ...; binary: type elements tags, for a block of elements. most: how many may come
 */
static enum status read_header(struct gmsh *gmsh, struct header *header, int64_t most, struct error *error)
{
    int64_t type;
    *header = (struct header){.elements = 1};
    enum status status = STATUS_OK;
    if (!gmsh->binary)
        status = gmsh_int(gmsh, &header->number, "the number of an element", error);
    AND(gmsh_int(gmsh, &type, "the type of an element", error));
    AND(type_cell(gmsh, type, &header->cell, error));
    if (!status && gmsh->binary)
        status = gmsh_int(gmsh, &header->elements, "the elements of a block", error);
    AND(gmsh_int(gmsh, &header->tags, "the number of tags", error));
    if (!status && (header->elements < 1 || header->elements > most || header->tags < 0))
        return text_error(&gmsh->text, error, "a block of %lld elements with %lld tags",
                          (long long)header->elements, (long long)header->tags);
    return status;
}

static enum status read_elements_2(struct gmsh *gmsh, struct error *error)
{
    int64_t count = 0, tag;
    bool binary = gmsh->binary;
    gmsh->binary = false; /* the count is text even in a binary file */
    enum status status = gmsh_count(gmsh, &count, 8, 8, "elements", error);
    AND(text_end_of_line(&gmsh->text, error));
    gmsh->binary = binary;
    while (gmsh->elements.count < count && !status) {
        struct header header;
        status = read_header(gmsh, &header, count - gmsh->elements.count, error);
        for (int64_t i = 0; i < header.elements && !status; i++) {
            if (binary)
                status = gmsh_int(gmsh, &header.number, "the number of an element", error);
            AND(read_tags(gmsh, header.tags, &tag, error));
            AND(read_element(gmsh, header.cell, header.number, tag, error));
        }
    }
    return status;
}

/* 4.1: dimension, entity, type and count of a block, then number and nodes of each element */
static enum status read_element_block(struct gmsh *gmsh, struct error *error)
{
    int64_t dimension, tag, type, count, number;
    int found;
    enum status status = gmsh_int(gmsh, &dimension, "the dimension of a block of elements", error);
    AND(gmsh_int(gmsh, &tag, "the entity of a block of elements", error));
    AND(gmsh_int(gmsh, &type, "the type of a block of elements", error));
    AND(type_cell(gmsh, type, &found, error));
    if (!status && split_shape(found).dimension != dimension)
        return text_error(&gmsh->text, error, "a block of dimension %lld with elements of type %lld (%s)",
                          (long long)dimension, (long long)type, element_types[type].name);
    AND(gmsh_count(gmsh, &count, 4, 16, "elements", error));
    if (status)
        return status;
    int64_t entity = number_map_find(&gmsh->entities, gmsh_entity_key(dimension, tag));
    for (int64_t i = 0; i < count && !status; i++) {
        status = gmsh_size(gmsh, &number, "the number of an element", error);
        AND(read_element(gmsh, found, number, entity < 0 ? 0 : gmsh->physical[entity], error));
    }
    return status;
}

enum status gmsh_read_elements(struct gmsh *gmsh, struct error *error)
{
    int64_t blocks = 0, count = 0;
    if (gmsh->elements.count > 0 || gmsh->nodes.count == 0)
        return text_error(&gmsh->text, error, "$Elements may come once, after $Nodes");
    enum status status;
    if (gmsh->version == 2) {
        status = read_elements_2(gmsh, error);
    } else {
        status = gmsh_read_block_header(gmsh, &blocks, &count, 4, 16, "elements", error);
        for (int64_t i = 0; i < blocks && !status; i++)
            status = read_element_block(gmsh, error);
        if (!status && gmsh->elements.count != count)
            return text_error(&gmsh->text, error, "%lld elements were announced, but the blocks hold %lld",
                              (long long)count, (long long)gmsh->elements.count);
    }
    return status ? status : gmsh_expect(gmsh, "$EndElements", error);
}
