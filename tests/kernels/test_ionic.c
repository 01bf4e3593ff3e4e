/* test_ionic.c: the ionic models: names, rest, an action potential, and the same bits for every backend,
 * number of threads, block position and way of addressing cells. `test_ionic [BACKEND]` */
#include "tests/support/device_cells.h"

enum { STATES_MAX = 64 };

static const struct backend *tested;
static struct queue *queue; /* of three threads */

/* Cells of one model on the host with room for what a step needs. */
struct tissue {
    struct ionic_cells cells;
    double *v, *parameter;
};

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    CHECK(memory, "out of memory");
    return memory;
}

static struct tissue tissue_new(const struct ionic_model *model, int64_t cells, bool mixed)
{
    struct tissue t = {.cells = {.model = model, .cells = cells, .stride = cells + 3, .mixed = mixed}};
    int wide = ionic_states64(model, mixed);
    size_t stride = (size_t)t.cells.stride;
    t.cells.state64 = allocate(sizeof(double) * stride * (size_t)wide);
    t.cells.state32 = mixed ? allocate(sizeof(float) * stride * (size_t)(model->states - wide)) : NULL;
    ionic_initial(t.cells.state64, t.cells.state32, model, mixed, cells, t.cells.stride);
    t.parameter = allocate(sizeof(double) * (size_t)model->parameters);
    for (int k = 0; k < model->parameters; k++)
        t.parameter[k] = model->parameter[k].value;
    t.cells.parameter = t.parameter;
    t.v = allocate(sizeof(double) * (size_t)cells);
    for (int64_t i = 0; i < cells; i++)
        t.v[i] = model->v_initial;
    return t;
}

static void tissue_free(struct tissue *t)
{
    free(t->cells.state64);
    free(t->cells.state32);
    free(t->parameter);
    free(t->v);
}

/* Different V and, where a state is a fraction, different states in every cell. */
static void vary(struct tissue *t)
{
    const struct ionic_model *model = t->cells.model;
    int wide = ionic_states64(model, t->cells.mixed);
    for (int64_t i = 0; i < t->cells.cells; i++) {
        double x = (double)((i * 7919) % 1009) / 1009;
        t->v[i] = -95 + 150 * x;
        for (int k = 0; k < wide; k++)
            t->cells.state64[k * t->cells.stride + i] *= 0.8 + 0.4 * x;
        for (int k = 0; t->cells.mixed && k < model->states - wide; k++)
            t->cells.state32[k * t->cells.stride + i] *= (float)(0.4 + 0.6 * x);
    }
}

static void step_on(struct tissue *t, struct queue *on, double dt, int substeps, double stimulus)
{
    const double current[2] = {0, stimulus};
    uint16_t *class = allocate(sizeof *class * (size_t)t->cells.cells);
    for (int64_t i = 0; i < t->cells.cells; i++)
        class[i] = (uint16_t)(stimulus != 0 && i % 3 != 1);
    device_cells_step(on, &t->cells, dt, substeps, class, current, t->v, t->v, t->cells.cells);
    free(class);
}

static void step(struct tissue *t, double dt, int substeps, double stimulus)
{
    step_on(t, queue, dt, substeps, stimulus);
}

static bool same(const struct tissue *a, const struct tissue *b)
{
    const struct ionic_cells *x = &a->cells, *y = &b->cells;
    int wide = ionic_states64(x->model, x->mixed);
    for (int k = 0; k < x->model->states; k++)
        for (int64_t i = 0; i < x->cells; i++)
            if (k < wide ? memcmp(&x->state64[k * x->stride + i], &y->state64[k * y->stride + i], 8)
                         : memcmp(&x->state32[(k - wide) * x->stride + i],
                                  &y->state32[(k - wide) * y->stride + i], 4))
                return false;
    return memcmp(a->v, b->v, sizeof(double) * (size_t)x->cells) == 0;
}

/* As the plain table, on 1 and 3 threads, cell counts around the vector and the block */
static void check_bits(const struct ionic_model *model, bool mixed)
{
    static const int64_t counts[] = {1, 7, 128, 389};
    const struct backend *plain = backend_find("cpu-plain", NULL);
    struct queue *alone = test_queue(plain, 1), *one = test_queue(tested, 1);
    for (int n = 0; n < 4; n++) {
        struct tissue want = tissue_new(model, counts[n], mixed);
        vary(&want);
        step_on(&want, alone, 0.02, 3, 20);
        for (int threads = 1; threads <= 3; threads += 2) {
            struct tissue got = tissue_new(model, counts[n], mixed);
            vary(&got);
            step_on(&got, threads > 1 ? queue : one, 0.02, 3, 20);
            CHECK(same(&got, &want), "%s, %s, %d cells, %d threads differ from plain", model->name,
                  tested->name, (int)counts[n], threads);
            tissue_free(&got);
        }
        tissue_free(&want);
    }
    queue_free(alone);
    queue_free(one);
}

/* Left alone for 100 ms a cell stays near its rest. */
static void check_rest(const char *name, bool mixed, double tolerance)
{
    struct tissue t = tissue_new(ionic_find(name), 5, mixed);
    double rest = t.v[0];
    step(&t, 0.02, 5000, 0);
    CHECK(fabs(t.v[0] - rest) <= tolerance, "%s drifts from %g to %g mV", name, rest, t.v[0]);
    for (int i = 1; i < 5; i++)
        CHECK(t.v[i] == t.v[0], "equal cells part: %.17g, %.17g", t.v[i], t.v[0]);
    tissue_free(&t);
}

/* A stimulus starts an action potential that reaches 0 mV and comes back. */
static void check_excitable(const char *name, double stimulus, double after)
{
    struct tissue t = tissue_new(ionic_find(name), 2, false);
    double rest = t.v[0], peak = rest;
    step(&t, 0.02, 50, stimulus);
    for (int ms = 0; ms < after; ms++) {
        step(&t, 0.02, 50, 0);
        peak = t.v[0] > peak ? t.v[0] : peak;
    }
    CHECK(peak > 0 && t.v[0] < rest + 10, "%s: peak %g mV, at %g ms %g mV", name, peak, after, t.v[0]);
    CHECK(t.v[1] < rest + 10 && t.v[1] > rest - 15, "%s: the cell without stimulus is at %g mV", name,
          t.v[1]);
    tissue_free(&t);
}

/* Every second row of a larger tissue by index, or the same cells contiguous: the same bits, and the rows
 * between untouched. */
static void check_index(const struct ionic_model *model, bool mixed)
{
    enum { CELLS = 150, ROWS = 2 * CELLS };
    struct tissue plain = tissue_new(model, CELLS, mixed), spread = tissue_new(model, CELLS, mixed);
    vary(&plain);
    vary(&spread);
    step(&plain, 0.02, 5, 0);
    int32_t index[CELLS];
    double in[ROWS], out[ROWS];
    for (int i = 0; i < ROWS; i++)
        in[i] = out[i] = 7;
    for (int i = 0; i < CELLS; i++) {
        index[i] = 2 * i + 1;
        in[index[i]] = spread.v[i];
    }
    spread.cells.index = index;
    device_cells_step(queue, &spread.cells, 0.02, 5, NULL, NULL, in, out, ROWS);
    for (int i = 0; i < CELLS; i++) {
        CHECK(out[2 * i] == 7, "%s writes between its rows", model->name);
        spread.v[i] = out[index[i]];
    }
    CHECK(same(&plain, &spread), "%s by index differs", model->name);
    tissue_free(&plain);
    tissue_free(&spread);
}

/* NaN, infinite and absurd V or states neither crash nor touch the cells beside them, and NaN V stays NaN. */
static void check_hostile(const struct ionic_model *model, bool mixed)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e300, 1e4, -1e4, 0};
    struct tissue want = tissue_new(model, 40, mixed), got = tissue_new(model, 40, mixed);
    vary(&want);
    vary(&got);
    for (int k = 0; k < 8; k++) {
        got.v[5 * k] = bad[k];
        if (ionic_states64(model, mixed))
            got.cells.state64[5 * k + 1] = bad[k];
        else if (mixed && model->states)
            got.cells.state32[5 * k + 1] = (float)bad[k];
    }
    step(&want, 0.02, 4, 0);
    step(&got, 0.02, 4, 0);
    CHECK(isnan(got.v[0]), "%s: V = NaN becomes %g", model->name, got.v[0]);
    for (int i = 0; i < 40; i++)
        CHECK(i % 5 < 2 || memcmp(&got.v[i], &want.v[i], 8) == 0, "%s: cell %d feels a bad one", model->name,
              i);
    tissue_free(&want);
    tissue_free(&got);
}

/* V after 4 ms from an excited start, in steps of dt */
static double v_after(const struct ionic_model *model, double v, double dt)
{
    struct tissue t = tissue_new(model, 1, false);
    t.v[0] = v;
    step(&t, dt, (int)(4 / dt + 0.5), 0);
    double result = t.v[0];
    tissue_free(&t);
    return result;
}

/* A model's step has the order that it declares: the error's ratio under a halved dt is near 2^order. */
static void check_order(const char *name, double v, double dt)
{
    const struct ionic_model *model = ionic_find(name);
    double a = v_after(model, v, dt), b = v_after(model, v, dt / 2), c = v_after(model, v, dt / 4);
    double order = log2((a - b) / (b - c));
    CHECK(fabs(order - model->order) < 0.1, "%s: order %g", name, order);
}

/* V after one tiny step from rest falls by dt Iion, and current 0 is that Iion. */
static void check_current(const struct ionic_model *model, bool mixed)
{
    enum { CELLS = 300 };
    const double dt = 1e-7;
    struct tissue t = tissue_new(model, CELLS, mixed);
    vary(&t);
    double before[CELLS], current[CELLS];
    device_cells_current(queue, &t.cells, t.v, 0, current);
    CHECK(strcmp(model->current[0].name, "Iion") == 0, "%s", model->name);
    memcpy(before, t.v, sizeof before);
    step(&t, dt, 1, 0);
    for (int i = 0; i < CELLS; i++) {
        double slope = (t.v[i] - before[i]) / dt;
        CHECK(fabs(slope + current[i]) <= 1e-5 + 1e-4 * fabs(current[i]), "%s: dV/dt %g, Iion %g",
              model->name, slope, current[i]);
    }
    tissue_free(&t);
}

static int state_named(const struct ionic_model *model, const char *name)
{
    int k = ionic_find_value(model->state, model->states, name);
    CHECK(k >= 0, "%s has no state %s", model->name, name);
    return k;
}

/* Ca_SR at the end of a beat of 400 ms in steps of 0.001 ms */
static double reticular_calcium(const struct ionic_model *model, bool mixed)
{
    struct tissue t = tissue_new(model, 1, mixed);
    step(&t, 0.001, 1000, 52);
    step(&t, 0.001, 399000, 0);
    struct ionic_layout at = ionic_layout(model, mixed, state_named(model, "Ca_SR"));
    double value =
        at.fp32 ? (double)t.cells.state32[at.row * t.cells.stride] : t.cells.state64[at.row * t.cells.stride];
    tissue_free(&t);
    return value;
}

/* Small steps change Ca_SR by less than fp32 resolves: mixed state must gather them all the same. */
static void check_small_steps(const char *name)
{
    const struct ionic_model *model = ionic_find(name);
    double want = reticular_calcium(model, false), got = reticular_calcium(model, true);
    printf("%s: Ca_SR after a beat in steps of 0.001 ms: %.9g mM, mixed %+.1e\n", name, want, got - want);
    CHECK(fabs(got - want) <= 3e-4, "%s: Ca_SR %.9g mM, in mixed state %.9g", name, want, got);
}

int main(int argc, char **argv)
{
    tested = test_backend(argc, argv);
    queue = test_queue(tested, 3);
    CHECK(!ionic_find("tp06") && !ionic_find(""), "names are whole");
    for (int k = 0; k < ionic_models(); k++) {
        CHECK(ionic_find(ionic_model(k)->name) == ionic_model(k), "%s", ionic_model(k)->name);
        CHECK(ionic_model(k)->states <= STATES_MAX, "%s", ionic_model(k)->name);
        for (int mixed = 0; mixed < 2; mixed++) {
            if (!mixed || tested->immediate)
                check_bits(ionic_model(k), mixed);
            check_index(ionic_model(k), mixed);
            check_hostile(ionic_model(k), mixed);
            check_current(ionic_model(k), mixed);
        }
    }
    if (argc > 1 && tested->immediate)
        return 0; /* the rest follows from equal bits */
    for (int mixed = 0; mixed < 2; mixed++) {
        check_rest("tp06-epi", mixed, 1);
        check_rest("tp06-endo", mixed, 1);
        check_rest("tp06-m", mixed, 1);
        check_rest("mitchell-schaeffer", mixed, 0);
        check_rest("fitzhugh-nagumo", mixed, 0);
        check_rest("passive", mixed, 0);
    }
    check_order("tp06-epi", -30, 0.002);
    check_order("mitchell-schaeffer", -50, 0.04);
    check_order("fitzhugh-nagumo", -50, 0.04);
    check_order("huxley", -60, 0.04);
    check_small_steps("tp06-epi");
    check_small_steps("tp06-endo");
    check_small_steps("tp06-m");
    check_excitable("tp06-epi", 52, 400);
    check_excitable("tp06-endo", 52, 400);
    check_excitable("tp06-m", 52, 500);
    check_excitable("mitchell-schaeffer", 40, 600);
    check_excitable("fitzhugh-nagumo", 40, 600);
    queue_free(queue);
    return 0;
}
