/* union_find.h: sets of numbers as trees, each parent[] pointing upwards and a root to itself. */
#ifndef CARDIAC_KERNELS_BASE_UNION_FIND_H
#define CARDIAC_KERNELS_BASE_UNION_FIND_H

#include <stdint.h>

/* The root of i, to which its path is shortened */
static inline int32_t union_find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

#endif
