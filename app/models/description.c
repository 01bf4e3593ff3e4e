/* description.c: a cell's states, parameters and quantities, one by one. */
#include "app/models/description.h"

#include "kernels/base/array.h"

enum status description_make(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                             const struct compiled *compiled, struct error *error)
{
    enum status status = STATUS_OK;
    struct ionic_value *at = array_zeroed((int64_t)cell->states + cell->parameters + cell->quantities,
                                          sizeof *at, "a model's description", &status, error);
    *values = at;
    if (status)
        return status;
    model->title = *cell->title ? cell->title : cell->name;
    model->reference = cell->reference;
    model->v_initial = cell->v_initial;
    model->order = compiled->order;
    model->columns = compiled->columns;
    model->states = cell->states;
    model->state = at;
    for (int k = 0; k < cell->states; k++) {
        const struct cell_state *state = &cell->state[k];
        *at++ =
            (struct ionic_value){state->name, state->unit, state->initial, compiled->fp64[k], state->meaning};
    }
    model->parameters = cell->parameters;
    model->parameter = at;
    for (int k = 0; k < cell->parameters; k++) {
        const struct cell_parameter *parameter = &cell->parameter[k];
        *at++ = (struct ionic_value){parameter->name, parameter->unit, parameter->value, false,
                                     parameter->meaning};
    }
    model->currents = cell->quantities;
    model->current = at;
    for (int k = 0; k < cell->quantities; k++) {
        const struct cell_quantity *quantity = &cell->quantity[k];
        *at++ = (struct ionic_value){quantity->name, quantity->unit, 0, false, quantity->meaning};
    }
    return STATUS_OK;
}
