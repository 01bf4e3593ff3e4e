/* compiler.h: compiles a cell to C formulas for gcc, nvcc and NVRTC, and to the description of a model. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_COMPILER_H
#define CARDIAC_KERNELS_COMPILER_EMIT_COMPILER_H

#include <stdbool.h>

#include "kernels/base/model.h"
#include "kernels/compiler/algebra/sums.h"

/* The compiled cell. States, parameters and quantities are the cell's, in the same order. */
struct compiled {
    char *formulas;   /* the text of a header as kernels/ionic/formulas.h reads it (IONIC_TEXT) */
    bool *fp64;       /* [cell->states]: stays fp64 when state is stored in mixed precision */
    int columns;      /* of the table in V, 0 = none */
    int order;        /* order of accuracy of the step in dt */
    int operations;   /* of a step without a table (columns.h); 0 if read from a cache */
    struct sums sums; /* of states other than gates; points at the cell. None if read from a cache. */
};

/* *compiled <- the formulas of `cell` under the name `formula`, a C identifier; other names are those of the
 * text (listing.h). Errors: STATUS_INPUT if a formula cannot be stepped or if a conserved sum changes during
 * a beat, STATUS_RUN if out of memory. */
enum status compiler_make(struct compiled *compiled, struct cell *cell, const char *formula,
                          struct error *error);
void compiler_free(struct compiled *compiled);

/* An ionic model's names, units and values, taken from its text.
 *
 * They are the same for a built-in and a user's model; only the code of the loops is missing. */

/* The descriptive fields of *model, except its name <- those of the cell, or of its variant (NULL = none).
 * All names belong to the cell; the caller frees *values (states, parameters, currents). */
enum status compiler_describe(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                              const struct cell_variant *variant, const struct compiled *compiled,
                              struct error *error);

#endif
