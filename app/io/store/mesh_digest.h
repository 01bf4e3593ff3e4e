/* mesh_digest.h: SHA-256 of all that a mesh says: counts, points, elements, tags, directions. Two meshes with
 * one digest give the same run. */
#ifndef CARDIAC_APP_IO_STORE_MESH_DIGEST_H
#define CARDIAC_APP_IO_STORE_MESH_DIGEST_H

#include "app/util/sha256.h"
#include "solver/mesh/mesh.h"

void mesh_digest(const struct mesh *mesh, char hex[SHA256_HEX]);

#endif
