/* case.h: small problems for the tests of the solver: meshes of unequal sizes, bent so that no two elements
 * are alike. */
#ifndef CARDIAC_TESTS_CASE_H
#define CARDIAC_TESTS_CASE_H

#include <stdlib.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "solver/step/monodomain.h"
#include "tests/support/mesh_sample.h"

struct test_case {
    struct mesh mesh;
    struct region region[2];
    int32_t *element_region;
    int32_t *stimulated;
    struct stimulus stimulus[2];
    struct monodomain_params params;
};

/* A bent mesh with slanted fibres and sheets in every element */
static inline void case_mesh(struct test_case *c, int dimension, const int edges[3])
{
    memset(c, 0, sizeof *c);
    c->mesh = mesh_sample_lattice(dimension, edges, (const double[]){0.2, 0.2, 0.2});
    mesh_sample_bend(&c->mesh, 0.03, dimension);
    mesh_sample_directions(&c->mesh, LOCATION_ELEMENT, true);
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        double angle = 0.3 + 0.5 * bits_random((uint64_t)e);
        double *fiber = c->mesh.fiber + 3 * e, *sheet = c->mesh.sheet + 3 * e;
        fiber[0] = cos(angle), fiber[1] = sin(angle), fiber[2] = dimension == 3 ? 0.2 : 0;
        sheet[0] = -sin(angle), sheet[1] = cos(angle), sheet[2] = 0;
    }
}

/* Two regions, one stimulus at the low end, defaults as in a config, on the mesh that c has. The model is
 * used in both regions, with other conductivities. */
static inline void case_furnish(struct test_case *c, const char *model, int anisotropic)
{
    c->element_region = calloc((size_t)c->mesh.elements, sizeof *c->element_region);
    c->stimulated = calloc((size_t)c->mesh.nodes, sizeof *c->stimulated);
    CHECK(c->element_region && c->stimulated, "no memory");
    for (int64_t e = 0; e < c->mesh.elements; e++)
        c->element_region[e] = e > c->mesh.elements * 2 / 3;
    int64_t stimulated = 0;
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        if (c->mesh.point[3 * i] < 0.7)
            c->stimulated[stimulated++] = (int32_t)i;
    const double along[2] = {0.0953, 0.12}, across[2] = {0.0126, 0.02}, normal[2] = {0.009, 0.015};
    for (int r = 0; r < 2; r++) {
        c->region[r].model = ionic_find(model);
        CHECK(c->region[r].model, "no model %s", model);
        c->region[r].isotropic = !anisotropic;
        c->region[r].diffusion[0] = along[r];
        c->region[r].diffusion[1] = anisotropic ? across[r] : along[r];
        c->region[r].diffusion[2] = anisotropic ? normal[r] : along[r];
    }
    c->stimulus[0] = (struct stimulus){
        .node = c->stimulated, .nodes = stimulated, .current = 50, .duration = 1, .count = 1};
    c->stimulus[1] = (struct stimulus){.node = c->stimulated,
                                       .nodes = stimulated / 2,
                                       .current = 20,
                                       .start = 0.33,
                                       .duration = 0.51,
                                       .period = 1.7,
                                       .count = 2};
    c->params = monodomain_params_default();
    c->params.splitting = SPLITTING_GODUNOV; /* named: what a test is about */
    c->params.step = 0.02;
    c->params.method = METHOD_JACOBI;
    c->params.precision = PRECISION_DOUBLE;
    c->params.precision_budget = 1e-6;
    c->params.voltage_limit = 500;
    c->params.region = c->region;
    c->params.regions = 2;
    c->params.element_region = c->element_region;
    c->params.stimulus = c->stimulus;
    c->params.stimuli = 2;
}

/* The same on a slab, sheet or cable of so many edges along x, and fewer along y and z, of 0.2 mm */
static inline void case_make_small(struct test_case *c, int dimension, int edges, const char *model,
                                   int anisotropic)
{
    case_mesh(c, dimension, (const int[]){edges, edges / 2, edges / 3});
    case_furnish(c, model, anisotropic);
}

/* The same on a few hundred nodes and more */
static inline void case_make(struct test_case *c, int dimension, const char *model, int anisotropic)
{
    static const int edges[4][3] = {[1] = {101}, [2] = {24, 12}, [3] = {14, 7, 5}};
    case_mesh(c, dimension, edges[dimension]);
    case_furnish(c, model, anisotropic);
}

static inline void case_free(struct test_case *c)
{
    mesh_free(&c->mesh);
    free(c->element_region);
    free(c->stimulated);
}

/* The backend named by the test's argument (default "cpu"); status 77 = not on this machine */
static inline const struct backend *test_backend(int argc, char **argv)
{
    const struct backend *backend = backend_find(argc > 1 ? argv[1] : "cpu", NULL);
    if (!backend) {
        printf("no %s here: skipped\n", argv[1]);
        exit(77);
    }
    return backend;
}

/* A queue of so many threads, or of the first GPU */
static inline struct queue *test_queue(const struct backend *backend, int threads)
{
    struct error error = {0};
    struct queue *queue;
    CHECK_OK(queue_new(&queue, backend, backend->immediate ? threads : 0, &error), error);
    return queue;
}

/* The whole state as one array of doubles, variable after variable; the caller frees it */
static inline double *case_state(struct monodomain *sim, int64_t nodes, int64_t *length)
{
    struct error error = {0};
    int64_t total = 0;
    for (int k = 0; k < monodomain_variables(sim); k++)
        total += nodes * monodomain_variable(sim, k)->width;
    double *state = calloc((size_t)total, sizeof *state), *at = state;
    CHECK(state, "no memory");
    for (int k = 0; k < monodomain_variables(sim); k++) {
        CHECK_OK(monodomain_get(sim, k, at, &error), error);
        at += nodes * monodomain_variable(sim, k)->width;
    }
    *length = total;
    return state;
}

/* Runs `steps` steps of the case and returns the whole state; the sweeps are added to *sweeps unless NULL */
static inline double *case_run(const struct test_case *c, const struct backend *backend, int threads,
                               int64_t steps, int64_t *length, int64_t *sweeps)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend, threads);
    struct monodomain *sim;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(monodomain_advance(sim, steps, &error), error);
    double *state = case_state(sim, mesh_nodes_whole(&c->mesh), length);
    if (sweeps)
        *sweeps += monodomain_work(sim).sweeps;
    monodomain_free(sim);
    queue_free(queue);
    return state;
}

/* Index of the first double whose bits differ, or -1 */
static inline int64_t first_difference(const double *a, const double *b, int64_t length)
{
    for (int64_t k = 0; k < length; k++)
        if (memcmp(a + k, b + k, sizeof *a) != 0)
            return k;
    return -1;
}

#endif
