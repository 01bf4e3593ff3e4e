/* digest.c: blocks of 1 MiB are hashed in parallel; a digest is the hash of the blocks' digests in
 * order, and for a mesh of its counts. Numbers are hashed in the machine's own byte order (little-endian). */
#include "app/io/store/digest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/array.h"

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

enum status digest_file(const char *path, char hex[SHA256_HEX], struct error *error)
{
    enum { TOGETHER = 32 };
    enum status status = STATUS_OK;
    unsigned char *bytes = array_new(TOGETHER, BLOCK, "a file's digest", &status, error);
    struct stat info;
    bool regular = stat(path, &info) != 0 || S_ISREG(info.st_mode); /* a pipe may never end */
    FILE *file = bytes && regular ? fopen(path, "rb") : NULL;
    struct sha256 sha;
    sha256_start(&sha);
    for (size_t got = 1; file && got > 0;) {
        got = fread(bytes, 1, (size_t)TOGETHER * BLOCK, file);
        add_array(&sha, bytes, got);
    }
    if (!status && (!file || ferror(file)))
        status = error_set(error, STATUS_INPUT, "%s: %s", path,
                           regular ? strerror(errno) : "this is not a regular file");
    sha256_end(&sha, hex);
    if (file)
        fclose(file);
    free(bytes);
    return status;
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
