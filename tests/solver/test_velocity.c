/* test_velocity.c: a plane wave has its speed at every node, in one, two and three dimensions; a round one,
 * whose times are curved, to second order where elements are evenly arranged. Nodes that it did not reach
 * have none. */
#include "solver/heart/velocity.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"
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

/* Times at random, some nodes without one: means of gradients over elements at each node, quartiles over elements along fibres and across,
 * of regions with fibres and without */
static void test_random(int dimension, int threads, uint64_t seed)
{
    enum { REGIONS = 3, STRIDE = 2 };
    struct error error = {0};
    const int d = dimension;
    struct mesh mesh = mesh_sample_lattice(d, (const int[]){8, 6, 4}, (const double[]){0.3, 0.2, 0.25});
    const struct region region[REGIONS] = {{.diffusion = {0.2, 0.1, 0.1}},
                                           {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1},
                                           {.diffusion = {0.3, 0.1, 0.1}}};
    const struct tensors tensors = {&mesh, region, mesh.tag, NULL};
    struct velocity_spread spread[REGIONS][VELOCITY_DIRECTIONS];
    double *time = calloc((size_t)mesh.nodes * STRIDE, sizeof *time),
           (*sum)[4] = calloc((size_t)mesh.nodes, sizeof *sum);
    double *speeds = calloc((size_t)mesh.elements, sizeof *speeds);
    CHECK(time && sum && speeds, "no memory");
    omp_set_num_threads(threads);
    mesh_sample_bend(&mesh, 0.05, d);
    mesh_sample_directions(&mesh, LOCATION_ELEMENT, false);
    for (int64_t e = 0; e < mesh.elements; e++) {
        mesh.tag[e] = (int32_t)(4 * bits_random(seed * 7000 + (uint64_t)e)) - 1; /* -1: of no region */
        for (int c = 0; c < d; c++)
            mesh.fiber[3 * e + c] = bits_random_signed(seed * 9000 + (uint64_t)(3 * e + c));
    }
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double dice = bits_random(seed * 5000 + (uint64_t)i);
        time[STRIDE * i] = dice < 0.1 ? (double)NAN : 10 * dice;
        time[STRIDE * i + 1] = 1e5;
    }
    for (int64_t e = 0; e < mesh.elements; e++) {
        double gradient[4][3], g[3] = {0};
        const double size = simplex_gradients(&mesh, e, gradient);
        bool reached = true;
        for (int a = 0; a <= d; a++) {
            const double at = time[STRIDE * mesh.vertex[e * (d + 1) + a]];
            reached = reached && !isnan(at);
            for (int c = 0; c < 3; c++)
                g[c] += gradient[a][c] * at;
        }
        for (int a = 0; a <= d && reached; a++) {
            double *of = sum[mesh.vertex[e * (d + 1) + a]];
            for (int c = 0; c < 3; c++)
                of[c] += size * g[c];
            of[3] += size;
        }
    }
    CHECK_OK(velocity_spreads(spread, &tensors, REGIONS, time, STRIDE, &error), error);
    for (int r = 0; r < REGIONS; r++)
        for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
            int64_t count = 0;
            for (int64_t e = 0; e < mesh.elements; e++) {
                double g[3] = {0}, fiber[3];
                bool reached = mesh.tag[e] == r;
                for (int a = 0; a <= d; a++) {
                    const int32_t node = mesh.vertex[e * (d + 1) + a];
                    reached = reached && !isnan(time[STRIDE * node]) && sum[node][3] > 0;
                    for (int c = 0; c < 3; c++)
                        g[c] += sum[node][c] / sum[node][3] / (d + 1);
                }
                memcpy(fiber, mesh.fiber + 3 * e, sizeof fiber);
                const double slowness = vec3_length(g),
                             cosine = fabs(vec3_dot(g, fiber)) / slowness / vec3_length(fiber),
                             degrees = acos(cosine) * 45 / atan(1);
                const bool all = d == 1 || region[r].isotropic, along = all || degrees <= 15,
                           across = !all && degrees >= 80;
                if (reached && slowness > 0 && (k == VELOCITY_ALONG ? along : across))
                    speeds[count++] = 1 / slowness;
            }
            qsort(speeds, (size_t)count, sizeof *speeds, compare_double);
            CHECK(spread[r][k].elements == count, "%d-D, region %d, direction %d: %lld elements, want %lld",
                  d, r, k, (long long)spread[r][k].elements, (long long)count);
            const double got[3] = {spread[r][k].low, spread[r][k].median, spread[r][k].high};
            for (int q = 0; q < 3; q++)
                CHECK(count
                          ? fabs(got[q] / speeds[(int64_t)(0.25 * (q + 1) * (double)(count - 1))] - 1) < 6e-4
                          : isnan(got[q]),
                      "quartile %d is %g", q, got[q]);
        }
    CHECK_OK(velocity_of_times(&mesh, time, STRIDE, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double want = sum[i][3] / vec3_length(sum[i]);
        CHECK(bits_random(seed * 5000 + (uint64_t)i) < 0.1 || !(want > 0)
                  ? isnan(time[STRIDE * i])
                  : fabs(time[STRIDE * i] / want - 1) < 1e-9,
              "node %lld has %g mm/ms, want %g", (long long)i, time[STRIDE * i], want);
        CHECK(time[STRIDE * i + 1] == 1e5, "what stands beside it is written");
    }
    free(time);
    free(sum);
    free(speeds);
    mesh_free(&mesh);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 18; seed++)
        test_random(1 + (int)(seed % 3), 1 + 2 * (int)(seed / 3 % 3), seed);
    test_threads();
    test_spreads();
    for (int dimension = 1; dimension <= 3; dimension++)
        test_plane(dimension);
    double coarse = round_error(20), fine = round_error(40);
    printf("round wave: errors %.3g and %.3g mm/ms, of order %.2f\n", coarse, fine, log2(coarse / fine));
    CHECK(log2(coarse / fine) > 1.8 && fine < 1e-3, "order %.2f", log2(coarse / fine));
    return 0;
}
