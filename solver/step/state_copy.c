/* state_copy.c: all variables in mesh order, as a checkpoint has them. */
#include "solver/step/state_copy.h"

#include <stdlib.h>

#include "kernels/base/array.h"

enum status state_copy_create(struct state_copy *copy, const struct monodomain *sim, int64_t nodes,
                              struct error *error)
{
    enum status status = STATUS_OK;
    *copy = (struct state_copy){.variables = monodomain_variables(sim)};
    copy->value = array_zeroed(copy->variables, sizeof *copy->value, "a tissue's state", &status, error);
    for (int k = 0; k < copy->variables && !status; k++)
        copy->value[k] = array_zeroed(nodes * monodomain_variable(sim, k)->width, sizeof **copy->value,
                                      "a tissue's state", &status, error);
    return status;
}

void state_copy_free(struct state_copy *copy)
{
    for (int k = 0; k < copy->variables && copy->value; k++)
        free(copy->value[k]);
    free(copy->value);
    *copy = (struct state_copy){0};
}

enum status state_copy_take(struct state_copy *copy, struct monodomain *sim, struct error *error)
{
    enum status status = STATUS_OK;
    copy->step = monodomain_step(sim);
    copy->history = monodomain_history(sim);
    for (int k = 0; k < copy->variables && !status; k++)
        status = monodomain_get(sim, k, copy->value[k], error);
    return status;
}

enum status state_copy_restore(const struct state_copy *copy, struct monodomain *sim, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < copy->variables && !status; k++)
        status = monodomain_set(sim, k, copy->value[k], error);
    return status ? status : monodomain_restart(sim, copy->step, copy->history, error);
}
