/* single_cell.c: one cell, computed as a full vector of equal cells, which costs no more. Constants are prepared once,
 * and the loops are called without a queue. */
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

/* The loops of the backend, but those of avx2 instead of avx512's, which are slower for a single vector; the bits are
 * the same. */
static const struct ionic_loops *choose_loops(const struct ionic_model *model, const char *backend)
{
    bool wide = strncmp(backend, "cpu-avx512", 10) == 0;
    if (model->avx2 && (wide || strcmp(backend, "cpu-avx2") == 0) && backend_find("cpu-avx2", NULL))
        return model->avx2;
    return wide ? model->avx512 : model->plain;
}

static void choose_steps(struct single_cell *cell, const struct ionic_loops *loops, struct source_way way)
{
    const bool tabled = cell->cells.table.value;
    cell->current = (loops->current[way.mixed] ? loops : cell->cells.model->avx2)->current[way.mixed];
    cell->by = (tabled ? loops->tabled : loops->step)[way.mixed];
    if (!way.staggered)
        return;
    cell->gates = (tabled ? loops->tabled_gates : loops->gates)[way.mixed];
    cell->rest = (tabled ? loops->tabled_rest : loops->rest)[way.mixed];
    cell->gates_alone = loops->gates[way.mixed];
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
    double *shown64 = array_zeroed(values, sizeof *shown64, "the cell's state", &status, error);
    float *shown32 = array_zeroed(values, sizeof *shown32, "the cell's state", &status, error);
    cell->constants = device_array(cell->queue, IONIC_CONSTANTS_BYTES, 1, "the cell", &status, error);
    cell->half = device_array(cell->queue, IONIC_CONSTANTS_BYTES, 1, "the cell", &status, error);
    cell->still = device_array(cell->queue, IONIC_CONSTANTS_BYTES, 1, "the cell", &status, error);
    cell->cells = (struct ionic_cells){.model = model,
                                       .cells = loops->lanes,
                                       .stride = loops->lanes,
                                       .mixed = way.mixed,
                                       .state64 = state64,
                                       .state32 = state32,
                                       .parameter = parameter};
    cell->shown = cell->cells;
    cell->shown.state64 = shown64;
    cell->shown.state32 = shown32;
    TRY(status);
    if (way.tables)
        TRY(ionic_table_build(&cell->cells.table, model, parameter, way.mixed, step, IONIC_TABLE_PER_MV,
                              error));
    choose_steps(cell, loops, way);
    model->constants[way.mixed](cell->constants, parameter, step);
    model->constants[way.mixed](cell->half, parameter, step / 2);
    model->constants[way.mixed](cell->still, parameter, 0);
    ionic_initial(state64, state32, model, way.mixed, loops->lanes, loops->lanes);
    return STATUS_OK;
}

void single_cell_free(struct single_cell *cell)
{
    void *const constants[] = {cell->constants, cell->half, cell->still};
    for (int k = 0; k < 3 && cell->queue; k++)
        device_release(cell->queue, constants[k]);
    queue_free(cell->queue);
    free(cell->shown.state64);
    free(cell->shown.state32);
    free(cell->cells.state64);
    free(cell->cells.state32);
    ionic_table_free(&cell->cells.table);
    *cell = (struct single_cell){0};
}

/* A vector of equal cells */
struct vector {
    double v[IONIC_LANES_MAX], stimulus[IONIC_LANES_MAX], ahead[IONIC_LANES_MAX];
};

static struct ionic_block fill_vector(struct vector *vector, const struct single_cell *cell,
                                      const struct ionic_cells *cells, double stimulus, double extrapolation)
{
    const int lanes = (int)cells->cells;
    for (int i = 0; i < lanes; i++) {
        vector->v[i] = cell->v;
        vector->stimulus[i] = stimulus;
        vector->ahead[i] = ionic_ahead(cell->v, cell->before, extrapolation);
    }
    return (struct ionic_block){lanes,          lanes,          vector->v,     vector->stimulus,
                                cells->state64, cells->state32, vector->ahead, NULL};
}

/* The cells at t: the cells themselves, or a copy whose gates were advanced to t */
static const struct ionic_cells *show(const struct single_cell *cell)
{
    const struct ionic_cells *own = &cell->cells;
    const size_t values = (size_t)(own->model->states * own->stride);
    struct vector vector;
    if (!cell->behind)
        return own;
    memcpy(cell->shown.state64, own->state64, values * sizeof *own->state64);
    memcpy(cell->shown.state32, own->state32, values * sizeof *own->state32);
    const struct ionic_block block = fill_vector(&vector, cell, &cell->shown, 0, 0);
    cell->gates_alone(&block, cell->half, &own->table);
    return &cell->shown;
}

static double value_of(const struct single_cell *cell, const struct ionic_cells *cells, int k)
{
    if (k == 0)
        return cell->v;
    struct ionic_layout at = ionic_layout(cells->model, cells->mixed, k - 1);
    int64_t first = at.row * cells->stride;
    return at.fp32 ? (double)cells->state32[first] : cells->state64[first];
}

double single_cell_stored(const struct single_cell *cell, int k)
{
    return value_of(cell, &cell->cells, k);
}

void single_cell_get(const struct single_cell *cell, double *value)
{
    const struct ionic_cells *cells = show(cell);
    for (int k = 0; k < single_cell_values(cells->model); k++)
        value[k] = value_of(cell, cells, k);
}

void single_cell_set(struct single_cell *cell, const double *value)
{
    const struct ionic_cells *cells = &cell->cells;
    cell->v = value[0];
    cell->behind = false;
    for (int k = 0; k < cells->model->states; k++) {
        struct ionic_layout at = ionic_layout(cells->model, cells->mixed, k);
        for (int64_t i = at.row * cells->stride; i < (at.row + 1) * cells->stride; i++)
            if (at.fp32)
                cells->state32[i] = (float)value[1 + k];
            else
                cells->state64[i] = value[1 + k];
    }
}

void single_cell_columns(const struct single_cell *cell, const int *number, int columns, double *column)
{
    const struct ionic_cells *cells = show(cell);
    const int values = single_cell_values(cells->model);
    struct vector vector;
    struct ionic_block one = fill_vector(&vector, cell, cells, 0, 0);
    one.cells = 1;
    for (int k = 0; k < columns; k++)
        if (number[k] < values)
            column[k] = value_of(cell, cells, number[k]);
        else
            cell->current(&one, cell->still, number[k] - values, &column[k]);
}

void single_cell_step(struct single_cell *cell, double stimulus)
{
    struct vector vector;
    const struct ionic_block block =
        fill_vector(&vector, cell, &cell->cells, stimulus, cell->behind ? 0.5 : 0);
    const struct ionic_table *table = &cell->cells.table;
    if (cell->rest && cell->behind)
        cell->gates(&block, cell->constants, table);
    else if (cell->rest)
        cell->gates_alone(&block, cell->half, table);
    (cell->rest ? cell->rest : cell->by)(&block, cell->constants, table);
    cell->before = cell->v;
    cell->behind = cell->rest;
    cell->v = vector.v[0];
}
