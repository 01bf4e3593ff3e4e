/* heart.h: the surfaces of a heart as a config names them. */
#ifndef CARDIAC_APP_PROBLEM_HEART_H
#define CARDIAC_APP_PROBLEM_HEART_H

#include <stdbool.h>
#include <stdint.h>

#include "app/config/config.h"
#include "app/io/store/digest.h"
#include "kernels/base/sha256.h"
#include "solver/heart/coordinates.h"
#include "solver/mesh/mesh.h"

/* *on <- [mesh->nodes] bits 1 << enum heart_surface, to be freed by the caller: from the marks, names and
 * lists that are given; without any, those that the mesh names so, else by shape (solver/heart/surfaces.h).
 */
enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct inputs *inputs, struct error *error);

/* on[] |= 1 << surface at the nodes of a surface that is given: its mark, its name in the mesh, a list of nodes or the rim
 * of an opening. STATUS_INPUT if the mesh has none. */
enum status heart_add_surface(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                              enum heart_surface surface, struct inputs *inputs, struct error *error);

/* The coordinates of a heart in the cache (app/util/cache.h), so that a second run of the
 * same mesh does not solve for them again.
 *
 * An entry is one array of struct coordinates; its name is the digest of the mesh, of the surfaces' nodes, of
 * the array's name and of the program's version, so that what is read has the bits of what would be computed.
 * What is missing, damaged or of another length is computed, and stored anew. Where the cache cannot be used
 * it is left alone. The entries of all hearts are bounded by removing those not used for longest. */

struct heart_cache {
    char heart[SHA256_HEX];             /* of the mesh and its surfaces; "": not yet known */
    const struct digest_blocks *blocks; /* of the mesh; NULL = not known */
    int read, stored;                   /* arrays */
};

/* coordinates <- those of a sum of COORDINATES_ that are in the cache and not yet there. on[nodes]: with the
 * apex. The mesh and on[] are the same in every call. */
void heart_cache_read(struct heart_cache *cache, struct coordinates *coordinates, const struct mesh *mesh,
                      const uint8_t *on, unsigned set);
/* Stores those that are there and that were not when heart_cache_read() returned. */
void heart_cache_store(struct heart_cache *cache, const struct coordinates *before,
                       const struct coordinates *coordinates, int64_t nodes);

/* *u <- as coordinates_between(), from the cache if it is there, else stored. */
enum status heart_between(double **u, struct heart_cache *cache, struct coordinates *coordinates,
                          const struct mesh *mesh, const uint8_t *on, struct error *error);

#endif
