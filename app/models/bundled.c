/* bundled.c: a bundled model by its name. */
#include "app/models/bundled.h"

#include <stddef.h>
#include <string.h>

const struct bundled *bundled_find(const char *name)
{
    for (const struct bundled *model = bundled_models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}
