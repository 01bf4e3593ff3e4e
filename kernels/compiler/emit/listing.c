/* listing.c: writes each node as a line of C at its first use, after its operands. */
#include "kernels/compiler/emit/listing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"

/* Whether a name could be that of a macro (no lower-case letter), a type (ends in _t), a C++ keyword, or a
 * function that the text calls */
static bool is_reserved(const char *name)
{
    static const char *const first[] = {"real_", "lookup_", "ionic_", "table_", "co_"};
    static const char *const last[] = {"_t", "_eq", "_cast", "_assert", "_local"};
    const size_t length = strlen(name);
    if (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz") || !strchr(name, '_'))
        return true;
    for (int k = 0; k < 5; k++)
        if (strncmp(name, first[k], strlen(first[k])) == 0 ||
            (length > strlen(last[k]) && strcmp(name + length - strlen(last[k]), last[k]) == 0))
            return true;
    return false;
}

/* symbol <- name with each dot replaced by _; false if that is reserved */
static bool make_symbol(symbols_name symbol, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    snprintf(symbol, SYMBOLS_LENGTH, "%s", name);
    for (char *at = symbol; *at; at++)
        *at = *at == '.' ? '_' : *at;
    return strlen(name) < SYMBOLS_LENGTH && strspn(name, letters) == strlen(name) && !is_reserved(symbol);
}

/* symbol k <- a letter and its number */
static void number_symbol(const struct symbols *symbols, const struct cell *cell, int64_t k)
{
    const int64_t parameter = k - cell->states, quantity = parameter - cell->parameters;
    const int64_t number = quantity >= 0 ? quantity : parameter >= 0 ? parameter : k;
    snprintf(symbols->state[k], SYMBOLS_LENGTH, "%c%lld",
             quantity >= 0    ? 'q'
             : parameter >= 0 ? 'p'
                              : 's',
             (long long)number);
}

enum status symbols_make(struct symbols *symbols, const struct cell *cell, struct error *error)
{
    static const char what[] = "a model's names";
    const int64_t count = (int64_t)cell->states + cell->parameters + cell->quantities;
    enum status status = STATUS_OK;
    symbols->state = array_new(count, sizeof *symbols->state, what, &status, error);
    const char **sorted = array_new(count, sizeof *sorted, what, &status, error);
    for (int64_t k = 0; k < count && !status; k++) {
        const int64_t parameter = k - cell->states, quantity = parameter - cell->parameters;
        sorted[k] = symbols->state[k];
        if (!make_symbol(symbols->state[k], quantity >= 0    ? cell->quantity[quantity].name
                                            : parameter >= 0 ? cell->parameter[parameter].name
                                                             : cell->state[k].name))
            number_symbol(symbols, cell, k);
    }
    if (!status) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_text);
        for (int64_t k = count - 1; k > 0; k--)
            if (strcmp(sorted[k], sorted[k - 1]) == 0)
                number_symbol(symbols, cell, (sorted[k] - symbols->state[0]) / SYMBOLS_LENGTH);
        symbols->parameter = symbols->state + cell->states;
        symbols->quantity = symbols->parameter + cell->parameters;
    }
    free(sorted);
    return status;
}

void listing_put(struct listing *e, const char *format, ...)
{
    va_list arguments;
    for (int attempt = 0; attempt < 2 && !e->failed; attempt++) {
        va_start(arguments, format);
        int length = vsnprintf(e->text + e->length, e->room - e->length, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < e->room - e->length) {
            e->length += (size_t)length;
            return;
        }
        size_t room = 2 * e->room + (size_t)length + 1;
        char *larger = realloc(e->text, room);
        e->failed = !larger;
        e->text = larger ? larger : e->text;
        e->room = larger ? room : e->room;
    }
}

static bool is_number(const struct listing *e, int n)
{
    return algebra_node(e->algebra, n)->operation == EXPRESSION_NUMBER;
}

bool listing_is_field(const struct listing *e, int n)
{
    return !is_number(e, n) && algebra_constant(e->algebra, n);
}

static bool is_truth(const struct listing *e, int n)
{
    return expression_is_truth(algebra_node(e->algebra, n)->operation);
}

enum { LITERAL = 40 };

/* out <- a C literal */
static const char *write_literal(struct listing *e, double number, char out[LITERAL])
{
    char text[LITERAL];
    int digits = 15;
    e->wild |= !isfinite(number);
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && digits++ < 17);
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    return strcpy(out, text);
}

/* The quantity whose name node n has according to named[], -1 = none */
static int quantity_of(const struct listing *e, const int *named, int n)
{
    const int quantity = algebra_node(e->algebra, n)->quantity - 1;
    return quantity >= 0 && named[quantity] == n && strchr(e->symbols.quantity[quantity], '_') ? quantity
                                                                                               : -1;
}

const char *listing_field(const struct listing *e, int n, char *out)
{
    const struct expression_node *node = algebra_node(e->algebra, n);
    const int quantity = quantity_of(e, e->named_field, n);
    if (node->operation == EXPRESSION_PARAMETER)
        snprintf(out, LISTING_NAME, "%s", e->symbols.parameter[node->leaf]);
    else if (quantity >= 0)
        snprintf(out, LISTING_NAME, "%s", e->symbols.quantity[quantity]);
    else
        snprintf(out, LISTING_NAME, "k%d", e->field[n]);
    return out;
}

/* out <- a node as it appears in a formula */
static const char *name(struct listing *e, int n, char *out)
{
    char digits[LITERAL], field[LISTING_NAME];
    const struct expression_node *node = algebra_node(e->algebra, n);
    const int quantity = quantity_of(e, e->named, n);
    if (is_number(e, n))
        snprintf(out, LISTING_NAME, e->constants ? "%s" : "N(%s)", write_literal(e, node->number, digits));
    else if (e->constants && node->operation == EXPRESSION_PARAMETER)
        snprintf(out, LISTING_NAME, "p->%s", e->symbols.parameter[node->leaf]);
    else if (e->constants && node->operation == EXPRESSION_STEP)
        snprintf(out, LISTING_NAME, "dt");
    else if (!e->constants && listing_is_field(e, n))
        snprintf(out, LISTING_NAME, "%s->%.80s", e->c, listing_field(e, n, field));
    else if (node->operation == EXPRESSION_V)
        snprintf(out, LISTING_NAME, "v");
    else if (node->operation == EXPRESSION_CHANGE)
        snprintf(out, LISTING_NAME, "d%d", node->leaf);
    else if (node->operation == EXPRESSION_KEEPING)
        snprintf(out, LISTING_NAME, "w%d", node->leaf);
    else if (node->operation == EXPRESSION_STATE)
        snprintf(out, LISTING_NAME, "%s", e->symbols.state[node->leaf]);
    else if (node->operation == EXPRESSION_STIMULUS)
        snprintf(out, LISTING_NAME, "stim");
    else if (quantity >= 0)
        snprintf(out, LISTING_NAME, "%s", e->symbols.quantity[quantity]);
    else
        snprintf(out, LISTING_NAME, "%s%d", is_truth(e, n) ? "b" : "t", n);
    return out;
}

/* out <- node n as a condition: nonzero numbers are true */
static const char *condition_text(struct listing *e, int n, char *out)
{
    char plain[LISTING_NAME];
    if (is_truth(e, n) && (e->constants || !listing_is_field(e, n)))
        return name(e, n, out);
    snprintf(out, LISTING_NAME, "(%.60s != 0)", name(e, n, plain));
    return out;
}

/* out <- node n as a number */
const char *listing_value(struct listing *e, int n, char *out)
{
    char plain[LISTING_NAME];
    if (!is_truth(e, n) || (!e->constants && listing_is_field(e, n)))
        return name(e, n, out);
    snprintf(out, LISTING_NAME, e->constants ? "(%.60s ? 1.0 : 0.0)" : "(%.60s ? N(1) : N(0))",
             name(e, n, plain));
    return out;
}

static bool is_within(const struct listing *e, int n, double low, double high)
{
    return e->interval[n].low >= low && e->interval[n].high <= high;
}

static const char *function_of(struct listing *e, enum expression_operation operation, int x)
{
    static const char *const function[EXPRESSION_OPERATIONS] = {
        [EXPRESSION_EXP] = "exp",
        [EXPRESSION_EXPM1] = "expm1",
        [EXPRESSION_X_OVER_EXPM1] = "x_over_expm1",
        [EXPRESSION_LOG] = "log",
        [EXPRESSION_SQRT] = "sqrt",
        [EXPRESSION_ABS] = "abs",
        [EXPRESSION_FLOOR] = "floor",
        [EXPRESSION_SIN] = "sin",
        [EXPRESSION_COS] = "cos",
        [EXPRESSION_ASIN] = "asin",
        [EXPRESSION_ACOS] = "acos",
        [EXPRESSION_ATAN] = "atan",
        [EXPRESSION_TANH] = "tanh",
    };
    const bool falls = is_within(e, x, -(double)INFINITY, 86);
    if (operation == EXPRESSION_EXP && !e->constants)
        return is_within(e, x, -86, 86) ? "exp_inside" : falls ? "exp_falling" : "exp_clamped";
    if (operation == EXPRESSION_EXPM1 && !e->constants)
        return falls ? "expm1_falling" : "expm1_clamped";
    return function[operation];
}

bool listing_is_given(struct listing *e, int n)
{
    return expression_operands(algebra_node(e->algebra, n)->operation) == 0 ||
           (!e->constants && algebra_constant(e->algebra, n));
}

int listing_column(const struct listing *e, int n)
{
    for (int k = 0; e->table && k < e->table->columns; k++)
        if (e->table->column[k].consumer == n)
            return k;
    return -1;
}

/* Whether a node needs no line of its own: a single formula uses it and can contain it */
static bool is_held(struct listing *e, int n)
{
    return e->uses[n] == 1 && !listing_is_given(e, n) && listing_column(e, n) < 0;
}

/* Whether n is a product used by a single sum */
static bool is_fused(struct listing *e, int n)
{
    return algebra_node(e->algebra, n)->operation == EXPRESSION_MULTIPLY && is_held(e, n);
}

/* Index of the operand of a sum x + y that becomes the product of an fma, -1 = neither; *negative <- whether
 * it is negated */
static int fused_operand(struct listing *e, const struct expression_node *node, bool *negative)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++) {
            int n = node->operand[k];
            bool minus = algebra_node(e->algebra, n)->operation == EXPRESSION_NEGATE && is_held(e, n);
            *negative = pass;
            if (pass ? minus && is_fused(e, algebra_node(e->algebra, n)->operand[0]) : is_fused(e, n))
                return k;
        }
    return -1;
}

/* Index of the operand that is subtracted in a sum that is not an fma, -1 = neither */
static int minus_operand(struct listing *e, const struct expression_node *node)
{
    for (int k = 0; k < 2; k++) {
        int n = node->operand[k];
        if (algebra_node(e->algebra, n)->operation == EXPRESSION_NEGATE && is_held(e, n))
            return k;
    }
    return -1;
}

static void put_function(struct listing *e, const char *function)
{
    listing_put(e, e->constants ? "real_%s_double" : "TYPED(real_%s)", function);
}

static void put_sum(struct listing *e, int n)
{
    char x[LISTING_NAME], y[LISTING_NAME], z[LISTING_NAME];
    const struct expression_node *node = algebra_node(e->algebra, n);
    bool negative;
    int k = fused_operand(e, node, &negative);
    if (k >= 0) {
        int product = negative ? algebra_node(e->algebra, node->operand[k])->operand[0] : node->operand[k];
        int first = algebra_node(e->algebra, product)->operand[0],
            second = algebra_node(e->algebra, product)->operand[1];
        put_function(e, "fma");
        listing_put(e, "(%s%s, %s, %s)", negative ? "-" : "", listing_value(e, first, x),
                    listing_value(e, second, y), listing_value(e, node->operand[1 - k], z));
        return;
    }
    k = minus_operand(e, node);
    if (k >= 0) {
        listing_put(e, "%s - %s", listing_value(e, node->operand[1 - k], x),
                    listing_value(e, algebra_node(e->algebra, node->operand[k])->operand[0], y));
        return;
    }
    listing_put(e, "%s + %s", listing_value(e, node->operand[0], x), listing_value(e, node->operand[1], y));
}

/* C's binary operators */
static const char *const infix[EXPRESSION_OPERATIONS] = {
    [EXPRESSION_SUBTRACT] = "-", [EXPRESSION_MULTIPLY] = "*",    [EXPRESSION_DIVIDE] = "/",
    [EXPRESSION_LESS] = "<",     [EXPRESSION_LESS_EQUAL] = "<=", [EXPRESSION_EQUAL] = "==",
};

static void put_formula(struct listing *e, int n)
{
    char x[LISTING_NAME], y[LISTING_NAME], z[LISTING_NAME];
    const struct expression_node *node = algebra_node(e->algebra, n);
    int a = node->operand[0], b = node->operand[1];
    bool inverted = node->operation == EXPRESSION_DIVIDE && !e->constants && e->quotients.group &&
                    e->quotients.group[b] >= 0;
    if (inverted && algebra_number(e->algebra, a, 1)) {
        listing_put(e, "r%d", b);
        return;
    }
    if (inverted) {
        listing_put(e, "%s * r%d", listing_value(e, a, x), b);
        return;
    }
    if (infix[node->operation]) {
        listing_put(e, "%s %s %s", listing_value(e, a, x), infix[node->operation], listing_value(e, b, y));
        return;
    }
    switch (node->operation) {
    case EXPRESSION_NEGATE:
        listing_put(e, "-%s", listing_value(e, a, x));
        break;
    case EXPRESSION_NOT:
        listing_put(e, "!%s", condition_text(e, a, x));
        break;
    case EXPRESSION_ADD:
        put_sum(e, n);
        break;
    case EXPRESSION_POWER:
        put_function(e, "pow");
        listing_put(e, "(%s, %s)", listing_value(e, a, x), listing_value(e, b, y));
        break;
    case EXPRESSION_AND:
        listing_put(e, "%s & %s", condition_text(e, a, x), condition_text(e, b, y));
        break;
    case EXPRESSION_OR:
        listing_put(e, "%s | %s", condition_text(e, a, x), condition_text(e, b, y));
        break;
    case EXPRESSION_SELECT:
        listing_put(e, "%s ? %s : %s", condition_text(e, a, x), listing_value(e, b, y),
                    listing_value(e, node->operand[2], z));
        break;
    default:
        put_function(e, function_of(e, node->operation, a));
        listing_put(e, "(%s)", listing_value(e, a, x));
    }
}

/* Writes the operands that a formula reads, those of fused products and negations in their place */
static void visit_operands(struct listing *e, int n)
{
    const struct expression_node node = *algebra_node(e->algebra, n);
    bool negative = false;
    int fused = node.operation == EXPRESSION_ADD ? fused_operand(e, &node, &negative) : -1;
    int minus = node.operation == EXPRESSION_ADD && fused < 0 ? minus_operand(e, &node) : -1;
    for (int k = 0; k < 3 && node.operand[k] >= 0; k++) {
        int operand = node.operand[k];
        if (k == fused) {
            operand = negative ? algebra_node(e->algebra, operand)->operand[0] : operand;
            listing_visit(e, algebra_node(e->algebra, operand)->operand[0]);
            listing_visit(e, algebra_node(e->algebra, operand)->operand[1]);
        } else if (k == minus) {
            listing_visit(e, algebra_node(e->algebra, operand)->operand[0]);
        } else {
            listing_visit(e, operand);
        }
    }
}

/* Writes the denominators of n's group and their inverses */
static void visit_group(struct listing *e, int n)
{
    static const char *const letter[] = {"", "", "2", "3", "4"};
    char x[LISTING_NAME], shielded[LISTING_NAME];
    const struct quotients *q = &e->quotients;
    int group = q->group[n], members = 0, member[QUOTIENTS_OF_A_GROUP] = {0};
    for (int k = 0; k < q->denominators && members < QUOTIENTS_OF_A_GROUP; k++)
        if (q->group[q->denominator[k]] == group)
            member[members++] = q->denominator[k];
    if (e->done[e->nodes + group])
        return;
    e->done[e->nodes + group] = true;
    for (int k = 0; k < members; k++)
        listing_visit(e, member[k]);
    if (members == 1) {
        listing_put(e, "    const REAL r%d = 1 / %s;\n", member[0], listing_value(e, member[0], x));
        return;
    }
    for (int k = 0; k < members; k++)
        if (q->shielded[member[k]])
            listing_put(e, "    const REAL z%d = TYPED(real_shielded)(%s);\n", member[k],
                        listing_value(e, member[k], x));
    listing_put(e, "    REAL ");
    for (int k = 0; k < members; k++)
        listing_put(e, "%sr%d", k ? ", " : "", member[k]);
    listing_put(e, ";\n    TYPED(real_reciprocals%s)(", letter[members]);
    for (int k = 0; k < members; k++)
        listing_put(e, "&r%d, ", member[k]);
    for (int k = 0; k < members; k++) {
        snprintf(shielded, sizeof shielded, "z%d", member[k]);
        listing_put(e, "%s%s", q->shielded[member[k]] ? shielded : listing_value(e, member[k], x),
                    k + 1 < members ? ", " : ");\n");
    }
    for (int k = 0; k < members; k++)
        if (q->shielded[member[k]])
            listing_put(e, "    r%d = TYPED(real_unshielded)(r%d, %s);\n", member[k], member[k],
                        listing_value(e, member[k], x));
}

/* Writes the read of column k's pair: columns are read two at a time */
static void visit_column(struct listing *e, int k)
{
    char x[LISTING_NAME], y[LISTING_NAME];
    const struct emit_column *pair = &e->table->column[k / 2 * 2];
    const int argument = pair[0].argument;
    listing_visit(e, argument);
    if (!e->done[2 * e->nodes + argument]) {
        listing_put(e, "    const struct TYPED(lookup) at%d = TYPED(lookup_at)(table, COLUMNS_%s, %s);\n",
                    argument, e->model->formula, listing_value(e, argument, x));
        e->done[2 * e->nodes + argument] = true;
    }
    name(e, pair[0].consumer, x);
    name(e, pair[1].consumer, y);
    const bool single = pair[1].consumer == pair[0].consumer;
    if (single)
        snprintf(y, sizeof y, "u%d", pair[0].consumer);
    listing_put(e, "    REAL %s, %s;\n    TYPED(lookup_pair)(&%s, &%s, value, at%d, %d);\n", x, y, x, y,
                argument, k / 2);
    if (single)
        listing_put(e, "    (void)%s;\n", y);
    e->done[pair[0].consumer] = e->done[pair[1].consumer] = true;
}

void listing_visit(struct listing *e, int n)
{
    char x[LISTING_NAME];
    if (e->done[n] || listing_is_given(e, n))
        return;
    int k = listing_column(e, n);
    if (k >= 0) {
        visit_column(e, k);
        return;
    }
    const struct expression_node node = *algebra_node(e->algebra, n);
    if (node.operation == EXPRESSION_DIVIDE && e->quotients.group &&
        e->quotients.group[node.operand[1]] >= 0 && !e->constants) {
        visit_group(e, node.operand[1]);
        listing_visit(e, node.operand[0]);
    } else {
        visit_operands(e, n);
    }
    if (e->done[n])
        return;
    e->done[n] = true;
    e->order[e->ordered++] = n;
    listing_put(e, "    const %s %s = ",
                is_truth(e, n) ? "bool"
                : e->constants ? "double"
                               : "REAL",
                name(e, n, x));
    put_formula(e, n);
    listing_put(e, ";\n");
}

void listing_count(struct listing *e, const int *root, int roots)
{
    memset(e->uses, 0, (size_t)e->nodes * sizeof *e->uses);
    memset(e->done, 0, 3 * (size_t)e->nodes * sizeof *e->done);
    for (int k = 0; k < roots; k++)
        e->uses[root[k]] += 2; /* never held: a root needs a line of its own */
    for (int n = e->nodes - 1; n >= 0; n--) {
        if (!e->uses[n] || listing_is_given(e, n))
            continue;
        int k = listing_column(e, n);
        if (k >= 0) {
            e->uses[e->table->column[k].argument] += 2;
            continue;
        }
        for (int j = 0; j < 3 && algebra_node(e->algebra, n)->operand[j] >= 0; j++)
            e->uses[algebra_node(e->algebra, n)->operand[j]]++;
    }
    memset(e->named, -1, (size_t)e->model->cell->quantities * sizeof *e->named);
    for (int n = 0; n < e->nodes; n++)
        if (e->uses[n] && !listing_is_field(e, n) && algebra_node(e->algebra, n)->quantity)
            e->named[algebra_node(e->algebra, n)->quantity - 1] = n;
}
