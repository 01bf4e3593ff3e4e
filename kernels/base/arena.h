/* arena.h: memory allocated piece by piece and freed at once.
 *
 * What is read from a config (names, lists, tree nodes) lives exactly as long as the config, so nothing in it
 * is freed alone. A limit bounds what a hostile file can make us take. */
#ifndef CARDIAC_KERNELS_BASE_ARENA_H
#define CARDIAC_KERNELS_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* the newest first */
    size_t taken;              /* bytes held by all blocks */
    size_t limit;              /* most bytes that may be held; 0 = no limit */
};

/* Zeroed memory, aligned for any type; NULL when the limit or the machine's memory is exhausted. */
void *arena_take(struct arena *arena, size_t count, size_t size);

/* A copy of length bytes of text, NUL-terminated; NULL as above. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* printf into the arena; NULL as above. */
char *arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

void arena_free(struct arena *arena);

#endif
