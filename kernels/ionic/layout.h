/* layout.h: where each state of a model is in memory, in fp64 or in mixed state.
 *
 * A state is a row with one number for each cell: of state64, or in mixed state, unless the model keeps it in fp64, of
 * state32. In both, rows are in the order of model->state; the loops over cells count rows in the same
 * order (loops.h, loops.cuh). */
#ifndef CARDIAC_KERNELS_IONIC_LAYOUT_H
#define CARDIAC_KERNELS_IONIC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ionic_model;

/* Row `row` of state32 if fp32, else of state64 */
struct ionic_layout {
    bool fp32;
    int row;
};

/* The row of state s of the model */
struct ionic_layout ionic_layout(const struct ionic_model *model, bool mixed, int s);

/* Rows of state64; state32 has the other states */
int ionic_states64(const struct ionic_model *model, bool mixed);

/* Bytes of a cell in all rows */
size_t ionic_state_bytes(const struct ionic_model *model, bool mixed);

#endif
