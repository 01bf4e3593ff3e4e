/* array.h: checked allocation of arrays, with a message where memory is short.
 *
 * A status that is set already makes a call do nothing, so several arrays need one check:
 *     a = array_new(n, sizeof *a, "the ordering", &status, error);
 *     b = array_new(m, sizeof *b, "the ordering", &status, error);
 *     if (status) ...
 * One that came before the failure is the caller's to free, those after it are NULL. */
#ifndef CARDIAC_KERNELS_BASE_ARRAY_H
#define CARDIAC_KERNELS_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* count * size, at least 1; 0 if no memory is so large. */
size_t array_bytes(int64_t count, size_t size);

/* Memory for count items of `size` bytes, never NULL for a count of 0; NULL, with *status and error set,
 * where there is none or count * size does not fit. `what` names it to a person: "the ordering". */
void *array_new(int64_t count, size_t size, const char *what, enum status *status, struct error *error);

/* The same, zeroed. Large arrays that threads fill are array_new's: whose thread writes a page first has it
 * near. */
void *array_zeroed(int64_t count, size_t size, const char *what, enum status *status, struct error *error);

/* *array <- room for more than `count` items, at least twice as many as before when it grows; *room <- how
 * many. Without memory STATUS_RUN, and the array stays. */
enum status array_grow(void **array, int64_t *room, int64_t count, size_t size, const char *what,
                       struct error *error);

#ifdef __cplusplus
}
#endif
#endif
