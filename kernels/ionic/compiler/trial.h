/* trial.h: what one beat of a cell shows: how far its states go, and how fast they forget.
 *
 * The beat is computed in double from the text's formulas, each state by f dt (e^y - 1) / y with y = dt
 * df/dx, with the text's own stimulus, or 50 mV/ms during 1 ms where it has none. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_TRIAL_H
#define CARDIAC_KERNELS_IONIC_COMPILER_TRIAL_H

#include "kernels/ionic/compiler/cell.h"

struct trial_state {
    double low, high; /* of its values */
    double fastest;   /* largest -df/dx, 1/ms */
    double mean;      /* of -df/dx over the beat, 1/ms */
};

/* seen[cell->states] <- of a beat, decay[s] being the node of -df/dx of state s. Where it fails to stay
 * finite, what was seen up to then. */
enum status trial_run(struct trial_state *seen, const struct cell *cell, const int *decay,
                      struct error *error);

#endif
