/* digest.c: blocks of 1 MiB are hashed by all threads at once, as those of a mesh are; the digest is the
 * hash of their digests in order. */
#include "app/io/store/digest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/array.h"

enum { BLOCK = 1 << 20, TOGETHER = 32 };

enum status digest_file(const char *path, char hex[SHA256_HEX], struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *bytes = array_new(TOGETHER, BLOCK, "a file's digest", &status, error);
    struct stat info;
    bool regular = stat(path, &info) != 0 || S_ISREG(info.st_mode); /* a pipe may never end */
    FILE *file = bytes && regular ? fopen(path, "rb") : NULL;
    struct sha256 sha;
    sha256_start(&sha);
    for (size_t got = 1; file && got > 0;) {
        char digest[TOGETHER][SHA256_HEX];
        got = fread(bytes, 1, (size_t)TOGETHER * BLOCK, file);
        int blocks = (int)((got + BLOCK - 1) / BLOCK);
#pragma omp parallel for schedule(static)
        for (int k = 0; k < blocks; k++) {
            size_t at = (size_t)k * BLOCK;
            sha256_of(bytes + at, got - at < BLOCK ? got - at : BLOCK, digest[k]);
        }
        sha256_add(&sha, digest, (size_t)blocks * SHA256_HEX);
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
