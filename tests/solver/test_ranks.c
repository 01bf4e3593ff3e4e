/* test_ranks.c: started as several ranks, which have the bits of one, in V, all states, maps and sweep
 * counts, for any method, ordering, precision and partition. */
#include "kernels/device/comm.h"
#include "solver/step/leads.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/rows.h"
#include "solver/ranks/subdomain.h"
#include "tests/support/planted.h"

enum { STEPS = 25 };

static struct comm *ranks;

static void *copy(const void *array, int64_t count, size_t size)
{
    void *made = malloc((size_t)count * size + 1);
    CHECK(made, "no memory");
    memcpy(made, array, (size_t)count * size);
    return made;
}

/* What rank 0 has handed out is what this rank, too, would find: bit for bit the mesh and the lists. */
static void check_subdomain(const struct test_case *whole, const struct test_case *c,
                            const struct subdomain *subdomain)
{
    const struct mesh *mesh = &c->mesh, *all = &whole->mesh;
    const struct partition *p = &subdomain->partition;
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements && mesh->number; e++) {
        int64_t from = mesh->number[e];
        bool own = false;
        for (int a = 0; a < corners; a++) {
            int64_t node = mesh->vertex[e * corners + a];
            own |= partition_has(p, node);
            CHECK(partition_number(p, node) == all->vertex[from * corners + a], "another vertex");
        }
        CHECK(own && (e == 0 || mesh->number[e - 1] < from), "element %lld", (long long)from);
        CHECK(c->element_region[e] == whole->element_region[from] && mesh->tag[e] == all->tag[from], "tags");
        CHECK(memcmp(mesh->fiber + 3 * e, all->fiber + 3 * from, 24) == 0, "fibre of %lld", (long long)from);
    }
    for (int64_t i = 0; i < mesh->nodes; i++) {
        int64_t from = partition_number(p, i);
        CHECK(memcmp(mesh->point + 3 * i, all->point + 3 * from, 24) == 0, "point %lld", (long long)from);
        CHECK(i == 0 || partition_number(p, i - 1) < from, "node %lld", (long long)from);
    }
    CHECK(comm_sum(ranks, ranks->size > 1 ? p->of.begin[ranks->rank + 1] - p->of.begin[ranks->rank]
                                          : all->nodes) == all->nodes,
          "not each node is one rank's");
}

/* Rank 0 has all rows of the whole mesh from the ranks' parts, and some in the middle. */
static void check_rows(const struct mesh *all, const struct mesh *mesh, const struct subdomain *subdomain)
{
    if (ranks->rank > 0) {
        subdomain_serve(subdomain, mesh);
        return;
    }
    const size_t corners = (size_t)all->dimension + 1;
    const struct {
        const void *array;
        int64_t rows;
        size_t row;
    } whole[SUBDOMAIN_END] = {[SUBDOMAIN_POINTS] = {all->point, all->nodes, 24},
                              [SUBDOMAIN_VERTICES] = {all->vertex, all->elements, 4 * corners},
                              [SUBDOMAIN_TAGS] = {all->tag, all->elements, 4},
                              [SUBDOMAIN_FIBERS] = {all->fiber, all->elements, 24},
                              [SUBDOMAIN_SHEETS] = {all->sheet, all->elements, 24}};
    for (int which = 0; which < SUBDOMAIN_END; which++)
        for (int some = 0; some < 2; some++) {
            const int64_t first = some * (whole[which].rows / 3), count = whole[which].rows / (1 + some);
            const size_t row = whole[which].row, bytes = (size_t)count * row;
            char *value = malloc(bytes);
            CHECK(value, "no memory");
            memset(value, 77, bytes);
            subdomain_rows(subdomain, mesh, (enum subdomain_rows)which, first, count, value);
            CHECK(memcmp(value, (const char *)whole[which].array + (size_t)first * row, bytes) == 0,
                  "array %d", which);
            free(value);
        }
    subdomain_end(subdomain);
}

/* The case with this rank's part alone, in arrays of its own; case_free and subdomain_free give it back. Rank
 * 0 may keep all; of three ranks all have all nodes. */
static void keep_subdomain(struct test_case *c, struct subdomain *subdomain, const int32_t *owner,
                           bool first_all)
{
    struct error error = {0};
    const struct test_case whole = *c;
    int64_t n = c->mesh.nodes, e = c->mesh.elements;
    bool first = ranks->rank == 0, all_nodes = ranks->size == 3;
    CHECK_OK(subdomain_make(subdomain, ranks, &c->mesh, &c->params, owner, &error), error);
    c->stimulated = copy(c->stimulated, n, sizeof *c->stimulated);
    c->mesh = (struct mesh){0};
    c->element_region = NULL;
    if (first) {
        c->mesh = whole.mesh;
        c->mesh.point = copy(c->mesh.point, 3 * n, sizeof *c->mesh.point);
        c->mesh.vertex = copy(c->mesh.vertex, e * (c->mesh.dimension + 1), sizeof *c->mesh.vertex);
        c->mesh.tag = copy(c->mesh.tag, e, sizeof *c->mesh.tag);
        c->mesh.fiber = copy(c->mesh.fiber, 3 * e, sizeof *c->mesh.fiber);
        c->mesh.sheet = copy(c->mesh.sheet, 3 * e, sizeof *c->mesh.sheet);
        c->element_region = copy(whole.element_region, e, sizeof *c->element_region);
    }
    const struct subdomain_array beside = {(void **)&c->element_region, sizeof *c->element_region};
    CHECK_OK(subdomain_scatter(subdomain, &c->mesh, all_nodes, &beside, 1, &error), error);
    if (first && !first_all) {
        CHECK_OK(subdomain_keep(subdomain, &c->mesh, &error), error);
        if (!all_nodes)
            CHECK_OK(subdomain_keep_nodes(subdomain, &c->mesh, &error), error);
        if (c->mesh.number)
            c->element_region = subdomain_keep_rows(c->element_region, &c->mesh, sizeof *c->element_region);
    }
    CHECK(ranks->size == 1 || (first && first_all) || c->mesh.elements < e || owner,
          "a rank of %d keeps all elements", ranks->size);
    check_subdomain(&whole, c, subdomain);
    check_rows(&whole.mesh, &c->mesh, subdomain);
    c->params.element_region = c->element_region;
    c->params.subdomain = subdomain;
}

/* Of several ranks rank 0 has all of it, of one each */
static double *run(struct test_case c, bool several, const int32_t *owner, int64_t *length, int64_t *sweeps)
{
    struct subdomain subdomain = {0};
    if (several)
        keep_subdomain(&c, &subdomain, owner, ranks->size == 2);
    *sweeps = 0;
    double *state = case_run(&c, backend_find("cpu", NULL), 1, STEPS, length, sweeps);
    if (several)
        case_free(&c);
    subdomain_free(&subdomain);
    return state;
}

static void expect_same(const struct test_case *c, const int32_t *owner, const char *what)
{
    int64_t length, sweeps, expected;
    double *want = run(*c, false, NULL, &length, &expected);
    double *got = run(*c, true, owner, &length, &sweeps);
    int64_t k = ranks->rank == 0 ? first_difference(want, got, length) : -1;
    CHECK(sweeps == expected, "%s: %lld sweeps, want %lld", what, (long long)sweeps, (long long)expected);
    CHECK(k < 0, "%s: value %lld of %lld is %.17g, want %.17g", what, (long long)k, (long long)length, got[k],
          want[k]);
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < c->mesh.nodes; i++) {
        low = fmin(low, want[i]);
        high = fmax(high, want[i]);
    }
    CHECK(high - low > 5, "%s: V spans %g mV only; nothing would be tested", what, high - low);
    free(want);
    free(got);
}

static void test_methods(int dimension)
{
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2};
    for (int m = 0; m < 3; m++)
        for (int mixed = 0; mixed < 2; mixed++) {
            struct test_case c;
            char what[100];
            case_make_small(&c, dimension, 14, "tp06-epi", dimension > 1);
            c.params.method = methods[m];
            c.params.update = (m + mixed) % 2 ? UPDATE_FUSED : UPDATE_HYBRID;
            c.params.precision = mixed ? PRECISION_MIXED : PRECISION_DOUBLE;
            c.params.ionic_mixed = mixed;
            c.params.splitting = dimension == 2 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
            c.params.activation_threshold = -80;
            snprintf(what, sizeof what, "%d-D, method %d, mixed %d", dimension, methods[m], mixed);
            expect_same(&c, NULL, what);
            case_free(&c);
        }
}

/* max_i sum_j |e_ij| / d_i, the bound on |lambda(D^-1 A) - 1| that needs no rounds */
static double reach_of_sums(const struct test_case *c)
{
    const struct tensors tensors = {&c->mesh, c->region, c->element_region, NULL};
    const struct scheme scheme = scheme_of(&c->params, c->params.method);
    struct error error = {0};
    struct system system;
    struct rows rows;
    double reach = 0;
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(rows_make(&rows, &system, scheme.length, &error), error);
    for (int64_t i = 0; i < system.k.rows; i++)
        reach = fmax(reach, rows.offdiag_abs_sum[i] / rows.diagonal[i]);
    rows_free(&rows);
    system_free(&system);
    return reach;
}

/* A mesh with slivers, where rounds improve the bounds on the spectrum: ranks exchange what they improve. */
static void test_bounds(void)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    case_make_small(&c, 3, 14, "tp06-epi", 1);
    c.params.method = METHOD_CHEBYSHEV;
    c.params.precision = PRECISION_DOUBLE;
    c.params.activation_threshold = -80;
    const int32_t *corner = c.mesh.vertex + 4 * (c.mesh.elements / 2);
    for (int k = 0; k < 3; k++)
        c.mesh.point[3 * corner[0] + k] +=
            0.9 * (c.mesh.point[3 * corner[1] + k] - c.mesh.point[3 * corner[0] + k]);
    CHECK_OK(queue_new(&queue, backend_find("cpu", NULL), 1, &error), error);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK(monodomain_report(sim)->row_high - 1 < 0.99 * reach_of_sums(&c),
          "rows' sums give the same bounds: nothing would be tested");
    monodomain_free(sim);
    queue_free(queue);
    expect_same(&c, NULL, "a mesh with slivers");
    case_free(&c);
}

/* Clusters, of which each stays on one rank, wherever the nodes around it are */
static void test_clusters(int dimension)
{
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2, METHOD_AUTO};
    for (int m = 0; m < 4; m++) {
        struct test_case c;
        char what[100];
        case_make_small(&c, dimension, 14, "tp06-epi", 1);
        planted_few(&c.mesh);
        c.params.method = methods[m];
        c.params.precision = m % 2 ? PRECISION_MIXED : PRECISION_DOUBLE;
        c.params.mass_lumping = m == 1 ? 0.5 : 1;
        c.params.activation_threshold = -80;
        planted_check(&c, 3);
        int32_t *owner = calloc((size_t)c.mesh.nodes, sizeof *owner);
        CHECK(owner, "no memory");
        for (int64_t i = 0; i < c.mesh.nodes; i++)
            owner[i] = (int32_t)(i % ranks->size);
        snprintf(what, sizeof what, "%d-D, clusters, method %d", dimension, (int)methods[m]);
        expect_same(&c, NULL, what);
        expect_same(&c, owner, what);
        free(owner);
        case_free(&c);
    }
}

/* Nodes that change ranks one by one; a rank with one node; one part inside the other; a rank far away */
static void test_partitions(void)
{
    struct test_case c;
    case_make_small(&c, 3, 12, "tp06-epi", 1);
    int64_t n = c.mesh.nodes;
    int32_t *owner = calloc((size_t)n, sizeof *owner);
    CHECK(owner, "no memory");
    for (int64_t i = 0; i < n; i++)
        owner[i] = (int32_t)(i % ranks->size);
    expect_same(&c, owner, "nodes in turn");
    for (int64_t i = 0; i < n; i++)
        owner[i] = i < ranks->size ? (int32_t)i : ranks->size - 1;
    expect_same(&c, owner, "ranks of one node");
    for (int64_t i = 0; i < n; i++)
        owner[i] = (int32_t)(i * ranks->size / n);
    c.params.precision = PRECISION_MIXED;
    c.params.precision_budget = 3e-9;
    expect_same(&c, owner, "strips, rows of both precisions");
    c.params.precision_budget = 5e-5;
    expect_same(&c, owner, "strips, rows of more classes");
    free(owner);
    case_free(&c);
}

/* Costs that differ by the node are cut into equal parts, but for a node at each of the cuts that a part is
 * between. */
static void test_cut(void)
{
    enum { MOST = 9, CUTS = 3 };
    struct test_case c;
    struct partition p;
    struct error error = {0};
    case_make_small(&c, 3, 16, "tp06-epi", 0);
    int32_t *cost = calloc((size_t)c.mesh.nodes, sizeof *cost);
    CHECK(cost && ranks->size <= 1 << CUTS, "no memory, or more ranks than expected");
    double all = 0;
    for (int64_t i = 0; i < c.mesh.nodes; i++) {
        cost[i] = 1 + (int32_t)(bits_random((uint64_t)i) * (MOST - 1)) + (c.mesh.point[3 * i] < 0.7 ? 20 : 0);
        all += cost[i];
    }
    CHECK_OK(partition_make(&p, ranks, &c.mesh, cost, NULL, &(const struct together){0}, &error), error);
    for (int r = 0; r < ranks->size && p.owner; r++) {
        double own = 0;
        for (int64_t i = 0; i < c.mesh.nodes; i++)
            own += p.owner[i] == r ? cost[i] : 0;
        CHECK(fabs(own - all / ranks->size) <= CUTS * (MOST + 20), "rank %d of %d: %g of %g", r, ranks->size,
              own, all);
    }
    partition_free(&p);
    free(cost);
    case_free(&c);
}

/* What one rank alone may have */
static void test_refused(void)
{
    if (ranks->size == 1)
        return;
    struct test_case c;
    struct error error = {0};
    struct subdomain subdomain;
    case_make_small(&c, 1, ranks->size - 2 > 1 ? ranks->size - 2 : 1, "tp06-epi", 0);
    if (c.mesh.nodes < ranks->size) {
        CHECK(subdomain_make(&subdomain, ranks, &c.mesh, &c.params, NULL, &error) == STATUS_INPUT,
              "more ranks than nodes");
        CHECK(strstr(error.text, "each rank requires a node"), "%s", error.text);
    }
    case_free(&c);
}

/* A blow-up at one node: all ranks stop in the same step, with the same message as one rank; with a raised
 * budget, too, where it is seen before the step is done. */
static void test_failure(bool raised)
{
    struct test_case c;
    struct error alone = {0}, together = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    double *state[2];
    int64_t length, step[2];
    struct bounds {
        double value[5];
    } bounds[2];
    case_make_small(&c, 2, 14, "tp06-epi", 1);
    c.params.voltage_limit = -20;
    c.params.activation_threshold = -60;
    c.params.voltage_limit = 88;
    c.params.precision = raised ? PRECISION_MIXED : c.params.precision;
    c.params.precision_budget = raised ? 1e-2 : c.params.precision_budget;
    c.params.stimulus = c.stimulus + 1; /* of the lower half of the nodes alone */
    c.params.stimuli = 1;
    c.stimulus[1].current = 400;
    struct subdomain subdomain;
    struct test_case local_case = c;
    keep_subdomain(&local_case, &subdomain, NULL, false);
    for (int several = 0; several < 2; several++) {
        struct monodomain *sim;
        struct error *error = several ? &together : &alone;
        const struct test_case *of = several ? &local_case : &c;
        CHECK_OK(monodomain_create(&sim, &of->mesh, &of->params, queue, error), *error);
        const struct monodomain_report *r = monodomain_report(sim);
        const struct scheme_length *dt = r->scheme.length;
        bounds[several] =
            (struct bounds){{dt->low, dt->high, r->explicit_limit, dt->beta, r->scheme.fp32_share}};
        CHECK(monodomain_advance(sim, 60, error) == STATUS_RUN, "it does not blow up");
        state[several] = case_state(sim, c.mesh.nodes, &length);
        step[several] = monodomain_step(sim);
        monodomain_free(sim);
    }
    CHECK(memcmp(&bounds[0], &bounds[1], sizeof *bounds) == 0, "other bounds of the spectrum");
    CHECK(strcmp(alone.text, together.text) == 0, "'%s', alone '%s'", together.text, alone.text);
    CHECK(step[0] == step[1] && step[0] > 3, "step %lld, alone %lld", (long long)step[1], (long long)step[0]);
    CHECK(ranks->rank > 0 || first_difference(state[0], state[1], length) < 0, "other states after it");
    free(state[0]);
    free(state[1]);
    subdomain_free(&subdomain);
    case_free(&local_case);
    case_free(&c);
    queue_free(queue);
}

/* Weighted sums, and a state that is set anew */
static void test_leads(void)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    double sum[2][3];
    case_make_small(&c, 3, 14, "tp06-epi", 1);
    int64_t n = c.mesh.nodes;
    double *weight = calloc(3 * (size_t)n, sizeof *weight);
    CHECK(weight, "no memory");
    for (int64_t k = 0; k < 3 * n; k++)
        weight[k] = bits_random((uint64_t)k) - 0.5;
    struct subdomain subdomain;
    struct test_case local_case = c;
    keep_subdomain(&local_case, &subdomain, NULL, true);
    for (int several = 0; several < 2; several++) {
        struct monodomain *sim;
        struct leads *leads;
        const struct test_case *of = several ? &local_case : &c;
        CHECK_OK(monodomain_create(&sim, &of->mesh, &of->params, queue, &error), error);
        CHECK_OK(leads_create(&leads, sim, weight, 3, &error), error);
        CHECK_OK(monodomain_advance(sim, 9, &error), error);
        CHECK_OK(leads_read(leads, sum[several], &error), error);
        leads_free(leads);
        monodomain_free(sim);
    }
    CHECK(ranks->rank > 0 || memcmp(sum[0], sum[1], sizeof *sum) == 0, "%.17g, alone %.17g", sum[1][0],
          sum[0][0]);
    free(weight);
    subdomain_free(&subdomain);
    case_free(&local_case);
    case_free(&c);
    queue_free(queue);
}

int main(void)
{
    struct error error = {0};
    CHECK_OK(comm_open(&ranks, &error), error);
    for (int dimension = 1; dimension <= 3; dimension++)
        test_methods(dimension);
    test_bounds();
    test_clusters(2);
    test_clusters(3);
    test_partitions();
    test_cut();
    test_refused();
    test_failure(false);
    test_failure(true);
    test_leads();
    if (ranks->rank == 0)
        printf("%d ranks: the bits of one\n", ranks->size);
    comm_close(ranks);
    return 0;
}
