/* front_memory.c: a list of names and values in memory, backed by cache entries. */
#include "app/problem/front_memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"

void front_memory_open(struct front_memory *memory)
{
    if (!cache_program(memory->program))
        memory->program[0] = 0;
}

void front_memory_free(struct front_memory *memory)
{
    for (int64_t k = 0; k < memory->entries; k++)
        free(memory->entry[k].value);
    free(memory->entry);
    *memory = (struct front_memory){0};
}

static bool find_held(const struct front_memory *memory, const char *name, void *value, size_t bytes)
{
    for (int64_t k = 0; k < memory->entries; k++)
        if (memory->entry[k].bytes == bytes && strcmp(memory->entry[k].name, name) == 0) {
            if (value)
                memcpy(value, memory->entry[k].value, bytes);
            return true;
        }
    return false;
}

/* Adds a value to the list; if out of memory it does nothing, and the value is read or measured again later. */
static void hold(struct front_memory *memory, const char *name, const void *value, size_t bytes)
{
    struct error unused = {0};
    struct front_entry entry = {.bytes = bytes};
    if (find_held(memory, name, NULL, bytes))
        return;
    entry.value = malloc(bytes);
    if (!entry.value || array_grow((void **)&memory->entry, &memory->room, memory->entries,
                                   sizeof *memory->entry, "the velocities", &unused)) {
        free(entry.value);
        return;
    }
    memcpy(entry.name, name, sizeof entry.name);
    memcpy(entry.value, value, bytes);
    memory->entry[memory->entries++] = entry;
}

static bool find_stored(struct front_memory *memory, const struct cache *cache, const char *name, void *value,
                        size_t bytes)
{
    size_t size;
    void *stored = cache_read(cache, name, &size);
    const bool found = stored && size == bytes;
    if (found) {
        memcpy(value, stored, bytes);
        hold(memory, name, value, bytes);
    }
    free(stored);
    return found;
}

/* Opens the cache; false if it cannot be used */
static bool open_cache(struct cache *cache, const struct front_memory *memory)
{
    struct error unused = {0};
    cache->folder = -1;
    return memory->program[0] && !cache_open(cache, &unused);
}

bool front_measurement_begin(struct front_measurement *measurement, struct front_memory *memory,
                             const char *name, void *value, size_t bytes)
{
    *measurement = (struct front_measurement){
        .memory = memory, .name = name, .bytes = bytes, .cache = {.folder = -1}, .lock = -1};
    measurement->known = find_held(memory, name, value, bytes);
    if (measurement->known || !open_cache(&measurement->cache, memory))
        return measurement->known;
    measurement->known = find_stored(memory, &measurement->cache, name, value, bytes);
    if (!measurement->known) {
        measurement->lock = cache_lock(&measurement->cache, name);
        measurement->known = find_stored(memory, &measurement->cache, name, value, bytes);
    }
    return measurement->known;
}

void front_measurement_end(struct front_measurement *measurement, const void *value, bool measured)
{
    struct error unused = {0};
    if (measured && !measurement->known) {
        hold(measurement->memory, measurement->name, value, measurement->bytes);
        if (measurement->cache.folder >= 0)
            cache_write(&measurement->cache, measurement->name, value, measurement->bytes, &unused);
    }
    if (measurement->lock >= 0)
        close(measurement->lock);
    cache_close(&measurement->cache);
}
