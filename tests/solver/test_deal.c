/* test_deal.c: every place is dealt to one thread, all those of a key to the same one and in ascending order,
 * also if a region has fewer threads than requested. */
#include "solver/mesh/deal.h"

#include <omp.h>
#include <stdlib.h>

#include "tests/support/mesh_sample.h"

enum { KEYS = 50000, RANGE = 3000 };

static void test_threads(int asked, int threads, int64_t count)
{
    struct error error = {0};
    struct deal deal;
    int32_t *key = calloc(KEYS, sizeof *key), *last = calloc(RANGE, sizeof *last);
    int *by = calloc(RANGE, sizeof *by), visited = 0, left = 0;
    CHECK(key && last && by, "no memory");
    omp_set_num_threads(asked);
    CHECK_OK(deal_create(&deal, KEYS, "a test", &error), error);
    omp_set_num_threads(threads);
    for (int k = 0; k < KEYS; k++)
        key[k] = (int32_t)(bits_random((uint64_t)k) * (RANGE + 50)) - 50;
    for (int block = 0; block < 2; block++) { /* a second time over what the first has left */
        visited = left = 0;
        for (int i = 0; i < RANGE; i++)
            last[i] = by[i] = -1;
#pragma omp parallel reduction(+ : visited, left)
        {
            deal_keys(&deal, key, count);
#pragma omp barrier
            for (int part = 0; part < deal_parts(&deal); part++) {
                const int64_t *first = deal_part(&deal, part);
                for (int64_t k = first[0]; k < first[1]; k++, visited++) {
                    const int32_t item = deal.item[k], own = key[item];
                    left += own < 0 || item <= last[own] || (by[own] >= 0 && by[own] != omp_get_thread_num());
                    last[own < 0 ? 0 : own] = item;
                    by[own < 0 ? 0 : own] = omp_get_thread_num();
                }
            }
        }
        int want = 0;
        for (int64_t k = 0; k < count; k++)
            want += key[k] >= 0;
        CHECK(left == 0 && visited == want, "%d of %d threads: %d of %d places, %d wrong", threads, asked,
              visited, want, left);
    }
    deal_free(&deal);
    free(key);
    free(last);
    free(by);
}

/* What elements add to each index: of several blocks of elements, in ascending order */
struct sums {
    int64_t *count, *last, *sum;
};

static void list_of(const void *context, int64_t e, int32_t key[DEAL_SLOTS])
{
    (void)context;
    for (int k = 0; k < DEAL_SLOTS; k++)
        key[k] = k < e % 7 ? (int32_t)((e * 31 + k * 17) % RANGE) : -1;
}

static void add_of(const void *context, int64_t e, int slot, int32_t key)
{
    const struct sums *sums = context;
    CHECK(e >= sums->last[key] && (e * 31 + slot * 17) % RANGE == key && slot < e % 7,
          "element %lld, slot %d adds to %d", (long long)e, slot, key);
    sums->last[key] = e;
    sums->count[key]++;
    sums->sum[key] += e * (slot + 1);
}

static void test_sums(int64_t elements)
{
    struct error error = {0};
    struct sums got = {calloc(RANGE, sizeof *got.count), calloc(RANGE, sizeof *got.last),
                       calloc(RANGE, sizeof *got.sum)};
    int64_t *want = calloc(RANGE, sizeof *want), *times = calloc(RANGE, sizeof *times);
    CHECK(got.count && got.last && got.sum && want && times, "no memory");
    CHECK_OK(deal_sums(elements, list_of, add_of, &got, "a test", &error), error);
    for (int64_t e = 0; e < elements; e++)
        for (int k = 0; k < DEAL_SLOTS && k < e % 7; k++) {
            want[(e * 31 + k * 17) % RANGE] += e * (k + 1);
            times[(e * 31 + k * 17) % RANGE]++;
        }
    for (int i = 0; i < RANGE; i++)
        CHECK(got.sum[i] == want[i] && got.count[i] == times[i], "index %d: %lld in %lld additions", i,
              (long long)got.sum[i], (long long)got.count[i]);
    free(got.count);
    free(got.last);
    free(got.sum);
    free(want);
    free(times);
}

int main(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        omp_set_num_threads(threads);
        test_sums(5);
        test_sums((1 << 18) + 3); /* more than one block */
    }
    for (int asked = 1; asked <= 5; asked++)
        for (int threads = 1; threads <= asked; threads++) {
            test_threads(asked, threads, KEYS);
            test_threads(asked, threads, 3);
        }
    return 0;
}
