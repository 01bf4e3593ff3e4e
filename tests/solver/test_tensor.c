/* test_tensor.c: the diffusion tensor of an element has the conductivities along the directions of its
 * definition, for any signs and lengths of nodal directions. */
#include "solver/matrix/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "solver/step/monodomain.h"
#include "tests/support/check.h"
#include "tests/support/mesh_sample.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void direction_of(double u[3])
{
    double length = sqrt(dot(u, u));
    for (int c = 0; c < 3; c++)
        u[c] /= length;
}

/* out <- D u */
static void times(const double tensor[6], const double u[3], double out[3])
{
    const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; a++)
        out[a] = tensor[at[a][0]] * u[0] + tensor[at[a][1]] * u[1] + tensor[at[a][2]] * u[2];
}

/* D u = d u, each of three orthogonal directions with its own conductivity: that is the whole tensor */
static void check_axis(const double tensor[6], const double u[3], double d)
{
    double out[3];
    times(tensor, u, out);
    for (int c = 0; c < 3; c++)
        CHECK(fabs(out[c] - d * u[c]) <= 1e-14, "D u = (%.15g, %.15g, %.15g), u = (%g, %g, %g), d = %g",
              out[0], out[1], out[2], u[0], u[1], u[2], d);
}

static const struct region orthotropic = {.diffusion = {0.25, 0.125, 0.0625}};
static const double nodal[4][3] = {{0.3, -0.9, 0.2}, {0.5, -0.6, -0.4}, {-0.1, -0.8, 0.7}, {0.9, -0.7, 0.1}};
static const double nodal_sheet[4][3] = {
    {-0.2, 0.1, 0.9}, {0.3, 0.2, 1.1}, {0.5, -0.3, 0.6}, {-0.4, -0.5, 0.8}};

/* want <- the sum of the directions of an element's corners, which all stand on one side of the first */
static void sum_of(const double direction[4][3], int corners, double want[3])
{
    memset(want, 0, 3 * sizeof *want);
    for (int a = 0; a < corners; a++) {
        CHECK(a == 0 || dot(direction[a], direction[0]) > 0, "corner %d is on the other side", a);
        for (int c = 0; c < 3; c++)
            want[c] += direction[a][c];
    }
}

/* Nodal directions, every choice of signs: D has the axes f, s (made orthogonal), f x s. */
static void test_nodal(int dimension)
{
    int corners = dimension + 1;
    struct mesh mesh = {.dimension = dimension, .nodes = 4, .elements = 1, .fiber_location = LOCATION_NODE};
    double fiber[4][3], sheet[4][3], f[3], s[3], n[3], tensor[6];
    int32_t vertex[4] = {2, 0, 3, 1}, element_region = 0; /* corner a of the element is node vertex[a] */
    mesh.vertex = vertex, mesh.fiber = fiber[0], mesh.sheet = sheet[0];
    struct tensors tensors = {&mesh, &orthotropic, &element_region, NULL};
    sum_of(nodal, corners, f);
    sum_of(nodal_sheet, corners, s);
    direction_of(f), direction_of(s);
    double along = dot(f, s);
    CHECK(fabs(along) > 0.05, "the sheet direction is orthogonal already");
    for (int c = 0; c < 3; c++)
        s[c] -= along * f[c];
    direction_of(s);
    n[0] = f[1] * s[2] - f[2] * s[1], n[1] = f[2] * s[0] - f[0] * s[2], n[2] = f[0] * s[1] - f[1] * s[0];
    for (int sides = 0; sides < 1 << (2 * corners); sides++) {
        memset(fiber, 0, sizeof fiber), memset(sheet, 0, sizeof sheet);
        for (int a = 0; a < corners; a++)
            for (int c = 0; c < 3; c++) {
                fiber[vertex[a]][c] = sides >> a & 1 ? -nodal[a][c] : nodal[a][c];
                sheet[vertex[a]][c] = sides >> (corners + a) & 1 ? -nodal_sheet[a][c] : nodal_sheet[a][c];
            }
        CHECK(tensor_of_element(&tensors, 0, tensor), "dimension %d, sides %x: no tensor", dimension, sides);
        check_axis(tensor, f, 0.25);
        check_axis(tensor, s, 0.125);
        check_axis(tensor, n, 0.0625);
    }
}

/* Directions of elements, of any length; the second element's, so that the first one's are not taken. */
static void test_elements(void)
{
    struct mesh mesh = {.dimension = 2, .nodes = 3, .elements = 2, .fiber_location = LOCATION_ELEMENT};
    double fiber[2][3] = {{1, 0, 0}, {0, 3, 4}}, sheet[2][3] = {{0, 1, 0}, {0, 8, -6}}, tensor[6];
    int32_t vertex[6] = {0, 1, 2, 1, 0, 2}, element_region[2] = {0, 1};
    mesh.vertex = vertex, mesh.fiber = fiber[0], mesh.sheet = sheet[0];
    const struct region region[2] = {{.diffusion = {0.5, 0.5, 0.5}, .isotropic = 1}, orthotropic};
    struct tensors tensors = {&mesh, region, element_region, NULL};
    CHECK(tensor_of_element(&tensors, 0, tensor), "no tensor of an isotropic element");
    check_axis(tensor, (double[]){1, 0, 0}, 0.5);
    check_axis(tensor, (double[]){0, 1, 0}, 0.5);
    check_axis(tensor, (double[]){0, 0, 1}, 0.5);
    CHECK(tensor_of_element(&tensors, 1, tensor), "no tensor");
    check_axis(tensor, (double[]){0, 0.6, 0.8}, 0.25);
    check_axis(tensor, (double[]){0, 0.8, -0.6}, 0.125);
    check_axis(tensor, (double[]){1, 0, 0}, 0.0625);
    const struct region transverse[2] = {region[0], {.diffusion = {0.25, 0.0625, 0.0625}}};
    tensors.region = transverse;
    tensors.fiber = (double[]){2, 0, 0}; /* one for all */
    mesh.sheet = NULL;
    CHECK(tensor_of_element(&tensors, 1, tensor), "no tensor");
    check_axis(tensor, (double[]){1, 0, 0}, 0.25);
    check_axis(tensor, (double[]){0, 1, 0}, 0.0625);
    check_axis(tensor, (double[]){0, 0, 1}, 0.0625);
}

/* What has no tensor: no direction, one that is no number, a sheet direction along the fibre */
static void test_none(void)
{
    struct mesh mesh = {.dimension = 1, .nodes = 2, .elements = 1, .fiber_location = LOCATION_ELEMENT};
    double fiber[3] = {0, 0, 0}, sheet[3] = {2, 4, -6}, tensor[6];
    double point[6] = {1, 0, 0, 2, 1, 0};
    int32_t vertex[2] = {0, 1}, element_region = 0, tag = 7;
    struct tensors tensors = {&mesh, &orthotropic, &element_region, NULL};
    struct error error = {0};
    mesh.point = point, mesh.vertex = vertex, mesh.tag = &tag, mesh.fiber = fiber, mesh.sheet = sheet;
    CHECK(!tensor_of_element(&tensors, 0, tensor), "a tensor from no direction");
    fiber[1] = INFINITY;
    CHECK(!tensor_of_element(&tensors, 0, tensor), "a tensor from an infinite direction");
    fiber[0] = 1, fiber[1] = 2, fiber[2] = -3;
    CHECK(!tensor_of_element(&tensors, 0, tensor), "a tensor from a sheet direction along the fibre");
    CHECK(tensors_check(&tensors, &error) == STATUS_INPUT && strstr(error.text, "1 of 1 elements lie") &&
              strstr(error.text, "0 (tag 7) at (1.5, 0.5, 0) mm"),
          "%s", error.text);
    CHECK(strstr(error.text, "fibre or sheet direction"), "%s", error.text);
    sheet[2] = 6;
    CHECK_OK(tensors_check(&tensors, &error), error);
    CHECK(tensors_across(&tensors) == 0, "a fibre along the line stands across it");
    fiber[0] = 1, fiber[1] = -1, fiber[2] = 5;
    CHECK(tensors_across(&tensors) == 1, "a fibre across the line does not");
    const struct region transverse = {.diffusion = {0.25, 0.0625, 0.0625}};
    tensors.region = &transverse;
    fiber[0] = fiber[1] = fiber[2] = 0;
    CHECK(tensors_check(&tensors, &error) == STATUS_INPUT &&
              strstr(error.text, "no nonzero fibre direction;"),
          "%s", error.text);
}

/* In a mesh of several dimensions lines count with their cross-section, triangles with their thickness, both
 * with their own membrane; of a tetrahedron neither is given. A factor applies to D. */
static void test_sections(void)
{
    struct mesh mesh = {.dimension = 3, .nodes = 4, .elements = 3, .fiber_location = LOCATION_ELEMENT};
    double point[12] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1}, k[4][4], scale[3] = {0.5, 0.5, 0.5};
    int32_t vertex[12] = {0, 1, 2, 3, 0, 1, 2, 2, 0, 1, 1, 1}, element_region[3] = {0, 0, 0};
    struct region region = {
        .diffusion = {0.25, 0.25, 0.25}, .isotropic = 1, .section = {0, 0.7, 0.3, 0}, .membrane = 5};
    const struct tensors tensors = {&mesh, &region, element_region, NULL};
    mesh.point = point, mesh.vertex = vertex;
    static const double mass[3] = {5 * 1.0, 5 * 0.3 * 3, 5 * 0.7 * 3};
    /* the gradients of corners 0 and 1 have the product -1 / length^2 */
    for (int64_t e = 0; e < 3; e++)
        for (int scaled = 0; scaled < 2; scaled++) {
            for (int d = 0; d < 3; d++)
                region.scale[d] = scaled ? scale : NULL;
            CHECK_CLOSE(tensor_stiffness(&tensors, e, k), mass[e], 1e-14);
            CHECK_CLOSE(k[0][1], -(scaled ? 0.5 : 1) * 0.25 * mass[e] / 9, 1e-14);
        }
    region.resistor = true;
    region.conductance = 0.4;
    for (int scaled = 0; scaled < 2; scaled++) {
        memset(k, -1, sizeof k); /* NaN */
        region.scale[0] = scaled ? scale : NULL;
        CHECK(tensor_stiffness(&tensors, 2, k) == 0, "a resistor has no mass");
        for (int a = 0; a < 4; a++)
            CHECK(k[a / 2][a % 2] == (scaled ? 0.2 : 0.4) * (a / 2 == a % 2 ? 1 : -1),
                  "k %d of a resistor: %g", a, k[a / 2][a % 2]);
    }
}

/* Factors by direction are those on the diffusion, element by element. */
static void test_factors(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){2, 2, 2}, (const double[]){0.2, 0.2, 0.2});
    mesh_sample_directions(&mesh, LOCATION_ELEMENT, true);
    double *scale[3], factor[] = {0.25, 0.5, 4}, got[6], want[6], axis[3][3];
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    struct region region = {.diffusion = {0.3, 0.1, 0.1}}, other = {0};
    for (int k = 0; k < 3; k++) {
        scale[k] = calloc((size_t)mesh.elements, sizeof *scale[k]);
        CHECK(scale[k] && element_region, "no memory");
        for (int64_t e = 0; e < mesh.elements; e++) {
            scale[k][e] = e % 2 ? factor[k] : 1;
            mesh.fiber[3 * e + k] = (const double[]){0.8, 0.6, 0}[k];
            mesh.sheet[3 * e + k] = (const double[]){-0.6, 0.8, 0.3}[k];
        }
        region.scale[k] = scale[k];
        other.diffusion[k] = factor[k] * region.diffusion[k];
    }
    const struct tensors scaled = {&mesh, &region, element_region, NULL},
                         plain = {&mesh, &other, element_region, NULL};
    for (int64_t e = 1; e < mesh.elements; e += 2) {
        CHECK(tensor_of_element(&scaled, e, got) && tensor_of_element(&plain, e, want), "no tensor");
        CHECK(memcmp(got, want, sizeof got) == 0, "element %lld", (long long)e);
        CHECK(tensor_axes(&scaled, e, axis) == 3,
              "factors across the fibre differ, and no sheet is asked for");
    }
    region.scale[2] = region.scale[1];
    CHECK(tensor_axes(&scaled, 0, axis) == 1, "round about the fibre");
    for (int k = 0; k < 3; k++)
        free(scale[k]);
    free(element_region);
    mesh_free(&mesh);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        test_nodal(dimension);
    test_sections();
    test_factors();
    test_elements();
    test_none();
    return 0;
}
