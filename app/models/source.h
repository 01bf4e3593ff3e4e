/* source.h: what a model's formulas are compiled as: one text each for the CPU and for the GPU. */
#ifndef CARDIAC_APP_MODELS_SOURCE_H
#define CARDIAC_APP_MODELS_SOURCE_H

#include <stdbool.h>

/* The formula that is compiled is called so */
#define SOURCE_FORMULA "loaded"

/* A way of stepping the cells: each is compiled when it is first wanted, since a long text takes a compiler
 * seconds for each */
struct source_way {
    bool mixed, tables;
};

/* The text of the unit of kernels/ionic/loaded.h or, with `cuda`, of kernels/ionic/loops.cuh around the
 * formulas; to be freed, NULL without memory. */
char *source_make(const char *formulas, struct source_way way, bool cuda);

#endif
