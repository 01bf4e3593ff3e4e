/* test_chest.c: a heart in the usual position has the chest's electrodes around it, which follow it if it is
 * rotated, scaled and moved; without an apex, a right ventricle or an extent there are none. Weights of electrodes are
 * those of dense matrices. */
#include "solver/heart/electrodes.h"

#include <math.h>
#include <string.h>

#include "solver/heart/surfaces.h"
#include "tests/support/case.h"

enum { NODES = 7 };

static const uint8_t on[NODES] = {1U << HEART_APEX | 1U << HEART_EPI,
                                  1U << HEART_LV,
                                  1U << HEART_LV | 1U << HEART_BASE,
                                  1U << HEART_RV,
                                  1U << HEART_RV,
                                  1U << HEART_BASE,
                                  0};

/* The middle of lv is (10, 20, 30) mm, the apex 55 mm from there to the left, front and feet; the middle of
 * rv to the right, front and feet, and any amount towards the apex */
static void lay(double point[NODES][3])
{
    static const double apex[3] = {0.57, -0.45, -0.69}, right[3] = {-0.7, -0.7, -0.13}, lv[3] = {10, 20, 30};
    double size = sqrt(apex[0] * apex[0] + apex[1] * apex[1] + apex[2] * apex[2]);
    for (int d = 0; d < 3; d++) {
        double jut = d == 1 ? 7 : 0, rv = lv[d] + 41 * right[d] + 9 * apex[d];
        point[0][d] = lv[d] + 55 * apex[d] / size;
        point[1][d] = lv[d] + jut;
        point[2][d] = lv[d] - jut;
        point[3][d] = rv - 3 * jut;
        point[4][d] = rv + 3 * jut;
        point[5][d] = 12 - d;
        point[6][d] = 4 + d * d;
    }
}

static int put_electrodes(struct chest_electrode electrode[CHEST_ELECTRODES], double point[NODES][3],
                          const uint8_t *bits)
{
    struct mesh mesh = {.dimension = 3, .nodes = NODES, .point = &point[0][0]};
    return chest_electrodes_place(electrode, &mesh, bits);
}

static void test_positions(void)
{
    struct chest_electrode electrode[CHEST_ELECTRODES];
    double point[NODES][3], centre[3] = {0};
    lay(point);
    for (int i = 0; i < NODES; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += point[i][d] / NODES;
    CHECK(put_electrodes(electrode, point, on) == CHEST_ELECTRODES, "not placed");
    const struct chest_electrode some[] = {
        {"RA", {-180, 0, 160}}, {"LL", {60, 0, -350}}, {"V1", {-45, -75, 15}}, {"V6", {115, 18, -20}}};
    int k = 0;
    for (int e = 0; e < CHEST_ELECTRODES && k < 4; e++)
        if (strcmp(electrode[e].name, some[k].name) == 0) {
            for (int d = 0; d < 3; d++)
                CHECK_CLOSE(electrode[e].point[d], centre[d] + some[k].point[d], 1e-12);
            k++;
        }
    CHECK(k == 4, "no %s behind the others", some[k].name);
}

/* x -> 0.4 R x + shift, R a turn by 1.1 about (1, 2, 2) */
static void move(double to[3], const double x[3])
{
    static const double axis[3] = {1. / 3, 2. / 3, 2. / 3}, shift[3] = {-300, 7, 61};
    double c = cos(1.1), s = sin(1.1), along = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        to[d] =
            0.4 * (c * x[d] + s * (axis[e] * x[f] - axis[f] * x[e]) + (1 - c) * along * axis[d]) + shift[d];
    }
}

static void test_moved(void)
{
    struct chest_electrode first[CHEST_ELECTRODES], second[CHEST_ELECTRODES];
    double point[NODES][3], moved[NODES][3], want[3];
    lay(point);
    point[1][0] += 5; /* no special one */
    point[3][2] -= 8;
    for (int i = 0; i < NODES; i++)
        move(moved[i], point[i]);
    CHECK(put_electrodes(first, point, on) == CHEST_ELECTRODES &&
              put_electrodes(second, moved, on) == CHEST_ELECTRODES,
          "not placed");
    for (int e = 0; e < CHEST_ELECTRODES; e++) {
        move(want, first[e].point);
        for (int d = 0; d < 3; d++)
            CHECK_CLOSE(second[e].point[d], want[d], 1e-12);
    }
}

static void test_without(void)
{
    struct chest_electrode electrode[CHEST_ELECTRODES];
    double point[NODES][3];
    lay(point);
    for (int s = 0; s < HEART_SURFACES; s++) {
        uint8_t less[NODES];
        for (int i = 0; i < NODES; i++)
            less[i] = (uint8_t)(on[i] & ~(1U << s));
        int want = s == HEART_BASE || s == HEART_EPI ? CHEST_ELECTRODES : 0;
        CHECK(put_electrodes(electrode, point, less) == want, "without %s",
              heart_surface_name((enum heart_surface)s));
    }
    for (int i = 0; i < NODES; i++)
        point[i][0] = point[i][1] = point[i][2] = i;
    CHECK(put_electrodes(electrode, point, on) == 0, "on a line");
    memset(point, 0, sizeof point);
    CHECK(put_electrodes(electrode, point, on) == 0, "in a point");
}

/* w_i = -1 / (4 pi s) sum_j k_ij (1 / r_j - 1 / r_i), r at least half the longest edge at the nearest node; and of a
 * lead field sum_j k_ij (field_i - field_j) / 1000 */
static void test_weights(int dimension)
{
    enum { MOST = 140 };
    static double k[MOST][MOST], weight[2 * MOST], field[2 * MOST], image[2 * MOST];
    struct error error = {0};
    struct test_case c;
    struct electrode electrode[2] = {{.point = {3, -2, 1}}, {.point = {0.41, 0.2, 0.01}}};
    case_make_small(&c, dimension, dimension == 3 ? 8 : 12, "passive", 1);
    const int n = (int)c.mesh.nodes, corners = dimension + 1;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK(n <= MOST, "%d nodes", n);
    memset(k, 0, sizeof k);
    for (int64_t e = 0; e < c.mesh.elements; e++) {
        const int32_t *vertex = c.mesh.vertex + e * corners;
        double own[4][4];
        tensor_stiffness(&tensors, e, own);
        for (int p = 0; p < corners * corners; p++)
            k[vertex[p / corners]][vertex[p % corners]] += own[p / corners][p % corners];
    }
    CHECK_OK(electrodes_weights(electrode, 2, weight, &tensors, 0.2, &error), error);
    for (int i = 0; i < 2 * n; i++)
        field[i] = image[i] = bits_random((uint64_t)i);
    CHECK_OK(electrodes_field_weights(image, 2, &tensors, &error), error);
    for (int e = 0; e < 2; e++) {
        const double *at = electrode[e].point;
        int nearest = 0;
        double longest = 0;
        for (int i = 0; i < n; i++)
            if (mesh_distance(at, c.mesh.point + 3 * i) < mesh_distance(at, c.mesh.point + 3 * nearest))
                nearest = i;
        for (int i = 0; i < n; i++)
            if (k[nearest][i] != 0)
                longest = fmax(longest, mesh_distance(c.mesh.point + 3 * nearest, c.mesh.point + 3 * i));
        CHECK_CLOSE(electrode[e].distance, mesh_distance(at, c.mesh.point + 3 * nearest), 1e-14);
        CHECK_CLOSE(electrode[e].least, longest / 2, 1e-14);
        for (int i = 0; i < n; i++) {
            const double r_i = fmax(mesh_distance(at, c.mesh.point + 3 * i), longest / 2);
            double want[2] = {0}, size = 0;
            for (int j = 0; j < n; j++) {
                const double r_j = fmax(mesh_distance(at, c.mesh.point + 3 * j), longest / 2);
                want[0] -= k[i][j] * (1 / r_j - 1 / r_i) / (4 * acos(-1.0) * 0.2);
                want[1] -= k[i][j] * (field[e * n + j] - field[e * n + i]) / 1e3;
                size += fabs(k[i][j]) / (longest / 2);
            }
            CHECK(fabs(weight[e * n + i] - want[0]) < 1e-12 * size, "weight %d of %d: %.17g, want %.17g", i,
                  e, weight[e * n + i], want[0]);
            CHECK(fabs(image[e * n + i] - want[1]) < 1e-15 * size, "lead field %d of %d: %.17g, want %.17g",
                  i, e, image[e * n + i], want[1]);
        }
    }
    case_free(&c);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        test_weights(dimension);
    test_positions();
    test_moved();
    test_without();
    return 0;
}
