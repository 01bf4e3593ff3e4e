/* test_mesh.c: volume, counts and orientation of generated meshes; the checks find each planted fault and
 * nothing else. */
#include "solver/mesh/repair.h"
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/near.h"
#include "tests/support/check.h"

#include <omp.h>
#include <string.h>

/* Smallest signed measure of an element, and the sum of all */
static double total_measure(const struct mesh *mesh, double *smallest)
{
    double total = 0;
    *smallest = HUGE_VAL;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double measure = mesh_measure(mesh, e);
        total += measure;
        *smallest = fmin(*smallest, measure);
    }
    return total / (mesh->dimension == 3 ? 6 : mesh->dimension);
}

static void check_clean(struct mesh *mesh)
{
    struct error error = {0};
    struct mesh_health health;
    char text[256];
    int which = 0;
    CHECK_OK(mesh_check(mesh, &health, &error), error);
    CHECK_OK(mesh_health_verdict(&health, &error), error);
    CHECK(!mesh_health_warning(&health, &which, text), "%s", text);
    const int64_t found[] = {health.out_of_range, health.not_finite, health.bad_fibers, health.repeated,
                             health.flat,         health.duplicates, health.loose,      health.doubles};
    const int64_t first[] = {health.range_element,    health.not_finite_node, health.bad_fiber,
                             health.repeated_element, health.flat_element,    health.duplicate_element,
                             health.duplicate_of,     health.loose_node,      health.double_node,
                             health.double_of};
    for (size_t k = 0; k < sizeof found / sizeof *found; k++)
        CHECK(found[k] == 0, "fault %zu is found %lld times", k, (long long)found[k]);
    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        CHECK(first[k] == -1, "example %zu of no fault is %lld", k, (long long)first[k]);
    CHECK(health.components == 1, "%lld components", (long long)health.components);
}

static void test_slab(double x, double y, double z, double spacing, int64_t nodes, int64_t cubes)
{
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK_OK(mesh_slab(&mesh, (double[]){x, y, z}, spacing, &error), error);
    CHECK(mesh.nodes == nodes && mesh.elements == 6 * cubes, "%lld nodes, %lld elements",
          (long long)mesh.nodes, (long long)mesh.elements);
    double smallest, total = total_measure(&mesh, &smallest);
    CHECK_CLOSE(total, x * y * z, 1e-12);
    CHECK_CLOSE(smallest, spacing * spacing * spacing, 1e-9);
    CHECK(mesh.point[3] == spacing && mesh.point[4] == 0, "x is not the fastest axis");
    check_clean(&mesh);
    mesh_free(&mesh);
}

static void test_sheet_and_cable(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    double smallest;
    CHECK_OK(mesh_sheet(&mesh, (double[]){3, 1.25}, 0.25, &error), error);
    CHECK(mesh.nodes == 13 * 6 && mesh.elements == 2 * 12 * 5, "%lld nodes", (long long)mesh.nodes);
    CHECK_CLOSE(total_measure(&mesh, &smallest), 3.75, 1e-13);
    check_clean(&mesh);
    mesh_free(&mesh);
    CHECK_OK(mesh_cable(&mesh, 20, 0.1, &error), error);
    CHECK(mesh.nodes == 201 && mesh.elements == 200, "%lld nodes", (long long)mesh.nodes);
    for (int i = 0; i <= 200; i++)
        CHECK(mesh.point[3 * i] == i * 0.1, "node %d stands at %.17g", i, mesh.point[3 * i]);
    CHECK_CLOSE(total_measure(&mesh, &smallest), 20.0, 1e-13);
    check_clean(&mesh);
    mesh_free(&mesh);
}

static void expect_refused(enum status status, const struct error *error, const char *words)
{
    CHECK(status == STATUS_INPUT, "status %d: %s", (int)status, error->text);
    CHECK(strstr(error->text, words), "'%s' is not in: %s", words, error->text);
}

static void test_refusals(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    expect_refused(mesh_slab(&mesh, (double[]){20, 7.15, 3}, 0.2, &error), &error, "the nearest is 7.2 mm");
    expect_refused(mesh_slab(&mesh, (double[]){20, 0.01, 3}, 0.2, &error), &error, "the nearest is 0.2 mm");
    expect_refused(mesh_slab(&mesh, (double[]){2000, 2000, 2000}, 1, &error), &error, "at most 2147483647");
    expect_refused(mesh_slab(&mesh, (double[]){800, 700, 700}, 1, &error), &error,
                   "3.936e+08 nodes and 2.352e+09 elements; at most 2147483647 of each");
    expect_refused(mesh_forecast(2, 2e9, 4e9, 0, &error), &error, "4e+09 elements; at most 2147483647 are");
    expect_refused(mesh_forecast(3, 1e6, 6e6, 1e18, &error), &error, "GB");
    mesh = (struct mesh){.dimension = 3, .nodes = 4, .elements = (int64_t)1 << 31};
    expect_refused(mesh_allocate(&mesh, 0, &error), &error, "2147483648 elements; at most 2147483647");
    expect_refused(mesh_cable(&mesh, 1e300, 1e-300, &error), &error, "at most 2147483647");
    expect_refused(mesh_cable(&mesh, 1, 0, &error), &error, "not a positive length");
    expect_refused(mesh_cable(&mesh, 1, NAN, &error), &error, "not a positive length");
    expect_refused(mesh_cable(&mesh, -1, 1, &error), &error, "not a positive length");
    expect_refused(mesh_sheet(&mesh, (double[]){INFINITY, 1}, 1, &error), &error, "not a positive length");
    CHECK(mesh.point == NULL, "a refused mesh was written");
}

/* A size may be 1e-9 of itself off the spacing's multiple, not more: here exactly that, and twice that. */
static void test_rounding(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK_OK(mesh_cable(&mesh, 1e9, 1e9 + 1, &error), error);
    CHECK(mesh.nodes == 2, "%lld nodes", (long long)mesh.nodes);
    mesh_free(&mesh);
    expect_refused(mesh_cable(&mesh, 1e9, 1e9 + 2, &error), &error, "the nearest is 1000000002 mm");
}

/* A slab of two cubes, to be spoilt */
static void make_slab(struct mesh *mesh, struct error *error)
{
    mesh_free(mesh);
    CHECK_OK(mesh_slab(mesh, (double[]){2, 1, 1}, 1, error), *error);
}

static void expect_fault(struct mesh *mesh, const char *words)
{
    struct error error = {0};
    struct mesh_health health;
    CHECK_OK(mesh_check(mesh, &health, &error), error);
    expect_refused(mesh_health_verdict(&health, &error), &error, words);
}

static void test_faults(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    make_slab(&mesh, &error);
    mesh.vertex[9] = 12;
    expect_fault(&mesh, "element 2 names a node that does not exist");
    make_slab(&mesh, &error);
    mesh.point[7] = NAN;
    expect_fault(&mesh, "1 node with a coordinate that is no number");
    make_slab(&mesh, &error);
    mesh.vertex[5] = mesh.vertex[4];
    expect_fault(&mesh, "element 1 (counted from 0) names one node twice (1 such elements");
    make_slab(&mesh, &error);
    memcpy(mesh.point + 3, mesh.point, 3 * sizeof(double));
    expect_fault(&mesh, "of no length, area or volume, the first element 0");
    make_slab(&mesh, &error);
    mesh.vertex[4] = mesh.vertex[2], mesh.vertex[5] = mesh.vertex[0];
    mesh.vertex[6] = mesh.vertex[3], mesh.vertex[7] = mesh.vertex[1];
    expect_fault(&mesh, "1 element given twice, the first element 1 with the nodes of element 0");
    make_slab(&mesh, &error);
    mesh.elements = 6;
    expect_fault(&mesh, "4 nodes of no element, the first node 2");
    struct mesh_repaired done;
    CHECK_OK(mesh_repair(&mesh, &(struct mesh_repair){.loose = true}, &done, &error), error);
    CHECK(done.loose == 4 && mesh.nodes == 8, "%lld dropped", (long long)done.loose);
    mesh_repaired_free(&done);
    check_clean(&mesh);
    mesh_free(&mesh);
}

/* A line, then tetrahedra on one face: above it, below it, and above it again with another fourth node */
static void test_overlaps(void)
{
    static const double point[6][3] = {{0, 0, 0}, {1, 0, 0},  {0, 1, 0},
                                       {0, 0, 1}, {0, 0, -1}, {0.2, 0.2, 0.5}};
    static const int32_t vertex[4][4] = {{3, 5, 5, 5}, {0, 1, 2, 3}, {0, 1, 2, 4}, {2, 0, 1, 5}};
    static const struct {
        int kept[4], elements;
        const char *fault;
    } rows[] = {
        {{0, 1, 2}, 3, NULL},
        {{0, 1, 3},
         3,
         "tetrahedra overlap at 1 face, which more than two of them have or two on the same side; the "
         "first are elements 1 and 2"},
        {{1, 2, 3}, 3, "the first are elements 0 and 1"},
        {{0, 3, 1, 2}, 4, "the first are elements 1 and 2"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct error error = {0};
        struct mesh_health health;
        struct mesh mesh = {.dimension = 3, .nodes = 6, .elements = rows[k].elements};
        CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
        memcpy(mesh.point, point, sizeof point);
        for (int e = 0; e < rows[k].elements; e++)
            memcpy(mesh.vertex + 4 * e, vertex[rows[k].kept[e]], sizeof *vertex);
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        health.loose = 0;
        if (rows[k].fault)
            expect_refused(mesh_health_verdict(&health, &error), &error, rows[k].fault);
        else
            CHECK_OK(mesh_health_verdict(&health, &error), error);
        mesh_free(&mesh);
    }
}

/* Each fault at each place, the first and the last one, too */
static void test_first_and_last(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_health health;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e9};
    for (int k = 0; k < 3 * 12; k++) {
        make_slab(&mesh, &error);
        mesh.point[k] = bad[k % 4];
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        CHECK(health.not_finite == 1 && health.not_finite_node == k / 3, "coordinate %d: node %lld", k,
              (long long)health.not_finite_node);
    }
    for (int k = 0; k < 3 * 12; k++) {
        make_slab(&mesh, &error);
        mesh.point[k] = k % 2 ? 1e9 : -1e9; /* the last that is allowed */
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        CHECK(health.not_finite == 0, "coordinate %d: %g", k, mesh.point[k]);
    }
    const int32_t none[] = {-1, 12, INT32_MAX, INT32_MIN};
    for (int k = 0; k < 4 * 12; k++) {
        make_slab(&mesh, &error);
        mesh.vertex[k] = none[k % 4];
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        CHECK(health.out_of_range == 1 && health.range_element == k / 4, "corner %d: element %lld", k,
              (long long)health.range_element);
        make_slab(&mesh, &error);
        mesh.vertex[k] = mesh.vertex[k / 4 * 4 + (k + 1) % 4];
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        if (k % 4 == 2) { /* a triangle */
            CHECK(mesh_corners(&mesh, k / 4) == 3 && health.repeated == 0, "element %d", k / 4);
            continue;
        }
        CHECK(health.repeated == 1 && health.repeated_element == k / 4, "corner %d: element %lld", k,
              (long long)health.repeated_element);
    }
    mesh_free(&mesh);
}

static void test_warnings(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_health health;
    make_slab(&mesh, &error);
    int32_t swapped = mesh.vertex[4];
    mesh.vertex[4] = mesh.vertex[5], mesh.vertex[5] = swapped;
    CHECK_OK(mesh_check(&mesh, &health, &error), error);
    CHECK(health.turned == 1, "%lld turned", (long long)health.turned);
    check_clean(&mesh);
    mesh_free(&mesh);

    CHECK_OK(mesh_cable(&mesh, 3, 1, &error), error);
    mesh.vertex[2] = 3, mesh.vertex[3] = 2; /* 0-1, 3-2, 2-3 twice: a duplicate */
    CHECK_OK(mesh_check(&mesh, &health, &error), error);
    CHECK(health.duplicates == 1 && health.components == 2, "%lld components", (long long)health.components);
    mesh.elements = 2;
    mesh.point[6] = mesh.point[3];
    CHECK_OK(mesh_check(&mesh, &health, &error), error);
    CHECK_OK(mesh_health_verdict(&health, &error), error);
    CHECK(health.doubles == 1 && health.double_node == 2 && health.double_of == 1, "node %lld",
          (long long)health.double_node);
    mesh_free(&mesh);
}

/* Items from mesh->nodes on equal every third of those before */
static void third_key(const struct mesh *mesh, int64_t i, uint64_t key[3])
{
    int64_t most = mesh->nodes;
    key[0] = 0;
    key[1] = (uint64_t)(i < most ? i : (i - most) * 3);
    key[2] = 7;
}

/* Enough items for several buckets; counts and firsts known, whatever the number of threads */
static void test_duplicates(void)
{
    struct error error = {0};
    const struct mesh mesh = {.nodes = 30011};
    struct duplicates duplicates;
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        CHECK_OK(duplicates_find(&duplicates, &mesh, mesh.nodes, third_key, NULL, &error), error);
        CHECK(duplicates.count == 0 && duplicates.first == -1 && duplicates.first_of == -1, "%lld duplicates",
              (long long)duplicates.count);
        CHECK_OK(duplicates_find(&duplicates, &mesh, mesh.nodes + 5000, third_key, NULL, &error), error);
        CHECK(duplicates.count == 5000 && duplicates.first == mesh.nodes && duplicates.first_of == 0,
              "%lld duplicates, %lld of %lld", (long long)duplicates.count, (long long)duplicates.first,
              (long long)duplicates.first_of);
    }
}

static void same_key(const struct mesh *mesh, int64_t i, uint64_t key[3])
{
    key[0] = key[1] = key[2] = i < mesh->nodes ? (uint64_t)i : 1;
}

/* One bucket with nearly all items, beside hundreds with few */
static void test_crowd(void)
{
    struct error error = {0};
    const struct mesh mesh = {.nodes = 1000};
    struct duplicates duplicates;
    CHECK_OK(duplicates_find(&duplicates, &mesh, 1000000, same_key, NULL, &error), error);
    CHECK(duplicates.count == 999000 && duplicates.first == 1000 && duplicates.first_of == 1,
          "%lld duplicates, %lld of %lld", (long long)duplicates.count, (long long)duplicates.first,
          (long long)duplicates.first_of);
}

/* Faults far from each other, found by different threads: the first is reported */
static void test_threads(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_health health;
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        mesh_free(&mesh);
        CHECK_OK(mesh_slab(&mesh, (double[]){20, 7, 3}, 0.5, &error), error);
        int64_t last = mesh.elements - 1;
        memcpy(mesh.vertex + 4 * last, mesh.vertex + 4 * 5, 4 * sizeof *mesh.vertex);
        memcpy(mesh.vertex + 4 * 2000, mesh.vertex + 4 * 1900, 4 * sizeof *mesh.vertex);
        mesh.vertex[4 * 4001] = mesh.vertex[4 * 4001 + 1];
        mesh.vertex[4 * (last - 1)] = mesh.vertex[4 * (last - 1) + 1];
        CHECK_OK(mesh_check(&mesh, &health, &error), error);
        CHECK(health.duplicates == 2 && health.duplicate_element == 2000 && health.duplicate_of == 1900,
              "%lld duplicates, %lld of %lld", (long long)health.duplicates,
              (long long)health.duplicate_element, (long long)health.duplicate_of);
        CHECK(health.repeated == 2 && health.repeated_element == 4001, "element %lld",
              (long long)health.repeated_element);
        CHECK(health.components == 1 && health.loose == 0, "%lld components, %lld loose",
              (long long)health.components, (long long)health.loose);
    }
    mesh_free(&mesh);
}

/* What one pass finds around two points is what a look at every element finds, in order. */
static void test_near(void)
{
    const double size[3] = {3, 2, 1};
    struct near near[] = {{.centre = {1, 1, 0.5}, .radius = 0.8}, {.centre = {9, 9, 9}, .radius = 1}};
    struct mesh mesh;
    struct error error = {0};
    int64_t found = 0;
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    CHECK_OK(near_find(near, 2, &mesh, &error), error);
    for (int64_t e = 0; e < mesh.elements; e++)
        if (mesh_distance(mesh.point + 3 * (int64_t)mesh.vertex[4 * e], near[0].centre) <= 0.8) {
            CHECK(found < near[0].elements && near[0].element[found] == e, "element %d is missing", (int)e);
            found++;
        }
    CHECK(found > 100 && found == near[0].elements && near[1].elements == 0, "%d of %d and %d", (int)found,
          (int)near[0].elements, (int)near[1].elements);
    CHECK(fabs(near_extent(&mesh) - sqrt(3) * 0.25) < 1e-12, "%g mm", near_extent(&mesh));
    near_free(near, 2);
    mesh_free(&mesh);
}

/* As flat in any unit of length */
static void test_flat(void)
{
    static const int32_t vertex[4] = {0, 1, 2, 3};
    for (int dimension = 2; dimension <= 3; dimension++) {
        double flattest = 1; /* the height over the base of 1 mm at which an element is called flat */
        for (int unit = -3; unit <= 3; unit++) {
            const double size = pow(10, unit);
            double low = 0, high = 1;
            for (int k = 0; k < 60; k++) {
                const double height = (low + high) / 2;
                double point[12] = {0, 0, 0, size,         0, 0, 0, dimension == 2 ? height * size : size,
                                    0, 0, 0, height * size};
                const struct mesh mesh = {.dimension = dimension,
                                          .nodes = dimension + 1,
                                          .elements = 1,
                                          .point = point,
                                          .vertex = (int32_t *)(uintptr_t)vertex};
                *(mesh_is_flat(&mesh, 0) ? &low : &high) = height;
            }
            flattest = unit == -3 ? high : flattest;
            CHECK(high < 1e-6 && fabs(high / flattest - 1) < 1e-9, "%d-D, %g mm: flat below %g, want %g",
                  dimension, size, high, flattest);
        }
    }
}

int main(void)
{
    test_flat();
    test_near();
    test_slab(20, 7, 3, 0.5, 41 * 15 * 7, 40 * 14 * 6);
    test_slab(0.6, 0.2, 0.4, 0.2, 4 * 2 * 3, 3 * 1 * 2);
    test_slab(1, 3, 2, 1, 2 * 4 * 3, 6);
    test_sheet_and_cable();
    test_refusals();
    test_rounding();
    test_faults();
    test_overlaps();
    test_first_and_last();
    test_warnings();
    test_duplicates();
    test_crowd();
    test_threads();
    return 0;
}
