/* action_potential.h: the action potentials of one cell, step by step, by the observer that makes the maps of
 * a tissue (kernels/ops/observer.h): the same numbers for the same V. */
#ifndef CARDIAC_APP_MODELS_ACTION_POTENTIAL_H
#define CARDIAC_APP_MODELS_ACTION_POTENTIAL_H

#include <stdbool.h>
#include <stdint.h>

enum { ACTION_POTENTIAL_30, ACTION_POTENTIAL_50, ACTION_POTENTIAL_90, ACTION_POTENTIAL_PERCENTS };

/* NaN = did not happen, or not yet */
struct action_potential {
    double activation;                     /* ms, when V rises through the threshold */
    double rest, peak;                     /* mV: the lowest V since the one before began, and the highest */
    double slope;                          /* mV/ms, the steepest rise */
    double apd[ACTION_POTENTIAL_PERCENTS]; /* ms until V has fallen by 30, 50, 90 % of peak - rest */
    double eads;                           /* early afterdepolarisations so far */
    double rested; /* ms of diastole before it, from the 90 % repolarisation of the one before */
};

/* The observer's state. It holds no pointers: a copy is independent. */
struct action_potentials {
    double threshold, rearm; /* mV, as in solver/params.h */
    int32_t count;
    double memory[38];
};

/* rest: mV, of the model */
void action_potentials_start(struct action_potentials *potentials, double threshold, double rearm,
                             double rest);
/* Step n of dt (ms), from v to u; true: an action potential begins in it. */
bool action_potentials_follow(struct action_potentials *potentials, int64_t n, double dt, double v, double u);
/* The latest */
struct action_potential action_potentials_latest(const struct action_potentials *potentials);

#endif
