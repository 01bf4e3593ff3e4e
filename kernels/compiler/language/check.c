/* check.c: derives the unit of each term from those of its operands. */
#include "kernels/base/printed.h"
#include "kernels/compiler/language/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 4000,  /* nested operations and functions */
    WORK_MAX = 4 << 20 /* operations, with functions expanded */
};

/* unit.given false: fits any unit */
struct measure {
    struct mmt_unit unit;
    bool loose; /* depends on a unit that was left out */
};

struct check {
    struct mmt_tree *tree;
    const struct mmt_roles *roles;
    struct measure *variable;
    bool quoting; /* the text gives units of numbers in formulas */
    int of;       /* the variable whose formula is being checked */
    bool warned;  /* a warning about it has been added */
    long work;
};

static const struct measure any_left_out = {.loose = true};

/* Reports that a and b have different units; `what` is a format for the two */
static void report_difference(struct check *check, const struct mmt_term *term, const char *what,
                              struct measure a, struct measure b)
{
    char first[100], second[100], text[420];
    snprintf(text, sizeof text, what, mmt_unit_print(a.unit, first, sizeof first),
             mmt_unit_print(b.unit, second, sizeof second));
    bool bare = strcmp(first, "1") == 0;
    if (check->tree->environment && bare != (strcmp(second, "1") == 0))
        printed_add(text, sizeof text, "; a number is written with its unit, as in 5 %s",
                    bare ? second : first);
    const bool left_out = a.loose || b.loose;
    if (!left_out && !check->tree->units_warn)
        mmt_tree_fail(check->tree, term->line, term->column, "%s%s", text,
                      check->tree->environment ? ""
                                               : "; `units: warn` below [[model]] accepts it with a warning");
    else if (!check->warned)
        mmt_tree_warn(check->tree, term->line, term->column, "%s%s", text,
                      left_out ? "; a unit was left out" : "");
    check->warned = true;
}

/* The common measure of a and b; reports different units */
static struct measure common_measure(struct check *check, const struct mmt_term *term, const char *what,
                                     struct measure a, struct measure b)
{
    if (!a.unit.given)
        return b;
    if (!b.unit.given)
        return a;
    if (!mmt_unit_same(a.unit, b.unit))
        report_difference(check, term, what, a, b);
    return a.loose ? b : a;
}

static struct measure product_of(struct measure a, struct measure b, double power)
{
    struct measure result = {mmt_unit_times(a.unit, b.unit, power), a.loose || b.loose};
    result.unit.given = a.unit.given || b.unit.given; /* here an omitted unit counts as [1] */
    return result;
}

static struct measure dimensionless(void)
{
    return (struct measure){.unit = mmt_unit_one()};
}

/* Checks that an operand is dimensionless */
static void require_dimensionless(struct check *check, const struct mmt_term *term, const char *what,
                                  struct measure a)
{
    if (a.unit.given && !mmt_unit_same(a.unit, mmt_unit_one()))
        report_difference(check, term, what, a, dimensionless());
}

/* The value of term n as an exponent; NAN = not constant */
static double constant_of(const struct mmt_tree *tree, const struct mmt_roles *roles, int n, int depth)
{
    const struct mmt_term *term = &tree->term[n];
    double a = (double)NAN, b = (double)NAN;
    if (term->meaning == MMT_NUMBER)
        return term->number;
    if (depth > 100)
        return a;
    if (term->meaning == MMT_NAME)
        return tree->variable[term->index].state || !mmt_roles_has_formula(roles, term->index)
                   ? a
                   : constant_of(tree, roles, tree->variable[term->index].value, depth + 1);
    if (term->meaning != MMT_CALL && term->first >= 0) {
        a = constant_of(tree, roles, term->first, depth + 1);
        if (tree->term[term->first].next >= 0)
            b = constant_of(tree, roles, tree->term[term->first].next, depth + 1);
    }
    switch (term->meaning) {
    case MMT_PLUS:
        return a;
    case MMT_MINUS:
        return -a;
    case MMT_ADD:
        return a + b;
    case MMT_SUBTRACT:
        return a - b;
    case MMT_MULTIPLY:
        return a * b;
    case MMT_DIVIDE:
        return a / b;
    default:
        return (double)NAN;
    }
}

static struct measure power_of(struct check *check, const struct mmt_term *term, struct measure base,
                               struct measure exponent)
{
    require_dimensionless(check, term, "the exponent has unit [%s]; expected [%s]", exponent);
    if (!base.unit.given || mmt_unit_same(base.unit, mmt_unit_one()))
        return base;
    double by = constant_of(check->tree, check->roles, check->tree->term[term->first].next, 0);
    if (isfinite(by) && fabs(by) <= 100)
        return (struct measure){mmt_unit_times(mmt_unit_one(), base.unit, by), base.loose};
    report_difference(check, term, "the base of a power whose exponent changes has unit [%s]; expected [%s]",
                      base, dimensionless());
    return any_left_out;
}

static struct measure function_of(struct check *check, const struct mmt_term *term, struct measure a)
{
    char text[200];
    switch (term->operation) {
    case EXPRESSION_ABS:
    case EXPRESSION_FLOOR:
    case EXPRESSION_CEIL:
        return a;
    case EXPRESSION_SQRT:
        if (a.unit.given)
            a.unit = mmt_unit_times(mmt_unit_one(), a.unit, 0.5);
        return a;
    default:
        snprintf(text, sizeof text, "the argument of %s() has unit [%%s]; expected [%%s]", term->name);
        require_dimensionless(check, term, text, a);
        return dimensionless();
    }
}

static struct measure measure_of(struct check *check, int n, const struct measure *argument, int depth);

/* condition, value, condition, value, ..., value */
static struct measure branches_of(struct check *check, const struct mmt_term *term,
                                  const struct measure *argument, int depth)
{
    const struct mmt_tree *tree = check->tree;
    struct measure result = {.loose = false};
    for (int k = term->first; k >= 0; k = tree->term[k].next) {
        struct measure a = measure_of(check, k, argument, depth);
        if (!tree->term[k].truth)
            result = common_measure(check, &tree->term[k], "cases have units [%s] and [%s]", result, a);
    }
    return result;
}

static struct measure call_of(struct check *check, const struct mmt_term *term,
                              const struct measure *argument, int depth)
{
    const struct mmt_tree *tree = check->tree;
    struct measure inside[MMT_TREE_ARGUMENTS_MAX];
    int count = 0;
    for (int k = term->first; k >= 0; k = tree->term[k].next)
        inside[count++] = measure_of(check, k, argument, depth);
    return measure_of(check, tree->function[term->index].value, inside, depth);
}

static struct measure rate_of(struct check *check, int state)
{
    const struct measure time = check->roles->time >= 0 ? check->variable[check->roles->time] : any_left_out;
    return time.unit.given && check->variable[state].unit.given ? product_of(check->variable[state], time, -1)
                                                                : any_left_out;
}

static struct measure of_operands(struct check *check, const struct mmt_term *term, struct measure a,
                                  struct measure b)
{
    switch (term->meaning) {
    case MMT_PLUS:
    case MMT_MINUS:
    case MMT_REMAINDER:
        return a;
    case MMT_ADD:
    case MMT_SUBTRACT:
        return common_measure(check, term, "a sum of [%s] and [%s]", a, b);
    case MMT_MULTIPLY:
        return product_of(a, b, 1);
    case MMT_DIVIDE:
    case MMT_QUOTIENT:
        return product_of(a, b, -1);
    case MMT_POWER:
        return power_of(check, term, a, b);
    case MMT_LOG_BASE:
        require_dimensionless(check, term, "the base of log() has unit [%s]; expected [%s]", b);
        return function_of(check, term, a);
    case MMT_FUNCTION:
        return function_of(check, term, a);
    case MMT_NOT:
    case MMT_AND:
    case MMT_OR:
        return dimensionless();
    default: /* comparisons */
        common_measure(check, term, "a comparison of [%s] with [%s]", a, b);
        return dimensionless();
    }
}

static struct measure measure_of_number(const struct check *check, const struct mmt_term *term)
{
    bool counts = check->quoting && term->number <= 4 && term->number == floor(term->number);
    if (term->unit >= 0)
        return (struct measure){.unit = check->tree->unit[term->unit]};
    return (struct measure){.loose = !counts};
}

static struct measure measure_of(struct check *check, int n, const struct measure *argument, int depth)
{
    const struct mmt_tree *tree = check->tree;
    const struct mmt_term *term = &tree->term[n];
    if (depth > DEPTH_MAX || ++check->work > WORK_MAX)
        mmt_tree_fail(check->tree, term->line, term->column,
                      "the functions expand to more operations than are supported");
    if (tree->status)
        return any_left_out;
    switch (term->meaning) {
    case MMT_NUMBER:
        return measure_of_number(check, term);
    case MMT_NAME:
        return check->variable[term->index];
    case MMT_OUTSIDE:
        return term->truth ? dimensionless() : (struct measure){.unit = tree->unit[term->unit]};
    case MMT_RATE:
        return rate_of(check, term->index);
    case MMT_ARGUMENT:
        return argument[term->index];
    case MMT_CALL:
        return call_of(check, term, argument, depth + 1);
    case MMT_IF:
    case MMT_PIECEWISE:
        return branches_of(check, term, argument, depth + 1);
    default: {
        struct measure a = measure_of(check, term->first, argument, depth + 1), b = {.loose = false};
        if (tree->term[term->first].next >= 0)
            b = measure_of(check, tree->term[term->first].next, argument, depth + 1);
        return of_operands(check, term, a, b);
    }
    }
}

/* Checks the formula of variable v against its expected unit */
static void check_formula(struct check *check, int v)
{
    struct mmt_tree *tree = check->tree;
    const struct mmt_variable *one = &tree->variable[v];
    const struct mmt_term *value = &tree->term[one->value];
    char text[300], unit[100];
    check->of = v;
    check->warned = false;
    struct measure found = measure_of(check, one->value, NULL, 0);
    struct measure expected = one->state ? rate_of(check, v) : (struct measure){one->unit, false};
    if (expected.unit.given) {
        snprintf(text, sizeof text, "the formula of '%.100s' has unit [%%s]; expected [%%s]", one->full);
        common_measure(check, value, text, found, expected);
    }
    if (one->state)
        return;
    check->variable[v] = one->unit.given ? expected : found;
    if (!one->unit.given && found.unit.given && !mmt_unit_same(found.unit, mmt_unit_one()))
        mmt_tree_warn(tree, one->line, one->column, "'%s' has no unit: taken as [%s]", one->full,
                      mmt_unit_print(found.unit, unit, sizeof unit));
    if (!one->unit.given && !found.unit.given)
        check->variable[v].loose = true;
}

/* Checks the unit of a state's initial value; a state without a unit has that unit, else [1] */
static void check_initial(struct check *check, int v)
{
    struct mmt_tree *tree = check->tree;
    const struct mmt_variable *one = &tree->variable[v];
    char text[300];
    check->of = v;
    check->warned = false;
    snprintf(text, sizeof text, "the initial value of '%.100s' has unit [%%s]; expected [%%s]", one->full);
    common_measure(check, &tree->term[one->initial], text, measure_of(check, one->initial, NULL, 0),
                   check->variable[v]);
}

struct mmt_unit mmt_check_expression(struct mmt_tree *tree, int n)
{
    struct check check = {.tree = tree};
    return measure_of(&check, n, NULL, 0).unit;
}

void mmt_check_units(struct mmt_tree *tree, const struct mmt_roles *roles, const int *order)
{
    struct check check = {.tree = tree, .roles = roles};
    int count = tree->variables.count;
    check.variable = arena_allocate(tree->arena, (size_t)count, sizeof *check.variable);
    if (!check.variable)
        mmt_tree_memory(tree);
    for (int v = 0; v < count && !tree->status; v++) {
        const struct mmt_variable *one = &tree->variable[v];
        double number;
        for (int k = one->first_term; k < one->first_term + one->terms; k++)
            check.quoting |= tree->term[k].unit >= 0 && !mmt_roles_parameter(roles, tree, v, &number);
    }
    for (int v = 0; v < count && !tree->status; v++) {
        const struct mmt_variable *one = &tree->variable[v];
        check.variable[v] = (struct measure){one->unit, false};
        if (one->unit.given)
            continue;
        check.variable[v].loose = !check.quoting || !one->state || v == roles->v;
        if (one->state && v != roles->v)
            check.variable[v].unit = mmt_unit_one();
    }
    for (int k = 0; k < count && !tree->status; k++)
        if (mmt_roles_has_formula(roles, order[k]))
            check_formula(&check, order[k]);
    for (int v = 0; v < count && !tree->status; v++)
        if (tree->variable[v].state)
            check_initial(&check, v);
}
