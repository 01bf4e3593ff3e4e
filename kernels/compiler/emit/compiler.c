/* compiler.c: runs the passes that compile a cell to C. */
#include "kernels/compiler/emit/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/compiler/algebra/exponentials.h"
#include "kernels/compiler/algebra/step.h"
#include "kernels/compiler/algebra/trial.h"
#include "kernels/compiler/emit/columns.h"
#include "kernels/compiler/emit/emit.h"

enum { DEPTH_MAX = 1000, STATES_MAX = 1000 };

/* Errors: formulas that are nested too deeply for the passes, or that depend on time */
static enum status check_formulas(const struct cell *cell, const int *root, int roots, struct error *error)
{
    const struct expression_graph *graph = &cell->graph;
    enum status status = STATUS_OK;
    int *depth = array_zeroed(graph->nodes, sizeof *depth, "a model's formulas", &status, error);
    bool *reached = array_zeroed(graph->nodes, sizeof *reached, "a model's formulas", &status, error);
    TRY_DONE(status);
    algebra_reach_from(graph, reached, graph->nodes - 1, root, roots);
    for (int n = 0; n < graph->nodes && !status; n++) {
        for (int k = 0; k < 3 && graph->node[n].operand[k] >= 0; k++)
            if (depth[graph->node[n].operand[k]] >= depth[n])
                depth[n] = depth[graph->node[n].operand[k]] + 1;
        if (reached[n] && depth[n] > DEPTH_MAX)
            status = error_set(error, STATUS_INPUT, "a formula nests more than %d operations", DEPTH_MAX);
        if (reached[n] && graph->node[n].operation == EXPRESSION_TIME)
            status = error_set(error, STATUS_INPUT, "the model depends on time other than by its stimulus");
    }
    if (!status && cell->states > STATES_MAX)
        status =
            error_set(error, STATUS_INPUT, "%d states; at most %d can be stepped", cell->states, STATES_MAX);
done:
    free(depth);
    free(reached);
    return status;
}

struct roots {
    int v, *rate, *quantity, *order;
    struct step step;
    int *all, count; /* nodes: dV/dt, increments, and the system of the step */
};

static enum status roots_begin(struct roots *roots, int states, int quantities, struct error *error)
{
    const int most = states < STEP_UNKNOWNS_MAX ? states : STEP_UNKNOWNS_MAX;
    enum status status = step_begin(&roots->step, states, error);
    const int64_t nodes = 1 + states + most + (int64_t)most * most;
    roots->all = array_zeroed(nodes, sizeof *roots->all, "a model's formulas", &status, error);
    roots->rate = array_zeroed(states, sizeof *roots->rate, "a model's formulas", &status, error);
    roots->order = array_zeroed(states, sizeof *roots->order, "a model's formulas", &status, error);
    roots->quantity = array_zeroed(quantities, sizeof *roots->quantity, "a model's formulas", &status, error);
    return status;
}

static void roots_free(struct roots *roots)
{
    step_free(&roots->step);
    free(roots->all);
    free(roots->rate);
    free(roots->order);
    free(roots->quantity);
}

/* Puts rates and quantities into normal form; removes the stimulus from quantities and from V's rate */
static void normalise_roots(struct algebra *a, struct cell *cell, struct roots *roots)
{
    const int top = a->graph->nodes - 1, stimulus = expression_leaf(a->graph, EXPRESSION_STIMULUS, -1);
    int *as = malloc((size_t)(top + 1) * sizeof *as);
    bool *needed = calloc((size_t)top + 1, sizeof *needed);
    if (!as || !needed) {
        a->graph->status = STATUS_RUN;
    } else {
        needed[cell->v_rate] = true;
        for (int s = 0; s < cell->states; s++)
            needed[cell->state[s].rate] = true;
        for (int q = 0; q < cell->quantities; q++)
            needed[cell->quantity[q].value] = true;
        algebra_reach(a->graph, needed, top);
        memset(as, -1, (size_t)(top + 1) * sizeof *as);
        algebra_remake(a, as, top, needed, -2, -1);
        roots->v = algebra_replace(a, as[cell->v_rate], stimulus, 0);
        for (int s = 0; s < cell->states; s++)
            roots->rate[s] = as[cell->state[s].rate];
        for (int q = 0; q < cell->quantities; q++)
            roots->quantity[q] = algebra_replace(a, as[cell->quantity[q].value], stimulus, 0);
        for (int q = 0; q < cell->quantities; q++)
            expression_name(a->graph, roots->quantity[q], 1 + q);
    }
    free(as);
    free(needed);
}

/* Copies the nodes of a step to all, or back */
static void gather_roots(struct roots *roots, int states, bool back)
{
    const int n = roots->step.unknowns;
    int *target[] = {&roots->v, roots->step.increment, roots->step.right, roots->step.entry};
    const int count[] = {1, states, n, n * n};
    roots->count = 0;
    for (int k = 0; k < 4; k++) {
        if (back)
            memcpy(target[k], roots->all + roots->count, (size_t)count[k] * sizeof **target);
        else
            memcpy(roots->all + roots->count, target[k], (size_t)count[k] * sizeof **target);
        roots->count += count[k];
    }
}

/* Shares exponentials among all formulas of a step */
static enum status share_exponentials(struct algebra *a, const struct cell *cell, struct roots *roots,
                                      struct error *error)
{
    gather_roots(roots, cell->states, false);
    enum status status = exponentials_share(a, roots->all, roots->count, error);
    gather_roots(roots, cell->states, true);
    return status;
}

/* 1/ms: an Euler step of 0.1 ms may be unstable for faster rates */
static const double stiff = 10;

/* 1/ms: a state that decays more slowly accumulates the fp32 rounding errors of its steps */
static const double forgets = 2e-3;

static const char too_large[] = "the formulas are too large, or memory is too small";

/* Input of a trial beat */
struct beat {
    double *rest;         /* [states] */
    int *rate, *slope;    /* [states], [states][states] nodes */
    bool *gate, *unknown; /* [states] */
};

static enum status beat_begin(struct beat *beat, const struct cell *cell, struct error *error)
{
    enum status status = STATUS_OK;
    const int64_t states = cell->states;
    const char *what = "a model's states";
    beat->rest = array_new(states, sizeof *beat->rest, what, &status, error);
    beat->rate = array_new(states, sizeof *beat->rate, what, &status, error);
    beat->slope = array_new(states * states, sizeof *beat->slope, what, &status, error);
    beat->gate = array_new(states, sizeof *beat->gate, what, &status, error);
    beat->unknown = array_zeroed(states, sizeof *beat->unknown, what, &status, error);
    for (int s = 0; s < states && !status; s++) {
        beat->rest[s] = cell->state[s].initial;
        beat->rate[s] = cell->state[s].rate;
    }
    return status;
}

static void beat_free(struct beat *beat)
{
    free(beat->rest);
    free(beat->rate);
    free(beat->slope);
    free(beat->gate);
    free(beat->unknown);
}

/* seen <- results of a beat in which all stiff states are unknowns or gates */
static enum status beat_run(struct trial_state *seen, struct cell *cell, struct sums *sums, struct algebra *a,
                            struct beat *beat, struct error *error)
{
    const struct trial_rates rates = {beat->gate, beat->unknown, beat->slope, stiff};
    for (bool again = true; again;) {
        TRY(step_slopes(beat->slope, a, beat->rate, beat->unknown, true, cell->states, error));
        if (cell->graph.status)
            return error_set(error, cell->graph.status, "%s", too_large);
        TRY(trial_run(seen, cell, &rates, sums, error));
        again = false;
        for (int s = 0; s < cell->states; s++)
            if (trial_missed(seen, &rates, s))
                again = beat->unknown[s] = true;
    }
    return STATUS_OK;
}

/* seen <- results of a beat, *sums <- conserved sums; uses a separate algebra, because nodes made before the
 * ranges are known are not checked against them */
static enum status try_beat(struct trial_state *seen, struct cell *cell, struct sums *sums,
                            struct error *error)
{
    struct algebra a;
    struct beat beat;
    enum status status = beat_begin(&beat, cell, error);
    TRY_DONE(status);
    TRY_DONE(algebra_begin(&a, cell, beat.rest, beat.rest, error));
    for (int s = 0; s < cell->states; s++)
        beat.gate[s] = step_is_gate(&a, s, beat.rate[s]);
    status = sums_find(sums, cell, beat.gate, error);
    if (!status)
        status = beat_run(seen, cell, sums, &a, &beat, error);
    algebra_end(&a);
    for (int s = 0; s < cell->states && !status; s++)
        sums_reach(sums, s, seen[s].low, seen[s].high);
done:
    beat_free(&beat);
    return status;
}

/* Builds the increments of all states in normal form */
static enum status make_steps(struct algebra *a, struct cell *cell, const struct trial_state *seen,
                              const struct sums *sums, struct roots *roots, struct error *error)
{
    enum status status = STATUS_OK;
    bool *fast = array_new(cell->states, sizeof *fast, "a model's states", &status, error);
    TRY(status);
    for (int s = 0; s < cell->states; s++)
        fast[s] = seen[s].fastest > stiff;
    normalise_roots(a, cell, roots);
    status = step_make(&roots->step, a, roots->rate, fast, sums, cell->states, error);
    free(fast);
    return status;
}

/* order[] <- first the states whose increments depend on other states, so that currents are needed only
 * briefly; then the gates, which depend on V alone */
static void order_states(struct algebra *a, const struct cell *cell, struct roots *roots)
{
    int next = 0;
    for (int gates = 0; gates < 2; gates++)
        for (int s = 0; s < cell->states; s++) {
            int x = expression_leaf(a->graph, EXPRESSION_STATE, s);
            bool gate = !a->graph->status &&
                        !(algebra_on(a, algebra_replace(a, roots->step.increment[s], x, 0)) & ALGEBRA_STATE);
            if (gate == gates)
                roots->order[next++] = s;
        }
}

static enum status run_passes(struct compiled *compiled, struct cell *cell, const char *formula,
                              struct algebra *a, const struct trial_state *seen, struct roots *roots,
                              struct roots *tabled, struct error *error)
{
    struct emit_table table = {0};
    TRY(make_steps(a, cell, seen, &compiled->sums, roots, error));
    if (!a->graph->status)
        TRY(share_exponentials(a, cell, roots, error));
    if (!a->graph->status)
        TRY(columns_operations(&compiled->operations, a, roots->all, roots->count, error));
    if (!a->graph->status) {
        algebra_split(a);
        TRY(make_steps(a, cell, seen, &compiled->sums, tabled, error));
        gather_roots(tabled, cell->states, false);
        TRY(columns_choose(&table, a, tabled->all, tabled->count, error));
    }
    order_states(a, cell, roots);
    order_states(a, cell, tabled);
    for (int s = 0; s < cell->states; s++)
        compiled->fp64[s] = seen[s].forgets < forgets;
    struct emit_model model = {.cell = cell,
                               .formula = formula,
                               .fp64 = compiled->fp64,
                               .quantity = roots->quantity,
                               .step = {roots->v, &roots->step, roots->order},
                               .tabled = {tabled->v, &tabled->step, tabled->order},
                               .table = &table};
    compiled->columns = table.columns;
    if (a->graph->status)
        return error_set(error, a->graph->status, "%s", too_large);
    compiled->formulas = emit_text(a, &model, error);
    return compiled->formulas ? STATUS_OK : error->status;
}

static enum status make_formulas(struct compiled *compiled, struct cell *cell, const char *formula,
                                 struct roots *roots, struct roots *tabled, struct error *error)
{
    struct algebra a;
    enum status status = STATUS_OK;
    struct trial_state *seen = array_new(cell->states, sizeof *seen, "a model's states", &status, error);
    double *range = array_new(2 * cell->states, sizeof *range, "a model's states", &status, error);
    TRY_DONE(status);
    TRY_DONE(try_beat(seen, cell, &compiled->sums, error));
    for (int s = 0; s < cell->states; s++) { /* about twice the beat's range */
        double more = (seen[s].high - seen[s].low) * 0.5;
        bool positive = seen[s].low >= 0;
        range[s] = positive ? 0.5 * seen[s].low : seen[s].low - more;
        range[cell->states + s] = seen[s].high + more;
    }
    TRY_DONE(algebra_begin(&a, cell, range, range + cell->states, error));
    status = run_passes(compiled, cell, formula, &a, seen, roots, tabled, error);
    algebra_end(&a);
done:
    free(seen);
    free(range);
    return status;
}

enum status compiler_make(struct compiled *compiled, struct cell *cell, const char *formula,
                          struct error *error)
{
    enum status status = STATUS_OK;
    const int states = cell->states, quantities = cell->quantities;
    memset(compiled, 0, sizeof *compiled);
    compiled->order = 1;
    compiled->fp64 = array_zeroed(states, sizeof *compiled->fp64, "a model's states", &status, error);
    struct roots roots[2] = {{0}};
    int *rate = array_new(states + 1, sizeof *rate, "a model's formulas", &status, error);
    TRY_DONE(status);
    for (int k = 0; k < 2; k++)
        TRY_DONE(roots_begin(&roots[k], states, quantities, error));
    for (int s = 0; s < states; s++)
        rate[s] = cell->state[s].rate;
    rate[states] = cell->v_rate;
    TRY_DONE(check_formulas(cell, rate, states + 1, error));
    status = make_formulas(compiled, cell, formula, &roots[0], &roots[1], error);
done:
    for (int k = 0; k < 2; k++)
        roots_free(&roots[k]);
    free(rate);
    if (status)
        compiler_free(compiled);
    return status;
}

void compiler_free(struct compiled *compiled)
{
    free(compiled->formulas);
    free(compiled->fp64);
    sums_free(&compiled->sums);
    memset(compiled, 0, sizeof *compiled);
}

/* "m" of "fast.m" */
static const char *inner_name(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Removes the component from names that stay unique without it */
static enum status shorten_names(struct ionic_value *value, int count, struct error *error)
{
    enum status status = STATUS_OK;
    bool *in_use = array_zeroed(count, sizeof *in_use, "names of a model", &status, error);
    for (int k = 0; k < count && !status; k++) {
        in_use[k] = strcmp(inner_name(value[k].name), "V") == 0;
        for (int n = 0; n < count; n++)
            in_use[k] |= n != k && (strcmp(inner_name(value[k].name), value[n].name) == 0 ||
                                    strcmp(inner_name(value[k].name), inner_name(value[n].name)) == 0);
    }
    for (int k = 0; k < count && !status; k++)
        value[k].name = in_use[k] ? value[k].name : inner_name(value[k].name);
    free(in_use);
    return status;
}

enum status compiler_describe(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                              const struct cell_variant *variant, const struct compiled *compiled,
                              struct error *error)
{
    const int count = cell->states + cell->parameters + cell->quantities;
    enum status status = STATUS_OK;
    struct ionic_value *at = array_zeroed(count, sizeof *at, "a model's description", &status, error);
    *values = at;
    if (status)
        return status;
    model->title = *cell->title ? cell->title : cell->name;
    model->reference = cell->reference;
    model->v_initial = variant ? variant->v_initial : cell->v_initial;
    model->order = compiled->order;
    model->operations = compiled->operations;
    model->columns = compiled->columns;
    model->states = cell->states;
    model->state = at;
    for (int k = 0; k < cell->states; k++) {
        const struct cell_state *state = &cell->state[k];
        *at++ = (struct ionic_value){state->name, state->unit, variant ? variant->state[k] : state->initial,
                                     compiled->fp64[k], state->meaning};
    }
    model->parameters = cell->parameters;
    model->parameter = at;
    for (int k = 0; k < cell->parameters; k++) {
        const struct cell_parameter *parameter = &cell->parameter[k];
        *at++ = (struct ionic_value){parameter->name, parameter->unit,
                                     variant ? variant->parameter[k] : parameter->value, false,
                                     parameter->meaning};
    }
    model->currents = cell->quantities;
    model->current = at;
    for (int k = 0; k < cell->quantities; k++) {
        const struct cell_quantity *quantity = &cell->quantity[k];
        *at++ = (struct ionic_value){quantity->name, quantity->unit, 0, false, quantity->meaning};
    }
    if (!variant)
        return STATUS_OK;
    if (*variant->title)
        model->title = variant->title;
    model->capacitance = variant->capacitance;
    model->step_accurate = variant->step_accurate;
    model->step_largest = variant->step_largest;
    model->staggered_accurate = variant->staggered_accurate;
    model->staggered_largest = variant->staggered_largest;
    return variant->short_names ? shorten_names(*values, count, error) : STATUS_OK;
}
