/* cancel.c: the flag that each thread watches. */
#include "kernels/base/cancel.h"

#include <stddef.h>

static _Thread_local const int *watched;

const int *cancel_watch(const int *flag)
{
    const int *before = watched;
    watched = flag;
    return before;
}

const int *cancel_watched(void)
{
    return watched;
}

bool cancel_requested(void)
{
    return watched && __atomic_load_n(watched, __ATOMIC_RELAXED);
}

enum status cancel_check(struct error *error)
{
    return cancel_requested() ? error_set(error, STATUS_STOPPED, "stopped on request") : STATUS_OK;
}
