/* test_report.c: what is found out about steps before the first one, from plain loops over the rows of the matrix: how much a front's guess is
 * off and how much of that a sweep leaves, bounds without the worst rows, stages of each length. */
#include "kernels/base/compare.h"
#include "tests/support/diffusion_case.h"

/* An upper bound on the quantile, and the largest that it may be: the value that so many rows, but no more, are beyond */
struct quantile {
    double least, most;
};

static struct quantile quantile_of(double *value, int64_t count, double share)
{
    qsort(value, (size_t)count, sizeof *value, compare_double);
    const double q = value[count - 1 - (int64_t)floor((1 - share) * (double)count * (1 + 1e-12))];
    return (struct quantile){q, q * (1 + 1.0 / 256)};
}

static void expect(double got, double least, double most, const char *what)
{
    CHECK(got >= fmin(least, most) * (1 - 1e-12) && got <= fmax(least, most) * (1 + 1e-12),
          "%s is %.17g, want %.17g to %.17g", what, got, least, most);
}

static double guess_of(double step, double joins)
{
    return 150 * step / (1 + pow(0.12 / step, 3)) * joins / sqrt(1 + joins * joins);
}

static void test_rows(int dimension, double step, double lumping, enum method method)
{
    struct error error = {0};
    struct test_case c;
    struct diffusion_case d;
    struct monodomain *sim;
    case_make(&c, dimension, "passive", 0);
    c.params.step = step;
    c.params.mass_lumping = lumping;
    c.params.method = method;
    diffusion_case_make(&d, &c, NULL, backend_find("cpu", NULL));
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, d.queue, &error), error);
    const struct monodomain_report *r = monodomain_report(sim);
    const struct system *system = &d.system;
    const struct scheme_length *of = d.scheme.length;
    const int64_t n = system->k.rows;
    double *value[5];
    CHECK(r->clusters.clusters == 0 && d.clusters.count == 0, "%lld clusters",
          (long long)r->clusters.clusters);
    for (int k = 0; k < 5; k++)
        CHECK(value[k] = calloc((size_t)n, sizeof **value), "no memory");
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, size = 0, all = 0, squares = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
            const double m = system->mass ? system->mass[k] : 0,
                         e = (1 - lumping) * m + of->theta_dt * system->k.value[k];
            sum -= system->k.value[k];
            size += fabs(system->k.value[k]);
            all += fabs(e);
            squares += e * e;
        }
        const double x = 0.12 * sum / system->lumped[i], wide = x * x / (1 + x * x);
        const double whole = fmax(0, all - 1.5 * of->theta_dt * system->lumped[i]);
        const double diagonal = d.rows.diagonal[i];
        value[0][i] = (wide * whole + (1 - wide) * sqrt(squares)) / diagonal;
        value[1][i] = sum / system->lumped[i];
        value[2][i] = all / diagonal;
        value[3][i] = diagonal / system->lumped[i];
        value[4][i] = (size + fabs(sum)) / system->lumped[i];
    }
    const struct quantile factor = quantile_of(value[0], n, 0.9), rate = quantile_of(value[1], n, 0.9),
                          reach = quantile_of(value[2], n, 0.99), mass = quantile_of(value[3], n, 0.99),
                          fastest = quantile_of(value[4], n, 0.99);
    expect(r->front_factor, factor.least, factor.most, "a sweep's factor at a front");
    expect(r->front_guess, guess_of(step, 0.12 * rate.least), guess_of(step, 0.12 * rate.most),
           "the guess at a front");
    const double part = lumping + (1 - lumping) / (dimension + 2), high = r->scheme.length[0].high;
    expect(r->typical_low, fmax(1 - reach.most, part / mass.most), fmax(1 - reach.least, part / mass.least),
           "the typical lower bound");
    expect(r->typical_high, fmin(1 + reach.least, high), fmin(1 + reach.most, high),
           "the typical upper bound");
    CHECK(r->typical_stages == rkl2_stages(step, 2 / fastest.least) ||
              r->typical_stages == rkl2_stages(step, 2 / fastest.most),
          "%d typical stages", r->typical_stages);
    CHECK_CLOSE(r->explicit_limit, d.limit, 1e-12);
    CHECK(r->entries == system->k.start[n], "%lld entries", (long long)r->entries);
    for (int k = 0; k < 5; k++)
        free(value[k]);
    monodomain_free(sim);
    diffusion_case_free(&d);
    case_free(&c);
}

/* Each length has the fewest stages that reach it; those from the first on that none reach are not used */
static void test_stages(double step, int doublings)
{
    struct error error = {0};
    struct test_case c;
    struct monodomain *sim;
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    int lengths = 0;
    case_make(&c, 1, "passive", 0);
    c.params.step = step;
    c.params.method = METHOD_RKL2;
    c.params.doublings = doublings;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    const struct monodomain_report *r = monodomain_report(sim);
    while (lengths <= doublings && rkl2_stages(ldexp(step, lengths), r->explicit_limit) > 0)
        lengths++;
    CHECK(r->scheme.method == METHOD_RKL2 && r->scheme.lengths == (lengths ? lengths : 1),
          "%d lengths of %d, want %d", r->scheme.lengths, doublings + 1, lengths);
    for (int k = 0; k < lengths; k++)
        CHECK(r->scheme.length[k].stages == rkl2_stages(ldexp(step, k), r->explicit_limit),
              "length %d: %d stages", k, r->scheme.length[k].stages);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int k = 0; k < 4; k++)
            test_rows(dimension, (const double[]){0.02, 0.1, 0.4, 3}[k], k % 2 ? 0.5 : 1,
                      k < 2 ? METHOD_JACOBI : METHOD_CHEBYSHEV);
    for (int doublings = 0; doublings < 6; doublings++) {
        test_stages(0.02, doublings);
        test_stages(40, doublings);
    }
    return 0;
}
