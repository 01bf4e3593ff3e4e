/* digest.h: SHA-256 digests of large arrays and of a mesh, as 64 hexadecimal digits. */
#ifndef CARDIAC_APP_IO_STORE_DIGEST_H
#define CARDIAC_APP_IO_STORE_DIGEST_H

#include <stddef.h>

#include "kernels/base/sha256.h"
#include "solver/mesh/mesh.h"

/* Adds to sha the digests of an array's blocks, which are hashed in parallel. */
void digest_add(struct sha256 *sha, const void *array, size_t bytes);

/* The part of a mesh's digest that does not depend on its directions */
struct digest_blocks {
    char (*hex)[SHA256_HEX]; /* [count] digests of the blocks of points, elements and tags */
    int64_t count;           /* 0 = unknown */
};

/* *blocks <- those of the current mesh; count 0 if out of memory. Free with digest_blocks_free(). */
void digest_blocks_make(struct digest_blocks *blocks, const struct mesh *mesh);
void digest_blocks_free(struct digest_blocks *blocks);

/* hex <- the digest of a mesh's counts, points, elements, tags and directions. Meshes with equal digests give the
 * same run. blocks: those of this mesh; NULL or count 0 = compute them. */
void digest_mesh(const struct mesh *mesh, const struct digest_blocks *blocks, char hex[SHA256_HEX]);

#endif
