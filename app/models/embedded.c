/* embedded.c: an embedded text by its name. */
#include "app/models/embedded.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *embedded_find(const char *name)
{
    for (const struct embedded *text = embedded_texts; text->name; text++)
        if (strcmp(text->name, name) == 0)
            return text->text;
    return NULL;
}

const char *embedded_of(const struct ionic_model *model)
{
    char name[80];
    snprintf(name, sizeof name, "%.70s.mmt", model->source ? model->source : "");
    return embedded_find(name);
}
