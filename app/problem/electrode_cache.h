/* electrode_cache.h: cache the node weights of electrodes in a uniform conductor, one entry for each electrode. */
#ifndef CARDIAC_APP_PROBLEM_ELECTRODE_CACHE_H
#define CARDIAC_APP_PROBLEM_ELECTRODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/sha256.h"
#include "solver/heart/electrodes.h"

enum { ELECTRODE_CACHE_LEAST = 100000 }; /* elements: with fewer, an assembly takes about as long */

/* electrode[count], weight[count][nodes] <- what electrodes_weights() returned for these points; tensors: digest of
 * the mesh, sigma_i and the conductivity. False if any entry is missing; those found are filled in all the same. */
bool electrode_cache_read(struct electrode *electrode, int count, double *weight, int64_t nodes,
                          const char tensors[SHA256_HEX]);
/* Stores them if the cache can be used and they fit in it. */
void electrode_cache_store(const struct electrode *electrode, int count, const double *weight, int64_t nodes,
                           const char tensors[SHA256_HEX]);

#endif
