/* test_ascending.c: ascending orders, also by a second key, insertion sort, and search. */
#include "kernels/base/compare.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static int sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

/* All pairs of a few numbers, equal ones among them: signs as the difference has */
static void test_signs(void)
{
    static const int32_t number[] = {INT32_MIN, -2, 0, 0, 1, INT32_MAX};
    enum { COUNT = sizeof number / sizeof *number };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            const int want = sign((int64_t)number[i] - number[j]);
            const int64_t x = number[i], y = number[j],
                          big[2] = {x * (INT64_C(1) << 31), y * (INT64_C(1) << 31)};
            const double a = number[i] * 1e300, b = number[j] * 1e300;
            CHECK(sign(compare_int32(&number[i], &number[j])) == want, "int32 %d, %d", number[i], number[j]);
            CHECK(sign(compare_int64(&big[0], &big[1])) == want, "int64 %d, %d", number[i], number[j]);
            CHECK(sign(compare_double(&a, &b)) == want, "double %g, %g", a, b);
            for (int k = 0; k < COUNT; k++) {
                const int64_t one[2] = {x, number[k]}, other[2] = {y, 0};
                const struct ranked first = {a, number[k]}, second = {b, 0};
                const int both = want ? want : sign(number[k]);
                CHECK(sign(compare_int64_pair(one, other)) == both, "pairs %d, %d, %d", i, j, k);
                CHECK(sign(compare_ranked(&first, &second)) == both, "ranked %d, %d, %d", i, j, k);
            }
        }
}

/* Every place of lists of 0 to 20 numbers, each of which stands up to three times */
static void test_search(void)
{
    for (int count = 0; count <= 20; count++)
        for (int least = -3; least < 20; least++) {
            int32_t list[21];
            int64_t want = 0;
            for (int k = 0; k < count; k++) {
                list[k] = 2 * (k / 3);
                want += list[k] < least;
            }
            list[count] = -1000; /* behind the list */
            CHECK(compare_search(list, count, least) == want, "%d of %d numbers", least, count);
        }
}

int main(void)
{
    test_signs();
    test_search();
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
