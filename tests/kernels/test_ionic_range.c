/* test_ionic_range.c: one step of every ionic model in double and in mixed state, without tables and with
 * them, from V in [-250, 250] mV and many states: all is finite, and mixed is near double.
 *
 * What fp32 may do to a step: V enters the formulas to 2^-24 |V| < 1.5e-5 mV and exponentials grow by at most
 * 0.5 / mV, so each is good to 7.5e-6 of itself; an exponent of at most 87 is rounded to 2^-24 87 = 5.2e-6;
 * at most two such exponentials meet in one product. Currents and limits and rates of gates are thus good to
 * 2.5e-5 of themselves, the potentials that drive currents to 2.5e-5 mV, and all conductances together are at
 * most 20 / ms: V' is good to 2.5e-5 dt (sum |I| + 20 mV / ms), a state to 2.5e-5 of itself, a gate of 1.
 *
 * Without tables exponentials of mixed state see V held to +-200 mV. Beyond, gates do what those of double do
 * at +-200 mV, and currents saturate: they are off by as much as they are. `test_ionic_range [BACKEND [full]]`: one set of
 * parameters of each text, or all. */
#include "tests/support/device_cells.h"

enum {
    VOLTAGES = 251,
    RECORDED = 12,
    STARTS = 26,
    CELLS = VOLTAGES * STARTS,
    STATES = 64,
    PARAMETERS = 128,
    CURRENTS = 20
};

static const double dt = 0.02, bound = 2.5e-5;

/* [states][CELLS], in double what both storages begin with */
struct cells {
    double v[CELLS], state[STATES][CELLS];
};

static const struct backend *backend;
static struct queue *queue;
static double parameter[PARAMETERS];
static double state64[STATES * CELLS];
static float state32[STATES * CELLS];

static struct ionic_cells group(const struct ionic_model *model, int64_t cells, bool mixed)
{
    return (struct ionic_cells){.model = model,
                                .cells = cells,
                                .stride = CELLS,
                                .mixed = mixed,
                                .state64 = state64,
                                .state32 = state32,
                                .parameter = parameter};
}

/* Cells `to` <- after one step in that storage from cells `from` */
static void step(struct cells *to, const struct cells *from, const struct ionic_model *model, bool mixed,
                 bool tables)
{
    struct error error;
    struct ionic_cells cells = group(model, CELLS, mixed);
    if (tables)
        CHECK_OK(ionic_table_build(&cells.table, model, parameter, mixed, dt, IONIC_TABLE_PER_MV, &error),
                 error);
    for (int k = 0; k < model->states; k++) {
        struct ionic_layout at = ionic_layout(model, mixed, k);
        for (int i = 0; i < CELLS; i++)
            if (at.fp32)
                state32[at.row * CELLS + i] = (float)from->state[k][i];
            else
                state64[at.row * CELLS + i] = from->state[k][i];
    }
    device_cells_step(queue, &cells, dt, 1, NULL, NULL, from->v, to->v, CELLS);
    for (int k = 0; k < model->states; k++) {
        struct ionic_layout at = ionic_layout(model, mixed, k);
        for (int i = 0; i < CELLS; i++)
            to->state[k][i] = at.fp32 ? (double)state32[at.row * CELLS + i] : state64[at.row * CELLS + i];
    }
    ionic_table_free(&cells.table);
}

/* Even mV for every other start, odd ones for the others: formulas that are 0 / 0 somewhere are so there */
static double voltage(int i)
{
    double even = -250 + 500.0 * (i % VOLTAGES) / (VOLTAGES - 1);
    return i / VOLTAGES % 2 && fabs(even) < 200 ? even + 1 : even;
}

static bool is_fraction(const struct ionic_value *state)
{
    return !*state->unit || strcmp(state->unit, "1") == 0;
}

/* A cell for every V from each of the starts. The first is rest, those up to RECORDED lie along a beat, if
 * the model has one; in the others gates are in [0, 1] and concentrations within a factor of 3. All are
 * numbers of fp32, so that both storages begin alike. */
static void begin(struct cells *c, const struct ionic_model *model)
{
    const double current[2] = {0, 50};
    const uint16_t class = 1;
    bool beats = model->v_initial < 0;
    double v = model->v_initial;
    struct ionic_cells one = group(model, 1, false);
    ionic_initial(state64, NULL, model, false, 1, CELLS);
    for (int s = 0; s < STARTS; s++) {
        for (int k = 0; k < model->states; k++) {
            double initial = model->state[k].value, x = bits_random((uint64_t)(s * STATES + k));
            x = is_fraction(&model->state[k]) ? x : initial * exp(log(3.0) * (2 * x - 1));
            for (int i = s * VOLTAGES; i < (s + 1) * VOLTAGES; i++)
                c->state[k][i] = (double)(float)(s < RECORDED && beats ? state64[k * CELLS] : x);
        }
        if (s == 0)
            device_cells_step(queue, &one, dt, 50, &class, current, &v, &v, 1);
        else if (s < RECORDED && beats)
            device_cells_step(queue, &one, dt, 1500, NULL, NULL, &v, &v, 1);
    }
    for (int i = 0; i < CELLS; i++)
        c->v[i] = voltage(i);
}

/* sums[i] <- sum of the magnitudes of the model's currents there, Iion among them */
static void sum_currents(double *sums, const struct cells *c, const struct ionic_model *model)
{
    static double current[CELLS];
    struct ionic_cells cells = group(model, CELLS, false);
    for (int k = 0; k < model->states; k++)
        memcpy(state64 + (size_t)k * CELLS, c->state[k], sizeof c->state[k]);
    memset(sums, 0, CELLS * sizeof *sums);
    for (int k = 0; k < model->currents; k++) {
        device_cells_current(queue, &cells, c->v, k, current);
        for (int i = 0; i < CELLS; i++)
            sums[i] += strcmp(model->current[k].unit, "uA/uF") == 0 ? fabs(current[i]) : 0;
    }
}

/* Whether the exponentials of mixed state see another V: in the models that have tables in V */
static bool is_held(const struct ionic_model *model, bool tables, double v)
{
    return model->columns > 0 && !tables && fabs(v) > 200;
}

/* State k of cell i after the step: finite, and near double */
static double check_state(const struct ionic_model *model, const struct cells *from, const struct cells *wide,
                          const struct cells *mixed, bool tables, int k, int i)
{
    const char *name = model->state[k].name;
    double was = from->state[k][i], got = mixed->state[k][i], want = wide->state[k][i], v = from->v[i];
    CHECK(isfinite(want) && isfinite(got), "%s, tables %d, start %d, V = %g: %s of %g becomes %g, mixed %g",
          model->name, tables, i / VOLTAGES, v, name, was, want, got);
    bool fraction = is_fraction(&model->state[k]);
    /* a flux may begin at 0: less than this moves no concentration by what fp32 resolves */
    const double least = strcmp(model->state[k].unit, "mM/ms") == 0 ? 1e-6 : 1e-300;
    if (is_held(model, tables, v) && !fraction)
        return 0;
    if (is_held(model, tables, v))
        want = wide->state[k][i / VOLTAGES * VOLTAGES + (v < 0 ? 25 : 225)];
    double apart = fabs(got - want) / (fraction ? 1 : fmax(least, fmax(fabs(was), fabs(want))));
    CHECK(apart <= bound, "%s, tables %d, start %d, V = %g: %s of %g becomes %g, mixed %g", model->name,
          tables, i / VOLTAGES, v, name, was, want, got);
    return apart;
}

/* One step from these cells, the sums of whose currents are given */
static void check(const struct ionic_model *model, bool tables, const struct cells *from, const double *sums)
{
    static struct cells wide, mixed;
    double most_v = 0, most_state = 0;
    step(&wide, from, model, false, tables);
    step(&mixed, from, model, true, tables);
    for (int i = 0; i < CELLS; i++) {
        double v = from->v[i], want = wide.v[i], got = mixed.v[i];
        CHECK(isfinite(want) && isfinite(got), "%s, tables %d, start %d: V = %g mV becomes %g, mixed %g",
              model->name, tables, i / VOLTAGES, v, want, got);
        double share = is_held(model, tables, v) ? 1 : bound;
        double of_v = fabs(got - want) / (share * dt * (sums[i] + 20));
        CHECK(of_v <= 1, "%s, tables %d, start %d: V = %g mV becomes %.9g, mixed %.9g", model->name, tables,
              i / VOLTAGES, v, want, got);
        most_v = fmax(most_v, of_v);
        for (int k = 0; k < model->states; k++)
            most_state = fmax(most_state, check_state(model, from, &wide, &mixed, tables, k, i));
    }
    printf("%s, tables %d: V by at most %.2g of the bound, states by %.2g of it\n", model->name, tables,
           most_v, most_state / bound);
}

int main(int argc, char **argv)
{
    static struct cells from;
    static double sums[CELLS];
    backend = test_backend(argc, argv);
    queue = test_queue(backend, 1);
    for (int k = 0; k < ionic_models(); k++) {
        const struct ionic_model *model = ionic_model(k);
        if (argc < 3 && k && model->source && ionic_model(k - 1)->source &&
            strcmp(model->source, ionic_model(k - 1)->source) == 0)
            continue; /* another set of the same formulas */
        CHECK(model->states <= STATES && model->parameters <= PARAMETERS, "%s", model->name);
        for (int p = 0; p < model->parameters; p++)
            parameter[p] = model->parameter[p].value;
        begin(&from, model);
        sum_currents(sums, &from, model);
        check(model, false, &from, sums);
        if (model->columns)
            check(model, true, &from, sums);
    }
    queue_free(queue);
    return 0;
}
