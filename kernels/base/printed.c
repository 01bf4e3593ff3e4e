/* printed.c: the C library's streams in memory, and its vsnprintf. */
#include "kernels/base/printed.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum status printed_open(struct printed *printed, struct error *error)
{
    *printed = (struct printed){0};
    printed->file = open_memstream(&printed->text, &printed->length);
    return printed->file ? STATUS_OK : error_memory(error, "a text", 4096);
}

enum status printed_close(struct printed *printed, struct error *error)
{
    FILE *file = printed->file;
    printed->file = NULL;
    if (!file || (!ferror(file) & !fclose(file) && printed->text))
        return STATUS_OK;
    free(printed->text);
    printed->text = NULL;
    return error_memory(error, "a text", 4096);
}

static void add(char *text, size_t size, const char *format, va_list arguments)
{
    const size_t used = strlen(text);
    const int length = vsnprintf(text + used, size - used, format, arguments);
    if (length < 0 || (size_t)length >= size - used)
        memcpy(text + size - 4, "...", 4);
}

void printed_add(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(text, size, format, arguments);
    va_end(arguments);
}

void printed_item(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (*text)
        printed_add(text, size, ", ");
    add(text, size, format, arguments);
    va_end(arguments);
}
