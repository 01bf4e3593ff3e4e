/* cache.h: the cache of compiled models, of fronts, of hearts' coordinates and of weights, in a folder of the user.
 *
 * $XDG_CACHE_HOME/cardiac or ~/.cache/cardiac, or $TMPDIR/cardiac-UID where neither can be written: mode
 * 0700, ours, no link. Entries are run as our own code, so a folder or file that somebody else could have
 * written is refused. The name of an entry is the digest of all that its contents depend on. An entry is
 * written to a temporary file and renamed, so that programs that start at once never see half of one, and
 * ends with the SHA-256 of its name and contents. Opening the cache removes, once an hour, temporary files
 * of programs that are gone and entries that were not used for 90 days. All of it may be removed at any time. */
#ifndef CARDIAC_APP_UTIL_CACHE_H
#define CARDIAC_APP_UTIL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/sha256.h"
#include "kernels/base/error.h"

enum {
    CACHE_NAME = SHA256_HEX + 8,
    CACHE_FOLDER = 3800,
    CACHE_PATH = 4096,
    CACHE_LARGEST = 1 << 28 /* bytes of an entry that is read again */
};

struct cache {
    char path[CACHE_FOLDER];
    int folder; /* opened; -1 = it is not */
};

/* Errors: STATUS_INPUT if no folder can be written, or one is not safe. */
enum status cache_open(struct cache *cache, struct error *error);
void cache_close(struct cache *cache);

/* Something that an entry depends on; CACHE_TEXT is that of a text */
struct cache_input {
    const void *bytes;
    size_t size;
};
#define CACHE_TEXT(text) ((struct cache_input){(text), strlen(text)})

/* name <- of the entry that depends on these inputs; kind: "so", "cubin", "model", "states", "rise", "nodes",
 * "fronts", "bounds", "weights", "leads" or "health" */
void cache_name(char name[CACHE_NAME], const char *kind, const struct cache_input *input, int inputs);

/* hex <- of the program or library whose code computes, from its build id; false without one */
bool cache_program(char hex[SHA256_HEX]);

/* Opens the cache; name <- of the entry of this kind that this program computes from what has that digest. False:
 * without a cache or a build id. */
bool cache_open_entry(struct cache *cache, char name[CACHE_NAME], const char *kind,
                      const char made_from[SHA256_HEX]);

/* The contents of an entry, to be freed; NULL if it is not there, ours and whole */
void *cache_read(const struct cache *cache, const char *name, size_t *size);
/* Whether it is; path[CACHE_PATH] <- its file */
bool cache_find(const struct cache *cache, const char *name, char *path);
enum status cache_write(const struct cache *cache, const char *name, const void *bytes, size_t size,
                        struct error *error);
void cache_remove(const struct cache *cache, const char *name);
/* Waits, at most a minute, while others that have called this make the entry. The lock ends when the file that
 * is returned is closed, or with the process; -1: there is none. */
int cache_lock(const struct cache *cache, const char *name);
/* Removes entries of this kind, those first that were not used for longest, until the others and `more` bytes
 * are at most `most`. */
void cache_bound(const struct cache *cache, const char *kind, double more, double most);

/* path[CACHE_PATH] <- a temporary file of its own, not yet there, which the caller removes; cache_adopt
 * writes its contents as the entry `name`. */
void cache_temporary(const struct cache *cache, const char *name, char *path);
enum status cache_adopt(const struct cache *cache, const char *temporary, const char *name,
                        struct error *error);

#endif
