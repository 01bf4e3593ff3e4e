/* test_restitution.c: what S2 finds in a copy of the cell is what a cell finds that was stepped from the
 * start, bit for bit, in fp64 and in mixed state; intervals may rise or fall, and reach beyond the period of
 * S1. */
#include "app/commands/cell_restitution.h"
#include "tests/support/check.h"

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

int main(void)
{
    compare("luo-rudy-1991", false, (struct times_range){22000, 14000, 2000}, 4);
    compare("luo-rudy-1991", true, (struct times_range){18000, 26000, 2000}, ROWS);
    compare("mitchell-schaeffer", false, (struct times_range){20000, 12000, 2000}, 3);
    return 0;
}
