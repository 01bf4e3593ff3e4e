/* emit.h: writes the C text of a compiled model: one step of a cell, its constants, currents and table. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_EMIT_H
#define CARDIAC_KERNELS_COMPILER_EMIT_EMIT_H

#include <stdint.h>

#include "kernels/compiler/algebra/step.h"

/* One way of stepping a cell */
struct emit_step {
    int v_rate;              /* node: dV/dt without a stimulus, mV/ms */
    const struct step *step; /* increment of each state */
    const int *order;        /* [states] order of computation */
};

/* Functions of V alone, read from a table instead: consumer k reads column `column`, tabulated in V, at
 * the V of node `argument` (V itself, or a potential difference) */
struct emit_column {
    int consumer, column, argument;
    uint64_t jumps; /* bit mask of the table's jumps at which this column may jump */
};
enum { EMIT_COLUMNS_MAX = 256, EMIT_JUMPS_MAX = 64 };
struct emit_table {
    int columns; /* even; 0 = no table */
    struct emit_column column[EMIT_COLUMNS_MAX];
    int jumps; /* conditions, each of which changes at a single V, where columns may jump */
    int jump[EMIT_JUMPS_MAX];
};

struct emit_model {
    const struct cell *cell;
    const char *formula;
    const bool *fp64;
    const int *quantity; /* [cell->quantities] nodes */
    struct emit_step step, tabled;
    const struct emit_table *table;
};

/* Returns the text for kernels/ionic/formulas.h, which the caller frees. Two further definitions list
 * constants (app/models/source.c reads them):
 *
 *   #define IONIC_READERS_13 k29 k31     those that depend on parameter 13
 *   #define IONIC_READERS_GATES k40      those that gates read and that depend on dt
 *
 * Returns NULL and sets the error if a number is not finite or memory runs out */
char *emit_text(struct algebra *a, const struct emit_model *model, struct error *error);

#endif
