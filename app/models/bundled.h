/* bundled.h: texts inside the program: those of all built-in models, the sources that a user's model is
 * compiled with, each as one file that includes no other of ours, and app/verify/model_traces.txt. The build
 * makes them (kernels/compiler/model_compiler.c). */
#ifndef CARDIAC_APP_MODELS_BUNDLED_H
#define CARDIAC_APP_MODELS_BUNDLED_H

#include "kernels/base/sha256.h"
#include "kernels/ionic/ionic.h"

struct bundled_text {
    const char *name, *text;
};

/* A built-in model that the build does not compile: it is compiled at its first use, as a user's */
struct bundled {
    const char *name, *text; /* "grandi-epi", "grandi_2010.mmt" */
    const char *title;
    int states, operations; /* as in struct ionic_model */
};

/* Up to a name that is NULL */
extern const struct bundled_text bundled_texts[];
extern const struct bundled bundled_models[];

/* The model of that name, or NULL */
const struct bundled *bundled_find(const char *name);
/* The text of that name, or NULL; the one of a model that the build compiles, or NULL */
const char *bundled_text(const char *name);
const char *bundled_text_of(const struct ionic_model *model);

/* sha <- with the text of a model without the properties that declare its variants, which differ in values
 * alone: what a text computes stays the same when it gains a variant. */
void bundled_digest(struct sha256 *sha, const char *text, size_t bytes);

#endif
