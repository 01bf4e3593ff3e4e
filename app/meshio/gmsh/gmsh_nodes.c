/* gmsh_nodes.c: the sections $Entities and $Nodes of a .msh file, versions 2.2 and 4.1. */
#include "app/meshio/gmsh/gmsh.h"

#include <math.h>
#include <stdlib.h>

int64_t gmsh_entity_key(int64_t dimension, int64_t tag)
{
    return dimension * ((int64_t)1 << 33) + tag;
}

/* Leaves out count reals. */
static enum status skip_reals(struct gmsh *gmsh, int64_t count, struct error *error)
{
    double ignored;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < count && !status; i++)
        status = gmsh_real(gmsh, &ignored, "a corner of an entity", error);
    return status;
}

/* The physical groups of an entity: *group <- the only one, 0 if there is none */
static enum status read_groups(struct gmsh *gmsh, int64_t tag, int32_t *group, struct error *error)
{
    int64_t count, first = 0;
    enum status status = gmsh_count(gmsh, &count, 2, 4, "physical groups", error);
    *group = 0;
    for (int64_t i = 0; i < count && !status; i++) {
        int64_t number;
        status = gmsh_int(gmsh, &number, "a physical group", error);
        number = llabs(number); /* the sign is an orientation */
        if (!status && i > 0 && number != first)
            return text_error(&gmsh->text, error,
                              "entity %lld is in several physical groups; an element can have one tag only",
                              (long long)tag);
        first = number;
        *group = (int32_t)number;
    }
    return status;
}

static enum status read_entity(struct gmsh *gmsh, int dimension, struct error *error)
{
    int64_t tag, bounding = 0, ignored;
    int32_t group = 0;
    enum status status = gmsh_int(gmsh, &tag, "the tag of an entity", error);
    AND(skip_reals(gmsh, dimension == 0 ? 3 : 6, error));
    AND(read_groups(gmsh, tag, &group, error));
    if (!status && dimension > 0)
        status = gmsh_count(gmsh, &bounding, 2, 4, "bounding entities", error);
    for (int64_t i = 0; i < bounding && !status; i++)
        status = gmsh_int(gmsh, &ignored, "a bounding entity", error);
    AND(builder_grow((void **)&gmsh->physical, &gmsh->physical_room, gmsh->entities.count,
                     sizeof *gmsh->physical, error));
    if (status)
        return status;
    gmsh->physical[gmsh->entities.count] = group;
    return number_map_add(&gmsh->entities, gmsh_entity_key(dimension, tag), error);
}

enum status gmsh_read_entities(struct gmsh *gmsh, struct error *error)
{
    int64_t count[4], twice;
    enum status status = STATUS_OK;
    if (gmsh->version != 4 || gmsh->entities.count > 0 || gmsh->elements.count > 0)
        return text_error(&gmsh->text, error,
                          "$Entities may come once, before $Elements, in version 4.1 only");
    for (int d = 0; d < 4 && !status; d++)
        status = gmsh_count(gmsh, &count[d], 10, 36, "entities", error);
    for (int d = 0; d < 4 && !status; d++)
        for (int64_t i = 0; i < count[d] && !status; i++)
            status = read_entity(gmsh, d, error);
    if (!status && number_map_close(&gmsh->entities, &twice))
        return text_error(&gmsh->text, error, "an entity is listed twice");
    return status ? status : gmsh_expect(gmsh, "$EndEntities", error);
}

/* The three coordinates of the next node */
static enum status read_point(struct gmsh *gmsh, struct error *error)
{
    static const char *const name[3] = {"the x coordinate", "the y coordinate", "the z coordinate"};
    double point[3];
    for (int d = 0; d < 3; d++) {
        enum status status = STATUS_OK;
        if (gmsh->binary) {
            status = gmsh_real(gmsh, &point[d], name[d], error);
            point[d] = length_unit_to_mm(point[d], gmsh->unit);
        } else {
            if (!text_has_word(&gmsh->text))
                status = gmsh_line(gmsh, name[d], error);
            AND(text_length(&gmsh->text, gmsh->unit, &point[d], name[d], error));
        }
        if (status)
            return status;
        if (!isfinite(point[d]))
            return text_error(&gmsh->text, error, "%s of node number %lld in the file is not finite", name[d],
                              (long long)gmsh->builder->nodes + 1);
    }
    return builder_node(gmsh->builder, point, error);
}

/* 2.2: number x y z */
static enum status read_nodes_2(struct gmsh *gmsh, struct error *error)
{
    int64_t count = 0, number;
    bool binary = gmsh->binary;
    gmsh->binary = false; /* the count is text even in a binary file */
    enum status status = gmsh_count(gmsh, &count, 8, 8, "nodes", error);
    AND(text_end_of_line(&gmsh->text, error));
    gmsh->binary = binary;
    for (int64_t i = 0; i < count && !status; i++) {
        status = gmsh_int(gmsh, &number, "the number of a node", error);
        AND(number_map_add(&gmsh->nodes, number, error));
        AND(read_point(gmsh, error));
    }
    return status;
}

/* 4.1: the numbers of a block's nodes, then their coordinates */
static enum status read_node_block(struct gmsh *gmsh, struct error *error)
{
    int64_t dimension, tag, parametric, count = 0, number;
    enum status status = gmsh_int(gmsh, &dimension, "the dimension of a block of nodes", error);
    AND(gmsh_int(gmsh, &tag, "the entity of a block of nodes", error));
    AND(gmsh_int(gmsh, &parametric, "the parametric flag of a block of nodes", error));
    if (!status && (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1))
        return text_error(&gmsh->text, error, "a block of nodes of dimension %lld with parametric flag %lld",
                          (long long)dimension, (long long)parametric);
    AND(gmsh_count(gmsh, &count, 8, 32, "nodes", error));
    for (int64_t i = 0; i < count && !status; i++) {
        status = gmsh_size(gmsh, &number, "the number of a node", error);
        AND(number_map_add(&gmsh->nodes, number, error));
    }
    for (int64_t i = 0; i < count && !status; i++) {
        status = read_point(gmsh, error);
        AND(skip_reals(gmsh, parametric ? dimension : 0, error));
    }
    return status;
}

enum status gmsh_read_block_header(struct gmsh *gmsh, int64_t *blocks, int64_t *count, int ascii_bytes,
                                   int binary_bytes, const char *what, struct error *error)
{
    int64_t least, most;
    enum status status = gmsh_count(gmsh, blocks, 8, 20, "blocks", error);
    AND(gmsh_count(gmsh, count, ascii_bytes, binary_bytes, what, error));
    AND(gmsh_size(gmsh, &least, "the smallest number", error));
    return status ? status : gmsh_size(gmsh, &most, "the largest number", error);
}

enum status gmsh_read_nodes(struct gmsh *gmsh, struct error *error)
{
    int64_t blocks = 0, count = 0, twice;
    if (gmsh->nodes.count > 0)
        return text_error(&gmsh->text, error, "a second $Nodes section");
    enum status status;
    if (gmsh->version == 2) {
        status = read_nodes_2(gmsh, error);
    } else {
        status = gmsh_read_block_header(gmsh, &blocks, &count, 8, 32, "nodes", error);
        for (int64_t i = 0; i < blocks && !status; i++)
            status = read_node_block(gmsh, error);
        if (!status && gmsh->nodes.count != count)
            return text_error(&gmsh->text, error, "%lld nodes were announced, but the blocks hold %lld",
                              (long long)count, (long long)gmsh->nodes.count);
    }
    AND(gmsh_expect(gmsh, "$EndNodes", error));
    if (!status && number_map_close(&gmsh->nodes, &twice))
        return text_error(&gmsh->text, error, "node %lld is defined twice", (long long)twice);
    return status;
}
