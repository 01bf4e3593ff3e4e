/* twins.h: which of many items equal an earlier one, such as nodes at one place. */
#ifndef CARDIAC_SOLVER_MESH_TWINS_H
#define CARDIAC_SOLVER_MESH_TWINS_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* How many do, the first of these, and the first of all that it equals (-1 = none) */
struct twins {
    int64_t count, first, first_of;
};

/* key <- what makes item i of its kind equal to another */
typedef void twins_key(const struct mesh *mesh, int64_t i, uint64_t key[3]);

/* The same for any number of threads. Only STATUS_RUN (memory) is returned; 8 bytes an item, O(items) time.
 */
enum status twins_find(struct twins *twins, const struct mesh *mesh, int64_t items, twins_key *key_of,
                       struct error *error);

#endif
