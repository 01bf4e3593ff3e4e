/* test_fibers.c: fibres that turn through a wall: unit vectors in the plane across it, at the angle that
 * the centre of the element says, sheets along the axis; the same for every axis when the mesh is turned with
 * it. */
#include "solver/mesh/fibers.h"

#include "solver/mesh/generate.h"
#include "tests/support/check.h"

static void test_axis(int across, double from, double to)
{
    struct error error = {0};
    struct mesh mesh;
    const double size[3] = {2, 3, 2.5};
    CHECK_OK(mesh_slab(&mesh, size, 0.5, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++)
        mesh.point[3 * i + across] -= 7; /* the extent begins anywhere */
    CHECK_OK(mesh_turn_fibers(&mesh, across, (double[2]){from, to}, &error), error);
    CHECK(mesh.fiber_location == LOCATION_ELEMENT, "place %d", mesh.fiber_location);
    double lowest = 1e9, highest = -1e9;
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *fiber = mesh.fiber + 3 * e, *sheet = mesh.sheet + 3 * e;
        double centre = 0;
        for (int k = 0; k < 4; k++)
            centre += mesh.point[3 * (int64_t)mesh.vertex[4 * e + k] + across] / 4;
        double want = from + (centre + 7) / size[across] * (to - from);
        double got = atan2(fiber[(across + 2) % 3], fiber[(across + 1) % 3]) * 180 / acos(-1);
        CHECK_CLOSE(got, want, 1e-13);
        CHECK_CLOSE(fiber[0] * fiber[0] + fiber[1] * fiber[1] + fiber[2] * fiber[2], 1.0, 1e-15);
        CHECK(fiber[across] == 0 && sheet[across] == 1, "fibre or sheet of element %lld", (long long)e);
        CHECK(sheet[(across + 1) % 3] == 0 && sheet[(across + 2) % 3] == 0, "sheet of %lld", (long long)e);
        lowest = fmin(lowest, got);
        highest = fmax(highest, got);
    }
    CHECK(highest - lowest > 0.8 * fabs(to - from), "only %g to %g deg", lowest, highest);
    mesh_free(&mesh);
}

/* 0 degrees is the axis itself, to the last bit; a mesh without extent is refused. */
static void test_edges(void)
{
    struct error error = {0};
    struct mesh mesh;
    CHECK_OK(mesh_sheet(&mesh, (double[2]){2, 1}, 0.5, &error), error);
    CHECK(mesh_turn_fibers(&mesh, 2, (double[2]){10, 20}, &error) == STATUS_INPUT, "no extent along z");
    CHECK(!mesh.fiber, "a refused rule left fibres");
    CHECK_OK(mesh_turn_fibers(&mesh, 0, (double[2]){10, 20}, &error), error);
    CHECK_OK(mesh_turn_fibers(&mesh, 1, (double[2]){0, 0}, &error), error); /* takes the place of the first */
    for (int64_t e = 0; e < mesh.elements; e++)
        CHECK(mesh.fiber[3 * e] == 0 && mesh.fiber[3 * e + 1] == 0 && mesh.fiber[3 * e + 2] == 1,
              "fibre %lld", (long long)e);
    mesh_free(&mesh);
}

int main(void)
{
    test_axis(0, -60, 60);
    test_axis(1, 10, 140);
    test_axis(2, 60, -60);
    test_edges();
    return 0;
}
