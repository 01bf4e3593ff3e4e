/* test_fields.c: a parameter given node by node. Without conduction each node equals the cell of a tissue
 * with its value everywhere, bit for bit; values that follow a border equal a tissue of two regions; a uniform
 * field is one value; only the values decide bits. */
#include "app/models/user_model.h"

#include "tests/support/case.h"

enum { STEPS = 24, SETS = 5 };

static struct user_model *models;

/* The regions' model with these parameters varying, compiled for steps as the case's, on the backend; exit
 * status 77 without a C compiler */
static void vary(struct test_case *c, const struct backend *backend, const int *parameter, int parameters)
{
    struct error error = {0};
    const struct source_way way = {c->params.ionic_mixed, c->params.ionic_tables,
                                   c->params.splitting == SPLITTING_STAGGERED};
    struct queue *queue = test_queue(backend, 1);
    const struct ionic_model *model = c->region[0].model;
    if (system("command -v cc >/dev/null") != 0) {
        printf("no C compiler: skipped\n");
        exit(77);
    }
    for (int r = 0; r < 2; r++)
        CHECK_OK(user_model_vary(&models, &c->region[r].varied, model, parameter, parameters, &error), error);
    CHECK(c->region[0].varied == c->region[1].varied && models, "made twice");
    for (struct user_model *user = models; user && !backend->immediate; user = user->next)
        CHECK_OK(user_model_compile(user, way, &error), error);
    CHECK_OK(user_model_load(models, queue, way, &error), error);
    queue_free(queue);
}

static void free_models(void)
{
    user_model_free(models);
    models = NULL;
}

static int parameter_named(const struct ionic_model *model, const char *name)
{
    int k = ionic_find_value(model->parameter, model->parameters, name);
    CHECK(k >= 0, "no %s", name);
    return k;
}

static void expect_same(const double *want, const double *got, int64_t length, const char *what)
{
    int64_t at = first_difference(want, got, length);
    CHECK(at < 0, "%s changes value %lld: %.17g, was %.17g", what, (long long)at, got[at], want[at]);
}

/* Two fields of few values, on nodes in no order; region 1 has none */
static void test_uncoupled(const struct backend *backend, const char *model, const char *const names[2],
                           bool mixed, bool tables, enum splitting splitting)
{
    struct test_case c;
    case_make(&c, 2, model, 0);
    c.params.ionic_mixed = mixed;
    c.params.ionic_tables = tables;
    c.params.splitting = splitting;
    for (int r = 0; r < 2; r++)
        c.region[r].diffusion[0] = c.region[r].diffusion[1] = c.region[r].diffusion[2] = 0;
    const struct ionic_model *of = c.region[0].model;
    const int64_t nodes = c.mesh.nodes;
    int64_t length, again;
    int k[2] = {parameter_named(of, names[0]), parameter_named(of, names[1])};
    double *value[2] = {calloc((size_t)nodes, sizeof(double)), calloc((size_t)nodes, sizeof(double))};
    double *parameter = calloc((size_t)of->parameters, sizeof *parameter);
    CHECK(value[0] && value[1] && parameter, "no memory");
    for (int64_t i = 0; i < nodes; i++) {
        value[0][i] = of->parameter[k[0]].value * (0.5 + (double)(i * 7 % SETS) / SETS);
        value[1][i] = of->parameter[k[1]].value * (1 + (double)(i % 3));
    }
    const struct region_field field[2] = {{k[0], value[0]}, {k[1], value[1]}};
    c.region[0].field = field;
    c.region[0].fields = 2;
    vary(&c, backend, k, 2);
    double *got = case_run(&c, backend, 3, STEPS, &length, NULL);
    c.region[0].fields = 0;
    c.region[0].varied = c.region[1].varied = NULL;
    for (int v = 0; v < 2; v++) /* functions of V that read a field are computed */
        c.params.ionic_tables = c.params.ionic_tables && !of->table_reads(k[v]);
    c.region[0].parameter = parameter;
    int64_t seen = 0;
    int32_t *region = calloc((size_t)nodes, sizeof *region);
    CHECK(region, "no memory");
    mesh_node_regions(&c.mesh, c.element_region, 2, region);
    for (int set = 0; set < 3 * SETS; set++) {
        for (int p = 0; p < of->parameters; p++)
            parameter[p] = of->parameter[p].value;
        parameter[k[0]] = of->parameter[k[0]].value * (0.5 + (double)(set % SETS) / SETS);
        parameter[k[1]] = of->parameter[k[1]].value * (1 + (double)(set / SETS));
        double *want = case_run(&c, backend, 1, STEPS, &again, NULL);
        CHECK(again == length, "%lld values, want %lld", (long long)again, (long long)length);
        for (int64_t i = 0; i < nodes; i++) {
            bool like = value[0][i] == parameter[k[0]] && value[1][i] == parameter[k[1]];
            if (!like && region[i] == 0)
                continue;
            for (int64_t v = 0; v < length / nodes; v++)
                CHECK(memcmp(&got[v * nodes + i], &want[v * nodes + i], sizeof *got) == 0,
                      "%s: variable %lld of node %lld: %.17g, want %.17g", model, (long long)v, (long long)i,
                      got[v * nodes + i], want[v * nodes + i]);
            seen += region[i] == 0;
        }
        free(want);
    }
    int64_t first = 0;
    for (int64_t i = 0; i < nodes; i++)
        first += region[i] == 0;
    CHECK(seen == first && first > 100, "%lld of %lld nodes compared", (long long)seen, (long long)first);
    free(got), free(value[0]), free(value[1]), free(parameter), free(region);
    case_free(&c);
    free_models();
}

/* value[nodes] <- a current of the region's model after some steps */
static void find_current(struct test_case *c, const struct backend *backend, int current, double *value)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK(monodomain_models(sim) == 1, "%d models", monodomain_models(sim));
    CHECK_OK(monodomain_advance(sim, STEPS, &error), error);
    CHECK_OK(monodomain_show(sim, &error), error);
    CHECK_OK(monodomain_current(sim, 0, current, value, &error), error);
    monodomain_hide(sim);
    monodomain_free(sim);
    queue_free(queue);
}

/* Currents of many values are those of each alone, where nothing conducts. */
static void test_currents(const struct backend *backend)
{
    enum { IION = 0 };
    struct test_case c;
    case_make(&c, 2, "luo-rudy-1991", 0);
    c.params.ionic_mixed = true;
    c.params.splitting = SPLITTING_STAGGERED;
    for (int r = 0; r < 2; r++)
        c.region[r].diffusion[0] = c.region[r].diffusion[1] = c.region[r].diffusion[2] = 0;
    const struct ionic_model *of = c.region[0].model;
    const int64_t nodes = c.mesh.nodes;
    const int k = parameter_named(of, "ina.g_Na");
    double *value = calloc((size_t)nodes, sizeof *value), *all = calloc((size_t)nodes, sizeof *all),
           *alone = calloc((size_t)nodes, sizeof *alone), parameter[100];
    CHECK(value && all && alone && of->parameters <= 100, "no memory");
    for (int64_t i = 0; i < nodes; i++)
        value[i] = of->parameter[k].value * (1 + (double)(i * 3 % SETS));
    const struct region_field field = {k, value};
    for (int r = 0; r < 2; r++)
        c.region[r].field = &field, c.region[r].fields = 1;
    vary(&c, backend, &k, 1);
    find_current(&c, backend, IION, all);
    for (int set = 0; set < SETS; set++) {
        for (int p = 0; p < of->parameters; p++)
            parameter[p] = of->parameter[p].value;
        parameter[k] *= 1 + set;
        for (int r = 0; r < 2; r++)
            c.region[r].fields = 0, c.region[r].parameter = parameter, c.region[r].varied = NULL;
        find_current(&c, backend, IION, alone);
        for (int64_t i = 0; i < nodes; i++)
            CHECK(value[i] != parameter[k] || memcmp(&all[i], &alone[i], sizeof *all) == 0,
                  "value %d, node %lld: %.17g, alone %.17g", set, (long long)i, all[i], alone[i]);
    }
    free(value), free(all), free(alone);
    case_free(&c);
    free_models();
}

/* A field that has one value in each region's nodes is two regions of these parameters, coupled, also in
 * sub-steps and in steps of up to dt 2^doublings at rest; and threads, ordering and slices change nothing. The node
 * count is no multiple of a vector. */
static void test_border(const struct backend *backend, int doublings)
{
    struct test_case c;
    case_mesh(&c, 3, (const int[]){13, 6, 4});
    case_furnish(&c, "luo-rudy-1991", 1);
    CHECK(c.mesh.nodes % 8 && c.mesh.nodes % 16, "%lld nodes", (long long)c.mesh.nodes);
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.ionic_mixed = true;
    c.params.ionic_substeps = doublings ? 1 : 2;
    c.params.stimuli = doublings ? 0 : c.params.stimuli;
    const struct ionic_model *of = c.region[0].model;
    const int64_t nodes = c.mesh.nodes;
    int k = parameter_named(of, "ina.g_Na");
    int64_t length, again;
    double *value = calloc((size_t)nodes, sizeof *value),
           *other = calloc((size_t)of->parameters, sizeof *other);
    int32_t *region = calloc((size_t)nodes, sizeof *region);
    CHECK(value && other && region, "no memory");
    for (int p = 0; p < of->parameters; p++)
        other[p] = of->parameter[p].value;
    other[k] = 7.25;
    c.region[1].parameter = other;
    double *fixed = case_run(&c, backend, 3, STEPS, &length, NULL);
    c.params.doublings = doublings;
    double *want = case_run(&c, backend, 3, STEPS, &length, NULL);
    CHECK(doublings == 0 || first_difference(want, fixed, length) >= 0, "no step was longer");
    free(fixed);
    mesh_node_regions(&c.mesh, c.element_region, 2, region);
    for (int64_t i = 0; i < nodes; i++)
        value[i] = region[i] ? 7.25 : of->parameter[k].value;
    const struct region_field field = {k, value};
    for (int r = 0; r < 2; r++) {
        c.region[r].parameter = NULL;
        c.region[r].field = &field;
        c.region[r].fields = 1;
    }
    vary(&c, backend, &k, 1);
    double *got = case_run(&c, backend, 1, STEPS, &again, NULL);
    CHECK(again == length, "%lld values, want %lld", (long long)again, (long long)length);
    expect_same(want, got, length, "a field");
    free(got);
    for (int64_t i = 0; i < nodes; i++)
        value[i] = 7.25;
    c.region[1].fields = 0; /* the region's value where it has no field */
    c.region[1].parameter = other;
    got = case_run(&c, backend, 2, STEPS, &again, NULL);
    c.region[0].varied = c.region[1].varied = NULL;
    c.region[0].fields = 0;
    c.region[0].parameter = other;
    double *uniform = case_run(&c, backend, 2, STEPS, &again, NULL);
    expect_same(uniform, got, length, "a uniform field");
    free(got), free(uniform);
    for (int r = 0; r < 2; r++) {
        c.region[r].parameter = NULL;
        c.region[r].fields = 1;
    }
    vary(&c, backend, &k, 1);
    for (int64_t i = 0; i < nodes; i++) /* now of more values, across both regions */
        value[i] = 10 + (double)(i * 11 % 37) / 8;
    got = case_run(&c, backend, 1, STEPS, &again, NULL);
    CHECK(first_difference(want, got, nodes) >= 0, "the field is not read");
    free(want), free(got), free(value), free(other), free(region);
    case_free(&c);
    free_models();
}

/* A model that is code has no text to be compiled */
static void test_code(void)
{
    struct error error = {0};
    const struct ionic_model *varied;
    enum status status = user_model_vary(&models, &varied, ionic_find("passive"), &(int){0}, 1, &error);
    CHECK(status == STATUS_INPUT && strstr(error.text, "passive is code without a text"), "%s", error.text);
    CHECK(!models, "it is in the list");
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    static const char *const tp06[2] = {"g_Ks", "g_pCa"}, *const luo[2] = {"ina.g_Na", "cell.K_o"};
    test_code();
    test_currents(backend);
    test_border(backend, 0);
    test_uncoupled(backend, "luo-rudy-1991", luo, false, false, SPLITTING_GODUNOV);
    if (argc > 1)
        return 0;
    test_border(backend, 2);
    test_uncoupled(backend, "tp06-epi", tp06, true, true, SPLITTING_STAGGERED);
    test_uncoupled(backend, "luo-rudy-1991", luo, true, true, SPLITTING_GODUNOV); /* its table reads K_o */
    return 0;
}
