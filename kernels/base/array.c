/* array.c: checked allocation. */
#include "kernels/base/array.h"

#include <stdlib.h>

size_t array_bytes(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX)
        return 0;
    return bytes ? bytes : 1;
}

static void *allocate(int64_t count, size_t size, int zeroed, const char *what, enum status *status,
                      struct error *error)
{
    if (*status)
        return NULL;
    size_t bytes = array_bytes(count, size);
    void *memory = !bytes ? NULL : zeroed ? calloc(1, bytes) : malloc(bytes);
    if (!memory)
        *status = error_memory(error, what, (double)count * (double)size);
    return memory;
}

void *array_new(int64_t count, size_t size, const char *what, enum status *status, struct error *error)
{
    return allocate(count, size, 0, what, status, error);
}

void *array_zeroed(int64_t count, size_t size, const char *what, enum status *status, struct error *error)
{
    return allocate(count, size, 1, what, status, error);
}
