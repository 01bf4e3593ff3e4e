/* deal.c: each thread sorts the positions of its part of the keys by owner. */
#include "solver/mesh/deal.h"

#include <omp.h>
#include <stdlib.h>

#include "kernels/base/array.h"

enum status deal_create(struct deal *deal, int64_t most, const char *what, struct error *error)
{
    enum status status = STATUS_OK;
    const int64_t threads = omp_get_max_threads();
    *deal = (struct deal){.threads = (int)threads};
    for (int k = 0; k < DEAL_RUNS; k++)
        deal->owner[k] = (uint16_t)(k % threads);
    deal->first = array_zeroed(threads * (threads + 1), sizeof *deal->first, what, &status, error);
    deal->next = array_zeroed(threads * threads, sizeof *deal->next, what, &status, error);
    deal->item = array_new(most, sizeof *deal->item, what, &status, error);
    return status;
}

void deal_free(struct deal *deal)
{
    free(deal->first);
    free(deal->next);
    free(deal->item);
    *deal = (struct deal){0};
}

static int owner_of(const struct deal *deal, int32_t key)
{
    return deal->owner[key >> DEAL_RUN_BITS & (DEAL_RUNS - 1)];
}

void deal_keys(struct deal *deal, const int32_t *key, int64_t count)
{
    const int64_t threads = deal->threads, t = omp_get_thread_num(), all = omp_get_num_threads();
    int64_t *first = deal->first + t * (threads + 1), *next = deal->next + t * threads;
    const int64_t low = count * t / all, high = count * (t + 1) / all;
    for (int64_t s = 0; s < threads; s++)
        next[s] = 0;
    for (int64_t k = low; k < high; k++)
        if (key[k] >= 0)
            next[owner_of(deal, key[k])]++;
    first[0] = low;
    for (int64_t s = 0; s < threads; s++) {
        first[s + 1] = first[s] + next[s];
        next[s] = first[s];
    }
    for (int64_t k = low; k < high; k++)
        if (key[k] >= 0)
            deal->item[next[owner_of(deal, key[k])]++] = (int32_t)k;
}

/* Thread t of n handles the owners t, t + n, ..; that is one each unless there are fewer threads than
 * requested */
int deal_parts(const struct deal *deal)
{
    const int all = omp_get_num_threads(), own = (deal->threads - omp_get_thread_num() + all - 1) / all;
    return own * all;
}

const int64_t *deal_part(const struct deal *deal, int part)
{
    const int all = omp_get_num_threads(), owner = omp_get_thread_num() + part / all * all;
    return deal->first + (int64_t)(part % all) * (deal->threads + 1) + owner;
}

enum status deal_sums(int64_t elements, void (*list)(const void *context, int64_t e, int32_t key[DEAL_SLOTS]),
                      void (*add)(const void *context, int64_t e, int slot, int32_t key), const void *context,
                      const char *what, struct error *error)
{
    enum { BLOCK = 1 << 18 };
    enum status status = STATUS_OK;
    struct deal deal;
    int32_t *key = array_new(BLOCK * DEAL_SLOTS, sizeof *key, what, &status, error);
    const enum status dealt = deal_create(&deal, BLOCK * DEAL_SLOTS, what, error);
    TRY_DONE(status ? status : dealt);
#pragma omp parallel
    for (int64_t first = 0; first < elements; first += BLOCK) {
        const int64_t count = elements - first < BLOCK ? elements - first : BLOCK;
#pragma omp for schedule(static)
        for (int64_t e = 0; e < count; e++)
            list(context, first + e, key + e * DEAL_SLOTS);
        deal_keys(&deal, key, count * DEAL_SLOTS);
#pragma omp barrier
        for (int part = 0; part < deal_parts(&deal); part++)
            for (int64_t k = deal_part(&deal, part)[0]; k < deal_part(&deal, part)[1]; k++)
                add(context, first + deal.item[k] / DEAL_SLOTS, deal.item[k] % DEAL_SLOTS, key[deal.item[k]]);
#pragma omp barrier
    }
done:
    deal_free(&deal);
    free(key);
    return status;
}
