/* description.c: a cell's states, parameters and quantities, one by one. */
#include "kernels/compiler/emit/description.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* "m" of "fast.m" */
static const char *inner_name(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Names <- without their component, where no other value has that name */
static enum status shorten_names(struct ionic_value *value, int count, struct error *error)
{
    enum status status = STATUS_OK;
    bool *taken = array_zeroed(count, sizeof *taken, "names of a model", &status, error);
    for (int k = 0; k < count && !status; k++) {
        taken[k] = strcmp(inner_name(value[k].name), "V") == 0;
        for (int n = 0; n < count; n++)
            taken[k] |= n != k && (strcmp(inner_name(value[k].name), value[n].name) == 0 ||
                                   strcmp(inner_name(value[k].name), inner_name(value[n].name)) == 0);
    }
    for (int k = 0; k < count && !status; k++)
        value[k].name = taken[k] ? value[k].name : inner_name(value[k].name);
    free(taken);
    return status;
}

enum status description_make(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
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
