/* cancel.h: a request from another thread to end the work of this one.
 *
 * A thread that computes for a caller watches a flag, which other threads set. From then on every allocation
 * (array.h) of this thread fails with STATUS_STOPPED, as if memory were short: the work ends at the next one in
 * the way of any other failure. Long loops that allocate nothing check for themselves. */
#ifndef CARDIAC_KERNELS_BASE_CANCEL_H
#define CARDIAC_KERNELS_BASE_CANCEL_H

#include <stdbool.h>

#include "kernels/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on this thread watches the flag, which other threads write atomically; NULL = none. Returns the
 * previous one, to which a thread of a parallel loop returns. */
const int *cancel_watch(const int *flag);
/* The flag that this thread watches, for those of a parallel loop */
const int *cancel_watched(void);
bool cancel_requested(void);
/* STATUS_STOPPED if it is requested */
enum status cancel_check(struct error *error);

#ifdef __cplusplus
}
#endif
#endif
