/* test_mmt.c: the language of models' texts: values of formulas, the place of the stimulus, messages for
 * wrong and hostile texts. */
#include <string.h>
#include <time.h>

#include "kernels/compiler/language/mmt.h"
#include "kernels/compiler/language/unit.h"
#include "tests/support/check.h"

static const struct mmt_scale unscaled = {.voltage = NULL};

/* A cell of two states: V = -80 mV, and x = 3, whose rate is that formula per ms */
static const char small[] = "[[model]]\n"
                            "square(a) = a * a\n"
                            "far(a, b) = square(a) + square(b)\n"
                            "m.V = -80\n"
                            "m.x = 3\n"
                            "[m]\n"
                            "dot(V) = -k * (V + 90)\n"
                            "    in [mV]\n"
                            "    label membrane_potential\n"
                            "k = 0.5 [1/ms]\n"
                            "    in [1/ms]\n"
                            "time = 0 [ms] in [ms] bind time\n"
                            "four = 4\n"
                            "dot(x) = r * per\n"
                            "per = 1 [1/ms] in [1/ms]\n"
                            "r = %s\n";

static enum status read_with(struct cell *cell, const char *text, const struct mmt_scale *scale,
                             struct error *error)
{
    return mmt_read(cell, text, strlen(text), "t.mmt", scale, error);
}

/* All nodes at the initial state, with that stimulus; the caller frees them */
static double *values_of(const struct cell *cell, double stimulus)
{
    double *value = calloc((size_t)cell->graph.nodes, sizeof *value);
    double state[10], parameter[20];
    struct expression_values values = {
        .v = cell->v_initial, .stimulus = stimulus, .state = state, .parameter = parameter};
    CHECK(value && cell->states <= 10 && cell->parameters <= 20, "%d states, %d parameters", cell->states,
          cell->parameters);
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    for (int k = 0; k < cell->parameters; k++)
        parameter[k] = cell->parameter[k].value;
    expression_evaluate(&cell->graph, &values, cell->graph.nodes, value);
    return value;
}

static double worth(const char *formula)
{
    char text[2000];
    struct cell cell;
    struct error error = {0};
    snprintf(text, sizeof text, small, formula);
    CHECK_OK(read_with(&cell, text, &unscaled, &error), error);
    double *value = values_of(&cell, 0), result = value[cell.state[0].rate];
    free(value);
    cell_free(&cell);
    return result;
}

static void test_formulas(void)
{
    static const struct {
        const char *formula;
        double value;
    } known[] = {
        {"2 + 3 * 4", 14},
        {"2 - 3 - 4", -5},
        {"24 / 4 / 2", 3},
        {"-2^2", -4},
        {"2^3^2", 64},
        {"2^-1", 0.5},
        {"2 * -x", -6},
        {"--x", 3},
        {"+x", 3},
        {"-7 // 2", -4},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"10 % 4 % 3", 2},
        {".5 + 5. + 1e1 + 1E+1 + 1.5e-1", 25.65},
        {"(1\n    + 2 # three\n)", 3},
        {"1 \\\n    + x", 4},
        {"if(x > 2, 10, 20)", 10},
        {"if(x <= 2, 10, 20)", 20},
        {"if(x >= 3 and x != 4, 10, 20)", 10},
        {"if(not x == 3, 10, 20)", 20},
        {"if(1 == 1 or 0 == 0 and 0 == 1, 10, 20)", 20}, /* from the left */
        {"piecewise(x < 1, 5, x < 4, 6, x < 5, 7, 8)", 6},
        {"piecewise(x < 1, 5, 8)", 8},
        {"exp(x)", 0x1.415e5bf6fb106p+4},
        {"log(x) - log(x, 10) * log(10)", 0},
        {"log10(1000)", 3},
        {"sqrt(x * 12)", 6},
        {"sin(x)^2 + cos(x)^2", 1},
        {"tan(atan(x))", 3},
        {"asin(0.5) + acos(0.5) - 2 * atan(1)", 0},
        {"abs(-x) + floor(-2.5) + ceil(2.5)", 3},
        {"far(x, four)", 25},
        {"square(square(x))", 81},
        {"dot(V) / k / V", 0.125},
        {"m.four", 4},
        {"a + b\n    a = c * 2\n        c = four\n    b = x", 11},
        {"five + six\n    six = 6\nfive = 5", 11},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double got = worth(known[k].formula);
        CHECK(fabs(got - known[k].value) <= 1e-14 * (1 + fabs(known[k].value)), "%s = %.17g, not %.17g",
              known[k].formula, got, known[k].value);
    }
}

static const char tissue[] = "[[model]]\n"
                             "name: a tissue\n"
                             "desc: \"\"\"\n"
                             "  of two [1]\n"
                             "  [1] or so\n"
                             "  [1] A. B, C,\n"
                             "      2000\n"
                             "  [2] D\n"
                             "  \"\"\"\n"
                             "cell.V = -0.08 [V]\n"
                             "cell.Ki = 2 * other.Ki0\n"
                             "[cell]\n"
                             "use other.time as t\n"
                             "dot(V) = -(i_ion + i_diff + other.i_stim) / C\n"
                             "    in [V]\n"
                             "    label membrane_potential\n"
                             "dot(Ki) = -other.i_stim / other.charge : potassium\n"
                             "    in [mM]\n"
                             "i_ion = g * (V + 0.09 [V]) in [nA]\n"
                             "i_diff = 0 [nA] in [nA] bind diffusion_current\n"
                             "g = 100 [nS] in [nS]\n"
                             "C = 0.2 [nF] in [nF]\n"
                             "[other]\n"
                             "time = 0 [s] in [s] bind time\n"
                             "pace = 0 bind pace\n"
                             "i_stim = pace * a in [nA]\n"
                             "    a = -4 [nA] in [nA]\n"
                             "Ki0 = 70 [mM] in [mM]\n"
                             "charge = 10 [nA*s/mM] in [nA*s/mM]\n"
                             "[[protocol]]\n"
                             "# level start length period count\n"
                             "1 0.1 0.002 0 0\n"
                             "0.5 next 0.001 1 3\n"
                             "[[script]]\n"
                             "anything [[ ( ' goes\n";

static void test_tissue(void)
{
    struct cell cell;
    struct error error = {0};
    CHECK_OK(read_with(&cell, tissue, &unscaled, &error), error);
    CHECK(strcmp(cell.name, "a tissue") == 0 && strcmp(cell.reference, "A. B, C, 2000") == 0, "%s, %s",
          cell.name, cell.reference);
    CHECK(cell.states == 1 && strcmp(cell.state[0].name, "cell.Ki") == 0 && cell.warnings == 0,
          "%d states, %d warnings", cell.states, cell.warnings);
    CHECK(strcmp(cell.state[0].meaning, "potassium") == 0 && strcmp(cell.state[0].unit, "mM") == 0, "%s",
          cell.state[0].meaning);
    CHECK(cell.parameters == 5 && strcmp(cell.parameter[2].name, "other.i_stim.a") == 0 &&
              cell.parameter[2].value == -4,
          "%d parameters, %s", cell.parameters, cell.parameter[2].name);
    CHECK(cell.v_initial == -80 && cell.state[0].initial == 140, "V %g, Ki %g", cell.v_initial,
          cell.state[0].initial);
    CHECK(!expression_depends(&cell.graph, cell.v_rate, EXPRESSION_TIME) && cell.time_reader[0] == 0, "%s",
          cell.time_reader);
    double *off = values_of(&cell, 0), *on = values_of(&cell, 20);
    /* 100 nS 10 mV = 1 nA; over 0.2 nF -5 mV/ms. A stimulus of 20 mV/ms is -4 nA, and 0.4 mM/s of potassium.
     */
    CHECK_CLOSE(off[cell.v_rate], -5.0, 1e-14);
    CHECK_CLOSE(on[cell.v_rate], 15.0, 1e-14);
    CHECK_CLOSE(off[cell.quantity[0].value], 5.0, 1e-14);
    CHECK_CLOSE(off[cell.stimulus], 20.0, 1e-14);
    CHECK_CLOSE(off[cell.state[0].rate], 0.0, 1e-14);
    CHECK_CLOSE(on[cell.state[0].rate], 0.0004, 1e-14);
    free(off);
    free(on);
    CHECK(cell.events == 2 && cell.event[0].start == 100 && cell.event[0].duration == 2, "%g",
          cell.event[0].start);
    CHECK_CLOSE(cell.event[1].start, 102.0, 1e-14);
    CHECK(cell.event[1].period == 1000 && cell.event[1].count == 3 && cell.event[1].level == 0.5, "%g",
          cell.event[1].start);
    cell_free(&cell);
    cell_free(&cell);
}

static const char pure[] = "[[model]]\n"
                           "c.u = 0.1\n"
                           "[c]\n"
                           "t = 0 in [1] bind time\n"
                           "dot(u) = u * (1 - u) + p\n"
                           "    in [1]\n"
                           "    label membrane_potential\n"
                           "p = 0 bind pace\n"
                           "seen = t / 2\n";

static void test_dimensionless(void)
{
    struct cell cell;
    struct error error = {0};
    struct mmt_scale scale = {.rest = -85, .amplitude = 100, .time_unit = 5};
    CHECK_OK(read_with(&cell, pure, &scale, &error), error);
    double *off = values_of(&cell, 0), *on = values_of(&cell, 3);
    CHECK_CLOSE(cell.v_initial, -75.0, 1e-14);
    CHECK_CLOSE(off[cell.v_rate], 0.09 * 100 / 5, 1e-14);
    CHECK_CLOSE(on[cell.v_rate], 0.09 * 100 / 5 + 3, 1e-14);
    CHECK_CLOSE(off[cell.stimulus], 20.0, 1e-14);
    CHECK(cell.time_reader[0] == 0 && cell.quantities == 1, "'%s'", cell.time_reader);
    free(off);
    free(on);
    cell_free(&cell);
    scale.time_unit = 0;
    CHECK(read_with(&cell, pure, &scale, &error) == STATUS_INPUT &&
              strstr(error.text, "t.mmt:4:1: time has no dimension"),
          "%s", error.text);
    CHECK(read_with(&cell, pure, &unscaled, &error) == STATUS_INPUT &&
              strstr(error.text, "t.mmt:5:1: 'c.u' has no dimension"),
          "%s", error.text);
}

/* A current that the time switches is the stimulus where there is no pace, and its charge, too */
static void test_switched(void)
{
    static const char text[] =
        "[[model]]\n"
        "c.V = -80\n"
        "c.Na = 10\n"
        "[c]\n"
        "t = 0 [ms] in [ms] bind time\n"
        "dot(V) = -(i + k * V) in [mV] label membrane_potential\n"
        "k = 1 [1/ms] in [1/ms]\n"
        "since = t - floor(t / 500 [ms]) * 500 [ms] in [ms]\n"
        "i = if(since >= 10 [ms] and since < 11 [ms], 40 [mV/ms], 0 [mV/ms]) in [mV/ms]\n"
        "dot(Na) = 2 [mM/mV] * i in [mM]\n";
    struct cell cell;
    struct error error = {0};
    CHECK_OK(read_with(&cell, text, &unscaled, &error), error);
    CHECK(strcmp(cell.stimulus_name, "c.i") == 0 && cell.time_reader[0] == 0 && cell.warnings == 1, "%s, %s",
          cell.stimulus_name, cell.time_reader);
    double *on = values_of(&cell, 3);
    CHECK_CLOSE(on[cell.v_rate], 83.0, 1e-14);
    CHECK_CLOSE(on[cell.state[0].rate], -6.0, 1e-14);
    free(on);
    cell_free(&cell);
    static const char drift[] =
        "[[model]]\nc.V = 1\n[c]\nt = 0 [ms] in [ms] bind time\nk = 2 * t in [ms]\n"
        "dot(V) = V * k / 1 [ms^2] in [mV] label membrane_potential\np = 0 bind pace\n";
    CHECK_OK(read_with(&cell, drift, &unscaled, &error), error);
    CHECK(strcmp(cell.time_reader, "c.k") == 0, "'%s'", cell.time_reader);
    cell_free(&cell);
}

/* Behind the head of `small`, whose formula is 0: these lines are wrong so */
static void test_errors(void)
{
    static const struct {
        const char *lines, *says;
    } wrong[] = {
        {"y = z", "t.mmt:17:5: no variable is named 'z'"},
        {"y = fuor", "(did you mean 'four'?)"},
        {"y = n.four", "t.mmt:17:5: no component is named 'n'"},
        {"y = sqtr(2)", "t.mmt:17:5: no function is named 'sqtr' (did you mean 'sqrt'?)"},
        {"y = exp(1, 2)", "too many"},
        {"y = piecewise(x > 1, 2, x > 3, 4)", "pairs"},
        {"y = (1 + 2", "the line ends where ')' is expected"},
        {"y = 1 + 2)", "t.mmt:17:10: there is ')' where the end of the line is expected"},
        {"y = 1 +", "the line ends where a number, a name or '(' is expected"},
        {"y = 3 4", "t.mmt:17:7: there is '4'"},
        {"y = 3 abcdefghijklmnopqrstuvwxyzabcdefghijklmn",
         "t.mmt:17:7: there is 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn' where"},
        {"y = 3 abcdefghijklmnopqrstuvwxyzabcdefghijklmno",
         "t.mmt:17:7: there is 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn' where"},
        {"y = 1.2.3", "t.mmt:17:5: not a valid number"},
        {"y = 1e999", "beyond 1.8e308"},
        {"y = x > 1", "'m.y' is a condition"},
        {"y = 1 + (x > 1)", "expected a number, not a condition"},
        {"y = if(x, 1, 2)", "t.mmt:17:8: expected a condition"},
        {"y = a\n    a = b\n    b = y", "a circle: m.y needs m.y.a needs m.y.b needs m.y"},
        {"y = y", "a circle: m.y needs m.y"},
        {"x = 3", "t.mmt:17:1: the name 'x' is taken already, by line 14"},
        {"y = x\n    x = 3", "t.mmt:18:5: the name 'x' is taken already, by line 14"},
        {"[m]", "the name 'm' is taken already, by line 6"},
        {"dot(z) = 3", "the state 'm.z' has no initial value"},
        {"y = dot(four)", "dot() of 'm.four', which is no state"},
        {"y = 3 [kV] + 2 [A]", "t.mmt:17:12: a sum of [V (1000)] and [A]"},
        {"y = exp(2 [mV])", "t.mmt:17:5: the argument of exp() has unit [mV]; expected [1]"},
        {"y = 2 [mV] in [ms]",
         "the formula of 'm.y' has unit [mV]; expected [ms]; `units: warn` below [[model]] accepts"},
        {"y = if(k > 2 [mV], 1, 2)", "a comparison of [1/ms] with [mV]"},
        {"y = if(x > 2, 1 [s], 2 [ms])", "cases have units [s] and [ms]"},
        {"y = 2 ^ 1 [mV]", "the exponent has unit [mV]"},
        {"y = 2 [mvolt]", "t.mmt:17:8: no unit is named 'mvolt'"},
        {"y = 2 [mV", "'[' is not closed on its line"},
        {"y = 2 [m^]", "a number is missing after '^'"},
        {"[n]\n  y = 2", "t.mmt:18:3: an indented line"},
        {"y = a\n    a = 2\n  b = 3", "t.mmt:19:3: indented by 2, and other lines of 'm.y' by 4"},
        {"y = 1 bind time", "'m.y' is bound to time, as 'm.time' is already"},
        {"y = 1 label membrane_potential", "the label membrane_potential, as"},
        {"in = 3", "where a variable, 'use' or [component] is expected"},
        {"use m.x", "t.mmt:17:5: the name 'x' is taken"},
        {"y = 1 / 0\nz = 1\n[n]\ndot(a) = m.y", "no initial value"},
        {"_y = 1", "a name begins with a letter"},
        {"y = 1 $ 2", "t.mmt:17:7: a character that has no meaning here"},
        {"desc: \"\"\"never", "three quotes open a text"},
        {"[[model]]", "a second [[model]]"},
        {"[[part]]", "the parts of a text are"},
        {"[[protocol]]\n1 2 3 4", "the line ends where a number"},
        {"[[protocol]]\n1 2 5 3 0", "overlaps itself"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[3000];
        struct cell cell;
        struct error error = {0};
        int length = snprintf(text, sizeof text, small, "0");
        snprintf(text + length, sizeof text - (size_t)length, "%s", wrong[k].lines);
        CHECK(read_with(&cell, text, &unscaled, &error) == STATUS_INPUT, "taken: %s", wrong[k].lines);
        CHECK(strncmp(error.text, "t.mmt:", 6) == 0 && strstr(error.text, wrong[k].says), "%s: %s, not %s",
              wrong[k].lines, error.text, wrong[k].says);
    }
}

static void test_units_of_myokit(void)
{
    static const struct {
        const char *name;
        signed char power[MMT_UNIT_BASES];
        double factor;
    } known[] = {
#include "tests/kernels/myokit_units.txt"
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct mmt_unit unit, want = {.given = true, .factor = known[k].factor};
        char why[200] = "";
        int at;
        for (int b = 0; b < MMT_UNIT_BASES; b++)
            want.power[b] = known[k].power[b];
        CHECK(mmt_unit_read(&unit, known[k].name, (int)strlen(known[k].name), &at, why, sizeof why) &&
                  mmt_unit_same(unit, want),
              "[%s]: 10^%.17g, not 10^%.17g: %s", known[k].name, unit.factor, want.factor, why);
    }
    static const char *const none[] = {"mvolt", "kminute", "mh", "dday", "Cc", "\u00b5day"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        struct mmt_unit unit;
        char why[200];
        int at;
        CHECK(!mmt_unit_read(&unit, none[k], (int)strlen(none[k]), &at, why, sizeof why), "[%s] is read",
              none[k]);
    }
}

static void expect(const char *text, const struct mmt_scale *scale, const char *says)
{
    struct cell cell;
    struct error error = {0};
    CHECK(read_with(&cell, text, scale, &error) == STATUS_INPUT && strstr(error.text, says), "%s, not %s",
          error.text, says);
}

static void test_roles(void)
{
    static const char head[] =
        "[[model]]\nc.Vm = 1\nc.y = 1\n[c]\ndot(y) = 1\nt = 0 [ms] in [ms] bind time\np = 0 bind pace\n";
    char text[1000];
    const struct mmt_scale named = {.voltage = "c.Vm"}, wrong = {.voltage = "c.Wm"},
                           constant = {.voltage = "c.t"};
    snprintf(text, sizeof text, "%sdot(Vm) = y * p\n    in [mV]\n", head);
    expect(text, &unscaled,
           "no variable is labelled membrane_potential; give its name as voltage.name; perhaps it is 'c.Vm'");
    expect(text, &wrong, "no variable is named 'c.Wm'");
    expect(text, &constant, "is no state");
    expect(text, &named,
           "t.mmt:7:1: the stimulus current 'c.p' does not enter dot(c.Vm) by a constant factor");
    snprintf(text, sizeof text, "%sdot(Vm) = exp(i)\ni = p * 2\n", head);
    expect(text, &named, "t.mmt:9:1: the stimulus current 'c.i' does not enter");
    snprintf(text, sizeof text, "%sdot(Vm) = 1 / (y - y)\n", head);
    expect(text, &named, "t.mmt:8:13: dot(c.Vm) is inf at the initial values");
    snprintf(text, sizeof text, "%sdot(Vm) = 1\n    in [mA]\n", head);
    expect(text, &named, "'c.Vm' is in [A (0.001)], which are no volts");
    struct cell cell;
    struct error error = {0};
    snprintf(text, sizeof text, "%sdot(Vm) = (Vm - 1) / (exp(Vm - 1) - 1)\n    in [mV]\n", head);
    CHECK(read_with(&cell, text, &named, &error) == STATUS_INPUT, "V in mV, a rate in 1");
    snprintf(text, sizeof text, "%sdot(Vm) = (Vm - 1) / (exp(Vm - 1) - 1)\n", head);
    CHECK_OK(read_with(&cell, text, &named, &error), error); /* 0 / 0 at V = 1, 1 beside it */
    cell_free(&cell);
    expect("", &unscaled, "t.mmt:1:1: no text of a model");
    expect("[[protocol]]\n1 2 3 4 5\n", &unscaled, "it has no [[model]]");
    expect("[[model]]\n", &unscaled, "no variable is labelled");
}

/* What was left out is a warning at its place */
static void test_warnings(void)
{
    static const struct {
        const char *lines, *says;
        int line, column;
    } careless[] = {
        {"y = k * (V + 40)\n    in [mV/ms]", NULL, 0, 0},
        {"y = exp(V / 25)\nz = 2 [mV] in [mV]",
         "the argument of exp() has unit [mV]; expected [1]; a unit was left out", 17, 5},
        {"y = 0.1 * V\n    in [1/ms]",
         "the formula of 'm.y' has unit [mV]; expected [1/ms]; a unit was left out", 17, 9},
        {"y = 0.1 [1/mV/ms] * V", "'m.y' has no unit: taken as [1/ms]", 17, 1},
        {"y = 2.5 in [mV]", NULL, 0, 0},
    };
    for (size_t k = 0; k < sizeof careless / sizeof careless[0]; k++) {
        char text[3000];
        struct cell cell;
        struct error error = {0};
        int length = snprintf(text, sizeof text, small, "0");
        snprintf(text + length, sizeof text - (size_t)length, "%s\n", careless[k].lines);
        CHECK_OK(read_with(&cell, text, &unscaled, &error), error);
        CHECK(cell.warnings == (careless[k].says != NULL), "%s: %d warnings", careless[k].lines,
              cell.warnings);
        for (int w = 0; w < cell.warnings; w++)
            CHECK(strcmp(cell.warning[w].text, careless[k].says) == 0 &&
                      cell.warning[w].line == careless[k].line &&
                      cell.warning[w].column == careless[k].column,
                  "%d:%d: %s", cell.warning[w].line, cell.warning[w].column, cell.warning[w].text);
        cell_free(&cell);
    }
}

/* Comments in three quotes are skipped; with `units: warn` a contradiction is a warning, of a text in [ms]
 * for [mV] */
static void test_lenient(void)
{
    static const char head[] = "[[model]]\nunits: warn\n\"\"\" [n]\na = 1 \"\"\"\n",
                      tail[] =
                          "  \"\"\"\nb = 2\"\"\"  # a comment\ny = 2 [mV]\n    \"\"\"c\"\"\"\n    in [ms]\n";
    char text[3000];
    struct cell cell;
    struct error error = {0};
    int length = snprintf(text, sizeof text, "%s", head);
    length += snprintf(text + length, sizeof text - (size_t)length, small + strlen("[[model]]\n"), "0");
    snprintf(text + length, sizeof text - (size_t)length, "%s", tail);
    CHECK_OK(read_with(&cell, text, &unscaled, &error), error);
    CHECK(cell.warnings == 1 && cell.warning[0].line == 22, "%d warnings", cell.warnings);
    CHECK(strcmp(cell.warning[0].text, "the formula of 'm.y' has unit [mV]; expected [ms]") == 0, "%s",
          cell.warning[0].text);
    cell_free(&cell);
}

/* Texts that are large or nested: refused or read, within a second of the processor each */
struct long_text {
    char *text;
    size_t length, room;
};

static void add(struct long_text *to, const char *text)
{
    size_t length = strlen(text);
    CHECK(to->length + length < to->room, "%zu bytes", to->length);
    memcpy(to->text + to->length, text, length + 1);
    to->length += length;
}

static void add_times(struct long_text *to, const char *text, int times)
{
    for (int k = 0; k < times; k++)
        add(to, text);
}

static struct long_text begin(size_t room)
{
    char head[1000];
    struct long_text text = {malloc(room), 0, room};
    CHECK(text.text, "no memory");
    snprintf(head, sizeof head, small, "0");
    add(&text, head);
    return text;
}

static void finish(struct long_text *text, const char *what, const char *says)
{
    struct cell cell;
    struct error error = {0};
    clock_t start = clock();
    enum status status = mmt_read(&cell, text->text, text->length, "t.mmt", &unscaled, &error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(says ? status == STATUS_INPUT && strstr(error.text, says) != NULL : status == STATUS_OK, "%s: %s",
          what, error.text);
    CHECK(seconds < 5, "%s: %.3g s", what, seconds);
    if (!status)
        cell_free(&cell);
    free(text->text);
}

static void test_hostile(void)
{
    enum { ROOM = 3 << 20 };
    char line[200];
    struct long_text text = begin(ROOM);
    add(&text, "y = ");
    add_times(&text, "(", 500000);
    finish(&text, "parentheses", "t.mmt:17:");
    text = begin(ROOM);
    add(&text, "y = ");
    add_times(&text, "-", 500000);
    finish(&text, "signs", "inside each other");
    text = begin(ROOM);
    add(&text, "y = 1");
    add_times(&text, "+x", 200000);
    finish(&text, "a sum", "in a row");
    text = begin(ROOM);
    add(&text, "y = 1");
    add_times(&text, "+x", 1500);
    finish(&text, "a shorter sum", NULL);
    text = begin(ROOM);
    add(&text, "y = if(x > 1");
    add_times(&text, ", 1, 2", 1000);
    add(&text, ")");
    finish(&text, "cases", "too many");
    text = begin(ROOM);
    for (int k = 0; k < 20000; k++) {
        snprintf(line, sizeof line, "y%d = y%d + x\n", k, k + 1);
        add(&text, line);
    }
    add(&text, "y20000 = x\n");
    finish(&text, "a chain", NULL);
    text = begin(ROOM);
    for (int k = 0; k < 20000; k++) {
        snprintf(line, sizeof line, "y%d = y%d + x\n", k, (k + 1) % 20000);
        add(&text, line);
    }
    finish(&text, "a large circle", "a circle: m.y0 needs m.y1 needs");
    text = begin(ROOM);
    text.length = strlen("[[model]]\n");
    add(&text, "f0(a) = a + a\n");
    for (int k = 1; k < 60; k++) {
        snprintf(line, sizeof line, "f%d(a) = f%d(a) + f%d(a + 1)\n", k, k - 1, k - 1);
        add(&text, line);
    }
    add(&text, "m.V = 0\n[m]\nt = 0 bind time\ndot(V) = f59(V)\n    label membrane_potential\n");
    finish(&text, "functions", "expand to more operations than are supported");
    text = begin(ROOM);
    add_times(&text, "y = a\n", 1);
    for (int k = 1; k < 100; k++) {
        for (int i = 0; i < k; i++)
            add(&text, " ");
        add(&text, "a = b\n");
    }
    finish(&text, "variables inside variables", "t.mmt:");
    text = begin(ROOM);
    add_times(&text, "# a megabyte of nothing\n", 50000);
    finish(&text, "a megabyte", "a model's has at most");
    text = begin(ROOM);
    add(&text, "y = 1");
    memcpy(text.text + text.length, "\0 + 2\n", 7);
    text.length += 6;
    finish(&text, "a NUL", "t.mmt:17:6: a character that has no meaning here");
    text = begin(ROOM);
    add_times(&text, "q", 500000);
    finish(&text, "a long name", "a name of more than 100 characters");
    text = begin(ROOM);
    add(&text, "y = 9^9^9^9^9^9^9\n[[protocol]]\n");
    finish(&text, "a huge power", NULL); /* that no rate reads */
}

static void test_spellings(void)
{
    char text[2000], crlf[4000] = "\xef\xbb\xbf";
    struct cell cell;
    struct error error = {0};
    snprintf(text, sizeof text, small, "four");
    size_t length = 3;
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            crlf[length++] = '\r';
        crlf[length++] = *c;
    }
    CHECK_OK(mmt_read(&cell, crlf, length, "t.mmt", &unscaled, &error), error);
    CHECK(cell.states == 1 && cell.parameters == 3, "%d states", cell.states);
    cell_free(&cell);
    for (size_t cut = 0; cut < strlen(tissue); cut++)
        if (mmt_read(&cell, tissue, cut, "t.mmt", &unscaled, &error) == STATUS_OK)
            cell_free(&cell);
        else
            CHECK(error.status == STATUS_INPUT, "cut at %zu: %s", cut, error.text);
}

/* A text of three variants: `body` is the third's, from line 15 on */
static enum status read_variants(struct cell *cell, const char *body, struct error *error)
{
    char text[3000], head[1000];
    snprintf(head, sizeof head, small, "four * 2");
    snprintf(text, sizeof text,
             "[[model]]\n"
             "variant_my_cell: steps: 0.05 0.2\n"
             "variant_my_cell_2: \"\"\" # of another title\n"
             "  staggered: 0.1 0.5\n"
             "    display_name: an epicardial  cell\n"
             "  names: short\n"
             "\tcapacitance: 2\r\n"
             "    m.V = -86.5\n"
             "    m.x = +3e-4 # a state\n"
             "    m.k = 2\n"
             "    \"\"\"\n"
             "# a comment\n"
             "author: nobody\n"
             "variant_bad: \"\"\"\n"
             "%s\"\"\"\n%s",
             body, head + strlen("[[model]]\n"));
    error->text[0] = 0;
    return read_with(cell, text, &unscaled, error);
}

static void test_variants(void)
{
    struct cell cell;
    struct error error;
    CHECK_OK(read_variants(&cell, "", &error), error);
    CHECK(cell.variants == 3 && strcmp(cell.name, "") == 0, "%d variants", cell.variants);
    const struct cell_variant *one = &cell.variant[0], *two = &cell.variant[1];
    CHECK(strcmp(one->name, "my-cell") == 0 && !*one->title && one->step_accurate == 0.05 &&
              one->step_largest == 0.2 && one->staggered_largest == 0 && one->capacitance == 0 &&
              !one->short_names,
          "'%s'", one->name);
    CHECK(one->v_initial == -80 && one->state[0] == 3 && one->parameter[0] == 0.5, "it changes nothing");
    CHECK(strcmp(two->name, "my-cell-2") == 0 && strcmp(two->title, "an epicardial cell") == 0 &&
              two->step_largest == 0 && two->staggered_accurate == 0.1 && two->staggered_largest == 0.5 &&
              two->capacitance == 2 && two->short_names,
          "'%s', '%s'", two->name, two->title);
    CHECK(two->v_initial == -86.5 && two->state[0] == 3e-4 && two->parameter[0] == 2, "V = %g",
          two->v_initial);
    CHECK(cell.v_initial == -80 && cell.state[0].initial == 3 && cell.parameter[0].value == 0.5,
          "the text's own values");
    cell_free(&cell);
    static const struct {
        const char *body, *message;
    } wrong[] = {
        {"  m.K = 1\n", "t.mmt:15:3: no variable is named 'm.K'"},
        {"m.x = 1\n  n.x = 1\n", "t.mmt:16:3: no component is named 'n'"},
        {"m.r = 1\n", "t.mmt:15:1: 'm.r' is no state or parameter"},
        {"m.time = 1\n", "'m.time' is no state or parameter"},
        {"m.k = 1\nm.V = 1\nm.k = 1\n", "t.mmt:17:1: a second value of 'm.k'"},
        {"m.V = 1\nm.V = 1\n", "t.mmt:16:1: a second value of 'm.V'"},
        {"m.k = \n", "the line ends where a number is expected"},
        {"m.k = 1 2\n", "'2' where the end of the line is expected"},
        {"m.k = nan\n", "'nan' where a number is expected"},
        {"m.k = 1e999\n", "a number beyond 1.8e308"},
        {"m.k = 1,5\n", "',' where the end of the line is expected"},
        {"m = 1\n", "'=' where ':' or '.' is expected"},
        {"= 1\n", "a property or component.variable = number"},
        {"steps: 1\n", "the largest step, ms, is expected"},
        {"steps: 0 1\n", "steps and capacitance are positive"},
        {"steps: 1 -1\n", "steps and capacitance are positive"},
        {"staggered: 1\n", "the largest step, ms, is expected"},
        {"steps: 2 1\n", "t.mmt:15:1: the accurate step 2 ms is longer than the largest, 1 ms"},
        {"steps: 1 2 3\n", "the end of the line is expected"},
        {"capacitance: 0\n", "steps and capacitance are positive"},
        {"names: long\n", "a variant has display_name"},
        {"colour: red\n", "t.mmt:15:1: a variant has display_name"},
        {"\"\"\"\nvariant_my_cell: \"\"\"\n", "t.mmt:16:1: a second variant 'my-cell'"},
        {"\"\"\"\nvariant_: \"\"\"\n", "a variant's name has 1 to 60 characters"},
        {"\"\"\"\nvariant_Endo: \"\"\"\n", "small letters, digits and '_'"},
        {"\"\"\"\nvariant_a0123456789012345678901234567890123456789012345678901234567890: \"\"\"\n",
         "1 to 60 characters"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK(read_variants(&cell, wrong[k].body, &error) == STATUS_INPUT &&
                  strstr(error.text, wrong[k].message),
              "%s\nsays '%s', not '%s'", wrong[k].body, error.text, wrong[k].message);
    }
    char many[2000] = "\"\"\"\n";
    for (int k = 0; k < 62; k++)
        sprintf(many + strlen(many), "variant_v%d: steps: 1 1\n", k);
    strcat(many, "author: \"\"\"");
    CHECK(read_variants(&cell, many, &error) && strstr(error.text, "t.mmt:77:1: more than 64 variants"), "%s",
          error.text);
}

int main(void)
{
    test_variants();
    test_formulas();
    test_tissue();
    test_dimensionless();
    test_switched();
    test_errors();
    test_units_of_myokit();
    test_roles();
    test_warnings();
    test_lenient();
    test_hostile();
    test_spellings();
    return 0;
}
