/* compiler.c: the passes from a cell to C. */
#include "kernels/ionic/compiler/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ionic/compiler/emit.h"
#include "kernels/ionic/compiler/step.h"

enum { DEPTH_MAX = 1000 };

/* Formulas that the passes may walk down, and that need no time */
static enum status judge(const struct cell *cell, const int *root, int roots, struct error *error)
{
    const struct expression_graph *graph = &cell->graph;
    enum status status = STATUS_OK;
    int *depth = array_zeroed(graph->nodes, sizeof *depth, "a model's formulas", &status, error);
    bool *reached = array_zeroed(graph->nodes, sizeof *reached, "a model's formulas", &status, error);
    for (int k = 0; k < roots && !status; k++)
        reached[root[k]] = true;
    if (!status)
        algebra_reach(graph, reached, graph->nodes - 1);
    for (int n = 0; n < graph->nodes && !status; n++) {
        for (int k = 0; k < 3 && graph->node[n].operand[k] >= 0; k++)
            if (depth[graph->node[n].operand[k]] >= depth[n])
                depth[n] = depth[graph->node[n].operand[k]] + 1;
        if (reached[n] && depth[n] > DEPTH_MAX)
            status = error_set(error, STATUS_INPUT, "a formula of more than %d operations on each other",
                               DEPTH_MAX);
        if (reached[n] && graph->node[n].operation == EXPRESSION_TIME)
            status = error_set(error, STATUS_INPUT, "the model depends on time other than by its stimulus");
    }
    free(depth);
    free(reached);
    return status;
}

struct roots {
    int v, *rate, *quantity, *increment, *order;
};

/* Rates and quantities in normal form; quantities and V's without a stimulus */
static void normalise(struct algebra *a, struct cell *cell, struct roots *roots)
{
    const int top = a->graph->nodes - 1, stimulus = expression_leaf(a->graph, EXPRESSION_STIMULUS, -1);
    int *as = malloc((size_t)(top + 1) * sizeof *as);
    bool *wanted = calloc((size_t)top + 1, sizeof *wanted);
    if (!as || !wanted) {
        a->graph->status = STATUS_RUN;
    } else {
        wanted[cell->v_rate] = true;
        for (int s = 0; s < cell->states; s++)
            wanted[cell->state[s].rate] = true;
        for (int q = 0; q < cell->quantities; q++)
            wanted[cell->quantity[q].value] = true;
        algebra_reach(a->graph, wanted, top);
        algebra_remake(a, as, top, wanted, -1, -1);
        roots->v = algebra_replace(a, as[cell->v_rate], stimulus, 0);
        for (int s = 0; s < cell->states; s++)
            roots->rate[s] = as[cell->state[s].rate];
        for (int q = 0; q < cell->quantities; q++)
            roots->quantity[q] = algebra_replace(a, as[cell->quantity[q].value], stimulus, 0);
    }
    free(as);
    free(wanted);
}

static enum status make(struct compiled *compiled, struct cell *cell, const char *formula,
                        struct roots *roots, struct error *error)
{
    struct algebra a;
    enum status status = STATUS_OK;
    double *low = array_new(2 * cell->states, sizeof *low, "a model's states", &status, error), *high = NULL;
    if (status)
        return status;
    high = low + cell->states;
    for (int s = 0; s < cell->states; s++) {
        low[s] = 0.5 * cell->state[s].initial;
        high[s] = 2 * cell->state[s].initial;
    }
    status = algebra_begin(&a, cell, low, high, error);
    free(low);
    if (status)
        return status;
    normalise(&a, cell, roots);
    for (int s = 0; s < cell->states && !a.graph->status; s++) {
        roots->increment[s] = step_increment(&a, s, roots->rate[s], true);
        roots->order[s] = s;
        compiled->fp64[s] = false;
    }
    struct emit_model model = {.cell = cell,
                               .formula = formula,
                               .fp64 = compiled->fp64,
                               .quantity = roots->quantity,
                               .step = {roots->v, roots->increment, roots->order}};
    if (a.graph->status)
        status = error_set(error, a.graph->status, "the formulas are too large, or memory is too small");
    else if (!(compiled->formulas = emit_text(&a, &model, error)))
        status = error->status;
    algebra_end(&a);
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
    int *root =
        array_new(1 + 4 * (int64_t)states + quantities, sizeof *root, "a model's formulas", &status, error);
    if (!status) {
        struct roots roots = {0, root, root + 3 * states, root + states, root + 2 * states};
        root[0] = cell->v_rate;
        for (int s = 0; s < states; s++)
            root[1 + s] = cell->state[s].rate;
        status = judge(cell, root, states + 1, error);
        TRY(make(compiled, cell, formula, &roots, error));
    }
    free(root);
    if (status)
        compiler_free(compiled);
    return status;
}

void compiler_free(struct compiled *compiled)
{
    free(compiled->formulas);
    free(compiled->fp64);
    memset(compiled, 0, sizeof *compiled);
}
