/* emit.c: the parts of a model's text, in their order. */
#include "kernels/ionic/compiler/emit.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ionic/compiler/listing.h"

enum { COLUMNS_MOST = 64 };

/* Fields for the constants that the nodes in use read */
static void note_fields(struct listing *e)
{
    for (int n = 0; n < e->nodes; n++)
        if (e->uses[n] && listing_is_field(e, n) && e->field[n] < 0)
            e->field[n] = e->fields++;
}

static void put_lists(struct listing *e)
{
    const struct cell *cell = e->model->cell;
    const char *f = e->model->formula;
    char digits[40];
    listing_put(e, "#ifndef IONIC_COMPILED_%s\n#define IONIC_COMPILED_%s\n#define STATES_%s(NARROW, WIDE)", f,
                f, f);
    for (int s = 0; s < cell->states; s++)
        listing_put(e, " \\\n    %s(s%d, \"\", \"\", %s)", e->model->fp64[s] ? "WIDE" : "NARROW", s,
                    listing_literal(e, cell->state[s].initial, digits, sizeof digits));
    listing_put(e, "\n#define PARAMETERS_%s(X)", f);
    for (int p = 0; p < cell->parameters; p++)
        listing_put(e, " \\\n    X(p%d, \"\", \"\", %s)", p,
                    listing_literal(e, cell->parameter[p].value, digits, sizeof digits));
    if (!cell->parameters)
        listing_put(e, " X(none, \"\", \"\", 0)");
    listing_put(e, "\n#define CURRENTS_%s(X)", f);
    for (int q = 0; q < cell->quantities; q++)
        listing_put(e, " \\\n    X(q%d, \"\", \"\")", q);
    if (e->model->table.columns)
        listing_put(e, "\n#define IONIC_TABLED\nenum { COLUMNS_%s = %d };", f, e->model->table.columns);
    listing_put(e, "\nIONIC_PARAMETERS(%s)\n#endif\n\nIONIC_STRUCTS(%s)\n\n", f, f);
}

static void put_constants(struct listing *e)
{
    const char *f = e->model->formula;
    char x[LISTING_NAME];
    listing_put(e, "struct TYPED(%s_constants) {\n    double dt;\n", f);
    for (int k = 0; k < e->fields; k++)
        listing_put(e, "    REAL k%d;\n", k);
    listing_put(
        e,
        "};\n\nHOST_DEVICE struct TYPED(%s_constants)\n    TYPED(%s_constants_of)(const struct %s_parameters "
        "*p, "
        "int variant, double dt)\n{\n    struct TYPED(%s_constants) c;\n    (void)p, (void)variant;\n",
        f, f, f, f);
    listing_put(e, "    c.dt = dt;\n");
    e->constants = true;
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
        listing_put(e, "    c.k%d = (REAL)%s;\n", e->field[n], listing_value(e, n, x));
    }
    e->constants = false;
    listing_put(e, "    return c;\n}\n\n");
}

/* V and the states that nodes in use read */
static void put_reads(struct listing *e)
{
    for (int n = 0; n < e->nodes; n++) {
        const struct expression_node *node = algebra_node(e->algebra, n);
        if (!e->uses[n])
            continue;
        if (node->operation == EXPRESSION_V)
            listing_put(e, "    const REAL v = TYPED(real_clamp)((REAL)cell->v, -200, 200);\n");
        if (node->operation == EXPRESSION_STATE)
            listing_put(e, "    const REAL s%d = (REAL)cell->s%d;\n", node->leaf, node->leaf);
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
    listing_count(e, e->model->quantity, e->model->cell->quantities);
    put_reads(e);
    for (int q = 0; q < e->model->cell->quantities; q++) {
        listing_visit(e, e->model->quantity[q]);
        listing_put(e, "    i.q%d = %s;\n", q, listing_value(e, e->model->quantity[q], x));
    }
    listing_put(e, "    return i;\n}\n\n");
}

/* The nodes that a step ends in: dV/dt, then for each state its new value, or its increment if it is wide */
static void roots_of(struct listing *e, const struct emit_step *step, int *root)
{
    root[0] = step->v_rate;
    for (int s = 0; s < e->model->cell->states; s++)
        root[1 + s] = e->model->fp64[s]
                          ? step->increment[s]
                          : algebra_sum(e->algebra, expression_leaf(e->algebra->graph, EXPRESSION_STATE, s),
                                        step->increment[s]);
}

/* What is divided by below so many roots, before anything is divided: independent chains side by side hide
 * each other's latency */
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

enum { AT_ONCE = 5 }; /* states */

static void put_body(struct listing *e, const struct emit_step *step, const int *root)
{
    const int states = e->model->cell->states;
    int batch[AT_ONCE];
    char x[LISTING_NAME];
    listing_count(e, root, states + 1);
    e->ordered = 0;
    put_reads(e);
    visit_denominators(e, root, 1);
    listing_visit(e, root[0]);
    for (int k = 0; k < states; k++) {
        int s = step->order[k], others = 0;
        for (; k % AT_ONCE == 0 && others < AT_ONCE && k + others < states; others++)
            batch[others] = root[1 + step->order[k + others]];
        if (others)
            visit_denominators(e, batch, others);
        listing_visit(e, root[1 + s]);
        if (e->model->fp64[s])
            listing_put(e, "    cell->s%d += (double)%s;\n", s, listing_value(e, root[1 + s], x));
        else
            listing_put(e, "    cell->s%d = %s;\n", s, listing_value(e, root[1 + s], x));
    }
    listing_put(e, "    cell->v += c->dt * (stimulus + (double)%s);\n}\n\n", listing_value(e, root[0], x));
}

/* Written twice: the first time shows in which order denominators are wanted */
static enum status put_step(struct listing *e, const struct emit_step *step, const int *root, bool tabled,
                            struct error *error)
{
    const char *f = e->model->formula;
    listing_put(
        e,
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

static void put_columns(struct listing *e, const int *column)
{
    const char *f = e->model->formula;
    const struct emit_table *table = &e->model->table;
    char x[LISTING_NAME];
    listing_put(e, "#ifndef IONIC_COLUMNS_%s\n#define IONIC_COLUMNS_%s\n", f, f);
    listing_put(
        e,
        "HOST_DEVICE void %s_table_columns(double *column, const struct %s_constants_double *c, double "
        "v)\n{\n"
        "    (void)c, (void)v;\n",
        f, f);
    listing_count(e, column, table->columns);
    for (int k = 0; k < table->columns; k++) {
        listing_visit(e, table->column[k].column);
        listing_put(e, "    column[%d] = %s;\n", k, listing_value(e, table->column[k].column, x));
    }
    listing_put(e, "}\n#endif\n\n");
}

static enum status prepare(struct listing *e, int *step_root, int *tabled_root, struct error *error)
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

static enum status put_all(struct listing *e, const int *step_root, const int *tabled_root,
                           struct error *error)
{
    enum status status = STATUS_OK;
    const int states = e->model->cell->states;
    const bool tabled = e->model->table.columns > 0;
    int column[COLUMNS_MOST];
    for (int k = 0; k < e->model->table.columns; k++)
        column[k] = e->model->table.column[k].column;
    listing_count(e, e->model->quantity, e->model->cell->quantities);
    note_fields(e);
    listing_count(e, step_root, states + 1);
    note_fields(e);
    if (tabled) {
        e->table = &e->model->table;
        listing_count(e, tabled_root, states + 1);
        note_fields(e);
        e->table = NULL;
        listing_count(e, column, e->model->table.columns);
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
    struct listing e = {.algebra = a, .model = model};
    enum status status = STATUS_OK;
    int *root =
        array_new(2 * (int64_t)(model->cell->states + 1), sizeof *root, "a model's text", &status, error);
    if (!status)
        status = prepare(&e, root, root + model->cell->states + 1, error);
    TRY(put_all(&e, root, root + model->cell->states + 1, error));
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
