/* mitchell_schaeffer.h: two variables, inward and outward current and one gate.
 *
 *   du/dt = h u^2 (1 - u) / tau_in - u / tau_out
 *   dh/dt = (1 - h) / tau_open if u < u_gate, else -h / tau_close
 *   V = V_min + (V_max - V_min) u
 *
 * Mitchell and Schaeffer, Bull. Math. Biol. 65:767, 2003 (doi 10.1016/S0092-8240(03)00041-7). The gate is
 * exponential, V forward Euler. */
#ifndef CARDIAC_KERNELS_MODELS_MITCHELL_SCHAEFFER_H
#define CARDIAC_KERNELS_MODELS_MITCHELL_SCHAEFFER_H

#define DESCRIPTION_mitchell_schaeffer                                                                       \
    .name = "mitchell-schaeffer", .title = "ventricular cell in two variables, Mitchell and Schaeffer 2003", \
    .reference = "Mitchell, Schaeffer, Bull. Math. Biol. 65:767, 2003, doi 10.1016/S0092-8240(03)00041-7",   \
    .v_initial = -80, .capacitance = 1, .order = 1, .step_accurate = 0.6, .step_largest = 0.6,               \
    .staggered_accurate = 0.2, .staggered_largest = 0.5

#define STATES_mitchell_schaeffer(NARROW, WIDE) NARROW(h, "1", "gate of the inward current", 1)
#define PARAMETERS_mitchell_schaeffer(X)                                                                     \
    X(tau_in, "ms", "time constant of the inward current", 0.3)                                              \
    X(tau_out, "ms", "time constant of the outward current", 6)                                              \
    X(tau_open, "ms", "time constant of the gate's opening", 120)                                            \
    X(tau_close, "ms", "time constant of the gate's closing", 150)                                           \
    X(u_gate, "1", "threshold of the gate, dimensionless", 0.13)                                             \
    X(V_min, "mV", "V at u = 0, the rest", -80)                                                              \
    X(V_max, "mV", "V at u = 1", 20)
#define CURRENTS_mitchell_schaeffer(X)                                                                       \
    X(Iion, "uA/uF", "total ionic current")                                                                  \
    X(Jin, "uA/uF", "inward current")                                                                        \
    X(Jout, "uA/uF", "outward current")

IONIC_PARAMETERS(mitchell_schaeffer)
#endif

IONIC_STRUCTS(mitchell_schaeffer)

struct TYPED(mitchell_schaeffer_constants) {
    double dt, rest, per_amplitude, gate_voltage;
    REAL inward, outward;  /* amplitude / tau_in, amplitude / tau_out: mV/ms */
    REAL opening, closing; /* 1 - e^(-dt / tau) */
};

HOST_DEVICE struct TYPED(mitchell_schaeffer_constants)
    TYPED(mitchell_schaeffer_constants_of)(const struct mitchell_schaeffer_parameters *p, double dt)
{
    double amplitude = p->V_max - p->V_min;
    struct TYPED(mitchell_schaeffer_constants) c;
    c.dt = dt;
    c.rest = p->V_min;
    c.per_amplitude = 1 / amplitude;
    c.gate_voltage = p->V_min + p->u_gate * amplitude;
    c.inward = (REAL)(amplitude / p->tau_in);
    c.outward = (REAL)(amplitude / p->tau_out);
    c.opening = (REAL)-real_expm1_clamped_double(-dt / p->tau_open);
    c.closing = (REAL)-real_expm1_clamped_double(-dt / p->tau_close);
    return c;
}

HOST_DEVICE struct TYPED(mitchell_schaeffer_currents)
    TYPED(mitchell_schaeffer_currents)(const struct TYPED(mitchell_schaeffer_constants) *c,
                                       const struct TYPED(mitchell_schaeffer_cell) *cell)
{
    REAL u = (REAL)((cell->v - c->rest) * c->per_amplitude);
    struct TYPED(mitchell_schaeffer_currents) i;
    i.Jin = -c->inward * cell->h * u * u * (1 - u);
    i.Jout = c->outward * u;
    i.Iion = i.Jin + i.Jout;
    return i;
}

IONIC_FUNCTION void TYPED(mitchell_schaeffer_gates)(IONIC_CONSTANTS(mitchell_schaeffer) * c,
                                                    struct TYPED(mitchell_schaeffer_cell) *cell)
{
    REAL opened = (1 - cell->h) * c->opening;
    REAL closed = -cell->h * c->closing;
    cell->h += cell->v < c->gate_voltage ? opened : closed;
}

IONIC_FUNCTION void TYPED(mitchell_schaeffer_rest)(IONIC_CONSTANTS(mitchell_schaeffer) * c,
                                                   struct TYPED(mitchell_schaeffer_cell) *cell,
                                                   double stimulus, double ahead)
{
    struct TYPED(mitchell_schaeffer_cell) at = *cell;
    at.v = ahead;
    struct TYPED(mitchell_schaeffer_currents) i =
        TYPED(mitchell_schaeffer_currents)((const struct TYPED(mitchell_schaeffer_constants) *)c, &at);
    cell->v += c->dt * (stimulus - (double)i.Iion);
}

IONIC_FUNCTION void TYPED(mitchell_schaeffer_step)(IONIC_CONSTANTS(mitchell_schaeffer) * c,
                                                   struct TYPED(mitchell_schaeffer_cell) *cell,
                                                   double stimulus)
{
    const double v = cell->v;
    struct TYPED(mitchell_schaeffer_cell) before = *cell;
    TYPED(mitchell_schaeffer_gates)(c, cell);
    TYPED(mitchell_schaeffer_rest)(c, &before, stimulus, v);
    cell->v = before.v;
}
