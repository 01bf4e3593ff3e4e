/* fitzhugh_nagumo.h: the FitzHugh-Nagumo equations in the form of Rogers and McCulloch, in mV and ms.
 *
 *   dV/dt = c1 / A^2 (V - V_rest) (V - V_th) (V_peak - V) - c2 / A (V - V_rest) s
 *   ds/dt = b (V - V_rest - c3 s),   A = V_peak - V_rest,   V_th = V_rest + a A
 *
 * Rogers and McCulloch, IEEE Trans. Biomed. Eng. 41:743, 1994 (doi 10.1109/10.310090). Forward Euler. */
#ifndef CARDIAC_KERNELS_MODELS_FITZHUGH_NAGUMO_H
#define CARDIAC_KERNELS_MODELS_FITZHUGH_NAGUMO_H

#define DESCRIPTION_fitzhugh_nagumo                                                                          \
    .name = "fitzhugh-nagumo",                                                                               \
    .title = "cell in two variables, FitzHugh and Nagumo as modified by Rogers and McCulloch 1994",          \
    .reference = "Rogers, McCulloch, IEEE Trans. Biomed. Eng. 41:743, 1994, doi 10.1109/10.310090",          \
    .v_initial = -85, .capacitance = 1, .order = 1, .step_accurate = 0.8, .step_largest = 10,                \
    .staggered_accurate = 1, .staggered_largest = 1

#define STATES_fitzhugh_nagumo(NARROW, WIDE) NARROW(s, "mV", "recovery", 0)
#define PARAMETERS_fitzhugh_nagumo(X)                                                                        \
    X(a, "1", "threshold", 0.13)                                                                             \
    X(b, "1/ms", "rate of recovery", 0.013)                                                                  \
    X(c1, "1/ms", "strength of excitation", 0.26)                                                            \
    X(c2, "1/(mV ms)", "strength of recovery's current", 0.1)                                                \
    X(c3, "1", "decay of recovery", 1)                                                                       \
    X(V_rest, "mV", "rest", -85)                                                                             \
    X(V_peak, "mV", "peak", 40)
#define CURRENTS_fitzhugh_nagumo(X) X(Iion, "uA/uF", "total ionic current")

IONIC_PARAMETERS(fitzhugh_nagumo)
#endif

IONIC_STRUCTS(fitzhugh_nagumo)

struct TYPED(fitzhugh_nagumo_constants) {
    double dt, rest;
    REAL excitation, recovery, threshold, amplitude, rate, decay; /* threshold, amplitude: mV above rest */
    REAL gain; /* (1 - e^(-c3 b dt)) / c3, b dt at c3 = 0 */
};

HOST_DEVICE struct TYPED(fitzhugh_nagumo_constants)
    TYPED(fitzhugh_nagumo_constants_of)(const struct fitzhugh_nagumo_parameters *p, double dt)
{
    double amplitude = p->V_peak - p->V_rest;
    struct TYPED(fitzhugh_nagumo_constants) c;
    c.dt = dt;
    c.rest = p->V_rest;
    c.excitation = (REAL)(p->c1 / (amplitude * amplitude));
    c.recovery = (REAL)(p->c2 / amplitude);
    c.threshold = (REAL)(p->a * amplitude);
    c.amplitude = (REAL)amplitude;
    c.rate = (REAL)(dt * p->b);
    c.decay = (REAL)p->c3;
    c.gain = (REAL)(dt * p->b / real_x_over_expm1_double(-dt * p->b * p->c3));
    return c;
}

HOST_DEVICE struct TYPED(fitzhugh_nagumo_currents)
    TYPED(fitzhugh_nagumo_currents)(const struct TYPED(fitzhugh_nagumo_constants) *c,
                                    const struct TYPED(fitzhugh_nagumo_cell) *cell)
{
    REAL x = (REAL)(cell->v - c->rest);
    struct TYPED(fitzhugh_nagumo_currents) i;
    i.Iion = x * (c->recovery * cell->s - c->excitation * (x - c->threshold) * (c->amplitude - x));
    return i;
}

IONIC_FUNCTION void TYPED(fitzhugh_nagumo_step)(IONIC_CONSTANTS(fitzhugh_nagumo) * c,
                                                struct TYPED(fitzhugh_nagumo_cell) *cell, double stimulus)
{
    struct TYPED(fitzhugh_nagumo_currents) i =
        TYPED(fitzhugh_nagumo_currents)((const struct TYPED(fitzhugh_nagumo_constants) *)c, cell);
    cell->s += c->rate * ((REAL)(cell->v - c->rest) - c->decay * cell->s);
    cell->v += c->dt * (stimulus - (double)i.Iion);
}

/* Exact step of a gate s with limit (V - V_rest) / c3 */
IONIC_FUNCTION void TYPED(fitzhugh_nagumo_gates)(IONIC_CONSTANTS(fitzhugh_nagumo) * c,
                                                 struct TYPED(fitzhugh_nagumo_cell) *cell)
{
    cell->s += c->gain * ((REAL)(cell->v - c->rest) - c->decay * cell->s);
}

IONIC_FUNCTION void TYPED(fitzhugh_nagumo_rest)(IONIC_CONSTANTS(fitzhugh_nagumo) * c,
                                                struct TYPED(fitzhugh_nagumo_cell) *cell, double stimulus,
                                                double ahead)
{
    struct TYPED(fitzhugh_nagumo_cell) at = *cell;
    at.v = ahead;
    struct TYPED(fitzhugh_nagumo_currents) i =
        TYPED(fitzhugh_nagumo_currents)((const struct TYPED(fitzhugh_nagumo_constants) *)c, &at);
    cell->v += c->dt * (stimulus - (double)i.Iion);
}
