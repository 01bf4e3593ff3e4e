/* formula.c: parses formulas by operator precedence. */
#include "kernels/compiler/language/formula.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/decimal.h"
#include "kernels/base/suggest.h"
#include "kernels/compiler/language/tree.h"
#include "kernels/compiler/language/names.h"

enum {
    TERMS_MAX = 1 << 18,
    NESTING_MAX = 200, /* nested parentheses, signs and functions */
    DEPTH_MAX = 2000,  /* depth of operands: the terms of a sum */
};

static int term_new(struct mmt_tree *tree, enum mmt_meaning meaning, int line, int column)
{
    if (tree->terms.count >= TERMS_MAX)
        mmt_tree_fail(tree, line, column, "the formulas have more than %d parts", TERMS_MAX);
    if (tree->status)
        return 0;
    struct mmt_term *term = mmt_tree_append(tree, &tree->terms, &tree->term, sizeof *term);
    if (!term)
        return 0;
    *term = (struct mmt_term){meaning, line, column, -1, -1, .depth = 1, .unit = -1, .index = -1};
    return tree->terms.count - 1;
}

/* Appends operand a to term n; condition: whether a must be a condition */
static void operand(struct mmt_tree *tree, int n, int *last, int a, bool condition)
{
    if (tree->status)
        return;
    struct mmt_term *term = &tree->term[n], *child = &tree->term[a];
    if (child->truth != condition)
        mmt_tree_fail(tree, child->line, child->column,
                      condition ? "expected a condition, such as %s, not a number"
                                : "expected a number, not a condition",
                      tree->environment ? "x < 1 mm" : "V < 0");
    if (*last < 0)
        term->first = a;
    else
        tree->term[*last].next = a;
    *last = a;
    term->depth = child->depth >= term->depth ? child->depth + 1 : term->depth;
    if (term->depth > DEPTH_MAX)
        mmt_tree_fail(tree, term->line, term->column, "a formula of more than %d operations in a row",
                      DEPTH_MAX);
}

static int parse_rank(struct mmt_tree *tree, int rank);

static int unary(struct mmt_tree *tree, enum mmt_meaning meaning, int line, int column, int a)
{
    int n = term_new(tree, meaning, line, column), last = -1;
    operand(tree, n, &last, a, meaning == MMT_NOT);
    if (!tree->status)
        tree->term[n].truth = meaning == MMT_NOT;
    return n;
}

static int binary(struct mmt_tree *tree, enum mmt_meaning meaning, int line, int column, int a, int b)
{
    int n = term_new(tree, meaning, line, column), last = -1;
    bool logic = meaning == MMT_AND || meaning == MMT_OR;
    operand(tree, n, &last, a, logic);
    operand(tree, n, &last, b, logic);
    if (!tree->status)
        tree->term[n].truth = meaning >= MMT_LESS && meaning <= MMT_OR;
    return n;
}

static const struct known_function {
    const char *name;
    enum mmt_meaning meaning;
    enum expression_operation operation;
    int least, most; /* number of operands */
} known_function[] = {
    {"exp", MMT_FUNCTION, EXPRESSION_EXP, 1, 1},     {"log", MMT_FUNCTION, EXPRESSION_LOG, 1, 2},
    {"log10", MMT_FUNCTION, EXPRESSION_LOG10, 1, 1}, {"sqrt", MMT_FUNCTION, EXPRESSION_SQRT, 1, 1},
    {"sin", MMT_FUNCTION, EXPRESSION_SIN, 1, 1},     {"cos", MMT_FUNCTION, EXPRESSION_COS, 1, 1},
    {"tan", MMT_FUNCTION, EXPRESSION_TAN, 1, 1},     {"asin", MMT_FUNCTION, EXPRESSION_ASIN, 1, 1},
    {"acos", MMT_FUNCTION, EXPRESSION_ACOS, 1, 1},   {"atan", MMT_FUNCTION, EXPRESSION_ATAN, 1, 1},
    {"floor", MMT_FUNCTION, EXPRESSION_FLOOR, 1, 1}, {"ceil", MMT_FUNCTION, EXPRESSION_CEIL, 1, 1},
    {"abs", MMT_FUNCTION, EXPRESSION_ABS, 1, 1},     {"if", MMT_IF, 0, 3, 3},
    {"piecewise", MMT_PIECEWISE, 0, 3, INT_MAX},
};
enum { KNOWN_FUNCTIONS = sizeof known_function / sizeof known_function[0] };

int mmt_formula_argument(const struct mmt_tree *tree, const char *name)
{
    for (int k = 0; tree->inside && k < tree->inside->arguments; k++)
        if (strcmp(tree->inside->argument[k], name) == 0)
            return k;
    return -1;
}

static void fail_unknown(struct mmt_tree *tree, const char *name, int line, int column)
{
    struct suggestion suggestion = suggest_for(name);
    for (int k = 0; k < KNOWN_FUNCTIONS; k++)
        suggest_try(&suggestion, known_function[k].name);
    for (int k = 0; k < tree->functions.count; k++)
        suggest_try(&suggestion, tree->function[k].name);
    for (int k = 0; tree->environment && k < tree->environment->count; k++)
        suggest_try(&suggestion, tree->environment->known[k].name);
    if (tree->environment)
        suggest_usual(&suggestion, tree->environment->usual, (size_t)tree->environment->usuals);
    mmt_tree_fail(tree, line, column, "no function is named '%s'%s", name, suggest_hint(&suggestion));
}

/* Sets the meaning of term n, a function with `count` operands */
static void name_function(struct mmt_tree *tree, int n, int count)
{
    struct mmt_term *term = &tree->term[n];
    int own = mmt_names_function(tree, term->name);
    int least = 0, most = -1;
    for (int k = 0; k < KNOWN_FUNCTIONS && own < 0; k++) {
        const struct known_function *known = &known_function[k];
        if (strcmp(known->name, term->name) != 0)
            continue;
        term->meaning = known->meaning == MMT_FUNCTION && count == 2 ? MMT_LOG_BASE : known->meaning;
        term->operation = known->operation;
        least = known->least;
        most = known->most;
    }
    if (own >= 0) {
        const struct mmt_function *function = &tree->function[own];
        term->meaning = MMT_CALL;
        term->index = own;
        term->truth = tree->term[function->value].truth;
        least = most = function->arguments;
    }
    if (most < 0)
        fail_unknown(tree, term->name, term->line, term->column);
    else if (count < least || count > most || (term->meaning == MMT_PIECEWISE && count % 2 == 0))
        mmt_tree_fail(tree, term->line, term->column, "%s() has %d operand%s, which are %s", term->name,
                      count, count == 1 ? "" : "s",
                      term->meaning == MMT_PIECEWISE
                          ? "to be pairs of a condition and a value, and one value more"
                      : count < least ? "too few"
                                      : "too many");
}

static int call(struct mmt_tree *tree, const char *name, int line, int column)
{
    int n = term_new(tree, MMT_CALL, line, column), last = -1, count = 0;
    if (tree->status)
        return 0;
    tree->term[n].name = name;
    bool choice = strcmp(name, "if") == 0, cases = strcmp(name, "piecewise") == 0;
    mmt_cursor_next(tree);
    while (!tree->status && !mmt_cursor_at(tree, ')')) {
        int a = parse_rank(tree, 0);
        bool last_one = mmt_cursor_at(tree, ')');
        operand(tree, n, &last, a, (choice && count == 0) || (cases && count % 2 == 0 && !last_one));
        count++;
        if (last_one)
            break;
        mmt_cursor_sign(tree, ',', "',' or ')'");
    }
    mmt_cursor_sign(tree, ')', "')'");
    if (!tree->status)
        name_function(tree, n, count);
    return n;
}

static int parse_rate(struct mmt_tree *tree, int line, int column)
{
    int n = term_new(tree, MMT_RATE, line, column);
    mmt_cursor_next(tree);
    const char *component = NULL, *name = mmt_cursor_name(tree, "the name of a state");
    if (mmt_cursor_at(tree, '.')) {
        mmt_cursor_next(tree);
        component = name;
        name = mmt_cursor_name(tree, "the name of a state");
    }
    mmt_cursor_sign(tree, ')', "')'");
    if (!tree->status)
        tree->term[n].name = name, tree->term[n].component = component;
    return n;
}

static int parse_name(struct mmt_tree *tree)
{
    const struct mmt_token at = *mmt_cursor_now(tree);
    int line = at.line, column = at.column;
    const struct mmt_environment *environment = tree->environment;
    for (int k = 0; environment && k < environment->count; k++)
        if (mmt_token_is(&at, environment->known[k].name)) {
            mmt_cursor_next(tree);
            return tree->status ? 0 : environment->known[k].read(tree, &at);
        }
    const char *component = NULL, *name = mmt_cursor_name(tree, "a number, a name or '('");
    if (environment && !tree->status && !mmt_cursor_at(tree, '('))
        return environment->name(tree, &at, name);
    if (environment && !tree->status && (strcmp(name, "dot") == 0 || !mmt_formula_has(name)))
        fail_unknown(tree, name, line, column);
    if (mmt_cursor_at(tree, '('))
        return strcmp(name, "dot") == 0 ? parse_rate(tree, line, column) : call(tree, name, line, column);
    if (mmt_cursor_at(tree, '.')) {
        mmt_cursor_next(tree);
        component = name;
        name = mmt_cursor_name(tree, "a variable's name");
    }
    int argument = component ? -1 : mmt_formula_argument(tree, name);
    int n = term_new(tree, argument >= 0 ? MMT_ARGUMENT : MMT_NAME, line, column);
    if (tree->status)
        return 0;
    tree->term[n].name = name;
    tree->term[n].component = component;
    tree->term[n].index = argument;
    if (tree->inside && argument < 0)
        mmt_tree_fail(tree, line, column,
                      "a function can use only its arguments, and '%s' is not one of them", name);
    return n;
}

int mmt_formula_outside(struct mmt_tree *tree, const struct mmt_token *at, int index, bool truth,
                        struct mmt_unit unit)
{
    int n = term_new(tree, MMT_OUTSIDE, at->line, at->column);
    struct mmt_unit *its =
        tree->status ? NULL : mmt_tree_append(tree, &tree->units, &tree->unit, sizeof *its);
    if (!its)
        return 0;
    *its = unit;
    tree->term[n].unit = tree->units.count - 1;
    tree->term[n].index = index;
    tree->term[n].truth = truth;
    return n;
}

int mmt_formula_apply(struct mmt_tree *tree, enum mmt_meaning meaning, const struct mmt_token *at, int a,
                      int b)
{
    return b < 0 ? unary(tree, meaning, at->line, at->column, a)
                 : binary(tree, meaning, at->line, at->column, a, b);
}

/* Reads the unit after a number in an expression: mm, mm^2 or [1/mm]; [1] if there is none */
static struct mmt_unit unit_behind(struct mmt_tree *tree)
{
    struct mmt_scanner *scanner = &tree->scanner;
    const struct mmt_token *token = &scanner->token;
    struct mmt_unit unit = mmt_unit_one();
    char why[160];
    int at, length = token->length;
    if (token->kind == MMT_TOKEN_BRACKET)
        return mmt_cursor_unit(tree);
    if (token->kind != MMT_TOKEN_NAME || token->quoted || mmt_token_is(token, "and") ||
        mmt_token_is(token, "or") || mmt_token_is(token, "not"))
        return unit;
    if (scanner->at < scanner->end && *scanner->at == '^') {
        length++;
        while (token->text + length < scanner->end && token->text[length] &&
               strchr("-0123456789", token->text[length]))
            length++;
        scanner->at = token->text + length;
    }
    if (!mmt_unit_read(&unit, token->text, length, &at, why, sizeof why))
        mmt_tree_fail(tree, token->line, token->column + at, "%s", why);
    mmt_cursor_next(tree);
    return unit;
}

double mmt_formula_number(struct mmt_tree *tree, struct mmt_unit *unit)
{
    bool negative = mmt_cursor_at(tree, '-');
    if (negative)
        mmt_cursor_next(tree);
    const struct mmt_token digits = *mmt_cursor_now(tree);
    double value = 0;
    if (digits.kind != MMT_TOKEN_NUMBER)
        mmt_cursor_expected(tree, "a number");
    mmt_cursor_next(tree);
    *unit = tree->status ? mmt_unit_one() : unit_behind(tree);
    long shift = lround(unit->factor + 3 * unit->power[1]);
    unit->factor = -3 * unit->power[1];
    if (!tree->status && !decimal_value(&value, digits.text, (size_t)digits.length, shift))
        mmt_tree_fail(tree, digits.line, digits.column, "'%.*s' is too large or too small a number",
                      digits.length, digits.text);
    return negative ? -value : value;
}

static int number(struct mmt_tree *tree)
{
    if (tree->environment) {
        const struct mmt_token at = *mmt_cursor_now(tree);
        struct mmt_unit unit;
        double value = mmt_formula_number(tree, &unit);
        int n = mmt_formula_outside(tree, &at, -1, false, unit);
        if (!tree->status) {
            tree->term[n].meaning = MMT_NUMBER;
            tree->term[n].number = value;
        }
        return n;
    }
    int n = term_new(tree, MMT_NUMBER, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column);
    if (tree->status)
        return 0;
    tree->term[n].number = mmt_cursor_now(tree)->number;
    mmt_cursor_next(tree);
    if (!tree->status && mmt_cursor_now(tree)->kind == MMT_TOKEN_BRACKET && !mmt_cursor_now(tree)->first) {
        struct mmt_unit *unit = mmt_tree_append(tree, &tree->units, &tree->unit, sizeof *unit);
        if (unit)
            *unit = mmt_cursor_unit(tree);
        tree->term[n].unit = tree->units.count - 1;
    }
    return n;
}

enum { RANK_LOGIC = 1, RANK_AND, RANK_COMPARISON, RANK_SUM, RANK_PRODUCT, RANK_POWER, RANK_OPERAND };

static int prefixed(struct mmt_tree *tree, enum mmt_meaning meaning, int rank)
{
    int line = mmt_cursor_now(tree)->line, column = mmt_cursor_now(tree)->column;
    mmt_cursor_next(tree);
    return unary(tree, meaning, line, column, parse_rank(tree, rank));
}

static int parse_primary(struct mmt_tree *tree)
{
    if (tree->status)
        return 0;
    if (mmt_cursor_now(tree)->kind == MMT_TOKEN_NUMBER)
        return number(tree);
    if (mmt_cursor_at(tree, '-'))
        return prefixed(tree, MMT_MINUS, RANK_POWER);
    if (mmt_cursor_at(tree, '+'))
        return prefixed(tree, MMT_PLUS, RANK_POWER);
    if (mmt_token_is(mmt_cursor_now(tree), "not"))
        return prefixed(tree, MMT_NOT, RANK_COMPARISON);
    if (!mmt_cursor_at(tree, '('))
        return parse_name(tree);
    mmt_cursor_next(tree);
    int n = parse_rank(tree, 0);
    mmt_cursor_sign(tree, ')', "')'");
    return n;
}

/* The operator at the current token; *rank <- its precedence; MMT_NUMBER = none */
static enum mmt_meaning operator_at(struct mmt_tree *tree, int *rank)
{
    static const struct {
        int sign;
        enum mmt_meaning meaning;
        int rank;
    } known[] = {
        {'+', MMT_ADD, RANK_SUM},
        {'-', MMT_SUBTRACT, RANK_SUM},
        {'*', MMT_MULTIPLY, RANK_PRODUCT},
        {'/', MMT_DIVIDE, RANK_PRODUCT},
        {'%', MMT_REMAINDER, RANK_PRODUCT},
        {'^', MMT_POWER, RANK_POWER},
        {'<', MMT_LESS, RANK_COMPARISON},
        {'>', MMT_MORE, RANK_COMPARISON},
        {MMT_SIGN_QUOTIENT, MMT_QUOTIENT, RANK_PRODUCT},
        {MMT_SIGN_EQUAL, MMT_EQUAL, RANK_COMPARISON},
        {MMT_SIGN_UNEQUAL, MMT_UNEQUAL, RANK_COMPARISON},
        {MMT_SIGN_LESS_EQUAL, MMT_LESS_EQUAL, RANK_COMPARISON},
        {MMT_SIGN_GREATER_EQUAL, MMT_MORE_EQUAL, RANK_COMPARISON},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (mmt_cursor_at(tree, known[k].sign)) {
            *rank = known[k].rank;
            return known[k].meaning;
        }
    bool expression = tree->environment != NULL, both = mmt_token_is(mmt_cursor_now(tree), "and");
    if (expression && mmt_cursor_at(tree, '=')) {
        *rank = RANK_COMPARISON;
        return MMT_EQUAL;
    }
    *rank = expression && both ? RANK_AND : RANK_LOGIC; /* in a model and/or have equal precedence */
    return both ? MMT_AND : mmt_token_is(mmt_cursor_now(tree), "or") ? MMT_OR : MMT_NUMBER;
}

/* A copy of term n, for use as another operand */
static int copy_of(struct mmt_tree *tree, int n)
{
    int copy = term_new(tree, MMT_NUMBER, 0, 0);
    if (!tree->status) {
        tree->term[copy] = tree->term[n];
        tree->term[copy].next = -1;
    }
    return copy;
}

/* Whether an operand can begin with this token */
static bool is_operand(const struct mmt_token *token)
{
    const bool joins = mmt_token_is(token, "and") || mmt_token_is(token, "or");
    return token->kind == MMT_TOKEN_NUMBER || (token->kind == MMT_TOKEN_NAME && !joins) ||
           (token->length == 1 && strchr("(+-", *token->text));
}

/* Parses a formula of operators with at least this precedence; operators are left-associative */
static int parse_rank(struct mmt_tree *tree, int rank)
{
    if (++tree->nesting > NESTING_MAX)
        mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column,
                      "more than %d parentheses, signs or functions inside each other", NESTING_MAX);
    int a = parse_primary(tree), here, middle = -1;
    while (!tree->status) {
        enum mmt_meaning meaning = operator_at(tree, &here);
        if (meaning == MMT_NUMBER || here < rank)
            break;
        int line = mmt_cursor_now(tree)->line, column = mmt_cursor_now(tree)->column;
        mmt_cursor_next(tree);
        if (meaning == MMT_EQUAL && (mmt_cursor_at(tree, '<') || mmt_cursor_at(tree, '>')))
            mmt_tree_fail(tree, line, column, "%s",
                          mmt_cursor_at(tree, '<') ? "=< is written <=" : "=> is written >=");
        if (meaning == MMT_REMAINDER && tree->environment && !is_operand(mmt_cursor_now(tree)))
            mmt_tree_fail(tree, line, column, "a percentage is written as a fraction: 0.3 for 30 %%");
        int b = parse_rank(tree, here + 1);
        if (middle >= 0 && here == RANK_COMPARISON) /* a < b < c means a < b and b < c */
            a = binary(tree, MMT_AND, line, column, a,
                       binary(tree, meaning, line, column, copy_of(tree, middle), b));
        else
            a = binary(tree, meaning, line, column, a, b);
        middle = tree->environment && here == RANK_COMPARISON ? b : -1;
    }
    tree->nesting--;
    return a;
}

int mmt_formula_read(struct mmt_tree *tree)
{
    return parse_rank(tree, 0);
}

enum status mmt_formula_expression(struct mmt_tree *tree, int *root, struct arena *arena, const char *text,
                                   const struct mmt_environment *environment, struct error *error)
{
    *tree = (struct mmt_tree){.arena = arena, .error = error, .environment = environment};
    tree->status = mmt_token_begin(&tree->scanner, MMT_DIALECT_EXPRESSION, text, strlen(text), NULL, error);
    *root = parse_rank(tree, 0);
    if (!tree->status && mmt_token_is(mmt_cursor_now(tree), "in"))
        mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column,
                      "`in` belongs to tags; a range is written 0 mm < x < 5 mm");
    if (!tree->status && mmt_cursor_now(tree)->kind != MMT_TOKEN_END)
        mmt_cursor_expected(tree, "an operator, such as `and`, `or`, `<` or `+`,");
    return tree->status;
}

bool mmt_formula_has(const char *function)
{
    bool found = strcmp(function, "dot") == 0;
    for (int k = 0; k < KNOWN_FUNCTIONS; k++)
        found |= strcmp(known_function[k].name, function) == 0;
    return found;
}
