/* trial.h: what one beat of a cell shows: how far its states go, how fast they are, and how long they
 * remember.
 *
 * The beat is computed in double from the text's formulas by the step of step.h, with the text's own
 * stimulus, or 50 mV/ms during 1 ms where it has none. A step is so short that two halves of it differ from
 * it by at most a tolerance, in parts of each state's range and of 100 mV of V. Beats are repeated with a
 * fourth of the tolerance until two agree on the states' ranges within a tenth, and on which states are
 * stiff. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_TRIAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_TRIAL_H

#include "kernels/compiler/algebra/sums.h"

struct trial_state {
    double low, high; /* of its values */
    double fastest;   /* largest -df/dx, 1/ms */
    double forgets;   /* mean over the beat, 1/ms: -df/dx where it is alone (trial.c) */
};

/* What the beat is computed from */
struct trial_rates {
    const bool *gate;    /* [states] */
    const bool *unknown; /* [states]: its change is solved for with others' */
    const int *slope;    /* [states][states] nodes: df/dx of a rate by a state; of gates the diagonal alone */
    double stiff;        /* 1/ms: a state is stiff if -df/dx is ever larger */
};

/* seen[cell->states] <- of a beat. It ends where a state becomes stiff that is neither a gate nor an unknown:
 * call again with that state among the unknowns. If no step is short enough or the work too much, seen is
 * that of the last beat. Errors: a conserved sum is lost (STATUS_INPUT), no memory. */
enum status trial_run(struct trial_state *seen, const struct cell *cell, const struct trial_rates *rates,
                      const struct sums *sums, struct error *error);

/* Whether state s is stiff, and yet neither a gate nor an unknown */
bool trial_missed(const struct trial_state *seen, const struct trial_rates *rates, int s);

#endif
