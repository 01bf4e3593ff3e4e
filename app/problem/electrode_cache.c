/* electrode_cache.c: an entry is a struct electrode and its weights; entries are read and written in parallel. */
#include "app/problem/electrode_cache.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"

static const char kind[] = "leads";
static const double most_bytes = 2e9;

static size_t entry_bytes(int64_t nodes)
{
    return sizeof(struct electrode) + (size_t)nodes * sizeof(double);
}

/* Opens the cache; name <- the entry's name for an electrode at this point. False if the cache cannot be used. */
static bool open_entry(struct cache *folder, char name[CACHE_NAME], const double point[3],
                       const char tensors[SHA256_HEX])
{
    char made_from[SHA256_HEX];
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, tensors, SHA256_HEX);
    sha256_add(&sha, point, 3 * sizeof *point);
    sha256_end(&sha, made_from);
    return cache_open_entry(folder, name, kind, made_from);
}

/* *electrode, weight[nodes] <- its entry; false if that is missing or damaged */
static bool read_entry(struct electrode *electrode, double *weight, int64_t nodes,
                       const char tensors[SHA256_HEX])
{
    struct cache folder;
    char name[CACHE_NAME];
    size_t bytes = 0;
    if (!open_entry(&folder, name, electrode->point, tensors))
        return false;
    char *entry = cache_read(&folder, name, &bytes);
    const bool whole = entry && bytes == entry_bytes(nodes);
    if (whole) {
        memcpy(electrode, entry, sizeof *electrode);
        memcpy(weight, entry + sizeof *electrode, (size_t)nodes * sizeof *weight);
    }
    free(entry);
    cache_close(&folder);
    return whole;
}

bool electrode_cache_read(struct electrode *electrode, int count, double *weight, int64_t nodes,
                          const char tensors[SHA256_HEX])
{
    int read = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : read)
    for (int e = 0; e < count; e++) {
        struct electrode own = electrode[e];
        if (read_entry(&own, weight + e * nodes, nodes, tensors)) {
            electrode[e] = own;
            read++;
        }
    }
    return read == count;
}

static void store_entry(const struct electrode *electrode, const double *weight, int64_t nodes,
                        const char tensors[SHA256_HEX])
{
    struct cache folder;
    char name[CACHE_NAME];
    char *entry = malloc(entry_bytes(nodes));
    if (entry && open_entry(&folder, name, electrode->point, tensors)) {
        memcpy(entry, electrode, sizeof *electrode);
        memcpy(entry + sizeof *electrode, weight, (size_t)nodes * sizeof *weight);
        cache_write(&folder, name, entry, entry_bytes(nodes), NULL);
        cache_close(&folder);
    }
    free(entry);
}

void electrode_cache_store(const struct electrode *electrode, int count, const double *weight, int64_t nodes,
                           const char tensors[SHA256_HEX])
{
    struct cache folder;
    const double bytes = (double)count * (double)entry_bytes(nodes);
    if (bytes > most_bytes || entry_bytes(nodes) > CACHE_LARGEST || cache_open(&folder, NULL))
        return;
    cache_bound(&folder, kind, bytes, most_bytes);
    cache_close(&folder);
#pragma omp parallel for schedule(dynamic, 1)
    for (int e = 0; e < count; e++)
        store_entry(&electrode[e], weight + e * nodes, nodes, tensors);
}
