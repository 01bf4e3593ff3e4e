/* test_laplace.c: Laplace's equation: a linear field is exact on lines, triangles and tetrahedra of uneven
 * edges, slivers among them, within few iterations at any edge; the bits do not depend on threads or on
 * earlier solutions, parts without a given value keep theirs, and elements without volume are named. */
#include "solver/heart/laplace.h"
#include "solver/mesh/surface.h"
#include "solver/params.h"

#include <omp.h>

#include "tests/support/mesh_sample.h"

/* Moves the nodes within the lattice, those of the boundary along it */
static void shake(struct mesh *mesh, const double size[3], double by)
{
    for (int64_t i = 0; i < 3 * mesh->nodes; i++) {
        double x = mesh->point[i];
        if (i % 3 < mesh->dimension && x > 0 && x < size[i % 3])
            mesh->point[i] += by * (bits_random((uint64_t)i) - 0.5);
    }
}

static void test_linear(int dimension)
{
    struct error error = {0};
    struct laplace laplace;
    const double size[3] = {6, 3.5, 2.5};
    struct mesh mesh;
    CHECK_OK(dimension == 3   ? mesh_slab(&mesh, size, 0.25, &error)
             : dimension == 2 ? mesh_sheet(&mesh, size, 0.25, &error)
                              : mesh_cable(&mesh, size[0], 0.25, &error),
             error);
    shake(&mesh, size, 0.08);
    double *u = calloc((size_t)mesh.nodes, sizeof *u);
    uint8_t *fixed = calloc((size_t)mesh.nodes, 1);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double x = mesh.point[3 * i];
        fixed[i] = x == 0 || x == 6;
        u[i] = x == 0 ? -20 : x == 6 ? 40 : 7;
    }
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    CHECK_OK(laplace_solve(&laplace, u, fixed, &error), error);
    double worst = 0;
    for (int64_t i = 0; i < mesh.nodes; i++)
        worst = fmax(worst, fabs(u[i] - (mesh.point[3 * i] * 10 - 20)));
    CHECK(worst <= 60e-10, "%d-D: off by %g", dimension, worst);
    printf("%d-D: %lld nodes, off by %.2g of the difference\n", dimension, (long long)mesh.nodes, worst / 60);
    laplace_free(&laplace);
    mesh_free(&mesh);
    free(u);
    free(fixed);
}

/* u <- between two corners of a slab */
static void solve(const struct mesh *mesh, int threads, double *u)
{
    struct error error = {0};
    struct laplace laplace;
    uint8_t *fixed = calloc((size_t)mesh->nodes, 1);
    omp_set_num_threads(threads);
    fixed[0] = fixed[mesh->nodes - 1] = 1;
    u[0] = 0;
    u[mesh->nodes - 1] = 1;
    CHECK_OK(laplace_create(&laplace, mesh, &error), error);
    CHECK_OK(laplace_solve(&laplace, u, fixed, &error), error);
    laplace_free(&laplace);
    free(fixed);
}

static void test_bits(void)
{
    struct error error = {0};
    struct mesh mesh;
    const double size[3] = {7, 6.5, 5};
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    shake(&mesh, size, 0.1);
    double *u = calloc((size_t)mesh.nodes, sizeof *u), *v = calloc((size_t)mesh.nodes, sizeof *v);
    solve(&mesh, 1, u);
    for (int threads = 2; threads <= 5; threads += 3 /* fewer and more than cores */) {
        solve(&mesh, threads, v);
        CHECK(memcmp(u, v, (size_t)mesh.nodes * sizeof *u) == 0, "%d threads change a bit", threads);
    }
    double middle = u[mesh.nodes / 2];
    CHECK(middle > 0.3 && middle < 0.7, "%g in the middle", middle);
    mesh_free(&mesh);
    free(u);
    free(v);
}

/* Two bars apart: values at the ends of the first say nothing of the second; one value alone is everywhere.
 */
static void test_components(void)
{
    struct error error = {0};
    struct laplace laplace;
    struct mesh mesh = {.dimension = 1, .nodes = 6, .elements = 4};
    static const int32_t vertex[] = {0, 1, 1, 2, 3, 4, 4, 5};
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    memcpy(mesh.vertex, vertex, sizeof vertex);
    for (int i = 0; i < 6; i++)
        mesh.point[3 * i] = i;
    double u[6] = {2, 0, 3, 0, 0, 0}, same[6] = {4, 0, 4};
    const uint8_t fixed[6] = {1, 0, 1};
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    CHECK_OK(laplace_solve(&laplace, u, fixed, &error), error);
    CHECK_CLOSE(u[1], 2.5, 1e-14);
    CHECK(u[3] == 2 && u[5] == 2, "the part apart has %g", u[3]);
    CHECK_OK(laplace_solve(&laplace, same, fixed, &error), error);
    CHECK(same[1] == 4, "between equals %g", same[1]);
    laplace_free(&laplace);
    mesh_free(&mesh);
}

/* u <- linear in x between the ends of the slab; returns the worst error, of the difference */
static double solve_linear(struct laplace *laplace, const struct mesh *mesh, double *u)
{
    struct error error = {0};
    double end = 0, worst = 0;
    uint8_t *fixed = calloc((size_t)mesh->nodes, 1);
    for (int64_t i = 0; i < mesh->nodes; i++)
        end = fmax(end, mesh->point[3 * i]);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        fixed[i] = mesh->point[3 * i] == 0 || mesh->point[3 * i] == end;
        u[i] = mesh->point[3 * i] == end;
    }
    CHECK_OK(laplace_solve(laplace, u, fixed, &error), error);
    for (int64_t i = 0; i < mesh->nodes; i++)
        worst = fmax(worst, fabs(u[i] - mesh->point[3 * i] / end));
    free(fixed);
    return worst;
}

/* From 189 nodes to 54,145: an eighth of the edge */
static void test_iterations(void)
{
    struct error error = {0};
    int first = 0, last = 0;
    const double size[3] = {4, 3, 1};
    for (double edge = 0.5; edge > 0.06; edge /= 2) {
        struct mesh mesh;
        struct laplace laplace;
        CHECK_OK(mesh_slab(&mesh, size, edge, &error), error);
        shake(&mesh, size, 0.3 * edge);
        double *u = calloc((size_t)mesh.nodes, sizeof *u);
        CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
        double worst = solve_linear(&laplace, &mesh, u);
        CHECK(worst <= 1e-10, "edge %g: off by %g", edge, worst);
        printf("edge %g: %lld nodes, %d levels, %d iterations, off by %.2g\n", edge, (long long)mesh.nodes,
               laplace.multigrid.levels, laplace.iterations, worst);
        last = laplace.iterations;
        first = edge == 0.25 ? last : first; /* the coarsest is solved at once */
        laplace_free(&laplace);
        mesh_free(&mesh);
        free(u);
    }
    CHECK(last <= 30 && last <= first + 8, "%d iterations, then %d", first, last);
}

/* Some nodes next to the plane of their neighbours: tetrahedra of 1e-6 of their neighbours' volume */
static void test_slivers(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct laplace laplace;
    const double size[3] = {6, 5, 4};
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.point + 3 * i;
        if (bits_random((uint64_t)i) < 0.05 && x[2] > 0.2 && x[2] < 3.8)
            mesh.point[3 * i + 2] += 0.25 * (1 - 1e-6);
    }
    double *u = calloc((size_t)mesh.nodes, sizeof *u);
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    double worst = solve_linear(&laplace, &mesh, u);
    CHECK(worst <= 1e-9, "slivers: off by %g", worst);
    printf("slivers: %d iterations, off by %.2g\n", laplace.iterations, worst);
    laplace_free(&laplace);
    mesh_free(&mesh);
    free(u);
}

static void test_flat(void)
{
    struct error error = {0};
    struct laplace laplace;
    struct mesh mesh = {.dimension = 2, .nodes = 4, .elements = 2};
    static const int32_t vertex[] = {0, 1, 2, 1, 2, 3};
    static const double point[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1, 0};
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    memcpy(mesh.vertex, vertex, sizeof vertex);
    memcpy(mesh.point, point, sizeof point);
    double u[4] = {0, 0, 0, 1};
    const uint8_t fixed[4] = {1, 0, 0, 1};
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    CHECK(laplace_solve(&laplace, u, fixed, &error) == STATUS_RUN, "three nodes on a line were a triangle");
    CHECK(strstr(error.text, "too flat"), "%s", error.text);
    laplace_free(&laplace);
    mesh_free(&mesh);
}

/* Another problem in between, and again between the same nodes */
static void test_reuse(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct laplace laplace;
    const double size[3] = {3, 2.5, 2};
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    shake(&mesh, size, 0.1);
    double *u = calloc((size_t)mesh.nodes, sizeof *u), *v = calloc((size_t)mesh.nodes, sizeof *v);
    uint8_t *fixed = calloc((size_t)mesh.nodes, 1);
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    solve_linear(&laplace, &mesh, u);
    solve_linear(&laplace, &mesh, v);
    CHECK(memcmp(u, v, (size_t)mesh.nodes * sizeof *u) == 0, "kept levels change a bit");
    fixed[0] = fixed[mesh.nodes - 1] = 1;
    v[0] = 1;
    CHECK_OK(laplace_solve(&laplace, v, fixed, &error), error);
    CHECK(memcmp(u, v, (size_t)mesh.nodes * sizeof *u) != 0, "two problems have one solution");
    solve_linear(&laplace, &mesh, v);
    CHECK(memcmp(u, v, (size_t)mesh.nodes * sizeof *u) == 0, "another problem in between changes a bit");
    laplace_free(&laplace);
    mesh_free(&mesh);
    free(u);
    free(v);
    free(fixed);
}

/* With a load: the flux through the surface of an oblique tensor's linear field gives back that field, with
 * the same bits for any threads; a load that does not add up to 0 and a mesh in two parts are refused. */
static void test_load(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct mesh_surface surface;
    struct laplace laplace;
    struct system system;
    const double size[3] = {3, 2.5, 2}, slope[3] = {2, -1, 3}, fiber[3] = {0.6, 0.64, 0.48};
    const struct region region = {.diffusion = {0.9, 0.1, 0.1}};
    double flux[3], of_fiber = 0, sum = 0, mass = 0, worst = 0;
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    shake(&mesh, size, 0.08);
    int32_t *in = calloc((size_t)mesh.elements, sizeof *in);
    const struct tensors tensors = {&mesh, &region, in, fiber};
    double *load = calloc((size_t)mesh.nodes, sizeof *load), *u = calloc((size_t)mesh.nodes, sizeof *u),
           *again = calloc((size_t)mesh.nodes, sizeof *u);
    for (int d = 0; d < 3; d++)
        of_fiber += fiber[d] * slope[d];
    for (int d = 0; d < 3; d++)
        flux[d] = 0.1 * slope[d] + 0.8 * of_fiber * fiber[d];
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    for (int64_t f = 0; f < surface.faces; f++) {
        double normal[3];
        mesh_surface_normal(&surface, &mesh, f, normal);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                load[surface.face[3 * f + c]] += flux[d] * normal[d] / 6;
    }
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(laplace_create_tensors(&laplace, &tensors, &error), error);
    for (int threads = 1; threads <= 3; threads++) {
        double *to = threads == 1 ? u : again;
        omp_set_num_threads(threads);
        CHECK_OK(laplace_solve_load(&laplace, to, load, &error), error);
        CHECK(memcmp(to, u, (size_t)mesh.nodes * sizeof *u) == 0, "%d threads change a bit", threads);
    }
    for (int64_t i = 0; i < mesh.nodes; i++) {
        mass += system.lumped[i];
        sum += system.lumped[i] * u[i];
    }
    CHECK(fabs(sum) < 1e-12 * mass, "the mean is %g", sum / mass);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double off = u[i] - u[0];
        for (int d = 0; d < 3; d++)
            off -= slope[d] * (mesh.point[3 * i + d] - mesh.point[d]);
        worst = fmax(worst, fabs(off));
    }
    CHECK(worst < 1e-8, "off by %g", worst);
    printf("a load: %d iterations, off by %.2g\n", laplace.iterations, worst);
    load[5] += 1e-3;
    CHECK(laplace_solve_load(&laplace, u, load, &error) == STATUS_RUN, "a load without balance is solved");
    CHECK(strstr(error.text, "adds up to"), "%s", error.text);
    laplace.component[mesh.nodes - 1] = 7;
    CHECK(laplace_solve_load(&laplace, u, load, &error) == STATUS_INPUT, "two parts are solved");
    laplace_free(&laplace);
    system_free(&system);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
    free(in);
    free(load);
    free(u);
    free(again);
}

/* A matrix that is not positive definite, such as rounding may leave of flat elements, is said; its start is
 * no solution. */
static void test_indefinite(void)
{
    struct error error = {0};
    struct mesh mesh;
    struct laplace laplace;
    double u[5] = {0, 0, 0, 0, 1};
    const uint8_t fixed[5] = {1, 0, 0, 0, 1};
    CHECK_OK(mesh_cable(&mesh, 4, 1, &error), error);
    CHECK_OK(laplace_create(&laplace, &mesh, &error), error);
    struct csr *k = &laplace.k;
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = k->start[i]; j < k->start[i + 1]; j++)
            k->value[j] =
                laplace.node[i] + laplace.node[k->column[j]] == 3 ? 3 : -5; /* between nodes 1 and 2 */
    CHECK(laplace_solve(&laplace, u, fixed, &error) == STATUS_RUN, "solved: %g %g %g", u[1], u[2], u[3]);
    CHECK(strstr(error.text, "too flat"), "%s", error.text);
    laplace_free(&laplace);
    mesh_free(&mesh);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        test_linear(dimension);
    test_bits();
    test_components();
    test_iterations();
    test_slivers();
    test_flat();
    test_reuse();
    test_indefinite();
    test_load();
    return 0;
}
