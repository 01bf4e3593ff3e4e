/* cell.h: a cell as its text defines it: states, their rates, parameters, named quantities.
 *
 * V is in mV and time in ms here, whatever the text's units are: mmt_read (mmt.h) inserts the factors into
 * the formulas. Other states, parameters and quantities keep their units. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_CELL_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_CELL_H

#include <stdbool.h>

#include "kernels/base/arena.h"
#include "kernels/compiler/language/expression.h"

struct cell_state {
    const char *name; /* as in the text, "ina.m" */
    const char *unit, *meaning;
    double initial;
    int rate; /* node: its derivative, unit per ms */
};

struct cell_parameter {
    const char *name, *unit, *meaning;
    double value;
};

struct cell_quantity {
    const char *name, *unit, *meaning;
    int value; /* node */
};

/* One event of a protocol: a stimulus of `level` (relative to the text's own amplitude) at `start`, of length
 * `duration`, every `period` (0: once), `count` times (0: unlimited). Times in ms. */
struct cell_event {
    double level, start, duration, period;
    int count;
};

/* A variant that the text declares: a model with different values of some states and parameters */
struct cell_variant {
    const char *name, *title;           /* "tp06-endo"; title "" = the text's */
    double step_accurate, step_largest; /* ms, as in struct ionic_model; 0 = not given */
    double staggered_accurate, staggered_largest;
    double capacitance; /* uF/cm^2; 0 = not given */
    bool short_names;   /* names omit their component where they stay unique */
    double v_initial, *state, *parameter;
};

struct cell_warning {
    int line, column;
    char text[200];
};

struct cell {
    const char *name, *title, *reference; /* of the text; "" = not given */
    struct expression_graph graph;
    double v_initial; /* mV */
    const char *v_name;
    int v_rate; /* node: dV/dt, mV/ms; the stimulus (EXPRESSION_STIMULUS) enters with factor 1 */
    int states; /* without V */
    struct cell_state *state;
    int parameters; /* literal constants of the text */
    struct cell_parameter *parameter;
    int quantities; /* 0 is "Iion", uA/uF = -v_rate without a stimulus */
    struct cell_quantity *quantity;
    int stimulus; /* node: dV/dt due to the text's own stimulus current at a pace of 1, mV/ms; the number 0 if
                   * it has none */
    const char *stimulus_name; /* the variable that the stimulus replaces; "" = it is added to dV/dt */
    int events;
    struct cell_event *event;
    int variants;
    struct cell_variant *variant;
    int warnings;
    struct cell_warning *warning;
    const char
        *time_reader;    /* a variable through which a rate depends on time, the stimulus aside; "" = none */
    struct arena memory; /* of all names and arrays */
};

/* Frees the memory of a cell that mmt_read made, or does nothing for a zeroed cell. */
void cell_free(struct cell *cell);

#endif
