/* source.h: compile a model's formulas to machine code, or load it from the cache. */
#ifndef CARDIAC_APP_MODELS_SOURCE_H
#define CARDIAC_APP_MODELS_SOURCE_H

#include <stdbool.h>

#include "kernels/base/error.h"

/* The name of the formulas in the code */
#define SOURCE_FORMULA "loaded"

/* An integration scheme of cells. Each is compiled at its first use, since a long text takes the compiler seconds. */
struct source_way {
    bool mixed, tables, staggered;
};

/* The name of its step on the GPU: "step", "tabled", "staggered" or "tabled_staggered" */
const char *source_how(struct source_way way);

/* The translation unit around the formulas: kernels/ionic/loaded.h or, with `cuda`, kernels/ionic/loops.cuh. NULL if
 * out of memory; the caller frees it. */
struct model_source;
char *source_make(const struct model_source *source, struct source_way way, bool cuda);

/* What to compile, and the time spent on it. Cells may differ in the parameters in `varied`: constants that depend on
 * them are stored in rows (struct ionic_cells.own), all others once. */
struct model_source {
    const char *name; /* for the forecast, a line on a terminal */
    const char *formulas;
    const int *varied; /* [varies] numbers of parameters */
    int varies;
    double seconds; /* of all compilations so far */
};

/* Whether gates read a constant that depends on a varied parameter and on dt */
bool source_gates_vary(const struct model_source *source);

/* *library, *code <- the loaded object of a clone ("plain", "avx2", "avx512") and its symbol. A cache entry that cannot
 * be loaded is removed and compiled again. */
enum status source_load(void **library, const void **code, struct model_source *source, const char *clone,
                        struct source_way way, struct error *error);

/* *image <- the GPU's machine code, which the caller frees; architecture: 90 = sm_90 */
enum status source_image(char **image, struct model_source *source, int architecture, struct source_way way,
                         struct error *error);

#endif
