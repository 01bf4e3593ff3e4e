/* array.c: checked allocation, and copies in parallel. */
#include "kernels/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/base/cancel.h"

size_t array_bytes(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX)
        return 0;
    return bytes ? bytes : 1;
}

/* Requests large pages for the part of a large array that fills such pages, if the system grants them on
 * request: otherwise random accesses to the array wait for address translation. */
static void ask_for_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21, begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
    if (end > begin)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* a hint; failure is ignored */
#else
    (void)memory, (void)bytes;
#endif
}

static void *allocate(int64_t count, size_t size, int zeroed, const char *what, enum status *status,
                      struct error *error)
{
    if (*status)
        return NULL;
    *status = cancel_check(error);
    if (*status)
        return NULL;
    size_t bytes = array_bytes(count, size);
    void *memory = !bytes ? NULL : zeroed ? calloc(1, bytes) : malloc(bytes);
    if (!memory)
        *status = error_memory(error, what, (double)count * (double)size);
    else
        ask_for_large_pages(memory, bytes);
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

enum status array_grow(void **array, int64_t *room, int64_t count, size_t size, const char *what,
                       struct error *error)
{
    if (count < *room)
        return STATUS_OK;
    int64_t more = *room < 32 ? 64 : 2 * *room;
    if (more <= count)
        more = count + 1;
    TRY(cancel_check(error));
    size_t bytes = array_bytes(more, size);
    void *larger = bytes ? realloc(*array, bytes) : NULL;
    if (!larger)
        return error_memory(error, what, (double)more * (double)size);
    *array = larger;
    *room = more;
    return STATUS_OK;
}

void array_copy(void *to, const void *from, size_t bytes)
{
    enum { BLOCK = 1 << 18 };
    const int64_t blocks = (int64_t)((bytes + BLOCK - 1) / BLOCK);
#pragma omp parallel for schedule(static) if (blocks > 2)
    for (int64_t k = 0; k < blocks; k++) {
        const size_t at = (size_t)k * BLOCK;
        memcpy((char *)to + at, (const char *)from + at, bytes - at < BLOCK ? bytes - at : BLOCK);
    }
}
