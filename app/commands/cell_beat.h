/* cell_beat.h: what is measured of one action potential and of the calcium transient behind it. */
#ifndef CARDIAC_APP_COMMANDS_CELL_BEAT_H
#define CARDIAC_APP_COMMANDS_CELL_BEAT_H

#include <stdint.h>
#include <stdio.h>

#include "app/models/single_cell.h"

enum { BEAT_APD30, BEAT_APD50, BEAT_APD90, BEAT_APDS };

/* From the start of its stimulus to that of the next. NAN = did not happen. */
struct beat {
    double start;             /* ms */
    double rest, peak;        /* mV: V when the beat begins, and the highest V */
    double slope, slope_time; /* largest dV/dt over one step, mV/ms, and the middle of that step */
    double apd[BEAT_APDS];    /* ms from slope_time until V has fallen by 30, 50, 90 % of peak - rest */
    double ca_rest, ca_peak;  /* cytosolic calcium when the beat begins, and its highest, in its unit */
    double ca_time;           /* ms from start to ca_peak */
    double own;               /* mV: most that the cell's own currents raised V by, beyond its stimulus */
    double charge;            /* mV: what the stimulus alone would have raised V by so far */
    double first;             /* mV: V when the beat begins */
    int calcium;              /* beat_calcium of the model */
};

/* The state of a model that is its calcium in the cytosol, by its name (Ca_i, cai, component.Cai); -1 if none
 * is called so */
int beat_calcium(const struct ionic_model *model);

/* A beat that begins with the cell as it is */
struct beat beat_begin(double start, const struct single_cell *cell);
/* After the step from t, with V before it and the stimulus during it */
void beat_follow(struct beat *beat, const struct single_cell *cell, double t, double before, double stimulus);

/* One line a beat, of JSON or in columns under a line of names */
void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);
void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats);

#endif
