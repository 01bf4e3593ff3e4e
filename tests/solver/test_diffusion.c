/* test_diffusion.c: one implicit step equals a dense solve, in every dimension, with lumped and half
 * consistent mass, theta 1 and 1/2; the starting guess follows its definition; constants stay constant; the
 * number of expected sweeps. `test_diffusion [BACKEND]` */
#include "kernels/ops/step_end.h"
#include "tests/support/diffusion_case.h"

/* x <- A^-1 x for a symmetric positive A[n][n], which becomes its Cholesky factor */
static void dense_solve(double *a, double *x, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < j; k++)
            for (int64_t i = j; i < n; i++)
                a[j * n + i] -= a[k * n + i] * a[k * n + j];
        double root = sqrt(a[j * n + j]);
        CHECK(root > 0, "row %lld is not positive", (long long)j);
        for (int64_t i = j; i < n; i++)
            a[j * n + i] /= root;
    }
    for (int64_t i = 0; i < n; i++) {
        x[i] /= a[i * n + i];
        for (int64_t k = i + 1; k < n; k++)
            x[k] -= a[i * n + k] * x[i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            x[i] -= a[i * n + k] * x[k];
        x[i] /= a[i * n + i];
    }
}

/* delta of (M + theta dt K) delta = -dt K v, from the assembled system; the caller frees it */
static double *dense_step(const struct system *s, const struct monodomain_params *p, const double *v)
{
    const struct scheme scheme = scheme_of(p, p->method);
    const double theta_dt = scheme.theta * p->step;
    int64_t n = s->k.rows;
    double f = p->mass_lumping, *a = calloc((size_t)(n * n), sizeof *a), *x = calloc((size_t)n, sizeof *x);
    CHECK(a && x, "no memory");
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] += (f + (1 - f) * 2 / (s->dimension + 2)) * s->lumped[i];
        for (int64_t k = s->k.start[i]; k < s->k.start[i + 1]; k++) {
            int64_t j = s->k.column[k];
            a[i * n + j] += theta_dt * s->k.value[k] + (f < 1 ? (1 - f) * s->mass[k] : 0);
            a[i * n + i] -= theta_dt * s->k.value[k];
            x[i] -= p->step * s->k.value[k] * (v[j] - v[i]);
        }
    }
    dense_solve(a, x, n);
    free(a);
    return x;
}

static void test_step(int dimension, double f, double theta, enum method method,
                      const struct backend *backend)
{
    struct test_case c;
    struct diffusion_case d;
    case_make_small(&c, dimension, 6 * (4 - dimension), "passive", dimension > 1);
    c.params.mass_lumping = f;
    c.params.splitting = theta < 1 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
    c.params.method = method;
    c.params.step = 0.1;
    c.params.tolerance = 1e-10;
    diffusion_case_make(&d, &c, NULL, backend);
    int64_t n = c.mesh.nodes;
    double *v = calloc((size_t)n, sizeof *v), *got = calloc((size_t)n, sizeof *got), top = 0;
    CHECK(v && got, "no memory");
    for (int64_t i = 0; i < n; i++)
        v[i] = 100 * bits_random((uint64_t)i) - 80;
    diffusion_case_set(&d, d.vectors.u, v);
    diffusion_rhs(&d.diffusion, &d.vectors, NULL);
    diffusion_solve(&d.diffusion, d.vectors.x, NULL);
    struct control control = diffusion_case_outcome(&d);
    CHECK(control.converged && !control.failure, "%d-D: %d sweeps left %g mV", dimension, control.sweep,
          control.tested);
    diffusion_case_get(&d, d.vectors.x, got);
    double *want = dense_step(&d.system, &c.params, v);
    for (int64_t i = 0; i < n; i++) {
        CHECK(fabs(got[i] - want[i]) < 1e-9,
              "%d-D, f = %g, theta = %g, method %d: node %lld changes by %.12g, want %.12g", dimension, f,
              theta, method, (long long)i, got[i], want[i]);
        top = fmax(top, fabs(want[i]));
    }
    CHECK(top > 1, "nothing changes by more than %g mV", top);
    free(v);
    free(got);
    free(want);
    diffusion_case_free(&d);
    case_free(&c);
}

/* A field of one value has no right side and no increment: to the last bit. */
static void test_constant(double f, const struct backend *backend)
{
    struct test_case c;
    struct diffusion_case d;
    case_make_small(&c, 3, 6, "passive", 1);
    c.params.mass_lumping = f;
    c.params.method = METHOD_CHEBYSHEV;
    diffusion_case_make(&d, &c, NULL, backend);
    int64_t n = c.mesh.nodes;
    double *v = calloc((size_t)n, sizeof *v), *x = calloc((size_t)n, sizeof *x);
    CHECK(v && x, "no memory");
    for (int64_t i = 0; i < n; i++)
        v[i] = -85.23;
    diffusion_case_set(&d, d.vectors.u, v);
    diffusion_rhs(&d.diffusion, &d.vectors, NULL);
    diffusion_solve(&d.diffusion, d.vectors.x, NULL);
    diffusion_case_get(&d, d.vectors.x, x);
    for (int64_t i = 0; i < n; i++)
        CHECK(x[i] == 0, "f = %g: node %lld: %.17g", f, (long long)i, x[i]);
    free(v);
    free(x);
    diffusion_case_free(&d);
    case_free(&c);
}

/* The guess before each of six steps against e + b / d, e from the increments c so far, which are
 * without their own b / d. */
static void test_guess(const struct backend *backend)
{
    enum { STEPS = 6, MOST = 300 };
    static double c[STEPS][MOST], v[MOST], b[MOST], x[MOST];
    struct test_case tissue;
    struct diffusion_case d;
    case_make_small(&tissue, 2, 12, "passive", 1);
    tissue.params.method = METHOD_JACOBI;
    diffusion_case_make(&d, &tissue, NULL, backend);
    int64_t n = tissue.mesh.nodes;
    CHECK(n <= MOST, "%lld nodes", (long long)n);
    const int depth = 3;
    for (int64_t i = 0; i < n; i++)
        v[i] = 100 * bits_random((uint64_t)i) - 80;
    diffusion_case_set(&d, d.vectors.u, v);
    for (int s = 0; s < STEPS; s++) {
        diffusion_case_control(&d, (struct control){.step = s, .recorded = s});
        diffusion_case_get(&d, d.vectors.u, v);
        diffusion_rhs(&d.diffusion, &d.vectors, NULL);
        diffusion_case_get(&d, d.diffusion.b, b);
        diffusion_case_get(&d, d.vectors.x, x);
        int known = s < depth ? s : depth;
        for (int64_t i = 0; i < n; i++) {
            double c1 = known > 0 ? c[s - 1][i] : 0, c2 = known > 1 ? c[s - 2][i] : 0,
                   c3 = known > 2 ? c[s - 3][i] : 0;
            double e = known < 2 ? c1 : known == 2 ? 2 * c1 - c2 : 3 * (c1 - c2) + c3;
            double want = e + b[i] / d.rows.diagonal[i];
            CHECK(fabs(x[i] - want) < 1e-12 * (100 + fabs(want)),
                  "step %d: node %lld begins at %.15g, want %.15g", s, (long long)i, x[i], want);
        }
        diffusion_solve(&d.diffusion, d.vectors.x, NULL);
        diffusion_case_get(&d, d.vectors.x, x);
        for (int64_t i = 0; i < n; i++)
            c[s][i] = x[i] - b[i] / d.rows.diagonal[i];
        struct step_end end = {.u = d.vectors.u,
                               .x = d.vectors.x,
                               .predictor_weight = 1,
                               .b = d.diffusion.b,
                               .inverse = d.diffusion.at->inverse,
                               .limit = INFINITY,
                               .control = d.diffusion.control};
        d.queue->backend->step_end(d.queue, d.layout.rows, &end);
        rotation_advance(&d.vectors, 1);
        diffusion_case_get(&d, d.vectors.v, v);
        diffusion_case_set(&d, d.vectors.u, v);
    }
    CHECK(!diffusion_case_outcome(&d).failure, "a failure");
    diffusion_case_free(&d);
    case_free(&tissue);
}

/* More sweeps are expected at once, fewer after as many steps in few frames as in many. */
static void test_expected(int64_t frame)
{
    struct diffusion d = {.level = {{.expected = 8}}, .at = d.level};
    int64_t steps = 0;
    diffusion_expect(&d, 14, frame);
    CHECK(d.at->expected == 14, "%d, not 14", d.at->expected);
    diffusion_expect(&d, 16, frame);
    CHECK(d.at->expected == 16, "%d, not 16", d.at->expected);
    for (; d.at->expected == 16 && steps < 5000; steps += frame)
        diffusion_expect(&d, 4, frame);
    CHECK(d.at->expected == 4 && steps <= 2 * 400 + frame, "%d after %lld steps", d.at->expected,
          (long long)steps);
    CHECK(frame >= 400 || steps >= 400, "%d after %lld steps", d.at->expected, (long long)steps);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_expected(1);
    test_expected(50);
    test_expected(512);
    for (int k = 0; k < 12; k++) {
        double f = k / 3 % 2 ? 0.5 : 1, theta = k / 6 ? 0.5 : 1;
        test_step(1 + k % 3, f, theta, METHOD_CHEBYSHEV, backend);
        if (f == 1)
            test_step(1 + k % 3, f, theta, METHOD_JACOBI, backend);
    }
    test_constant(1, backend);
    test_constant(0.5, backend);
    test_guess(backend);
    return 0;
}
