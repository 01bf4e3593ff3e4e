/* pacing.h: pace one cell beat by beat, and find the states that it reaches. */
#ifndef CARDIAC_APP_MODELS_PACING_H
#define CARDIAC_APP_MODELS_PACING_H

#include <stdint.h>

#include "app/models/single_cell.h"
#include "app/models/user_model.h"
#include "solver/params.h"

/* A train of stimuli on a grid of steps. If the period is a whole number of steps, every beat is bit-identical to the
 * first, independent of the time. */
struct pacing {
    double step;              /* ms */
    struct stimulus stimulus; /* of no nodes; count is 1 or more */
    int64_t period;           /* its period in steps; 0 = not a whole number of steps */
};

/* *pacing <- the default train of a model: the first event of its text's own protocol (user; NULL = built in), even if
 * its current is 0; else 52 uA/uF for 1 ms, from 10 ms on, every 1000 ms. count is 1, step is not set. */
enum status pacing_usual(struct pacing *pacing, const struct user_model *user, const double *parameter,
                         struct error *error);

/* text <- a note if a train of pacing_usual() differs from the text's own protocol, or if that has no effect; or "" */
void pacing_note(char *text, size_t room, const struct pacing *pacing, const struct user_model *user);

/* pacing->period <- from its step, stimulus.period and count */
void pacing_set_period(struct pacing *pacing);

/* The beat to which step n belongs, from 0, even after the last stimulus; -1 before the first */
int64_t pacing_beat(const struct pacing *pacing, int64_t n);

/* The mean stimulus current during step n, uA/uF */
double pacing_current(const struct pacing *pacing, int64_t n);

/* Takes step n. Errors: STATUS_RUN if |V| exceeds 10 V. */
enum status pacing_step(const struct pacing *pacing, struct single_cell *cell, int64_t n,
                        struct error *error);

enum { PACING_STEPS_MOST = 1000000000 };

/* A cell of a model, with its integration scheme */
struct pacing_cell {
    const struct ionic_model *model;
    const struct user_model *user; /* NULL = built in */
    const double *parameter;       /* [model->parameters]; NULL = the model's own */
    struct source_way way;
    double step; /* ms */
};

/* pacing_note() for the cell's default train */
void pacing_cell_note(char *text, size_t room, const struct pacing_cell *cell);

/* value[single_cell_values] <- the state after `beats` beats, `period` ms (a multiple of the step) apart, from the
 * model's own initial state with the default stimulus; from the cache if possible. Bit-identical to the end of
 * `cardiac cell`. Errors: STATUS_RUN if V diverges; those of cache_open() and cache_write(). */
enum status pacing_states(double *value, const struct pacing_cell *cell, int64_t beats, double period,
                          struct error *error);

/* value[count][single_cell_values] <- the states after step[k] of the last beat, ascending in 0 .. period / step; at
 * period / step it is the state above. Errors as above; does not use the cache. */
enum status pacing_beat_states(double *value, const int64_t *step, int64_t count,
                               const struct pacing_cell *cell, int64_t beats, double period,
                               struct error *error);

/* rise[2] <- the first two times, ms, at which V of a cell without stimulus crosses threshold[0] (mV) upwards, each
 * after it was below threshold[1] <= threshold[0]; infinite = not before `until` ms. initial: V and states, NULL = the
 * model's own. Errors: STATUS_RUN. */
enum status pacing_alone(double rise[2], const struct pacing_cell *cell, const double *initial,
                         const double threshold[2], double until, struct error *error);

/* *threshold <- the activation threshold of a model, mV: 0.4 of the way from its own initial V to the peak of a beat
 * after 52 uA/uF for 1 ms, rounded down to 5 mV; 0 if no front travels in its tissue; NAN if V diverges, with the time
 * in *error. Steps are the cell's, limited to 0.001 .. 0.02 ms. The code must be loaded. Cached as kind "rise". Errors:
 * STATUS_RUN if out of memory or without a device. */
enum status pacing_threshold(double *threshold, const struct pacing_cell *cell, struct error *error);

#endif
