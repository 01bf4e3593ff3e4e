/* columns.h: which formulas of a step are worth a column of a table in V.
 *
 * They are the largest that depend on V alone, or on one potential difference V + x alone, and are more than
 * a few operations; the latter are read at that difference. What jumps or turns between rows, or jumps where
 * no condition on a line in V says, is computed. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H
#define CARDIAC_KERNELS_COMPILER_EMIT_COLUMNS_H

#include "kernels/compiler/emit/emit.h"

enum { COLUMNS_MIN = 4 };

/* table <- columns of what the roots need, in the order of the roots; none where fewer than COLUMNS_MIN are
 * worth one */
enum status columns_choose(struct emit_table *table, struct algebra *a, const int *root, int roots,
                           struct error *error);

/* Operations of what the roots need, each counted once, an exponential or a division as several, constants
 * not */
enum status columns_operations(int *operations, struct algebra *a, const int *root, int roots,
                               struct error *error);

#endif
