/* union_find.h: disjoint sets of numbers as trees: parent[i] points towards the root, a root to itself.
 * Several threads may join and look up concurrently: a thread only replaces a parent by another ancestor,
 * and parent[i] <= i always holds. */
#ifndef CARDIAC_KERNELS_BASE_UNION_FIND_H
#define CARDIAC_KERNELS_BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* The root of i; shortens the path to it */
static inline int32_t union_find_root(int32_t *parent, int32_t i)
{
    for (int32_t up; (up = __atomic_load_n(&parent[i], __ATOMIC_RELAXED)) != i; i = up) {
        up = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);
        __atomic_store_n(&parent[i], up, __ATOMIC_RELAXED);
    }
    return i;
}

/* The lower root becomes the parent of the other; retried if another thread was faster */
static inline void union_find_join(int32_t *parent, int32_t a, int32_t b)
{
    for (;;) {
        a = union_find_root(parent, a);
        b = union_find_root(parent, b);
        int32_t low = a < b ? a : b, high = a < b ? b : a;
        if (a == b || __atomic_compare_exchange_n(&parent[high], &(int32_t){high}, low, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

#endif
