/* action_potential.h: measure the action potentials of one cell, step by step, with the same observer as the maps of a
 * tissue (kernels/ops/observer.h), so that equal V give equal numbers. */
#ifndef CARDIAC_APP_MODELS_ACTION_POTENTIAL_H
#define CARDIAC_APP_MODELS_ACTION_POTENTIAL_H

#include <stdbool.h>
#include <stdint.h>

enum { ACTION_POTENTIAL_30, ACTION_POTENTIAL_50, ACTION_POTENTIAL_90, ACTION_POTENTIAL_PERCENTS };

/* NaN = has not happened */
struct action_potential {
    double activation;                     /* ms, when V crosses the threshold upwards */
    double rest, peak;                     /* mV: the lowest V since the previous one began; the highest V */
    double slope;                          /* mV/ms, the maximal dV/dt */
    double apd[ACTION_POTENTIAL_PERCENTS]; /* ms until V has fallen by 30, 50, 90 % of peak - rest */
    double eads;                           /* early afterdepolarisations so far */
    double rested; /* ms of diastole before it, since the 90 % repolarisation of the previous one */
};

/* The observer's state. It holds no pointers: a copy is independent. */
struct action_potentials {
    double threshold, rearm; /* mV, as in solver/params.h */
    int32_t count;
    double memory[38];
};

/* Starts observing; rest: the model's resting V, mV */
void action_potentials_start(struct action_potentials *potentials, double threshold, double rearm,
                             double rest);
/* Observes step n of length dt (ms), from v to u (mV); true if an action potential begins in it. */
bool action_potentials_follow(struct action_potentials *potentials, int64_t n, double dt, double v, double u);
/* The latest action potential */
struct action_potential action_potentials_latest(const struct action_potentials *potentials);

#endif
