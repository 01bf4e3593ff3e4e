/* import_text.c: lines and their sources; what is refused is left out the next time. */
#include "app/commands/import_text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/scalar.h"

static void drop_written(struct import *import)
{
    if (import->out)
        fclose(import->out);
    if (import->notes)
        fclose(import->notes);
    free(import->text);
    free(import->note_text);
    user_model_free(import->list);
}

enum status import_begin(struct import *import, struct error *error)
{
    drop_written(import);
    import->text = import->note_text = NULL;
    import->list = NULL;
    import->settled = 0;
    import->lines = import->sources = import->models = 0;
    import->out = open_memstream(&import->text, &import->length);
    import->notes = open_memstream(&import->note_text, &import->note_length);
    par_restart(&import->par);
    return import->out && import->notes ? STATUS_OK : error_memory(error, "a config", 4096);
}

void import_free(struct import *import)
{
    drop_written(import);
    free(import->source);
    free(import->refused);
    par_free(&import->par);
}

/* *array <- room for one more than count items */
static enum status grow(void **array, int count, int *room, size_t item, struct error *error)
{
    if (count < *room)
        return STATUS_OK;
    int more = *room ? 2 * *room : 64;
    void *larger = realloc(*array, (size_t)more * item);
    if (!larger)
        return error_memory(error, "a config", (double)more * (double)item);
    *array = larger;
    *room = more;
    return STATUS_OK;
}

enum status import_settle_word(struct import *import, const char *word, struct error *error)
{
    enum status status = STATUS_OK;
    int first = import->lines + 1;
    fflush(import->out);
    for (size_t k = import->settled; k < import->length; k++)
        import->lines += import->text[k] == '\n';
    import->settled = import->length;
    for (int k = 0; k < import->par.recents && !status; k++) {
        status = grow((void **)&import->source, import->sources, &import->source_room, sizeof *import->source,
                      error);
        if (status)
            break;
        struct import_source *source = &import->source[import->sources++];
        *source = (struct import_source){first, import->lines, {.entry = import->par.recent[k]}};
        if (k == import->par.recents - 1)
            snprintf(source->of.word, sizeof source->of.word, "%s", word);
    }
    par_settle(&import->par);
    return status;
}

enum status import_settle(struct import *import, struct error *error)
{
    return import_settle_word(import, "", error);
}

const char *import_refused(const struct import *import, int entry, const char *word)
{
    for (int k = 0; k < import->refusals; k++)
        if (import->refused[k].entry == entry && strcmp(import->refused[k].word, word) == 0)
            return import->refused[k].reason;
    return NULL;
}

/* Those of lines first to last; *found <- whether there are some */
static enum status refuse_lines(struct import *import, int first, int last, const char *reason, bool *found,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < import->sources && !status; k++) {
        const struct import_source *source = &import->source[k];
        struct par_entry *entry = &import->par.entry[source->of.entry];
        if (source->last < first || source->first > last)
            continue;
        *found = true;
        if (!*source->of.word) {
            par_refuse(&import->par, entry, "%.190s", reason);
            continue;
        }
        status = grow((void **)&import->refused, import->refusals, &import->refused_room,
                      sizeof *import->refused, error);
        if (status || import_refused(import, source->of.entry, source->of.word))
            continue;
        struct import_word *refused = &import->refused[import->refusals++];
        *refused = source->of;
        snprintf(refused->reason, sizeof refused->reason, "%s", reason);
    }
    return status;
}

/* Blanks before line `line`, -1 beyond the last */
static int indent_of(const char *text, int line)
{
    for (; line > 1 && text; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && *text ? (int)strspn(text, " ") : -1;
}

enum status import_refuse_line(struct import *import, int line, const char *reason, bool *found,
                               struct error *error)
{
    return refuse_lines(import, line, line, reason, found, error);
}

enum status import_refuse_block(struct import *import, int line, const char *reason, struct error *error)
{
    bool found = false;
    int first = line;
    enum status status = STATUS_OK;
    for (int indent = indent_of(import->text, line); !found && !status && indent >= 0;) {
        int last = first;
        while (indent_of(import->text, last + 1) > indent)
            last++;
        status = refuse_lines(import, first, last, reason, &found, error);
        if (indent == 0)
            break;
        while (first > 1 && indent_of(import->text, first) >= indent)
            first--;
        indent = indent_of(import->text, first);
    }
    if (!found && !status)
        status = refuse_lines(import, 1, import->lines, reason, &found, error);
    return status || found
               ? status
               : error_set(error, STATUS_INPUT, "%s: its config is refused: %s", import->path, reason);
}

void import_warn(struct import *import, const struct par_entry *entry, const char *format, ...)
{
    char what[600], line[700], place[20] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (entry)
        snprintf(place, sizeof place, "%d:", entry->line);
    snprintf(line, sizeof line, ":%s %s\n", place, what);
    fflush(import->notes);
    if (!import->note_text || !strstr(import->note_text, line)) /* regions of one model say it once */
        fprintf(import->notes, "cardiac: warning: %s%s", import->path, line);
}

void import_file(struct import *import, const char *key, const char *name, const char *ending)
{
    char whole[IMPORT_PATH];
    size_t length = strlen(name), end = strlen(ending);
    bool has = length > end && strcmp(name + length - end, ending) == 0;
    snprintf(whole, sizeof whole, "%s%s", name, has ? "" : ending);
    fprintf(import->out, "%s: ", key);
    scalar_write_text(import->out, whole);
}

double import_time(struct import *import, const char *name, double ms)
{
    double steps = round(ms / import->step), whole;
    steps = steps < 1 && ms > 0 ? 1 : steps;
    whole = steps * import->step;
    if (!(import->step > 0) || !isfinite(whole) || fabs(whole - ms) <= 1e-9 * fabs(ms))
        return ms;
    import_warn(import, NULL, "%s becomes %.15g ms, a whole number of steps of %.15g ms", name, whole,
                import->step);
    return whole;
}

void import_simplify(char *to, size_t room, const char *name)
{
    size_t used = 0;
    const char *dot = strrchr(name, '.');
    for (name = dot ? dot + 1 : name; *name && used + 1 < room; name++)
        if (isalnum((unsigned char)*name))
            to[used++] = (char)tolower((unsigned char)*name);
    to[used] = 0;
}

void import_blank_lists(char *text)
{
    for (; *text; text++)
        if (strchr("\t,{}[]", *text))
            *text = ' ';
}
