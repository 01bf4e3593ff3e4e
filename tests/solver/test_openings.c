/* test_openings.c: rims of shells, the side of their triangles, and fibres along Laplace's solutions between rims:
 * exact on a structured cylinder, of first order on a sphere with two holes. */
#include "solver/heart/coordinates.h"
#include "solver/heart/gradient.h"
#include "solver/mesh/openings.h"
#include "solver/mesh/winding.h"
#include "kernels/base/vec3.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* A surface of revolution about z: rings of `around` nodes at the radii and heights; every third triangle winds the other
 * way if `mixed`, the nodes of a ring are no regular polygon if `bent` */
static void make_shell(struct mesh *mesh, int around, int rings, const double *radius, const double *height,
                       bool mixed, bool bent)
{
    struct error error = {0};
    int64_t e = 0;
    *mesh = (struct mesh){.dimension = 2, .nodes = around * rings, .elements = 2 * around * (rings - 1)};
    CHECK_OK(mesh_allocate(mesh, 0, &error), error);
    for (int j = 0; j < rings; j++)
        for (int i = 0; i < around; i++) {
            double angle = 2 * pi * (i + (bent && j % 2 ? 0.5 : 0)) / around;
            if (bent)
                angle += 0.2 * sin(2 * angle + height[j] / 10);
            double *p = mesh->point + 3 * ((int64_t)j * around + i);
            p[0] = radius[j] * cos(angle);
            p[1] = radius[j] * sin(angle);
            p[2] = height[j];
        }
    for (int j = 0; j < rings - 1; j++)
        for (int i = 0; i < around; i++) {
            const int32_t a = j * around + i, b = j * around + (i + 1) % around, c = a + around,
                          d = b + around;
            const int32_t node[2][3] = {{a, b, d}, {a, d, c}};
            for (int k = 0; k < 2; k++, e++) {
                const int turn = mixed && e % 3 == 0;
                for (int n = 0; n < 3; n++)
                    mesh->vertex[3 * e + n] = node[k][turn ? 2 - n : n];
                mesh->tag[e] = 0;
            }
        }
}

static void make_cylinder(struct mesh *mesh, bool mixed)
{
    enum { RINGS = 13 };
    double radius[RINGS], height[RINGS];
    for (int j = 0; j < RINGS; j++) {
        radius[j] = 5;
        height[j] = j;
    }
    make_shell(mesh, 24, RINGS, radius, height, mixed, false);
}

/* A sphere of 10 mm from the polar angle 0.4 to 2.4 */
static void make_sphere(struct mesh *mesh, int fine, bool bent)
{
    const int rings = 16 * fine + 1;
    double *radius = calloc((size_t)rings, sizeof *radius), *height = calloc((size_t)rings, sizeof *height);
    CHECK(radius && height, "no memory");
    for (int j = 0; j < rings; j++) {
        radius[j] = 10 * sin(0.4 + 2.0 * j / (rings - 1));
        height[j] = 10 * cos(0.4 + 2.0 * j / (rings - 1));
    }
    make_shell(mesh, 32 * fine, rings, radius, height, false, bent);
    free(radius);
    free(height);
}

/* fiber[elements][3] <- along the solution between the two rims, turned; returns where it vanishes */
static int64_t lay_fibers(double *fiber, const struct mesh *mesh, double degrees)
{
    struct error error = {0};
    struct openings openings;
    struct coordinates coordinates = {0};
    double *u, *angle = calloc((size_t)mesh->elements, sizeof *angle);
    uint8_t *on = calloc((size_t)mesh->nodes, 1);
    int8_t *side = calloc((size_t)mesh->elements, 1);
    CHECK(angle && on && side, "no memory");
    CHECK_OK(openings_find(&openings, mesh, &error), error);
    CHECK(openings.all == 2 && openings.closed == 2, "%d rims, %d closed", openings.all, openings.closed);
    for (int64_t i = 0; i < mesh->nodes; i++)
        on[i] = openings.of[i] < 0 ? 0 : mesh->point[3 * i + 2] < 1 ? 1 : 2;
    for (int64_t e = 0; e < mesh->elements; e++)
        angle[e] = degrees;
    CHECK_OK(coordinates_between(&u, &coordinates, mesh, on, &error), error);
    CHECK_OK(winding_find(side, mesh, &error), error);
    const int64_t vanishing = gradient_fibers(fiber, mesh, u, angle, side, NULL);
    coordinates_free(&coordinates);
    openings_free(&openings);
    free(u), free(angle), free(on), free(side);
    return vanishing;
}

/* up <- the direction of z in the plane of an element; across <- a quarter turn from it, counter-clockwise from outside */
static void axes_of(double up[3], double across[3], const struct mesh *mesh, int64_t e)
{
    const int32_t *node = mesh->vertex + 3 * e;
    double a[3], b[3], normal[3], centre[3];
    vec3_between(a, mesh->point + 3 * (int64_t)node[0], mesh->point + 3 * (int64_t)node[1]);
    vec3_between(b, mesh->point + 3 * (int64_t)node[0], mesh->point + 3 * (int64_t)node[2]);
    vec3_cross(normal, a, b);
    vec3_normalise(normal);
    mesh_centre(centre, mesh, e);
    const double outward = normal[0] * centre[0] + normal[1] * centre[1] + normal[2] * centre[2] > 0 ? 1 : -1;
    for (int d = 0; d < 3; d++) {
        normal[d] *= outward;
        up[d] = (d == 2) - normal[2] * normal[d];
    }
    vec3_normalise(up);
    vec3_cross(across, normal, up);
}

static void test_cylinder(bool mixed, double degrees)
{
    struct mesh mesh;
    double up[3], across[3], most = 0;
    make_cylinder(&mesh, mixed);
    for (int64_t i = 0; i < mesh.nodes; i++)
        mesh.point[3 * i + 2] -= 6;
    double *fiber = calloc((size_t)mesh.elements * 3, sizeof *fiber);
    CHECK(fiber, "no memory");
    CHECK(lay_fibers(fiber, &mesh, degrees) == 0, "gradients vanish");
    for (int64_t e = 0; e < mesh.elements; e++) {
        axes_of(up, across, &mesh, e);
        for (int d = 0; d < 3; d++)
            most = fmax(most, fabs(fiber[3 * e + d] - cos(degrees * pi / 180) * up[d] -
                                   sin(degrees * pi / 180) * across[d]));
    }
    CHECK(most < 1e-9, "%g degrees: off by %g", degrees, most);
    free(fiber);
    mesh_free(&mesh);
}

/* The largest angle between fibres across the solution and parallels, degrees */
static double off_parallels(int fine)
{
    struct mesh mesh;
    double up[3], centre[3], most = 0;
    make_sphere(&mesh, fine, true);
    double *fiber = calloc((size_t)mesh.elements * 3, sizeof *fiber);
    CHECK(fiber, "no memory");
    CHECK(lay_fibers(fiber, &mesh, 90) == 0, "gradients vanish");
    for (int64_t e = 0; e < mesh.elements; e++) {
        mesh_centre(centre, &mesh, e);
        vec3_normalise(centre);
        for (int d = 0; d < 3; d++)
            up[d] = (d == 2) - centre[2] * centre[d];
        vec3_normalise(up);
        most = fmax(most, fabs(vec3_dot(fiber + 3 * e, up)));
    }
    free(fiber);
    mesh_free(&mesh);
    return asin(most) * 180 / pi;
}

static void test_sphere(void)
{
    const double off[3] = {off_parallels(2), off_parallels(4), off_parallels(8)};
    CHECK(off[0] / off[1] > 1.9 && off[1] / off[2] > 1.9 && off[2] < 1, "%g, %g, %g degrees from parallels",
          off[0], off[1], off[2]);
}

static void expect(enum status status, const struct error *error, const char *text)
{
    CHECK(status == STATUS_INPUT && strstr(error->text, text), "'%s', want '%s'", error->text, text);
}

static void test_rims(void)
{
    struct mesh mesh;
    struct openings openings;
    struct error error = {0};
    int which;
    make_sphere(&mesh, 2, false);
    CHECK_OK(openings_find(&openings, &mesh, &error), error);
    CHECK_OK(openings_ranked(&which, &openings, 1, &error), error);
    const struct opening *low = &openings.item[which];
    const double around = 64 * 2 * 10 * sin(2.4) * sin(pi / 64);
    CHECK(low->nodes == 64 && fabs(low->perimeter - around) < 1e-9 &&
              fabs(low->centre[2] - 10 * cos(2.4)) < 1e-9 && fabs(low->centre[0]) < 1e-9,
          "%lld nodes, %g mm, centre at z = %g mm", (long long)low->nodes, low->perimeter, low->centre[2]);
    CHECK_OK(openings_nearest(&which, &openings, (const double[3]){1, 0, 8}, &error), error);
    CHECK(which == 1, "the upper rim is %d", which);
    expect(openings_ranked(&which, &openings, 3, &error), &error, "no opening 3; its rims: 1 at [");
    const double between[3] = {0, 0, (openings.item[0].centre[2] + openings.item[1].centre[2]) / 2};
    expect(openings_nearest(&which, &openings, between, &error), &error,
           "two rims are equally near; its rims: 1 at [");
    openings_free(&openings);
    mesh_free(&mesh);

    make_cylinder(&mesh, false);
    CHECK_OK(openings_find(&openings, &mesh, &error), error);
    expect(openings_ranked(&which, &openings, 2, &error), &error, "openings 1 and 2 are equally long");
    openings_free(&openings);
    mesh_free(&mesh);

    make_shell(&mesh, 4, 3, (const double[3]){0.1, 1, 2}, (const double[3]){0, 0, 0}, false, false);
    for (int64_t i = 1; i < 4;
         i++) /* two holes that meet in node 0: its ring has one position less than nodes */
        memcpy(mesh.point + 3 * i, mesh.point, 3 * sizeof *mesh.point);
    mesh.vertex[3 * 2] = mesh.vertex[3 * 0]; /* the rim passes node 0 twice */
    CHECK_OK(openings_find(&openings, &mesh, &error), error);
    CHECK(openings.closed < openings.all && !openings.item[openings.all - 1].closed,
          "%d of %d rims are closed", openings.closed, openings.all);
    expect(openings_nearest(&which, &openings, openings.item[openings.all - 1].centre, &error), &error,
           "is not closed");
    openings_free(&openings);
    mesh_free(&mesh);
}

/* The first eight of ten */
static void test_many(void)
{
    struct opening item[10];
    const struct openings openings = {.closed = 10, .all = 10, .item = item};
    struct error error = {0};
    int which;
    for (int k = 0; k < 10; k++)
        item[k] = (struct opening){.perimeter = 20 - k, .centre = {k, 0, 0}, .nodes = 3, .closed = true};
    expect(openings_ranked(&which, &openings, 11, &error), &error,
           "8 at [7 mm, 0 mm, 0 mm], 13 mm long; ...");
    CHECK(!strstr(error.text, "9 at"), "%s", error.text);
}

/* Five triangles around with a half twist */
static void test_one_side(void)
{
    enum { TRIANGLES = 5 };
    struct mesh mesh = {.dimension = 2, .nodes = TRIANGLES, .elements = TRIANGLES};
    struct error error = {0};
    int8_t side[TRIANGLES];
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    for (int k = 0; k < TRIANGLES; k++) {
        mesh.tag[k] = 0;
        for (int n = 0; n < 3; n++) {
            mesh.point[3 * k + n] = (double)((k * (n + 2) + n) % TRIANGLES);
            mesh.vertex[3 * k + n] = (k + n) % TRIANGLES;
        }
    }
    expect(winding_find(side, &mesh, &error), &error, "one side only");
    mesh_free(&mesh);
}

int main(void)
{
    for (int mixed = 0; mixed < 2; mixed++)
        for (double degrees = -75; degrees < 120; degrees += 35)
            test_cylinder(mixed, degrees);
    test_sphere();
    test_rims();
    test_one_side();
    test_many();
    return 0;
}
