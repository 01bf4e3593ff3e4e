/* compare.h: ascending orders of numbers and texts, for qsort and bsearch. */
#ifndef CARDIAC_KERNELS_BASE_COMPARE_H
#define CARDIAC_KERNELS_BASE_COMPARE_H

#include <stdint.h>

int compare_int32(const void *a, const void *b);
int compare_int64(const void *a, const void *b);
int compare_double(const void *a, const void *b);
int compare_text(const void *a, const void *b); /* of arrays of char * */

/* Compares structs that begin with two int64_t: by the first, then by the second */
int compare_int64_pair(const void *a, const void *b);

/* An item ranked by a key; equal keys by the index */
struct ranked {
    double key;
    int64_t index;
};
int compare_ranked(const void *a, const void *b);

/* The index of the first number of the ascending list[count] that is not below `least`; count if all are */
int64_t compare_search(const int32_t *list, int64_t count, int64_t least);

/* Insertion sort, for a few numbers */
static inline void compare_sort_few(int32_t *list, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        int32_t moved = list[k];
        int64_t at = k;
        for (; at > 0 && list[at - 1] > moved; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

#endif
