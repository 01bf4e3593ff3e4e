/* heart.h: find the surfaces of a heart that a config describes, and cache its coordinates. */
#ifndef CARDIAC_APP_PROBLEM_HEART_H
#define CARDIAC_APP_PROBLEM_HEART_H

#include <stdbool.h>
#include <stdint.h>

#include "app/config/config.h"
#include "app/io/store/digest.h"
#include "kernels/base/sha256.h"
#include "solver/heart/coordinates.h"
#include "solver/mesh/mesh.h"

/* *on <- [mesh->nodes] bits 1 << enum heart_surface: from the marks, names and lists in `from`; if it gives none,
 * from the surfaces that the mesh names like the heart's; else by shape (solver/heart/surfaces.h). The caller frees
 * *on. */
enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct inputs *inputs, struct error *error);

/* on[] |= 1 << surface at the nodes of `from`: a mark, a name in the mesh, a list of nodes or the rim of an opening.
 * Errors: STATUS_INPUT if the mesh does not have it. */
enum status heart_add_surface(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                              enum heart_surface surface, struct inputs *inputs, struct error *error);

/* Cache of a heart's coordinates (app/util/cache.h), so that a second run on the same mesh need not solve for
 * them.
 *
 * An entry is one array of struct coordinates. Its name is the digest of the mesh, the surfaces' nodes, the array's
 * name and the program's version, so that an entry has the same bits as a new computation. Entries that are missing,
 * damaged or of the wrong length are recomputed and stored. If the cache cannot be used it is skipped. The total size
 * is bounded by removing the least recently used entries. */

struct heart_cache {
    char heart[SHA256_HEX];             /* digest of the mesh and its surfaces; "" = not computed yet */
    const struct digest_blocks *blocks; /* of the mesh; NULL = unknown */
    int read, stored;                   /* number of arrays */
};

/* Reads the missing arrays of `set`, a sum of COORDINATES_, from the cache. on[nodes]: surfaces, including the apex.
 * mesh and on[] must be the same in every call. */
void heart_cache_read(struct heart_cache *cache, struct coordinates *coordinates, const struct mesh *mesh,
                      const uint8_t *on, unsigned set);
/* Stores the arrays that `coordinates` has and `before` (its value after heart_cache_read()) has not. */
void heart_cache_store(struct heart_cache *cache, const struct coordinates *before,
                       const struct coordinates *coordinates, int64_t nodes);

/* coordinates_between() with the cache: *u is read from it, or computed and stored. */
enum status heart_between(double **u, struct heart_cache *cache, struct coordinates *coordinates,
                          const struct mesh *mesh, const uint8_t *on, struct error *error);

#endif
