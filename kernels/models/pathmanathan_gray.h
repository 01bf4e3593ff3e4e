/* pathmanathan_gray.h: the cell model of an exact solution of the whole monodomain system.
 *
 *   Iion = -Cm/2 (u1 + u3 - V) u2^2 (V - u3) + beta (V - u3) / chi
 *   u1' = (u1 + u3 - V)^2 u2^2 + (u1 + u3 - V) u2^2 (V - u3) / 2,   u2' = -(u1 + u3 - V) u2^3,   u3' = 0
 *
 * For verification; dimensionless, V in mV is V itself, time in ms is time itself. With the conductivities,
 * the initial states and the beta of the paper, V = sqrt(1 + t) F(x). Pathmanathan and Gray, Int. J. Numer.
 * Meth. Biomed. Eng. 30:525, 2014 (doi 10.1002/cnm.2615). The step is Heun's, in fp64 throughout. */
#ifndef CARDIAC_KERNELS_MODELS_PATHMANATHAN_GRAY_H
#define CARDIAC_KERNELS_MODELS_PATHMANATHAN_GRAY_H

#define DESCRIPTION_pathmanathan_gray                                                                        \
    .name = "pathmanathan-gray",                                                                             \
    .title = "cell model of an exact solution of the monodomain system (verification)",                      \
    .reference = "Pathmanathan, Gray, Int. J. Numer. Meth. Biomed. Eng. 30:525, 2014, doi 10.1002/cnm.2615", \
    .v_initial = 0, .capacitance = 1, .order = 2

#define STATES_pathmanathan_gray(NARROW, WIDE)                                                               \
    WIDE(u1, "1", "first variable", 1)                                                                       \
    WIDE(u2, "1", "second variable", 1)                                                                      \
    WIDE(u3, "1", "third variable, constant", 0)
#define PARAMETERS_pathmanathan_gray(X)                                                                      \
    X(beta, "1", "minus the sum of sigma_i (m_i pi)^2: -1.1, -5.9, -8.6 in 1, 2, 3 dimensions", -8.6)        \
    X(chi, "1", "surface to volume ratio of the problem", 3)                                                 \
    X(Cm, "1", "capacitance of the problem", 2)
#define CURRENTS_pathmanathan_gray(X) X(Iion, "1", "total ionic current per capacitance")

IONIC_PARAMETERS(pathmanathan_gray)
#endif

IONIC_STRUCTS(pathmanathan_gray)

struct TYPED(pathmanathan_gray_constants) {
    double dt, leak; /* leak = beta / (chi Cm) */
};

HOST_DEVICE struct TYPED(pathmanathan_gray_constants)
    TYPED(pathmanathan_gray_constants_of)(const struct pathmanathan_gray_parameters *p, double dt)
{
    struct TYPED(pathmanathan_gray_constants) c;
    c.dt = dt;
    c.leak = p->beta / (p->chi * p->Cm);
    return c;
}

/* dV/dt, du1/dt, du2/dt of a cell without stimulus, in the fields of a cell; u3 does not change */
IONIC_FUNCTION struct TYPED(pathmanathan_gray_cell)
    TYPED(pathmanathan_gray_rates)(IONIC_CONSTANTS(pathmanathan_gray) * c,
                                   const struct TYPED(pathmanathan_gray_cell) *cell)
{
    double x = cell->v - cell->u3, gap = cell->u1 - x, square = cell->u2 * cell->u2;
    struct TYPED(pathmanathan_gray_cell) rate;
    rate.v = 0.5 * gap * square * x - c->leak * x;
    rate.u1 = gap * gap * square + 0.5 * gap * square * x;
    rate.u2 = -gap * square * cell->u2;
    rate.u3 = 0;
    return rate;
}

HOST_DEVICE struct TYPED(pathmanathan_gray_currents)
    TYPED(pathmanathan_gray_currents)(const struct TYPED(pathmanathan_gray_constants) *c,
                                      const struct TYPED(pathmanathan_gray_cell) *cell)
{
    struct TYPED(pathmanathan_gray_currents) i;
    i.Iion = (REAL)-TYPED(pathmanathan_gray_rates)(c, cell).v;
    return i;
}

IONIC_FUNCTION void TYPED(pathmanathan_gray_step)(IONIC_CONSTANTS(pathmanathan_gray) * c,
                                                  struct TYPED(pathmanathan_gray_cell) *cell, double stimulus)
{
    struct TYPED(pathmanathan_gray_cell) first = TYPED(pathmanathan_gray_rates)(c, cell), ahead = *cell;
    ahead.v += c->dt * (first.v + stimulus);
    ahead.u1 += c->dt * first.u1;
    ahead.u2 += c->dt * first.u2;
    struct TYPED(pathmanathan_gray_cell) second = TYPED(pathmanathan_gray_rates)(c, &ahead);
    cell->v += c->dt * (0.5 * (first.v + second.v) + stimulus);
    cell->u1 += c->dt * 0.5 * (first.u1 + second.u1);
    cell->u2 += c->dt * 0.5 * (first.u2 + second.u2);
}

IONIC_FUNCTION void TYPED(pathmanathan_gray_gates)(IONIC_CONSTANTS(pathmanathan_gray) * c,
                                                   struct TYPED(pathmanathan_gray_cell) *cell)
{
    (void)c, (void)cell;
}

/* Midpoint rule, at V in the middle of the step */
IONIC_FUNCTION void TYPED(pathmanathan_gray_rest)(IONIC_CONSTANTS(pathmanathan_gray) * c,
                                                  struct TYPED(pathmanathan_gray_cell) *cell, double stimulus,
                                                  double ahead)
{
    struct TYPED(pathmanathan_gray_cell) at = *cell;
    at.v = ahead;
    struct TYPED(pathmanathan_gray_cell) rate = TYPED(pathmanathan_gray_rates)(c, &at);
    at.u1 += 0.5 * c->dt * rate.u1;
    at.u2 += 0.5 * c->dt * rate.u2;
    rate = TYPED(pathmanathan_gray_rates)(c, &at);
    cell->v += c->dt * (rate.v + stimulus);
    cell->u1 += c->dt * rate.u1;
    cell->u2 += c->dt * rate.u2;
}
