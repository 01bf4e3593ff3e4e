/* bits.h: the bit pattern of a number. Patterns of numbers >= 0 are ordered like the numbers, with NaN
 * above infinity, so the maximum of patterns is associative and never loses a NaN. Also pseudo-random
 * bits: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi 10.1145/2660193.2660195). */
#ifndef CARDIAC_KERNELS_BASE_BITS_H
#define CARDIAC_KERNELS_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#include "kernels/base/host_device.h"

HOST_DEVICE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

HOST_DEVICE double bits_to_real(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Mixes bits: each bit of x affects every bit of the result. */
HOST_DEVICE uint64_t bits_stir(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A pseudo-random number in [0, 1), and one in [-1, 1), from an integer; the same on every machine */
HOST_DEVICE double bits_random(uint64_t seed)
{
    return (double)(bits_stir(seed + 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

HOST_DEVICE double bits_random_signed(uint64_t seed)
{
    return 2 * bits_random(seed) - 1;
}

#endif
