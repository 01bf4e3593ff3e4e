/* pacing.h: the stimuli of one cell, beat by beat, and the states that they lead to. */
#ifndef CARDIAC_APP_MODELS_PACING_H
#define CARDIAC_APP_MODELS_PACING_H

#include <stdint.h>

#include "app/models/single_cell.h"
#include "app/models/user_model.h"
#include "solver/params.h"

/* A train of stimuli in steps of `step`. Where the period is a whole number of steps every beat has the bits
 * of the first, whatever the time is. */
struct pacing {
    double step;              /* ms */
    struct stimulus stimulus; /* of no nodes; count is 1 or more */
    int64_t period;           /* its period in steps; 0 = it is no whole number of them */
};

/* The default train of a model: the first event of a text's own protocol (user, NULL = built in), also where
 * its current is 0, else 52 uA/uF for 1 ms, from 10 ms on and every 1000 ms. One stimulus, no step. */
enum status pacing_usual(struct pacing *pacing, const struct user_model *user, const double *parameter,
                         struct error *error);

/* text <- how a train of pacing_usual differs from the text's own protocol, or that this excites nothing; or
 * "" */
void pacing_note(char *text, size_t room, const struct pacing *pacing, const struct user_model *user);

/* pacing->period <- for its step, stimulus.period and count */
void pacing_set_period(struct pacing *pacing);

/* The beat that step n belongs to, from 0, whether or not it has a stimulus; -1 before the first */
int64_t pacing_beat(const struct pacing *pacing, int64_t n);

/* Its mean current during step n, uA/uF */
double pacing_current(const struct pacing *pacing, int64_t n);

/* One step, number n; STATUS_RUN when V leaves +-10 V. */
enum status pacing_step(const struct pacing *pacing, struct single_cell *cell, int64_t n,
                        struct error *error);

enum { PACING_STEPS_MOST = 1000000000 };

/* A cell of the model, stepped in one way */
struct pacing_cell {
    const struct ionic_model *model;
    const struct user_model *user; /* NULL = built in */
    const double *parameter;       /* [model->parameters]; NULL = the model's own */
    struct source_way way;
    double step; /* ms */
};

/* pacing_note() of the cell's usual train */
void pacing_cell_note(char *text, size_t room, const struct pacing_cell *cell);

/* value[single_cell_values] <- when its last beat ends, of so many, `period` ms (a multiple of the step)
 * apart, from the model's own state and with the usual stimulus: what `cardiac cell` ends with, bit for bit,
 * or the entry of the cache. STATUS_RUN when V is lost; errors of cache_open. */
enum status pacing_states(double *value, const struct pacing_cell *cell, int64_t beats, double period,
                          struct error *error);

/* value[count][single_cell_values] <- after step[k] = 0, 1 .. period / step of the last beat, ascending; at
 * the end of the beat the above. Errors as above, without a cache. */
enum status pacing_beat_states(double *value, const int64_t *step, int64_t count,
                               const struct pacing_cell *cell, int64_t beats, double period,
                               struct error *error);

/* rise[2] <- ms when V of a cell without current rises through threshold[0] (mV), first and next, after it was
 * below threshold[1] <= threshold[0]; infinite = not by `until` ms. initial: V and states, NULL = the model's own.
 * Errors: STATUS_RUN. */
enum status pacing_alone(double rise[2], const struct pacing_cell *cell, const double *initial,
                         const double threshold[2], double until, struct error *error);

/* *threshold <- V (mV) through which the activations of a model rise: 0.4 of the way from its own state to
 * the peak of a beat after 52 uA/uF for 1 ms, rounded down to 5 mV; 0 if no front travels in its tissue; NAN if
 * V is lost, and the error says when. Steps are the cell's, within 0.001 and 0.02 ms. The code must be loaded.
 * It is stored in the cache as kind "rise". Errors: STATUS_RUN without memory or a device. */
enum status pacing_threshold(double *threshold, const struct pacing_cell *cell, struct error *error);

#endif
