/* reader.c: errors and warnings as file:line:column: key: text. */
#include "app/config/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 600, MOST_WARNINGS = 100 };

enum status reader_error(struct reader *reader, const struct tree *node, const char *name, const char *format,
                         ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *source = node->source;
    bool option = strncmp(source, "--", 2) == 0 && !strchr(source, ' '); /* "--threads" says which key */
    bool named = option || (strncmp(source, "--set ", 6) == 0 && strcmp(source + 6, name) == 0);
    return error_at(reader->error, STATUS_INPUT, source, node->line, node->column, "%.240s%s%s",
                    named ? "" : name, named ? "" : ": ", text);
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
            char part[64];
            snprintf(part, sizeof part, "%.*s", (int)length, path);
            next = yaml_tree_get(node, part);
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

enum status reader_warning(struct reader *reader, const char *path, const char *format, ...)
{
    struct config *config = reader->config;
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!config->warning)
        config->warning = arena_take(&config->memory, MOST_WARNINGS, sizeof *config->warning);
    if (config->warning && config->warnings < MOST_WARNINGS) {
        const struct tree *node = reader_node(reader->root, path, NULL);
        const char *line = node->line ? arena_print(&config->memory, "%s:%d:%d: %s: %s", node->source,
                                                    node->line, node->column, path, text)
                                      : arena_print(&config->memory, "%s: %s", path, text);
        config->warning[config->warnings] = line;
        config->warnings += line != NULL;
    }
    return STATUS_OK;
}

bool reader_given(const struct reader *reader, const char *path)
{
    bool exact;
    reader_node(reader->root, path, &exact);
    return exact;
}
