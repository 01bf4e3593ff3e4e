/* digest.h: digests by SHA-256 of large arrays and of a mesh, of 64 hexadecimal digits. */
#ifndef CARDIAC_APP_IO_STORE_DIGEST_H
#define CARDIAC_APP_IO_STORE_DIGEST_H

#include <stddef.h>

#include "kernels/base/sha256.h"
#include "solver/mesh/mesh.h"

/* sha += the digests of an array's blocks, which all threads hash */
void digest_add(struct sha256 *sha, const void *array, size_t bytes);

/* What digests of a mesh with and without its directions have in common */
struct digest_blocks {
    char (*hex)[SHA256_HEX]; /* [count] of blocks of the points, elements and tags */
    int64_t count;           /* 0 = not known */
};

/* *blocks <- of the mesh as it is now, to be freed; without memory none */
void digest_blocks_make(struct digest_blocks *blocks, const struct mesh *mesh);
void digest_blocks_free(struct digest_blocks *blocks);

/* hex <- the digest of a mesh's counts, points, elements, tags and directions. Meshes with equal digests give the
 * same run. blocks: of this mesh; NULL or none = computed again. */
void digest_mesh(const struct mesh *mesh, const struct digest_blocks *blocks, char hex[SHA256_HEX]);

#endif
