/* test_velocity.c: a plane wave has its speed at every node, in one, two and three dimensions; a round one,
 * whose times are curved, to second order where elements are evenly arranged. Nodes that it did not reach
 * have none. */
#include "solver/heart/velocity.h"
#include "solver/params.h"
#include "tests/support/mesh_sample.h"

#include <omp.h>
#include <string.h>

static void test_plane(int dimension)
{
    struct error error = {0};
    struct mesh mesh =
        mesh_sample_lattice(dimension, (const int[]){13, 7, 5}, (const double[]){0.3, 0.2, 0.25});
    const double slow[3] = {1.5, dimension > 1 ? -0.7 : 0, dimension > 2 ? 0.4 : 0}; /* ms/mm */
    double want = 1 / sqrt(slow[0] * slow[0] + slow[1] * slow[1] + slow[2] * slow[2]);
    double *time = calloc((size_t)mesh.nodes * 2, sizeof *time);
    CHECK(time, "no memory");
    if (dimension > 1)
        mesh_sample_bend(&mesh, dimension == 2 ? 0 : 0.03, dimension);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *p = mesh.point + 3 * i;
        time[2 * i] = p[0] > 3 ? NAN : 5 + slow[0] * p[0] + slow[1] * p[1] + slow[2] * p[2];
        time[2 * i + 1] = 7;
    }
    CHECK_OK(velocity_of_times(&mesh, time, 2, &error), error);
    CHECK_OK(velocity_of_times(&mesh, time + 1, 2, &error), error);
    int64_t found = 0;
    for (int64_t i = 0; i < mesh.nodes; i++) {
        bool came = !(mesh.point[3 * i] > 3);
        double got = time[2 * i];
        CHECK(isnan(got) ? mesh.point[3 * i] > (dimension == 3 ? 2.6 : 3) : came && fabs(got - want) < 1e-11,
              "%d-D, node %lld: %.17g mm/ms", dimension, (long long)i, got);
        CHECK(isnan(time[2 * i + 1]), "%g mm/ms where all came at once", time[2 * i + 1]);
        found += !isnan(got);
    }
    CHECK(found > mesh.nodes / 2 && found < mesh.nodes, "%lld nodes", (long long)found);
    free(time);
    mesh_free(&mesh);
}

/* Largest error inside a sheet of n by n squares whose wave, 0.5 mm/ms, began 1 mm away */
static double round_error(int n)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(2, (const int[]){n, n, 1}, (const double[]){2.0 / n, 2.0 / n, 1});
    double *time = calloc((size_t)mesh.nodes, sizeof *time), worst = 0;
    CHECK(time, "no memory");
    for (int64_t i = 0; i < mesh.nodes; i++)
        time[i] = hypot(mesh.point[3 * i] + 1, mesh.point[3 * i + 1] + 1) / 0.5;
    CHECK_OK(velocity_of_times(&mesh, time, 1, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *p = mesh.point + 3 * i, edge = 1e-9;
        if (p[0] > edge && p[0] < 2 - edge && p[1] > edge && p[1] < 2 - edge)
            worst = fmax(worst, fabs(time[i] - 0.5));
    }
    free(time);
    mesh_free(&mesh);
    return worst;
}

/* Elements in an order of no neighbourhood: the threads change no bit, and all are found. */
static void test_threads(void)
{
    static const int some[] = {1, 2, 7, 70};
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){24, 20, 9}, (const double[]){0.1, 0.2, 0.15});
    double *one = calloc((size_t)mesh.nodes, sizeof *one), *time = calloc((size_t)mesh.nodes, sizeof *time);
    const int threads = omp_get_max_threads();
    const double want = 1 / sqrt(3 * 3 + 0.5 * 0.5);
    CHECK(one && time, "no memory");
    for (int64_t e = mesh.elements - 1; e > 0; e--) {
        const int64_t other = e * 7919 % (e + 1);
        int32_t *a = mesh.vertex + 4 * e, *b = mesh.vertex + 4 * other, kept[4];
        memcpy(kept, a, sizeof kept);
        memmove(a, b, sizeof kept);
        memcpy(b, kept, sizeof kept);
    }
    mesh_sample_bend(&mesh, 0.01, 3);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        for (int64_t i = 0; i < mesh.nodes; i++)
            time[i] = 3 * mesh.point[3 * i] + 0.5 * mesh.point[3 * i + 1];
        omp_set_num_threads(some[k]);
        CHECK_OK(velocity_of_times(&mesh, time, 1, &error), error);
        if (k == 0)
            memcpy(one, time, (size_t)mesh.nodes * sizeof *one);
        CHECK(memcmp(one, time, (size_t)mesh.nodes * sizeof *one) == 0, "%d threads change bits", some[k]);
    }
    omp_set_num_threads(threads);
    for (int64_t i = 0; i < mesh.nodes; i++)
        CHECK(fabs(one[i] - want) < 1e-11, "node %lld: %.17g", (long long)i, one[i]);
    free(one);
    free(time);
    mesh_free(&mesh);
}

/* An elliptic wave from the middle of a sheet, 0.6 mm/ms along the fibre and 0.25 across it: the quartiles
 * include both. Only one region has the fibre; to the right of it all directions count as along. */
static void test_spreads(void)
{
    struct error error = {0};
    const struct region region[2] = {{.diffusion = {0.1, 0.02, 0.02}}, {.isotropic = 1}};
    const double fiber[3] = {0.6, 0.8, 0}, fast = 0.6, slow = 0.25;
    struct velocity_spread spread[2][VELOCITY_DIRECTIONS];
    struct mesh mesh = mesh_sample_lattice(2, (const int[]){80, 80, 1}, (const double[]){0.1, 0.1, 1});
    double *time = calloc((size_t)mesh.nodes, sizeof *time);
    int32_t *of = calloc((size_t)mesh.elements, sizeof *of);
    CHECK(time && of, "no memory");
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double x = mesh.point[3 * i] - 4, y = mesh.point[3 * i + 1] - 4;
        time[i] = hypot((fiber[0] * x + fiber[1] * y) / fast, (fiber[1] * x - fiber[0] * y) / slow);
    }
    const struct tensors tensors = {&mesh, region, of, fiber};
    CHECK_OK(velocity_spreads(spread, &tensors, 2, time, 1, &error), error);
    struct velocity_spread along = spread[0][VELOCITY_ALONG], across = spread[0][VELOCITY_ACROSS];
    printf("%lld elements along: %.4g (%.4g to %.4g) mm/ms; %lld across: %.4g (%.4g to %.4g)\n",
           (long long)along.elements, along.median, along.low, along.high, (long long)across.elements,
           across.median, across.low, across.high);
    CHECK(fabs(along.median - fast) < 0.03 * fast, "%g mm/ms along", along.median);
    CHECK(fabs(across.median - slow) < 0.03 * slow, "%g mm/ms across", across.median);
    CHECK(along.low <= along.median && along.median <= along.high && along.elements > 100, "quartiles");
    CHECK(spread[1][0].elements == 0 && isnan(spread[1][0].median), "a region without elements");
    for (int64_t e = 0; e < mesh.elements; e++)
        of[e] = 1;
    CHECK_OK(velocity_spreads(spread, &tensors, 2, time, 1, &error), error);
    CHECK(spread[1][VELOCITY_ALONG].elements > 12000 && spread[1][VELOCITY_ACROSS].elements == 0,
          "%lld elements of an isotropic region", (long long)spread[1][VELOCITY_ALONG].elements);
    for (int64_t i = 0; i < mesh.nodes; i++) /* slower than the slowest that is told apart */
        time[i] = mesh.point[3 * i] / 1e-5;
    CHECK_OK(velocity_spreads(spread, &tensors, 2, time, 1, &error), error);
    CHECK(spread[1][VELOCITY_ALONG].elements == mesh.elements &&
              fabs(spread[1][VELOCITY_ALONG].median / (1e-4 * exp(0.0005)) - 1) < 1e-12,
          "%lld slow elements at %g mm/ms", (long long)spread[1][VELOCITY_ALONG].elements,
          spread[1][VELOCITY_ALONG].median);
    free(time);
    free(of);
    mesh_free(&mesh);
}

int main(void)
{
    test_threads();
    test_spreads();
    for (int dimension = 1; dimension <= 3; dimension++)
        test_plane(dimension);
    double coarse = round_error(20), fine = round_error(40);
    printf("round wave: errors %.3g and %.3g mm/ms, of order %.2f\n", coarse, fine, log2(coarse / fine));
    CHECK(log2(coarse / fine) > 1.8 && fine < 1e-3, "order %.2f", log2(coarse / fine));
    return 0;
}
