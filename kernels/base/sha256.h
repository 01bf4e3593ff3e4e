/* sha256.h: SHA-256 of a stream of bytes (FIPS 180-4), which identifies meshes, configs and cached results.
 */
#ifndef CARDIAC_KERNELS_BASE_SHA256_H
#define CARDIAC_KERNELS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 65 /* 64 digits and the final zero */

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void sha256_start(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t bytes);
void sha256_end(struct sha256 *sha, char hex[SHA256_HEX]);

void sha256_of(const void *data, size_t bytes, char hex[SHA256_HEX]);

#endif
