/* duplicates.h: find items that equal an earlier one, such as nodes at one position. */
#ifndef CARDIAC_SOLVER_MESH_DUPLICATES_H
#define CARDIAC_SOLVER_MESH_DUPLICATES_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Number of duplicates, the first of them, and the first item that it equals (-1 = none) */
struct duplicates {
    int64_t count, first, first_of;
};

/* key <- what item i is compared by */
typedef void duplicates_key(const struct mesh *mesh, int64_t i, uint64_t key[3]);

/* again[items] (NULL = not needed) <- 1 for those that equal an earlier one, else 0. The same for any
 * number of threads. Returns only STATUS_OK or STATUS_RUN (memory); 8 bytes an item, O(items) time. */
enum status duplicates_find(struct duplicates *duplicates, const struct mesh *mesh, int64_t items,
                            duplicates_key *key_of, uint8_t *again, struct error *error);

#endif
