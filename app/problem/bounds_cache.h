/* bounds_cache.h: cache the node clusters, bounds, scheme and ordering of a matrix. */
#ifndef CARDIAC_APP_PROBLEM_BOUNDS_CACHE_H
#define CARDIAC_APP_PROBLEM_BOUNDS_CACHE_H

#include "kernels/base/sha256.h"
#include "solver/matrix/clusters.h"
#include "solver/params.h"

enum { BOUNDS_CACHE_LEAST = 100000 }; /* elements: with fewer, finding them takes about as long */

struct bounds_cache {
    struct clusters_found found;
    void *entry;   /* cache entry that holds the arrays of `found`; NULL = they are allocated separately */
    int64_t nodes; /* length of found.order if allocated separately */
};

/* cache->found <- the entry for `matrix` (the digest of everything that determines a matrix), which includes the
 * scheme; without an entry, what clusters_find() finds. False if the cache cannot be used, the tensors are invalid
 * or memory is short. Call bounds_cache_free() even then. */
bool bounds_cache_find(struct bounds_cache *cache, const char matrix[SHA256_HEX], const struct mesh *mesh,
                       const struct monodomain_params *params);
/* Stores what was found and the scheme in `report`, unless both were read from the cache. */
void bounds_cache_store(struct bounds_cache *cache, const char matrix[SHA256_HEX],
                        const struct monodomain_report *report);
void bounds_cache_free(struct bounds_cache *cache);

#endif
