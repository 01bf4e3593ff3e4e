/* bounds_cache.c: an entry is the struct, followed by both lists of clusters and the order. */
#include "app/problem/bounds_cache.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"

static const double most_bytes = 1e9;

/* Points the arrays of a cluster list to `at` in an entry; returns the address after them */
static char *point_list(struct clusters *c, char *at)
{
    c->slot = c->label = NULL;
    c->begin = (int64_t *)at;
    at += (size_t)(c->count + 1) * sizeof *c->begin;
    if (!c->held) {
        c->inside = (void *)at;
        at += (size_t)c->count * sizeof *c->inside;
    }
    c->node = (int32_t *)at;
    return at + (size_t)(c->nodes + c->nodes % 2) * sizeof *c->node;
}

/* Points the arrays of both lists, and order[nodes], to their data after the struct in an entry; returns the entry's
 * size */
static size_t point_into(struct clusters_found *found, int64_t nodes, char *entry)
{
    char *at = point_list(&found->held, point_list(&found->solved, entry + sizeof *found));
    found->order = (int32_t *)at;
    return (size_t)(at - entry) + (size_t)nodes * sizeof *found->order;
}

static void copy_list(const struct clusters *to, const struct clusters *from)
{
    if (from->count == 0)
        return;
    memcpy(to->begin, from->begin, (size_t)(from->count + 1) * sizeof *from->begin);
    memcpy(to->node, from->node, (size_t)from->nodes * sizeof *from->node);
    if (from->inside)
        memcpy(to->inside, from->inside, (size_t)from->count * sizeof *from->inside);
}

static bool read_entry(struct bounds_cache *cache, const struct cache *folder, const char *name,
                       int64_t nodes)
{
    size_t size = 0;
    cache->entry = cache_read(folder, name, &size);
    if (cache->entry && size > sizeof cache->found) {
        memcpy(&cache->found, cache->entry, sizeof cache->found);
        if (point_into(&cache->found, nodes, cache->entry) == size)
            return true;
    }
    free(cache->entry);
    *cache = (struct bounds_cache){0};
    return false;
}

static void store_entry(const struct clusters_found *found, int64_t nodes, const struct cache *folder,
                        const char *name)
{
    struct clusters_found stored = *found;
    const size_t size = point_into(&stored, nodes, NULL);
    char *entry = size <= CACHE_LARGEST ? calloc(1, size) : NULL;
    if (!entry)
        return;
    point_into(&stored, nodes, entry);
    copy_list(&stored.solved, &found->solved);
    copy_list(&stored.held, &found->held);
    memcpy(stored.order, found->order, (size_t)nodes * sizeof *stored.order);
    memcpy(entry, &stored, sizeof stored);
    cache_bound(folder, "bounds", (double)size, most_bytes);
    cache_write(folder, name, entry, size, NULL);
    free(entry);
}

bool bounds_cache_find(struct bounds_cache *cache, const char matrix[SHA256_HEX], const struct mesh *mesh,
                       const struct monodomain_params *params)
{
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    char name[CACHE_NAME];
    struct error unknown = {0};
    struct cache folder;
    *cache = (struct bounds_cache){0};
    if (!cache_open_entry(&folder, name, "bounds", matrix))
        return false;
    bool known = read_entry(cache, &folder, name, mesh->nodes);
    if (!known) {
        known =
            !tensors_check(&tensors, &unknown) && !clusters_find(&cache->found, &tensors, params, &unknown);
        cache->found.order = malloc((size_t)mesh->nodes * sizeof *cache->found.order);
        cache->nodes = mesh->nodes;
    }
    cache_close(&folder);
    return known;
}

void bounds_cache_store(struct bounds_cache *cache, const char matrix[SHA256_HEX],
                        const struct monodomain_report *report)
{
    char name[CACHE_NAME];
    struct cache folder;
    if (cache->entry || !cache->found.order || !cache_open_entry(&folder, name, "bounds", matrix))
        return;
    cache->found.decided = true;
    cache->found.report = *report;
    store_entry(&cache->found, cache->nodes, &folder, name);
    cache_close(&folder);
}

void bounds_cache_free(struct bounds_cache *cache)
{
    if (!cache->entry) {
        clusters_found_free(&cache->found);
        free(cache->found.order);
    }
    free(cache->entry);
    *cache = (struct bounds_cache){0};
}
