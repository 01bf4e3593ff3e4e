/* digest.c: blocks of 1 MiB are hashed in parallel; a digest is the hash of the mesh's counts and of the blocks'
 * digests in order. Numbers are hashed in the machine's own byte order (little-endian). */
#include "app/io/store/digest.h"

#include <stddef.h>

enum { BLOCK = 1 << 20 };

/* sha <- the digests of an array's blocks */
static void add_array(struct sha256 *sha, const void *array, size_t bytes)
{
    enum { TOGETHER = 256 };
    char digest[TOGETHER][SHA256_HEX];
    const unsigned char *from = array;
    size_t blocks = (bytes + BLOCK - 1) / BLOCK;
    for (size_t first = 0; first < blocks; first += TOGETHER) {
        int count = blocks - first < TOGETHER ? (int)(blocks - first) : TOGETHER;
#pragma omp parallel for schedule(static)
        for (int k = 0; k < count; k++) {
            size_t at = (first + (size_t)k) * BLOCK, size = bytes - at < BLOCK ? bytes - at : BLOCK;
            sha256_of(from + at, size, digest[k]);
        }
        sha256_add(sha, digest, (size_t)count * SHA256_HEX);
    }
}

void digest_mesh(const struct mesh *mesh, char hex[SHA256_HEX])
{
    struct sha256 sha;
    size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->elements;
    size_t directions = mesh->fiber_location == LOCATION_NODE      ? nodes
                        : mesh->fiber_location == LOCATION_ELEMENT ? elements
                                                                   : 0;
    int64_t head[5] = {mesh->dimension, mesh->nodes, mesh->elements, mesh->fiber_location,
                       directions && mesh->sheet != NULL};
    sha256_start(&sha);
    sha256_add(&sha, head, sizeof head);
    add_array(&sha, mesh->point, nodes * 3 * sizeof *mesh->point);
    add_array(&sha, mesh->vertex, elements * ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex);
    add_array(&sha, mesh->tag, elements * sizeof *mesh->tag);
    if (directions)
        add_array(&sha, mesh->fiber, directions * 3 * sizeof *mesh->fiber);
    if (directions && mesh->sheet)
        add_array(&sha, mesh->sheet, directions * 3 * sizeof *mesh->sheet);
    sha256_end(&sha, hex);
}
