/* cell_trace.h: one cell in time, and what is measured of its action potentials. */
#ifndef CARDIAC_APP_COMMANDS_CELL_TRACE_H
#define CARDIAC_APP_COMMANDS_CELL_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/commands/cell_beat.h"
#include "app/models/pacing.h"
#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"

/* A column of the table: a state, or a current of the model. */
struct cell_column {
    bool current;
    int index; /* into model->state or model->current */
};

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
    const struct cell_column *column;
    int columns;
};

struct cell_outcome {
    struct beat *beat; /* [pacing.stimulus.count], those that did not come with start NAN */
    int64_t beats;     /* that have ended */
    double time;       /* ms, the end, and */
    double *value;     /* [single_cell_values] then */
    double change;     /* of the last beat, and whose it is; with protocol->steady alone */
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
