/* digest.c: blocks of 1 MiB are hashed in parallel; a digest is the hash of the mesh's counts and of the blocks'
 * digests in order. Numbers are hashed in the machine's own byte order (little-endian). */
#include "app/io/store/digest.h"

#include <stdlib.h>

enum { BLOCK = 1 << 20, PARTS = 3 };

struct part {
    const void *array;
    size_t bytes;
};

/* part[] <- the points, elements and tags of a mesh */
static void list_parts(struct part part[PARTS], const struct mesh *mesh)
{
    const size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->elements;
    part[0] = (struct part){mesh->point, nodes * 3 * sizeof *mesh->point};
    part[1] = (struct part){mesh->vertex, elements * ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex};
    part[2] = (struct part){mesh->tag, elements * sizeof *mesh->tag};
}

static int64_t blocks_of(size_t bytes)
{
    return (int64_t)((bytes + BLOCK - 1) / BLOCK);
}

/* hex[count] <- the digests of an array's blocks from `first` on */
static void hash_blocks(char (*hex)[SHA256_HEX], struct part part, int64_t first, int64_t count)
{
#pragma omp parallel for schedule(static) if (count > 1)
    for (int64_t k = 0; k < count; k++) {
        const size_t at = (size_t)(first + k) * BLOCK;
        const size_t size = part.bytes - at < BLOCK ? part.bytes - at : BLOCK;
        sha256_of((const unsigned char *)part.array + at, size, hex[k]);
    }
}

void digest_add(struct sha256 *sha, const void *array, size_t bytes)
{
    enum { TOGETHER = 256 };
    const struct part part = {array, bytes};
    char hex[TOGETHER][SHA256_HEX];
    const int64_t blocks = blocks_of(part.bytes);
    for (int64_t first = 0; first < blocks; first += TOGETHER) {
        const int64_t count = blocks - first < TOGETHER ? blocks - first : TOGETHER;
        hash_blocks(hex, part, first, count);
        sha256_add(sha, hex, (size_t)count * SHA256_HEX);
    }
}

void digest_blocks_make(struct digest_blocks *blocks, const struct mesh *mesh)
{
    struct part part[PARTS];
    int64_t count = 0;
    list_parts(part, mesh);
    for (int k = 0; k < PARTS; k++)
        count += blocks_of(part[k].bytes);
    *blocks = (struct digest_blocks){.hex = malloc((size_t)count * sizeof *blocks->hex)};
    if (!blocks->hex)
        return;
    for (int k = 0; k < PARTS; k++) {
        hash_blocks(blocks->hex + blocks->count, part[k], 0, blocks_of(part[k].bytes));
        blocks->count += blocks_of(part[k].bytes);
    }
}

void digest_blocks_free(struct digest_blocks *blocks)
{
    free(blocks->hex);
    *blocks = (struct digest_blocks){0};
}

void digest_mesh(const struct mesh *mesh, const struct digest_blocks *blocks, char hex[SHA256_HEX])
{
    struct sha256 sha;
    struct part part[PARTS];
    size_t directions = mesh->fiber_location == LOCATION_NODE      ? (size_t)mesh->nodes
                        : mesh->fiber_location == LOCATION_ELEMENT ? (size_t)mesh->elements
                                                                   : 0;
    int64_t head[5] = {mesh->dimension, mesh->nodes, mesh->elements, mesh->fiber_location,
                       directions && mesh->sheet != NULL};
    sha256_start(&sha);
    sha256_add(&sha, head, sizeof head);
    list_parts(part, mesh);
    if (blocks && blocks->count > 0)
        sha256_add(&sha, blocks->hex, (size_t)blocks->count * SHA256_HEX);
    else
        for (int k = 0; k < PARTS; k++)
            digest_add(&sha, part[k].array, part[k].bytes);
    if (directions)
        digest_add(&sha, mesh->fiber, directions * 3 * sizeof *mesh->fiber);
    if (directions && mesh->sheet)
        digest_add(&sha, mesh->sheet, directions * 3 * sizeof *mesh->sheet);
    sha256_end(&sha, hex);
}
