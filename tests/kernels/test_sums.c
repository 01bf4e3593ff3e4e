/* test_sums.c: which sums of states the formulas of a text keep. */
#include <string.h>

#include "kernels/ionic/compiler/mmt/mmt.h"
#include "kernels/ionic/compiler/sums.h"
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
            char part[40];
            double factor = sums.factor[k * STATES + s];
            if (factor == 0)
                continue;
            snprintf(part, sizeof part, "%s%.4g%c", sign, factor, "abcde"[s]);
            strcat(found, part);
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

int main(void)
{
    test_find();
    test_range();
    return 0;
}
