/* cache.h: what was compiled of users' models, kept in a folder of the user's own.
 *
 * $XDG_CACHE_HOME/cardiac, or ~/.cache/cardiac: mode 0700, ours, no link; what is in it is run as our own
 * code, so a folder or file that somebody else could have written is refused. A file is written beside and
 * renamed, so that programs that begin at once never see half of one, and it ends with the SHA-256 of what
 * stands before. It may be removed at any time. */
#ifndef CARDIAC_APP_MODELS_CACHE_H
#define CARDIAC_APP_MODELS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/error.h"

enum { CACHE_FOLDER = 3800, CACHE_PATH = 4096 };

struct cache {
    char path[CACHE_FOLDER];
    int folder; /* opened */
};

/* STATUS_INPUT if there is no place for it, or one that is not safe. */
enum status cache_open(struct cache *cache, struct error *error);
void cache_close(struct cache *cache);

/* path[CACHE_PATH] <- that of the entry, and whether it is there, ours and whole */
bool cache_find(const struct cache *cache, const char *name, char *path);

/* path[CACHE_PATH] <- a name of its own for a file to be written; cache_keep makes it the entry `name`,
 * cache_drop removes it. */
void cache_beside(const struct cache *cache, const char *name, char *path);
enum status cache_keep(const struct cache *cache, const char *beside, const char *name, struct error *error);
void cache_drop(const char *beside);

/* *bytes <- the contents of an entry, to be freed; NULL if it is not there, ours and whole. */
void *cache_read(const struct cache *cache, const char *name, size_t *size);
enum status cache_write(const struct cache *cache, const char *name, const void *bytes, size_t size,
                        struct error *error);

#endif
