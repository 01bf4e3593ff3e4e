/* layout.h: the location of each state of a model in memory, in fp64 or in mixed state.
 *
 * A state is a row with one number per cell, in state64, or in mixed state, unless the model marks it
 * fp64, in state32. In both arrays the rows are in the order of model->state; the loops over cells count
 * rows in the same order (loops.h, loops.cuh). */
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

/* Number of rows of state64; the other states are in state32 */
int ionic_states64(const struct ionic_model *model, bool mixed);

/* Bytes per cell */
size_t ionic_state_bytes(const struct ionic_model *model, bool mixed);

#endif
