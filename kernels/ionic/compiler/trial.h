/* trial.h: what one beat of a cell shows: how far its states go, how fast they are, and how long they
 * remember.
 *
 * The beat is computed in double from the text's formulas by the step of step.h, with the stiff states of the
 * moment, and with the text's own stimulus, or 50 mV/ms during 1 ms where it has none. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_TRIAL_H
#define CARDIAC_KERNELS_IONIC_COMPILER_TRIAL_H

#include "kernels/ionic/compiler/cell.h"

struct trial_state {
    double low, high; /* of its values */
    double fastest;   /* largest -df/dx, 1/ms */
    double forgets;   /* mean over the beat, 1/ms: -df/dx where it is alone (trial.c) */
};

/* What the beat is computed from */
struct trial_rates {
    const bool *gate; /* [states] */
    const int *slope; /* [states][states] nodes: df/dx of a rate by a state; of gates the diagonal alone */
    double stiff;     /* 1/ms: a state is stiff while -df/dx is larger */
};

/* seen[cell->states] <- of a beat. Where it fails to stay finite, what was seen up to then. */
enum status trial_run(struct trial_state *seen, const struct cell *cell, const struct trial_rates *rates,
                      struct error *error);

#endif
