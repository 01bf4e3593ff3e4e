/* test_restitution.c: what S2 finds in a copy of the cell is what a cell finds that was stepped from the
 * start, bit for bit, in fp64 and in mixed state; intervals may rise or fall, and reach beyond the period of
 * S1. Calcium is read as it is stored. */
#include "app/commands/cell_restitution.h"
#include "tests/support/check.h"

#include <math.h>

enum { STATES_MAX = 100, ROWS = 5, BEATS = 3 };

static const double dt = 0.02;

static struct cell_protocol protocol_of(const struct ionic_model *model, double *initial, double *parameter,
                                        bool mixed)
{
    CHECK(model->states < STATES_MAX && model->parameters <= STATES_MAX, "%s", model->name);
    single_cell_rest(initial, model);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    struct cell_protocol protocol = {
        .model = model,
        .parameter = parameter,
        .initial = initial,
        .way = {mixed, false},
        .pacing = {.step = dt,
                   .stimulus = {.current = 52, .start = 10, .duration = 1, .period = 420, .count = BEATS}},
        .steps = (int64_t)((10 + (BEATS - 1) * 420) / dt + 0.5),
        .every = 1};
    pacing_set_period(&protocol.pacing);
    CHECK(protocol.pacing.period == 21000, "%lld steps", (long long)protocol.pacing.period);
    return protocol;
}

/* The last S1 beat without S2 (interval 0), or the beat of S2, all from the start */
static struct beat straight(const struct cell_protocol *protocol, int64_t interval)
{
    struct single_cell cell;
    struct error error = {0};
    const int64_t last = protocol->steps, begin = last + interval, end = begin + protocol->pacing.period;
    struct pacing s2 = protocol->pacing;
    struct beat beat = {0};
    struct beat_watch watch = {cell_potentials(protocol), NULL};
    s2.stimulus.start = 0;
    s2.stimulus.count = 1;
    CHECK_OK(cell_begin(&cell, protocol, &error), error);
    for (int64_t n = 0; n < end; n++) {
        double before = cell.v, current = pacing_current(&protocol->pacing, n);
        if (n == begin)
            beat = beat_begin((double)begin * dt, &cell);
        if (n >= begin && interval)
            current = pacing_current(&s2, n - begin);
        single_cell_step(&cell, current);
        beat_follow(&watch, n < begin ? NULL : &beat, &cell, n, before, current);
    }
    single_cell_free(&cell);
    return beat;
}

static void compare(const char *name, bool mixed, struct times_range intervals, int captured)
{
    double initial[STATES_MAX], parameter[STATES_MAX];
    const struct cell_protocol protocol = protocol_of(ionic_find(name), initial, parameter, mixed);
    struct cell_outcome outcome;
    struct restitution row[ROWS];
    struct beat s1;
    struct error error = {0};
    CHECK(times_range_count(&intervals) == ROWS, "%lld rows", (long long)times_range_count(&intervals));
    CHECK_OK(cell_outcome_new(&outcome, &protocol, &error), error);
    CHECK_OK(cell_trace(&protocol, NULL, &outcome, &error), error);
    CHECK(outcome.beats == BEATS - 1, "%lld beats", (long long)outcome.beats);
    CHECK_OK(restitution_run(row, &s1, &protocol, &outcome, &intervals, &error), error);
    struct beat want = straight(&protocol, 0);
    const int apd90 = ACTION_POTENTIAL_90;
    CHECK(s1.potential.apd[apd90] == want.potential.apd[apd90] && s1.potential.peak == want.potential.peak &&
              s1.potential.apd[apd90] > 100,
          "S1: %.17g, %.17g", s1.potential.apd[apd90], want.potential.apd[apd90]);
    for (int k = 0; k < ROWS; k++) {
        int64_t steps = intervals.first + (intervals.last < intervals.first ? -k : k) * intervals.by;
        const struct action_potential s2 = straight(&protocol, steps).potential;
        CHECK(row[k].interval == (double)steps * dt &&
                  (row[k].captured ? row[k].rested == s2.rested : isnan(row[k].rested)),
              "%s: %g, %.17g, want %.17g", name, row[k].interval, row[k].rested, s2.rested);
        CHECK(row[k].captured == (k < captured), "%s: %g ms captured: %d", name, row[k].interval,
              row[k].captured);
        CHECK(row[k].captured ? row[k].apd90 == s2.apd[apd90] : isnan(row[k].apd90),
              "%s: %g ms: %.17g, want %.17g", name, row[k].interval, row[k].apd90, s2.apd[apd90]);
        CHECK(k == 0 || k >= captured ||
                  (row[k].apd90 < row[k - 1].apd90) == (row[k].interval < row[k - 1].interval),
              "%s: %g ms after %g", name, row[k].apd90, row[k - 1].apd90);
    }
    cell_outcome_free(&outcome);
}

/* From the upward to the next downward crossing of the middle of modified-mitchell-schaeffer's potential, and the
 * interval before it */
struct response {
    double apd, di;
};

/* of[2] <- the responses to two stimuli, with currents `faster` times as fast as the model's */
static void pace_twice(struct response of[2], double faster, double interval)
{
    const struct ionic_model *model = ionic_find("modified-mitchell-schaeffer");
    double initial[STATES_MAX], parameter[STATES_MAX], up = 0, down = 0;
    struct cell_protocol protocol = protocol_of(model, initial, parameter, false);
    struct single_cell cell;
    struct error error = {0};
    const double step = 0.02 / faster, end = 2 * interval;
    int beats = 0;
    protocol.pacing.step = step;
    parameter[ionic_find_value(model->parameter, model->parameters, "tau_in")] /= faster;
    parameter[ionic_find_value(model->parameter, model->parameters, "tau_out")] /= faster;
    CHECK_OK(cell_begin(&cell, &protocol, &error), error);
    for (int64_t n = 0; (double)n * step < end; n++) {
        const double before = cell.v, since = fmod((double)n * step, interval), at = ((double)n + 1) * step;
        single_cell_step(&cell, since < 1 / faster ? 52 * faster : 0);
        if (before <= -30 && cell.v > -30) {
            of[beats % 2].di = at - down;
            up = at;
        } else if (before > -30 && cell.v <= -30 && beats < 2) {
            of[beats++].apd = at - up;
            down = at;
        }
    }
    CHECK(beats == 2, "%d action potentials", beats);
    single_cell_free(&cell);
}

/* APD = tau_close ln(h / h_min) after DI, with h_min = 1 / (1 + (1 - u_gate)^2 tau_out / (4 tau_in)) and h = 1 -
 * (1 - h_min) exp(-DI / tau_open), is Corrado and Niederer's restitution to leading order: the rest falls as the
 * currents become fast, at the passage of a fold as the power 2/3 of their time constants. */
static void test_published(void)
{
    const double tau_open = 100, tau_close = 120, u_gate = 0.13;
    const double h_min = 1 / (1 + (1 - u_gate) * (1 - u_gate) * 9 / (4 * 0.1));
    double off[2][2];
    for (int k = 0; k < 2; k++) {
        struct response of[2];
        pace_twice(of, k ? 64 : 8, 420);
        for (int beat = 0; beat < 2; beat++) {
            const double h = beat ? 1 - (1 - h_min) * exp(-of[beat].di / tau_open) : 1;
            off[k][beat] = fabs(of[beat].apd - tau_close * log(h / h_min));
        }
    }
    CHECK(off[1][0] < off[0][0] / 3 && off[1][0] < 3 && off[1][1] < 3,
          "%g, then %g and %g ms from the paper's", off[0][0], off[1][0], off[1][1]);
}

/* Calcium is no gate of any model: what is stored between staggered steps is its value at that time, and only
 * gates are behind. */
static void test_calcium(void)
{
    int models = 0, behind = 0;
    for (int m = 0; m < ionic_models(); m++) {
        double initial[STATES_MAX], parameter[STATES_MAX], value[STATES_MAX];
        struct cell_protocol protocol = protocol_of(ionic_model(m), initial, parameter, false);
        struct single_cell cell;
        struct error error = {0};
        protocol.way.staggered = true;
        CHECK_OK(cell_begin(&cell, &protocol, &error), error);
        const int calcium = 1 + beat_begin(0, &cell).calcium;
        for (int n = 0; n < 1000 && calcium > 0; n++) {
            single_cell_step(&cell, n < 50 ? 52 : 0);
            single_cell_get(&cell, value);
            CHECK(value[calcium] == single_cell_stored(&cell, calcium), "%s: step %d", protocol.model->name,
                  n);
            for (int k = 1; k <= protocol.model->states; k++)
                behind += value[k] != single_cell_stored(&cell, k);
        }
        models += calcium > 0;
        single_cell_free(&cell);
    }
    CHECK(models >= 5 && behind > 1000 * models, "%d models, %d values behind", models, behind);
}

int main(void)
{
    test_calcium();
    test_published();
    compare("luo-rudy-1991", false, (struct times_range){22000, 14000, 2000}, 4);
    compare("luo-rudy-1991", true, (struct times_range){18000, 26000, 2000}, ROWS);
    compare("mitchell-schaeffer", false, (struct times_range){20000, 12000, 2000}, 3);
    return 0;
}
