/* mesh_sample.h: small meshes of every dimension, and whether two meshes are the same to the last bit. */
#ifndef CARDIAC_TESTS_MESH_SAMPLE_H
#define CARDIAC_TESTS_MESH_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

/* A slab, sheet or cable of so many edges of so many mm along each axis, with tags 0 to 3 */
static inline struct mesh mesh_sample_lattice(int dimension, const int edges[3], const double spacing[3])
{
    struct error error = {0};
    struct mesh mesh;
    const double size[3] = {edges[0], edges[1], edges[2]};
    enum status status = dimension == 3   ? mesh_slab(&mesh, size, 1, &error)
                         : dimension == 2 ? mesh_sheet(&mesh, size, 1, &error)
                                          : mesh_cable(&mesh, size[0], 1, &error);
    CHECK_OK(status, error);
    for (int64_t i = 0; i < 3 * mesh.nodes; i++)
        mesh.point[i] *= spacing[i % 3];
    for (int64_t e = 0; e < mesh.elements; e++)
        mesh.tag[e] = (int32_t)(e % 4);
    return mesh;
}

static inline const double *mesh_sample_corner(const struct mesh *mesh, int64_t e, int c)
{
    return mesh->point + 3 * (int64_t)mesh->vertex[e * (mesh->dimension + 1) + c];
}

/* Every node moves by up to `amount` mm in each of so many directions. */
static inline void mesh_sample_bend(struct mesh *mesh, double amount, int directions)
{
    for (int64_t i = 0; i < 3 * mesh->nodes; i++)
        if (i % 3 < directions)
            mesh->point[i] += amount * (2 * bits_random((uint64_t)i) - 1);
}

/* Room for a direction each, or none */
static inline void mesh_sample_directions(struct mesh *mesh, enum location location, bool with_sheet)
{
    size_t count = 3 * (size_t)(location == LOCATION_NODE      ? mesh->nodes
                                : location == LOCATION_ELEMENT ? mesh->elements
                                                               : 0);
    mesh->fiber_location = location;
    mesh->fiber = count ? calloc(count, sizeof *mesh->fiber) : NULL;
    mesh->sheet = count && with_sheet ? calloc(count, sizeof *mesh->sheet) : NULL;
    CHECK((mesh->fiber || !count) && (mesh->sheet || !count || !with_sheet), "no memory");
}

/* Cubes of 0.1 x 0.2 x 0.3 mm, or their faces, fibres of the elements along (0.6, 0.8, 0) */
static inline struct mesh mesh_sample_straight(int dimension, const int edges[3])
{
    struct mesh mesh = mesh_sample_lattice(dimension, edges, (const double[]){0.1, 0.2, 0.3});
    mesh_sample_directions(&mesh, LOCATION_ELEMENT, false);
    for (int64_t e = 0; e < mesh.elements; e++)
        mesh.fiber[3 * e] = 0.6, mesh.fiber[3 * e + 1] = 0.8;
    return mesh;
}
static inline struct mesh mesh_sample_box(int nx, int ny, int nz)
{
    return mesh_sample_straight(3, (const int[]){nx, ny, nz});
}
static inline struct mesh mesh_sample_sheet(int nx, int ny)
{
    return mesh_sample_straight(2, (const int[]){nx, ny, 0});
}

/* Some 20 nodes bent in space, directions of any length: numbers with all their digits in use */
static inline struct mesh mesh_sample_odd(int dimension, enum location location, bool with_sheet)
{
    struct mesh mesh = mesh_sample_lattice(dimension, (const int[]){dimension == 1 ? 3 : 4, 2, 1},
                                           (const double[]){1, 1, 1});
    mesh_sample_bend(&mesh, 0.01, 3);
    mesh_sample_directions(&mesh, location, with_sheet);
    int64_t count = location == LOCATION_NODE ? mesh.nodes : mesh.elements;
    for (int64_t i = 0; i < 3 * count && mesh.fiber; i++) {
        mesh.fiber[i] = 2 * bits_random((uint64_t)(i + 1000)) - 1;
        if (mesh.sheet)
            mesh.sheet[i] = 1e-5 * (2 * bits_random((uint64_t)(i + 2000)) - 1);
    }
    return mesh;
}

static inline void check_same_array(const void *a, const void *b, size_t bytes, const char *what)
{
    CHECK(!a == !b, "%s are there in one mesh only", what);
    CHECK(!a || memcmp(a, b, bytes) == 0, "%s differ", what);
}

/* One number at every node, four at every element, of which some are none */
static inline void mesh_sample_fields(struct mesh *mesh)
{
    struct error error = {0};
    for (int k = 0; k < 2; k++) {
        int64_t count = k ? 4 * mesh->elements : mesh->nodes;
        double *value = malloc((size_t)count * sizeof *value);
        CHECK(value, "no memory");
        for (int64_t i = 0; i < count; i++)
            value[i] = k && i % 9 == 2   ? INFINITY
                       : k && i % 9 == 5 ? NAN
                                         : 1e3 * bits_random((uint64_t)i) - 500;
        CHECK_OK(mesh_fields_add(&mesh->fields, k ? "of elements" : "pressure",
                                 k ? LOCATION_ELEMENT : LOCATION_NODE, k ? 4 : 1, value, &error),
                 error);
    }
}

static inline void check_same_fields(const struct mesh *a, const struct mesh *b)
{
    for (int f = 0; f < a->fields.count; f++) {
        const struct mesh_field *x = a->fields.item + f;
        const struct mesh_field *y = mesh_fields_find(&b->fields, x->name, x->location);
        CHECK(y && y->components == x->components && y->location == x->location, "no array %s", x->name);
        int64_t count = x->components * (x->location == LOCATION_NODE ? a->nodes : a->elements);
        for (int64_t i = 0; i < count; i++)
            CHECK(x->value[i] == y->value[i] || (isnan(x->value[i]) && isnan(y->value[i])),
                  "%s[%lld] is %g and %g", x->name, (long long)i, x->value[i], y->value[i]);
    }
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
