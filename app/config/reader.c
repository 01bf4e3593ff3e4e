/* reader.c: format errors and warnings as file:line:column: key: text. */
#include "app/config/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/keys.h"
#include "kernels/base/printed.h"

enum { TEXT = 600, MOST_WARNINGS = 100 };

struct config_key config_key(const char *format, ...)
{
    struct config_key key;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key.text, sizeof key.text, format, arguments);
    va_end(arguments);
    return key;
}

static bool is_section(const char *name)
{
    int count;
    const struct key *key = config_keys(&count);
    for (int i = 0; i < count; i++)
        if (strlen(name) == strcspn(key[i].path, ".[") && strncmp(key[i].path, name, strlen(name)) == 0)
            return true;
    return false;
}

/* Adds a key's section to reader->faulty. Names that are not sections are skipped: there may be thousands. */
static void mark_section(struct reader *reader, const char *name)
{
    char section[64];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(name, ".["), name);
    if (is_section(section) && reader_sound(reader, section))
        printed_add(reader->faulty, sizeof reader->faulty, "%s%s/", *reader->faulty ? "" : "/", section);
}

bool reader_sound(const struct reader *reader, const char *section)
{
    char marked[70];
    snprintf(marked, sizeof marked, "/%s/", section);
    return !strstr(reader->faulty, marked);
}

enum status reader_error(struct reader *reader, const struct tree *node, const char *name, const char *format,
                         ...)
{
    char text[700];
    struct error fault = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *source = node->source;
    bool option = strncmp(source, "--", 2) == 0 && !strchr(source, ' '); /* "--threads" names the key */
    bool named = option || (strncmp(source, "--set ", 6) == 0 && strcmp(source + 6, name) == 0);
    mark_section(reader, name);
    error_at(&fault, STATUS_INPUT, source, node->line, node->column, "%.240s%s%s", named ? "" : name,
             named ? "" : ": ", text);
    return faults_add(&reader->faults, fault.text);
}

enum status reader_error_within(struct reader *reader, const struct tree *node, const char *name, int at,
                                const char *text)
{
    struct tree at_fault = *node;
    if (!node->line || node->lead < 0)
        return reader_error(reader, node, name, "%s (%d characters into it)", text, at);
    at_fault.column += node->lead + at;
    return reader_error(reader, &at_fault, name, "%s", text);
}

enum status reader_error_of_text(struct reader *reader, const char *name, const struct error *found)
{
    if (found->status != STATUS_INPUT)
        return error_set(reader->error, found->status, "%s", found->text);
    mark_section(reader, name);
    return faults_add(&reader->faults, found->text);
}

enum status config_fault(struct faults *faults, const struct config *config, const char *path,
                         const char *format, ...)
{
    struct tree nowhere = {.source = "the config"}; /* for a config that was not read from text */
    struct tree *root = (struct tree *)(uintptr_t)config->root;
    struct reader reader = {.root = root ? root : &nowhere, .faults = *faults};
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader_error_at(&reader, path, "%s", text);
    *faults = reader.faults;
    return STATUS_INPUT;
}

enum status config_fault_found(struct faults *faults, const struct config *config, const char *path,
                               const struct error *found)
{
    if (found->status == STATUS_INPUT)
        return config_fault(faults, config, path, "%s", found->text);
    return error_set(faults->error, found->status, "%s: %.1000s", path, found->text);
}

enum status config_fault_within(struct faults *faults, const struct config *config, const char *path, int at,
                                const struct error *found)
{
    if (at < 0 || found->status != STATUS_INPUT)
        return config_fault_found(faults, config, path, found);
    struct reader reader = {.root = (struct tree *)(uintptr_t)config->root, .faults = *faults};
    reader_error_within(&reader, reader_node(reader.root, path, NULL), path, at, found->text);
    *faults = reader.faults;
    return STATUS_INPUT;
}

struct tree *reader_node(const struct tree *root, const char *path, bool *exact)
{
    struct tree *node = (struct tree *)root;
    while (*path && node) {
        struct tree *next;
        size_t length = strcspn(path, ".[");
        if (*path == '[') {
            length = strcspn(path, "]") + 1;
            next = yaml_tree_item(node, atoi(path + 1));
        } else {
            char token[64];
            snprintf(token, sizeof token, "%.*s", (int)length, path);
            next = yaml_tree_get(node, token);
        }
        if (!next)
            break;
        node = next;
        path += length + (path[length] == '.');
    }
    if (exact)
        *exact = !*path;
    return node;
}

enum status reader_error_at(struct reader *reader, const char *path, const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return reader_error(reader, reader_node(reader->root, path, NULL), path, "%s", text);
}

/* Adds a warning; NULL = no room for more */
static const char *add_warning(struct reader *reader, const char *path, const char *format, va_list arguments)
{
    struct config *config = reader->config;
    char text[TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    if (!config->warning)
        config->warning = arena_allocate(&config->memory, MOST_WARNINGS, sizeof *config->warning);
    if (!config->warning || config->warnings >= MOST_WARNINGS)
        return NULL;
    const struct tree *node = reader_node(reader->root, path, NULL);
    const char *line = node->line ? arena_print(&config->memory, "%s:%d:%d: %s: %s", node->source, node->line,
                                                node->column, path, text)
                                  : arena_print(&config->memory, "%s: %s", path, text);
    config->warning[config->warnings] = line;
    config->warnings += line != NULL;
    return line;
}

enum status reader_warning(struct reader *reader, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_warning(reader, path, format, arguments);
    va_end(arguments);
    return STATUS_OK;
}

enum status reader_doubt(struct reader *reader, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *line = add_warning(reader, path, format, arguments);
    va_end(arguments);
    if (!reader->config->suspect && line)
        reader->config->suspect =
            strstr(line, path); /* without its position, so that equal causes give equal texts */
    return STATUS_OK;
}

bool reader_given(const struct reader *reader, const char *path)
{
    bool exact;
    reader_node(reader->root, path, &exact);
    return exact;
}

enum status reader_restate(struct reader *reader, struct tree *node, const char *text)
{
    node->text = arena_text(&reader->config->memory, text, strlen(text));
    node->quoted = false;
    return node->text ? STATUS_OK : error_memory(reader->error, "the config", (double)strlen(text));
}

enum status reader_restate_numbers(struct reader *reader, struct tree *list, const double *value,
                                   enum quantity quantity)
{
    char text[80];
    for (struct tree *item = list->child; item; item = item->next)
        TRY(reader_restate(reader, item, units_write(text, sizeof text, *value++, quantity)));
    return STATUS_OK;
}

void *reader_allocate(struct reader *reader, int count, size_t size)
{
    void *memory = arena_allocate(&reader->config->memory, count ? (size_t)count : 1, size);
    if (!memory)
        error_memory(reader->error, "the config", (double)size * count);
    return memory;
}
