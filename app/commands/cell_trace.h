/* cell_trace.h: one cell in time, and what is measured of its action potentials. */
#ifndef CARDIAC_APP_COMMANDS_CELL_TRACE_H
#define CARDIAC_APP_COMMANDS_CELL_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/base/error.h"
#include "kernels/ionic/ionic.h"
#include "solver/monodomain.h"

/* A column of the table: a state, or a current of the model. */
struct cell_column {
    bool current;
    int index; /* into model->state or model->current */
};

struct cell_protocol {
    const struct ionic_model *model;
    const double *parameter; /* [model->parameters] */
    bool mixed, tables;
    double step;   /* ms */
    int64_t steps; /* how many */
    int64_t every; /* steps between two lines of the table */
    struct stimulus stimulus;
    const struct cell_column *column;
    int columns;
};

/* One action potential, from the start of its stimulus to that of the next. NAN = did not happen. */
struct beat {
    double start;             /* ms */
    double rest, peak;        /* mV: V when the beat begins, and the highest V */
    double slope, slope_time; /* largest dV/dt over one step, mV/ms, and the middle of that step */
    double apd50, apd90;      /* ms from slope_time until V has fallen by 50, 90 % of peak - rest */
};

/* Writes the table (CSV, one header line with units) to `table` and fills beat[beats], the last `beats` slots
 * left NAN where the time ends before. Errors: STATUS_RUN when V leaves +-10 V or the table cannot be
 * written, or without memory. */
enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct beat *beat, int64_t beats,
                       struct error *error);

#endif
