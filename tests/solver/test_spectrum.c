/* test_spectrum.c: the bounds on the spectrum are bounds, rounding included: those of the rows enclose the
 * exact values of small dense matrices, and those of the elements the eigenvalues of an assembled matrix,
 * found by power iteration. */
#include "solver/diffusion/diffusion.h"
#include "solver/matrix/perron.h"
#include "solver/matrix/spectrum.h"
#include "tests/support/case.h"

/* A cable with one strong link, and with positive entries of K between second neighbours, `second` times
 * those between neighbours: for long steps its rows are not dominant. The bounds are compared with the exact
 * values of the dense matrix, and are never worse than those of x = 1. */
enum { SMALL = 24 };

static double largest_of(double a[SMALL][SMALL])
{
    double x[SMALL], y[SMALL], high = 0;
    for (int i = 0; i < SMALL; i++)
        x[i] = 1 + bits_random((uint64_t)i);
    for (int k = 0; k < 4000; k++) { /* of (|A| + 1): no oscillation */
        high = 0;
        for (int i = 0; i < SMALL; i++) {
            y[i] = x[i];
            for (int j = 0; j < SMALL; j++)
                y[i] += fabs(a[i][j]) * x[j];
            high = fmax(high, y[i]);
        }
        for (int i = 0; i < SMALL; i++)
            x[i] = y[i] / high;
    }
    return high - 1;
}

/* max_i sum_j |B_ij| of B = <A>^-1 M, <A> = D - |E|, by elimination; infinity unless all pivots are positive
 */
static double exact_factor(double around[SMALL][SMALL], const double *diagonal, const double *mass)
{
    double a[SMALL][SMALL], x[SMALL], most = 0;
    for (int i = 0; i < SMALL; i++) {
        x[i] = mass[i];
        for (int j = 0; j < SMALL; j++)
            a[i][j] = i == j ? diagonal[i] : -around[i][j];
    }
    for (int p = 0; p < SMALL; p++) {
        if (!(a[p][p] > 0))
            return INFINITY;
        for (int i = p + 1; i < SMALL; i++) {
            double f = a[i][p] / a[p][p];
            for (int j = p; j < SMALL; j++)
                a[i][j] -= f * a[p][j];
            x[i] -= f * x[p];
        }
    }
    for (int p = SMALL - 1; p >= 0; p--) {
        for (int j = p + 1; j < SMALL; j++)
            x[p] -= a[p][j] * x[j];
        x[p] /= a[p][p];
        most = fmax(most, x[p]);
    }
    return most;
}

static void test_rows(double dt, double second)
{
    struct error error = {0};
    int64_t start[SMALL + 1] = {0};
    int32_t column[4 * SMALL];
    double value[4 * SMALL], mass[SMALL], around[SMALL][SMALL] = {{0}}, rate[SMALL][SMALL] = {{0}};
    double reach[SMALL][SMALL] = {{0}}, gershgorin = 0, dominant = 0;
    int64_t entries = 0;
    for (int i = 0; i < SMALL; i++) {
        mass[i] = 1 + 0.5 * bits_random(100 + (uint64_t)i);
        for (int j = i - 2; j <= i + 2; j++)
            if (j >= 0 && j < SMALL && j != i) {
                double link = i + j == SMALL + 1 ? 20 : 1 + 0.3 * bits_random(200 + (uint64_t)(i + j));
                column[entries] = j;
                value[entries++] = abs(j - i) == 1 ? -link : second * link;
            }
        start[i + 1] = entries;
    }
    struct system system = {.k = {.rows = SMALL, .start = start, .column = column, .value = value},
                            .lumped = mass,
                            .dimension = 1};
    const struct scheme_length of = {.lumping = 1, .theta_dt = dt};
    struct rows rows;
    struct perron found;
    CHECK_OK(rows_make(&rows, &system, &of, &error), error);
    CHECK_OK(perron_bounds(&found, &system, &of, &rows, NULL, NULL, &error), error);
    for (int i = 0; i < SMALL; i++) {
        double sum = 0;
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            rate[i][i] -= value[k] / mass[i];
            rate[i][column[k]] = value[k] / mass[i];
            around[i][column[k]] = fabs(dt * value[k]);
            reach[i][column[k]] = dt * value[k] / rows.diagonal[i];
            sum += fabs(dt * value[k]);
        }
        gershgorin = fmax(gershgorin, sum / rows.diagonal[i]);
        dominant = fmax(dominant, sum < rows.diagonal[i] ? mass[i] / (rows.diagonal[i] - sum) : INFINITY);
    }
    double exact_reach = largest_of(reach), exact_rate = largest_of(rate);
    double factor = exact_factor(around, rows.diagonal, mass);
    printf("dt %g, second %g: reach %.6f (exact %.6f, Gershgorin %.6f), rate %.4f (exact %.4f), factor %.4f "
           "(exact %.4f, dominance %.4f)\n",
           dt, second, found.reach, exact_reach, gershgorin, found.rate, exact_rate, found.factor, factor,
           dominant);
    CHECK(found.reach >= exact_reach * (1 - 1e-12) && found.reach <= gershgorin * (1 + 1e-12),
          "reach %.17g, exact %.17g", found.reach, exact_reach);
    CHECK(found.reach - exact_reach <= (dt < 1 ? 0.05 : 0.5) * (gershgorin - exact_reach),
          "reach %.17g is little sharper than Gershgorin's %.17g, exact %.17g", found.reach, gershgorin,
          exact_reach);
    CHECK(found.rate >= exact_rate * (1 - 1e-12), "rate %.17g, exact %.17g", found.rate, exact_rate);
    if (second == 0)
        CHECK(found.factor == 1, "an M-matrix with lumped mass has the factor 1, not %.17g", found.factor);
    else if (found.factor > 0)
        CHECK(found.factor >= factor * (1 - 1e-12) && found.factor <= dominant * (1 + 1e-12), "factor %.17g",
              found.factor);
    CHECK((found.factor > 0) == (found.reach < 1), "factor %g with reach %g", found.factor, found.reach);
    rows_free(&rows);
}

/* A ring whose links are a and b in turn: x = 1 proves the exact values, (a + b) / d, 2 (a + b) / m and m /
 * (d - a
 * - b), and rounding must not lower any of them; with positive entries, for which the factor is not 1 */
static void test_rounding(void)
{
    struct error error = {0};
    int64_t start[SMALL + 1] = {0};
    int32_t column[2 * SMALL];
    double value[2 * SMALL], mass[SMALL];
    for (uint64_t draw = 0; draw < 200; draw++) {
        const double a = 0.1 + bits_random(2 * draw), b = 0.1 + bits_random(2 * draw + 1);
        for (int i = 0; i < SMALL; i++) {
            const int before = (i + SMALL - 1) % SMALL, after = (i + 1) % SMALL;
            const bool turned = after < before;
            start[i + 1] = 2 * (i + 1);
            column[2 * i] = turned ? after : before;
            column[2 * i + 1] = turned ? before : after;
            value[2 * i] = (i % 2 == 0) == turned ? a : b;
            value[2 * i + 1] = (i % 2 == 0) == turned ? b : a;
            mass[i] = 2.01 * (a + b);
        }
        const struct system system = {.k = {.rows = SMALL, .start = start, .column = column, .value = value},
                                      .lumped = mass};
        const struct scheme_length of = {.lumping = 1, .theta_dt = 1};
        const long double sum = (long double)a + b;
        struct rows rows;
        struct perron found;
        CHECK_OK(rows_make(&rows, &system, &of, &error), error);
        CHECK_OK(perron_bounds(&found, &system, &of, &rows, NULL, NULL, &error), error);
        CHECK(found.reach >= sum / rows.diagonal[0], "reach %.17g, exact %.17Lg", found.reach,
              sum / rows.diagonal[0]);
        CHECK(found.rate >= 2 * sum / mass[0], "rate %.17g, exact %.17Lg", found.rate, 2 * sum / mass[0]);
        CHECK(found.factor >= mass[0] / (rows.diagonal[0] - sum), "factor %.17g, exact %.17Lg", found.factor,
              mass[0] / (rows.diagonal[0] - sum));
        CHECK(found.reach < 1.0001L * sum / rows.diagonal[0] &&
                  found.factor < 1.0001L * mass[0] / (rows.diagonal[0] - sum),
              "reach %.17g and factor %.17g are no bounds to speak of", found.reach, found.factor);
        rows_free(&rows);
    }
}

/* Couplings of node 0 that cancel: -1, 1000 times -2^-54, of which a sum in doubles loses each, and 1 -
 * 2^-26. Its neighbours are so heavy that the radius, about 2^-25, shows the lost 2^-44. Compared with power
 * iteration in long double. */
static void test_cancelling(void)
{
    enum { LOST = 1000, LAST = LOST + 2, ANCHOR, NODES, ENTRIES = 2 * LOST + 8 };
    struct error error = {0};
    int64_t start[NODES + 1] = {0}, entries = 0;
    int32_t column[ENTRIES];
    double value[ENTRIES], mass[NODES];
    long double x[NODES], y[NODES], exact = 0;
    for (int i = 0; i < NODES; i++) {
        const bool heavy = i == 1 || i == LAST;
        for (int j = 0; j < NODES; j++) {
            const int low = i < j ? i : j, high = i < j ? j : i;
            const bool anchored = high == ANCHOR && (low == 1 || low == LAST);
            if (low == high || !(anchored || (low == 0 && high < ANCHOR)))
                continue;
            column[entries] = j;
            value[entries++] = anchored ? -0x1p27 : high == 1 ? -1 : high == LAST ? 1 - 0x1p-26 : -0x1p-54;
        }
        start[i + 1] = entries;
        mass[i] = heavy ? 0x1p53 : i == ANCHOR ? 0x1p100 : 1;
        x[i] = 1;
    }
    for (int round = 0; round < 100; round++) {
        exact = 0;
        for (int i = 0; i < NODES; i++) {
            long double own = 0;
            y[i] = 0;
            for (int64_t k = start[i]; k < start[i + 1]; k++) {
                own -= value[k];
                y[i] += fabs(value[k]) * x[column[k]];
            }
            y[i] = (y[i] + (own < 0 ? -own : own) * x[i]) / mass[i];
            exact = y[i] > exact ? y[i] : exact;
        }
        for (int i = 0; i < NODES; i++)
            x[i] = y[i] / exact;
    }
    const struct system system = {.k = {.rows = NODES, .start = start, .column = column, .value = value},
                                  .lumped = mass};
    const struct scheme_length of = {.lumping = 1, .theta_dt = 1};
    struct rows rows;
    struct perron found;
    CHECK_OK(rows_make(&rows, &system, &of, &error), error);
    CHECK_OK(perron_bounds(&found, &system, &of, &rows, NULL, NULL, &error), error);
    printf("terms that cancel: rate %.17g, exact %.17Lg\n", found.rate, exact);
    CHECK(found.rate >= exact && found.rate < 1.001L * exact, "rate %.17g, exact %.17Lg", found.rate, exact);
    rows_free(&rows);
}

/* The interval is open around 1 -+ reach. */
static void test_interval(void)
{
    double diagonal[] = {2, 4}, around[] = {1, 1}, lumped[] = {0.8, 3};
    struct rows rows = {.diagonal = diagonal, .offdiag_abs_sum = around};
    struct system system = {.k = {.rows = 2, .start = (int64_t[]){0, 1, 2}}, .lumped = lumped};
    struct interval found = rows_interval(&rows, &system, 1, 0.5);
    CHECK(found.low == 0.5 && found.high == 1.5, "[%.17g, %.17g]", found.low, found.high);
}

/* x <- (D^-1 A - shift) x for the lumped system, normalised; returns the Rayleigh quotient of D^-1 A in the D
 * product */
static double iterate(const struct system *system, const struct rows *rows, double theta_dt, double shift,
                      double *x, double *y)
{
    double above = 0, below = 0, largest = 0;
    for (int64_t i = 0; i < system->k.rows; i++) {
        double sum = rows->diagonal[i] * x[i];
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
            sum += theta_dt * system->k.value[k] * x[system->k.column[k]];
        above += x[i] * sum;
        below += x[i] * rows->diagonal[i] * x[i];
        y[i] = sum / rows->diagonal[i] - shift * x[i];
        largest = fmax(largest, fabs(y[i]));
    }
    for (int64_t i = 0; i < system->k.rows; i++)
        x[i] = y[i] / largest;
    return above / below;
}

/* flat: a node in the middle lies close to a neighbour, so that some elements are slivers, and dt is large */
static void test_elements(int dimension, int flat)
{
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct rows rows;
    case_make(&c, dimension, "passive", 1);
    c.params.step = flat ? 0.5 : 0.05;
    const int32_t *corner = c.mesh.vertex + (dimension + 1) * (c.mesh.elements / 2 + 3);
    for (int k = 0; k < 3 && flat; k++)
        c.mesh.point[3 * corner[0] + k] +=
            0.97 * (c.mesh.point[3 * corner[1] + k] - c.mesh.point[3 * corner[0] + k]);
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    const struct scheme scheme = scheme_of(&c.params, c.params.method);
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(rows_make(&rows, &system, scheme.length, &error), error);
    struct node_sums sums = {0};
    struct element_spectrum bounds;
    CHECK_OK(spectrum_elements(&bounds, &tensors, scheme.length, &sums, &error), error);
    node_sums_free(&sums);
    struct interval elements = bounds.jacobi;
    struct perron perron;
    CHECK_OK(perron_bounds(&perron, &system, scheme.length, &rows, NULL, NULL, &error), error);
    struct interval from_rows = rows_interval(&rows, &system, 1, perron.reach);
    double *x = calloc((size_t)system.k.rows, sizeof *x), *y = calloc((size_t)system.k.rows, sizeof *y),
           found[2] = {0, 0};
    CHECK(x && y, "no memory");
    for (int end = 0; end < 2; end++) { /* towards the lowest eigenvalue, then towards the highest */
        for (int64_t i = 0; i < system.k.rows; i++)
            x[i] = bits_random((uint64_t)i) - 0.5;
        for (int k = 0; k < 400; k++)
            found[end] = iterate(&system, &rows, c.params.step, end ? from_rows.low : from_rows.high, x, y);
    }
    printf("%d-D: [%.4f, %.4f] found, elements [%.4f, %.4f], rows [%.4f, %.4f]\n", dimension, found[0],
           found[1], elements.low, elements.high, from_rows.low, from_rows.high);
    CHECK(found[1] - found[0] > 0.1, "the spectrum is too narrow to test anything");
    CHECK(elements.low <= found[0] && found[1] <= elements.high, "elements [%g, %g]", elements.low,
          elements.high);
    double least = INFINITY;
    for (int64_t i = 0; i < system.k.rows; i++)
        least = fmin(least, system.lumped[i] / rows.diagonal[i]);
    CHECK(!flat || elements.low >= least - 1e-11, "by stiffness %g, m / d %g", elements.low, least);
    CHECK(from_rows.low <= found[0] && found[1] <= from_rows.high, "rows [%g, %g]", from_rows.low,
          from_rows.high);
    free(x);
    free(y);
    rows_free(&rows);
    system_free(&system);
    case_free(&c);
}

/* Positive off-diagonals: what the mass leaves bounds the spectrum where Gershgorin's discs reach below it.
 */
static void test_mass(void)
{
    double diagonal[] = {2, 4}, around[] = {1.9, 1}, lumped[] = {1, 3};
    struct rows rows = {.diagonal = diagonal, .offdiag_abs_sum = around};
    struct system system = {
        .k = {.rows = 2, .start = (int64_t[]){0, 1, 2}}, .lumped = lumped, .dimension = 3};
    double low[2] = {0.5, (0.5 + 0.5 / 5) * 0.5};
    for (int k = 0; k < 2; k++) {
        struct interval found = rows_interval(&rows, &system, k ? 0.5 : 1, 0.95);
        CHECK(found.low < low[k] && found.low > low[k] - 1e-11, "low %.17g, want %g", found.low, low[k]);
    }
}

/* Whether steps of one length pass over the matrix as often as scheme.h has it */
static void check_passes(const struct monodomain_report *r, bool staggered)
{
    CHECK(r->passes_of_sweeps == r->sweeps + 1 &&
              r->passes_of_stages == r->scheme.length[0].stages + (staggered ? 1 : 0),
          "%g and %g passes for %g sweeps and %d stages", r->passes_of_sweeps, r->passes_of_stages, r->sweeps,
          r->scheme.length[0].stages);
}

/* `auto` is rkl2 where its stages pass over the matrix at most as often as sweeps, and f is 1;
 * else jacobi, or chebyshev where that may diverge or needs twice the sweeps; and then has their
 * bits. */
static void test_auto(double step, double lumping, enum splitting splitting, enum method want)
{
    struct error error = {0};
    const struct backend *backend = backend_find("cpu", NULL);
    struct test_case c;
    struct queue *queue;
    struct monodomain *sim;
    int64_t length;
    case_make(&c, 3, "mitchell-schaeffer", 1);
    c.params.step = step;
    c.params.mass_lumping = lumping;
    c.params.splitting = splitting;
    c.params.method = METHOD_AUTO;
    CHECK_OK(queue_new(&queue, backend, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK(monodomain_report(sim)->scheme.method == want, "auto took method %d",
          monodomain_report(sim)->scheme.method);
    const bool converges = monodomain_report(sim)->scheme.length[0].high < 2;
    check_passes(monodomain_report(sim), splitting == SPLITTING_STAGGERED);
    monodomain_free(sim);
    double *got = case_run(&c, backend, 2, 20, &length, NULL);
    c.params.method = want;
    double *named = case_run(&c, backend, 2, 20, &length, NULL);
    CHECK(first_difference(got, named, length) < 0, "auto has other bits than method %d", want);
    c.params.method = METHOD_JACOBI;
    enum status status = monodomain_create(&sim, &c.mesh, &c.params, queue, &error);
    CHECK(status == (converges ? STATUS_OK : STATUS_INPUT), "jacobi by name: status %d", status);
    monodomain_free(sim);
    free(got);
    free(named);
    queue_free(queue);
    case_free(&c);
}

/* Forecasts of sweeps are within 1.5 times those of steps with a front */
static void test_forecast(int dimension, double step, enum method method)
{
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    struct test_case c;
    case_make(&c, dimension, "tp06-epi", 0);
    c.params.step = step;
    c.params.method = method;
    CHECK_OK(queue_new(&queue, backend_find("cpu", NULL), 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK_OK(monodomain_advance(sim, (int64_t)(5 / step), &error), error);
    const struct monodomain_report *r = monodomain_report(sim);
    const struct monodomain_work work = monodomain_work(sim);
    double forecast = report_forecast(r, method);
    double took = (double)work.sweeps / (double)work.steps;
    printf("%d-D, method %d, %g ms: %.1f sweeps a step, %.1f forecast\n", dimension, (int)method, step, took,
           forecast);
    CHECK(forecast < 1.5 * took && took < 1.5 * forecast, "%g sweeps a step, %g forecast", took, forecast);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

int main(void)
{
    test_auto(0.02, 1, SPLITTING_GODUNOV, METHOD_RKL2);
    test_auto(0.02, 0.5, SPLITTING_GODUNOV, METHOD_JACOBI);
    test_auto(0.02, 0, SPLITTING_GODUNOV, METHOD_CHEBYSHEV);
    test_auto(0.2, 1, SPLITTING_GODUNOV, METHOD_RKL2);
    test_auto(1, 0.8, SPLITTING_GODUNOV, METHOD_CHEBYSHEV);
    test_auto(0.02, 1, SPLITTING_STAGGERED, METHOD_RKL2);
    test_auto(0.2, 1, SPLITTING_STAGGERED, METHOD_RKL2);
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int k = 0; k < 3; k++)
            test_forecast(dimension, k == 1 ? 0.2 : 0.05, k < 2 ? METHOD_JACOBI : METHOD_CHEBYSHEV);
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 5; s++)
            test_rows((double[]){0.01, 0.1, 1}[k], (double[]){0, 0.05, 0.15, 0.2, 0.3}[s]);
    test_rounding();
    test_cancelling();
    test_interval();
    test_mass();
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int flat = 0; flat < 2; flat++)
            test_elements(dimension, flat);
    return 0;
}
