/* error.c: filling a struct error. */
#include "kernels/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Appends formatted arguments to text[used..]; truncated text ends in "..." */
static void append(struct error *error, size_t used, const char *format, va_list arguments)
{
    size_t room = sizeof error->text - used;
    int length = vsnprintf(error->text + used, room, format, arguments);
    if (length < 0 || (size_t)length >= room)
        memcpy(error->text + sizeof error->text - 4, "...", 4);
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->system = 0;
    append(error, 0, format, arguments);
    va_end(arguments);
    return status;
}

enum status error_system(struct error *error, enum status status, int reason, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->system = reason;
    append(error, 0, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", strerror(reason));
    return status;
}

enum status error_at(struct error *error, enum status status, const char *file, int line, int column,
                     const char *format, ...)
{
    if (!error)
        return status;
    char position[40] = "";
    if (line > 0)
        snprintf(position, sizeof position, column > 0 ? "%d:%d:" : "%d:", line, column);
    int used = snprintf(error->text, sizeof error->text, "%.500s:%s ", file, position);
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->system = 0;
    append(error, (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

void error_first(enum status *status, struct error *error, enum status part, const struct error *of_part)
{
    enum status none = STATUS_OK;
    if (part && __atomic_compare_exchange_n(status, &none, part, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        error)
        *error = *of_part;
}

enum status error_memory(struct error *error, const char *what, double bytes)
{
    return error_set(error, STATUS_RUN, "out of memory: %s needs %.3g MB", what, bytes / 1e6);
}
