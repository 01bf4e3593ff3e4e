/* test_tables.c: ionic steps with functions of V from tables: the same bits on every backend and for any
 * number of threads; an error over a beat within what docs/theory/numerics.md states, which falls with the
 * square of the spacing or faster; parameters and sub-steps take effect; the parameters on which a table
 * depends are known; models without tables are refused. `test_tables [BACKEND]` */
#include "tests/support/device_cells.h"

enum { CELLS = 389, STATES = 64, PARAMETERS = 128, STEPS = 25000 /* of a beat */ };

static const double dt = 0.02;

struct cells {
    struct ionic_cells all;
    double v[CELLS], state64[STATES * CELLS], parameter[PARAMETERS];
    float state32[STATES * CELLS];
};

static const struct backend *tested;
static struct queue *queue[2]; /* one and three threads */

/* Cells at rest; rows_per_mV 0 = without table */
static void begin(struct cells *c, const struct ionic_model *model, int64_t count, bool mixed)
{
    memset(c, 0, sizeof *c);
    c->all = (struct ionic_cells){.model = model,
                                  .cells = count,
                                  .stride = CELLS,
                                  .mixed = mixed,
                                  .state64 = c->state64,
                                  .state32 = c->state32,
                                  .parameter = c->parameter};
    for (int k = 0; k < model->parameters; k++)
        c->parameter[k] = model->parameter[k].value;
    ionic_initial(c->state64, c->state32, model, mixed, count, CELLS);
    for (int64_t i = 0; i < count; i++)
        c->v[i] = model->v_initial;
}

static struct ionic_table table_of(const struct cells *c, double step, int per_mV)
{
    struct error error;
    struct ionic_table table;
    CHECK_OK(ionic_table_build(&table, c->all.model, c->parameter, c->all.mixed, step, per_mV, &error),
             error);
    return table;
}

static void advance(struct cells *c, int threads, double sub_step, int substeps)
{
    device_cells_step(queue[threads > 1], &c->all, sub_step, substeps, NULL, NULL, c->v, c->v, CELLS);
}

static void check_same(const struct cells *got, const struct cells *want, const char *what)
{
    CHECK(memcmp(got->v, want->v, sizeof got->v) == 0 &&
              memcmp(got->state64, want->state64, sizeof got->state64) == 0 &&
              memcmp(got->state32, want->state32, sizeof got->state32) == 0,
          "%s, %s, %s: other bits than plain", got->all.model->name, got->all.mixed ? "mixed" : "double",
          what);
}

/* Cells at every V, among them those where tables end and jump, and beyond */
static void vary(struct cells *c)
{
    const double odd[] = {-200, 200, -40, -40.000000001, 1e4, -1e4};
    for (int64_t i = 0; i < c->all.cells; i++)
        c->v[i] = i % 40 == 7 ? odd[i / 40 % 6] : -95 + 150.0 * (double)((i * 7919) % 1009) / 1009;
}

static void check_bits(const struct ionic_model *model, bool mixed)
{
    static struct cells want, got;
    static const int64_t counts[] = {1, 7, 128, CELLS};
    const struct backend *plain = backend_find("cpu-plain", NULL);
    struct queue *alone = test_queue(plain, 1);
    for (int n = 0; n < 4; n++) {
        begin(&want, model, counts[n], mixed);
        struct ionic_table table = table_of(&want, dt / 3, 2);
        vary(&want);
        want.all.table = table;
        device_cells_step(alone, &want.all, dt / 3, 3, NULL, NULL, want.v, want.v, CELLS);
        for (int threads = 1; threads <= 3; threads += 2) {
            begin(&got, model, counts[n], mixed);
            vary(&got);
            got.all.table = table;
            advance(&got, threads, dt / 3, 3);
            check_same(&got, &want, threads > 1 ? "3 threads" : "1 thread");
        }
        ionic_table_free(&table);
    }
    queue_free(alone);
}

/* NaN stays NaN and stays in its cell. */
static void check_nan(const struct ionic_model *model, bool mixed)
{
    static struct cells c;
    begin(&c, model, 40, mixed);
    struct ionic_table table = c.all.table = table_of(&c, dt, 10);
    c.v[5] = (double)NAN;
    advance(&c, 1, dt, 4);
    CHECK(isnan(c.v[5]), "V = NaN becomes %g", c.v[5]);
    for (int i = 0; i < 40; i++)
        CHECK(i == 5 || c.v[i] == c.v[0], "cell %d feels the NaN", i);
    ionic_table_free(&table);
}

/* V after each step of one beat, stimulus 52 uA/uF during the first ms */
static void beat(double *v, struct cells *c)
{
    static double trace[STEPS + 1];
    const uint16_t class = 1;
    const double current[2] = {0, 52};
    struct device_cells d;
    trace[0] = c->v[0];
    device_cells_put(&d, queue[0], &c->all, trace, STEPS + 1);
    uint16_t *of_row = device_copy(queue[0], &class, sizeof class);
    double *strength = device_copy(queue[0], current, sizeof current);
    for (int n = 0; n < STEPS; n++) { /* each V behind the one before: nothing is fetched in between */
        const struct ionic_drive drive = {.dt = dt,
                                          .substeps = 1,
                                          .stimulus_class = n < 50 ? of_row : NULL,
                                          .stimulus_current = strength,
                                          .v_in = d.v + n,
                                          .v_out = d.v + n + 1};
        queue[0]->backend->ionic_step(queue[0], &d.cells, &drive);
    }
    device_cells_fetch(&d, &c->all, trace);
    device_release(queue[0], of_row);
    device_release(queue[0], strength);
    memcpy(v, trace + 1, STEPS * sizeof *v);
}

struct traits {
    int peak;                 /* step of the largest V */
    double activation, apd90; /* ms: when V passes 0 mV, and from then until it has fallen by 90 % */
};

static struct traits measure(const double *v, double rest)
{
    struct traits t = {0, NAN, NAN};
    for (int n = 0; n < STEPS; n++)
        t.peak = v[n] > v[t.peak] ? n : t.peak;
    double threshold = v[t.peak] - 0.9 * (v[t.peak] - rest);
    for (int n = 1; n < STEPS; n++) {
        if (isnan(t.activation) && v[n - 1] < 0 && v[n] >= 0)
            t.activation = dt * (n - v[n] / (v[n] - v[n - 1]));
        if (n > t.peak && isnan(t.apd90) && v[n] < threshold)
            t.apd90 = dt * (n - (v[n] - threshold) / (v[n] - v[n - 1])) - t.activation;
    }
    return t;
}

struct difference {
    double upstroke, rest, activation,
        apd90; /* largest |dV| up to the peak and 2 ms beyond, and after that */
};

/* Of a beat with tables from the same one without, which is computed once a model and storage */
static struct difference compare(const struct ionic_model *model, bool mixed, int per_mV)
{
    static struct cells exact, tabled;
    static double expected[2][STEPS], got[STEPS];
    static const struct ionic_model *computed[2];
    double *want = expected[mixed];
    begin(&tabled, model, 1, mixed);
    struct ionic_table table = tabled.all.table = table_of(&tabled, dt, per_mV);
    if (computed[mixed] != model) {
        computed[mixed] = model;
        begin(&exact, model, 1, mixed);
        beat(want, &exact);
    }
    beat(got, &tabled);
    ionic_table_free(&table);
    struct traits a = measure(want, model->v_initial), b = measure(got, model->v_initial);
    CHECK(want[a.peak] > 0 && !isnan(a.apd90), "%s: no action potential", model->name);
    struct difference d = {0, 0, fabs(b.activation - a.activation), fabs(b.apd90 - a.apd90)};
    for (int n = 0; n < STEPS; n++) {
        double *top = n <= a.peak + 100 ? &d.upstroke : &d.rest;
        *top = fmax(*top, fabs(got[n] - want[n]));
    }
    return d;
}

/* Models in a few variables jump at potentials that are no rows of a table */
static bool jumps(const struct ionic_model *model)
{
    return model->states < 4;
}

/* Models of which only what docs/user/config.md says of tables is claimed: 1e-3 mV over a beat. Some of their
 * columns bend too much for the second order at these spacings. */
static bool is_rough(const struct ionic_model *model)
{
    return strncmp(model->name, "tp04", 4) == 0 || strcmp(model->name, "stewart") == 0;
}

/* Limits: twice what was measured; docs/theory/numerics.md states them. */
static void check_beat(const struct ionic_model *model, bool mixed)
{
    struct difference d = compare(model, mixed, IONIC_TABLE_PER_MV);
    printf("%s, %s: |dV| %.2e mV in the upstroke, %.2e after it; activation %.1e ms, APD90 %.1e ms\n",
           model->name, mixed ? "mixed" : "double", d.upstroke, d.rest, d.activation, d.apd90);
    double upstroke = strncmp(model->name, "tp06", 4) == 0 ? 1.2e-4 : 2.6e-4,
           rest = jumps(model) ? 5e-2 : 2.8e-4, apd90 = jumps(model) ? 4e-3 : 1.3e-4;
    if (is_rough(model))
        upstroke = rest = 1e-3, apd90 = 3e-4;
    CHECK(d.upstroke <= upstroke && d.rest <= rest && d.activation <= 6e-7 && d.apd90 <= apd90, "%s",
          model->name);
}

/* A quarter of the spacing leaves a sixteenth of the error, or less: the second order is that of the lines,
 * whose mean is right to a higher one. Where a row every 0.25 mV is within 5e-5 mV, the columns that bend
 * most are computed at that spacing. */
static void check_order(const struct ionic_model *model)
{
    struct difference coarse = compare(model, false, 4), fine = compare(model, false, 16);
    double most = fmax(coarse.upstroke, coarse.rest), order = log2(most / fmax(fine.upstroke, fine.rest)) / 2;
    printf("%s: the error falls from %.1e mV with the spacing to the power %.2f\n", model->name, most, order);
    CHECK(order > 1.95 || most < 5e-5, "%s: order %g", model->name, order);
}

/* Largest |dV| after one step of many cells with parameter k changed, with that table, or one of their own */
static double step_apart(const struct ionic_model *model, int k, double factor,
                         const struct ionic_table *given)
{
    static struct cells exact, tabled;
    begin(&exact, model, CELLS, false);
    begin(&tabled, model, CELLS, false);
    exact.parameter[k] *= factor, tabled.parameter[k] *= factor;
    struct ionic_table own = given ? (struct ionic_table){0} : table_of(&tabled, dt, IONIC_TABLE_PER_MV);
    for (int i = 0; i < CELLS; i++)
        exact.v[i] = tabled.v[i] = -95 + 140.0 * i / CELLS;
    tabled.all.table = given ? *given : own;
    advance(&exact, 1, dt, 1);
    advance(&tabled, 1, dt, 1);
    ionic_table_free(&own);
    double top = 0;
    for (int i = 0; i < CELLS; i++)
        top = fmax(top, fabs(exact.v[i] - tabled.v[i]));
    return top;
}

/* A table made with a parameter changed follows the exact step with it changed; one made before does not, of
 * a parameter that functions of V have in them. */
static void check_parameters(const struct ionic_model *model)
{
    static const char *const inside[] = {"T", "gas", "faraday", "K_o", "g_K1", "K_sat", "gamma"};
    static struct cells unchanged;
    double most = 0;
    int found = 0;
    begin(&unchanged, model, CELLS, false);
    struct ionic_table before = table_of(&unchanged, dt, IONIC_TABLE_PER_MV);
    for (int k = 0; k < model->parameters; k++) {
        double stale = step_apart(model, k, 0.9, &before);
        double own = model->table_reads(k) ? step_apart(model, k, 0.9, NULL) : stale; /* check_reads */
        bool expected = false;
        for (int n = 0; n < 7; n++)
            expected |= strcmp(model->parameter[k].name, inside[n]) == 0;
        CHECK((stale > 5 * own) == expected, "%s, %s: %g mV with its own table, %g with another", model->name,
              model->parameter[k].name, own, stale);
        found += expected;
        most = fmax(most, own);
    }
    ionic_table_free(&before);
    printf("%s: dV of a step %.1e mV\n", model->name, most);
    CHECK(most <= 6e-5 && found == 7, "%s: %g mV, %d of the parameters", model->name, most, found);
}

/* A table changes with no parameter but those that it is said to be made of. */
static void check_reads(const struct ionic_model *model)
{
    static struct cells c;
    int read = 0;
    begin(&c, model, 1, false);
    struct ionic_table before = table_of(&c, dt, 2);
    for (int k = 0; k < model->parameters; k++) {
        begin(&c, model, 1, false);
        c.parameter[k] = 1.2 * c.parameter[k] + 0.01;
        struct ionic_table after = table_of(&c, dt, 2);
        bool same = memcmp(before.value, after.value, ionic_table_bytes(model, false, 2)) == 0;
        CHECK(same || model->table_reads(k), "%s: its table changes with %s", model->name,
              model->parameter[k].name);
        read += !same;
        ionic_table_free(&after);
    }
    ionic_table_free(&before);
    CHECK(read > 0 && read < model->parameters, "%s: %d of %d parameters", model->name, read,
          model->parameters);
}

int main(int argc, char **argv)
{
    struct error error;
    tested = test_backend(argc, argv);
    const bool by_bits = argc > 1 && tested->immediate; /* all but bits follows from those */
    for (int k = 0; k < 2; k++)
        queue[k] = test_queue(tested, 1 + 2 * k);
    int tabled = 0;
    for (int k = 0; k < ionic_models(); k++) {
        const struct ionic_model *model = ionic_model(k);
        if (!model->columns) {
            CHECK(ionic_table_known(model, &error) == STATUS_INPUT && strstr(error.text, model->name), "%s",
                  model->name);
            continue;
        }
        if (k && model->source && ionic_model(k - 1)->source &&
            strcmp(model->source, ionic_model(k - 1)->source) == 0)
            continue; /* another set of the same formulas */
        CHECK_OK(ionic_table_known(model, &error), error);
        tabled++;
        if (!by_bits)
            check_reads(model);
        for (int mixed = 0; mixed < 2; mixed++) {
            if (!mixed || tested->immediate)
                check_bits(model, mixed);
            check_nan(model, mixed);
            if (!by_bits)
                check_beat(model, mixed);
        }
        if (!by_bits && !jumps(model) && !is_rough(model))
            check_order(model);
    }
    CHECK(tabled >= 5, "%d models have tables", tabled);
    if (!by_bits)
        check_parameters(ionic_find("tp06-epi"));
    for (int k = 0; k < 2; k++)
        queue_free(queue[k]);
    return 0;
}
