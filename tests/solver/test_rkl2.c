/* test_rkl2.c: the stages of rkl2 are the published scheme: an eigenvector of a cable is multiplied by the
 * polynomial of the eigenvalue, up to the limit of stability, beyond which it grows. Their number is the
 * least that is stable. Rounding to fp32 keeps constants and sums, and moves V by the budget at most, in
 * other methods too. `test_rkl2 [BACKEND]` */
#include "tests/support/diffusion_case.h"

static const double pi = 3.14159265358979323846;

enum { EDGES = 37 };

static const struct backend *backend;

/* A uniform cable of one conductivity: sampled cosines are its eigenvectors */
static void make_cable(struct test_case *c, double *stiffest)
{
    memset(c, 0, sizeof *c);
    c->mesh = mesh_sample_lattice(1, (const int[]){EDGES, 0, 0}, (const double[]){0.2, 0.2, 0.2});
    case_furnish(c, "passive", 0);
    c->region[1] = c->region[0];
    c->params.method = METHOD_RKL2;
    *stiffest = 4 * c->region[0].diffusion[0] / (0.2 * 0.2);
}

/* The scheme as published, of V itself, for V' = -z V */
static double published(int s, double z)
{
    double b[RKL2_STAGES_MOST + 1], w = 4.0 / (s * s + s - 2), before = 1, y = 1 - w / 3 * z;
    for (int j = 0; j <= s; j++)
        b[j] = j < 2 ? 1.0 / 3 : (j * j + j - 2.0) / (2.0 * j * (j + 1));
    for (int j = 2; j <= s; j++) {
        double mu = (2.0 * j - 1) / j * b[j] / b[j - 1], nu = -(j - 1.0) / j * b[j] / b[j - 2];
        double mt = mu * w, g = -(1 - b[j - 1]) * mt;
        double next = mu * y + nu * before + (1 - mu - nu) - mt * z * y - g * z;
        before = y;
        y = next;
    }
    return y;
}

/* What a step makes of mode k where the stiffest has z = share of the end of stability */
static double factor(int stages, double share, int k)
{
    struct test_case c;
    struct diffusion_case d;
    double stiffest, v[EDGES + 1], left[EDGES + 1];
    make_cable(&c, &stiffest);
    c.params.step = share * 2 / (rkl2_weight(stages) * stiffest);
    diffusion_case_make_stages(&d, &c, NULL, stages, backend);
    for (int i = 0; i <= EDGES; i++)
        left[i] = v[i] = cos(k * pi * i / EDGES);
    diffusion_case_step(&d, left);
    double z = stiffest * c.params.step * (1 - cos(k * pi / EDGES)) / 2, want = published(stages, z);
    for (int i = 0; i <= EDGES; i++)
        CHECK(fabs(left[i] - want * v[i]) < 1e-13 * fmax(1, fabs(want)),
              "%d stages, z = %g: node %d is %.17g, want %.17g", stages, z, i, left[i], want * v[i]);
    diffusion_case_free(&d);
    case_free(&c);
    return want;
}

static void test_stability(int stages)
{
    double worst = 0, damped = 0, share = 1 / rkl2_weight(stages);
    for (int k = 1; k <= EDGES; k += 4) {
        worst = fmax(worst, fabs(factor(stages, 0.999, k)));
        damped = fmax(damped, fabs(factor(stages, rkl2_reach(stages) / share, k)));
    }
    CHECK(worst < 1 && damped < 1, "%d stages: a mode grows by %g or %g", stages, worst, damped);
    double last = fabs(factor(stages, rkl2_reach(stages) / share, EDGES));
    CHECK(last < 0.85, "%d stages: the stiffest mode is left with %g", stages, last);
    double beyond = fabs(factor(stages, stages % 2 ? 1.3 : 1.02, EDGES));
    CHECK(beyond > 1.01, "%d stages: the stiffest mode is multiplied by %g", stages, beyond);
}

/* eps_s of a mode z from b / m and, as `after`, b_u / m */
static double stage_mode(int s, double z, double b, double after)
{
    double c[RKL2_STAGES_MOST][RKL2_COEFFICIENTS], w = rkl2_weight(s), before = 0, x = w / 3 * b;
    rkl2_coefficients(s, true, c[0]);
    for (int j = 0; j < s - 1; j++) {
        double next = c[j][0] * (x + (c[j][2] * b + c[j][3] * after - z * x) * w) + c[j][1] * before;
        before = x;
        x = next;
    }
    return x;
}

/* With the source inside: of V' = s - z V in dt = 1, V(0) = 1 and s = z is a steady state, to rounding; V(0)
 * = 0 and s = 1 is of second order; errors of both right sides together arrive as they are at most. */
static void test_source(int s)
{
    double stable = 2 / rkl2_weight(s), small = 1e-3;
    for (int k = 0; k <= 200; k++) {
        double z = k / 200.0 * stable;
        double steady = z + stage_mode(s, z, -z, -z * (1 + z));
        CHECK(fabs(steady) < 1e-12 * (1 + z * z), "%d stages, z = %g: a steady state moves by %g", s, z,
              steady);
        double arrives = fabs(stage_mode(s, z, 1, 0)) + fabs(stage_mode(s, z, 0, 1));
        CHECK(arrives < 1 + 1e-12, "%d stages, z = %g: errors of both right sides are %g", s, z, arrives);
    }
    double exact = (1 - exp(-small)) / small, got = 1 + stage_mode(s, small, 0, -small);
    CHECK(fabs(got - exact) < small * small, "%d stages: %.12g from a source, want %.12g", s, got, exact);
    const double z = 0.01, odd = (stage_mode(s, z, -z, -z) - stage_mode(s, -z, z, z)) / 2;
    const double third = -(odd + z) / (z * z * z), want = (1 - rkl2_weight(s)) / 9;
    CHECK(fabs(third - want) < 1e-6, "%d stages: a term of third order of %.9g, want %.9g", s, third, want);
}

/* As few as are stable; and the sum of what errors of all stages make is largest where rkl2.c says */
static void test_numbers(void)
{
    double before = 0;
    for (int s = 2; s <= RKL2_STAGES_MOST; s++) {
        double reach = rkl2_reach(s);
        CHECK(reach <= 0.25 * (s * s + s - 2), "%d stages reach %g", s, reach);
        if (reach > before) /* not of every even number */
            CHECK(rkl2_stages(0.3 * reach, 0.3) == s && (s == 2 || rkl2_stages(0.3001 * before, 0.3) == s),
                  "for %g and %g: not %d stages", before, reach, s);
        before = fmax(before, reach);
        double coefficient[RKL2_STAGES_MOST][RKL2_COEFFICIENTS], most = 0;
        rkl2_coefficients(s, false, coefficient[0]);
        for (int at = 0; at <= 200; at++) {
            double sum = 0, zeta = at / 100.0 - 1;
            for (int j = 2; j <= s; j++) {
                double q = 1, older = 0;
                for (int k = j + 1; k <= s; k++) {
                    double next = coefficient[k - 2][0] * zeta * q + coefficient[k - 2][1] * older;
                    older = q;
                    q = next;
                }
                sum += coefficient[j - 2][0] * rkl2_weight(s) * fabs(q);
            }
            most = fmax(most, sum);
        }
        CHECK(fabs(most - rkl2_amplification(s)) < 1e-12, "%d stages: %.15g, want %.15g", s,
              rkl2_amplification(s), most);
    }
    for (int s = 2; s <= RKL2_STAGES_MOST; s++)
        test_source(s);
    CHECK(rkl2_stages(before, 1) > 0 && rkl2_stages(1.001 * before, 1) == 0, "the last is %g", before);
    CHECK(rkl2_stages(NAN, 1) == 0, "no number of stages for a step that is no number");
}

/* x, and x rounded, <- v[nodes] */
static void set_iterate(struct diffusion_case *d, const double *v)
{
    struct error error = {0};
    int64_t rows = d->layout.rows;
    float *rounded = calloc((size_t)rows, sizeof *rounded);
    CHECK(rounded, "no memory");
    diffusion_case_set(d, d->vectors.x, v);
    for (int64_t k = 0; k < rows; k++)
        rounded[k] = (float)d->staging[k];
    CHECK_OK(device_upload(d->queue, d->diffusion.x32, rounded, (size_t)rows * sizeof *rounded, &error),
             error);
    free(rounded);
}

/* A constant x has no difference, in rows of either precision; and what flows out of one row flows into
 * another, where all are fp32. */
static void test_rounded(void)
{
    struct test_case c;
    struct diffusion_case d;
    case_make_small(&c, 3, 12, "passive", 1);
    c.params.method = METHOD_RKL2;
    c.params.step = 0.1;
    c.params.precision_bound = 200;
    int64_t n = c.mesh.nodes;
    uint8_t *single = calloc((size_t)n, 1);
    double *v = calloc((size_t)n, sizeof *v), *x = calloc((size_t)n, sizeof *x), sum = 0, size = 0;
    CHECK(single && v && x, "no memory");
    for (int64_t i = 0; i < n; i++)
        single[i] = bits_random((uint64_t)i) < 0.6;
    diffusion_case_make_stages(&d, &c, single, 3, backend);
    diffusion_case_set(&d, d.vectors.u, v);
    diffusion_rhs(&d.diffusion, &d.vectors, NULL);
    for (int64_t i = 0; i < n; i++)
        v[i] = -7.3;
    set_iterate(&d, v);
    diffusion_solve(&d.diffusion, d.vectors.x, NULL);
    diffusion_case_get(&d, d.vectors.x, x);
    for (int64_t i = 0; i < n; i++)
        CHECK(x[i] == x[0] && x[i] != 0, "node %lld is %.17g, node 0 %.17g", (long long)i, x[i], x[0]);
    diffusion_case_free(&d);

    for (int64_t i = 0; i < n; i++)
        single[i] = 1;
    diffusion_case_make(&d, &c, single, backend);
    for (int64_t i = 0; i < n; i++)
        v[i] = x[i] = 100 * bits_random((uint64_t)i) - 80;
    diffusion_case_step(&d, x);
    for (int64_t i = 0; i < n; i++) {
        sum += d.system.lumped[i] * (x[i] - v[i]);
        size += d.system.lumped[i] * fabs(x[i] - v[i]);
    }
    CHECK(size > 0 && fabs(sum) < 1e-14 * size * 100, "sum m delta is %g of %g", sum, size);
    diffusion_case_free(&d);
    free(single);
    free(v);
    free(x);
    case_free(&c);
}

/* V of a steep front after a step */
static struct monodomain_report one_step(const struct test_case *c, double *v)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend, 2);
    struct monodomain *sim;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        v[i] = -25 - 60 * tanh(3 * (c->mesh.point[3 * i] - 1.1));
    CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    CHECK_OK(monodomain_advance(sim, 1, &error), error);
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    struct monodomain_report report = *monodomain_report(sim);
    monodomain_free(sim);
    queue_free(queue);
    return report;
}

/* Whatever the budget opens */
static void test_budget(enum method method, double dt)
{
    struct test_case c;
    double largest = 0;
    int64_t products = 0;
    case_make(&c, 3, "passive", 1);
    c.params.method = method;
    c.params.tolerance = 1e-8;
    c.params.step = dt;
    c.params.stimuli = 0;
    c.params.precision_bound = 60;
    int64_t n = c.mesh.nodes;
    double *v = calloc((size_t)n, sizeof *v), *exact = calloc((size_t)n, sizeof *exact);
    CHECK(v && exact, "no memory");
    one_step(&c, exact);
    c.params.precision = PRECISION_MIXED;
    const double budgets[] = {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1.1e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7};
    for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
        double budget = budgets[k], error = 0, sweeps = method == METHOD_JACOBI ? 2e-8 : 0;
        c.params.precision_budget = budget;
        struct monodomain_report report = one_step(&c, v);
        bool finer = report.whole32_share > 0;
        for (int64_t i = 0; i < n; i++)
            error = fmax(error, fabs(v[i] - exact[i]));
        CHECK(error <= budget + sweeps &&
                  (sweeps > 0 || (error > 0) == (report.scheme.fp32_share > 0 || finer)),
              "method %d, dt %g: %g mV by a share of %g, budget %g mV", method, dt, error,
              report.scheme.fp32_share, budget);
        products += report.whole32_share > 0;
        largest = fmax(largest, error / budget);
    }
    CHECK(products > 0, "no budget for K V in 32 bits");
    printf("method %d, dt %g: at most %.2g of the budget\n", method, dt, largest);
    free(v);
    free(exact);
    case_free(&c);
}

/* A step of more stages than there are is refused, with the element to blame. */
static void test_refusal(void)
{
    struct test_case c;
    struct error error = {0};
    struct monodomain *sim;
    struct queue *queue = test_queue(backend, 1);
    case_make_small(&c, 3, 12, "passive", 1);
    c.params.method = METHOD_RKL2;
    c.params.step = 40;
    int64_t flat = c.mesh.elements / 2 + 3;
    const int32_t *corner = c.mesh.vertex + 4 * flat;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK(monodomain_report(sim)->scheme.length[0].stages > 2, "%d stages",
          monodomain_report(sim)->scheme.length[0].stages);
    monodomain_free(sim);
    c.params.step = 400; /* beyond what clusters gain */
    for (int k = 0; k < 3; k++)
        c.mesh.point[3 * corner[0] + k] +=
            0.97 * (c.mesh.point[3 * corner[1] + k] - c.mesh.point[3 * corner[0] + k]);
    CHECK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error) == STATUS_INPUT, "400 ms on a sliver");
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    double rate, most = 0;
    int64_t stiffest = spectrum_stiffest(&tensors, &rate, comm_alone());
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            most += c.mesh.vertex[4 * stiffest + a] == corner[b];
    CHECK(most >= 2, "element %lld has no edge of the flat ones", (long long)stiffest);
    char want[80];
    snprintf(want, sizeof want, "element of the mesh is %lld (counted from 0)", (long long)stiffest);
    CHECK(strstr(error.text, "more than 64 stages") && strstr(error.text, want), "%s", error.text);
    queue_free(queue);
    case_free(&c);
}

int main(int argc, char **argv)
{
    backend = test_backend(argc, argv);
    test_numbers();
    for (int stages = 2; stages <= 9; stages++)
        test_stability(stages);
    test_rounded();
    test_budget(METHOD_RKL2, 0.02);
    test_budget(METHOD_RKL2, 0.3);
    test_budget(METHOD_JACOBI, 0.02);
    test_refusal();
    return 0;
}
