/* cell_trace.h: trace one cell over time: its table, and the action potential and calcium transient of each beat. */
#ifndef CARDIAC_APP_COMMANDS_CELL_TRACE_H
#define CARDIAC_APP_COMMANDS_CELL_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/models/action_potential.h"
#include "app/models/pacing.h"
#include "app/models/single_cell.h"
#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* A beat, from the start of its stimulus to that of the next. NAN = did not happen. */
struct beat {
    double start;                      /* ms */
    struct action_potential potential; /* the first one that begins in it */
    int64_t later;                     /* stimuli during it that evoked none; each may raise V once */
    double ca_rest, ca_peak; /* cytosolic calcium at the start of the beat, and its maximum, in its unit */
    double ca_time;          /* ms from start to ca_peak */
    double own;              /* mV: largest rise of V by the cell's own currents, in excess of the stimulus */
    double charge;           /* mV: rise of V that the stimulus alone would have caused so far */
    double first;            /* mV: V at the start of the beat */
    int calcium;             /* the state of cytosolic calcium, -1 = none */
};

/* An observer of the cell, and the beat of its latest action potential; NULL = none */
struct beat_watch {
    struct action_potentials potentials;
    struct beat *latest;
};

/* A beat that begins with the cell's current state */
struct beat beat_begin(double start, const struct single_cell *cell);
/* Call after step n. before: V before the step, mV; stimulus: during it, uA/uF; beat NULL = before the first beat */
void beat_follow(struct beat_watch *watch, struct beat *beat, const struct single_cell *cell, int64_t n,
                 double before, double stimulus);

/* The text with which the table of beats begins */
static const char beat_mark[] = "beat,start (ms),";
/* Write one line a beat: beat_table as CSV, where an empty cell is NaN; beat_json as JSON; beat_print in columns under
 * a header */
void beat_table(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
/* Prints a line for each abnormal beat. time: end of the trace, ms; period: ms, 0 = none */
void beat_warn(FILE *file, const struct beat *beat, int64_t beats, double time, double period);

struct cell_protocol {
    const struct ionic_model *model;
    const double *parameter; /* [model->parameters] */
    const double *initial;   /* [single_cell_values] */
    struct source_way way;
    struct pacing pacing;
    int64_t steps;    /* number of steps */
    int64_t every;    /* steps between two lines of the table */
    double threshold; /* mV; an action potential begins when V crosses it upwards */
    double steady;    /* stop after the first beat that differs from the previous one by less, relative to its
                         range; 0 = never */
    const int *column; /* [columns] of the table, after t and V: numbers of single_cell_columns */
    int columns;
};

struct cell_outcome {
    struct beat *beat; /* [pacing.stimulus.count], start NAN for those that were not reached */
    int64_t beats;     /* that have ended */
    double time;       /* ms, end of the trace */
    double *value;     /* [single_cell_values] state at that time */
    double change;     /* largest relative change in the last beat; only with protocol->steady */
    int changing;      /* the value with that change */
    struct beat_watch watch;
};

/* An observer of its action potentials */
struct action_potentials cell_potentials(const struct cell_protocol *protocol);
/* A cell that begins with protocol->initial */
enum status cell_begin(struct single_cell *cell, const struct cell_protocol *protocol, struct error *error);

enum status cell_outcome_new(struct cell_outcome *outcome, const struct cell_protocol *protocol,
                             struct error *error);
void cell_outcome_free(struct cell_outcome *outcome);

/* Writes the table (CSV, one header line with units) to `table`, unless NULL, and fills *outcome. Errors: STATUS_RUN if
 * |V| exceeds 10 V, the table cannot be written, or out of memory. */
enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct cell_outcome *outcome,
                       struct error *error);

#endif
