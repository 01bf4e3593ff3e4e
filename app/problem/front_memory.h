/* front_memory.h: what was measured of fronts, as entries of the cache and, where there is none, in memory; one
 * process measures, others wait for it, at most a minute. */
#ifndef CARDIAC_APP_PROBLEM_FRONT_MEMORY_H
#define CARDIAC_APP_PROBLEM_FRONT_MEMORY_H

#include "app/util/cache.h"

struct front_entry {
    char name[CACHE_NAME];
    size_t bytes;
    void *value;
};

struct front_memory {
    char program[SHA256_HEX];  /* "" = it cannot be read, and nothing goes to the cache */
    struct front_entry *entry; /* [entries] */
    int64_t entries, room;
};

void front_memory_open(struct front_memory *memory);
void front_memory_free(struct front_memory *memory);

/* Something that is being measured, by its name (cache_name); others wait for it, at most a minute, and find it when it ends. A process
 * that is killed holds up nobody. */
struct front_measurement {
    struct front_memory *memory;
    const char *name;
    size_t bytes;
    struct cache cache;
    bool known;
    int lock;
};
/* Whether value[bytes] is known, perhaps by now. If not, the caller measures it. End the turn in any case. */
bool front_measurement_begin(struct front_measurement *measurement, struct front_memory *memory,
                             const char *name, void *value, size_t bytes);
/* measured: value has what the caller measured */
void front_measurement_end(struct front_measurement *measurement, const void *value, bool measured);

#endif
