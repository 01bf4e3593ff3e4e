/* kept.h: what a text was compiled to, and its longest steps, as an entry of the cache, so that only a first
 * start works them out.
 *
 * Its name is the SHA-256 of all that they depend on: the text, what stands beside it, and the compiler of
 * texts. */
#ifndef CARDIAC_APP_MODELS_KEPT_H
#define CARDIAC_APP_MODELS_KEPT_H

#include <stdbool.h>

#include "app/util/sha256.h"
#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"

struct kept {
    struct compiled compiled;
    double step_accurate, step_largest; /* ms, as struct ionic_model's */
};

/* name[] <- that of the entry of a text with a set of values (NULL: a user's file) */
enum { KEPT_NAME = SHA256_HEX + 8 };
void kept_name(char name[KEPT_NAME], const char *text_sha256, const struct mmt_scale *scale, const char *set);

/* Whether the entry is there, whole, and of so many states; its compiled is to be freed then */
bool kept_read(struct kept *kept, const char *name, int states);
/* Where it cannot be kept it is worked out again */
void kept_write(const struct kept *kept, const char *name, int states);

#endif
