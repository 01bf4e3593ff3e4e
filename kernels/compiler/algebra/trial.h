/* trial.h: computes one beat of a cell to find each state's range, fastest rate and rate of decay.
 *
 * The beat is computed in double from the text's formulas with the step of step.h and the text's own
 * stimulus, or 50 mV/ms for 1 ms if it has none. The step size is chosen so that one step and two half steps
 * differ by at most a tolerance, relative to each state's range and to 100 mV for V. The beat is repeated
 * with a quarter of the tolerance until two beats agree on the states' ranges within a tenth, and on which
 * states are stiff. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_TRIAL_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_TRIAL_H

#include "kernels/compiler/algebra/sums.h"

struct trial_state {
    double low, high; /* range of its values */
    double fastest;   /* largest -df/dx, 1/ms */
    double forgets;   /* rate of decay, mean over the beat, 1/ms: -df/dx of a single state (trial.c) */
};

/* Input of a beat */
struct trial_rates {
    const bool *gate;    /* [states] */
    const bool *unknown; /* [states]: its change is an unknown of the linear system */
    const int *
        slope; /* [states][states] nodes: derivative of each rate by each state; of gates the diagonal only */
    double stiff; /* 1/ms: a state is stiff if -df/dx is ever larger */
};

/* seen[cell->states] <- results of a beat. The beat ends early if a state that is neither a gate nor an
 * unknown becomes stiff (trial_missed): call again with that state as an unknown. If no step is short enough,
 * or the limit of work is reached, seen is from the last beat. Errors: a conserved sum changes
 * (STATUS_INPUT), out of memory. */
enum status trial_run(struct trial_state *seen, const struct cell *cell, const struct trial_rates *rates,
                      const struct sums *sums, struct error *error);

/* Whether state s is stiff but neither a gate nor an unknown */
bool trial_missed(const struct trial_state *seen, const struct trial_rates *rates, int s);

#endif
