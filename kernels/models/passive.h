/* passive.h: a linear leak, dV/dt = -g (V - E) + Istim.
 *
 * Each step is exact for a stimulus that is constant during it, so the tissue shows only the error of the
 * diffusion step. */
#ifndef CARDIAC_KERNELS_MODELS_PASSIVE_H
#define CARDIAC_KERNELS_MODELS_PASSIVE_H

#define DESCRIPTION_passive                                                                                  \
    .name = "passive", .title = "linear leak, each step exact",                                              \
    .reference = "dV/dt = -g (V - E), solved exactly", .v_initial = -85, .capacitance = 1, .order = 2

#define STATES_passive(NARROW, WIDE)
#define PARAMETERS_passive(X)                                                                                \
    X(g, "mS/uF", "leak conductance per capacitance; its inverse is the membrane's time constant in ms",     \
      0.1)                                                                                                   \
    X(E, "mV", "reversal potential", -85)
#define CURRENTS_passive(X) X(Iion, "uA/uF", "leak")

IONIC_PARAMETERS(passive)
#endif

IONIC_STRUCTS(passive)

struct TYPED(passive_constants) {
    double g, reversal, gain;
};

/* gain = (1 - e^(-g dt)) / g, dt at g = 0 */
HOST_DEVICE struct TYPED(passive_constants)
    TYPED(passive_constants_of)(const struct passive_parameters *p, double dt)
{
    struct TYPED(passive_constants) c;
    c.g = p->g;
    c.reversal = p->E;
    c.gain = dt / real_x_over_expm1_double(-p->g * dt);
    return c;
}

HOST_DEVICE struct TYPED(passive_currents)
    TYPED(passive_currents)(const struct TYPED(passive_constants) *c, const struct TYPED(passive_cell) *cell)
{
    struct TYPED(passive_currents) i;
    i.Iion = (REAL)(c->g * (cell->v - c->reversal));
    return i;
}

IONIC_FUNCTION void TYPED(passive_step)(IONIC_CONSTANTS(passive) * c, struct TYPED(passive_cell) *cell,
                                        double stimulus)
{
    cell->v = fma(c->gain, stimulus - c->g * (cell->v - c->reversal), cell->v);
}

IONIC_FUNCTION void TYPED(passive_gates)(IONIC_CONSTANTS(passive) * c, struct TYPED(passive_cell) *cell)
{
    (void)c, (void)cell;
}

/* The step is exact at V; an extrapolated V would make it unstable */
IONIC_FUNCTION void TYPED(passive_rest)(IONIC_CONSTANTS(passive) * c, struct TYPED(passive_cell) *cell,
                                        double stimulus, double ahead)
{
    (void)ahead;
    TYPED(passive_step)(c, cell, stimulus);
}
