/* cell_beat.h: the action potential that a stimulus evokes, and the calcium transient behind it. */
#ifndef CARDIAC_APP_COMMANDS_CELL_BEAT_H
#define CARDIAC_APP_COMMANDS_CELL_BEAT_H

#include <stdint.h>
#include <stdio.h>

#include "app/models/action_potential.h"
#include "app/models/single_cell.h"

/* From the start of its stimulus to that of the next. NAN = did not happen. */
struct beat {
    double start;                      /* ms */
    struct action_potential potential; /* the first one that begins in it */
    double ca_rest, ca_peak; /* cytosolic calcium when the beat begins, and its highest, in its unit */
    double ca_time;          /* ms from start to ca_peak */
    double own;              /* mV: most that the cell's own currents raised V by, beyond its stimulus */
    double charge;           /* mV: what the stimulus alone would have raised V by so far */
    double first;            /* mV: V when the beat begins */
    int calcium;             /* beat_calcium of the model */
};

/* An observer of the cell, and the beat that has its latest action potential; NULL = none has */
struct beat_watch {
    struct action_potentials potentials;
    struct beat *latest;
};

/* The state of a model that is its calcium in the cytosol, by its name (Ca_i, cai, component.Cai); -1 if none
 * is called so */
int beat_calcium(const struct ionic_model *model);

/* A beat that begins with the cell as it is */
struct beat beat_begin(double start, const struct single_cell *cell);
/* After step n, with V before it and the stimulus during it; beat NULL = before the first */
void beat_follow(struct beat_watch *watch, struct beat *beat, const struct single_cell *cell, int64_t n,
                 double before, double stimulus);

/* One line a beat, of JSON or in columns under a line of names */
void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);

#endif
