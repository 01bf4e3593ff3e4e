/* test_spectrum.c: the bounds on the spectrum are bounds: Gershgorin's lies outside the exact reach of the
 * rows, rounding included, and the elements' encloses the eigenvalues of the assembled matrix, found by power
 * iteration. */
#include "solver/diffusion/diffusion.h"
#include "solver/matrix/spectrum.h"
#include "tests/support/case.h"

/* Two rows with reaches 1/2 and 1/4: the interval is open around [1/2, 3/2]. */
static void test_rows(void)
{
    double diagonal[] = {2, 4}, around[] = {1, 1}, lumped[] = {0.8, 3};
    struct rows rows = {diagonal, around};
    struct system system = {.k = {.rows = 2, .start = (int64_t[]){0, 1, 2}}, .lumped = lumped};
    struct interval found = rows_interval(&rows, &system, 1);
    CHECK(found.low < 0.5 && found.low > 0.5 - 1e-12, "low %.17g", found.low);
    CHECK(found.high > 1.5 && found.high < 1.5 + 1e-12, "high %.17g", found.high);
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
    struct coefficients coefficients = diffusion_coefficients(&c.params);
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(rows_make(&rows, &system, &coefficients, 1, c.params.step, &error), error);
    struct interval elements = spectrum_elements(&tensors, 1, c.params.step).jacobi;
    struct interval from_rows = rows_interval(&rows, &system, 1);
    double *x = calloc((size_t)system.k.rows, sizeof *x), *y = calloc((size_t)system.k.rows, sizeof *y),
           found[2] = {0, 0};
    CHECK(x && y, "no memory");
    for (int end = 0; end < 2; end++) { /* towards the lowest eigenvalue, then towards the highest */
        for (int64_t i = 0; i < system.k.rows; i++)
            x[i] = test_random((uint64_t)i) - 0.5;
        for (int k = 0; k < 400; k++)
            found[end] = iterate(&system, &rows, c.params.step, end ? from_rows.low : from_rows.high, x, y);
    }
    printf("%d-D: [%.4f, %.4f] found, elements [%.4f, %.4f], rows [%.4f, %.4f]\n", dimension, found[0],
           found[1], elements.low, elements.high, from_rows.low, from_rows.high);
    CHECK(found[1] - found[0] > 0.1, "the spectrum is too narrow to test anything");
    CHECK(elements.low <= found[0] && found[1] <= elements.high, "elements [%g, %g]", elements.low,
          elements.high);
    if (flat && dimension == 3)
        CHECK(from_rows.low > 3 * elements.low, "slivers: rows %g, elements %g", from_rows.low, elements.low);
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
    struct rows rows = {diagonal, around};
    struct system system = {
        .k = {.rows = 2, .start = (int64_t[]){0, 1, 2}}, .lumped = lumped, .dimension = 3};
    double low[2] = {0.5, (0.5 + 0.5 / 5) * 0.5};
    for (int k = 0; k < 2; k++) {
        struct interval found = rows_interval(&rows, &system, k ? 0.5 : 1);
        CHECK(found.low < low[k] && found.low > low[k] - 1e-11, "low %.17g, want %g", found.low, low[k]);
    }
}

/* `auto` is jacobi below 2 and chebyshev elsewhere, where jacobi itself is refused, and then has its bits. */
static void test_auto(double lumping, enum method want)
{
    struct error error = {0};
    const struct backend *backend = backend_find("cpu", NULL);
    struct test_case c;
    struct queue *queue;
    struct monodomain *sim;
    int64_t length;
    case_make(&c, 3, "mitchell-schaeffer", 1);
    c.params.mass_lumping = lumping;
    c.params.method = METHOD_AUTO;
    CHECK_OK(queue_new(&queue, backend, 2, &error), error);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    CHECK(monodomain_report(sim)->method == want, "auto took method %d", monodomain_report(sim)->method);
    monodomain_free(sim);
    double *got = case_run(&c, backend, 2, 20, &length, NULL);
    c.params.method = want;
    double *named = case_run(&c, backend, 2, 20, &length, NULL);
    CHECK(first_difference(got, named, length) < 0, "auto has other bits than method %d", want);
    c.params.method = METHOD_JACOBI;
    enum status status = monodomain_create(&sim, &c.mesh, &c.params, queue, &error);
    CHECK(status == (want == METHOD_JACOBI ? STATUS_OK : STATUS_INPUT), "jacobi by name: status %d", status);
    monodomain_free(sim);
    free(got);
    free(named);
    queue_free(queue);
    case_free(&c);
}

int main(void)
{
    test_auto(1, METHOD_JACOBI);
    test_auto(0, METHOD_CHEBYSHEV);
    test_rows();
    test_mass();
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int flat = 0; flat < 2; flat++)
            test_elements(dimension, flat);
    return 0;
}
