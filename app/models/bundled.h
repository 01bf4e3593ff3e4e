/* bundled.h: texts embedded in the program: all built-in models; the sources with which a user's model is compiled,
 * each as one self-contained file; and app/verify/model_traces.txt. The build generates them
 * (kernels/compiler/model_compiler.c). */
#ifndef CARDIAC_APP_MODELS_BUNDLED_H
#define CARDIAC_APP_MODELS_BUNDLED_H

#include "kernels/base/sha256.h"
#include "kernels/ionic/ionic.h"

struct bundled_text {
    const char *name, *text;
};

/* A built-in model that is compiled at its first use, like a user's, not by the build */
struct bundled {
    const char *name, *text; /* "grandi-epi", "grandi_2010.mmt" */
    const char *title;
    int states, operations; /* as in struct ionic_model */
};

/* Lists that end with a NULL name */
extern const struct bundled_text bundled_texts[];
extern const struct bundled bundled_models[];

/* The model of that name, or NULL */
const struct bundled *bundled_find(const char *name);
/* The text of that name, and the text of a model that the build compiles; NULL = none */
const char *bundled_text(const char *name);
const char *bundled_text_of(const struct ionic_model *model);

/* Adds to sha the text of a model without the properties that declare variants: these change only values, so adding a
 * variant does not change the digest. */
void bundled_digest(struct sha256 *sha, const char *text, size_t bytes);

#endif
