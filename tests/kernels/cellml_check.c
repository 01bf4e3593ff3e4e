/* cellml_check.c: one of our models against its published CellML text.
 *
 * The right-hand side that cellml_to_c.py wrote is integrated by the classical fourth-order Runge-Kutta
 * method with dt = 1e-3 ms; ours by its own first-order step. A first-order step cannot be near at a usable
 * dt (the upstroke rises by hundreds of mV/ms), so: the error falls in proportion to dt, in the upstroke's
 * time, in V after it and in the duration of the action potential; and at what two of them say V
 * comes to for dt -> 0 it agrees everywhere. `--stored`: only the figures of the text's own last beat, some
 * seconds. */
#include <string.h>

#include "app/verify/cell.h"
#include "kernels/device/queue.h"
#include "kernels/device/cpu.h"
#include "kernels/ionic/ionic.h"
#include "tests/support/check.h"

extern const int cellml_states;
extern const char *const cellml_name[];
extern const double cellml_initial[];
void cellml_rates(double time, const double *state, double *rate);

enum { STATES = 32, SAMPLES = 20000 }; /* of V, one each 0.02 ms */
static const double sample = 0.02, stimulus = 52, duration = 1, file_start = 100;

/* y <- the state after one Runge-Kutta step of the CellML text. The stimulus switches between steps, so all
 * stages look at `middle`, the middle of theirs; it begins at file_start. */
static void step(double *y, double middle, double dt)
{
    double stage[STATES], rate[4][STATES];
    cellml_rates(middle, y, rate[0]);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < cellml_states; i++)
            stage[i] = y[i] + (s < 3 ? 0.5 : 1) * dt * rate[s - 1][i];
        cellml_rates(middle, stage, rate[s]);
    }
    for (int i = 0; i < cellml_states; i++)
        y[i] += dt / 6 * (rate[0][i] + 2 * rate[1][i] + 2 * rate[2][i] + rate[3][i]);
}

/* v[k] <- V at k * sample by the CellML text */
static void reference(double *v)
{
    const int substeps = 20;
    const double dt = sample / substeps;
    double y[STATES];
    memcpy(y, cellml_initial, sizeof(double) * (size_t)cellml_states);
    for (int k = 0; k < SAMPLES; k++) {
        v[k] = y[0];
        for (int n = 0; n < substeps; n++)
            step(y, file_start + (k * substeps + n + 0.5) * dt, dt);
    }
}

/* the initial state of the text, taken by name where ours differ in spelling only */
static void check_initial(const struct ionic_model *model)
{
    CHECK(cellml_states == model->states + 1 && strcmp(cellml_name[0], "V") == 0, "%d states", cellml_states);
    CHECK(cellml_initial[0] == model->v_initial, "V starts at %g mV", model->v_initial);
    for (int i = 1; i < cellml_states; i++) {
        int k = ionic_find_value(model->state, model->states, cellml_name[i]);
        CHECK(k >= 0, "no state %s", cellml_name[i]);
        CHECK(model->state[k].value == cellml_initial[i], "%s starts at %g", cellml_name[i],
              model->state[k].value);
    }
}

/* v[k] <- V at k * sample by our step, `substeps` of them in each sample */
static void ours(double *v, const struct ionic_model *model, int substeps, bool mixed)
{
    struct error error;
    struct queue *queue;
    const struct backend *backend = backend_find("cpu", &error);
    CHECK(backend, "%s", error.text);
    CHECK_OK(queue_new(&queue, backend, 1, &error), error);
    double state64[STATES], parameter[128], now = model->v_initial;
    float state32[STATES];
    ionic_initial(state64, state32, model, mixed, 1, 1);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    const struct ionic_cells cells = {.model = model,
                                      .cells = 1,
                                      .stride = 1,
                                      .mixed = mixed,
                                      .state64 = state64,
                                      .state32 = state32,
                                      .parameter = parameter};
    const uint16_t class = 1;
    for (int k = 0; k < SAMPLES; k++) {
        v[k] = now;
        double current[2] = {0, k * sample < duration - sample / 2 ? stimulus : 0};
        struct ionic_drive drive = {.dt = sample / substeps,
                                    .substeps = substeps,
                                    .stimulus_class = &class,
                                    .stimulus_current = current,
                                    .v_in = &now,
                                    .v_out = &now};
        queue->backend->ionic_step(queue, &cells, &drive);
    }
    queue_free(queue);
}

/* v[k] <- what V comes to for dt -> 0, from those of dt and of dt / 10 */
static void extrapolate(double *v, const double *coarse, const double *fine)
{
    for (int k = 0; k < SAMPLES; k++)
        v[k] = fine[k] + (fine[k] - coarse[k]) / 9;
}

/* largest |a - b| from sample `from` on */
static double distance(const double *a, const double *b, int from)
{
    double largest = 0;
    for (int k = from; k < SAMPLES; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

/* ms at which V first passes `level` upwards, or after `from` ms downwards; interpolated */
static double crossing(const double *v, double threshold, bool up, double from)
{
    for (int k = (int)(from / sample); k + 1 < SAMPLES; k++)
        if (up ? v[k] < threshold && v[k + 1] >= threshold : v[k] > threshold && v[k + 1] <= threshold)
            return sample * (k + (threshold - v[k]) / (v[k + 1] - v[k]));
    CHECK(0, "V does not pass %g mV", threshold);
}

static int state_of(const char *name)
{
    int k = 0;
    while (k < cellml_states && strcmp(cellml_name[k], name) != 0)
        k++;
    CHECK(k < cellml_states, "no state %s", name);
    return k;
}

static struct cell_sample take(const double *y, double time)
{
    return (struct cell_sample){time,
                                y[state_of("V")],
                                y[state_of("Ca_i")],
                                y[state_of("Ca_SR")],
                                y[state_of("Na_i")],
                                y[state_of("K_i")]};
}

/* The figures of the text's own last beat against those that `cardiac verify cell` holds our models to. Steps
 * of 1/640 ms: halving them moves the steepest rise by 2e-5 of it and the rest by 4e-7 at most. The text's
 * stimulus is that of verify_cell.h. */
static void check_stored(const char *model, bool print)
{
    const int per_ms = 640, sample_steps = (int)(CELL_SAMPLE * per_ms + 0.5);
    double y[STATES];
    struct cell_beat beat = cell_beat_begin();
    struct cell_sample before = {0};
    memcpy(y, cellml_initial, sizeof(double) * (size_t)cellml_states);
    for (int n = 0; n < CELL_BEATS * CELL_PERIOD * per_ms; n++) {
        int in_beat = n - (CELL_BEATS - 1) * CELL_PERIOD * per_ms;
        if (in_beat == 0)
            before = take(y, 0);
        step(y, file_start + (n + 0.5) / per_ms, 1.0 / per_ms);
        if (in_beat < 0 || (in_beat >= CELL_FINE * per_ms && (in_beat + 1) % sample_steps))
            continue;
        struct cell_sample now = take(y, (double)(in_beat + 1) / per_ms);
        cell_beat_follow(&beat, &before, &now);
        before = now;
    }
    int row = 0;
    while (row < cell_stored_count && strcmp(cell_stored[row].model, model) != 0)
        row++;
    CHECK(row < cell_stored_count, "nothing is stored of %s", model);
    if (print)
        printf("    {\"%s\",\n     {", model);
    for (int k = 0; k < CELL_FIGURES_ALL; k++)
        if (print)
            printf("%.9g%s", beat.figure[k], k + 1 < CELL_FIGURES_ALL ? ", " : "}},\n");
        else
            CHECK(fabs(beat.figure[k] / cell_stored[row].figure[k] - 1) <= 1e-7,
                  "%s, figure %d: %.9g, stored %.9g", model, k, beat.figure[k], cell_stored[row].figure[k]);
}

static void check_ratio(const char *what, double coarse, double fine)
{
    printf("%-28s %10.3e at 0.01 ms, %10.3e at 0.001 ms, ratio %5.2f\n", what, coarse, fine, coarse / fine);
    CHECK(fabs(coarse) >= 8 * fabs(fine) && fabs(coarse) <= 12 * fabs(fine), "%s is not of first order",
          what);
}

int main(int argc, char **argv)
{
    static double want[SAMPLES], limit[SAMPLES], usual[SAMPLES], coarse[SAMPLES], fine[SAMPLES],
        mixed[SAMPLES];
    const struct ionic_model *model = ionic_find(CELLML_MODEL);
    check_initial(model);
    bool print = argc > 1 && strcmp(argv[1], "--print") == 0;
    if (argc > 1) {
        check_stored(model->name, print);
        return 0;
    }
    reference(want);
    ours(usual, model, 1, false);
    ours(coarse, model, 2, false); /* where the error's second order is small beside the first */
    ours(fine, model, 20, false);
    ours(mixed, model, 1, true);
    extrapolate(limit, coarse, fine);
    printf("%s, dt -> 0: largest |dV| %.3e mV\n", model->name, distance(limit, want, 0));
    CHECK(distance(limit, want, 0) <= 0.1, "the formulas differ");
    const int after = (int)(5 / sample);
    printf("largest |dV| %.3g mV at 0.02 ms, %.3g mV at 0.001 ms\n", distance(usual, want, 0),
           distance(fine, want, 0));
    check_ratio("|dV| from 5 ms on, mV", distance(coarse, want, after), distance(fine, want, after));
    double up = crossing(want, 0, true, 0);
    check_ratio("shift of the upstroke, ms", crossing(coarse, 0, true, 0) - up,
                crossing(fine, 0, true, 0) - up);
    double down = crossing(want, -70, false, 50);
    check_ratio("shift of -70 mV, ms", crossing(coarse, -70, false, 50) - down,
                crossing(fine, -70, false, 50) - down);
    printf("mixed against double at 0.02 ms: |dV| %.2e mV, from 5 ms on %.2e mV\n", distance(mixed, usual, 0),
           distance(mixed, usual, after));
    CHECK(distance(mixed, usual, 0) <= 0.02, "mixed is too far from double");
    return 0;
}
