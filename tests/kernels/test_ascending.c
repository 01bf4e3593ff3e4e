/* test_ascending.c: ascending orders, also by a second key, and insertion sort. */
#include "kernels/base/compare.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

int main(void)
{
    int64_t pair[4][2] = {{2, 1}, {INT64_MIN, 5}, {2, -1}, {INT64_MAX, 0}};
    const int64_t ascending[4][2] = {{INT64_MIN, 5}, {2, -1}, {2, 1}, {INT64_MAX, 0}};
    qsort(pair, 4, sizeof *pair, compare_int64_pair);
    CHECK(memcmp(pair, ascending, sizeof pair) == 0, "the second is %lld", (long long)pair[1][1]);

    const int order[4] = {2, 0, 1, 3};
    struct ranked ranked[4] = {{0.5, 3}, {-1, 2}, {0.5, 1}, {0x1p-60, 0}};
    qsort(ranked, 4, sizeof *ranked, compare_ranked);
    for (int k = 0; k < 4; k++)
        CHECK(ranked[k].index == order[k], "place %d has %lld", k, (long long)ranked[k].index);

    char *text[3] = {"b", "", "a"};
    qsort(text, 3, sizeof *text, compare_text);
    CHECK(!*text[0] && *text[1] == 'a' && *text[2] == 'b', "%s, %s, %s", text[0], text[1], text[2]);

    for (int count = 0; count < 40; count++) {
        int32_t few[40], sorted[40];
        for (int k = 0; k < count; k++)
            few[k] = sorted[k] = (int32_t)((unsigned)k * 2654435761u) >> (count % 30);
        compare_sort_few(few, count);
        qsort(sorted, (size_t)count, sizeof *sorted, compare_int32);
        CHECK(memcmp(few, sorted, (size_t)count * sizeof *few) == 0, "%d are not in order", count);
    }
    return 0;
}
