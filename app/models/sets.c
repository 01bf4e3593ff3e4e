/* sets.c: one line of a .sets. */
#include "app/models/sets.h"

#include <stdlib.h>
#include <string.h>

/* The value of that name, of `count` values */
static double *find_value(struct ionic_value *value, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(value[k].name, name) == 0)
            return &value[k].value;
    return NULL;
}

enum status sets_read(struct ionic_model *model, struct ionic_value *values, char *line, struct error *error)
{
    static const char space[] = " \t\n";
    model->name = strtok(line, space);
    const char *accurate = strtok(NULL, space), *largest = strtok(NULL, space);
    if (!largest)
        return error_set(error, STATUS_INPUT, "expected a name and two steps");
    model->step_accurate = strtod(accurate, NULL);
    model->step_largest = strtod(largest, NULL);
    for (char *word; (word = strtok(NULL, space));) {
        char *equals = strchr(word, '='), *end = NULL;
        if (equals)
            *equals = 0;
        double *value = strcmp(word, "V") == 0 ? &model->v_initial
                                               : find_value(values, model->states + model->parameters, word);
        if (value && equals)
            *value = strtod(equals + 1, &end);
        if (!value || !end || *end)
            return error_set(error, STATUS_INPUT, "%.80s: no value of a state or parameter", word);
    }
    return STATUS_OK;
}
