/* test_sums.c: sums of states that the formulas of a text conserve, and texts or steps that lose one. */
#include <stdlib.h>
#include <string.h>

#include "app/models/steps.h"
#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"
#include "kernels/compiler/algebra/trial.h"
#include "tests/support/check.h"

enum { STATES = 5, LONGEST = 8000 };

/* A cell of five states with these rates, and what else the text says */
static void read_cell(struct cell *cell, const char *const rate[STATES], const char *more)
{
    static const char head[] =
        "[[model]]\nm.V = -80\nm.a = 0.25\nm.b = 0.25\nm.c = 0.5\nm.d = 3\nm.e = 0\n[m]\n"
        "dot(V) = -0.5 [1/ms] * (V + 90 [mV])\n    in [mV]\n"
        "    label membrane_potential\n"
        "time = 0 [ms] in [ms] bind time\n"
        "up = 0.3 [1/ms] * exp(V / 20 [mV]) in [1/ms]\n"
        "down = 0.1 [1/ms] in [1/ms]\nsame = 0.1 [1/ms] in [1/ms]\n";
    const struct mmt_scale scale = {0};
    struct error error = {0};
    char text[LONGEST];
    int at = snprintf(text, sizeof text, "%s%s", head, more);
    for (int s = 0; s < STATES; s++)
        at += snprintf(text + at, sizeof text - (size_t)at, "dot(%c) = %s\n", "abcde"[s], rate[s]);
    CHECK_OK(mmt_read(cell, text, strlen(text), "t.mmt", &scale, &error), error);
}

/* Which sums those are: "a+b+c, 2d+e" */
static void expect(const char *what, const char *const rate[STATES], const char *more)
{
    static const bool apart[STATES] = {0};
    char found[200] = "";
    struct cell cell;
    struct sums sums;
    struct error error = {0};
    read_cell(&cell, rate, more);
    CHECK_OK(sums_find(&sums, &cell, apart, &error), error);
    for (int k = 0; k < sums.count; k++) {
        const char *sign = k ? ", " : "";
        for (int s = 0; s < STATES; s++) {
            char term[40];
            double factor = sums.factor[k * STATES + s];
            if (factor == 0)
                continue;
            snprintf(term, sizeof term, "%s%.4g%c", sign, factor, "abcde"[s]);
            strcat(found, term);
            sign = "+";
        }
    }
    CHECK(strcmp(found, what) == 0, "found '%s', not '%s'", found, what);
    sums_free(&sums);
    cell_free(&cell);
}

static void test_find(void)
{
    const char *const chain[STATES] = {"down * b - up * a", "up * a - (down + up^2 / same) * b + down * c",
                                       "-(dot(a) + dot(b))", "if(V < -40 [mV], up, down) * (e - 2 * d^3)",
                                       "-0.5 * if(V < -40 [mV], up, down) * (e - 2 * d^3)"};
    expect("1a+1b+1c, 0.5d+1e", chain, "");
    /* rates that add up to 0 because of the values that parameters happen to have */
    const char *const lucky[STATES] = {"down * b - down * a", "same * a - same * b", "0 [1/ms] * c",
                                       "down * (1 - d)", "up * (1 - e)"};
    expect("", lucky, "");
    /* numbers are the decimals that are written: compartments of 0.65 and 0.0035 */
    const char *const amounts[STATES] = {"down * (b - a) / 0.65", "down * (a - b) / 0.0035",
                                         "0.3 * up * (d - c)", "0.3 * up * c - up * d * 0.3", "up * d"};
    expect("185.7a+1b, 1c+1d", amounts, "");
    /* other functions than those of a field, of equal operands, and conditions that are not */
    const char *const others[STATES] = {
        "up * sqrt(abs(2 * a * b)) - down * exp(a)", "down * exp(a) - up * sqrt(abs(b * a * 2))",
        "if(V < 0 [mV], up, down) * c", "-if(V <= 0 [mV], up, down) * c", "down * e"};
    expect("1a+1b", others, "");
}

/* Sums that a text does not keep: a and b leak */
static struct sums planted(const struct cell *cell, double start)
{
    static double factor[STATES] = {1, 2};
    static bool shares[1];
    static double begin[1];
    *begin = start;
    return (struct sums){.cell = cell, .count = 1, .factor = factor, .start = begin, .shares = shares};
}

static void test_lost(void)
{
    const char *const rate[STATES] = {"-down * a", "down * (1 - b)", "down * (a - c)", "down * (a - d)",
                                      "down * e"};
    const bool none[STATES] = {0};
    const int slope[STATES * STATES] = {0};
    const struct trial_rates rates = {none, none, slope, 10};
    struct trial_state seen[STATES];
    struct error error = {0};
    struct cell cell;
    read_cell(&cell, rate, "");
    struct sums sums = planted(&cell, 0.75);
    CHECK(trial_run(seen, &cell, &rates, &sums, &error) == STATUS_INPUT, "a beat that loses a sum");
    CHECK(strstr(error.text, "m.a + 2 m.b is 0.75") && strstr(error.text, ", not 0.75"), "%s", error.text);

    /* by a model that is built in: of its states the sum and then the range */
    struct ionic_model model = *ionic_find("mitchell-schaeffer");
    struct cell_state state[] = {{.name = "gate.h", .initial = 1}};
    struct cell gate = {.states = 1, .state = state};
    double factor = 1, start = 1;
    bool shares = false;
    sums = (struct sums){.cell = &gate, .count = 1, .factor = &factor, .start = &start, .shares = &shares};
    CHECK(model.states == 1, "%d states", model.states);
    CHECK(steps_find(&model, &sums, false, &error) == STATUS_INPUT && strstr(error.text, "gate.h is 0.9"),
          "%s", error.text);
    CHECK_OK(steps_find(&model, NULL, false, &error), error);
    cell_free(&cell);
}

static void test_range(void)
{
    static double factor[] = {1, 1}, start[] = {1};
    bool shares = true;
    struct cell_state state[] = {{.name = "p"}, {.name = "q"}};
    struct cell cell = {.states = 2, .state = state};
    struct sums sums = {.cell = &cell, .count = 1, .factor = factor, .start = start, .shares = &shares};
    const double inside[] = {1.2, -0.2}, beyond[] = {1.375, -0.375};
    char text[100];
    CHECK(sums_lost(&sums, inside, true) < 0 && sums_lost(&sums, beyond, false) < 0, "both add up to 1");
    CHECK(sums_lost(&sums, beyond, true) == 0, "a share of 1.375");
    sums_describe(text, sizeof text, &sums, 0, beyond);
    CHECK(strcmp(text, "p + q is 1, but p is 1.375") == 0, "%s", text);
    sums_reach(&sums, 1, -0.375, 0);
    CHECK(sums_lost(&sums, beyond, true) < 0, "a sum whose parts go anywhere");
}

/* A beat that steps of 0.02 ms cannot follow: V's own rate is 150 /ms. x would be stiff above 0 mV alone. */
static void test_trial(void)
{
    static const char text[] = "[[model]]\nm.V = -80\nm.x = 0.5\nm.y = 0.5\n[m]\n"
                               "dot(V) = 150 [1/ms] * (-80 [mV] - V) + pace * 3000 [mV/ms]\n    in [mV]\n"
                               "    label membrane_potential\n"
                               "time = 0 [ms] in [ms] bind time\npace = 0 bind pace\n"
                               "rate = if(V > 0 [mV], 40 [1/ms], 0.01 [1/ms]) in [1/ms]\n"
                               "dot(x) = rate * (y - x)\ndot(y) = 0.01 [1/ms] * (x - y^2)\n"
                               "[[protocol]]\n1 5 1 1000 0\n";
    const struct mmt_scale scale = {0};
    struct compiled compiled;
    struct cell cell;
    struct error error = {0};
    CHECK_OK(mmt_read(&cell, text, strlen(text), "t.mmt", &scale, &error), error);
    CHECK_OK(compiler_make(&compiled, &cell, "t", &error), error);
    CHECK(!strstr(compiled.formulas, "REAL p0 ="), "x is taken for stiff, as V above 0 mV would make it");
    compiler_free(&compiled);
    cell_free(&cell);
}

int main(void)
{
    test_find();
    test_lost();
    test_range();
    test_trial();
    return 0;
}
