/* test_clusters.c: nodes solved as one unknown. Rows, bounds and error factors of small meshes with needles,
 * knots and flat elements against dense matrices; steps of diffusion against a direct solution; sweeps and
 * stages against those that the mesh needs without its worst rows; V within a cluster after a front.
 * `test_clusters [BACKEND]` */
#include "solver/matrix/symmetric.h"
#include "tests/support/diffusion_case.h"
#include "tests/support/planted.h"

static const struct backend *backend;

enum { MOST = 64 };

struct dense {
    int n;
    double k[MOST][MOST], a[MOST][MOST], mass[MOST];
};

static void assemble_dense(struct dense *d, const struct test_case *c, double theta_dt, double lumping)
{
    const struct tensors tensors = {&c->mesh, c->region, c->element_region, NULL};
    memset(d, 0, sizeof *d);
    d->n = (int)c->mesh.nodes;
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        const int n = mesh_corners(&c->mesh, e);
        const int32_t *vertex = c->mesh.vertex + e * (c->mesh.dimension + 1);
        double own[4][4], mass = tensor_stiffness(&tensors, e, own) / n;
        for (int p = 0; p < n; p++) {
            d->mass[vertex[p]] += mass;
            for (int q = 0; q < n; q++) {
                d->k[vertex[p]][vertex[q]] += own[p][q];
                d->a[vertex[p]][vertex[q]] += theta_dt * own[p][q] + (p == q ? lumping * mass : 0) +
                                              (1 - lumping) * mass * (p == q ? 2 : 1) / (n + 1);
            }
        }
    }
}

/* b <- the blocks of clusters of s, else its diagonal */
static void cluster_matrix(const struct clusters *c, int n, double s[MOST][MOST], double b[MOST][MOST])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] =
                i == j || (c->count > 0 && c->label[i] >= 0 && c->label[i] == c->label[j]) ? s[i][j] : 0;
}

/* a <- L^-1 a L^-T, b = L L' (destroyed) */
static void reduce(int n, double a[MOST][MOST], double b[MOST][MOST])
{
    double x[MOST];
    CHECK(symmetric_factor(n, MOST, b[0]), "the blocks are not definite");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                x[j] = pass ? a[j][i] : a[i][j];
            symmetric_forward(n, MOST, b[0], x);
            for (int j = 0; j < n; j++)
                *(pass ? &a[j][i] : &a[i][j]) = x[j];
        }
}

static struct interval extremes_of(int n, double a[MOST][MOST])
{
    struct interval found = {INFINITY, -INFINITY};
    symmetric_eigen(n, MOST, a[0], NULL);
    for (int i = 0; i < n; i++) {
        found.low = fmin(found.low, a[i][i]);
        found.high = fmax(found.high, a[i][i]);
    }
    return found;
}

/* max_i sum_j |B_ij| of B with A B = D, D = diag(m) or the blocks times 1 / share, column by column */
static double largest_row_sum(const struct dense *d, const struct clusters *c, const double *share)
{
    static double l[MOST][MOST], b[MOST][MOST];
    double sum[MOST] = {0}, x[MOST], most = 0;
    memcpy(l, d->a, sizeof l);
    CHECK(symmetric_factor(d->n, MOST, l[0]), "A is not definite");
    cluster_matrix(c, d->n, (double(*)[MOST])d->a, b);
    for (int j = 0; j < d->n; j++) {
        for (int i = 0; i < d->n; i++)
            x[i] = b[i][j] * share[j];
        symmetric_forward(d->n, MOST, l[0], x);
        symmetric_backward(d->n, MOST, l[0], x);
        for (int i = 0; i < d->n; i++)
            sum[i] += fabs(x[i]);
    }
    for (int i = 0; i < d->n; i++)
        most = fmax(most, sum[i]);
    return most;
}

/* Bent, with obtuse angles, and with planted nodes */
static void make_small(struct test_case *c, uint64_t seed, int dimension, int64_t every)
{
    static const int edges[4][3] = {[1] = {20}, [2] = {6, 5}, [3] = {3, 2, 2}};
    case_mesh(c, dimension, edges[dimension]);
    for (int64_t i = 0; i < 3 * c->mesh.nodes; i++)
        if (i % 3 < dimension)
            c->mesh.point[i] += 0.07 * (bits_random(seed * 1000 + (uint64_t)i) - 0.5);
    case_furnish(c, "passive", dimension > 1);
    planted_add(&c->mesh, (enum planted)(seed % PLANTED_KINDS), every + (int64_t)(seed % 7),
                pow(10, -2 - 3 * bits_random(seed)));
}

/* The row of node i in the system with clusters is that of B^-1 A, times d^_i. */
static void check_row(const struct dense *d, const struct system *system, const struct rows *rows,
                      const struct scheme_length *of, const double *inverse, int i, double share)
{
    double row[MOST] = {0};
    const double *own = cluster_row(&rows->clustered, rows->clustered.sweep, i);
    for (int64_t e = system->k.start[i]; e < system->k.start[i + 1]; e++)
        row[system->k.column[e]] = own ? own[e - system->k.start[i]] : system_sweep(system, of, e);
    row[i] = rows->diagonal[i];
    CHECK(fabs(rows->diagonal[i] * share / system->lumped[i] - 1) < 1e-6, "d of row %d", i);
    for (int j = 0; j < d->n; j++)
        CHECK(fabs(row[j] / rows->diagonal[i] - inverse[j]) < 1e-6, "row %d, column %d: %.12g, not %.12g", i,
              j, row[j] / rows->diagonal[i], inverse[j]);
}

/* Returns the clusters that were found. */
static int64_t test_bounds(uint64_t seed, int dimension, double lumping, double dt)
{
    static struct dense d;
    static double a[MOST][MOST], b[MOST][MOST], pa[MOST][MOST];
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct rows rows;
    struct clusters_found found;
    struct perron perron;
    double share[MOST], x[MOST];
    make_small(&c, seed, dimension, 5);
    c.params.step = dt;
    c.params.mass_lumping = lumping;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    const struct scheme scheme = scheme_of(&c.params, c.params.method);
    assemble_dense(&d, &c, dt, lumping);
    CHECK_OK(clusters_find(&found, &tensors, &c.params, &error), error);
    const struct clusters clusters = found.solved;
    CHECK_OK(system_assemble(&system, &tensors, lumping < 1, NULL, &error), error);
    if (clusters.count > 0)
        CHECK_OK(clusters_expand(&system, &clusters, &error), error);
    CHECK_OK(rows_make(&rows, &system, scheme.length, &error), error);
    CHECK_OK(perron_bounds(&perron, &system, scheme.length, &rows, NULL, NULL, &error), error);
    cluster_matrix(&clusters, d.n, d.a, b);
    CHECK(symmetric_factor(d.n, MOST, b[0]), "the blocks are not definite");
    memcpy(share, d.mass, sizeof share); /* 1 / (B^-1 m)_i */
    symmetric_forward(d.n, MOST, b[0], share);
    symmetric_backward(d.n, MOST, b[0], share);
    for (int j = 0; j < d.n; j++) { /* B^-1 A */
        for (int i = 0; i < d.n; i++)
            x[i] = d.a[i][j];
        symmetric_forward(d.n, MOST, b[0], x);
        symmetric_backward(d.n, MOST, b[0], x);
        for (int i = 0; i < d.n; i++)
            pa[i][j] = x[i];
    }
    for (int i = 0; i < d.n; i++)
        check_row(&d, &system, &rows, scheme.length, pa[i], i, share[i]);
    memcpy(a, d.a, sizeof a);
    cluster_matrix(&clusters, d.n, d.a, b);
    reduce(d.n, a, b);
    const struct interval exact = extremes_of(d.n, a),
                          of_rows = rows_interval(&rows, &system, lumping, perron.reach);
    const double slack = 1e-9;
    CHECK(found.elements.jacobi.low <= exact.low + slack && exact.high <= found.elements.jacobi.high + slack,
          "%d-D, seed %llu: elements [%g, %g], exact [%g, %g]", dimension, (unsigned long long)seed,
          found.elements.jacobi.low, found.elements.jacobi.high, exact.low, exact.high);
    CHECK(of_rows.low <= exact.low + slack && exact.high <= of_rows.high + slack,
          "%d-D, seed %llu: rows [%g, %g], exact [%g, %g]", dimension, (unsigned long long)seed, of_rows.low,
          of_rows.high, exact.low, exact.high);
    const double factor = largest_row_sum(&d, &clusters, share);
    CHECK(perron.factor == 0 || perron.factor >= factor * (1 - slack), "factor %g, exact %g", perron.factor,
          factor);
    int64_t count = clusters.count;
    rows_free(&rows);
    system_free(&system);
    clusters_found_free(&found);
    case_free(&c);
    return count;
}

/* Explicit steps: the rate is a bound on the spectrum of (M + S)^-1 K, and clusters lower it. */
static void test_held(uint64_t seed, int dimension)
{
    static struct dense d;
    static double s[MOST][MOST], left[MOST][MOST];
    struct test_case c;
    struct diffusion_case with;
    make_small(&c, seed, dimension, 20);
    c.params.method = METHOD_RKL2;
    c.params.step = 0.02;
    assemble_dense(&d, &c, c.params.step, 1);
    diffusion_case_make(&with, &c, NULL, backend);
    const int n = d.n;
    double *v = calloc((size_t)n, sizeof *v), before = 0, after = 0, size = 0;
    CHECK(v && with.clusters.count > 0 && with.clusters.held, "no clusters to test");
    for (int i = 0; i < n; i++) {
        v[i] = 100 * bits_random((uint64_t)i) - 80;
        before += d.mass[i] * v[i];
        size += d.mass[i] * fabs(v[i]);
    }
    diffusion_case_step(&with, v);
    for (int i = 0; i < n; i++)
        after += d.mass[i] * v[i];
    CHECK(fabs(after - before) < 1e-12 * size, "charge %g is lost", after - before);
    for (int i = 0; i < n; i++) /* (M + S)^-1 K by rows, times M^1/2 on both sides: not symmetric */
        for (int j = 0; j < n; j++)
            s[i][j] = left[i][j] = 0;
    for (int i = 0; i < n; i++) {
        const double *own = cluster_row(&with.rows.clustered, with.rows.clustered.product, i);
        for (int64_t e = with.system.k.start[i]; e < with.system.k.start[i + 1]; e++) {
            double k = own ? own[e - with.system.k.start[i]] / c.params.step : with.system.k.value[e];
            s[i][with.system.k.column[e]] = k / d.mass[i];
            s[i][i] -= k / d.mass[i];
        }
    }
    double x[MOST], y[MOST], rate = 0;
    for (int i = 0; i < n; i++)
        x[i] = bits_random((uint64_t)i) - 0.5;
    for (int round = 0; round < 2000; round++) { /* power iteration */
        rate = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++)
                y[i] += s[i][j] * x[j];
            rate = fmax(rate, fabs(y[i]));
        }
        for (int i = 0; i < n; i++)
            x[i] = y[i] / rate;
    }
    printf("seed %llu: rate %g, bound %g, %d stages, %lld clusters, %lld nodes, %lld refused\n",
           (unsigned long long)seed, rate, 2 / with.limit, with.scheme.length[0].stages,
           (long long)with.clusters.count, (long long)with.clusters.nodes,
           (long long)with.clusters.counts.refused);
    CHECK(rate <= 2 / with.limit * (1 + 1e-9), "rate %g above its bound %g", rate, 2 / with.limit);
    CHECK(with.scheme.length[0].stages > 0 && with.scheme.length[0].stages <= 6, "%d stages",
          with.scheme.length[0].stages);
    free(v);
    diffusion_case_free(&with);
    case_free(&c);
}

/* Steps of diffusion from random V end within the tolerance of the direct solution. */
static double test_direct(enum method method, double lumping, double theta, double dt, int steps)
{
    static struct dense d;
    struct test_case c;
    struct diffusion_case with;
    make_small(&c, 6, 2, 20);
    c.params.method = method;
    c.params.mass_lumping = lumping;
    c.params.splitting = theta < 1 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
    c.params.step = dt;
    assemble_dense(&d, &c, theta * dt, lumping);
    diffusion_case_make(&with, &c, NULL, backend);
    CHECK(with.clusters.count > 0, "no clusters to test");
    CHECK(symmetric_factor(d.n, MOST, d.a[0]), "A is not definite");
    double v[MOST], x[MOST], worst = 0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < d.n; i++)
            v[i] = 100 * bits_random((uint64_t)(step * MOST + i)) - 80;
        for (int i = 0; i < d.n; i++) {
            x[i] = 0;
            for (int j = 0; j < d.n; j++)
                x[i] -= dt * d.k[i][j] * (v[j] - v[i]);
        }
        symmetric_forward(d.n, MOST, d.a[0], x);
        symmetric_backward(d.n, MOST, d.a[0], x);
        for (int i = 0; i < d.n; i++)
            x[i] += v[i];
        diffusion_case_step(&with, v);
        for (int i = 0; i < d.n; i++)
            worst = fmax(worst, fabs(v[i] - x[i]));
    }
    CHECK(worst <= c.params.tolerance, "method %d, f %g, theta %g, dt %g: off by %g mV", method, lumping,
          theta, dt, worst);
    diffusion_case_free(&with);
    case_free(&c);
    return worst;
}

/* With theta 1/2 a jump of V within a cluster is gone after a step: it does not ring. */
static void test_ringing(double lumping)
{
    struct test_case c;
    struct diffusion_case with;
    double v[MOST] = {0};
    make_small(&c, 6, 2, 20);
    c.params.method = METHOD_CHEBYSHEV;
    c.params.mass_lumping = lumping;
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.step = 0.05;
    diffusion_case_make(&with, &c, NULL, backend);
    CHECK(with.clusters.count > 0, "no clusters to test");
    const int32_t *node = with.clusters.node;
    v[node[0]] = 100;
    diffusion_case_step(&with, v);
    double left = fabs(v[node[0]] - v[node[1]]);
    printf("f %g: a jump of 100 mV leaves %.3g mV after a step of theta 1/2\n", lumping, left);
    CHECK(left < 10, "a jump of 100 mV leaves %g mV", left);
    diffusion_case_free(&with);
    case_free(&c);
}

/* *mesh <- flat tetrahedra in a row, each with two nodes of the one before: clusters cut some of them */
static void make_slivers(struct mesh *mesh, uint64_t seed)
{
    struct error error = {0};
    *mesh = (struct mesh){.dimension = 3, .nodes = 14, .elements = 6};
    CHECK_OK(mesh_allocate(mesh, 0, &error), error);
    for (int i = 0; i < 24; i++)
        mesh->vertex[i] = i / 4 * 2 + i % 4;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const uint64_t bits = seed * 100 + 3 * (uint64_t)i;
        double *point = mesh->point + 3 * i;
        point[0] = 0.5 * (double)(i / 2) + 0.2 * bits_random(bits);
        point[1] = 0.5 * (double)(i % 2) + 0.2 * bits_random(bits + 1);
        point[2] = pow(10, -1 - 4 * bits_random(bits + 2));
    }
}

/* With theta 1/2 the rows of all clusters can be made: others are dropped, and counted. */
static int64_t test_slivers(uint64_t seed)
{
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct rows rows;
    struct clusters_found found;
    memset(&c, 0, sizeof c);
    make_slivers(&c.mesh, seed);
    case_furnish(&c, "passive", 0);
    c.params.step = 0.05;
    c.params.splitting = SPLITTING_STAGGERED;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    const struct scheme scheme = scheme_of(&c.params, c.params.method);
    CHECK_OK(clusters_find(&found, &tensors, &c.params, &error), error);
    const struct clusters clusters = found.solved;
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    if (clusters.count > 0)
        CHECK_OK(clusters_expand(&system, &clusters, &error), error);
    CHECK_OK(rows_make(&rows, &system, scheme.length, &error), error);
    const int64_t dropped = clusters.counts.dropped;
    rows_free(&rows);
    system_free(&system);
    clusters_found_free(&found);
    case_free(&c);
    return dropped;
}

/* Sound meshes have no clusters, however fine they are or however long the step; nor has a fine part of one.
 */
static void test_sound(int dimension, double dt, int64_t fine)
{
    struct test_case c;
    struct error error = {0};
    struct clusters_found found;
    case_mesh(&c, dimension, (const int[]){dimension == 1 ? 300 : 14, 10, 8});
    for (int64_t i = 0; i < fine; i++)
        c.mesh.point[3 * i] = c.mesh.point[3 * fine] - 0.01 * (double)(fine - i);
    case_furnish(&c, "passive", 0);
    c.params.step = dt;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(clusters_find(&found, &tensors, &c.params, &error), error);
    const struct clusters clusters = found.solved;
    CHECK(clusters.count == 0, "%d-D, dt %g, %lld fine nodes: %lld clusters", dimension, dt, (long long)fine,
          (long long)clusters.count);
    CHECK((clusters.counts.refused > 0) == (fine > 0), "%lld strong edges are left",
          (long long)clusters.counts.refused);
    clusters_found_free(&found);
    case_free(&c);
}

/* At most twice what the mesh needs without its worst rows */
static void test_goal(enum planted kind, int dimension, double gap, double lumping, double dt,
                      enum method method)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim;
    case_mesh(&c, dimension, dimension == 2 ? (const int[]){60, 60, 0} : (const int[]){20, 14, 12});
    case_furnish(&c, "passive", 1);
    planted_add(&c.mesh, kind, c.mesh.elements / (dimension == 2 ? 24 : 12), gap);
    c.params.step = dt;
    c.params.method = method;
    c.params.mass_lumping = lumping;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    const struct monodomain_report *r = monodomain_report(sim);
    double without = report_sweeps(r->scheme.method, c.params.tolerance, r->typical_low, r->typical_high);
    double with = report_sweeps(r->scheme.method, c.params.tolerance, r->scheme.length[0].low,
                                r->scheme.length[0].high);
    if (r->scheme.method == METHOD_RKL2) {
        without = r->typical_stages;
        with = r->scheme.length[0].stages;
    }
    printf("kind %d, %d-D, gap %g mm, f %g, dt %g ms, method %d: %lld clusters of %lld nodes; %.0f, without "
           "the worst rows %.0f\n",
           (int)kind, dimension, gap, lumping, dt, (int)r->scheme.method, (long long)r->clusters.clusters,
           (long long)r->clusters.nodes, with, without);
    CHECK(with > 0 && with <= 2 * without, "%g sweeps or stages, without the worst rows %g", with, without);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* 20 ms after a front near nodes of a cluster have one V. */
static void test_front(enum method method)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim;
    struct clusters_found found;
    double worst = 0, least = INFINITY;
    case_make(&c, 2, "mitchell-schaeffer", 1);
    planted_few(&c.mesh);
    c.params.step = 0.05;
    c.params.method = method;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(clusters_find(&found, &tensors, &c.params, &error), error);
    const struct clusters clusters = c.params.method == METHOD_RKL2 ? found.held : found.solved;
    CHECK(clusters.count > 0, "no clusters to test");
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK(monodomain_report(sim)->clusters.clusters == clusters.count, "other clusters");
    CHECK_OK(monodomain_advance(sim, 700, &error), error);
    double *v = calloc((size_t)c.mesh.nodes, sizeof *v);
    CHECK(v, "no memory");
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    for (int64_t i = 0; i < c.mesh.nodes; i++)
        least = fmin(least, v[i]);
    for (int64_t s = 0; s < clusters.nodes; s++) {
        int64_t first = clusters.node[clusters.begin[clusters.label[clusters.node[s]]]];
        if (distance(c.mesh.point + 3 * (int64_t)clusters.node[s], c.mesh.point + 3 * first) < 0.02)
            worst = fmax(worst, fabs(v[clusters.node[s]] - v[first]));
    }
    printf("method %d: V within clusters differs by %.2g mV after a front\n", (int)method, worst);
    CHECK(least > -20 && worst < 0.01, "V %g mV at least, %g mV apart within a cluster", least, worst);
    free(v);
    monodomain_free(sim);
    clusters_found_free(&found);
    queue_free(queue);
    case_free(&c);
}

/* *report <- of a sheet with planted nodes; returns its variables after a front, to be freed */
static double *run_planted(enum method method, int doublings, int64_t *length,
                           struct monodomain_report *report)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim;
    case_make(&c, 2, "mitchell-schaeffer", 1);
    planted_few(&c.mesh);
    c.params.step = 0.05;
    c.params.splitting = SPLITTING_STAGGERED;
    c.params.method = method;
    c.params.doublings = doublings;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    *report = *monodomain_report(sim);
    CHECK_OK(monodomain_advance(sim, 64, &error), error);
    double *state = case_state(sim, c.mesh.nodes, length);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
    return state;
}

/* Where `auto` chooses rkl2, its clusters, stages and bits are those of rkl2 by name. */
static void test_auto(int doublings)
{
    struct monodomain_report chosen, named;
    int64_t length;
    double *a = run_planted(METHOD_AUTO, doublings, &length, &chosen),
           *b = run_planted(METHOD_RKL2, doublings, &length, &named);
    CHECK(chosen.scheme.method == METHOD_RKL2, "auto chose method %d", (int)chosen.scheme.method);
    CHECK(named.clusters.clusters > 0 && chosen.clusters.clusters == named.clusters.clusters &&
              chosen.clusters.nodes == named.clusters.nodes &&
              chosen.scheme.length[0].stages == named.scheme.length[0].stages &&
              chosen.scheme.lengths == named.scheme.lengths,
          "auto: %lld clusters, %d stages; rkl2: %lld, %d", (long long)chosen.clusters.clusters,
          chosen.scheme.length[0].stages, (long long)named.clusters.clusters, named.scheme.length[0].stages);
    CHECK(first_difference(a, b, length) < 0, "auto has other bits than rkl2");
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    backend = test_backend(argc, argv);
    test_auto(0);
    int64_t clusters = 0;
    for (uint64_t seed = 0; seed < 60; seed++)
        clusters += test_bounds(seed, 1 + (int)(seed % 3), seed % 4 == 3 ? 0.5 : 1,
                                (double[]){0.01, 0.05, 0.2, 0.8}[seed / 3 % 4]);
    printf("%lld clusters in 60 meshes\n", (long long)clusters);
    CHECK(clusters > 60, "%lld clusters: nothing would be tested", (long long)clusters);
    int64_t dropped = 0;
    for (uint64_t seed = 0; seed < 100; seed++)
        dropped += test_slivers(seed);
    printf("%lld clusters are dropped for theta 1/2\n", (long long)dropped);
    CHECK(dropped > 0, "no cluster had to be dropped");
    for (uint64_t seed = 0; seed < 8; seed++)
        if (seed % PLANTED_KINDS != PLANTED_FLATS)
            test_held(seed, 2);
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 4; k++)
            printf("method %d: off by %.2g mV\n", m,
                   test_direct(methods[m], k == 3 && m == 1 ? 0.5 : 1, 1,
                               (double[]){0.01, 0.05, 0.05, 0.2}[k], 125));
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int k = 0; k < 3; k++)
            test_sound(dimension, (double[]){0.05, 0.8, 5}[k], 0);
    test_sound(1, 0.05, 120);
    test_ringing(1);
    test_ringing(0.5);
    for (int k = 0; k < 30; k++)
        test_goal((enum planted)(k % PLANTED_KINDS), 2 + k % 2,
                  (double[]){0.02, 0.002, 2e-4, 2e-5, 2e-6}[k % 5], k % 3 == 2 ? 0.5 : 1,
                  (double[]){0.01, 0.05, 0.1, 0.2, 0.4, 0.8}[k % 6], METHOD_AUTO);
    for (int k = 0; k < 8; k++)
        test_goal((enum planted)(k % PLANTED_KINDS), 2 + k / 4, 0.002, 1, k % 2 ? 0.02 : 0.05, METHOD_RKL2);
    test_front(METHOD_AUTO);
    test_front(METHOD_RKL2);
    return 0;
}
