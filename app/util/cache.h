/* cache.h: the cache of compiled models, fronts, hearts' coordinates and weights, in a folder of the user.
 *
 * The folder is $XDG_CACHE_HOME/cardiac or ~/.cache/cardiac, or $TMPDIR/cardiac-UID if these cannot be written. It must
 * have mode 0700, belong to the user and not be a link: entries are executed, so a folder or file that somebody else
 * could have written is refused. The name of an entry is the digest of everything that its contents depend on. An entry
 * is written to a temporary file and renamed, so that no program sees an incomplete one, and ends with the SHA-256 of
 * its name and contents. Opening the cache removes, once an hour, temporary files of programs that have ended and
 * entries not used for 90 days. The folder may be deleted at any time. */
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
    CACHE_LARGEST = 1 << 28 /* bytes; larger entries would not be read back */
};

struct cache {
    char path[CACHE_FOLDER];
    int folder; /* file descriptor; -1 = not open */
};

/* Opens the cache. Errors: STATUS_INPUT if no folder can be written, or the folder is not safe. */
enum status cache_open(struct cache *cache, struct error *error);
void cache_close(struct cache *cache);

/* An input that an entry depends on; CACHE_TEXT makes one from a string */
struct cache_input {
    const void *bytes;
    size_t size;
};
#define CACHE_TEXT(text) ((struct cache_input){(text), strlen(text)})

/* name <- the name of the entry that depends on these inputs; kind: "so", "cubin", "model", "states", "rise", "nodes",
 * "fronts", "bounds", "weights", "leads" or "health" */
void cache_name(char name[CACHE_NAME], const char *kind, const struct cache_input *input, int inputs);

/* hex <- the digest of the program or library that contains this code, from its build id; false if it has none */
bool cache_program(char hex[SHA256_HEX]);

/* Opens the cache; name <- the name of the entry of this kind that this program computes from inputs with the digest
 * made_from. False if the cache cannot be used or the program has no build id. */
bool cache_open_entry(struct cache *cache, char name[CACHE_NAME], const char *kind,
                      const char made_from[SHA256_HEX]);

/* The contents of an entry, which the caller frees; NULL if it is missing, damaged or not the user's */
void *cache_read(const struct cache *cache, const char *name, size_t *size);
/* Whether there is a valid entry; path[CACHE_PATH] <- its file */
bool cache_find(const struct cache *cache, const char *name, char *path);
enum status cache_write(const struct cache *cache, const char *name, const void *bytes, size_t size,
                        struct error *error);
void cache_remove(const struct cache *cache, const char *name);
/* Locks an entry before it is computed; waits, at most a minute, while another process holds the lock. Returns a file
 * descriptor: closing it, or the end of the process, releases the lock. -1 = not locked. */
int cache_lock(const struct cache *cache, const char *name);
/* Removes the least recently used entries of this kind until the rest plus `more` bytes are at most `most`. */
void cache_bound(const struct cache *cache, const char *kind, double more, double most);

/* path[CACHE_PATH] <- a unique name for a temporary file, which the caller creates and removes; cache_adopt() stores
 * its contents as the entry `name`. */
void cache_temporary(const struct cache *cache, const char *name, char *path);
enum status cache_adopt(const struct cache *cache, const char *temporary, const char *name,
                        struct error *error);

#endif
