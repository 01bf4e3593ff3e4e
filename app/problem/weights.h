/* weights.h: weights of the nodes that a condition selects, as found before: of the last conditions in memory, and of
 * large meshes as entries of the cache. */
#ifndef CARDIAC_APP_PROBLEM_WEIGHTS_H
#define CARDIAC_APP_PROBLEM_WEIGHTS_H

#include "app/problem/environment.h"
#include "app/problem/volume.h"

enum { WEIGHTS_CACHE_LEAST = 100000 }; /* elements: with fewer, finding them takes about as long */

struct weights_key {
    char condition[SHA256_HEX];
    char read[SHA256_HEX]; /* of the mesh, the condition and its arrays; "" = not for the cache */
};

/* key->condition <- where_digest; key->read <- "" */
void weights_key_make(struct weights_key *key, const struct where *where);
/* key->read <- of the view, on elements, of that condition; "" for a small mesh */
void weights_key_read(struct weights_key *key, const struct environment_view *view,
                      const struct heart_cache *cache);

/* The list of a condition in the environment, or read into it from the cache; NULL where it is not there. It is valid
 * until another is kept or read. */
const struct environment_weights *weights_known(const struct environment *environment,
                                                const struct weights_key *key);
const struct environment_weights *weights_read(struct environment *environment,
                                               const struct weights_key *key);
/* *kept <- the list of weight[mesh->nodes], in the environment. Errors: STATUS_RUN without memory. */
enum status weights_keep(const struct environment_weights **kept, struct environment *environment,
                         const struct weights_key *key, const double *weight, const struct volume *volume,
                         struct error *error);
/* Writes a list to the cache, where that can be used and key->read is not "". */
void weights_store(const struct environment_weights *list, const struct weights_key *key);

#endif
