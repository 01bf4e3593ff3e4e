/* fuzz_mmt.c: arbitrary bytes as a model's text: refused with a place, or a cell whose formulas can be
 * computed, and of which the compiler makes C, numbers alone of the text in it, or says why not. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int condition)
{
    if (!condition)
        abort();
}

static void demand_graph(const struct expression_graph *graph)
{
    for (int n = 0; n < graph->nodes; n++)
        for (int k = 0; k < 3; k++)
            demand(k < expression_operands(graph->node[n].operation)
                       ? graph->node[n].operand[k] >= 0 && graph->node[n].operand[k] < n
                       : graph->node[n].operand[k] == -1);
}

static void demand_cell(const struct cell *cell)
{
    const int nodes = cell->graph.nodes;
    double *value = malloc((size_t)nodes * sizeof *value);
    double *state = calloc((size_t)cell->states + 1, sizeof *state);
    double *parameter = calloc((size_t)cell->parameters + 1, sizeof *parameter);
    struct expression_values values = {.v = cell->v_initial, .state = state, .parameter = parameter};
    demand(value && state && parameter && cell->v_name && cell->quantities > 0);
    demand_graph(&cell->graph);
    for (int k = 0; k < cell->states; k++) {
        demand(cell->state[k].rate >= 0 && cell->state[k].rate < nodes && cell->state[k].name[0]);
        state[k] = cell->state[k].initial;
    }
    for (int k = 0; k < cell->parameters; k++)
        parameter[k] = cell->parameter[k].value;
    for (int k = 0; k < cell->quantities; k++)
        demand(cell->quantity[k].value >= 0 && cell->quantity[k].value < nodes);
    expression_evaluate(&cell->graph, &values, nodes, value);
    demand(isfinite(cell->v_initial));
    free(value);
    free(state);
    free(parameter);
}

/* The same C twice: nothing of it depends on where memory lies */
static void demand_compiled(struct cell *cell, struct cell *again)
{
    struct compiled first, second;
    struct error error = {0}, other = {0};
    enum status status = compiler_make(&first, cell, "fuzzed", &error);
    demand(compiler_make(&second, again, "fuzzed", &other) == status);
    if (status) {
        demand(error.text[0] && strcmp(error.text, other.text) == 0);
        return;
    }
    demand(first.columns >= 0 && strcmp(first.formulas, second.formulas) == 0);
    demand(strstr(first.formulas, "fuzzed_step") && !strstr(first.formulas, "nan"));
    compiler_free(&first);
    compiler_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mmt_scale scales[] = {{.voltage = "c.V"}, {-85, 100, 12.9, "c.V"}};
    for (int k = 0; k < 2; k++) {
        struct cell cell;
        struct error error = {0};
        if (mmt_read(&cell, (const char *)data, size, "text", &scales[k], &error) == STATUS_OK) {
            struct cell again;
            demand_cell(&cell);
            demand(mmt_read(&again, (const char *)data, size, "text", &scales[k], &error) == STATUS_OK);
            demand_compiled(&cell, &again);
            cell_free(&cell);
            cell_free(&again);
        } else {
            demand(error.status == STATUS_INPUT && error.text[0]);
        }
    }
    return 0;
}
