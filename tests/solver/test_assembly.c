/* test_assembly.c: the stiffness annihilates constants, is symmetric to the last bit, is exact for linear
 * fields; the mass adds up to the volume; slanted fibres give the energy of the tensor. */
#include "solver/matrix/assembly.h"
#include "tests/support/case.h"

static double entry(const struct system *system, int64_t i, int32_t j)
{
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
        if (system->k.column[k] == j)
            return system->k.value[k];
    return NAN;
}

static void test_dimension(int dimension)
{
    struct test_case c;
    struct error error = {0};
    struct system system;
    case_make(&c, dimension, "passive", 1);
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(tensors_check(&tensors, &error), error);
    CHECK_OK(system_assemble(&system, &tensors, true, NULL, &error), error);

    for (int64_t i = 0; i < system.k.rows; i++)
        for (int64_t k = system.k.start[i]; k < system.k.start[i + 1]; k++) {
            int32_t j = system.k.column[k];
            CHECK(entry(&system, j, (int32_t)i) == system.k.value[k], "k(%lld, %d) has no mirror",
                  (long long)i, j);
            CHECK(k == system.k.start[i] || system.k.column[k - 1] < j, "row %lld is not ascending",
                  (long long)i);
        }

    /* energy of a linear field g.x: sum over the elements of |e| (P g).D(P g), P onto the element */
    const double g[3] = {1.3, -0.7, 0.4};
    double want = 0, volume = 0, got = 0, mass = 0;
    for (int64_t e = 0; e < c.mesh.elements; e++) {
        double tensor[6], size;
        CHECK(tensor_of_element(&tensors, e, tensor), "no tensor for %lld", (long long)e);
        const int32_t *vertex = c.mesh.vertex + e * (dimension + 1);
        /* the element's measure by Gram's determinant, not by the assembly's own formula */
        double edge[3][3], gram[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int a = 0; a < dimension; a++)
            for (int x = 0; x < 3; x++)
                edge[a][x] = c.mesh.point[3 * vertex[a + 1] + x] - c.mesh.point[3 * vertex[0] + x];
        for (int a = 0; a < dimension; a++)
            for (int b = 0; b < dimension; b++)
                gram[a][b] = edge[a][0] * edge[b][0] + edge[a][1] * edge[b][1] + edge[a][2] * edge[b][2];
        double det = gram[0][0] * (gram[1][1] * gram[2][2] - gram[1][2] * gram[2][1]) -
                     gram[0][1] * (gram[1][0] * gram[2][2] - gram[1][2] * gram[2][0]) +
                     gram[0][2] * (gram[1][0] * gram[2][1] - gram[1][1] * gram[2][0]);
        size = sqrt(det) / (dimension == 3 ? 6 : dimension);
        volume += size;
        double h[3] = {g[0], dimension > 1 ? g[1] : 0,
                       dimension > 2 ? g[2] : 0}; /* P g: the meshes lie in x, xy, xyz */
        want += size * (h[0] * (tensor[0] * h[0] + tensor[1] * h[1] + tensor[2] * h[2]) +
                        h[1] * (tensor[1] * h[0] + tensor[3] * h[1] + tensor[4] * h[2]) +
                        h[2] * (tensor[2] * h[0] + tensor[4] * h[1] + tensor[5] * h[2]));
    }
    for (int64_t i = 0; i < system.k.rows; i++) {
        const double *p = c.mesh.point + 3 * i;
        double u = g[0] * p[0] + g[1] * p[1] + g[2] * p[2], flux = 0,
               consistent = 2 * system.lumped[i] / (dimension + 2);
        for (int64_t k = system.k.start[i]; k < system.k.start[i + 1]; k++) {
            const double *q = c.mesh.point + 3 * system.k.column[k];
            flux += system.k.value[k] * (g[0] * q[0] + g[1] * q[1] + g[2] * q[2] - u);
            consistent += system.mass[k];
        }
        got += u * flux;
        mass += system.lumped[i];
        CHECK_CLOSE(consistent, system.lumped[i], 1e-14);
    }
    CHECK_CLOSE(got, want, 1e-12);
    CHECK_CLOSE(mass, volume, 1e-13);
    printf("dimension %d: energy %.15g, volume %.15g\n", dimension, got, volume);
    system_free(&system);
    case_free(&c);
}

/* A region that needs a fibre and has a zero one is refused by number. */
static void test_zero_fiber(void)
{
    struct test_case c;
    struct error error = {0};
    case_make(&c, 3, "passive", 1);
    c.mesh.fiber[3 * 17] = c.mesh.fiber[3 * 17 + 1] = c.mesh.fiber[3 * 17 + 2] = 0;
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK(tensors_check(&tensors, &error) == STATUS_INPUT, "a zero fibre passed");
    CHECK(strstr(error.text, "1 of ") && strstr(error.text, "the first: 17 (tag"), "%s", error.text);
    case_free(&c);
}

/* A fan of triangles around one node, its rim numbered by steps of a prime: the hub's row names every other
 * node once and ascending, in a time that does not grow as the square. */
static void test_hub(void)
{
    enum { RIM = 300000, STRIDE = 104729 };
    struct error error = {0};
    struct mesh mesh = {.dimension = 2, .nodes = RIM + 1, .elements = RIM};
    mesh.point = calloc((RIM + 1) * 3, sizeof *mesh.point);
    mesh.vertex = calloc(RIM * 3, sizeof *mesh.vertex);
    mesh.tag = calloc(RIM, sizeof *mesh.tag);
    int32_t *region_of_element = calloc(RIM, sizeof *region_of_element);
    CHECK(mesh.point && mesh.vertex && mesh.tag && region_of_element, "no memory");
    for (int64_t k = 0; k < RIM; k++) {
        int64_t node = k * STRIDE % RIM + 1, next = (k + 1) * STRIDE % RIM + 1;
        mesh.point[3 * node] = cos(6.283185307179586 * (double)k / RIM);
        mesh.point[3 * node + 1] = sin(6.283185307179586 * (double)k / RIM);
        memcpy(mesh.vertex + 3 * k, (int32_t[3]){0, (int32_t)node, (int32_t)next}, 3 * sizeof(int32_t));
    }
    struct region region = {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1};
    struct tensors tensors = {&mesh, &region, region_of_element, NULL};
    struct system system;
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK(system.k.start[1] == RIM, "the hub has %lld neighbours", (long long)system.k.start[1]);
    for (int64_t k = 0; k < RIM; k++)
        CHECK(system.k.column[k] == k + 1, "neighbour %lld is %d", (long long)k, system.k.column[k]);
    CHECK(system.k.start[RIM + 1] == 4 * (int64_t)RIM, "%lld entries", (long long)system.k.start[RIM + 1]);
    system_free(&system);
    free(region_of_element);
    mesh_free(&mesh);
}

int main(void)
{
    test_hub();
    for (int dimension = 1; dimension <= 3; dimension++)
        test_dimension(dimension);
    test_zero_fiber();
    return 0;
}
