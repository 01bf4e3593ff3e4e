/* splitting_test.h: a linear cell whose tissue solution is known, to measure the order of an operator
 * splitting.
 *
 *   V' = -V + I(t),  s' = V,  I(t) = phi e^t ((2 + 8 pi^2) sin t + cos t)
 *
 * For verification; dimensionless. On the unit square with chi = Cm = sigma = 1 the solution is
 *
 *   V = phi e^t sin t,  s = phi e^t (sin t - cos t) / 2,  phi = cos 2 pi x cos 2 pi y
 *
 * A sub-step takes I at its midpoint and solves V and s exactly; phi and the time are kept per cell. */
#ifndef CARDIAC_KERNELS_MODELS_SPLITTING_TEST_H
#define CARDIAC_KERNELS_MODELS_SPLITTING_TEST_H

#define DESCRIPTION_splitting_test                                                                           \
    .name = "splitting-test",                                                                                \
    .title = "linear cell with a source, to measure the order of a splitting (verification)",                \
    .reference = "manufactured: V = phi e^t sin t", .v_initial = 0, .capacitance = 1, .order = 2

#define STATES_splitting_test(NARROW, WIDE)                                                                  \
    WIDE(s, "1", "integral of V", 0)                                                                         \
    WIDE(phi, "1", "amplitude of the source at this node", 1)                                                \
    WIDE(t, "ms", "time of this cell", 0)
#define PARAMETERS_splitting_test(X)                                                                         \
    X(lambda, "1", "eigenvalue of the source's shape: 8 pi^2", 78.956835208714864)
#define CURRENTS_splitting_test(X) X(Iion, "1", "V - I(t)")

IONIC_PARAMETERS(splitting_test)
#endif

IONIC_STRUCTS(splitting_test)

struct TYPED(splitting_test_constants) {
    double dt, lambda, gain; /* gain = 1 - e^-dt */
};

HOST_DEVICE struct TYPED(splitting_test_constants)
    TYPED(splitting_test_constants_of)(const struct splitting_test_parameters *p, double dt)
{
    struct TYPED(splitting_test_constants) c;
    c.dt = dt;
    c.lambda = p->lambda;
    c.gain = -real_expm1_clamped_double(-dt);
    return c;
}

IONIC_FUNCTION double TYPED(splitting_test_source)(IONIC_CONSTANTS(splitting_test) * c, double phi, double t)
{
    return phi * real_exp_clamped_double(t) * ((2 + c->lambda) * real_sin_double(t) + real_cos_double(t));
}

HOST_DEVICE struct TYPED(splitting_test_currents)
    TYPED(splitting_test_currents)(const struct TYPED(splitting_test_constants) *c,
                                   const struct TYPED(splitting_test_cell) *cell)
{
    struct TYPED(splitting_test_currents) i;
    i.Iion = (REAL)(cell->v - TYPED(splitting_test_source)(c, cell->phi, cell->t));
    return i;
}

IONIC_FUNCTION void TYPED(splitting_test_step)(IONIC_CONSTANTS(splitting_test) * c,
                                               struct TYPED(splitting_test_cell) *cell, double stimulus)
{
    double source = TYPED(splitting_test_source)(c, cell->phi, cell->t + 0.5 * c->dt) + stimulus;
    double decay = (cell->v - source) * c->gain;
    cell->s += source * c->dt + decay;
    cell->v -= decay;
    cell->t += c->dt;
}

IONIC_FUNCTION void TYPED(splitting_test_gates)(IONIC_CONSTANTS(splitting_test) * c,
                                                struct TYPED(splitting_test_cell) *cell)
{
    (void)c, (void)cell;
}

IONIC_FUNCTION void TYPED(splitting_test_rest)(IONIC_CONSTANTS(splitting_test) * c,
                                               struct TYPED(splitting_test_cell) *cell, double stimulus,
                                               double ahead)
{
    double source = TYPED(splitting_test_source)(c, cell->phi, cell->t + 0.5 * c->dt) + stimulus;
    cell->s += c->dt * ahead;
    cell->v += c->dt * (source - ahead);
    cell->t += c->dt;
}
