/* cancel.h: a request from another thread to cancel the work of this one.
 *
 * A thread that computes for a caller watches a flag that other threads may set. Once it is set, every
 * allocation (array.h) of this thread fails with STATUS_STOPPED, as if out of memory, so the work ends at
 * the next one like after any other failure. Long loops that allocate nothing call cancel_check. */
#ifndef CARDIAC_KERNELS_BASE_CANCEL_H
#define CARDIAC_KERNELS_BASE_CANCEL_H

#include <stdbool.h>

#include "kernels/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on this thread watches the flag, which other threads write atomically; NULL = none. Returns the
 * previous flag, so that a thread of a parallel loop can restore it. */
const int *cancel_watch(const int *flag);
/* The flag that this thread watches, to pass to the threads of a parallel loop */
const int *cancel_watched(void);
bool cancel_requested(void);
/* STATUS_STOPPED if cancellation was requested */
enum status cancel_check(struct error *error);

#ifdef __cplusplus
}
#endif
#endif
