/* compiler.h: a cell becomes C: formulas for gcc, nvcc and NVRTC alike, and what a model's description needs.
 */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_COMPILER_H
#define CARDIAC_KERNELS_COMPILER_EMIT_COMPILER_H

#include <stdbool.h>

#include "kernels/base/model.h"
#include "kernels/compiler/algebra/sums.h"

/* The compiled cell. States, parameters and quantities are those of the cell, in its order. */
struct compiled {
    char *formulas;   /* the text of a header as kernels/ionic/formulas.h reads it (IONIC_TEXT) */
    bool *fp64;       /* [cell->states] stays fp64 in mixed state */
    int columns;      /* of the table in V, 0 = none */
    int order;        /* in dt, of the step */
    int operations;   /* of a step without a table (columns.h); 0 from a cache */
    struct sums sums; /* of states that are no gates; they point at the cell. None from a cache. */
};

/* *compiled <- the formulas of `cell` under the name `formula`, a C identifier; other names are those of the
 * text (listing.h). Errors: STATUS_INPUT where a formula cannot be stepped or a beat of it loses a conserved
 * sum, STATUS_RUN without memory. */
enum status compiler_make(struct compiled *compiled, struct cell *cell, const char *formula,
                          struct error *error);
void compiler_free(struct compiled *compiled);

/* An ionic model's names, units and values, taken from its text.
 *
 * The same for a built-in model and for a user's: only the code of its loops is missing. */

/* The described fields of *model, except its name <- the cell's, or its variant's (NULL = none). All names
 * belong to the cell; *values (states, parameters, currents) is to be freed. */
enum status compiler_describe(struct ionic_model *model, struct ionic_value **values, const struct cell *cell,
                              const struct cell_variant *variant, const struct compiled *compiled,
                              struct error *error);

#endif
