/* par_file.c: one assignment a line, the last of a name counts. */
#include "app/commands/par_file.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/text_file.h"

enum { ENTRIES_MOST = 20000 };

/* text without blanks at both ends */
static char *trim(char *text)
{
    size_t length;
    while (isspace((unsigned char)*text))
        text++;
    for (length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]); length--)
        text[length - 1] = 0;
    return text;
}

/* "name[0] = "value" # words" -> entry; false: it is none */
static bool read_entry(struct par_entry *entry, const char *line)
{
    char text[sizeof entry->name + sizeof entry->value] = "";
    const char *equals = strchr(line, '=');
    if (!equals || strlen(line) >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)(equals - line), line);
    char *name = trim(text);
    name += *name == '-';
    if (!*name || strlen(name) >= sizeof entry->name || strpbrk(name, " \t"))
        return false;
    strcpy(entry->name, name);
    snprintf(text, sizeof text, "%s", equals + 1);
    char *value = trim(text), quote = *value == '"' || *value == '\'' ? *value : 0;
    value[strcspn(value + (quote != 0), quote ? (char[]){quote, 0} : "#") + (quote != 0)] = 0;
    value = trim(value + (quote != 0));
    if (strlen(value) >= sizeof entry->value)
        return false;
    strcpy(entry->value, value);
    return true;
}

enum status par_read(struct par_file *par, const char *path, struct error *error)
{
    struct text_file text = {0};
    bool more = true;
    int room = 0;
    *par = (struct par_file){0};
    enum status status = text_open(&text, path, error);
    TRY(text_line(&text, &more, error));
    for (; more && !status; status = text_line(&text, &more, error)) {
        const char *line = text.cursor + strspn(text.cursor, " \t\r");
        if (!*line || *line == '#')
            continue;
        if (par->entries == ENTRIES_MOST)
            status = text_error(&text, error, "more than %d lines", ENTRIES_MOST);
        if (!status && par->entries == room) {
            room = room ? 2 * room : 64;
            void *larger = realloc(par->entry, (size_t)room * sizeof *par->entry);
            par->entry = larger ? larger : par->entry;
            status = larger ? STATUS_OK : error_memory(error, "a parameter file", room * 530.0);
        }
        if (status)
            break;
        struct par_entry *entry = &par->entry[par->entries];
        *entry = (struct par_entry){.line = text.line};
        if (!read_entry(entry, line)) {
            status = text_error(&text, error, "expected NAME = VALUE");
            break;
        }
        par->entries++;
    }
    text_close(&text);
    return status;
}

void par_free(struct par_file *par)
{
    free(par->entry);
    *par = (struct par_file){0};
}

static struct par_entry *find(struct par_file *par, const char *name)
{
    struct par_entry *found = NULL;
    for (int k = 0; k < par->entries; k++)
        if (strcmp(par->entry[k].name, name) == 0) {
            if (found)
                found->used = true; /* replaced by the later one */
            found = &par->entry[k];
        }
    return found;
}

const char *par_text(struct par_file *par, const char *format, ...)
{
    char name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct par_entry *entry = find(par, name);
    if (entry)
        entry->used = true;
    return entry ? entry->value : NULL;
}

double par_number(struct par_file *par, double otherwise, const char *format, ...)
{
    char name[200], *end;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct par_entry *entry = find(par, name);
    double value = entry ? strtod(entry->value, &end) : otherwise;
    if (!entry || end == entry->value || *end || !isfinite(value))
        return otherwise;
    entry->used = true;
    return value;
}
