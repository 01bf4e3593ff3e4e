/* bundled.c: a bundled model or text by its name. */
#include "app/models/bundled.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct bundled *bundled_find(const char *name)
{
    for (const struct bundled *model = bundled_models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

const char *bundled_text(const char *name)
{
    for (const struct bundled_text *text = bundled_texts; text->name; text++)
        if (strcmp(text->name, name) == 0)
            return text->text;
    return NULL;
}

const char *bundled_text_of(const struct ionic_model *model)
{
    char name[80];
    snprintf(name, sizeof name, "%.70s.mmt", model->source ? model->source : "");
    return bundled_text(name);
}

/* The end of the property at `line`, without its newline, or NULL: no variant is declared there */
static const char *end_of_variant(const char *line, const char *end)
{
    static const char quotes[] = "\"\"\"";
    const char *colon = memchr(line, ':', (size_t)(end - line));
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (end - line < 8 || memcmp(line, "variant_", 8) != 0 || !colon || !stop || colon > stop)
        return NULL;
    for (const char *at = line; at < colon; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return NULL;
    if (stop - colon < 4 || memcmp(stop - 3, quotes, 3) != 0)
        return stop;
    const char *shut = memmem(stop, (size_t)(end - stop), quotes, 3);
    return shut ? memchr(shut, '\n', (size_t)(end - shut)) : NULL;
}

void bundled_digest(struct sha256 *sha, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    for (const char *line = text, *next; line; line = next) {
        const char *stop = end_of_variant(line, end);
        if (stop) {
            sha256_add(sha, text, (size_t)(line - text));
            text = stop + 1;
            next = text;
        } else {
            next = memchr(line, '\n', (size_t)(end - line));
            next = next ? next + 1 : NULL;
        }
    }
    sha256_add(sha, text, (size_t)(end - text));
}
