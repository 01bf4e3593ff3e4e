/* test_sums.c: sums of states that the formulas of a text conserve, and texts or steps that lose one. */
#include <stdlib.h>
#include <string.h>

#include "app/models/steps.h"
#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"
#include "kernels/compiler/algebra/trial.h"
#include "tests/support/check.h"
#include "tests/support/dice.h"

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

/* ---- against plain elimination ---- */

enum { COMPARTMENTS = 6, FLOWS = 5 };

static int random_whole(int low, int high)
{
    return low + below(high - low + 1);
}

/* A flow that is no sum of others: of V, of states, of the number of the flow */
static int make_flow(struct expression_graph *graph, int j)
{
    const int v = expression_leaf(graph, EXPRESSION_V, -1),
              k = expression_leaf(graph, EXPRESSION_PARAMETER, j % 2),
              x = expression_leaf(graph, EXPRESSION_STATE, j % COMPARTMENTS),
              y = expression_leaf(graph, EXPRESSION_STATE, (j + 1) % COMPARTMENTS),
              number = expression_number(graph, 0.3 + j);
    const int less = expression_two(graph, EXPRESSION_LESS, v, number),
              power = expression_two(graph, EXPRESSION_POWER, y, expression_number(graph, j == 4 ? -2 : 2)),
              ratio =
                  expression_two(graph, EXPRESSION_DIVIDE, x, expression_two(graph, EXPRESSION_ADD, k, y));
    switch (j) {
    case 0:
        return expression_two(graph, EXPRESSION_MULTIPLY, k, x);
    case 1:
        return expression_two(graph, EXPRESSION_SUBTRACT, expression_one(graph, EXPRESSION_EXP, v), ratio);
    case 2:
        return expression_select(graph, less, power, x);
    case 3:
        return expression_one(graph, EXPRESSION_NEGATE,
                              expression_two(graph, EXPRESSION_MULTIPLY, ratio, number));
    default:
        return expression_two(graph, EXPRESSION_POWER, power, expression_number(graph, 0.37));
    }
}

/* m[rows][COMPARTMENTS] <- reduced so that each row's first entry is 1, alone in its column; returns the rank. pivot[r]: that column */
static int reduce_plainly(double m[][COMPARTMENTS], int rows, int *pivot)
{
    int rank = 0;
    for (int c = 0; c < COMPARTMENTS && rank < rows; c++) {
        int best = rank;
        for (int r = rank; r < rows; r++)
            best = fabs(m[r][c]) > fabs(m[best][c]) ? r : best;
        if (fabs(m[best][c]) < 1e-9)
            continue;
        for (int k = 0; k < COMPARTMENTS; k++) {
            const double held = m[best][k];
            m[best][k] = m[rank][k];
            m[rank][k] = held;
        }
        const double scale = m[rank][c];
        for (int k = 0; k < COMPARTMENTS; k++)
            m[rank][k] /= scale;
        for (int r = 0; r < rows; r++) {
            const double share = m[r][c];
            for (int k = 0; k < COMPARTMENTS && r != rank; k++)
                m[r][k] -= share * m[rank][k];
        }
        pivot[rank++] = c;
    }
    return rank;
}

/* Rates are whole multiples of a few flows: the sums are those of the null space of their matrix in which one state without a pivot has the
 * factor 1, of more than one state; where each starts, whether its parts are shares of it, and what is said of it */
static void test_flows(void)
{
    int sums_found = 0;
    for (int turn = 0; turn < 300; turn++) {
        struct error error = {0};
        static const char *const name[] = {"m.a", "m.b", "m.c", "m.d", "m.e", "m.f"};
        struct cell_state state[COMPARTMENTS];
        struct cell cell = {.states = COMPARTMENTS, .state = state};
        struct sums sums;
        bool apart[COMPARTMENTS];
        int flow[FLOWS], pivot[COMPARTMENTS], member[COMPARTMENTS], members = 0, at = 0,
                                                                    flows = 1 + turn % FLOWS;
        double share[FLOWS][COMPARTMENTS], m[FLOWS][COMPARTMENTS] = {{0}};
        CHECK_OK(expression_begin(&cell.graph, &error), error);
        for (int j = 0; j < flows; j++)
            flow[j] = make_flow(&cell.graph, j);
        for (int s = 0; s < COMPARTMENTS; s++) {
            int rate = expression_number(&cell.graph, 0);
            apart[s] = turn % 3 == 0 && random_whole(0, 4) == 0;
            for (int j = 0; j < flows; j++) {
                share[j][s] = random_whole(0, 2) ? random_whole(-2, 3) / (turn % 5 == 0 ? 10.0 : 1) : 0;
                rate = expression_two(&cell.graph, EXPRESSION_ADD, rate,
                                      expression_two(&cell.graph, EXPRESSION_MULTIPLY,
                                                     expression_number(&cell.graph, share[j][s]), flow[j]));
            }
            state[s] =
                (struct cell_state){.name = name[s], .initial = random_whole(-1, 4) / 4.0, .rate = rate};
            if (!apart[s])
                member[members++] = s;
        }
        for (int j = 0; j < flows; j++)
            for (int k = 0; k < members; k++)
                m[j][k] = share[j][member[k]];
        const int rank = reduce_plainly(m, flows, pivot);
        CHECK_OK(sums_find(&sums, &cell, apart, &error), error);
        for (int k = 0; k < members; k++) {
            double factor[COMPARTMENTS] = {0}, start = 0, now[COMPARTMENTS], most = 0;
            bool has = false, shares = true;
            int terms = 1, last = member[k];
            factor[member[k]] = 1;
            for (int r = 0; r < rank; r++) {
                has = has || pivot[r] == k;
                factor[member[pivot[r]]] =
                    fabs(m[r][k]) < 1e-9 || pivot[r] == k ? factor[member[pivot[r]]] : -m[r][k];
                terms += fabs(m[r][k]) >= 1e-9;
            }
            if (has || terms < 2)
                continue;
            char text[200], want[200] = "";
            for (int s = 0; s < COMPARTMENTS; s++) {
                char one[40] = "";
                const char *sign = factor[s] > 0 ? " + " : " - ";
                start += factor[s] * state[s].initial;
                shares = shares && factor[s] > -1e-9 && factor[s] * state[s].initial >= 0;
                if (factor[s] == 0)
                    continue;
                if (fabs(fabs(factor[s]) - 1) > 1e-9)
                    snprintf(one, sizeof one, "%.6g ", fabs(factor[s]));
                sprintf(want + strlen(want), "%s%s%s", *want ? sign : factor[s] > 0 ? "" : "-", one, name[s]);
                last = s;
            }
            shares = shares && start > 1e-12;
            CHECK(at < sums.count, "%d sums, want more", sums.count);
            for (int s = 0; s < COMPARTMENTS; s++)
                CHECK(fabs(sums.factor[at * COMPARTMENTS + s] - factor[s]) < 1e-9,
                      "sum %d of %s: %g, want %g", at, want, sums.factor[at * COMPARTMENTS + s], factor[s]);
            CHECK(fabs(sums.start[at] - start) < 1e-12 && sums.shares[at] == shares,
                  "%s starts with %g, want %g, %d", want, sums.start[at], start, shares);
            /* values that keep it, then one that moves by a little more than rounding may */
            for (int s = 0; s < COMPARTMENTS; s++) {
                now[s] = state[s].initial;
                most = fmax(most, fmax(fabs(start), fabs(factor[s] * now[s])));
            }
            struct sums alone = {&cell, 1, sums.factor + at * COMPARTMENTS, sums.start + at,
                                 sums.shares + at};
            CHECK(sums_lost(&alone, now, true) == -1, "%s is lost at the start", want);
            now[last] += 0.9e-8 * most / factor[last];
            CHECK(sums_lost(&alone, now, false) == -1, "%s is lost by rounding", want);
            now[last] += 0.3e-8 * most / factor[last];
            CHECK(sums_lost(&alone, now, false) == (most > 0 ? 0 : -1), "%s is not lost", want);
            now[last] += 0.5 / factor[last];
            sums_describe(text, sizeof text, &alone, 0, now);
            sprintf(want + strlen(want), " is %.6g, not %.6g", start + 0.5 + 1.2e-8 * most, start);
            CHECK(strcmp(text, want) == 0, "'%s', want '%s'", text, want);
            at++;
        }
        CHECK(at == sums.count, "%d sums, want %d", sums.count, at);
        for (int s = 0; s < COMPARTMENTS; s++) {
            bool held = false;
            for (int k = 0; k < sums.count; k++)
                held = held || sums.factor[k * COMPARTMENTS + s] != 0;
            CHECK(sums_hold(&sums, s) == held, "state %d", s);
        }
        sums_found += sums.count;
        sums_free(&sums);
        CHECK(!sums.count && !sums.factor, "freed");
        expression_free(&cell.graph);
    }
    CHECK(sums_found > 200, "%d sums", sums_found);
}

/* The parts of two sums, at their bounds: a quarter of the start below 0 and above it */
static void test_reach(void)
{
    static double factor[] = {1, 2, 0, 0, 1, 4}, start[] = {2, 8};
    struct cell_state state[] = {{.name = "p"}, {.name = "q"}, {.name = "r"}};
    struct cell cell = {.states = 3, .state = state};
    for (int k = 0; k < 2; k++) /* of which q is in both, r in the second */
        for (int s = 0; s < 3; s++)
            for (int side = 0; side < 2; side++)
                for (int beyond = 0; beyond < 2; beyond++) {
                    bool shares[2] = {true, true};
                    struct sums sums = {
                        .cell = &cell, .count = 2, .factor = factor, .start = start, .shares = shares};
                    const double f = factor[3 * k + s], least = f ? -0.25 * start[k] / f : 0,
                                 most = f ? 1.25 * start[k] / f : 0, more = beyond ? 1e-3 : -1e-3;
                    if (!f || s == 1)
                        continue;
                    sums_reach(&sums, s, side ? 0 : least - more, side ? most + more : 0);
                    CHECK(shares[k] == !beyond && shares[1 - k], "sum %d, state %d, %s", k, s,
                          side ? "above" : "below");
                    double now[3] = {0};
                    now[s] = side ? most + more : least - more;
                    now[1] = (start[0] - now[0]) / 2;
                    now[2] = (start[1] - now[1]) / 4;
                    if (s == 2) {
                        now[2] = side ? most + more : least - more;
                        now[1] = start[1] - 4 * now[2];
                        now[0] = start[0] - 2 * now[1];
                    }
                    shares[0] = k == 0;
                    shares[1] = k == 1;
                    CHECK(sums_lost(&sums, now, false) == -1, "sums %d, %d", k, s);
                    CHECK((sums_lost(&sums, now, true) == k) == (beyond == 1), "sum %d, state %d, %s: %d", k,
                          s, side ? "above" : "below", sums_lost(&sums, now, true));
                }
}

int main(void)
{
    test_flows();
    test_reach();
    test_find();
    test_lost();
    test_range();
    test_trial();
    return 0;
}
