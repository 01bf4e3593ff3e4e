/* bits.h: the bit pattern of a number. For numbers that are not negative it orders like the numbers
 * themselves, with NaN above infinity, so that the maximum of patterns is associative and never loses a NaN.
 */
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

#endif
