/* test_bits.c: SplitMix64's published first number, the ranges of its numbers; sets joined in parallel. */
#include "kernels/base/bits.h"

#include "kernels/base/union_find.h"
#include "tests/support/check.h"

enum { COUNT = 6000, STRIDE = 6 };

int main(void)
{
    CHECK(bits_stir(0x9e3779b97f4a7c15u) == 0xe220a8397b1dcdafu, "the number after 0 is another");
    double sum = 0;
    for (uint64_t k = 0; k < 1000; k++) {
        const double x = bits_random(k);
        CHECK(x >= 0 && x < 1 && bits_random_signed(k) == 2 * x - 1, "number %d is %g", (int)k, x);
        sum += x;
    }
    CHECK(sum > 450 && sum < 550, "their mean is %g", sum / 1000);

    static int32_t parent[COUNT];
    for (int32_t i = 0; i < COUNT; i++)
        parent[i] = i;
#pragma omp parallel for schedule(static, 1)
    for (int32_t i = COUNT - 1 - STRIDE; i >= 0; i--)
        union_find_join(parent, i, i + STRIDE);
    for (int32_t i = 0; i < COUNT; i++)
        CHECK(union_find_root(parent, i) == i % STRIDE, "the root of %d is %d", i,
              union_find_root(parent, i));
    return 0;
}
