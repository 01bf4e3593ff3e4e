/* pick.h: elements of an array as doubles, and the largest V with the first node that has it.
 *
 *   value_k = array[element_k]
 *   largest = max_r v_r, node = min { node_r: v_r = largest }     over rows r with node_r >= 0
 *
 * Threads combine only maxima of bit patterns, so no bit depends on the device, threads or the order of
 * rows. */
#ifndef CARDIAC_KERNELS_OPS_PICK_H
#define CARDIAC_KERNELS_OPS_PICK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/bits.h"
#include "kernels/device/cpu.h"

/* Arrays are on the device. */
struct pick {
    const void *array;
    size_t size;            /* of its elements: uint8_t, float or double */
    const int32_t *element; /* [count] */
    int64_t count;
    double *value; /* [count] */
};

/* Arrays are [rows], in packed order, on the device; so is `largest`. */
struct pick_largest {
    int64_t rows;
    const double *v;     /* mV */
    const int32_t *node; /* mesh number of each row, -1 = none */
    uint64_t *largest;   /* [2] pick_pattern() of the largest V, and ~node; 0 if V is NaN in all rows */
};

/* Element k of an array */
HOST_DEVICE double pick_element(const void *array, size_t size, int64_t k)
{
    return size == sizeof(double)  ? ((const double *)array)[k]
           : size == sizeof(float) ? (double)((const float *)array)[k]
                                   : (double)((const uint8_t *)array)[k];
}

/* A pattern ordered like the numbers, with -0 equal to +0; NaN is below all numbers. */
HOST_DEVICE uint64_t pick_pattern(double v)
{
    const uint64_t sign = UINT64_C(1) << 63, bits = bits_of(v + 0.0);
    return isnan(v) ? 0 : bits & sign ? ~bits : bits | sign;
}

/* The number with this pattern; NaN for 0 */
HOST_DEVICE double pick_number(uint64_t pattern)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return bits_to_real(pattern & sign ? pattern & ~sign : ~pattern);
}

/* The pattern of row r, 0 without a node */
HOST_DEVICE uint64_t pick_of_row(const struct pick_largest *pick, int64_t r)
{
    return pick->node[r] < 0 ? 0 : pick_pattern(pick->v[r]);
}

/* ~node of row r if its V is the largest, else 0 */
HOST_DEVICE uint64_t pick_node_of_row(const struct pick_largest *pick, int64_t r, uint64_t largest)
{
    return largest > 0 && pick_of_row(pick, r) == largest ? ~(uint64_t)pick->node[r] : 0;
}

void pick_cpu(struct queue *queue, const struct pick *pick);
void pick_cuda(struct queue *queue, const struct pick *pick);
void pick_largest_cpu(struct queue *queue, const struct pick_largest *pick);
void pick_largest_cuda(struct queue *queue, const struct pick_largest *pick);

#endif
