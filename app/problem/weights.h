/* weights.h: store the node weights of conditions for reuse: the latest ones in memory, those of large meshes also in
 * the cache. */
#ifndef CARDIAC_APP_PROBLEM_WEIGHTS_H
#define CARDIAC_APP_PROBLEM_WEIGHTS_H

#include "app/problem/environment.h"
#include "app/problem/volume.h"

enum { WEIGHTS_CACHE_LEAST = 100000 }; /* elements: with fewer, finding them takes about as long */

struct weights_key {
    char condition[SHA256_HEX];
    char read[SHA256_HEX]; /* digest of the mesh, the condition and its arrays; "" = do not cache */
};

/* key->condition <- where_digest; key->read <- "" */
void weights_key_make(struct weights_key *key, const struct where *where);
/* key->read <- the digest of that condition's view on elements; "" for a small mesh */
void weights_key_read(struct weights_key *key, const struct environment_view *view,
                      const struct heart_cache *cache);

/* The list of a condition: in the environment, or read from the cache into it; NULL = none. Valid until another list is
 * added or read. */
const struct environment_weights *weights_known(const struct environment *environment,
                                                const struct weights_key *key);
const struct environment_weights *weights_read(struct environment *environment,
                                               const struct weights_key *key);
/* Adds the list of weight[mesh->nodes] to the environment; *kept <- the list. Errors: STATUS_RUN if out of memory. */
enum status weights_keep(const struct environment_weights **kept, struct environment *environment,
                         const struct weights_key *key, const double *weight, const struct volume *volume,
                         struct error *error);
/* Writes a list to the cache, if that can be used and key->read is not "". */
void weights_store(const struct environment_weights *list, const struct weights_key *key);

#endif
