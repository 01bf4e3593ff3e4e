/* deal.h: distributes a block of keys, such as the nodes of elements, to threads: each thread visits the
 * positions of its own keys, in ascending order, and reads no others. */
#ifndef CARDIAC_SOLVER_MESH_DEAL_H
#define CARDIAC_SOLVER_MESH_DEAL_H

#include <stdint.h>

#include "kernels/base/error.h"

enum { DEAL_RUNS = 1024, DEAL_RUN_BITS = 6, DEAL_SLOTS = 6 };

struct deal {
    int threads;
    uint16_t owner[DEAL_RUNS]; /* thread that owns each run of keys, round robin, so that near keys have
                                  one owner */
    int64_t *first; /* [threads][threads + 1] ranges of item[]: the positions that each thread has found for
                       each owner */
    int64_t *next;  /* [threads][threads] workspace */
    int32_t *item;  /* [most] */
};

/* For blocks of at most `most` keys, in parallel regions of all threads; `what` names the memory in the
 * message. STATUS_RUN if out of memory; free *deal even then. */
enum status deal_create(struct deal *deal, int64_t most, const char *what, struct error *error);
void deal_free(struct deal *deal);

/* Called by every thread of a parallel region; each distributes its part of the keys. Negative keys are
 * skipped. The caller adds a barrier. */
void deal_keys(struct deal *deal, const int32_t *key, int64_t count);
/* After the barrier, for each of deal_parts() parts: the positions of the calling thread's keys are
 * item[first[0] .. first[1]), where first = deal_part(); part after part, the positions of one key ascend. */
int deal_parts(const struct deal *deal);
const int64_t *deal_part(const struct deal *deal, int part);

/* For each element e, list() writes the indices that e adds to, such as its edges (-1 = none), and add()
 * is called for each of them. The calls for one index are in ascending order of elements, so the bits do
 * not depend on the number of threads. */
enum status deal_sums(int64_t elements, void (*list)(const void *context, int64_t e, int32_t key[DEAL_SLOTS]),
                      void (*add)(const void *context, int64_t e, int slot, int32_t key), const void *context,
                      const char *what, struct error *error);

#endif
