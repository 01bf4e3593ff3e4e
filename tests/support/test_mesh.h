/* test_mesh.h: a small mesh for tests of files: a box of nx x ny x nz cubes, each of six Kuhn tetrahedra. */
#ifndef CARDIAC_TESTS_TEST_MESH_H
#define CARDIAC_TESTS_TEST_MESH_H

#include "solver/mesh/mesh.h"
#include "tests/support/check.h"

static inline struct mesh test_mesh(int nx, int ny, int nz)
{
    static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct mesh mesh = {.dimension = 3,
                        .nodes = (int64_t)(nx + 1) * (ny + 1) * (nz + 1),
                        .elements = (int64_t)6 * nx * ny * nz,
                        .fiber_location = LOCATION_ELEMENT};
    struct error error = {0};
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    int stride[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    for (int64_t i = 0; i < mesh.nodes; i++) {
        mesh.point[3 * i] = 0.1 * (double)(i % (nx + 1));
        mesh.point[3 * i + 1] = 0.2 * (double)(i / stride[1] % (ny + 1));
        mesh.point[3 * i + 2] = 0.3 * (double)(i / stride[2]);
    }
    for (int64_t e = 0; e < mesh.elements; e++) {
        int64_t cube = e / 6;
        int x = (int)(cube % nx), y = (int)(cube / nx % ny), z = (int)(cube / nx / ny);
        int node = x + y * stride[1] + z * stride[2];
        int32_t *vertex = mesh.vertex + 4 * e;
        const int *way = path[e % 6];
        vertex[0] = node;
        for (int k = 0; k < 3; k++)
            vertex[k + 1] = node += stride[way[k]];
        int odd = (way[0] > way[1]) ^ (way[0] > way[2]) ^ (way[1] > way[2]);
        if (odd) {
            int32_t swap = vertex[2];
            vertex[2] = vertex[3];
            vertex[3] = swap;
        }
        mesh.tag[e] = (int32_t)(cube % 3);
        mesh.fiber[3 * e] = 0.6;
        mesh.fiber[3 * e + 1] = 0.8;
    }
    return mesh;
}

#endif
