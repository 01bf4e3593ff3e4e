/* electrode_cache.h: the weights of electrodes in a uniform conductor as entries of the cache, one each. */
#ifndef CARDIAC_APP_PROBLEM_ELECTRODE_CACHE_H
#define CARDIAC_APP_PROBLEM_ELECTRODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/sha256.h"
#include "solver/heart/electrodes.h"

enum { ELECTRODE_CACHE_LEAST = 100000 }; /* elements: with fewer, an assembly takes about as long */

/* electrode[count], weight[count][nodes] <- as electrodes_weights() found them at these points; tensors: the digest of
 * the mesh, sigma_i and the conductivity. False, and both as they were but for weight[], unless all are there. */
bool electrode_cache_read(struct electrode *electrode, int count, double *weight, int64_t nodes,
                          const char tensors[SHA256_HEX]);
/* Stores them, where the cache can be used and is large enough. */
void electrode_cache_store(const struct electrode *electrode, int count, const double *weight, int64_t nodes,
                           const char tensors[SHA256_HEX]);

#endif
