/* heart_cache.c: arrays of coordinates as entries of the cache. */
#include "app/problem/heart_cache.h"

#include <stdlib.h>
#include <string.h>

#include "app/io/store/digest.h"
#include "app/models/cache.h"
#include "app/util/version.h"

enum { LEAST_NODES = 20000 }; /* with fewer, computing takes about as long */
static const double most_bytes = 8e9;

/* Raised when the same mesh and surfaces give other bits */
static const char edition[] = "coordinates of a heart, 2";

enum { DISTANCES = 7, ARRAYS = DISTANCES + HEART_SURFACES };

static const struct {
    const char *name;
    unsigned set;
} arrays[ARRAYS] = {
    {"transmural", COORDINATES_TRANSMURAL},
    {"apicobasal", COORDINATES_APICOBASAL},
    {"interventricular", COORDINATES_INTERVENTRICULAR},
    {"upward", COORDINATES_UPWARD},
    {"endocardium lv", COORDINATES_ENDOCARDIA},
    {"endocardium rv", COORDINATES_ENDOCARDIA},
    {"rotational", COORDINATES_ROTATIONAL},
    {"distance base", COORDINATES_DISTANCE << HEART_BASE},
    {"distance epi", COORDINATES_DISTANCE << HEART_EPI},
    {"distance lv", COORDINATES_DISTANCE << HEART_LV},
    {"distance rv", COORDINATES_DISTANCE << HEART_RV},
    {"distance apex", COORDINATES_DISTANCE << HEART_APEX},
};
_Static_assert(HEART_BASE == 0 && HEART_APEX == HEART_SURFACES - 1, "arrays[] lists the surfaces in order");

/* Where array k of arrays[] is */
static double *const *array_at(const struct coordinates *c, int k)
{
    double *const *const at[DISTANCES] = {&c->transmural, &c->apicobasal,     &c->interventricular,
                                          &c->upward,     &c->endocardium[0], &c->endocardium[1],
                                          &c->rotational};
    return k < DISTANCES ? at[k] : &c->distance[k - DISTANCES];
}

static void find_heart(struct heart_cache *cache, const struct mesh *mesh, const uint8_t *on)
{
    char nodes[SHA256_HEX];
    struct sha256 sha;
    struct mesh bare = *mesh; /* the same heart whatever its fibres */
    bare.fiber_location = LOCATION_NONE;
    if (cache->heart[0])
        return;
    digest_mesh(&bare, nodes);
    sha256_start(&sha);
    sha256_add(&sha, nodes, sizeof nodes);
    sha256_add(&sha, on, (size_t)mesh->nodes);
    sha256_end(&sha, cache->heart);
}

static void name_array(char name[CACHE_NAME], const struct heart_cache *cache, int k)
{
    const struct cache_part part[] = {CACHE_TEXT(edition), CACHE_TEXT(version_text()),
                                      CACHE_TEXT(cache->heart), CACHE_TEXT(arrays[k].name)};
    cache_name(name, "nodes", part, sizeof part / sizeof *part);
}

void heart_cache_read(struct heart_cache *cache, struct coordinates *coordinates, const struct mesh *mesh,
                      const uint8_t *on, unsigned set)
{
    struct cache folder;
    int read = 0;
    if (!cache->used || mesh->nodes < LEAST_NODES || cache_open(&folder, NULL))
        return;
    find_heart(cache, mesh, on);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : read)
    for (int k = 0; k < ARRAYS; k++) {
        double **to = (double **)(uintptr_t)array_at(coordinates, k);
        char name[CACHE_NAME];
        size_t size;
        if (!(set & arrays[k].set) || *to)
            continue;
        name_array(name, cache, k);
        double *value = cache_read(&folder, name, &size);
        if (value && size == (size_t)mesh->nodes * sizeof *value) {
            *to = value;
            read++;
        } else {
            free(value);
        }
    }
    cache->read += read;
    cache_close(&folder);
}

void heart_cache_store(struct heart_cache *cache, const struct coordinates *before,
                       const struct coordinates *coordinates, int64_t nodes)
{
    struct cache folder;
    size_t bytes = (size_t)nodes * sizeof(double);
    bool fresh[ARRAYS];
    int stored = 0;
    for (int k = 0; k < ARRAYS; k++) {
        fresh[k] = *array_at(coordinates, k) && !*array_at(before, k);
        stored += fresh[k];
    }
    if (!cache->used || !cache->heart[0] || !stored || cache_open(&folder, NULL))
        return;
    cache_bound(&folder, "nodes", (double)stored * (double)bytes, most_bytes);
    stored = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : stored)
    for (int k = 0; k < ARRAYS; k++) {
        char name[CACHE_NAME];
        if (!fresh[k])
            continue;
        name_array(name, cache, k);
        stored += cache_write(&folder, name, *array_at(coordinates, k), bytes, NULL) == STATUS_OK;
    }
    cache->stored += stored;
    cache_close(&folder);
}
