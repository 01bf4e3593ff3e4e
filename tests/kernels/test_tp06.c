/* test_tp06.c: the gates of ten Tusscher and Panfilov (2006) against the formulas of the paper, term by term
 * in the C library's functions: each after one step, Rush and Larsen's of what V moves, from one half, over
 * all V, in each kind of cell. K. H. W. J. ten Tusscher, A. V. Panfilov, Am. J. Physiol. Heart Circ. Physiol.
 * 291, 2006, H1088, appendix; what it leaves as they were is that of the same authors with D. Noble and P. J.
 * Noble, 286, 2004, H1573. `test_tp06 [BACKEND]` */
#include <string.h>

#include "tests/support/device_cells.h"

enum { CELLS = 1201, STATES = 18 };

struct gate {
    double limit, tau;
};

/* 1 / (1 + exp((a - v) / width)) */
static double rise(double v, double a, double width)
{
    return 1 / (1 + exp((a - v) / width));
}

static double bell(double v, double centre, double width)
{
    return exp(-(v - centre) * (v - centre) / width);
}

static struct gate sodium_slow(const char *name, double v)
{
    double limit = pow(rise(v, -71.55, -7.43), 2), a = 0, b;
    if (strcmp(name, "h") == 0) {
        a = v < -40 ? 0.057 * exp(-(v + 80) / 6.8) : 0;
        b = v < -40 ? 2.7 * exp(0.079 * v) + 3.1e5 * exp(0.3485 * v) : 0.77 / 0.13 * rise(v, -10.66, 11.1);
    } else {
        a = v < -40 ? (-2.5428e4 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) /
                          (1 + exp(0.311 * (v + 79.23)))
                    : 0;
        b = v < -40 ? 0.02424 * exp(-0.01052 * v) / (1 + exp(-0.1378 * (v + 40.14)))
                    : 0.6 * exp(0.057 * v) / (1 + exp(-0.1 * (v + 32)));
    }
    return (struct gate){limit, 1 / (a + b)};
}

static struct gate transient_outward(double v, bool endo)
{
    if (endo)
        return (struct gate){rise(v, -28, -5), 1000 * bell(v, -67, 1000) + 8};
    return (struct gate){rise(v, -20, -5), 85 * bell(v, -45, 320) + 5 * rise(v, 20, -5) + 3};
}

static struct gate gate_of(const char *name, double v, double ca_ss, bool endo)
{
    double ca = ca_ss / 0.05 * (ca_ss / 0.05);
    if (strcmp(name, "Xr1") == 0)
        return (struct gate){rise(v, -26, 7), 450 * rise(v, -45, 10) * 6 * rise(v, -30, -11.5)};
    if (strcmp(name, "Xr2") == 0)
        return (struct gate){rise(v, -88, -24), 3 * rise(v, -60, 20) * 1.12 * rise(v, 60, -20)};
    if (strcmp(name, "Xs") == 0)
        return (struct gate){rise(v, -5, 14), 1400 * sqrt(rise(v, 5, 6)) * rise(v, 35, -15) + 80};
    if (strcmp(name, "s") == 0)
        return transient_outward(v, endo);
    if (strcmp(name, "r") == 0)
        return (struct gate){rise(v, 20, 6), 9.5 * bell(v, -40, 1800) + 0.8};
    if (strcmp(name, "m") == 0)
        return (struct gate){pow(rise(v, -56.86, 9.03), 2),
                             rise(v, -60, 5) * (0.1 * rise(v, -35, -5) + 0.1 * rise(v, 50, -200))};
    if (strcmp(name, "h") == 0 || strcmp(name, "j") == 0)
        return sodium_slow(name, v);
    if (strcmp(name, "d") == 0)
        return (struct gate){rise(v, -8, 7.5),
                             (1.4 * rise(v, -35, 13) + 0.25) * 1.4 * rise(v, -5, -5) + rise(v, 50, 20)};
    if (strcmp(name, "f") == 0)
        return (struct gate){rise(v, -20, -7), 1102.5 * bell(v, -27, 225) + 200 * rise(v, 13, 10) +
                                                   180 * rise(v, -30, -10) + 20};
    if (strcmp(name, "f2") == 0)
        return (struct gate){0.67 * rise(v, -35, -7) + 0.33,
                             562 * bell(v, -27, 240) + 31 * rise(v, 25, 10) + 80 * rise(v, -30, -10)};
    if (strcmp(name, "fCass") == 0)
        return (struct gate){0.6 / (1 + ca) + 0.4, 80 / (1 + ca) + 2};
    return (struct gate){0, 0};
}

static void test_cells(const char *name, bool endo, const struct backend *backend)
{
    const struct ionic_model *model = ionic_find(name);
    static double state[STATES * CELLS], v[CELLS], start[CELLS], parameter[64];
    struct queue *queue = test_queue(backend, 1);
    const double dt = 0.02;
    int gates = 0, calcium = -1;
    CHECK(model && model->states == STATES && model->parameters <= 64, "%s", name);
    struct ionic_cells cells = {
        .model = model, .cells = CELLS, .stride = CELLS, .state64 = state, .parameter = parameter};
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    ionic_initial(state, NULL, model, false, CELLS, CELLS);
    for (int i = 0; i < CELLS; i++)
        v[i] = start[i] = -100 + 0.13 * i; /* -40 and 15 are not among them, but their neighbours */
    for (int k = 0; k < STATES; k++) {
        calcium = strcmp(model->state[k].name, "Ca_ss") == 0 ? k : calcium;
        for (int i = 0; gate_of(model->state[k].name, 0, 0, endo).tau > 0 && i < CELLS; i++)
            state[k * CELLS + i] = 0.5;
    }
    CHECK(calcium >= 0, "%s has no Ca_ss", name);
    double ca_ss = state[calcium * CELLS];
    device_cells_step(queue, &cells, dt, 1, NULL, NULL, v, v, CELLS);
    for (int k = 0; k < STATES; k++) {
        const char *gate = model->state[k].name;
        if (!(gate_of(gate, 0, ca_ss, endo).tau > 0))
            continue;
        gates++;
        for (int i = 0; i < CELLS; i++) {
            struct gate g = gate_of(gate, start[i], ca_ss, endo);
            bool of_v = strcmp(gate, "fCass") != 0; /* the only one that calcium moves: forward Euler */
            double want = (g.limit - 0.5) * (of_v ? -expm1(-dt / g.tau) : dt / g.tau);
            double got = state[k * CELLS + i] - 0.5;
            CHECK(fabs(got - want) <= 1e-11 * fabs(want) + 1e-15,
                  "%s, %s at V = %g mV: changes by %.15g, want %.15g", name, gate, start[i], got, want);
        }
    }
    CHECK(gates == 12, "%s: %d gates", name, gates);
    queue_free(queue);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_cells("tp06-epi", false, backend);
    test_cells("tp06-m", false, backend);
    test_cells("tp06-endo", true, backend);
    return 0;
}
