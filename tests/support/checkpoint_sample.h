/* checkpoint_sample.h: an array of a checkpoint from memory. */
#ifndef CARDIAC_TESTS_SUPPORT_CHECKPOINT_SAMPLE_H
#define CARDIAC_TESTS_SUPPORT_CHECKPOINT_SAMPLE_H

#include "app/io/checkpoint/checkpoint.h"
#include "tests/support/check.h"

static inline const void *checkpoint_sample_block(const void *value, int64_t block, void *room)
{
    (void)block, (void)room;
    return value;
}

/* Reserves the next array, number k, and fills it with value[count]. */
static inline void checkpoint_sample_put(struct checkpoint *checkpoint, int k, const char *name,
                                         enum checkpoint_type type, int64_t count, const void *value)
{
    const struct checkpoint_blocks one = {1, (const int64_t[]){0, count}, checkpoint_sample_block, value};
    struct error error = {0};
    CHECK_OK(checkpoint_reserve(checkpoint, name, type, count, &error), error);
    CHECK_OK(checkpoint_fill(checkpoint, k, &one, &error), error);
}

#endif
