/* test_nearest.c: the nearest point and the nearest triangle are those found by comparing all; a point in a
 * mesh of tetrahedra is in one of them, one outside is as far as from its surface. */
#include "solver/mesh/nearest.h"

#include "solver/mesh/surface.h"
#include "tests/support/mesh_sample.h"

enum { POINTS = 700, TRIANGLES = 333, QUERIES = 400 };

static void random_point(double x[3], uint64_t seed, double scale)
{
    for (uint64_t d = 0; d < 3; d++)
        x[d] = scale * (bits_random(3 * seed + d) - 0.5);
}

/* All points within a distance, ascending */
static void check_list(const struct nearest *nearest, const double *point, const double x[3], double distance)
{
    struct error error = {0};
    int32_t *list = NULL;
    int64_t room = 0, count, found = 0;
    CHECK_OK(nearest_list(nearest, x, distance, &list, &room, &count, &error), error);
    for (int32_t i = 0; i < nearest->items; i++) {
        if (mesh_distance(point + 3 * nearest->node[i], x) > distance)
            continue;
        CHECK(found < count && list[found] == i, "item %d is within %g", (int)i, distance);
        found++;
    }
    CHECK(found == count, "%d items within %g, %d of them are", (int)count, distance, (int)found);
    free(list);
}

/* Distance to a triangle by looking at many points of it; never too small, too large by the spacing */
static double sampled(const double *point, const int32_t node[3], const double x[3])
{
    const int fine = 400;
    double best = HUGE_VAL;
    for (int i = 0; i <= fine; i++)
        for (int j = 0; i + j <= fine; j++) {
            double square = 0;
            for (int d = 0; d < 3; d++) {
                double a = point[3 * node[0] + d], b = point[3 * node[1] + d], c = point[3 * node[2] + d];
                double y = a + (b - a) * i / fine + (c - a) * j / fine - x[d];
                square += y * y;
            }
            best = fmin(best, square);
        }
    return sqrt(best);
}

static void test_tetrahedra(void)
{
    struct error error = {0};
    struct nearest nearest, skin;
    struct mesh mesh;
    struct mesh_surface surface;
    const double size[3] = {1.5, 1, 1.25};
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK_OK(nearest_create(&nearest, mesh.point, mesh.vertex, 4, mesh.elements, &error), error);
    CHECK_OK(nearest_create(&skin, mesh.point, surface.face, 3, surface.faces, &error), error);
    int inside = 0;
    for (int q = 0; q < QUERIES; q++) {
        double x[3], weight[4], foot[3] = {0}, got, want = 0, sum = 0;
        bool in = true;
        random_point(x, (uint64_t)(q + 30000), 4);
        if (q == 0)
            memcpy(x, mesh.point + 3 * 7, sizeof x); /* a node of many elements */
        for (int d = 0; d < 3; d++)
            in = in && x[d] >= 0 && x[d] <= size[d];
        if (!in)
            nearest_find(&skin, x, -1, &want);
        int64_t found = nearest_find(&nearest, x, q % 2 ? -1 : 3, &got);
        CHECK_CLOSE(got, want, 1e-13);
        CHECK_CLOSE(nearest_weights(&nearest, found, x, weight), got, 1e-15);
        for (int c = 0; c < 4; c++) {
            sum += weight[c];
            CHECK(weight[c] >= 0, "a share of %g", weight[c]);
            for (int d = 0; d < 3; d++)
                foot[d] += weight[c] * mesh.point[3 * mesh.vertex[4 * found + c] + d];
        }
        CHECK_CLOSE(sum, 1.0, 1e-13);
        CHECK_CLOSE(mesh_distance(foot, x), got, 1e-13);
        inside += in;
    }
    CHECK(inside > 5 && inside < QUERIES - 5, "%d of %d inside", inside, QUERIES);
    nearest_free(&nearest);
    nearest_free(&skin);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
}

int main(void)
{
    test_tetrahedra();
    struct error error = {0};
    struct nearest nearest;
    double point[3 * POINTS], x[3], got, one;
    int32_t item[POINTS], triangle[3 * TRIANGLES];
    for (int i = 0; i < POINTS; i++) {
        random_point(point + 3 * i, (uint64_t)(i % 650), i % 5 ? 1 : 10); /* some twice */
        item[i] = POINTS - 1 - i;
    }
    for (int i = 0; i < 3 * TRIANGLES; i++)
        triangle[i] = (int32_t)(bits_random((uint64_t)(i + 5000)) * POINTS);

    CHECK_OK(nearest_create(&nearest, point, item, 1, POINTS, &error), error);
    for (int q = 0; q < QUERIES; q++) {
        random_point(x, (uint64_t)(q + 9000), 3);
        int best = -1;
        double least = HUGE_VAL;
        for (int i = 0; i < POINTS; i++) {
            const double *p = point + 3 * item[i];
            double square =
                (p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) + (p[2] - x[2]) * (p[2] - x[2]);
            if (square < least) {
                least = square;
                best = i;
            }
        }
        int64_t found = nearest_find(&nearest, x, q % 3 ? -1 : (7 * q) % POINTS, &got);
        CHECK(found == best, "query %d: item %lld instead of %d", q, (long long)found, best);
        CHECK_CLOSE(got, sqrt(least), 1e-14);
        CHECK(nearest_within(&nearest, x, got) && nearest_within(&nearest, x, 1.5 * got) &&
                  !nearest_within(&nearest, x, 0.999 * got),
              "query %d is %g away", q, got);
        check_list(&nearest, point, x, 0.99 * got);
        check_list(&nearest, point, x, got + 0.01 * q);
    }
    CHECK(nearest_within(&nearest, point + 3 * item[7], 0), "a point is not at its own place");
    nearest_free(&nearest);

    struct nearest *single = malloc(TRIANGLES * sizeof *single);
    CHECK_OK(nearest_create(&nearest, point, triangle, 3, TRIANGLES, &error), error);
    for (int t = 0; t < TRIANGLES; t++)
        CHECK_OK(nearest_create(&single[t], point, triangle + 3 * t, 3, 1, &error), error);
    for (int q = 0; q < QUERIES; q++) {
        double least = HUGE_VAL;
        random_point(x, (uint64_t)(q + 20000), 3);
        for (int t = 0; t < TRIANGLES; t++) {
            nearest_find(&single[t], x, -1, &one);
            least = fmin(least, one);
        }
        int64_t found = nearest_find(&nearest, x, q % TRIANGLES, &got);
        CHECK(got == least, "query %d: %.17g instead of %.17g", q, got, least);
        if (q < 12) {
            double seen = sampled(point, triangle + 3 * found, x);
            CHECK(got <= seen + 1e-13 && seen - got < 0.03, "query %d: %g, sampled %g", q, got, seen);
        }
    }
    nearest_free(&nearest);
    for (int t = 0; t < TRIANGLES; t++)
        nearest_free(&single[t]);
    free(single);
    CHECK_OK(nearest_create(&nearest, point, item, 1, 0, &error), error);
    CHECK(nearest_find(&nearest, x, -1, &got) == -1 && isinf(got), "nothing is near");
    CHECK(!nearest_within(&nearest, x, 1e3), "nothing is within 1 m");
    check_list(&nearest, point, x, 1e3);
    nearest_free(&nearest);
    return 0;
}
