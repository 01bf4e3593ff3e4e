/* arena.c: blocks of memory in a list; see arena.h. */
#include "kernels/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32768 };

struct arena_block {
    struct arena_block *older;
    size_t used, room;
    max_align_t memory[];
};

static struct arena_block *block_new(struct arena *arena, size_t bytes)
{
    size_t room = bytes > BLOCK ? bytes : BLOCK;
    if (arena->limit && (room > arena->limit || arena->taken > arena->limit - room))
        return NULL;
    struct arena_block *block = calloc(1, sizeof *block + room);
    if (!block)
        return NULL;
    block->room = room;
    block->older = arena->block;
    arena->block = block;
    arena->taken += room;
    return block;
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (size && count > ((size_t)-1 / 2) / size)
        return NULL;
    size_t bytes = (count * size + unit - 1) / unit * unit;
    struct arena_block *block = arena->block;
    if (!block || block->room - block->used < bytes)
        block = block_new(arena, bytes);
    if (!block)
        return NULL;
    void *memory = (char *)block->memory + block->used;
    block->used += bytes;
    return memory;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1, 1);
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
    char *text = length < 0 ? NULL : arena_take(arena, (size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->block) {
        struct arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
    }
    arena->taken = 0;
}
