/* upstroke.h: speed and width of a plane front in tissue of a cell, from that one cell.
 *
 * In a plane front of speed c every cell goes through the same V(t), with V_xx = V'' / c^2, so that
 *   V'' = lambda (V' + Iion),  lambda = c^2 / D   (Hodgkin and Huxley 1952,
 * doi 10.1113/jphysiol.1952.sp004764). Too large a lambda drives V to plus infinity; one too small turns it
 * back. The largest lambda between both is the front's. */
#ifndef CARDIAC_APP_MODELS_UPSTROKE_H
#define CARDIAC_APP_MODELS_UPSTROKE_H

#include "app/models/single_cell.h"

/* speed: c / sqrt(D), (mm^2/ms)^(1/2) / mm; 0 = no front travels. width: the rise of V over its steepest
 * slope in space, in units of D / c. bend: on lumped edges of h a front loses bend (h c / D)^2 of its speed
 * as h -> 0. */
struct upstroke {
    double speed, width, bend;
};

/* Edges longer than this times D / c block: no front in resting cells was observed on edges of more than 24 D
 * / c */
#define UPSTROKE_BLOCKS 32.0

/* *to <- of the cell, whose states at rest are value[]. Some thousand steps of the cell. */
void upstroke_find(struct upstroke *to, struct single_cell *cell, const double *value);

/* The part of its speed that a front loses on edges of h = x D / c, with this much of the mass lumped; < 0:
 * it is faster. An estimate: docs/theory/numerics.md says how far it is from fronts that run. */
double upstroke_lost(const struct upstroke *upstroke, double x, double lumping);
/* The x up to which it is off by less than `most` */
double upstroke_enough(const struct upstroke *upstroke, double most, double lumping);

#endif
