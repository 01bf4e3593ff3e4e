/* dice.h: random numbers of a test program, the same each time it runs. */
#ifndef CARDIAC_TESTS_DICE_H
#define CARDIAC_TESTS_DICE_H

#include "kernels/base/bits.h"

static uint64_t dice; /* how many have been thrown */

static inline double random_from(double low, double high)
{
    return low + (high - low) * bits_random(dice++);
}

/* 0 to most - 1 */
static inline int below(int most)
{
    return (int)random_from(0, most);
}

#endif
