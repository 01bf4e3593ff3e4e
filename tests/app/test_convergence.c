/* test_convergence.c: the limit and the bar of three levels whose error is known, and sequences from which
 * there is neither. */
#include "app/study/convergence.h"

#include <math.h>

#include "tests/support/check.h"

/* Of limit + error (h^order + more h^(2 order)) at h, h/2 and h/4 */
static struct convergence_sequence judge(double limit, double error, double more, double order,
                                         double expected)
{
    double f[3];
    for (int k = 0; k < 3; k++) {
        double power = pow(ldexp(1, -k), order);
        f[k] = limit + error * (power + more * power * power);
    }
    struct convergence_sequence of = convergence_judge(f[1] - f[0], f[2] - f[1], expected);
    if (of.asymptotic)
        CHECK(fabs(f[2] + of.rest - limit) <= of.bar, "%g +- %g does not hold %g", f[2] + of.rest, of.bar,
              limit);
    return of;
}

int main(void)
{
    for (double order = 1; order <= 2; order++)
        for (double error = -3; error <= 3; error += 6) {
            struct convergence_sequence of = judge(60, error, 0, order, order);
            CHECK(of.asymptotic && fabs(of.order - order) < 1e-9, "order %g", of.order);
            CHECK(fabs(of.rest + error / pow(4, order)) < 1e-9, "%g", of.rest);
            CHECK_CLOSE(of.bar, 1.25 * fabs(of.rest), 1e-12);
            CHECK(judge(60, error, 0.3, order, order).asymptotic, "a higher order");
            CHECK(!judge(60, error, 0, order / 2, order).asymptotic, "half the order");
            CHECK(!judge(60, error, 0, order * 1.4, order).asymptotic, "an order that is too good");
        }
    const struct {
        double first, second;
    } none[] = {{1, -0.25}, {-1, 0.25}, {1, 0}, {0, 0}, {0, 1}, {1, NAN}, {NAN, 1}, {0.25, 1}};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        struct convergence_sequence of = convergence_judge(none[k].first, none[k].second, 2);
        CHECK(!of.asymptotic && isnan(of.bar) && isnan(of.rest), "%g, %g", none[k].first, none[k].second);
    }
    return 0;
}
