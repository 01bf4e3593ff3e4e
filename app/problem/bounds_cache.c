/* bounds_cache.c: an entry is the struct, then the lists of clusters. */
#include "app/problem/bounds_cache.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"

static const double most_bytes = 1e9;

/* clusters' arrays <- those behind the struct in an entry; returns its size */
static size_t point_into(struct clusters_found *found, char *entry)
{
    struct clusters *c = &found->clusters;
    char *at = entry + sizeof *found;
    c->slot = c->label = NULL;
    c->begin = (int64_t *)at;
    at += (size_t)(c->count + 1) * sizeof *c->begin;
    c->inside = (void *)at;
    at += (size_t)c->count * sizeof *c->inside;
    c->node = (int32_t *)at;
    return (size_t)(at - entry) + (size_t)c->nodes * sizeof *c->node;
}

static bool read_entry(struct bounds_cache *cache, const struct cache *folder, const char *name)
{
    size_t size = 0;
    cache->entry = cache_read(folder, name, &size);
    if (cache->entry && size > sizeof cache->found) {
        memcpy(&cache->found, cache->entry, sizeof cache->found);
        if (point_into(&cache->found, cache->entry) == size)
            return true;
    }
    free(cache->entry);
    *cache = (struct bounds_cache){0};
    return false;
}

static void store_entry(const struct clusters_found *found, const struct cache *folder, const char *name)
{
    const struct clusters *c = &found->clusters;
    struct clusters_found stored = *found;
    const size_t size = point_into(&stored, NULL);
    char *entry = size <= CACHE_LARGEST ? malloc(size) : NULL;
    if (!entry)
        return;
    memset(entry, 0, size);
    point_into(&stored, entry);
    if (c->count > 0) {
        memcpy(stored.clusters.begin, c->begin, (size_t)(c->count + 1) * sizeof *c->begin);
        memcpy(stored.clusters.inside, c->inside, (size_t)c->count * sizeof *c->inside);
        memcpy(stored.clusters.node, c->node, (size_t)c->nodes * sizeof *c->node);
    }
    memcpy(entry, &stored, sizeof stored);
    cache_bound(folder, "bounds", (double)size, most_bytes);
    cache_write(folder, name, entry, size, NULL);
    free(entry);
}

bool bounds_cache_find(struct bounds_cache *cache, const char matrix[SHA256_HEX], const struct mesh *mesh,
                       const struct monodomain_params *params)
{
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    char name[CACHE_NAME], program[SHA256_HEX];
    struct error unknown = {0};
    struct cache folder;
    *cache = (struct bounds_cache){0};
    if (!cache_program(program) || cache_open(&folder, NULL))
        return false;
    const struct cache_input input[] = {CACHE_TEXT(program), CACHE_TEXT(matrix)};
    cache_name(name, "bounds", input, sizeof input / sizeof *input);
    bool known = read_entry(cache, &folder, name);
    if (!known && !tensors_check(&tensors, &unknown) &&
        !clusters_bound(&cache->found.clusters, &cache->found.elements, &tensors, params, &unknown)) {
        store_entry(&cache->found, &folder, name);
        known = true;
    }
    cache_close(&folder);
    return known;
}

void bounds_cache_free(struct bounds_cache *cache)
{
    if (!cache->entry)
        clusters_free(&cache->found.clusters);
    free(cache->entry);
    *cache = (struct bounds_cache){0};
}
