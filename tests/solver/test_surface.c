/* test_surface.c: the boundary of a block and of a bar of two tetrahedra: which faces, turned outwards, and
 * the smooth patches that they form. */
#include "solver/mesh/surface.h"

#include "tests/support/mesh_sample.h"

static double area_of(const struct mesh_surface *surface, const struct mesh *mesh, int patch, double sum[3])
{
    double area = 0, normal[3];
    sum[0] = sum[1] = sum[2] = 0;
    for (int64_t f = 0; f < surface->faces; f++) {
        if (surface->patch[f] != patch)
            continue;
        mesh_surface_normal(surface, mesh, f, normal);
        area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2;
        for (int d = 0; d < 3; d++)
            sum[d] += normal[d] / 2;
    }
    return area;
}

static void test_cuboid(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct mesh_surface surface;
    const double size[3] = {1.5, 2, 2.5};
    double sum[3];
    CHECK_OK(mesh_slab(&mesh, size, 0.5, &error), error);
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK(surface.faces == 4 * (3 * 4 + 3 * 5 + 4 * 5), "%lld faces", (long long)surface.faces);
    CHECK_CLOSE(area_of(&surface, &mesh, 0, sum), 2 * (1.5 * 2 + 1.5 * 2.5 + 2 * 2.5), 1e-13);
    CHECK(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 1e-13, "not closed: %g %g %g", sum[0], sum[1], sum[2]);
    CHECK_OK(mesh_surface_split(&surface, &mesh, 0.6, NULL, &error), error);
    CHECK(surface.patches == 6, "%d parts of a block", surface.patches);
    for (int p = 0; p < 6; p++) {
        double area = area_of(&surface, &mesh, p, sum);
        int axis = fabs(sum[0]) > 0.1 ? 0 : fabs(sum[1]) > 0.1 ? 1 : 2;
        CHECK_CLOSE(area, 1.5 * 2 * 2.5 / size[axis], 1e-13);
        CHECK_CLOSE(fabs(sum[axis]), area, 1e-13);
        for (int64_t f = 0; f < surface.faces; f++) /* outwards: to x = 0 where the normal falls */
            if (surface.patch[f] == p)
                CHECK(mesh.point[3 * (int64_t)surface.face[3 * f] + axis] == (sum[axis] < 0 ? 0 : size[axis]),
                      "part %d is turned inwards", p);
    }
    uint8_t *skip = calloc((size_t)surface.faces, 1);
    for (int64_t f = 0; f < surface.faces; f++)
        skip[f] = surface.patch[f] == 0 || surface.patch[f] == 1;
    CHECK_OK(mesh_surface_split(&surface, &mesh, -2, skip, &error), error);
    CHECK(surface.patches == 1 && surface.patch[0] == -1, "what is left of a block is one: %d",
          surface.patches);
    free(skip);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
}

/* Among some nodes, which elements inside touch too, it has those faces of the whole that have no other. */
static void test_among(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct mesh_surface all, some;
    int64_t found = 0;
    CHECK_OK(mesh_slab(&mesh, (double[3]){1.5, 2, 2.5}, 0.5, &error), error);
    uint8_t *among = calloc((size_t)mesh.nodes, 1);
    for (int64_t i = 0; i < mesh.nodes; i++)
        among[i] = mesh.point[3 * i] < 1 && mesh.point[3 * i + 1] < 2;
    CHECK_OK(mesh_surface_create(&all, &mesh, NULL, &error), error);
    CHECK_OK(mesh_surface_create(&some, &mesh, among, &error), error);
    for (int64_t f = 0; f < all.faces; f++) {
        const int32_t *node = all.face + 3 * f;
        if (!among[node[0]] || !among[node[1]] || !among[node[2]])
            continue;
        CHECK(found < some.faces && memcmp(node, some.face + 3 * found, 3 * sizeof *node) == 0, "face %lld",
              (long long)f);
        found++;
    }
    CHECK(found == some.faces && found > 30 && found < all.faces / 2, "%lld of %lld faces", (long long)found,
          (long long)all.faces);
    mesh_surface_free(&all);
    mesh_surface_free(&some);
    mesh_free(&mesh);
    CHECK_OK(mesh_cable(&mesh, 2, 0.5, &error), error);
    CHECK_OK(mesh_surface_create(&some, &mesh, (const uint8_t[5]){0, 1, 0, 1, 1}, &error), error);
    CHECK(some.faces == 1 && some.face[0] == 4, "%lld ends of a cable", (long long)some.faces);
    mesh_surface_free(&some);
    mesh_free(&mesh);
    free(among);
}

/* A sheet has its rim, a cable its ends. */
static void test_lower(void)
{
    struct error error = {0};
    struct mesh_surface surface;
    struct mesh mesh;
    CHECK_OK(mesh_sheet(&mesh, (double[2]){1.5, 1}, 0.5, &error), error);
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK(surface.faces == 10, "%lld lines", (long long)surface.faces);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
    CHECK_OK(mesh_cable(&mesh, 2, 0.5, &error), error);
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK(surface.faces == 2 && surface.face[0] == 0 && surface.face[1] == 4, "ends %d %d", surface.face[0],
          surface.face[1]);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
}

int main(void)
{
    test_cuboid();
    test_among();
    test_lower();
    return 0;
}
