/* upstroke.c: a front's speed and width by shooting: one cell stepped with V'' = lambda (V' + Iion). */
#include "app/models/upstroke.h"

#include <math.h>

static const double start = 1;    /* mV above rest, where a trial begins */
static const double beyond = 200; /* mV above rest, where V has left */
static const double fastest = 256,
                    least = 0.005; /* lambda, 1/ms: c of 5 and 0.02 m/s where D is 0.1 mm^2/ms */

/* Of one trial: what decides it, and sums over V' and V'' weighted by exp(-lambda t) */
struct trial {
    bool leaves; /* lambda is too large */
    double steepest, highest, slope, curvature;
};

static struct trial shoot(struct single_cell *cell, const double *value, double lambda)
{
    struct trial trial = {.highest = value[0]};
    double dt = cell->step, growth = expm1(lambda * dt), v = value[0] + start, slope = lambda * start;
    int64_t steps = (int64_t)(100 / (lambda * dt)) + 1;
    single_cell_set(cell, value);
    for (int64_t n = 0; n < steps; n++) {
        cell->v = v;
        single_cell_step(cell, 0);
        double inward = (cell->v - v) / dt, excess = slope - inward, bend = lambda * excess;
        double weight = exp(-lambda * dt * (double)n);
        trial.slope += weight * slope * slope;
        trial.curvature += weight * bend * bend;
        trial.steepest = fmax(trial.steepest, slope);
        trial.highest = fmax(trial.highest, v);
        v += inward * dt + excess * growth / lambda; /* exact where Iion is constant over the step */
        slope += excess * growth;
        trial.leaves = !(v < value[0] + beyond);
        if (trial.leaves || slope < 0 || v < value[0])
            break;
    }
    return trial;
}

/* To first order the lattice's h^2 / 12 V_xxxx changes the speed by its projection on the front's own shift:
 *   loss = x^2 / 12 (3/2 R - 1/2),  R = sum w V''^2 / (lambda^2 sum w V'^2),  w = exp(-lambda t),
 * exactly so where Iion is of V alone. */
void upstroke_find(struct upstroke *to, struct single_cell *cell, const double *value)
{
    double high = fastest, low = fastest / 2;
    *to = (struct upstroke){0};
    while (low > least && shoot(cell, value, low).leaves) {
        high = low;
        low /= 2;
    }
    if (low <= least)
        return;
    while (high > 1.02 * low) {
        double middle = sqrt(high * low);
        *(shoot(cell, value, middle).leaves ? &high : &low) = middle;
    }
    struct trial last = shoot(cell, value, low);
    to->speed = sqrt(sqrt(high * low));
    to->width = (last.highest - value[0]) * low / last.steepest;
    to->bend = fmax(1.5 * last.curvature / (low * low * last.slope) - 0.5, 0) / 12;
}

/* What an edge of x adds to the time that the front takes; the mass that is not lumped takes the term of h^2
 * away */
double upstroke_lost(const struct upstroke *upstroke, double x, double lumping)
{
    double z = upstroke->bend * x * x,
           more = (2 * lumping - 1) * z + (2 - 2 * lumping) * z * z / (0.3 + 1.5 * z);
    return x > UPSTROKE_BLOCKS ? 1 : 1 - 1 / (1 + more);
}

double upstroke_enough(const struct upstroke *upstroke, double most, double lumping)
{
    double x = 1e-3;
    while (x < UPSTROKE_BLOCKS && fabs(upstroke_lost(upstroke, x, lumping)) < most)
        x *= 1.01;
    return x;
}
