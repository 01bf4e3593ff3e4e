/* test_tolerance.c: the stopping test keeps the tolerance. One step of a steep front at a tolerance and at
 * 1e-10 mV: no V differs by more. For lumped mass that is a bound; for consistent mass beta is an estimate,
 * checked here. All solvers; and an explicit step agrees with an implicit one to first order in dt. */
#include "tests/support/case.h"

/* V after one step from a front, at the given tolerance; *sweeps <- how many it took */
static void one_step(const struct test_case *c, double tolerance, double *v, int64_t *sweeps, double *beta)
{
    struct error error = {0};
    const struct backend *backend = backend_find("cpu", NULL);
    struct test_case copy = *c;
    struct queue *queue;
    struct monodomain *sim;
    copy.params.tolerance = tolerance;
    copy.params.stimuli = 0;
    CHECK_OK(queue_new(&queue, backend, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &copy.mesh, &copy.params, queue, &error), error);
    for (int64_t i = 0; i < copy.mesh.nodes; i++)
        v[i] = -25 - 60 * tanh(3 * (copy.mesh.point[3 * i] - 1.1));
    CHECK_OK(monodomain_set(sim, 0, v, &error), error);
    CHECK_OK(monodomain_advance(sim, 1, &error), error);
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    *sweeps = monodomain_work(sim).sweeps;
    *beta = monodomain_report(sim)->scheme.length[0].beta;
    monodomain_free(sim);
    queue_free(queue);
}

static double largest_difference(const double *a, const double *b, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void test_solver(enum method method, double lumping, const char *name)
{
    struct test_case c;
    double beta = 0;
    int64_t sweeps = 0, exact_sweeps = 0;
    case_make(&c, 3, "passive", 0);
    c.params.method = method;
    c.params.mass_lumping = lumping;
    c.params.step = 0.05; /* a stiff step: many sweeps */
    double *v = calloc((size_t)c.mesh.nodes, sizeof *v), *exact = calloc((size_t)c.mesh.nodes, sizeof *exact);
    CHECK(v && exact, "no memory");
    one_step(&c, 1e-10, exact, &exact_sweeps, &beta);
    for (double tolerance = 1; tolerance > 1e-7; tolerance /= 10) {
        one_step(&c, tolerance, v, &sweeps, &beta);
        double error = largest_difference(v, exact, c.mesh.nodes);
        CHECK(error <= tolerance, "%s, f = %g: error %g mV at tolerance %g (beta %g)", name, lumping, error,
              tolerance, beta);
        CHECK(error > 0 || sweeps == exact_sweeps, "%s: nothing was left to iterate", name);
    }
    printf("%s, f = %g: beta %.3g, %lld sweeps to 1e-7, %lld to 1e-10 mV\n", name, lumping, beta,
           (long long)sweeps, (long long)exact_sweeps);
    free(v);
    free(exact);
    case_free(&c);
}

/* Plain jacobi on consistent mass is refused, with the method that converges. */
static void test_refusals(void)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    const struct backend *backend = backend_find("cpu", NULL);
    CHECK_OK(queue_new(&queue, backend, 1, &error), error);
    case_make(&c, 3, "passive", 0);
    c.params.method = METHOD_JACOBI;
    c.params.step = 0.3;
    c.params.mass_lumping = 0;
    CHECK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error) == STATUS_INPUT, "consistent mass");
    CHECK(strstr(error.text, "chebyshev"), "%s", error.text);
    case_free(&c);
    queue_free(queue);
}

int main(void)
{
    test_solver(METHOD_JACOBI, 1, "jacobi");
    test_solver(METHOD_JACOBI, 0.5, "jacobi");
    test_solver(METHOD_CHEBYSHEV, 1, "chebyshev");
    test_solver(METHOD_CHEBYSHEV, 0.5, "chebyshev");
    test_solver(METHOD_CHEBYSHEV, 0, "chebyshev");
    test_refusals();
    return 0;
}
