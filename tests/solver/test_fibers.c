/* test_fibers.c: missing fibres are copied from the nearest; fibres that rotate through a wall: unit vectors
 * in the plane across it, at the angle for the element's centre, sheets along the axis; the same for every
 * axis if the mesh is rotated with it. */
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

/* One element of so many loses its fibre and gets that of the element whose centre is nearest; so do nodes.
 */
static void test_fill(enum location location, double edge, int64_t every)
{
    struct error error = {0};
    struct mesh mesh;
    int64_t filled, lost = 0;
    CHECK_OK(mesh_sheet(&mesh, (double[2]){2, 1.5}, edge, &error), error);
    CHECK(mesh_fill_fibers(&mesh, &filled, &error) == STATUS_INPUT, "a mesh without fibres");
    int64_t rows = location == LOCATION_NODE ? mesh.nodes : mesh.elements;
    mesh.fiber_location = location;
    mesh.fiber = calloc((size_t)rows * 3, sizeof *mesh.fiber);
    mesh.sheet = calloc((size_t)rows * 3, sizeof *mesh.sheet);
    CHECK(mesh_fill_fibers(&mesh, &filled, &error) == STATUS_INPUT, "fibres that are all zero");
    double *x = calloc((size_t)rows * 3, sizeof *x);
    for (int64_t i = 0; i < rows; i++) {
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 2; d++)
                x[3 * i + d] += location == LOCATION_NODE ? mesh.point[3 * i + d] / 3
                                                          : mesh.point[3 * mesh.vertex[3 * i + k] + d] / 3;
        lost += i % every == 1;
        mesh.fiber[3 * i + 1] = i % every == 1 ? 0 : (double)i + 1;
        mesh.sheet[3 * i] = i % every == 1 ? 7 : (double)i + 1;
    }
    CHECK_OK(mesh_fill_fibers(&mesh, &filled, &error), error);
    CHECK(filled == lost && lost > 9, "%lld filled", (long long)filled);
    for (int64_t i = 0; i < rows; i++) {
        double least = 1e9, own = 1e9, from = mesh.fiber[3 * i + 1];
        CHECK(mesh.sheet[3 * i] == from, "the sheet of %lld is not from there", (long long)i);
        for (int64_t j = 0; j < rows; j++) {
            double apart = hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1]);
            if (j % every != 1)
                least = fmin(least, apart);
            if (from == (double)j + 1)
                own = apart;
        }
        CHECK(i % every == 1 ? fabs(own - least) < 1e-12 : from == (double)i + 1, "row %lld has %g",
              (long long)i, from);
    }
    free(x);
    mesh_free(&mesh);
}

int main(void)
{
    test_fill(LOCATION_NODE, 0.25, 3);
    test_fill(LOCATION_ELEMENT, 0.25, 3);
    test_fill(LOCATION_NODE, 0.0625, 80);
    test_fill(LOCATION_ELEMENT, 0.0625, 150);
    test_axis(0, -60, 60);
    test_axis(1, 10, 140);
    test_axis(2, 60, -60);
    test_edges();
    return 0;
}
