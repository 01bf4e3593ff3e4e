/* huxley.h: a cubic reaction without recovery, du/dt = k u (1 - u) (u - a), V = V_rest + (V_peak - V_rest) u.
 *
 * For verification: with diffusion D it has the exact travelling front u = (1 - tanh(x sqrt(k / (8 D)))) / 2
 * of speed sqrt(k D / 2) (1 - 2 a). Huxley's equation is the bistable one of Nagumo, Arimoto and Yoshizawa,
 * Proc. IRE 50:2061, 1962 (doi 10.1109/JRPROC.1962.288235). The step is Heun's. */
#ifndef CARDIAC_KERNELS_MODELS_HUXLEY_H
#define CARDIAC_KERNELS_MODELS_HUXLEY_H

#define DESCRIPTION_huxley                                                                                   \
    .name = "huxley", .title = "cubic reaction with an exact travelling front (verification)",               \
    .reference =                                                                                             \
        "Nagumo, Arimoto, Yoshizawa, Proc. IRE 50:2061, 1962, doi 10.1109/JRPROC.1962.288235, without "      \
        "recovery",                                                                                          \
    .v_initial = -85, .capacitance = 1, .order = 2

#define STATES_huxley(NARROW, WIDE)
#define PARAMETERS_huxley(X)                                                                                 \
    X(k, "1/ms", "rate of the reaction", 1)                                                                  \
    X(a, "1", "threshold, 0 < a < 1/2 for a front that excites", 0.1)                                        \
    X(V_rest, "mV", "V at u = 0", -85)                                                                       \
    X(V_peak, "mV", "V at u = 1", 15)
#define CURRENTS_huxley(X) X(Iion, "uA/uF", "the reaction as a current")

IONIC_PARAMETERS(huxley)
#endif

IONIC_STRUCTS(huxley)

struct TYPED(huxley_constants) {
    double dt, scale, rest, peak, threshold; /* threshold in mV */
};

HOST_DEVICE struct TYPED(huxley_constants)
    TYPED(huxley_constants_of)(const struct huxley_parameters *p, double dt)
{
    double amplitude = p->V_peak - p->V_rest;
    struct TYPED(huxley_constants) c;
    c.dt = dt;
    c.scale = p->k / (amplitude * amplitude);
    c.rest = p->V_rest;
    c.peak = p->V_peak;
    c.threshold = p->V_rest + p->a * amplitude;
    return c;
}

/* mV/ms */
IONIC_FUNCTION double TYPED(huxley_reaction)(IONIC_CONSTANTS(huxley) * c, double v)
{
    return c->scale * (v - c->rest) * (c->peak - v) * (v - c->threshold);
}

HOST_DEVICE struct TYPED(huxley_currents)
    TYPED(huxley_currents)(const struct TYPED(huxley_constants) *c, const struct TYPED(huxley_cell) *cell)
{
    struct TYPED(huxley_currents) i;
    i.Iion = (REAL)-TYPED(huxley_reaction)(c, cell->v);
    return i;
}

IONIC_FUNCTION void TYPED(huxley_step)(IONIC_CONSTANTS(huxley) * c, struct TYPED(huxley_cell) *cell,
                                       double stimulus)
{
    double first = TYPED(huxley_reaction)(c, cell->v) + stimulus;
    double second = TYPED(huxley_reaction)(c, cell->v + c->dt * first) + stimulus;
    cell->v += c->dt * 0.5 * (first + second);
}

IONIC_FUNCTION void TYPED(huxley_gates)(IONIC_CONSTANTS(huxley) * c, struct TYPED(huxley_cell) *cell)
{
    (void)c, (void)cell;
}

IONIC_FUNCTION void TYPED(huxley_rest)(IONIC_CONSTANTS(huxley) * c, struct TYPED(huxley_cell) *cell,
                                       double stimulus, double ahead)
{
    cell->v += c->dt * (TYPED(huxley_reaction)(c, ahead) + stimulus);
}
