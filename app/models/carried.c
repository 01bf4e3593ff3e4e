/* carried.c: a carried model by its name. */
#include "app/models/carried.h"

#include <stddef.h>
#include <string.h>

const struct carried *carried_find(const char *name)
{
    for (const struct carried *model = carried_models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}
