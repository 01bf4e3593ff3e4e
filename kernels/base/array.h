/* array.h: checked allocation of arrays, with an error message if out of memory.
 *
 * A call does nothing if *status is already an error, so several arrays need one check:
 *     a = array_new(n, sizeof *a, "the ordering", &status, error);
 *     b = array_new(m, sizeof *b, "the ordering", &status, error);
 *     if (status) ...
 * The caller frees those allocated before the failure; the others are NULL. Every allocation also fails
 * once the thread has been cancelled (cancel.h). */
#ifndef CARDIAC_KERNELS_BASE_ARRAY_H
#define CARDIAC_KERNELS_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* count * size, at least 1; 0 if it overflows. */
size_t array_bytes(int64_t count, size_t size);

/* Memory for count items of `size` bytes, not NULL for a count of 0. On failure NULL, and *status and error are
 * set; `what` names the array in the message: "the ordering". */
void *array_new(int64_t count, size_t size, const char *what, enum status *status, struct error *error);

/* The same, zeroed. For large arrays that several threads fill use array_new: each page is then placed
 * near the thread that writes it first. */
void *array_zeroed(int64_t count, size_t size, const char *what, enum status *status, struct error *error);

/* memcpy, in parallel if the array is large */
void array_copy(void *to, const void *from, size_t bytes);

/* Enlarges *array, if needed, to hold more than `count` items; *room is its capacity, which at least
 * doubles. STATUS_RUN if out of memory; the array is then unchanged. */
enum status array_grow(void **array, int64_t *room, int64_t count, size_t size, const char *what,
                       struct error *error);

#ifdef __cplusplus
}
#endif
#endif
