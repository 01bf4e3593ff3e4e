/* cell.h: one cell at 1 Hz: the protocol, the figures of its last beat and their stored values. */
#ifndef CARDIAC_APP_VERIFY_CELL_H
#define CARDIAC_APP_VERIFY_CELL_H

#include "app/models/action_potential.h"

enum { CELL_BEATS = 3, CELL_PERIOD = 1000, CELL_FINE = 5 }; /* ms; in the first 5 every step is sampled */
#define CELL_SAMPLE 0.1                                     /* ms between samples after that */
#define CELL_STIMULUS 52.0                                  /* uA/uF during the first ms of each beat */

/* name, printed text, half the interval relative to the value: a few times the error that the step leaves */
#define CELL_FIGURES(X)                                                                                      \
    X(REST, "V before the beat, mV", 5e-6)                                                                   \
    X(PEAK, "highest V, mV", 5e-3)                                                                           \
    X(UP, "V passes 0 mV at, ms", 4e-4)                                                                      \
    X(SLOPE, "steepest rise, mV/ms", 1e-2)                                                                   \
    X(NOTCH, "V at 10 ms, mV", 1.5e-3)                                                                       \
    X(PLATEAU, "V at 100 ms, mV", 1.5e-4)                                                                    \
    X(APD50, "APD50, ms", 5e-4)                                                                              \
    X(APD90, "APD90, ms", 1.5e-4)                                                                            \
    X(CA_PEAK, "highest Ca_i, mM", 1e-4)                                                                     \
    X(CA_REST, "Ca_i after the beat, mM", 4e-5)                                                              \
    X(CA_SR, "Ca_SR after the beat, mM", 5e-5)                                                               \
    X(NA, "Na_i after the beat, mM", 1e-5)                                                                   \
    X(K, "K_i after the beat, mM", 1e-6)
#define CELL_NAME(name, what, within) CELL_##name,
enum { CELL_FIGURES(CELL_NAME) CELL_FIGURES_ALL };

/* The current beat and its figures so far */
struct cell_beat {
    double figure[CELL_FIGURES_ALL];
    struct action_potentials potentials;
};

/* V and concentrations at one time of the beat; ms, mV, mM */
struct cell_sample {
    double time, v, ca_i, ca_sr, na_i, k_i;
};

struct cell_beat cell_beat_begin(void);
/* Updates the figures by two successive samples. Call it in order from the start of the beat; `before` must be at a
 * multiple of the time between the two. */
void cell_beat_follow(struct cell_beat *beat, const struct cell_sample *before,
                      const struct cell_sample *now);

/* Figures of a model from its published CellML text, integrated by tests/kernels/cellml_check.c, which prints
 * these rows and compares against them. */
struct cell_stored {
    const char *model;
    double figure[CELL_FIGURES_ALL];
};
extern const struct cell_stored cell_stored[];
extern const int cell_stored_count;

#endif
