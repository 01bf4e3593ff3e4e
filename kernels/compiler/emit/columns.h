/* columns.h: selects the formulas of a step that become columns of a table in V.
 *
 * A column is a maximal formula of more than a few operations that depends on V alone, or on one potential
 * difference V + x alone; the latter is read at that difference. Formulas with a kink between rows, or with a
 * jump that no condition changing at a single V explains, are computed instead. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H
#define CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H

#include "kernels/compiler/emit/emit.h"

enum { COLUMNS_MIN = 4 };

/* table <- columns for the roots, in their order; none if fewer than COLUMNS_MIN are worthwhile */
enum status columns_choose(struct emit_table *table, struct algebra *a, const int *root, int roots,
                           struct error *error);

/* *operations <- the operations that the roots need, each counted once; an exponential or a division counts
 * as several, a constant as none */
enum status columns_operations(int *operations, struct algebra *a, const int *root, int roots,
                               struct error *error);

#endif
