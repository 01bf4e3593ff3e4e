/* mesh_sample.h: small meshes with awkward numbers, and whether two meshes are the same to the last bit. */
#ifndef CARDIAC_TESTS_MESH_SAMPLE_H
#define CARDIAC_TESTS_MESH_SAMPLE_H

#include "solver/mesh/generate.h"
#include "tests/support/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A double between -1 and 1 with all its digits in use (xorshift) */
static inline double sample_double(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

/* A slab, sheet or cable, bent a little, with tags 0 to 3 and fibres where asked for. */
static inline void sample_mesh(struct mesh *mesh, int dimension, enum location location, int with_sheet)
{
    struct error error = {0};
    uint64_t seed = 88172645463325252u;
    const double size[3] = {4, 2, 1};
    enum status status = dimension == 3   ? mesh_slab(mesh, size, 1, &error)
                         : dimension == 2 ? mesh_sheet(mesh, size, 1, &error)
                                          : mesh_cable(mesh, 3, 1, &error);
    CHECK_OK(status, error);
    for (int64_t i = 0; i < 3 * mesh->nodes; i++)
        mesh->point[i] += 0.01 * sample_double(&seed);
    for (int64_t e = 0; e < mesh->elements; e++)
        mesh->tag[e] = (int32_t)(e % 4);
    mesh->fiber_location = location;
    size_t count = 3 * (size_t)(location == LOCATION_NODE      ? mesh->nodes
                                : location == LOCATION_ELEMENT ? mesh->elements
                                                               : 0);
    mesh->fiber = count ? malloc(count * sizeof(double)) : NULL;
    mesh->sheet = count && with_sheet ? malloc(count * sizeof(double)) : NULL;
    for (size_t i = 0; i < count; i++) {
        mesh->fiber[i] = sample_double(&seed);
        if (with_sheet)
            mesh->sheet[i] = sample_double(&seed) * 1e-5;
    }
}

static inline void check_same_array(const void *a, const void *b, size_t bytes, const char *what)
{
    CHECK(!a == !b, "%s are there in one mesh only", what);
    CHECK(!a || memcmp(a, b, bytes) == 0, "%s differ", what);
}

static inline void check_same_mesh(const struct mesh *a, const struct mesh *b)
{
    CHECK(a->dimension == b->dimension && a->nodes == b->nodes && a->elements == b->elements,
          "dimension %d and %d, nodes %lld and %lld", a->dimension, b->dimension, (long long)a->nodes,
          (long long)b->nodes);
    CHECK(a->fiber_location == b->fiber_location, "fibres at %d and %d", (int)a->fiber_location,
          (int)b->fiber_location);
    size_t elements = (size_t)a->elements, corners = (size_t)a->dimension + 1;
    size_t directions = a->fiber_location == LOCATION_NODE ? (size_t)a->nodes : elements;
    check_same_array(a->point, b->point, 24 * (size_t)a->nodes, "coordinates");
    check_same_array(a->vertex, b->vertex, 4 * corners * elements, "vertices");
    check_same_array(a->tag, b->tag, 4 * elements, "tags");
    check_same_array(a->fiber, b->fiber, 24 * directions, "fibres");
    check_same_array(a->sheet, b->sheet, 24 * directions, "sheet directions");
}

#endif
