/* single_cell.c: one cell of a structure of arrays. */
#include "app/models/single_cell.h"

#include <stdlib.h>

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

enum status single_cell_new(struct single_cell *cell, const struct ionic_model *model,
                            const double *parameter, struct source_way way, double step, struct error *error)
{
    const struct backend *backend = backend_find("cpu", error);
    *cell = (struct single_cell){.v = model->v_initial, .step = step};
    if (!backend)
        return STATUS_INPUT;
    enum status status = queue_new(&cell->queue, backend, 1, error);
    double *state64 = array_zeroed(model->states, sizeof *state64, "the cell's state", &status, error);
    float *state32 = array_zeroed(model->states, sizeof *state32, "the cell's state", &status, error);
    cell->cells = (struct ionic_cells){.model = model,
                                       .cells = 1,
                                       .stride = 1,
                                       .mixed = way.mixed,
                                       .state64 = state64,
                                       .state32 = state32,
                                       .parameter = parameter};
    if (!status && way.tables)
        status = ionic_table_build(&cell->cells.table, model, parameter, way.mixed, step, IONIC_TABLE_PER_MV,
                                   error);
    if (!status)
        ionic_initial(state64, state32, model, way.mixed, 1, 1);
    return status;
}

void single_cell_free(struct single_cell *cell)
{
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
    return at.fp32 ? (double)cell->cells.state32[at.row] : cell->cells.state64[at.row];
}

void single_cell_get(const struct single_cell *cell, double *value)
{
    for (int k = 0; k < single_cell_values(cell->cells.model); k++)
        value[k] = single_cell_value(cell, k);
}

void single_cell_set(struct single_cell *cell, const double *value)
{
    cell->v = value[0];
    for (int k = 0; k < cell->cells.model->states; k++) {
        struct ionic_layout at = ionic_layout(cell->cells.model, cell->cells.mixed, k);
        if (at.fp32)
            cell->cells.state32[at.row] = (float)value[1 + k];
        else
            cell->cells.state64[at.row] = value[1 + k];
    }
}

double single_cell_current(const struct single_cell *cell, int k)
{
    double value;
    cell->queue->backend->ionic_current(cell->queue, &cell->cells, &cell->v, k, &value);
    return value;
}

void single_cell_step(struct single_cell *cell, double stimulus)
{
    const uint16_t class = 1;
    const double current[2] = {0, stimulus};
    const struct ionic_drive drive = {cell->step, 1, &class, current, &cell->v, &cell->v, NULL, 0};
    cell->queue->backend->ionic_step(cell->queue, &cell->cells, &drive);
}
