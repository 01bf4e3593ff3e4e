/* deal.h: a block of keys, such as the nodes of elements, distributed to threads: each visits the
 * positions of its own keys, in ascending order, and reads no others. */
#ifndef CARDIAC_SOLVER_MESH_DEAL_H
#define CARDIAC_SOLVER_MESH_DEAL_H

#include <stdint.h>

#include "kernels/base/error.h"

enum { DEAL_RUNS = 1024, DEAL_RUN_BITS = 6, DEAL_SLOTS = 6 };

struct deal {
    int threads;
    uint16_t owner[DEAL_RUNS]; /* of runs of keys, round robin: near keys have one owner */
    int64_t *
        first; /* [threads][threads + 1] ranges of item[]: the positions that each thread has found for each owner */
    int64_t *next; /* [threads][threads] workspace */
    int32_t *item; /* [most] */
};

/* For blocks of at most `most` keys, in parallel regions of all threads. STATUS_RUN without memory; free
 * in any case. */
enum status deal_create(struct deal *deal, int64_t most, const char *what, struct error *error);
void deal_free(struct deal *deal);

/* Every thread of a parallel region calls this, and distributes its share of the keys. Negative keys are
 * skipped. The caller adds a barrier. */
void deal_keys(struct deal *deal, const int32_t *key, int64_t count);
/* After the barrier: the calling thread's keys are at item[first[0] .. first[1]) of each part in turn,
 * equal keys in ascending positions. */
int deal_parts(const struct deal *deal);
const int64_t *deal_part(const struct deal *deal, int part);

/* For each element e: list() finds the numbers of what it adds to, such as its edges, -1 = none; then add()
 * is called for each of them, for one number in the order of the elements: the same bits with any threads. */
enum status deal_sums(int64_t elements, void (*list)(const void *context, int64_t e, int32_t key[DEAL_SLOTS]),
                      void (*add)(const void *context, int64_t e, int slot, int32_t key), const void *context,
                      const char *what, struct error *error);

#endif
