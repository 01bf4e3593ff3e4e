/* par_file.c: one assignment a line, the last of a name counts; one that is refused is as if absent. */
#include "app/commands/par_file.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/text_file.h"
#include "kernels/base/array.h"

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
    value += quote != 0;
    char *end = value + strcspn(value, quote ? (char[]){quote, 0} : "#");
    const char *after = quote && *end ? end + 1 + strspn(end + 1, " \t\r") : "";
    if (*after && *after != '#')
        return false; /* words behind the quotes */
    *end = 0;
    value = trim(value);
    if (strlen(value) >= sizeof entry->value)
        return false;
    strcpy(entry->value, value);
    return true;
}

static enum status read_entries(struct par_file *par, const char *path, struct error *error)
{
    struct text_file text = {0};
    bool more;
    int room = 0;
    enum status status;
    *par = (struct par_file){0};
    TRY_DONE(text_open(&text, path, error));
    for (;;) {
        TRY_DONE(text_line(&text, &more, error));
        if (!more)
            break;
        const char *line = text.cursor + strspn(text.cursor, " \t\r");
        if (!*line || *line == '#')
            continue;
        if (par->entries == ENTRIES_MOST)
            TRY_DONE(text_error(&text, error, "more than %d lines", ENTRIES_MOST));
        if (par->entries == room) {
            room = room ? 2 * room : 64;
            void *larger = realloc(par->entry, (size_t)room * sizeof *par->entry);
            if (!larger)
                TRY_DONE(error_memory(error, "a parameter file", room * (double)sizeof *par->entry));
            par->entry = larger;
        }
        struct par_entry *entry = &par->entry[par->entries];
        *entry = (struct par_entry){.line = text.line};
        if (!read_entry(entry, line))
            TRY_DONE(text_error(&text, error, "expected NAME = VALUE"));
        par->entries++;
    }
done:
    text_close(&text);
    return status;
}

/* By name, of one name in the file's order. qsort has no context, so names go with their places. */
struct place {
    const struct par_entry *entry;
    int at;
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->entry->name, y->entry->name);
    return order ? order : x->at - y->at;
}

static enum status sort_entries(struct par_file *par, struct error *error)
{
    enum status status = STATUS_OK;
    struct place *place = array_new(par->entries, sizeof *place, "a parameter file", &status, error);
    par->order = array_new(par->entries, sizeof *par->order, "a parameter file", &status, error);
    for (int k = 0; k < par->entries && !status; k++)
        place[k] = (struct place){&par->entry[k], k};
    if (!status)
        qsort(place, (size_t)par->entries, sizeof *place, by_name);
    for (int k = 0; k < par->entries && !status; k++)
        par->order[k] = place[k].at;
    free(place);
    return status;
}

enum status par_read(struct par_file *par, const char *path, struct error *error)
{
    enum status status = read_entries(par, path, error);
    return status ? status : sort_entries(par, error);
}

void par_free(struct par_file *par)
{
    free(par->entry);
    free(par->order);
    free(par->recent);
    *par = (struct par_file){0};
}

/* The place in the order of the first name that is not before this one, or with beyond, that is behind it */
static int place_of(const struct par_file *par, const char *name, bool beyond)
{
    int low = 0, high = par->entries;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(par->entry[par->order[middle]].name, name) < beyond)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct par_entry *par_find(struct par_file *par, const char *name)
{
    int behind = place_of(par, name, true);
    struct par_entry *found = behind ? &par->entry[par->order[behind - 1]] : NULL;
    return found && !*found->reason && strcmp(found->name, name) == 0 ? found : NULL;
}

int par_count(const struct par_file *par, const char *prefix, const struct par_entry **refused)
{
    size_t length = strlen(prefix);
    int count = 0;
    *refused = NULL;
    for (int k = place_of(par, prefix, false); k < par->entries; k++, count++) {
        const struct par_entry *entry = &par->entry[par->order[k]];
        if (strncmp(entry->name, prefix, length) != 0)
            break;
        if (*entry->reason && strcmp(entry->name + length, "name") != 0)
            *refused = entry;
    }
    return count;
}

const struct par_entry *par_replaced(const struct par_file *par, int entry)
{
    const struct par_entry *later = NULL;
    for (int k = entry + 1; k < par->entries; k++)
        if (strcmp(par->entry[k].name, par->entry[entry].name) == 0)
            later = &par->entry[k];
    return later;
}

/* One that cannot be noted for want of memory is not used either. */
static const char *use(struct par_file *par, struct par_entry *entry)
{
    if (par->recents == par->recent_room) {
        int room = par->recent_room ? 2 * par->recent_room : 64;
        int *larger = realloc(par->recent, (size_t)room * sizeof *larger);
        if (!larger)
            return NULL;
        par->recent = larger;
        par->recent_room = room;
    }
    par->recent[par->recents++] = (int)(entry - par->entry);
    entry->used = true;
    return entry->value;
}

const char *par_text(struct par_file *par, const char *format, ...)
{
    char name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct par_entry *entry = par_find(par, name);
    return entry ? use(par, entry) : NULL;
}

double par_number(struct par_file *par, double otherwise, const char *format, ...)
{
    char name[200], *end;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct par_entry *entry = par_find(par, name);
    if (!entry)
        return otherwise;
    double value = strtod(entry->value, &end);
    if (end == entry->value || *end || !isfinite(value)) {
        par_refuse(par, entry, "this is not a number");
        return otherwise;
    }
    return use(par, entry) ? value : otherwise;
}

void par_refuse(struct par_file *par, struct par_entry *entry, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*entry->reason)
        vsnprintf(entry->reason, sizeof entry->reason, format, arguments);
    va_end(arguments);
    par->changed = true;
}

void par_settle(struct par_file *par)
{
    par->recents = 0;
}

void par_forget(struct par_file *par)
{
    for (int k = 0; k < par->recents; k++)
        par->entry[par->recent[k]].used = false;
    par->recents = 0;
}

void par_restart(struct par_file *par)
{
    for (int k = 0; k < par->entries; k++)
        par->entry[k].used = false;
    par->recents = 0;
    par->changed = false;
}
