/* emit.c: nodes as lines of C. */
#include "kernels/ionic/compiler/emit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ionic/compiler/quotients.h"

struct emitter {
    struct algebra *algebra;
    const struct emit_model *model;
    char *text;
    size_t length, room;
    bool failed; /* no memory */
    bool wild;   /* a number that is none */
    int nodes;
    int *field; /* of the constants, -1 = none */
    int fields;
    bool constants;                 /* the text is that of the constants: double, from parameters */
    const struct emit_table *table; /* of what is written now, or NULL */
    int *uses;                      /* of each node in what is written now */
    bool *done, *reached;
    int *order, ordered; /* nodes as they were written */
    struct quotients quotients;
};

static void __attribute__((format(printf, 2, 3))) put(struct emitter *e, const char *format, ...)
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

static const struct expression_node *node_of(const struct emitter *e, int n)
{
    return &e->algebra->graph->node[n];
}

static bool is_number(const struct emitter *e, int n)
{
    return node_of(e, n)->operation == EXPRESSION_NUMBER;
}

/* A constant of the cells that is no literal */
static bool is_field(const struct emitter *e, int n)
{
    return !is_number(e, n) && algebra_constant(e->algebra, n);
}

static bool is_truth(const struct emitter *e, int n)
{
    switch (node_of(e, n)->operation) {
    case EXPRESSION_NOT:
    case EXPRESSION_LESS:
    case EXPRESSION_LESS_EQUAL:
    case EXPRESSION_EQUAL:
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return true;
    default:
        return false;
    }
}

static const char *literal(struct emitter *e, double number, char *out, size_t size)
{
    e->wild |= !isfinite(number);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, number);
        if (strtod(out, NULL) == number)
            break;
    }
    if (!strpbrk(out, ".e"))
        strncat(out, ".0", size - strlen(out) - 1);
    return out;
}

enum { NAME = 64, COLUMNS_MOST = 64 };

/* What stands for a node in a formula */
static const char *name(struct emitter *e, int n, char *out)
{
    char digits[40];
    const struct expression_node *node = node_of(e, n);
    if (is_number(e, n))
        snprintf(out, NAME, e->constants ? "%s" : "N(%s)", literal(e, node->number, digits, sizeof digits));
    else if (e->constants && node->operation == EXPRESSION_PARAMETER)
        snprintf(out, NAME, "p->p%d", node->leaf);
    else if (e->constants && node->operation == EXPRESSION_STEP)
        snprintf(out, NAME, "dt");
    else if (!e->constants && is_field(e, n))
        snprintf(out, NAME, "c->k%d", e->field[n]);
    else if (node->operation == EXPRESSION_V)
        snprintf(out, NAME, "v");
    else if (node->operation == EXPRESSION_STATE)
        snprintf(out, NAME, "s%d", node->leaf);
    else if (node->operation == EXPRESSION_CHANGE)
        snprintf(out, NAME, "d%d", node->leaf);
    else if (node->operation == EXPRESSION_STIMULUS)
        snprintf(out, NAME, "stim");
    else
        snprintf(out, NAME, "%s%d", is_truth(e, n) ? "b" : "t", n);
    return out;
}

/* The same as a truth: numbers are true unless 0 */
static const char *truth(struct emitter *e, int n, char *out)
{
    char plain[NAME];
    if (is_truth(e, n) && (e->constants || !is_field(e, n)))
        return name(e, n, out);
    snprintf(out, NAME, "(%.40s != 0)", name(e, n, plain));
    return out;
}

/* ... and as a number */
static const char *value(struct emitter *e, int n, char *out)
{
    char plain[NAME];
    if (!is_truth(e, n) || (!e->constants && is_field(e, n)))
        return name(e, n, out);
    snprintf(out, NAME, e->constants ? "(%.40s ? 1.0 : 0.0)" : "(%.40s ? N(1) : N(0))", name(e, n, plain));
    return out;
}

/* Whether a function of V alone stays between low and high for every V; with |V| <= 200 mV the points show it
 */
static bool stays(struct emitter *e, int n, double low, double high)
{
    const double *value = algebra_values(e->algebra, n);
    bool within = algebra_on(e->algebra, n) == ALGEBRA_V;
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        within &= value[k] >= low && value[k] <= high;
    return within;
}

static const char *function_of(struct emitter *e, enum expression_operation operation, int x)
{
    switch (operation) {
    case EXPRESSION_EXP:
        return e->constants             ? "exp"
               : stays(e, x, -86, 86)   ? "exp_inside"
               : stays(e, x, -1e30, 86) ? "exp_falling"
                                        : "exp_clamped";
    case EXPRESSION_EXPM1:
        return e->constants ? "expm1" : stays(e, x, -1e30, 86) ? "expm1_falling" : "expm1_clamped";
    case EXPRESSION_X_OVER_EXPM1:
        return "x_over_expm1";
    case EXPRESSION_LOG:
        return "log";
    case EXPRESSION_SQRT:
        return "sqrt";
    case EXPRESSION_ABS:
        return "abs";
    case EXPRESSION_FLOOR:
        return "floor";
    case EXPRESSION_SIN:
        return "sin";
    case EXPRESSION_COS:
        return "cos";
    case EXPRESSION_ASIN:
        return "asin";
    case EXPRESSION_ACOS:
        return "acos";
    case EXPRESSION_ATAN:
        return "atan";
    case EXPRESSION_TANH:
        return "tanh";
    default:
        return NULL;
    }
}

/* Whether node n is a leaf in what is written now */
static bool is_given(struct emitter *e, int n)
{
    if (e->constants)
        return expression_operands(node_of(e, n)->operation) == 0;
    return expression_operands(node_of(e, n)->operation) == 0 || algebra_constant(e->algebra, n);
}

static int consumer_of(const struct emitter *e, int n)
{
    for (int k = 0; e->table && k < e->table->columns; k++)
        if (e->table->column[k].consumer == n)
            return k;
    return -1;
}

/* Whether a node needs no line of its own: one formula uses it, and may hold it */
static bool is_held(struct emitter *e, int n)
{
    return e->uses[n] == 1 && !is_given(e, n) && consumer_of(e, n) < 0;
}

/* A product that only the sum above it uses */
static bool is_fused(struct emitter *e, int n)
{
    return node_of(e, n)->operation == EXPRESSION_MULTIPLY && is_held(e, n);
}

/* of a sum x + y: k of the operand that is part of an fma, -1 = neither; *negative: its negative is */
static int fused_operand(struct emitter *e, const struct expression_node *node, bool *negative)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++) {
            int n = node->operand[k];
            bool minus = node_of(e, n)->operation == EXPRESSION_NEGATE && is_held(e, n);
            *negative = pass;
            if (pass ? minus && is_fused(e, node_of(e, n)->operand[0]) : is_fused(e, n))
                return k;
        }
    return -1;
}

/* of a sum that is no fma: k of the operand that is subtracted, -1 = neither */
static int minus_operand(struct emitter *e, const struct expression_node *node)
{
    for (int k = 0; k < 2; k++) {
        int n = node->operand[k];
        if (node_of(e, n)->operation == EXPRESSION_NEGATE && is_held(e, n))
            return k;
    }
    return -1;
}

static void put_function(struct emitter *e, const char *function)
{
    put(e, e->constants ? "real_%s_double" : "TYPED(real_%s)", function);
}

static void put_sum(struct emitter *e, int n)
{
    char x[NAME], y[NAME], z[NAME];
    const struct expression_node *node = node_of(e, n);
    bool negative;
    int k = fused_operand(e, node, &negative);
    if (k >= 0) {
        int product = negative ? node_of(e, node->operand[k])->operand[0] : node->operand[k];
        int first = node_of(e, product)->operand[0], second = node_of(e, product)->operand[1];
        put_function(e, "fma");
        put(e, "(%s%s, %s, %s)", negative ? "-" : "", value(e, first, x), value(e, second, y),
            value(e, node->operand[1 - k], z));
        return;
    }
    k = minus_operand(e, node);
    if (k >= 0) {
        put(e, "%s - %s", value(e, node->operand[1 - k], x),
            value(e, node_of(e, node->operand[k])->operand[0], y));
        return;
    }
    put(e, "%s + %s", value(e, node->operand[0], x), value(e, node->operand[1], y));
}

static void put_formula(struct emitter *e, int n)
{
    char x[NAME], y[NAME], z[NAME];
    const struct expression_node *node = node_of(e, n);
    int a = node->operand[0], b = node->operand[1];
    switch (node->operation) {
    case EXPRESSION_NEGATE:
        put(e, "-%s", value(e, a, x));
        break;
    case EXPRESSION_NOT:
        put(e, "!%s", truth(e, a, x));
        break;
    case EXPRESSION_ADD:
        put_sum(e, n);
        break;
    case EXPRESSION_SUBTRACT:
        put(e, "%s - %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_MULTIPLY:
        put(e, "%s * %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_DIVIDE:
        if (e->quotients.group && e->quotients.group[b] >= 0 && !e->constants)
            put(e,
                algebra_number(e->algebra, a, 1) ? "%.0s"
                                                   "r%d"
                                                 : "%s * r%d",
                value(e, a, x), b);
        else
            put(e, "%s / %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_POWER:
        put_function(e, "pow");
        put(e, "(%s, %s)", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_LESS:
        put(e, "%s < %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_LESS_EQUAL:
        put(e, "%s <= %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_EQUAL:
        put(e, "%s == %s", value(e, a, x), value(e, b, y));
        break;
    case EXPRESSION_AND:
        put(e, "%s & %s", truth(e, a, x), truth(e, b, y));
        break;
    case EXPRESSION_OR:
        put(e, "%s | %s", truth(e, a, x), truth(e, b, y));
        break;
    case EXPRESSION_SELECT:
        put(e, "%s ? %s : %s", truth(e, a, x), value(e, b, y), value(e, node->operand[2], z));
        break;
    default:
        put_function(e, function_of(e, node->operation, a));
        put(e, "(%s)", value(e, a, x));
    }
}

static void visit(struct emitter *e, int n);

/* The first that a formula reads, with fused products opened */
static void visit_operands(struct emitter *e, int n)
{
    const struct expression_node node = *node_of(e, n);
    bool negative = false;
    int fused = node.operation == EXPRESSION_ADD ? fused_operand(e, &node, &negative) : -1;
    int minus = node.operation == EXPRESSION_ADD && fused < 0 ? minus_operand(e, &node) : -1;
    for (int k = 0; k < 3 && node.operand[k] >= 0; k++) {
        int operand = node.operand[k];
        if (k == fused) {
            operand = negative ? node_of(e, operand)->operand[0] : operand;
            visit(e, node_of(e, operand)->operand[0]);
            visit(e, node_of(e, operand)->operand[1]);
        } else if (k == minus) {
            visit(e, node_of(e, operand)->operand[0]);
        } else {
            visit(e, operand);
        }
    }
}

/* The denominators of n's group, and their inverses */
static void visit_group(struct emitter *e, int n)
{
    static const char *const letter[] = {"", "", "2", "3", "4"};
    char x[NAME];
    const struct quotients *q = &e->quotients;
    int group = q->group[n], members = 0, member[QUOTIENTS_OF_A_GROUP] = {0};
    for (int k = 0; k < q->denominators && members < QUOTIENTS_OF_A_GROUP; k++)
        if (q->group[q->denominator[k]] == group)
            member[members++] = q->denominator[k];
    if (e->done[e->nodes + group])
        return;
    e->done[e->nodes + group] = true;
    for (int k = 0; k < members; k++)
        visit(e, member[k]);
    if (members == 1) {
        put(e, "    const REAL r%d = 1 / %s;\n", member[0], value(e, member[0], x));
        return;
    }
    put(e, "    REAL ");
    for (int k = 0; k < members; k++)
        put(e, "%sr%d", k ? ", " : "", member[k]);
    put(e, ";\n    TYPED(real_reciprocals%s)(", letter[members]);
    for (int k = 0; k < members; k++)
        put(e, "&r%d, ", member[k]);
    for (int k = 0; k < members; k++)
        put(e, "%s%s", value(e, member[k], x), k + 1 < members ? ", " : ");\n");
}

/* Two columns are read at once */
static void visit_column(struct emitter *e, int k)
{
    char x[NAME];
    const struct emit_column *pair = &e->table->column[k / 2 * 2];
    const int argument = pair[0].argument;
    visit(e, argument);
    if (!e->done[2 * e->nodes + argument]) {
        put(e, "    const struct TYPED(lookup) at%d = TYPED(lookup_at)(table, COLUMNS_%s, %s);\n", argument,
            e->model->formula, value(e, argument, x));
        e->done[2 * e->nodes + argument] = true;
    }
    put(e, "    REAL t%d", pair[0].consumer);
    if (pair[1].consumer != pair[0].consumer)
        put(e, ", t%d;\n", pair[1].consumer);
    else
        put(e, ", u%d;\n", pair[0].consumer);
    put(e, "    TYPED(lookup_pair)(&t%d, &%c%d, value, at%d, %d);\n", pair[0].consumer,
        pair[1].consumer != pair[0].consumer ? 't' : 'u', pair[1].consumer, argument, k / 2);
    if (pair[1].consumer == pair[0].consumer)
        put(e, "    (void)u%d;\n", pair[0].consumer);
    e->done[pair[0].consumer] = e->done[pair[1].consumer] = true;
}

static void visit(struct emitter *e, int n)
{
    char x[NAME];
    if (e->done[n] || is_given(e, n))
        return;
    int k = consumer_of(e, n);
    if (k >= 0) {
        visit_column(e, k);
        return;
    }
    const struct expression_node node = *node_of(e, n);
    if (node.operation == EXPRESSION_DIVIDE && e->quotients.group &&
        e->quotients.group[node.operand[1]] >= 0 && !e->constants) {
        visit_group(e, node.operand[1]);
        visit(e, node.operand[0]);
    } else {
        visit_operands(e, n);
    }
    if (e->done[n])
        return;
    e->done[n] = true;
    e->order[e->ordered++] = n;
    put(e, "    const %s %s = ", is_truth(e, n) ? "bool" : e->constants ? "double" : "REAL", name(e, n, x));
    put_formula(e, n);
    put(e, ";\n");
}

/* Counts uses below the roots; in `count` the nodes that are reached */
static void count_uses(struct emitter *e, const int *root, int roots)
{
    memset(e->uses, 0, (size_t)e->nodes * sizeof *e->uses);
    memset(e->done, 0, 3 * (size_t)e->nodes * sizeof *e->done);
    for (int k = 0; k < roots; k++)
        e->uses[root[k]] += 2; /* has a name */
    for (int n = e->nodes - 1; n >= 0; n--) {
        if (!e->uses[n] || is_given(e, n))
            continue;
        int k = consumer_of(e, n);
        if (k >= 0) {
            if (!is_given(e, e->table->column[k].argument))
                e->uses[e->table->column[k].argument] += 2;
            continue;
        }
        for (int j = 0; j < 3 && node_of(e, n)->operand[j] >= 0; j++)
            e->uses[node_of(e, n)->operand[j]]++;
    }
}

/* Fields for the constants that the nodes in use read */
static void note_fields(struct emitter *e)
{
    for (int n = 0; n < e->nodes; n++)
        if (e->uses[n] && is_field(e, n) && e->field[n] < 0)
            e->field[n] = e->fields++;
}

static void put_lists(struct emitter *e)
{
    const struct cell *cell = e->model->cell;
    const char *f = e->model->formula;
    char digits[40];
    put(e, "#ifndef IONIC_COMPILED_%s\n#define IONIC_COMPILED_%s\n#define STATES_%s(NARROW, WIDE)", f, f, f);
    for (int s = 0; s < cell->states; s++)
        put(e, " \\\n    %s(s%d, \"\", \"\", %s)", e->model->fp64[s] ? "WIDE" : "NARROW", s,
            literal(e, cell->state[s].initial, digits, sizeof digits));
    put(e, "\n#define PARAMETERS_%s(X)", f);
    for (int p = 0; p < cell->parameters; p++)
        put(e, " \\\n    X(p%d, \"\", \"\", %s)", p,
            literal(e, cell->parameter[p].value, digits, sizeof digits));
    if (!cell->parameters)
        put(e, " X(none, \"\", \"\", 0)");
    put(e, "\n#define CURRENTS_%s(X)", f);
    for (int q = 0; q < cell->quantities; q++)
        put(e, " \\\n    X(q%d, \"\", \"\")", q);
    if (e->model->table.columns)
        put(e, "\n#define IONIC_TABLED\nenum { COLUMNS_%s = %d };", f, e->model->table.columns);
    put(e, "\nIONIC_PARAMETERS(%s)\n#endif\n\nIONIC_STRUCTS(%s)\n\n", f, f);
}

static void put_constants(struct emitter *e)
{
    const char *f = e->model->formula;
    char x[NAME];
    put(e, "struct TYPED(%s_constants) {\n    double dt;\n", f);
    for (int k = 0; k < e->fields; k++)
        put(e, "    REAL k%d;\n", k);
    put(e,
        "};\n\nHOST_DEVICE struct TYPED(%s_constants)\n    TYPED(%s_constants_of)(const struct %s_parameters "
        "*p, "
        "int variant, double dt)\n{\n    struct TYPED(%s_constants) c;\n    (void)p, (void)variant;\n",
        f, f, f, f);
    put(e, "    c.dt = dt;\n");
    e->constants = true;
    memset(e->uses, 0, (size_t)e->nodes * sizeof *e->uses);
    memset(e->done, 0, 3 * (size_t)e->nodes * sizeof *e->done);
    for (int n = e->nodes - 1; n >= 0; n--) {
        e->uses[n] += e->field[n] >= 0 ? 2 : 0;
        for (int j = 0; e->uses[n] && j < 3 && node_of(e, n)->operand[j] >= 0; j++)
            e->uses[node_of(e, n)->operand[j]]++;
    }
    for (int n = 0; n < e->nodes; n++) {
        if (e->field[n] < 0)
            continue;
        visit(e, n);
        put(e, "    c.k%d = (REAL)%s;\n", e->field[n], value(e, n, x));
    }
    e->constants = false;
    put(e, "    return c;\n}\n\n");
}

/* V and the states that nodes in use read */
static void put_reads(struct emitter *e)
{
    for (int n = 0; n < e->nodes; n++) {
        const struct expression_node *node = node_of(e, n);
        if (!e->uses[n])
            continue;
        if (node->operation == EXPRESSION_V)
            put(e, "    const REAL v = TYPED(real_clamp)((REAL)cell->v, -200, 200);\n");
        if (node->operation == EXPRESSION_STATE)
            put(e, "    const REAL s%d = (REAL)cell->s%d;\n", node->leaf, node->leaf);
        if (node->operation == EXPRESSION_STIMULUS)
            put(e, "    const REAL stim = (REAL)stimulus;\n");
    }
}

static void put_currents(struct emitter *e)
{
    const char *f = e->model->formula;
    char x[NAME];
    put(e,
        "HOST_DEVICE struct TYPED(%s_currents)\n    TYPED(%s_currents)(const struct TYPED(%s_constants) *c, "
        "const struct TYPED(%s_cell) *cell)\n{\n    struct TYPED(%s_currents) i;\n    (void)c, (void)cell;\n",
        f, f, f, f, f);
    count_uses(e, e->model->quantity, e->model->cell->quantities);
    put_reads(e);
    for (int q = 0; q < e->model->cell->quantities; q++) {
        visit(e, e->model->quantity[q]);
        put(e, "    i.q%d = %s;\n", q, value(e, e->model->quantity[q], x));
    }
    put(e, "    return i;\n}\n\n");
}

/* The nodes that a step ends in: dV/dt, then for each state its new value, or its increment if it is wide;
 * and the system of its unknowns */
static void roots_of(struct emitter *e, const struct emit_step *step, int *root)
{
    root[0] = step->v_rate;
    for (int s = 0; s < e->model->cell->states; s++)
        root[1 + s] = e->model->fp64[s]
                          ? step->step->increment[s]
                          : algebra_sum(e->algebra, expression_leaf(e->algebra->graph, EXPRESSION_STATE, s),
                                        step->step->increment[s]);
    root += 1 + e->model->cell->states;
    for (int k = 0; k < step->step->unknowns; k++)
        *root++ = step->step->right[k];
    for (int k = 0; k < step->step->unknowns * step->step->unknowns; k++)
        *root++ = step->step->entry[k];
}

/* How many nodes those are */
static int count_roots(const struct emitter *e, const struct emit_step *step)
{
    return 1 + e->model->cell->states + step->step->unknowns * (step->step->unknowns + 1);
}

/* What is divided by below so many roots, before anything is divided: independent chains side by side hide
 * each other's latency */
static void visit_denominators(struct emitter *e, const int *root, int roots)
{
    int top = 0;
    memset(e->reached, 0, (size_t)e->nodes * sizeof *e->reached);
    for (int k = 0; k < roots; k++) {
        e->reached[root[k]] = true;
        top = root[k] > top ? root[k] : top;
    }
    for (int n = top; n >= 0; n--)
        for (int k = 0; k < 3 && e->reached[n] && !is_given(e, n) && consumer_of(e, n) < 0; k++)
            if (node_of(e, n)->operand[k] >= 0)
                e->reached[node_of(e, n)->operand[k]] = true;
    for (int n = 0; n <= top; n++)
        if (e->reached[n] && !is_given(e, n) && consumer_of(e, n) < 0 &&
            node_of(e, n)->operation == EXPRESSION_DIVIDE)
            visit(e, node_of(e, n)->operand[1]);
}

/* Row i of the system less factor times row k: entry j, which is there already or not yet */
static void put_elimination(struct emitter *e, bool *there, int i, int k, int j)
{
    if (*there)
        put(e, "    m%d_%d = TYPED(real_fma)(-f%d_%d, m%d_%d, m%d_%d);\n", i, j, i, k, k, j, i, j);
    else
        put(e, "    REAL m%d_%d = -f%d_%d * m%d_%d;\n", i, j, i, k, k, j);
    *there = true;
}

/* The changes of the unknowns: m d = y by elimination in their order. Of what exchanges pivots are 1 at
 * least; one that is not belongs to growth, which is taken as Euler's step takes it. */
static void put_system(struct emitter *e, const struct step *step)
{
    const int n = step->unknowns;
    bool there[STEP_UNKNOWNS_MAX][STEP_UNKNOWNS_MAX];
    char x[NAME];
    for (int i = 0; i < n; i++) {
        visit(e, step->right[i]);
        put(e, "    REAL y%d = %s;\n", i, value(e, step->right[i], x));
        for (int j = 0; j < n; j++) {
            there[i][j] = step->entry[i * n + j] != 0;
            if (!there[i][j])
                continue;
            visit(e, step->entry[i * n + j]);
            put(e, "    REAL m%d_%d = %s;\n", i, j, value(e, step->entry[i * n + j], x));
        }
    }
    for (int k = 0; k < n; k++) {
        put(e, "    const REAL p%d = 1 / (m%d_%d < 1 ? N(1) : m%d_%d);\n", k, k, k, k, k);
        for (int i = k + 1; i < n; i++) {
            if (!there[i][k])
                continue;
            put(e, "    const REAL f%d_%d = m%d_%d * p%d;\n", i, k, i, k, k);
            put(e, "    y%d = TYPED(real_fma)(-f%d_%d, y%d, y%d);\n", i, i, k, k, i);
            for (int j = k + 1; j < n; j++)
                if (there[k][j])
                    put_elimination(e, &there[i][j], i, k, j);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            if (there[k][j])
                put(e, "    y%d = TYPED(real_fma)(-m%d_%d, d%d, y%d);\n", k, k, j, step->unknown[j], k);
        put(e, "    const REAL d%d = y%d * p%d;\n", step->unknown[k], k, k);
    }
}

enum { AT_ONCE = 5 }; /* states */

static void put_body(struct emitter *e, const struct emit_step *step, const int *root)
{
    const int states = e->model->cell->states;
    int batch[AT_ONCE];
    char x[NAME];
    const int roots = count_roots(e, step);
    count_uses(e, root, roots);
    e->ordered = 0;
    put_reads(e);
    visit_denominators(e, root, 1);
    visit(e, root[0]);
    visit_denominators(e, root + 1 + states, roots - 1 - states);
    put_system(e, step->step);
    for (int k = 0; k < states; k++) {
        int s = step->order[k], others = 0;
        for (; k % AT_ONCE == 0 && others < AT_ONCE && k + others < states; others++)
            batch[others] = root[1 + step->order[k + others]];
        if (others)
            visit_denominators(e, batch, others);
        visit(e, root[1 + s]);
        if (e->model->fp64[s])
            put(e, "    cell->s%d += (double)%s;\n", s, value(e, root[1 + s], x));
        else
            put(e, "    cell->s%d = %s;\n", s, value(e, root[1 + s], x));
    }
    put(e, "    cell->v += c->dt * (stimulus + (double)%s);\n}\n\n", value(e, root[0], x));
}

/* Written twice: the first time shows in which order denominators are wanted */
static enum status put_step(struct emitter *e, const struct emit_step *step, const int *root, bool tabled,
                            struct error *error)
{
    const char *f = e->model->formula;
    put(e,
        "HOST_DEVICE void TYPED(%s_%s)(const struct TYPED(%s_constants) *c, %sstruct TYPED(%s_cell) *cell, "
        "double stimulus)\n{\n",
        f, tabled ? "tabled_step" : "step", f,
        tabled ? "const struct ionic_table *table, const REAL *value, " : "", f);
    size_t begin = e->length;
    put_body(e, step, root);
    enum status status = quotients_group(&e->quotients, e->algebra, e->uses, e->order, e->ordered, error);
    if (!status && !e->failed) {
        e->length = begin;
        put_body(e, step, root);
    }
    quotients_free(&e->quotients);
    return status;
}

static void put_columns(struct emitter *e, const int *column)
{
    const char *f = e->model->formula;
    const struct emit_table *table = &e->model->table;
    char x[NAME];
    put(e, "#ifndef IONIC_COLUMNS_%s\n#define IONIC_COLUMNS_%s\n", f, f);
    put(e,
        "HOST_DEVICE void %s_table_columns(double *column, const struct %s_constants_double *c, double "
        "v)\n{\n"
        "    (void)c, (void)v;\n",
        f, f);
    count_uses(e, column, table->columns);
    for (int k = 0; k < table->columns; k++) {
        visit(e, table->column[k].column);
        put(e, "    column[%d] = %s;\n", k, value(e, table->column[k].column, x));
    }
    put(e, "}\n#endif\n\n");
}

static enum status prepare(struct emitter *e, int *step_root, int *tabled_root, struct error *error)
{
    enum status status = STATUS_OK;
    roots_of(e, &e->model->step, step_root);
    if (e->model->table.columns)
        roots_of(e, &e->model->tabled, tabled_root);
    e->nodes = e->algebra->graph->nodes;
    e->room = 1 << 16;
    e->text = array_new(1 << 16, 1, "a model's text", &status, error);
    e->field = array_new(e->nodes, sizeof *e->field, "a model's text", &status, error);
    e->uses = array_zeroed(e->nodes, sizeof *e->uses, "a model's text", &status, error);
    e->reached = array_zeroed(e->nodes, sizeof *e->reached, "a model's text", &status, error);
    e->order = array_new(e->nodes, sizeof *e->order, "a model's text", &status, error);
    e->done = array_zeroed(3 * (int64_t)e->nodes, sizeof *e->done, "a model's text", &status, error);
    for (int n = 0; !status && n < e->nodes; n++)
        e->field[n] = -1;
    return status;
}

static enum status put_all(struct emitter *e, const int *step_root, const int *tabled_root,
                           struct error *error)
{
    enum status status = STATUS_OK;
    const bool tabled = e->model->table.columns > 0;
    int column[COLUMNS_MOST];
    for (int k = 0; k < e->model->table.columns; k++)
        column[k] = e->model->table.column[k].column;
    count_uses(e, e->model->quantity, e->model->cell->quantities);
    note_fields(e);
    count_uses(e, step_root, count_roots(e, &e->model->step));
    note_fields(e);
    if (tabled) {
        e->table = &e->model->table;
        count_uses(e, tabled_root, count_roots(e, &e->model->tabled));
        note_fields(e);
        e->table = NULL;
        count_uses(e, column, e->model->table.columns);
        note_fields(e);
    }
    put_lists(e);
    put_constants(e);
    put_currents(e);
    TRY(put_step(e, &e->model->step, step_root, false, error));
    if (tabled && !status) {
        put_columns(e, column);
        e->table = &e->model->table;
        TRY(put_step(e, &e->model->tabled, tabled_root, true, error));
    }
    return status;
}

char *emit_text(struct algebra *a, const struct emit_model *model, struct error *error)
{
    struct emitter e = {.algebra = a, .model = model};
    enum status status = STATUS_OK;
    const int roots = count_roots(&e, &model->step);
    int *root =
        array_new(roots + count_roots(&e, &model->tabled), sizeof *root, "a model's text", &status, error);
    if (!status)
        status = prepare(&e, root, root + roots, error);
    TRY(put_all(&e, root, root + roots, error));
    if (!status && (e.failed || a->graph->status))
        error_memory(error, "a model's text", (double)e.room);
    else if (!status && e.wild)
        error_set(error, STATUS_INPUT, "a constant of the model is infinite or no number");
    char *text = status || e.failed || a->graph->status || e.wild ? NULL : e.text;
    if (!text)
        free(e.text);
    free(e.field);
    free(e.uses);
    free(e.done);
    free(e.order);
    free(e.reached);
    free(root);
    return text;
}
