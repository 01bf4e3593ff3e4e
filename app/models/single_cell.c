/* single_cell.c: one cell, as a vector of equal cells: fewer than a vector's lanes cost as much. Constants
 * are prepared once, and the loops are called without a queue. */
#include "app/models/single_cell.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

int single_cell_values(const struct ionic_model *model)
{
    return 1 + model->states;
}

void single_cell_rest(double *value, const struct ionic_model *model)
{
    value[0] = model->v_initial;
    for (int k = 0; k < model->states; k++)
        value[1 + k] = model->state[k].value;
}

/* The loops of the backend, or those of avx2 in place of avx512's, whose vectors of one cell take longer: the
 * bits are the same. */
static const struct ionic_loops *choose_loops(const struct ionic_model *model, const char *backend)
{
    bool wide = strncmp(backend, "cpu-avx512", 10) == 0;
    if (model->avx2 && (wide || strcmp(backend, "cpu-avx2") == 0) && backend_find("cpu-avx2", NULL))
        return model->avx2;
    return wide ? model->avx512 : model->plain;
}

enum status single_cell_new(struct single_cell *cell, const struct ionic_model *model,
                            const double *parameter, struct source_way way, double step, struct error *error)
{
    const struct backend *backend = backend_find("cpu", error);
    *cell = (struct single_cell){.v = model->v_initial, .step = step};
    if (!backend)
        return STATUS_INPUT;
    const struct ionic_loops *loops = choose_loops(model, backend->name);
    enum status status = queue_new(&cell->queue, backend, 1, error);
    int64_t values = (int64_t)model->states * loops->lanes;
    double *state64 = array_zeroed(values, sizeof *state64, "the cell's state", &status, error);
    float *state32 = array_zeroed(values, sizeof *state32, "the cell's state", &status, error);
    cell->constants = device_array(cell->queue, IONIC_CONSTANTS_BYTES, 1, "the cell", &status, error);
    cell->cells = (struct ionic_cells){.model = model,
                                       .cells = loops->lanes,
                                       .stride = loops->lanes,
                                       .mixed = way.mixed,
                                       .state64 = state64,
                                       .state32 = state32,
                                       .parameter = parameter};
    TRY(status);
    if (way.tables)
        TRY(ionic_table_build(&cell->cells.table, model, parameter, way.mixed, step, IONIC_TABLE_PER_MV,
                              error));
    cell->by = (cell->cells.table.value ? loops->tabled : loops->step)[way.mixed];
    model->constants[way.mixed](cell->constants, parameter, step);
    ionic_initial(state64, state32, model, way.mixed, loops->lanes, loops->lanes);
    return STATUS_OK;
}

void single_cell_free(struct single_cell *cell)
{
    if (cell->queue)
        device_release(cell->queue, cell->constants);
    queue_free(cell->queue);
    free(cell->cells.state64);
    free(cell->cells.state32);
    ionic_table_free(&cell->cells.table);
    *cell = (struct single_cell){0};
}

double single_cell_value(const struct single_cell *cell, int k)
{
    if (k == 0)
        return cell->v;
    struct ionic_layout at = ionic_layout(cell->cells.model, cell->cells.mixed, k - 1);
    int64_t first = at.row * cell->cells.stride;
    return at.fp32 ? (double)cell->cells.state32[first] : cell->cells.state64[first];
}

void single_cell_get(const struct single_cell *cell, double *value)
{
    for (int k = 0; k < single_cell_values(cell->cells.model); k++)
        value[k] = single_cell_value(cell, k);
}

void single_cell_set(struct single_cell *cell, const double *value)
{
    const struct ionic_cells *cells = &cell->cells;
    cell->v = value[0];
    for (int k = 0; k < cells->model->states; k++) {
        struct ionic_layout at = ionic_layout(cells->model, cells->mixed, k);
        for (int64_t i = at.row * cells->stride; i < (at.row + 1) * cells->stride; i++)
            if (at.fp32)
                cells->state32[i] = (float)value[1 + k];
            else
                cells->state64[i] = value[1 + k];
    }
}

double single_cell_current(const struct single_cell *cell, int k)
{
    struct ionic_cells one = cell->cells;
    double value;
    one.cells = 1;
    cell->queue->backend->ionic_current(cell->queue, &one, &cell->v, k, &value);
    return value;
}

void single_cell_step(struct single_cell *cell, double stimulus)
{
    const int lanes = (int)cell->cells.cells;
    double v[IONIC_LANES_MAX], current[IONIC_LANES_MAX];
    for (int i = 0; i < lanes; i++) {
        v[i] = cell->v;
        current[i] = stimulus;
    }
    const struct ionic_block block = {lanes, lanes, v, current, cell->cells.state64, cell->cells.state32};
    cell->by(&block, cell->constants, &cell->cells.table);
    cell->v = v[0];
}
