/* digest.h: digests by SHA-256 of a file and of a mesh, each of 64 hexadecimal digits. */
#ifndef CARDIAC_APP_IO_STORE_DIGEST_H
#define CARDIAC_APP_IO_STORE_DIGEST_H

#include "kernels/base/sha256.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* hex <- the digest of the digests of the file's blocks, which all threads compute: not what sha256sum prints.
 * Errors: STATUS_INPUT if it cannot be read. */
enum status digest_file(const char *path, char hex[SHA256_HEX], struct error *error);

/* hex <- the digest of a mesh's counts, points, elements, tags and directions. Meshes with equal digests give the
 * same run. */
void digest_mesh(const struct mesh *mesh, char hex[SHA256_HEX]);

#endif
