/* bounds_cache.h: clusters of nodes, bounds, the scheme and the order of a matrix as entries of the cache. */
#ifndef CARDIAC_APP_PROBLEM_BOUNDS_CACHE_H
#define CARDIAC_APP_PROBLEM_BOUNDS_CACHE_H

#include "kernels/base/sha256.h"
#include "solver/matrix/clusters.h"
#include "solver/params.h"

enum { BOUNDS_CACHE_LEAST = 100000 }; /* elements: with fewer, finding them takes about as long */

struct bounds_cache {
    struct clusters_found found;
    void *entry;   /* what its arrays are in; NULL = they are its own */
    int64_t nodes; /* of its order, if it is its own */
};

/* cache->found <- by clusters_find() for these params on this mesh, or as stored for `matrix`, the digest of
 * all that a matrix is made from, with its scheme; returns whether it is: not without a cache or memory, or if
 * the tensors are wrong. Free it in any case. */
bool bounds_cache_find(struct bounds_cache *cache, const char matrix[SHA256_HEX], const struct mesh *mesh,
                       const struct monodomain_params *params);
/* Stores what was found, and the scheme of the tissue made with it, unless both were read. */
void bounds_cache_store(struct bounds_cache *cache, const char matrix[SHA256_HEX],
                        const struct monodomain_report *report);
void bounds_cache_free(struct bounds_cache *cache);

#endif
