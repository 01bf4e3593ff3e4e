/* emit.c: writes the parts of a model's text in order. */
#include "kernels/compiler/emit/emit.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/compiler/emit/listing.h"

/* Assigns fields to the constants that nodes in use read */
static void note_fields(struct listing *e)
{
    for (int n = 0; n < e->nodes; n++)
        if (e->uses[n] && listing_is_field(e, n) && e->field[n] < 0) {
            const int quantity = algebra_node(e->algebra, n)->quantity - 1;
            e->field[n] = e->fields++;
            if (quantity >= 0 && e->named_field[quantity] < 0)
                e->named_field[quantity] = n;
        }
}

/* The unit, or "" if it contains a character outside a safe set for C strings */
static const char *plain_unit(const char *unit)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789^*/()-. ";
    return unit[strspn(unit, plain)] ? "" : unit;
}

/* reached[] <- the nodes that depend on a leaf of this kind and number (-1 = any) */
static void mark_above(struct listing *e, enum expression_operation leaf, int number)
{
    for (int n = 0; n < e->nodes; n++) { /* operands have lower numbers */
        const struct expression_node *node = algebra_node(e->algebra, n);
        e->reached[n] = node->operation == leaf && (number < 0 || node->leaf == number);
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            e->reached[n] |= e->reached[node->operand[j]];
    }
}

/* Writes the lists IONIC_READERS_ of constants that depend on each parameter, and of those of gates that
 * depend on dt (emit.h) */
static void put_readers(struct listing *e, const int *step_root)
{
    const struct emit_step *step = &e->model->step;
    char field[LISTING_NAME];
    int gates = 0, root[1 + e->model->cell->states];
    for (int s = 0; s < e->model->cell->states; s++)
        if (step->step->gate[s])
            root[gates++] = step_root[1 + s];
    for (int p = 0; p < e->model->cell->parameters; p++) {
        listing_put(e, "#define IONIC_READERS_%d", p);
        mark_above(e, EXPRESSION_PARAMETER, p);
        for (int n = 0; n < e->nodes; n++)
            if (e->reached[n] && e->field[n] >= 0)
                listing_put(e, " %s", listing_field(e, n, field));
        listing_put(e, "\n");
    }
    listing_count(e, root, gates);
    mark_above(e, EXPRESSION_STEP, -1);
    listing_put(e, "#define IONIC_READERS_GATES");
    for (int n = 0; n < e->nodes; n++)
        if (e->reached[n] && e->uses[n] && e->field[n] >= 0)
            listing_put(e, " %s", listing_field(e, n, field));
    listing_put(e, "\n");
}

/* Writes the lists of states, parameters and currents. Values are undefined names, which serve as arguments,
 * so that the code does not depend on the values. */
static void put_lists(struct listing *e, const int *step_root)
{
    const struct cell *cell = e->model->cell;
    const char *f = e->model->formula;
    listing_put(e, "#ifndef IONIC_COMPILED_%s\n#define IONIC_COMPILED_%s\n#define STATES_%s(NARROW, WIDE)", f,
                f, f);
    for (int s = 0; s < cell->states; s++)
        listing_put(e, " \\\n    %s(%s, \"\", \"%s\", VALUE_s%d)", e->model->fp64[s] ? "WIDE" : "NARROW",
                    e->symbols.state[s], plain_unit(cell->state[s].unit), s);
    listing_put(e, "\n#define PARAMETERS_%s(X)", f);
    for (int p = 0; p < cell->parameters; p++)
        listing_put(e, " \\\n    X(%s, \"\", \"%s\", VALUE_p%d)", e->symbols.parameter[p],
                    plain_unit(cell->parameter[p].unit), p);
    if (!cell->parameters)
        listing_put(e, " X(none, \"\", \"\", 0)");
    listing_put(e, "\n#define CURRENTS_%s(X)", f);
    for (int q = 0; q < cell->quantities; q++)
        listing_put(e, " \\\n    X(%s, \"\", \"%s\")", e->symbols.quantity[q],
                    plain_unit(cell->quantity[q].unit));
    if (e->model->table->columns)
        listing_put(e, "\n#define IONIC_TABLED\nenum { COLUMNS_%s = %d };", f, e->model->table->columns);
    listing_put(e, "\n");
    put_readers(e, step_root);
    listing_put(e, "IONIC_PARAMETERS(%s)\n#endif\n\nIONIC_STRUCTS(%s)\n\n", f, f);
}

static void put_constants(struct listing *e)
{
    const char *f = e->model->formula;
    char x[LISTING_NAME], field[LISTING_NAME];
    listing_put(e, "struct TYPED(%s_constants) {\n    double dt;\n", f);
    for (int n = 0; n < e->nodes; n++)
        if (e->field[n] >= 0)
            listing_put(e, "    REAL %s;\n", listing_field(e, n, x));
    listing_put(
        e,
        "};\n\nHOST_DEVICE struct TYPED(%s_constants)\n    TYPED(%s_constants_of)(const struct %s_parameters "
        "*p, "
        "double dt)\n{\n    struct TYPED(%s_constants) c;\n    (void)p;\n",
        f, f, f, f);
    listing_put(e, "    c.dt = dt;\n");
    e->constants = true;
    memset(e->named, -1, (size_t)e->model->cell->quantities * sizeof *e->named);
    memset(e->uses, 0, (size_t)e->nodes * sizeof *e->uses);
    memset(e->done, 0, 3 * (size_t)e->nodes * sizeof *e->done);
    for (int n = e->nodes - 1; n >= 0; n--) {
        e->uses[n] += e->field[n] >= 0 ? 2 : 0;
        for (int j = 0; e->uses[n] && j < 3 && algebra_node(e->algebra, n)->operand[j] >= 0; j++)
            e->uses[algebra_node(e->algebra, n)->operand[j]]++;
    }
    for (int n = 0; n < e->nodes; n++) {
        if (e->field[n] < 0)
            continue;
        listing_visit(e, n);
        listing_put(e, "    c.%s = (REAL)%s;\n", listing_field(e, n, field), listing_value(e, n, x));
    }
    e->constants = false;
    listing_put(e, "    return c;\n}\n\n");
}

/* Writes the reads of V, the stimulus and the states that nodes in use need */
static void put_reads(struct listing *e)
{
    for (int n = 0; n < e->nodes; n++) {
        const struct expression_node *node = algebra_node(e->algebra, n);
        if (!e->uses[n])
            continue;
        if (node->operation == EXPRESSION_V)
            listing_put(e, "    const REAL v = TYPED(real_clamp)((REAL)%s, -200, 200);\n", e->v);
        if (node->operation == EXPRESSION_STATE)
            listing_put(e, "    const REAL %s = (REAL)cell->%s;\n", e->symbols.state[node->leaf],
                        e->symbols.state[node->leaf]);
        if (node->operation == EXPRESSION_STIMULUS)
            listing_put(e, "    const REAL stim = (REAL)stimulus;\n");
    }
}

static void put_currents(struct listing *e)
{
    const char *f = e->model->formula;
    char x[LISTING_NAME];
    listing_put(
        e,
        "HOST_DEVICE struct TYPED(%s_currents)\n    TYPED(%s_currents)(const struct TYPED(%s_constants) *c, "
        "const struct TYPED(%s_cell) *cell)\n{\n    struct TYPED(%s_currents) i;\n    (void)c, (void)cell;\n",
        f, f, f, f, f);
    e->v = "cell->v";
    listing_count(e, e->model->quantity, e->model->cell->quantities);
    put_reads(e);
    for (int q = 0; q < e->model->cell->quantities; q++) {
        listing_visit(e, e->model->quantity[q]);
        listing_put(e, "    i.%s = %s;\n", e->symbols.quantity[q],
                    listing_value(e, e->model->quantity[q], x));
    }
    listing_put(e, "    return i;\n}\n\n");
}

/* root[] <- the results of a step: dV/dt, then for each state its new value, or its increment if it is stored
 * in fp64; then the system of the unknowns */
static void roots_of(struct listing *e, const struct emit_step *step, int *root)
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

/* The number of these results */
static int count_roots(const struct listing *e, const struct emit_step *step)
{
    return 1 + e->model->cell->states + step->step->unknowns * (step->step->unknowns + 1);
}

/* Emits the denominators below these roots before any division: independent chains hide each other's
 * latency */
static void visit_denominators(struct listing *e, const int *root, int roots)
{
    int top = 0;
    memset(e->reached, 0, (size_t)e->nodes * sizeof *e->reached);
    for (int k = 0; k < roots; k++) {
        e->reached[root[k]] = true;
        top = root[k] > top ? root[k] : top;
    }
    for (int n = top; n >= 0; n--)
        for (int k = 0; k < 3 && e->reached[n] && !listing_is_given(e, n) && listing_column(e, n) < 0; k++)
            if (algebra_node(e->algebra, n)->operand[k] >= 0)
                e->reached[algebra_node(e->algebra, n)->operand[k]] = true;
    for (int n = 0; n <= top; n++)
        if (e->reached[n] && !listing_is_given(e, n) && listing_column(e, n) < 0 &&
            algebra_node(e->algebra, n)->operation == EXPRESSION_DIVIDE)
            listing_visit(e, algebra_node(e->algebra, n)->operand[1]);
}

/* Subtracts a multiple of row k from row i of the system, in column j, where row i may have no entry yet */
static void put_elimination(struct listing *e, bool *there, int i, int k, int j)
{
    if (*there)
        listing_put(e, "    m%d_%d = TYPED(real_fma)(-f%d_%d, m%d_%d, m%d_%d);\n", i, j, i, k, k, j, i, j);
    else
        listing_put(e, "    REAL m%d_%d = -f%d_%d * m%d_%d;\n", i, j, i, k, k, j);
    *there = true;
}

/* Writes the increments of unknowns in conserved sums, w = d + L q (step.h) */
static void put_conserved(struct listing *e, const struct step *step, bool there[][STEP_UNKNOWNS_MAX])
{
    bool needed[STEP_UNKNOWNS_MAX] = {0};
    for (int k = 0; k < step->unknowns; k++)
        for (int i = 0; i <= k && step->keeping[k]; i++)
            needed[i] |= i == k || there[k][i];
    for (int k = 0; k < step->unknowns; k++) {
        const int s = step->unknown[k];
        if (needed[k])
            listing_put(e, "    const REAL q%d = (m%d_%d < 1 ? 1 - m%d_%d : N(0)) * d%d;\n", k, k, k, k, k,
                        s);
        if (!step->keeping[k])
            continue;
        listing_put(e, "    REAL w%d = d%d + q%d;\n", s, s, k);
        for (int i = 0; i < k; i++)
            if (there[k][i])
                listing_put(e, "    w%d = TYPED(real_fma)(f%d_%d, q%d, w%d);\n", s, k, i, i, s);
    }
}

/* Writes the solution of m d = y for the changes d, by elimination in the order of the unknowns. Pivots are
 * at least 1 if states only exchange or decay; a smaller one indicates growth and is raised to 1. */
static void put_system(struct listing *e, const struct step *step)
{
    const int n = step->unknowns;
    bool there[STEP_UNKNOWNS_MAX][STEP_UNKNOWNS_MAX];
    char x[LISTING_NAME];
    for (int i = 0; i < n; i++) {
        listing_visit(e, step->right[i]);
        listing_put(e, "    REAL y%d = %s;\n", i, listing_value(e, step->right[i], x));
        for (int j = 0; j < n; j++) {
            there[i][j] = step->entry[i * n + j] != 0;
            if (!there[i][j])
                continue;
            listing_visit(e, step->entry[i * n + j]);
            listing_put(e, "    REAL m%d_%d = %s;\n", i, j, listing_value(e, step->entry[i * n + j], x));
        }
    }
    for (int k = 0; k < n; k++) {
        listing_put(e, "    const REAL p%d = 1 / (m%d_%d < 1 ? N(1) : m%d_%d);\n", k, k, k, k, k);
        for (int i = k + 1; i < n; i++) {
            if (!there[i][k])
                continue;
            listing_put(e, "    const REAL f%d_%d = m%d_%d * p%d;\n", i, k, i, k, k);
            listing_put(e, "    y%d = TYPED(real_fma)(-f%d_%d, y%d, y%d);\n", i, i, k, k, i);
            for (int j = k + 1; j < n; j++)
                if (there[k][j])
                    put_elimination(e, &there[i][j], i, k, j);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            if (there[k][j])
                listing_put(e, "    y%d = TYPED(real_fma)(-m%d_%d, d%d, y%d);\n", k, k, j, step->unknown[j],
                            k);
        listing_put(e, "    const REAL d%d = y%d * p%d;\n", step->unknown[k], k, k);
    }
    put_conserved(e, step, there);
}

/* The states that a function of the text steps: all of them, or one part of a staggered step, where gates are
 * computed from V and the rest from the extrapolated V */
enum subset { SUBSET_ALL, SUBSET_GATES, SUBSET_REST };

static const char *const subset_name[] = {"step", "gates", "rest"};

static bool has_state(const struct emit_step *step, enum subset subset, int s)
{
    return subset == SUBSET_ALL || step->step->gate[s] == (subset == SUBSET_GATES);
}

/* own[] <- the results in root[] that belong to the subset; returns their number */
static int subset_roots(int *own, const struct listing *e, const struct emit_step *step, const int *root,
                        enum subset subset)
{
    const int states = e->model->cell->states, roots = count_roots(e, step);
    int count = 0;
    for (int k = 0; k < roots; k++)
        if (k >= 1 && k <= states ? has_state(step, subset, k - 1) : subset != SUBSET_GATES)
            own[count++] = root[k];
    return count;
}

enum { AT_ONCE = 5 }; /* states */

/* Writes the new values of the subset's states */
static void put_states(struct listing *e, const struct emit_step *step, const int *root, enum subset subset)
{
    int state[1 + e->model->cell->states], batch[AT_ONCE], states = 0;
    char x[LISTING_NAME];
    for (int k = 0; k < e->model->cell->states; k++)
        if (has_state(step, subset, step->order[k]))
            state[states++] = step->order[k];
    for (int k = 0; k < states; k++) {
        const int s = state[k];
        int others = 0;
        for (; k % AT_ONCE == 0 && others < AT_ONCE && k + others < states; others++)
            batch[others] = root[1 + state[k + others]];
        if (others)
            visit_denominators(e, batch, others);
        listing_visit(e, root[1 + s]);
        if (e->model->fp64[s])
            listing_put(e, "    cell->%s += (double)%s;\n", e->symbols.state[s],
                        listing_value(e, root[1 + s], x));
        else
            listing_put(e, "    cell->%s = %s;\n", e->symbols.state[s], listing_value(e, root[1 + s], x));
    }
}

static void put_body(struct listing *e, const struct emit_step *step, const int *root, enum subset subset,
                     const int *own, int count)
{
    const int states = e->model->cell->states;
    char x[LISTING_NAME];
    listing_count(e, own, count);
    e->ordered = 0;
    e->v = subset == SUBSET_REST ? "ahead" : "cell->v";
    put_reads(e);
    if (subset != SUBSET_GATES) {
        visit_denominators(e, root, 1);
        listing_visit(e, root[0]);
        visit_denominators(e, root + 1 + states, count_roots(e, step) - 1 - states);
        put_system(e, step->step);
    }
    put_states(e, step, root, subset);
    if (subset != SUBSET_GATES)
        listing_put(e, "    cell->v += c->dt * (stimulus + (double)%s);\n", listing_value(e, root[0], x));
    listing_put(e, "}\n\n");
}

/* Writes a step twice: the first pass determines the order in which denominators are needed */
static enum status put_step(struct listing *e, const struct emit_step *step, const int *root, bool tabled,
                            enum subset subset, struct error *error)
{
    const char *f = e->model->formula;
    enum status status = STATUS_OK;
    int *own = array_new(count_roots(e, step), sizeof *own, "a model's text", &status, error);
    TRY(status);
    const int count = subset_roots(own, e, step, root, subset);
    listing_put(e,
                "IONIC_FUNCTION void TYPED(%s_%s%s)(IONIC_CONSTANTS(%s) *c, %sstruct TYPED(%s_cell) *cell%s)"
                "\n{\n",
                f, tabled ? "tabled_" : "", subset_name[subset], f,
                tabled ? "const struct ionic_table *table, const REAL *value, " : "", f,
                subset == SUBSET_ALL    ? ", double stimulus"
                : subset == SUBSET_REST ? ", double stimulus, double ahead"
                                        : "");
    if (subset != SUBSET_ALL)
        listing_put(e, "    (void)c, (void)cell%s%s;\n", subset == SUBSET_REST ? ", (void)ahead" : "",
                    tabled ? ", (void)table, (void)value" : "");
    size_t begin = e->length;
    put_body(e, step, root, subset, own, count);
    const struct quotients_use use = {own, e->uses, e->order, count, e->ordered, e->interval};
    status = quotients_group(&e->quotients, e->algebra, &use, error);
    if (!status && !e->failed) {
        e->length = begin;
        put_body(e, step, root, subset, own, count);
    }
    quotients_free(&e->quotients);
    free(own);
    return status;
}

/* Writes a step, as a whole and in its parts */
static enum status put_steps(struct listing *e, const struct emit_step *step, const int *root, bool tabled,
                             struct error *error)
{
    for (int subset = SUBSET_ALL; subset <= SUBSET_REST; subset++)
        TRY(put_step(e, step, root, tabled, (enum subset)subset, error));
    return STATUS_OK;
}

/* Writes the function that returns whether a column depends on parameter number `parameter` */
static void put_table_reads(struct listing *e, const int *root, int roots)
{
    const char *separator = "";
    memset(e->uses, 0, (size_t)e->nodes * sizeof *e->uses);
    for (int k = 0; k < roots; k++)
        e->uses[root[k]] = 1;
    listing_put(e, "HOST_DEVICE bool %s_table_reads(int parameter)\n{\n    (void)parameter;\n    return ",
                e->model->formula);
    for (int n = e->nodes - 1; n >= 0; n--) { /* operands have lower numbers */
        const struct expression_node *node = algebra_node(e->algebra, n);
        if (!e->uses[n])
            continue;
        for (int j = 0; j < 3 && node->operand[j] >= 0; j++)
            e->uses[node->operand[j]] = 1;
        if (node->operation == EXPRESSION_PARAMETER) {
            listing_put(e, "%sparameter == %d", separator, node->leaf);
            separator = " || ";
        }
    }
    listing_put(e, "%s;\n}\n", *separator ? "" : "false");
}

static void put_columns(struct listing *e, const int *root, int roots)
{
    const char *f = e->model->formula;
    const struct emit_table *table = e->model->table;
    char x[LISTING_NAME];
    listing_put(e, "#ifndef IONIC_COLUMNS_%s\n#define IONIC_COLUMNS_%s\n", f, f);
    listing_put(e,
                "HOST_DEVICE void %s_table_columns(double *column, uint64_t *turns, const struct "
                "%s_constants_double *shared, double "
                "v)\n{\n"
                "    uint64_t all = 0;\n    (void)shared, (void)v;\n",
                f, f);
    e->c = "shared"; /* a table has no cell */
    listing_count(e, root, roots);
    for (int k = 0; k < table->columns; k++) {
        listing_visit(e, table->column[k].column);
        listing_put(e, "    column[%d] = %s;\n", k, listing_value(e, table->column[k].column, x));
    }
    for (int k = 0; k < table->jumps; k++) {
        listing_visit(e, table->jump[k]);
        listing_put(e, "    all |= (uint64_t)(%s != 0) << %d;\n", listing_value(e, table->jump[k], x), k);
    }
    for (int k = 0; k < table->columns; k++)
        listing_put(e, "    turns[%d] = all & %lluu;\n", k, (unsigned long long)table->column[k].jumps);
    listing_put(e, "}\n\n");
    e->c = "c";
    put_table_reads(e, root, roots);
    listing_put(e, "#endif\n\n");
}

static enum status prepare(struct listing *e, int *step_root, int *tabled_root, struct error *error)
{
    static const char what[] = "a model's text";
    enum status status = STATUS_OK;
    roots_of(e, &e->model->step, step_root);
    if (e->model->table->columns)
        roots_of(e, &e->model->tabled, tabled_root);
    e->nodes = e->algebra->graph->nodes;
    e->room = 1 << 16;
    e->text = array_new(1 << 16, 1, what, &status, error);
    e->field = array_new(e->nodes, sizeof *e->field, what, &status, error);
    e->uses = array_zeroed(e->nodes, sizeof *e->uses, what, &status, error);
    e->reached = array_zeroed(e->nodes, sizeof *e->reached, what, &status, error);
    e->order = array_new(e->nodes, sizeof *e->order, what, &status, error);
    e->done = array_zeroed(3 * (int64_t)e->nodes, sizeof *e->done, what, &status, error);
    e->interval = array_new(e->nodes, sizeof *e->interval, what, &status, error);
    const int quantities = e->model->cell->quantities;
    e->named = array_new(quantities, sizeof *e->named, what, &status, error);
    e->named_field = array_new(quantities, sizeof *e->named_field, what, &status, error);
    TRY(status);
    memset(e->field, -1, (size_t)e->nodes * sizeof *e->field);
    memset(e->named_field, -1, (size_t)quantities * sizeof *e->named_field);
    interval_of(e->interval, e->algebra->graph, e->nodes, NULL);
    return symbols_make(&e->symbols, e->model->cell, error);
}

static enum status put_all(struct listing *e, const int *step_root, const int *tabled_root,
                           struct error *error)
{
    const bool tabled = e->model->table->columns > 0;
    const struct emit_table *table = e->model->table;
    int of_table[EMIT_COLUMNS_MAX + EMIT_JUMPS_MAX], count = table->columns + table->jumps;
    for (int k = 0; k < table->columns; k++)
        of_table[k] = table->column[k].column;
    for (int k = 0; k < table->jumps; k++)
        of_table[table->columns + k] = table->jump[k];
    listing_count(e, e->model->quantity, e->model->cell->quantities);
    note_fields(e);
    listing_count(e, step_root, count_roots(e, &e->model->step));
    note_fields(e);
    if (tabled) {
        e->table = e->model->table;
        listing_count(e, tabled_root, count_roots(e, &e->model->tabled));
        note_fields(e);
        e->table = NULL;
        listing_count(e, of_table, count);
        note_fields(e);
    }
    put_lists(e, step_root);
    put_constants(e);
    put_currents(e);
    TRY(put_steps(e, &e->model->step, step_root, false, error));
    if (!tabled)
        return STATUS_OK;
    put_columns(e, of_table, count);
    e->table = e->model->table;
    return put_steps(e, &e->model->tabled, tabled_root, true, error);
}

char *emit_text(struct algebra *a, const struct emit_model *model, struct error *error)
{
    struct listing e = {.algebra = a, .model = model, .c = "c"};
    enum status status = STATUS_OK;
    const int roots = count_roots(&e, &model->step);
    int *root =
        array_new(roots + count_roots(&e, &model->tabled), sizeof *root, "a model's text", &status, error);
    TRY_DONE(status);
    TRY_DONE(prepare(&e, root, root + roots, error));
    TRY_DONE(put_all(&e, root, root + roots, error));
    if (e.failed || a->graph->status)
        status = error_memory(error, "a model's text", (double)e.room);
    else if (e.wild)
        status = error_set(error, STATUS_INPUT, "a constant of the model is infinite or no number");
done:
    if (status) {
        free(e.text);
        e.text = NULL;
    }
    free(e.field);
    free(e.uses);
    free(e.interval);
    free(e.done);
    free(e.order);
    free(e.reached);
    free(e.named);
    free(e.named_field);
    free(e.symbols.state);
    free(root);
    return e.text;
}
