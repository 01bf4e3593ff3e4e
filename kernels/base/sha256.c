/* sha256.c: the Secure Hash Algorithm with 256 bits, FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2. */
#include "kernels/base/sha256.h"

#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* w[0..63] <- the message schedule of one block */
static void expand(uint32_t w[64], const unsigned char *block)
{
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

/* One round; the caller rotates the roles of the eight variables instead of moving their values. */
static inline void round_of(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
                            uint32_t g, uint32_t *h, uint32_t add)
{
    uint32_t choose = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t1 = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choose + add;
    *d += t1;
    *h = t1 + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static void compress_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    expand(w, block);
    for (int t = 0; t < 64; t += 8) {
        round_of(a, b, c, &d, e, f, g, &h, constant[t] + w[t]);
        round_of(h, a, b, &c, d, e, f, &g, constant[t + 1] + w[t + 1]);
        round_of(g, h, a, &b, c, d, e, &f, constant[t + 2] + w[t + 2]);
        round_of(f, g, h, &a, b, c, d, &e, constant[t + 3] + w[t + 3]);
        round_of(e, f, g, &h, a, b, c, &d, constant[t + 4] + w[t + 4]);
        round_of(d, e, f, &g, h, a, b, &c, constant[t + 5] + w[t + 5]);
        round_of(c, d, e, &f, g, h, a, &b, constant[t + 6] + w[t + 6]);
        round_of(b, c, d, &e, f, g, h, &a, constant[t + 7] + w[t + 7]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

#ifdef __x86_64__
/* The same with the processor's SHA instructions. W_t .. W_t+3 are in message[t / 4 % 4]; two rounds turn
 * ABEF into the next CDGH and CDGH into the next ABEF. */
__attribute__((target("sha,sse4.1"))) static void
compress_by_instructions(uint32_t state[8], const unsigned char *block, size_t blocks)
{
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    uint32_t out[2][4];
    for (size_t b = 0; b < blocks; b++) {
        const __m128i *in = (const __m128i *)(const void *)(block + 64 * b);
        __m128i message[4], abef_before = abef, cdgh_before = cdgh;
        for (int k = 0; k < 4; k++)
            message[k] = _mm_shuffle_epi8(_mm_loadu_si128(in + k), swap);
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) {
            const __m128i now = message[k % 4], last = message[(k + 3) % 4];
            __m128i sum =
                _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(const void *)(constant + 4 * k)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(now, message[(k + 1) % 4]),
                                         _mm_alignr_epi8(last, message[(k + 2) % 4], 4));
            message[k % 4] = _mm_sha256msg2_epu32(next, last);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    _mm_storeu_si128((__m128i *)(void *)out[0], abef);
    _mm_storeu_si128((__m128i *)(void *)out[1], cdgh);
    for (int k = 0; k < 2; k++) {
        state[2 * k] = out[k][3], state[2 * k + 1] = out[k][2];
        state[4 + 2 * k] = out[k][1], state[5 + 2 * k] = out[k][0];
    }
}

/* Intel SDM 2A, CPUID: leaf 7, EBX bit 29 is SHA; leaf 1, ECX bit 19 is SSE4.1 */
static bool has_instructions(void)
{
    unsigned a, b, c, d, ecx;
    return __get_cpuid(1, &a, &b, &ecx, &d) && ecx >> 19 & 1 && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           b >> 29 & 1;
}
#endif

/* cpuid costs a microsecond under a hypervisor, so it is called for many blocks only. */
static void compress(uint32_t state[8], const unsigned char *block, size_t blocks)
{
#ifdef __x86_64__
    enum { MANY = 64 };
    if (blocks >= MANY && has_instructions()) {
        compress_by_instructions(state, block, blocks);
        return;
    }
#endif
    for (size_t b = 0; b < blocks; b++)
        compress_block(state, block + 64 * b);
}

void sha256_start(struct sha256 *sha)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, initial, sizeof initial);
    sha->bytes = 0;
}

void sha256_add(struct sha256 *sha, const void *data, size_t bytes)
{
    const unsigned char *in = data;
    while (bytes > 0) {
        size_t used = sha->bytes % 64, chunk = 64 - used < bytes ? 64 - used : bytes;
        memcpy(sha->block + used, in, chunk);
        sha->bytes += chunk;
        in += chunk;
        bytes -= chunk;
        if (used + chunk == 64)
            compress(sha->state, sha->block, 1);
        size_t whole = sha->bytes % 64 == 0 ? bytes / 64 : 0;
        compress(sha->state, in, whole);
        sha->bytes += 64 * whole;
        in += 64 * whole;
        bytes -= 64 * whole;
    }
}

void sha256_end(struct sha256 *sha, char hex[SHA256_HEX])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    uint64_t bits = sha->bytes * 8;
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sha, padding, 1 + (119 - sha->bytes % 64) % 64);
    sha256_add(sha, length, 8);
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}

void sha256_of(const void *data, size_t bytes, char hex[SHA256_HEX])
{
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, data, bytes);
    sha256_end(&sha, hex);
}
