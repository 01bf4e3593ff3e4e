/* fields.c: names of quantities -> numbers. */
#include "app/fields.h"

#include <stdlib.h>
#include <string.h>

#include "app/frame.h"
#include "app/nearest.h"

/* The part of a name after "model/", or NULL if the name speaks of another model */
static const char *name_within(const struct ionic_model *model, const char *name)
{
    const char *slash = strchr(name, '/');
    if (!slash)
        return name;
    size_t length = (size_t)(slash - name);
    return strncmp(model->name, name, length) == 0 && model->name[length] == 0 ? slash + 1 : NULL;
}

static int find_value(const struct ionic_value *value, int count, const char *name)
{
    for (int k = 0; name && k < count; k++)
        if (strcmp(value[k].name, name) == 0)
            return k;
    return -1;
}

/* The unit of a state or current that some group has; NULL = none has it */
static const char *unit_of(const struct monodomain *sim, const char *name, struct nearest *nearest)
{
    for (int g = 0; g < monodomain_groups(sim); g++) {
        const struct ionic_model *model = monodomain_group_model(sim, g);
        const char *own = name_within(model, name);
        int state = find_value(model->state, model->states, own);
        int current = find_value(model->current, model->currents, own);
        if (state >= 0)
            return model->state[state].unit;
        if (current >= 0)
            return model->current[current].unit;
        for (int k = 0; k < model->states; k++)
            nearest_try(nearest, model->state[k].name);
        for (int k = 0; k < model->currents; k++)
            nearest_try(nearest, model->current[k].name);
    }
    return NULL;
}

enum status fields_create(struct fields *fields, const struct monodomain *sim, int64_t nodes,
                          const char **name, int count, struct error *error)
{
    memset(fields, 0, sizeof *fields);
    fields->nodes = nodes;
    fields->field = calloc((size_t)count + 1, sizeof *fields->field);
    fields->value = calloc((size_t)count + 1, sizeof *fields->value);
    if (!fields->field || !fields->value)
        return error_memory(error, "the fields", 64.0 * count);
    for (int k = 0; k < count; k++) {
        struct nearest nearest = nearest_to(name[k]);
        char hint[100];
        int is_v = strcmp(name[k], "V") == 0;
        const char *unit = is_v ? "mV" : unit_of(sim, name[k], &nearest);
        if (!unit)
            return error_set(error, STATUS_INPUT,
                             "'%.80s' is neither V nor a state or current of a model in the tissue%s",
                             name[k], nearest_hint(&nearest, hint, sizeof hint));
        fields->field[k] = (struct field){name[k], unit, is_v ? 0 : -1};
        fields->value[k] = malloc(((size_t)nodes + 1) * sizeof **fields->value);
        if (!fields->value[k])
            return error_memory(error, "a field", 8.0 * (double)nodes);
        fields->count = k + 1;
    }
    return STATUS_OK;
}

void fields_free(struct fields *fields)
{
    for (int k = 0; k < fields->count; k++)
        free(fields->value[k]);
    free(fields->field);
    free(fields->value);
    memset(fields, 0, sizeof *fields);
}

/* Number of the tissue's variable "<model>/<state>" */
static int variable_of(const struct monodomain *sim, const struct ionic_model *model, const char *state)
{
    size_t length = strlen(model->name);
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const char *name = monodomain_variable(sim, k)->name;
        if (strncmp(name, model->name, length) == 0 && name[length] == '/' &&
            strcmp(name + length + 1, state) == 0)
            return k;
    }
    return -1;
}

/* value[] <- the quantity of one group, if its model has it */
static enum status gather_group(struct monodomain *sim, int g, const char *name, double *value,
                                struct error *error)
{
    const struct ionic_model *model = monodomain_group_model(sim, g);
    const char *own = name_within(model, name);
    int state = find_value(model->state, model->states, own);
    int current = find_value(model->current, model->currents, own);
    if (state >= 0)
        return monodomain_get(sim, variable_of(sim, model, own), value, error);
    if (current >= 0)
        return monodomain_current(sim, g, current, value, error);
    return STATUS_OK;
}

enum status fields_gather(struct fields *fields, struct monodomain *sim, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < fields->count && !status; k++) {
        const struct field *field = fields->field + k;
        if (field->variable >= 0) {
            status = monodomain_get(sim, field->variable, fields->value[k], error);
            continue;
        }
        for (int64_t i = 0; i < fields->nodes; i++)
            fields->value[k][i] = frame_nan64();
        for (int g = 0; g < monodomain_groups(sim) && !status; g++)
            status = gather_group(sim, g, field->name, fields->value[k], error);
    }
    return status;
}
