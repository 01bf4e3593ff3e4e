/* front_memory.h: measured properties of fronts, stored in memory and, if possible, in the cache. One process
 * measures; others wait for it, at most a minute. */
#ifndef CARDIAC_APP_PROBLEM_FRONT_MEMORY_H
#define CARDIAC_APP_PROBLEM_FRONT_MEMORY_H

#include "app/util/cache.h"

struct front_entry {
    char name[CACHE_NAME];
    size_t bytes;
    void *value;
};

struct front_memory {
    char program[SHA256_HEX];  /* digest of the program; "" = unreadable: the cache is not used */
    struct front_entry *entry; /* [entries] */
    int64_t entries, room;
};

void front_memory_open(struct front_memory *memory);
void front_memory_free(struct front_memory *memory);

/* A measurement in progress, under its name (cache_name). Other processes wait for its result, at most a minute; if
 * this one is killed, they do not wait. */
struct front_measurement {
    struct front_memory *memory;
    const char *name;
    size_t bytes;
    struct cache cache;
    bool known;
    int lock;
};
/* True: value[bytes] <- the known result, possibly after waiting for another process. False: the caller measures it.
 * Call front_measurement_end() in both cases. */
bool front_measurement_begin(struct front_measurement *measurement, struct front_memory *memory,
                             const char *name, void *value, size_t bytes);
/* measured: value holds the caller's result, to be stored */
void front_measurement_end(struct front_measurement *measurement, const void *value, bool measured);

#endif
