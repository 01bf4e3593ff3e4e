/* digest.h: the digest by SHA-256 of a mesh, of 64 hexadecimal digits. */
#ifndef CARDIAC_APP_IO_STORE_DIGEST_H
#define CARDIAC_APP_IO_STORE_DIGEST_H

#include "kernels/base/sha256.h"
#include "solver/mesh/mesh.h"

/* hex <- the digest of a mesh's counts, points, elements, tags and directions. Meshes with equal digests give the
 * same run. */
void digest_mesh(const struct mesh *mesh, char hex[SHA256_HEX]);

#endif
