/* test_levels.c: coordinates of small random meshes of each dimension: Laplace's equation by dense matrices, volumes below levels by
 * divided differences, distances by plain loops, and which of them there are; fibres along gradients. */
#include "solver/heart/coordinates.h"
#include "solver/heart/gradient.h"

#include <string.h>

#include "kernels/base/vec3.h"
#include "solver/mesh/check.h"
#include "tests/support/dice.h"
#include "tests/support/mesh_sample.h"

/* inverse[n][n] of a symmetric matrix of 1 to 3 rows; returns the determinant */
static double invert(double inverse[3][3], double m[3][3], int n)
{
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, determinant = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = m[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
            inverse[i][j] = a[r][p] * a[s][q] - a[r][q] * a[s][p];
        }
    for (int j = 0; j < 3; j++)
        determinant += a[0][j] * inverse[j][0];
    for (int i = 0; i < 9; i++)
        inverse[i / 3][i % 3] /= determinant;
    return determinant;
}

/* size; stiffness[4][4] <- of an element, from the products of its edges; gradient[3] <- of u, unless NULL */
static double make_element(double stiffness[4][4], const struct mesh *mesh, int64_t e, const double *u,
                           double gradient[3])
{
    const int d = mesh->dimension;
    double edge[3][3] = {{0}}, gram[3][3], inverse[3][3];
    memset(stiffness, 0, 16 * sizeof **stiffness);
    for (int k = 0; k < d; k++)
        vec3_between(edge[k], mesh_sample_corner(mesh, e, 0), mesh_sample_corner(mesh, e, k + 1));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            gram[i][j] = vec3_dot(edge[i], edge[j]);
    const double size = sqrt(invert(inverse, gram, d)) / (const double[]){1, 1, 2, 6}[d];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            stiffness[i + 1][j + 1] = size * inverse[i][j];
            stiffness[0][j + 1] -= size * inverse[i][j];
            stiffness[i + 1][0] -= size * inverse[i][j];
            stiffness[0][0] += size * inverse[i][j];
            for (int c = 0; c < 3 && u; c++)
                gradient[c] += inverse[i][j] * edge[j][c] *
                               (u[mesh->vertex[e * (d + 1) + i + 1]] - u[mesh->vertex[e * (d + 1)]]);
        }
    return size;
}

/* Whether K u = 0 at the nodes that are on neither set, and u is 0 and 1 on them; a node on two surfaces is on the first */
static void check_between(const double *u, const struct mesh *mesh, const uint8_t *on, unsigned zero,
                          unsigned one, const char *what)
{
    const int d = mesh->dimension;
    double *flow = calloc((size_t)mesh->nodes, sizeof *flow), k[4][4];
    CHECK(flow, "no memory");
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (d + 1);
        make_element(k, mesh, e, NULL, NULL);
        for (int a = 0; a <= d; a++)
            for (int b = 0; b <= d; b++)
                flow[vertex[a]] += k[a][b] * u[vertex[b]];
    }
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double want = NAN;
        for (int s = HEART_SURFACES - 1; s >= 0; s--)
            if (on[i] >> s & 1 && (zero | one) >> s & 1)
                want = one >> s & 1;
        CHECK(isnan(want) ? fabs(flow[i]) < 1e-7 : u[i] == want, "%s: node %lld is %g with a flow of %g",
              what, (long long)i, u[i], flow[i]);
    }
    free(flow);
}

/* The fraction of a simplex where a linear function with these corners is below one of them: divided differences of (t - u)+^d, for
 * which equal corners are moved apart a little */
static double fraction_at(const double *corner_value, int d, double t)
{
    double u[4], sum = 0;
    for (int k = 0; k <= d; k++) {
        u[k] = corner_value[k];
        for (int j = 0; j < k; j++)
            if (fabs(u[k] - u[j]) < 1e-5) {
                u[k] = u[j] + 1e-5;
                j = -1;
            }
    }
    for (int j = 0; j <= d; j++) {
        double term = pow(fmax(t - u[j], 0), d);
        for (int k = 0; k <= d; k++)
            term /= k == j ? 1 : u[k] - u[j];
        sum += term;
    }
    return fmin(fmax(sum, 0), 1);
}

/* Below any level: linear between the corners around it */
static double fraction_below(const double *u, int d, double t)
{
    double low = -INFINITY, high = INFINITY;
    for (int k = 0; k <= d; k++) {
        low = u[k] <= t ? fmax(low, u[k]) : low;
        high = u[k] >= t ? fmin(high, u[k]) : high;
    }
    const double first = fraction_at(u, d, low), last = fraction_at(u, d, high);
    return high > low ? first + (last - first) * (t - low) / (high - low) : first;
}

static double volume_below(const struct mesh *mesh, const double *u, double t)
{
    const int d = mesh->dimension;
    double sum = 0, k[4][4];
    for (int64_t e = 0; e < mesh->elements; e++) {
        double value[4], low = INFINITY, high = -INFINITY;
        for (int c = 0; c <= d; c++) {
            value[c] = u[mesh->vertex[e * (d + 1) + c]];
            low = fmin(low, value[c]);
            high = fmax(high, value[c]);
        }
        sum += make_element(k, mesh, e, NULL, NULL) * (t <= low   ? 0
                                                       : t > high ? 1
                                                                  : fraction_below(value, d, t));
    }
    return sum;
}

static int levels; /* meshes whose levels were compared */

/* Where no element is all at one level */
static void check_levels(const struct mesh *mesh, const double *share, const double *u)
{
    const int d = mesh->dimension;
    double top = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        bool flat = true;
        for (int c = 1; c <= d; c++)
            flat = flat && fabs(u[mesh->vertex[e * (d + 1) + c]] - u[mesh->vertex[e * (d + 1)]]) < 1e-4;
        if (flat)
            return;
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        top = fmax(top, u[i]);
    const double all = volume_below(mesh, u, top);
    levels++;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const double want = volume_below(mesh, u, u[i]) / all;
        CHECK(fabs(share[i] - want) < 2e-3,
              "dimension %d, node %lld at %g: %g of the volume is below, want %g", mesh->dimension,
              (long long)i, u[i], share[i], want);
    }
}

/* Where there are these surfaces: the coordinates that they give, and no others */
static void test_coordinates(int dimension)
{
    struct error error = {0};
    struct coordinates c = {0};
    struct mesh mesh = mesh_sample_lattice(dimension, (const int[]){5, 3, 2}, (const double[]){1, 1.2, 0.8});
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    double *distance = calloc((size_t)mesh.nodes, sizeof *distance);
    const unsigned left_out = below(3) ? 0 : 1u << below(4);
    const bool apex = below(2);
    unsigned there = 0, had = 0;
    CHECK(on && distance, "no memory");
    mesh_sample_bend(&mesh, 0.15, dimension);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double x = mesh.point[3 * i], dice_of = bits_random(dice++);
        on[i] = (uint8_t)(x > 4.8          ? 1 << HEART_BASE
                          : dice_of < 0.08 ? 1 << HEART_EPI
                          : dice_of < 0.16 ? 1 << HEART_LV
                          : dice_of < 0.24 ? 1 << HEART_RV
                                           : 0);
        on[i] |= (uint8_t)(dice_of > 0.97 ? 1 << HEART_EPI | 1 << HEART_RV : 0);
        on[i] &= (uint8_t)~left_out;
        on[i] |= (uint8_t)(apex && i == 0 ? 1 << HEART_APEX : 0);
        had |= on[i];
    }
    CHECK_OK(coordinates_make(&c, &mesh, on, COORDINATES_ALL | COORDINATES_ENDOCARDIA, &error), error);
    double centre[3] = {0}, farthest = -1;
    int64_t base = 0, end = -1;
    for (int64_t i = 0; i < mesh.nodes; i++) {
        there |= on[i];
        base += on[i] >> HEART_BASE & 1;
        for (int d = 0; d < 3; d++)
            centre[d] += on[i] >> HEART_BASE & 1 ? mesh.point[3 * i + d] : 0;
    }
    for (int64_t i = 0; i < mesh.nodes && base && !apex; i++) {
        const double *x = mesh.point + 3 * i,
                     far =
                         mesh_distance(x, (const double[]){centre[0] / (double)base, centre[1] / (double)base,
                                                           centre[2] / (double)base});
        if (on[i] >> HEART_EPI & 1 && far > farthest) {
            farthest = far;
            end = i;
        }
    }
    for (int64_t i = 0; i < mesh.nodes; i++)
        CHECK((on[i] >> HEART_APEX & 1) == (apex ? i == 0 : i == end), "node %lld and the apex",
              (long long)i);
    CHECK((there & ~(1u << HEART_APEX)) == (had & ~(1u << HEART_APEX)), "other surfaces");
    const unsigned b = 1u << HEART_BASE, e = 1u << HEART_EPI, l = 1u << HEART_LV, r = 1u << HEART_RV,
                   a = 1u << HEART_APEX;
    CHECK((c.transmural != NULL) == (there & e && there & (l | r)), "transmural");
    CHECK((c.interventricular != NULL) == (there & l && there & r), "interventricular");
    CHECK((c.upward != NULL) == (there & a && there & b) && (c.apicobasal != NULL) == (c.upward != NULL),
          "upward");
    CHECK((c.endocardium[0] != NULL) == (there & l && there & r && there & e) &&
              !c.endocardium[0] == !c.endocardium[1],
          "endocardia");
    if (c.transmural)
        check_between(c.transmural, &mesh, on, l | r, e, "transmural");
    if (c.interventricular)
        check_between(c.interventricular, &mesh, on, l, r, "interventricular");
    if (c.upward) {
        check_between(c.upward, &mesh, on, a, b, "upward");
        check_levels(&mesh, c.apicobasal, c.upward);
    }
    if (c.endocardium[0]) {
        check_between(c.endocardium[0], &mesh, on, e | r, l, "the left endocardium");
        for (int64_t i = 0; i < mesh.nodes; i++)
            CHECK(fabs(c.endocardium[1][i] - fmax(0, 1 - c.transmural[i] - c.endocardium[0][i])) < 1e-12,
                  "their sum at %lld", (long long)i);
    }
    for (int s = 0; s < HEART_SURFACES; s++) {
        CHECK((c.distance[s] != NULL) == (there >> s & 1), "the distance from %s",
              heart_surface_name((enum heart_surface)s));
        for (int64_t i = 0; i < mesh.nodes && c.distance[s] && dimension < 3; i++) {
            double least = INFINITY;
            for (int64_t j = 0; j < mesh.nodes; j++)
                least = on[j] >> s & 1 ? fmin(least, mesh_distance(mesh.point + 3 * i, mesh.point + 3 * j))
                                       : least;
            CHECK_CLOSE(c.distance[s][i], least, 1e-14);
        }
    }
    for (int64_t i = 0; i < mesh.nodes; i++)
        on[i] = below(5) == 0 || i == 3;
    CHECK_OK(coordinates_to_nodes(distance, &mesh, on, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double least = INFINITY;
        for (int64_t j = 0; j < mesh.nodes; j++)
            least = on[j] ? fmin(least, mesh_distance(mesh.point + 3 * i, mesh.point + 3 * j)) : least;
        CHECK_CLOSE(distance[i], least, 1e-14);
    }
    coordinates_free(&c);
    free(distance);
    free(on);
    mesh_free(&mesh);
}

/* Along the gradient of u; in triangles with sides at an angle to it, turned about the normal on their side; 0 where u does not vary */
static void test_gradients(int dimension)
{
    struct mesh mesh = mesh_sample_lattice(dimension, (const int[]){3, 2, 2}, (const double[]){1, 1.2, 0.8});
    double *u = calloc((size_t)mesh.nodes, sizeof *u),
           *fiber = calloc(3 * (size_t)mesh.elements, sizeof *fiber),
           *degrees = calloc((size_t)mesh.elements, sizeof *degrees), k[4][4];
    int8_t *side = calloc((size_t)mesh.elements, 1);
    uint8_t *in = calloc((size_t)mesh.elements, 1);
    CHECK(u && fiber && degrees && side && in, "no memory");
    mesh_sample_bend(&mesh, 0.2, 3);
    for (int64_t i = 0; i < mesh.nodes; i++)
        u[i] = bits_random(dice++);
    for (int c = 0; c <= dimension; c++)
        u[mesh.vertex[c]] = 0.5 + (c ? 1e-9 * c / dimension : 0); /* in element 0 it hardly varies */
    for (int form = 0; form < 4; form++) {
        int64_t vanishing = 0;
        for (int64_t e = 0; e < mesh.elements; e++) {
            degrees[e] = 180 * bits_random_signed(dice++);
            side[e] = below(2) ? 1 : -1;
            in[e] = below(3) > 0 || e == 0;
            for (int d = 0; d < 3; d++)
                fiber[3 * e + d] = 7;
        }
        const int64_t got =
            gradient_fibers(fiber, &mesh, u, degrees, form & 1 ? side : NULL, form & 2 ? in : NULL);
        for (int64_t e = 0; e < mesh.elements; e++) {
            double gradient[3] = {0}, normal[3], across[3] = {0}, edge[2][3], want[3];
            if (form & 2 && !in[e]) {
                CHECK(fiber[3 * e] == 7 && fiber[3 * e + 2] == 7, "element %lld is written", (long long)e);
                continue;
            }
            make_element(k, &mesh, e, u, gradient);
            vanishing += e == 0;
            vec3_normalise(gradient);
            if (dimension == 2) {
                vec3_between(edge[0], mesh_sample_corner(&mesh, e, 0), mesh_sample_corner(&mesh, e, 1));
                vec3_between(edge[1], mesh_sample_corner(&mesh, e, 0), mesh_sample_corner(&mesh, e, 2));
                vec3_cross(normal, edge[0], edge[1]);
                vec3_normalise(normal);
                vec3_cross(across, normal, gradient);
            }
            const double angle = degrees[e] * atan(1) / 45;
            for (int d = 0; d < 3; d++) {
                want[d] =
                    form & 1 ? cos(angle) * gradient[d] + side[e] * sin(angle) * across[d] : gradient[d];
                CHECK(fabs(fiber[3 * e + d] - (e ? want[d] : 0)) < 1e-9, "element %lld: %g, want %g",
                      (long long)e, fiber[3 * e + d], want[d]);
            }
        }
        CHECK(got == vanishing, "%lld vanish, want %lld", (long long)got, (long long)vanishing);
    }
    free(u);
    free(fiber);
    free(degrees);
    free(side);
    free(in);
    mesh_free(&mesh);
}

int main(void)
{
    for (int turn = 0; turn < 60; turn++)
        test_coordinates(1 + turn % 3);
    for (int dimension = 1; dimension <= 3; dimension++)
        test_gradients(dimension);
    CHECK(levels > 15, "%d meshes with levels", levels);
    return 0;
}
