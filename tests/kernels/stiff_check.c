/* stiff_check.c: a compiled text with stiff states (stiff.mmt): sums that its
 * rates keep are kept in long steps and short ones, the error is of the first
 * order in the step, and mixed state is near double, also where formulas cancel
 * or leave the range of fp32.
 *
 * COMPILED is the header that compile_text made, its formula `text`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IONIC_TEXT COMPILED
#include "kernels/ionic/formulas.h"
#include "tests/support/check.h"

#define VALUE_OF(name, unit, meaning, value) value,
static const double initial[] = {STATES_text(VALUE_OF, VALUE_OF)},
                    parameter[] = {PARAMETERS_text(VALUE_OF) 0};
enum { STATES = sizeof initial / sizeof *initial, CHANNEL = 4, CALCIUM = 3, RELEASE = 4, BURST = 2 };

#define NO(name, ...) 0,
#define YES(name, ...) 1,
static const int fp64[] = {STATES_text(NO, YES)};

static const double end = 20; /* ms */

/* state[STATES] <- at the end; in double, of type REAL at each step */
#define DEFINE_RUN(real)                                                                                     \
    static void run_##real(double *state, double dt)                                                         \
    {                                                                                                        \
        struct text_parameters p;                                                                            \
        memcpy(&p, parameter, sizeof p);                                                                     \
        const struct text_constants_##real c = text_constants_of_##real(&p, dt);                             \
        struct text_cell_##real cell;                                                                        \
        int s = 0;                                                                                           \
        cell.v = V_INITIAL;                                                                                  \
        STATES_text(SET_##real, SET_double) for (int64_t n = 0; n < (int64_t)round(end / dt); n++)           \
        {                                                                                                    \
            double since = ((double)n + 0.5) * dt - EVENT_START;                                             \
            text_step_##real(&c, &cell, since >= 0 && since < EVENT_DURATION ? STIMULUS : 0);                \
        }                                                                                                    \
        s = 0;                                                                                               \
        STATES_text(GET, GET)                                                                                \
    }
#define SET_double(name, unit, meaning, value) cell.name = value;
#define SET_float(name, unit, meaning, value) cell.name = (float)(value);
#define GET(name, ...) state[s++] = cell.name;
DEFINE_RUN(double)
DEFINE_RUN(float)

static double sum(const double *state, int first, int count)
{
    double total = 0;
    for (int s = first; s < first + count; s++)
        total += state[s];
    return total;
}

/* The largest difference of a state, by its size */
static double apart(const double *a, const double *b)
{
    double most = 0;
    for (int s = 0; s < STATES; s++) {
        double off = fabs(a[s] - b[s]) / fabs(b[s]);
        most = off <= most ? most : off;
    }
    return most;
}

int main(void)
{
    static const double steps[] = {0.0125, 0.025, 0.05, 0.1, 1};
    double fine[STATES], got[STATES], error[5];
    run_double(fine, 1e-4);
    for (int k = 0; k < 5; k++) {
        run_double(got, steps[k]);
        error[k] = apart(got, fine);
        double channel = sum(got, 0, CHANNEL) - 1,
               calcium = sum(got, CHANNEL, CALCIUM) - sum(initial, CHANNEL, CALCIUM),
               release = sum(got, CHANNEL + CALCIUM, RELEASE) - 1,
               burst = sum(got, CHANNEL + CALCIUM + RELEASE, BURST) - 1;
        printf("steps of %g ms: error %.3g, sums off by %.1e, %.1e, %.1e, %.1e\n", steps[k], error[k],
               channel, calcium, release, burst);
        CHECK(fabs(channel) <= 1e-13 && fabs(calcium) <= 1e-13 && fabs(release) <= 1e-13 &&
                  fabs(burst) <= 1e-13,
              "a sum is not kept");
    }
    CHECK(error[2] <= 0.03, "%g at 0.05 ms", error[2]);
    CHECK(fabs(error[1] / error[0] - 2) < 0.1 && fabs(error[2] / error[1] - 2) < 0.1, "not of first order");
    for (int s = 0; s < STATES; s++)
        CHECK(fp64[s] == (s < CHANNEL + CALCIUM + RELEASE + BURST),
              "state %d: fp64 is for sums that are kept", s);
    run_float(got, 0.05);
    double float_apart = apart(got, (run_double(fine, 0.05), fine));
    printf("mixed state: %.2g from double\n", float_apart);
    CHECK(float_apart <= 1e-4, "mixed state");
    return 0;
}
