/* arena.c: blocks of memory in a list; see arena.h. */
#include "kernels/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32768 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t used, room;
    max_align_t memory[];
};

static struct arena_chunk *chunk_new(struct arena *arena, size_t bytes)
{
    size_t room = bytes > BLOCK ? bytes : BLOCK;
    if (arena->limit && (room > arena->limit || arena->held > arena->limit - room))
        return NULL;
    struct arena_chunk *chunk = calloc(1, sizeof *chunk + room);
    if (!chunk)
        return NULL;
    chunk->room = room;
    chunk->older = arena->chunk;
    arena->chunk = chunk;
    arena->held += room;
    return chunk;
}

void *arena_allocate(struct arena *arena, size_t count, size_t size)
{
    const size_t alignment = sizeof(max_align_t);
    if (size && count > ((size_t)-1 / 2) / size)
        return NULL;
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    struct arena_chunk *chunk = arena->chunk;
    if (!chunk || chunk->room - chunk->used < bytes)
        chunk = chunk_new(arena, bytes);
    if (!chunk)
        return NULL;
    void *memory = (char *)chunk->memory + chunk->used;
    chunk->used += bytes;
    return memory;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_allocate(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_allocate(arena, (size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->chunk) {
        struct arena_chunk *older = arena->chunk->older;
        free(arena->chunk);
        arena->chunk = older;
    }
    arena->held = 0;
}
