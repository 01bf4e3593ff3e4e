/* test_spectrum.c: the bounds on the spectrum are bounds: Gershgorin's lies outside the exact reach of the
 * rows, rounding included, and the elements' encloses the eigenvalues of the assembled matrix, found by power
 * iteration. */
#include "solver/spectrum.h"
#include "solver/diffusion.h"
#include "tests/case.h"

/* Two rows with reaches 1/2 and 1/4: the interval is open around [1/2, 3/2]. */
static void test_rows(void)
{
    double diagonal[] = {2, 4}, around[] = {1, 1};
    struct rows rows = {diagonal, around};
    struct system system = {.rows = 2};
    struct interval found = rows_interval(&rows, &system);
    CHECK(found.low < 0.5 && found.low > 0.5 - 1e-12, "low %.17g", found.low);
    CHECK(found.high > 1.5 && found.high < 1.5 + 1e-12, "high %.17g", found.high);
}

/* x <- (D^-1 A - shift) x for the lumped system, normalised; returns the Rayleigh quotient of D^-1 A in the D
 * product */
static double iterate(const struct system *system, const struct rows *rows, double theta_dt, double shift,
                      double *x, double *y)
{
    double above = 0, below = 0, largest = 0;
    for (int64_t i = 0; i < system->rows; i++) {
        double sum = rows->diagonal[i] * x[i];
        for (int64_t k = system->start[i]; k < system->start[i + 1]; k++)
            sum += theta_dt * system->stiffness[k] * x[system->column[k]];
        above += x[i] * sum;
        below += x[i] * rows->diagonal[i] * x[i];
        y[i] = sum / rows->diagonal[i] - shift * x[i];
        largest = fmax(largest, fabs(y[i]));
    }
    for (int64_t i = 0; i < system->rows; i++)
        x[i] = y[i] / largest;
    return above / below;
}

static void test_elements(int dimension)
{
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct rows rows;
    case_make(&c, dimension, "passive", 1);
    c.params.step = 0.05;
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    struct coefficients coefficients = diffusion_coefficients(&c.params);
    CHECK_OK(system_assemble(&system, &c.mesh, &tensors, 0, &error), error);
    CHECK_OK(rows_make(&rows, &system, &coefficients, 1, c.params.step, &error), error);
    struct interval elements = spectrum_elements(&tensors, 1, c.params.step).jacobi;
    struct interval gershgorin = rows_interval(&rows, &system);
    double *x = calloc((size_t)system.rows, sizeof *x), *y = calloc((size_t)system.rows, sizeof *y),
           found[2] = {0, 0};
    CHECK(x && y, "no memory");
    for (int end = 0; end < 2; end++) { /* towards the lowest eigenvalue, then towards the highest */
        for (int64_t i = 0; i < system.rows; i++)
            x[i] = test_random((uint64_t)i) - 0.5;
        for (int k = 0; k < 400; k++)
            found[end] = iterate(&system, &rows, c.params.step, end ? gershgorin.low : gershgorin.high, x, y);
    }
    printf("%d-D: [%.4f, %.4f] found, elements [%.4f, %.4f], rows [%.4f, %.4f]\n", dimension, found[0],
           found[1], elements.low, elements.high, gershgorin.low, gershgorin.high);
    CHECK(found[1] - found[0] > 0.1, "the spectrum is too narrow to test anything");
    CHECK(elements.low <= found[0] && found[1] <= elements.high, "elements [%g, %g]", elements.low,
          elements.high);
    CHECK(gershgorin.low <= found[0] && found[1] <= gershgorin.high, "rows [%g, %g]", gershgorin.low,
          gershgorin.high);
    free(x);
    free(y);
    rows_free(&rows);
    system_free(&system);
    case_free(&c);
}

int main(void)
{
    test_rows();
    for (int dimension = 1; dimension <= 3; dimension++)
        test_elements(dimension);
    return 0;
}
