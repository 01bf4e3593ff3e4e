/* cell_trace.h: one cell in time: its table, and the action potential and calcium transient of each beat. */
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

/* From the start of its stimulus to that of the next. NAN = did not happen. */
struct beat {
    double start;                      /* ms */
    struct action_potential potential; /* the first one that begins in it */
    int64_t later;                     /* stimuli during it that evoked none: each may raise V once */
    double ca_rest, ca_peak; /* cytosolic calcium when the beat begins, and its highest, in its unit */
    double ca_time;          /* ms from start to ca_peak */
    double own;              /* mV: most that the cell's own currents raised V by, beyond its stimulus */
    double charge;           /* mV: what the stimulus alone would have raised V by so far */
    double first;            /* mV: V when the beat begins */
    int calcium;             /* the state of cytosolic calcium, -1 = none */
};

/* An observer of the cell, and the beat of its latest action potential; NULL = none */
struct beat_watch {
    struct action_potentials potentials;
    struct beat *latest;
};

/* A beat that begins with the cell as it is */
struct beat beat_begin(double start, const struct single_cell *cell);
/* After step n, with V before it and the stimulus during it; beat NULL = before the first */
void beat_follow(struct beat_watch *watch, struct beat *beat, const struct single_cell *cell, int64_t n,
                 double before, double stimulus);

/* How the table of beats begins */
static const char beat_mark[] = "beat,start (ms),";
/* One line a beat: of JSON, in columns under a line of names, or of CSV, where an empty cell is NaN */
void beat_table(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
/* A line for each beat that is no healthy one. time: ms, the end; period: ms, 0 = none */
void beat_warn(FILE *file, const struct beat *beat, int64_t beats, double time, double period);

struct cell_protocol {
    const struct ionic_model *model;
    const double *parameter; /* [model->parameters] */
    const double *initial;   /* [single_cell_values] */
    struct source_way way;
    struct pacing pacing;
    int64_t steps;    /* how many */
    int64_t every;    /* steps between two lines of the table */
    double threshold; /* mV, through which V rises when an action potential begins */
    double steady;    /* ends after the first beat whose change from the one before is less, of its range; 0 =
                         never */
    const int *column; /* [columns] of the table, after t and V: numbers of single_cell_columns */
    int columns;
};

struct cell_outcome {
    struct beat *beat; /* [pacing.stimulus.count], start NAN for those that were not reached */
    int64_t beats;     /* that have ended */
    double time;       /* ms, the end, and */
    double *value;     /* [single_cell_values] then */
    double change;     /* of the last beat, and of which value; only with protocol->steady */
    int changing;
    struct beat_watch watch;
};

/* An observer of its action potentials */
struct action_potentials cell_potentials(const struct cell_protocol *protocol);
/* A cell that begins with protocol->initial */
enum status cell_begin(struct single_cell *cell, const struct cell_protocol *protocol, struct error *error);

enum status cell_outcome_new(struct cell_outcome *outcome, const struct cell_protocol *protocol,
                             struct error *error);
void cell_outcome_free(struct cell_outcome *outcome);

/* Writes the table (CSV, one header line with units) to `table`, unless that is NULL, and fills *outcome.
 * Errors: STATUS_RUN when V leaves +-10 V or the table cannot be written, or without memory. */
enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct cell_outcome *outcome,
                       struct error *error);

#endif
