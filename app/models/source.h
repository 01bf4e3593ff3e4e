/* source.h: a model's formulas as machine code: the source around them, compiled or taken from the cache. */
#ifndef CARDIAC_APP_MODELS_SOURCE_H
#define CARDIAC_APP_MODELS_SOURCE_H

#include <stdbool.h>

#include "kernels/base/error.h"

/* The name of the formulas in the code */
#define SOURCE_FORMULA "loaded"

/* A way of stepping the cells. Each is compiled at its first use, since of a long text each takes the
 * compiler seconds. */
struct source_way {
    bool mixed, tables, staggered;
};

/* What its step is called on the GPU: "step", "tabled", "staggered" or "tabled_staggered" */
const char *source_how(struct source_way way);

/* The text of the unit of kernels/ionic/loaded.h or, with `cuda`, of kernels/ionic/loops.cuh around the
 * formulas; to be freed, NULL without memory. */
struct model_source;
char *source_make(const struct model_source *source, struct source_way way, bool cuda);

/* What is compiled, and how long that took. Of the parameters in `varied`, cells may have different values:
 * the constants that depend on them are rows (struct ionic_cells.own), the others as they are. */
struct model_source {
    const char *name; /* for the forecast, a line on a terminal */
    const char *formulas;
    const int *varied; /* [varies] numbers of parameters */
    int varies;
    double seconds; /* of all compilations so far */
};

/* Whether gates read a constant that depends on one of those parameters and on dt */
bool source_gates_vary(const struct model_source *source);

/* *library, *code <- the loaded object of a clone ("plain", "avx2", "avx512") and the symbol in it. An entry
 * of the cache that cannot be loaded is removed and compiled once more. */
enum status source_load(void **library, const void **code, struct model_source *source, const char *clone,
                        struct source_way way, struct error *error);

/* *image <- the GPU's machine code, to be freed; architecture: 90 = sm_90 */
enum status source_image(char **image, struct model_source *source, int architecture, struct source_way way,
                         struct error *error);

#endif
