/* columns.h: which formulas of a step become a column of a table in V.
 *
 * They are the largest that depend on V alone, or on one potential difference V + x alone, and are more than
 * a few operations; the latter are read at that difference. Formulas with a kink between rows, or a jump without a
 * condition that changes at one V, are computed. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H
#define CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H

#include "kernels/compiler/emit/emit.h"

enum { COLUMNS_MIN = 4 };

/* table <- columns for the roots, in their order; none if fewer than COLUMNS_MIN pay */
enum status columns_choose(struct emit_table *table, struct algebra *a, const int *root, int roots,
                           struct error *error);

/* Operations needed by the roots, each counted once, an exponential or a division as several, constants
 * not counted */
enum status columns_operations(int *operations, struct algebra *a, const int *root, int roots,
                               struct error *error);

#endif
