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

int main(void)
{
    for (int asked = 1; asked <= 5; asked++)
        for (int threads = 1; threads <= asked; threads++) {
            test_threads(asked, threads, KEYS);
            test_threads(asked, threads, 3);
        }
    return 0;
}
