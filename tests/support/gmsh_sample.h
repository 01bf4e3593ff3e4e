/* gmsh_sample.h: writes a mesh as .msh in the variants that our own writer does not make: 4.1 and 2.2, ASCII
 * or binary in either byte order, with numbers that leave gaps, triangles beside the tetrahedra, a section
 * and a view that nobody asked for. */
#ifndef CARDIAC_TESTS_GMSH_SAMPLE_H
#define CARDIAC_TESTS_GMSH_SAMPLE_H

#include <stdio.h>
#include <string.h>

#include "solver/mesh/mesh.h"

struct sample {
    FILE *file;
    int version; /* 2 or 4 */
    int binary, swapped;
};

static void sample_raw(struct sample *sample, const void *value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fputc(((const unsigned char *)value)[sample->swapped ? bytes - 1 - i : i], sample->file);
}

static void sample_int(struct sample *sample, int value)
{
    if (sample->binary)
        sample_raw(sample, &value, sizeof value);
    else
        fprintf(sample->file, "%d ", value);
}

static void sample_size(struct sample *sample, int64_t value)
{
    if (sample->binary)
        sample_raw(sample, &value, sizeof value);
    else
        fprintf(sample->file, "%lld ", (long long)value);
}

static void sample_real(struct sample *sample, double value)
{
    if (sample->binary)
        sample_raw(sample, &value, sizeof value);
    else
        fprintf(sample->file, "%.17g ", value);
}

static void sample_line(struct sample *sample)
{
    if (!sample->binary)
        fputc('\n', sample->file);
}

static void sample_section(struct sample *sample, const char *name)
{
    fprintf(sample->file, "%s%s\n", strncmp(name, "$End", 4) == 0 && sample->binary ? "\n" : "", name);
}

/* Node i of the mesh is number 10 + 3 i in the file, element e number 5 + 2 e. */
static int sample_node(int64_t i)
{
    return 10 + 3 * (int)i;
}

static int sample_element(int64_t e)
{
    return 5 + 2 * (int)e;
}

static void sample_format(struct sample *sample)
{
    fprintf(sample->file, "$MeshFormat\n%s %d 8\n", sample->version == 4 ? "4.1" : "2.2", sample->binary);
    if (sample->binary)
        sample_int(sample, 1);
    sample_section(sample, "$EndMeshFormat");
    fprintf(sample->file, "$PhysicalNames\n1\n3 7 \"left $ventricle\"\n$EndPhysicalNames\n");
}

/* One point, one surface, and a volume for each tag 0 .. volumes - 1; volume t is entity t + 1 in group t. */
static void sample_entities(struct sample *sample, int volumes)
{
    sample_section(sample, "$Entities");
    int64_t counts[4] = {1, 0, 1, volumes};
    for (int d = 0; d < 4; d++)
        sample_size(sample, counts[d]);
    sample_line(sample);
    for (int entity = -2; entity < volumes; entity++) {
        sample_int(sample, entity < 0 ? 1 : entity + 1);
        for (int d = 0; d < (entity == -2 ? 3 : 6); d++)
            sample_real(sample, d);
        sample_size(sample, entity > 0);
        if (entity > 0)
            sample_int(sample, -entity);
        if (entity >= -1)
            sample_size(sample, 1), sample_int(sample, 1);
        sample_line(sample);
    }
    sample_section(sample, "$EndEntities");
}

static void sample_nodes_4(struct sample *sample, const struct mesh *mesh)
{
    sample_section(sample, "$Nodes");
    sample_size(sample, 2), sample_size(sample, mesh->nodes);
    sample_size(sample, sample_node(0)), sample_size(sample, sample_node(mesh->nodes - 1));
    sample_line(sample);
    for (int block = 0; block < 2; block++) { /* the second, shorter one comes with parameters */
        int64_t first = block ? mesh->nodes - 2 : 0, last = block ? mesh->nodes : mesh->nodes - 2;
        sample_int(sample, block ? 2 : 3), sample_int(sample, 1), sample_int(sample, block);
        sample_size(sample, last - first);
        sample_line(sample);
        for (int64_t i = first; i < last; i++)
            sample_size(sample, sample_node(i)), sample_line(sample);
        for (int64_t i = first; i < last; i++) {
            for (int d = 0; d < 3; d++)
                sample_real(sample, mesh->point[3 * i + d]);
            if (block)
                sample_real(sample, 0.5), sample_real(sample, 0.25);
            sample_line(sample);
        }
    }
    sample_section(sample, "$EndNodes");
}

static void sample_elements_4(struct sample *sample, const struct mesh *mesh)
{
    sample_section(sample, "$Elements");
    sample_size(sample, mesh->elements + 1), sample_size(sample, mesh->elements + 1);
    sample_size(sample, 1), sample_size(sample, sample_element(mesh->elements));
    sample_line(sample);
    for (int64_t e = -1; e < mesh->elements; e++) { /* -1: a triangle of the first tetrahedron */
        const int32_t *vertex = mesh->vertex + 4 * (e < 0 ? 0 : e);
        sample_int(sample, e < 0 ? 2 : 3), sample_int(sample, e < 0 ? 1 : mesh->tag[e] + 1);
        sample_int(sample, e < 0 ? 2 : 4);
        sample_size(sample, 1);
        sample_line(sample);
        sample_size(sample, sample_element(e));
        for (int c = 0; c < (e < 0 ? 3 : 4); c++)
            sample_size(sample, sample_node(vertex[c]));
        sample_line(sample);
    }
    sample_section(sample, "$EndElements");
}

static void sample_nodes_2(struct sample *sample, const struct mesh *mesh)
{
    fprintf(sample->file, "$Nodes\n%lld\n", (long long)mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        sample_int(sample, sample_node(i));
        for (int d = 0; d < 3; d++)
            sample_real(sample, mesh->point[3 * i + d]);
        sample_line(sample);
    }
    sample_section(sample, "$EndNodes");
}

static void sample_elements_2(struct sample *sample, const struct mesh *mesh)
{
    fprintf(sample->file, "$Elements\n%lld\n", (long long)mesh->elements + 1);
    for (int64_t e = -1; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + 4 * (e < 0 ? 0 : e);
        if (!sample->binary)
            sample_int(sample, sample_element(e));
        sample_int(sample, e < 0 ? 2 : 4);
        if (sample->binary)
            sample_int(sample, 1);
        sample_int(sample, 2);
        if (sample->binary)
            sample_int(sample, sample_element(e));
        sample_int(sample, e < 0 ? 0 : mesh->tag[e]), sample_int(sample, 1);
        for (int c = 0; c < (e < 0 ? 3 : 4); c++)
            sample_int(sample, sample_node(vertex[c]));
        sample_line(sample);
    }
    sample_section(sample, "$EndElements");
}

static void sample_view(struct sample *sample, const char *section, const char *name, const double *direction,
                        int64_t count, int (*number)(int64_t))
{
    char end[40];
    fprintf(sample->file, "$%s\n1\n\"%s\"\n1\n0\n3\n0\n3\n%lld\n", section, name, (long long)count);
    for (int64_t i = 0; i < count; i++) {
        sample_int(sample, number(i));
        for (int d = 0; d < 3; d++)
            sample_real(sample, direction[3 * i + d]);
        sample_line(sample);
    }
    snprintf(end, sizeof end, "$End%s", section);
    sample_section(sample, end);
}

/* The whole file; tags of the tetrahedra must lie between 0 and 9. */
static void gmsh_sample(struct sample *sample, const struct mesh *mesh)
{
    sample_format(sample);
    if (sample->version == 4) {
        sample_entities(sample, 10);
        sample_nodes_4(sample, mesh);
        sample_elements_4(sample, mesh);
    } else {
        sample_nodes_2(sample, mesh);
        sample_elements_2(sample, mesh);
    }
    fprintf(sample->file, "$Periodic\n0\n$EndPeriodic\n");
    sample_view(sample, "NodeData", "pressure", mesh->point, mesh->nodes, sample_node);
    int at_nodes = mesh->fiber_location == LOCATION_NODE;
    if (mesh->fiber)
        sample_view(sample, at_nodes ? "NodeData" : "ElementData", "fibers", mesh->fiber,
                    at_nodes ? mesh->nodes : mesh->elements, at_nodes ? sample_node : sample_element);
    if (mesh->sheet)
        sample_view(sample, at_nodes ? "NodeData" : "ElementData", "sheet", mesh->sheet,
                    at_nodes ? mesh->nodes : mesh->elements, at_nodes ? sample_node : sample_element);
}

#endif
