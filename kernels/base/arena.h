/* arena.h: memory allocated piece by piece and freed at once.
 *
 * Names, lists and tree nodes of a config live as long as the config, so none of them is freed alone. A limit
 * bounds the memory that a hostile file can use. */
#ifndef CARDIAC_KERNELS_BASE_ARENA_H
#define CARDIAC_KERNELS_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* newest first */
    size_t held;               /* bytes in all chunks */
    size_t limit;              /* upper bound on `held`; 0 = no limit */
};

/* Zeroed memory for count items, aligned for any type; NULL if the limit or the machine's memory is
 * exhausted. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);

/* A copy of length bytes of text, NUL-terminated; NULL as above. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* printf into the arena; NULL as above. */
char *arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

void arena_free(struct arena *arena);

#endif
