/* test_regions.c: tissue of two regions with different ionic models: their border, and that threads, clones,
 * orderings, slices, a restart and reading of currents change no bit. Exact identities relate it to tissue of
 * one model. */
#include <stdio.h>

#include "tests/support/case.h"

enum { STEPS = 60 };

static void two_models(struct test_case *c, int dimension, const char *second)
{
    case_make(c, dimension, "tp06-epi", 1);
    c->region[1].model = ionic_find(second);
    CHECK(c->region[1].model, "no model %s", second);
}

static void open_case(const struct test_case *c, const char *backend_name, int threads, struct queue **queue,
                      struct monodomain **sim)
{
    struct error error = {0};
    const struct backend *backend = backend_find(backend_name, &error);
    CHECK(backend, "%s", error.text);
    CHECK_OK(queue_new(queue, backend, threads, &error), error);
    CHECK_OK(monodomain_create(sim, &c->mesh, &c->params, *queue, &error), error);
}

static void expect_same(const double *want, const double *got, int64_t length, const char *what)
{
    int64_t at = first_difference(want, got, length);
    CHECK(at < 0, "%s changes value %lld: %.17g, was %.17g", what, (long long)at, got[at], want[at]);
}

/* Each node belongs to the first-listed region among its elements, and has that region's states alone. */
static void test_border(void)
{
    struct test_case c;
    two_models(&c, 3, "mitchell-schaeffer");
    struct queue *queue;
    struct monodomain *sim;
    int64_t nodes = c.mesh.nodes, border = 0;
    int32_t *group = calloc((size_t)nodes, sizeof *group), *first = calloc((size_t)nodes, sizeof *first);
    uint8_t *met = calloc((size_t)nodes, 1);
    CHECK(group && first && met, "no memory");
    for (int64_t i = 0; i < nodes; i++)
        first[i] = 1;
    for (int64_t k = 0; k < c.mesh.elements * 4; k++) {
        int32_t region = c.element_region[k / 4];
        met[c.mesh.vertex[k]] |= (uint8_t)(1 << region);
        if (region == 0)
            first[c.mesh.vertex[k]] = 0;
    }
    open_case(&c, "cpu", 1, &queue, &sim);
    monodomain_model_map(sim, group);
    for (int64_t i = 0; i < nodes; i++) {
        CHECK(group[i] == first[i], "node %lld has model %d, want %d", (long long)i, group[i], first[i]);
        border += met[i] == 3;
    }
    CHECK(border > 20, "only %lld nodes lie on the border", (long long)border);
    double *value = calloc((size_t)nodes, sizeof *value);
    CHECK(value, "no memory");
    struct error error = {0};
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (variable->model < 0)
            continue;
        for (int64_t i = 0; i < nodes; i++)
            value[i] = 12345;
        CHECK_OK(monodomain_get(sim, k, value, &error), error);
        for (int64_t i = 0; i < nodes; i++)
            CHECK((value[i] == 12345) == (group[i] != variable->model), "%s at node %lld", variable->name,
                  (long long)i);
    }
    monodomain_free(sim);
    queue_free(queue);
    free(group), free(first), free(met), free(value);
    case_free(&c);
}

/* Every node begins with the values of its region: those given, or the model's own. */
static void test_initial(int mixed)
{
    enum { VALUES = 1 + 40 };
    struct test_case c;
    struct queue *queue;
    struct monodomain *sim;
    struct error error = {0};
    double given[VALUES];
    case_make(&c, 3, "tp06-epi", 1);
    const struct ionic_model *model = c.region[1].model;
    CHECK(model->states < VALUES, "%d states", model->states);
    for (int k = 0; k <= model->states; k++)
        given[k] = k == 0 ? -80.0625 : model->state[k - 1].value * 0.99;
    c.region[1].initial = given;
    c.params.ionic_mixed = mixed;
    open_case(&c, "cpu", 1, &queue, &sim);
    int64_t nodes = c.mesh.nodes, seen[2] = {0};
    int32_t *region = calloc((size_t)nodes, sizeof *region);
    double *value = calloc((size_t)nodes, sizeof *value);
    CHECK(region && value, "no memory");
    mesh_node_regions(&c.mesh, c.element_region, 2, region);
    for (int k = 0; k <= model->states; k++) {
        double own = k == 0 ? model->v_initial : model->state[k - 1].value;
        double want[2] = {own, given[k]};
        bool fp32 = k > 0 && ionic_layout(model, mixed, k - 1).fp32;
        char name[64];
        snprintf(name, sizeof name, "%s/%s", model->name, k > 0 ? model->state[k - 1].name : "");
        int variable = k > 0 ? monodomain_find(sim, name) : 0;
        CHECK_OK(monodomain_get(sim, variable, value, &error), error);
        for (int64_t i = 0; i < nodes; i++) {
            double expected = fp32 ? (double)(float)want[region[i]] : want[region[i]];
            CHECK(value[i] == expected, "value %d at node %lld: %.17g, want %.17g", k, (long long)i, value[i],
                  expected);
            seen[region[i]]++;
        }
    }
    CHECK(seen[0] > 0 && seen[1] > 0, "only one region has nodes");
    monodomain_free(sim);
    queue_free(queue);
    free(region), free(value);
    case_free(&c);
}

/* Threads, clones and update schemes change no bit of V and the states of both models */
static void test_reproducible(void)
{
    const char *const names[] = {"cpu-plain", "cpu-avx2", "cpu"};
    for (int dimension = 1; dimension <= 3; dimension++) {
        struct test_case c;
        two_models(&c, dimension, dimension == 2 ? "tp06-m" : "fitzhugh-nagumo");
        int64_t length, sweeps = 0;
        double *want = case_run(&c, backend_find("cpu", NULL), 1, STEPS, &length, &sweeps);
        for (int k = 0; k < 6; k++) {
            char what[80];
            const struct backend *backend = backend_find(names[k % 3], NULL);
            int64_t count = 0;
            if (!backend)
                continue;
            c.params.update = k % 2 ? UPDATE_FUSED : UPDATE_HYBRID;
            double *got = case_run(&c, backend, k % 3 + 1, STEPS, &length, &count);
            snprintf(what, sizeof what, "%d-D, %s, variation %d", dimension, backend->name, k);
            expect_same(want, got, length, what);
            CHECK(count == sweeps, "%s: %lld sweeps, want %lld", what, (long long)count, (long long)sweeps);
            free(got);
        }
        free(want);
        case_free(&c);
    }
}

/* Two regions of one model and one conductivity are one region. */
static void test_divided(void)
{
    struct test_case c;
    int64_t length;
    case_make(&c, 3, "tp06-endo", 1);
    memcpy(c.region[1].diffusion, c.region[0].diffusion, sizeof c.region[0].diffusion);
    double *got = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    memset(c.element_region, 0, (size_t)c.mesh.elements * sizeof *c.element_region);
    c.params.regions = 1;
    double *want = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    expect_same(want, got, length, "dividing a region in two");
    free(want), free(got);
    case_free(&c);
}

/* A region of less conductivity is one region with factors on its elements. */
static void test_scale(void)
{
    struct test_case c;
    int64_t length;
    case_make(&c, 3, "tp06-endo", 1);
    double *scale = calloc((size_t)c.mesh.elements, sizeof *scale);
    CHECK(scale, "no memory");
    for (int k = 0; k < 3; k++)
        c.region[1].diffusion[k] = 0.125 * c.region[0].diffusion[k];
    double *want = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    for (int64_t e = 0; e < c.mesh.elements; e++)
        scale[e] = c.element_region[e] ? 0.125 : 1;
    memset(c.element_region, 0, (size_t)c.mesh.elements * sizeof *c.element_region);
    c.params.regions = 1;
    double *plain = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    CHECK(first_difference(want, plain, length) >= 0, "the factor changes nothing");
    c.region[0].scale[0] = c.region[0].scale[1] = c.region[0].scale[2] = scale;
    double *got = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    expect_same(want, got, length, "a factor on elements");
    free(want), free(got), free(plain), free(scale);
    case_free(&c);
}

/* The cells' regions may be given node by node, whatever those of the elements are. */
static void test_nodes(void)
{
    struct test_case c;
    two_models(&c, 3, "mitchell-schaeffer");
    struct queue *queue;
    struct monodomain *sim;
    int64_t nodes = c.mesh.nodes;
    int32_t *given = calloc((size_t)nodes, sizeof *given), *group = calloc((size_t)nodes, sizeof *group);
    CHECK(given && group, "no memory");
    for (int64_t i = 0; i < nodes; i++)
        given[i] = i % 7 == 3;
    c.params.node_region = given;
    open_case(&c, "cpu", 1, &queue, &sim);
    monodomain_model_map(sim, group);
    CHECK(memcmp(given, group, (size_t)nodes * sizeof *group) == 0, "other models than were given");
    CHECK(monodomain_model(sim, 1) == c.region[1].model, "model 1 is %s", monodomain_model(sim, 1)->name);
    monodomain_free(sim);
    queue_free(queue);
    free(given), free(group);
    case_free(&c);
}

/* Without conductivity every node is a cell of its model: V as in tissue of that model alone. */
static void test_uncoupled(void)
{
    struct test_case c;
    two_models(&c, 2, "mitchell-schaeffer");
    const struct ionic_model *models[2] = {c.region[0].model, c.region[1].model};
    struct queue *queue;
    struct monodomain *sim;
    int64_t length, nodes = c.mesh.nodes;
    int32_t *group = calloc((size_t)nodes, sizeof *group);
    CHECK(group, "no memory");
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 3; k++)
            c.region[r].diffusion[k] = 0;
    for (int64_t i = 0; i < nodes; i++)
        c.stimulated[i] = (int32_t)i;
    c.stimulus[0].nodes = nodes;
    open_case(&c, "cpu", 2, &queue, &sim);
    monodomain_model_map(sim, group);
    monodomain_free(sim);
    queue_free(queue);
    double *mixed = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL); /* V comes first */
    for (int r = 0; r < 2; r++) {
        c.region[0].model = c.region[1].model = models[r];
        double *pure = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
        int64_t compared = 0;
        for (int64_t i = 0; i < nodes; i++) {
            if (group[i] != r)
                continue;
            CHECK(memcmp(&mixed[i], &pure[i], sizeof *pure) == 0, "%s: V of node %lld is %.17g, alone %.17g",
                  models[r]->name, (long long)i, mixed[i], pure[i]);
            compared++;
        }
        CHECK(compared > 50, "only %lld nodes of %s", (long long)compared, models[r]->name);
        free(pure);
    }
    free(mixed), free(group);
    case_free(&c);
}

/* The state of `from` into a fresh tissue with another packing, which goes on: the same bits at the end. The
 * work counted starts anew. */
static void test_restart(enum splitting splitting)
{
    struct test_case c;
    two_models(&c, 3, "mitchell-schaeffer");
    struct error error = {0};
    struct queue *queue[2];
    struct monodomain *sim[2];
    int64_t length, nodes = c.mesh.nodes;
    c.params.splitting = splitting;
    double *want = case_run(&c, backend_find("cpu", NULL), 2, STEPS, &length, NULL);
    open_case(&c, "cpu", 2, &queue[0], &sim[0]);
    open_case(&c, "cpu", 3, &queue[1], &sim[1]);
    CHECK_OK(monodomain_advance(sim[0], STEPS / 2, &error), error);
    double *value = calloc((size_t)nodes, sizeof *value);
    CHECK(value, "no memory");
    for (int k = 0; k < monodomain_variables(sim[0]); k++) {
        CHECK_OK(monodomain_get(sim[0], k, value, &error), error);
        CHECK_OK(monodomain_set(sim[1], k, value, &error), error);
    }
    CHECK_OK(monodomain_restart(sim[1], STEPS / 2, monodomain_history(sim[0]), &error), error);
    monodomain_set_before(sim[1], monodomain_before(sim[0]));
    CHECK_OK(monodomain_advance(sim[1], STEPS - STEPS / 2, &error), error);
    double *got = case_state(sim[1], nodes, &length);
    expect_same(want, got, length, "a restart");
    CHECK(monodomain_step(sim[1]) == STEPS, "step %lld", (long long)monodomain_step(sim[1]));
    CHECK(monodomain_work(sim[1]).steps == STEPS - STEPS / 2, "%lld steps are counted since the restart",
          (long long)monodomain_work(sim[1]).steps);
    for (int k = 0; k < 2; k++) {
        monodomain_free(sim[k]);
        queue_free(queue[k]);
    }
    free(want), free(got), free(value);
    case_free(&c);
}

/* Asking for currents changes nothing, neither V nor what counts as a blow-up: fast sodium current passes the
 * limit that is set here, V does not. */
static void test_currents(void)
{
    struct test_case c;
    two_models(&c, 3, "passive");
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    int64_t length, nodes = c.mesh.nodes;
    double top = 0;
    c.params.voltage_limit = 100;
    c.params.precision = PRECISION_MIXED; /* two classes in a window: filling rows everywhere */
    c.params.precision_budget = 5e-7;
    double *want = case_run(&c, backend_find("cpu", NULL), 2, 2 * STEPS, &length, NULL);
    open_case(&c, "cpu", 2, &queue, &sim);
    double *value = calloc((size_t)nodes, sizeof *value);
    CHECK(value, "no memory");
    for (int n = 0; n < 2 * STEPS; n++) {
        for (int g = 0; g < monodomain_models(sim) && n % 7 == 0; g++)
            for (int k = 0; k < monodomain_model(sim, g)->currents; k++)
                CHECK_OK(monodomain_current(sim, g, k, value, &error), error);
        int sodium = 1;
        CHECK_OK(monodomain_current(sim, 0, sodium, value, &error), error);
        for (int64_t i = 0; i < nodes; i++)
            top = fmax(top, fabs(value[i]));
        CHECK_OK(monodomain_advance(sim, 1, &error), error);
    }
    CHECK(top > c.params.voltage_limit, "INa reaches %g uA/uF only", top);
    double *got = case_state(sim, nodes, &length);
    expect_same(want, got, length, "asking for currents");
    monodomain_free(sim);
    queue_free(queue);
    free(want), free(got), free(value);
    case_free(&c);
}

int main(void)
{
    test_border();
    test_initial(0);
    test_initial(1);
    test_reproducible();
    test_divided();
    test_scale();
    test_nodes();
    test_uncoupled();
    test_restart(SPLITTING_GODUNOV);
    test_restart(SPLITTING_STAGGERED);
    test_currents();
    printf("two regions: as one, as cells, and the same bits however they are run\n");
    return 0;
}
