/* test_cells.c: steps of cells against a plain loop over them, to the last bit, with a model of this test's own whose loops show what
 * they are given: states in both precisions, rows by index, runs of parameter sets, constants of cells, tables, stimuli, both parts of a
 * staggered step, and nothing beside them touched. Layouts, parameter sets and initial states by definition. */
#include <string.h>

#include "kernels/base/bits.h"
#include "kernels/ops/control.h"
#include "tests/support/device_cells.h"
#include "tests/support/dice.h"

enum { STATES = 5, OWN = 2, MOST = 400, ROWS = 2 * MOST, SETS = 3, CLASSES = 3, FRAME = 4 };
enum kind { STEP, TABLED, GATES, REST, TABLED_GATES, TABLED_REST };

static const double guard = 12345.678;

/* In mixed state another constant, so that they cannot be confused */
struct constants {
    double dt, a, b;
};

static void constants_double(void *constants, const double *parameter, double dt)
{
    const struct constants c = {dt, parameter[0] + parameter[1], parameter[2] * dt};
    memcpy(constants, &c, sizeof c);
}

static void constants_float(void *constants, const double *parameter, double dt)
{
    const struct constants c = {dt, 2 * parameter[0] - parameter[1], parameter[2] * dt};
    memcpy(constants, &c, sizeof c);
}

/* The model: gates are the even states, the rest the odd ones and V */
static void step_one(enum kind kind, const struct constants *c, const double *table, const bool *narrow,
                     double *v, double stimulus, double ahead, double *state, const double *own)
{
    const bool gates = kind == GATES || kind == TABLED_GATES, rest = kind == REST || kind == TABLED_REST;
    const double of_table = kind == TABLED || kind == TABLED_GATES || kind == TABLED_REST ? *table : 1;
    for (int k = 0; k < STATES; k++) {
        if ((gates && k % 2) || (rest && k % 2 == 0))
            continue;
        state[k] = 0.5 * state[k] + 0.01 * (k + 1) * of_table * (rest ? ahead : *v) + c->a * own[k % OWN];
        state[k] = narrow[k] ? (double)(float)state[k] : state[k];
    }
    if (!gates)
        *v += c->dt * (stimulus - *v * 0.1 + c->b * state[1] + state[2] * of_table);
}

static double current_one(const struct constants *c, int which, double v, const double *state,
                          const double *own)
{
    return which == 0 ? c->a * state[0] + v : c->b + state[3] * own[1] + state[4] + c->dt;
}

/* Rows of a state in the array of its precision */
static const struct {
    bool narrow;
    int row;
} rows_mixed[STATES] = {{false, 0}, {true, 0}, {true, 1}, {false, 1}, {true, 2}};
static const bool all_wide[STATES] = {false}, some_narrow[STATES] = {false, true, true, false, true};

static double *state_at(const struct ionic_block *block, bool mixed, int k, int64_t at, float **single)
{
    *single = mixed && rows_mixed[k].narrow ? &block->state32[rows_mixed[k].row * block->stride + at] : NULL;
    return *single ? NULL : &block->state64[(mixed ? rows_mixed[k].row : k) * block->stride + at];
}

static int lanes;

static void load(const struct ionic_block *block, bool mixed, int at, double *state, double *own)
{
    float *single;
    for (int k = 0; k < STATES; k++) {
        const double *wide = state_at(block, mixed, k, at, &single);
        state[k] = single ? (double)*single : *wide;
    }
    for (int k = 0; k < OWN; k++)
        own[k] = mixed ? (double)((const float *)block->own)[k * block->stride + at]
                       : ((const double *)block->own)[k * block->stride + at];
}

static void loop(const struct ionic_block *block, const void *constants, const struct ionic_table *table,
                 enum kind kind, bool mixed)
{
    CHECK(block->cells % lanes == 0, "%d cells in lanes of %d", block->cells, lanes);
    for (int at = 0; at < block->cells; at++) {
        double state[STATES], own[OWN];
        float *single;
        load(block, mixed, at, state, own);
        step_one(kind, constants, table->value, mixed ? some_narrow : all_wide, &block->v[at],
                 block->stimulus[at], block->ahead[at], state, own);
        for (int k = 0; k < STATES; k++) {
            double *wide = state_at(block, mixed, k, at, &single);
            if (single)
                *single = (float)state[k];
            else
                *wide = state[k];
        }
    }
}

#define LOOP(name, kind)                                                                                     \
    static void name##_double(const struct ionic_block *b, const void *c, const struct ionic_table *t)       \
    {                                                                                                        \
        loop(b, c, t, kind, false);                                                                          \
    }                                                                                                        \
    static void name##_float(const struct ionic_block *b, const void *c, const struct ionic_table *t)        \
    {                                                                                                        \
        loop(b, c, t, kind, true);                                                                           \
    }
LOOP(step, STEP)
LOOP(tabled, TABLED)
LOOP(gates, GATES)
LOOP(rest, REST)
LOOP(tabled_gates, TABLED_GATES)
LOOP(tabled_rest, TABLED_REST)

static void currents(const struct ionic_block *block, const void *constants, int which, double *out,
                     bool mixed)
{
    for (int at = 0; at < block->cells; at++) {
        double state[STATES], own[OWN];
        load(block, mixed, at, state, own);
        out[at] = current_one(constants, which, block->v[at], state, own);
    }
}

static void current_double(const struct ionic_block *block, const void *constants, int which, double *out)
{
    currents(block, constants, which, out, false);
}

static void current_float(const struct ionic_block *block, const void *constants, int which, double *out)
{
    currents(block, constants, which, out, true);
}

#define LOOPS                                                                                                \
    .step = {step_double, step_float}, .tabled = {tabled_double, tabled_float},                              \
    .gates = {gates_double, gates_float}, .rest = {rest_double, rest_float},                                 \
    .tabled_gates = {tabled_gates_double, tabled_gates_float},                                               \
    .tabled_rest = {tabled_rest_double, tabled_rest_float}
static struct ionic_loops all_loops = {LOOPS, .current = {current_double, current_float}},
                          without_currents = {LOOPS};

static const struct ionic_value states[STATES] = {{"a", "1", 0.1, true, ""},
                                                  {"b", "1", 0.2, false, ""},
                                                  {"c", "1", 0.3, false, ""},
                                                  {"d", "1", -0.4, true, ""},
                                                  {"e", "1", 0.5, false, ""}};
static const struct ionic_model model = {
    .name = "own",
    .states = STATES,
    .state = states,
    .parameters = 3,
    .currents = 2,
    .constants = {constants_double, constants_float},
    .constants_bytes = {sizeof(struct constants), sizeof(struct constants) + 8},
    .own = OWN,
    .plain = &all_loops,
    .avx2 = &all_loops,
    .avx512 = &without_currents};

/* Host arrays of a step; `want` is what the plain loop makes of them */
static struct arrays {
    double v_in[ROWS], v_out[ROWS], before[ROWS], field[ROWS], state64[STATES * MOST], own64[OWN * MOST];
    float state32[STATES * MOST], own32[OWN * MOST];
} got, want;
static int32_t row_of[MOST];
static uint16_t class[ROWS];
static double stimulus[FRAME * CLASSES], parameter[SETS][3], table[SETS][1];
static _Alignas(64) char set[SETS * 128];

static double random_number(void)
{
    return bits_random_signed(dice++);
}

static void fill(struct arrays *a, struct ionic_cells *cells, int64_t count, int64_t stride)
{
    for (int k = 0; k < ROWS; k++) {
        a->v_in[k] = 10 * random_number();
        a->v_out[k] = guard;
        a->before[k] = 10 * random_number();
        a->field[k] = random_number();
        class[k] = (uint16_t)below(CLASSES);
    }
    for (int k = 0; k < STATES * MOST; k++)
        a->state32[k] = (float)(a->state64[k] = k % stride < count ? random_number() : guard);
    for (int k = 0; k < OWN * MOST; k++)
        a->own32[k] = (float)(a->own64[k] = random_number());
    for (int s = 0; s < SETS; s++) {
        for (int k = 0; k < 3; k++)
            parameter[s][k] = random_number();
        table[s][0] = random_number();
    }
    for (int k = 0; k < FRAME * CLASSES; k++)
        stimulus[k] = k % CLASSES ? random_number() : 0;
    for (int64_t i = 0; i < count; i++)
        row_of[i] = (int32_t)(cells->index ? (2 * (count - 1 - i) + 1) : i);
}

/* The states and constants of a cell; put: the states of `want` <- state */
static void of_cell(const struct ionic_cells *cells, int64_t i, double *state, double *own, bool put)
{
    for (int k = 0; k < STATES; k++) {
        const int64_t at = (cells->mixed ? rows_mixed[k].row : k) * cells->stride + i;
        if (cells->mixed && rows_mixed[k].narrow)
            put ? (void)(want.state32[at] = (float)state[k]) : (void)(state[k] = (double)want.state32[at]);
        else
            put ? (void)(want.state64[at] = state[k]) : (void)(state[k] = want.state64[at]);
    }
    for (int k = 0; k < OWN && !put; k++)
        own[k] = cells->mixed ? (double)want.own32[k * cells->stride + i] : want.own64[k * cells->stride + i];
}

/* A step of one cell as ionic.h defines it */
static void plain_step(const struct ionic_cells *cells, const struct ionic_drive *drive, int64_t i,
                       int of_set)
{
    const int32_t row = row_of[i];
    const bool staggered = drive->v_before, tables = cells->table.value;
    struct constants c;
    double state[STATES], own[OWN], v = want.v_in[row], before = want.before[row], current = 0;
    (cells->mixed ? constants_float : constants_double)(&c, parameter[of_set], drive->dt);
    of_cell(cells, i, state, own, false);
    if (drive->stimulus_class) {
        const int64_t line = drive->stimulus_row ? drive->control->step - drive->control->first : 0;
        current = stimulus[line * drive->stimulus_row + class[row]];
    }
    if (drive->holds)
        current += want.field[row];
    for (int k = 0; k < drive->substeps; k++) {
        const bool *narrow = cells->mixed ? some_narrow : all_wide;
        if (!staggered)
            step_one(tables ? TABLED : STEP, &c, table[of_set], narrow, &v, current, 0, state, own);
        if (staggered && (k > 0 || drive->subset != IONIC_REST))
            step_one(tables && drive->subset != IONIC_GATES ? TABLED_GATES : GATES, &c, table[of_set], narrow,
                     &v, 0, 0, state, own);
        if (staggered && drive->subset != IONIC_GATES) {
            const double ahead = v + (k > 0 ? 0.5 : drive->extrapolation) * (v - before);
            before = v;
            step_one(tables ? TABLED_REST : REST, &c, table[of_set], narrow, &v, current, ahead, state, own);
        }
    }
    of_cell(cells, i, state, own, true);
    if (drive->subset == IONIC_GATES)
        return;
    const double held = drive->holds ? drive->dt * drive->substeps * want.field[row] : 0;
    if (drive->field)
        want.field[row] = want.v_in[row] + drive->theta * (v - want.v_in[row] - held);
    (drive->v_in == drive->v_out ? want.v_in : want.v_out)[row] = v;
}

/* One random step of `count` cells, and both currents after it */
static void try_step(struct queue *queue, int64_t count)
{
    const bool mixed = below(2), by_index = below(2), in_runs = below(2), tables = below(2);
    const int64_t stride = count + below(3);
    struct ionic_cells cells = {.model = &model, .cells = count, .stride = stride, .mixed = mixed};
    static struct ionic_run run[MOST];
    struct ionic_runs runs = {.run = run, .parameter_set = set};
    static double out[MOST + 1];
    cells.index = by_index ? row_of : NULL;
    lanes = all_loops.lanes = without_currents.lanes = (int[]){1, 4, 16}[below(3)];
    fill(&want, &cells, count, stride);
    got = want;
    cells.state64 = got.state64;
    cells.state32 = mixed ? got.state32 : NULL;
    cells.own = mixed ? (const void *)got.own32 : got.own64;
    cells.parameter = parameter[0];
    struct control control = {.step = 1000 + below(FRAME), .first = 1000};
    struct ionic_drive drive = {.dt = 0.01 * (1 + below(3)),
                                .substeps = 1 + below(3),
                                .stimulus_current = stimulus,
                                .v_in = got.v_in,
                                .v_out = below(2) ? got.v_in : got.v_out,
                                .extrapolation = random_number(),
                                .theta = random_number()};
    drive.stimulus_class = below(3) ? class : NULL;
    drive.control = below(3) ? &control : NULL;
    drive.stimulus_row = drive.control && below(2) ? CLASSES : 0;
    if (below(3)) {
        drive.v_before = got.before;
        drive.subset = (enum ionic_subset)below(3);
        drive.substeps = drive.subset == IONIC_GATES ? 1 : drive.substeps;
        drive.field = below(2) ? got.field : NULL;
        drive.holds = drive.field && below(2);
    }
    cells.table = (struct ionic_table){.value = tables ? table[0] : NULL, .dt = drive.dt};
    if (in_runs) {
        cells.runs = &runs;
        runs.dt = drive.dt;
        runs.first = (int32_t)below((int)count);
        for (int32_t at = runs.first; at < count; at += run[runs.runs++].cells) {
            const int cell_count = 1 + below(IONIC_RUN);
            run[runs.runs] = (struct ionic_run){
                at, (uint16_t)(count - at < cell_count ? count - at : cell_count), (uint16_t)below(SETS)};
        }
        memset(set, 0x5a, sizeof set);
        for (size_t s = 0; s < SETS; s++)
            ionic_set_fill(set + s * ionic_set_bytes(&model, mixed), &model, mixed, parameter[s], drive.dt,
                           tables ? table[s] : NULL);
    }
    if (below(10) == 0 && drive.control)
        control.failure = FAILURE_VOLTAGE;
    else if (in_runs)
        for (int r = 0; r < runs.runs; r++)
            for (int64_t i = run[r].first; i < run[r].first + run[r].cells; i++)
                plain_step(&cells, &drive, i, run[r].parameter_set);
    else
        for (int64_t i = 0; i < count; i++)
            plain_step(&cells, &drive, i, 0);
    queue->backend->ionic_step(queue, &cells, &drive);
    CHECK(memcmp(&got, &want, sizeof got) == 0, "%d cells%s%s%s%s%s, lanes %d, sub-steps %d, part %d",
          (int)count, mixed ? ", mixed" : "", by_index ? ", by index" : "", in_runs ? ", in runs" : "",
          tables ? ", tables" : "", drive.v_before ? ", staggered" : "", lanes, drive.substeps,
          (int)drive.subset);

    for (int which = 0; which < 2; which++) {
        for (int k = 0; k <= MOST; k++)
            out[k] = guard;
        queue->backend->ionic_current(queue, &cells, got.v_in, which, out);
        int64_t at = 0; /* with constants of a dt of 0; sets have their own */
        for (int r = 0; r < (in_runs ? runs.runs : 1); r++)
            for (int64_t i = in_runs ? run[r].first : 0; i < (in_runs ? run[r].first + run[r].cells : count);
                 i++) {
                struct constants c;
                double state[STATES], own[OWN];
                (mixed ? constants_float : constants_double)(
                    &c, parameter[in_runs ? run[r].parameter_set : 0], in_runs ? drive.dt : 0);
                of_cell(&cells, i, state, own, false);
                const double value = current_one(&c, which, got.v_in[row_of[i]], state, own);
                CHECK(out[at] == value, "current %d of cell %d: %.17g, want %.17g", which, (int)i, out[at],
                      value);
                at++;
            }
        CHECK(out[at] == guard, "currents behind the last");
    }
}

/* By the plain meaning of each line of ionic.h and layout.h, of every model */
static void test_registry(void)
{
    CHECK(ionic_models() > 20 && !ionic_find("own"), "%d models", ionic_models());
    for (int m = 0; m < ionic_models(); m++) {
        const struct ionic_model *one = ionic_model(m);
        CHECK(ionic_find(one->name) == one, "%s", one->name);
        CHECK(ionic_find_value(one->state, one->states, NULL) == -1 &&
                  ionic_find_value(one->state, one->states, "?") == -1,
              "%s has a state of no name", one->name);
        for (int k = 0; k < one->states; k++) {
            CHECK(ionic_find_value(one->state, one->states, one->state[k].name) == k, "%s",
                  one->state[k].name);
            CHECK(ionic_find_value(one->state, k, one->state[k].name) == -1, "%s", one->state[k].name);
        }
        for (int mixed = 0; mixed < 2; mixed++) {
            enum { CELLS = 3, STRIDE = 5 };
            static double state64[64 * STRIDE];
            static float state32[64 * STRIDE];
            int rows[2] = {0, 0};
            for (int k = 0; k < 64 * STRIDE; k++)
                state32[k] = (float)(state64[k] = -7);
            ionic_initial(state64, state32, one, mixed, CELLS, STRIDE);
            for (int k = 0; k < one->states; k++) {
                const bool narrow = mixed && !one->state[k].fp64;
                const struct ionic_layout at = ionic_layout(one, mixed, k);
                CHECK(at.fp32 == narrow && at.row == rows[narrow], "%s, state %d is in row %d", one->name, k,
                      at.row);
                for (int i = 0; i < STRIDE; i++) {
                    const double value =
                        narrow ? (double)state32[at.row * STRIDE + i] : state64[at.row * STRIDE + i];
                    const double given = narrow ? (double)(float)one->state[k].value : one->state[k].value;
                    CHECK(value == (i < CELLS ? given : -7), "%s, state %d, cell %d: %g", one->name, k, i,
                          value);
                }
                rows[narrow]++;
            }
            CHECK(ionic_states64(one, mixed) == rows[0] &&
                      ionic_state_bytes(one, mixed) == (size_t)(8 * rows[0] + 4 * rows[1]),
                  "%s: %d rows, %zu bytes", one->name, ionic_states64(one, mixed),
                  ionic_state_bytes(one, mixed));
            CHECK(state64[rows[0] * STRIDE] == -7 && (double)state32[rows[1] * STRIDE] == -7,
                  "%s: beyond its rows", one->name);
            CHECK(ionic_set_bytes(one, mixed) == 16 + one->constants_bytes[mixed], "%s", one->name);
            for (int per_mV = 1; per_mV <= 10; per_mV += 9)
                CHECK(ionic_table_bytes(one, mixed, per_mV) ==
                          (size_t)((400 * per_mV + 1) * 2 * one->columns) * (mixed ? 4 : 8),
                      "%s: %zu bytes of tables", one->name, ionic_table_bytes(one, mixed, per_mV));
        }
        for (int k = 0; k < ionic_models(); k++) { /* variants of one text differ in numbers alone */
            const struct ionic_model *other = ionic_model(k);
            CHECK(ionic_same_code(one, other) == (one->constants[0] == other->constants[0]), "%s, %s",
                  one->name, other->name);
        }
    }
    struct ionic_model other = model;
    CHECK(ionic_same_code(&model, &model) && ionic_same_code(&model, &other), "a copy");
    other.states--;
    CHECK(!ionic_same_code(&model, &other), "of fewer states");
    other = model;
    other.parameters--;
    CHECK(!ionic_same_code(&model, &other), "of fewer parameters");
    other = model;
    other.constants[1] = constants_double;
    CHECK(!ionic_same_code(&model, &other), "of other constants in mixed state");
    other = model;
    other.constants[0] = constants_float;
    CHECK(!ionic_same_code(&model, &other), "of other constants");
}

/* Lines between rows of V: at each end and the middle the function's values, shifted by two thirds of the middle's distance; the last row
 * is the function at its V. Without a table where a function is no line between two rows. */
static void test_tables(void)
{
    struct error error = {0};
    for (int m = 0; m < ionic_models(); m++) {
        const struct ionic_model *one = ionic_model(m);
        double given[128];
        for (int k = 0; k < one->parameters; k++)
            given[k] = one->parameter[k].value;
        struct ionic_table t = {.rows = 7};
        if (!one->columns) {
            CHECK(ionic_table_build(&t, one, given, false, 0.02, 1, &error) == STATUS_INPUT && !t.value &&
                      !t.rows,
                  "%s", one->name);
            continue;
        }
        for (int mixed = 0; mixed < 2; mixed++) {
            CHECK_OK(ionic_table_build(&t, one, given, mixed, 0.03, 1, &error), error);
            CHECK(t.value && t.rows == 401 && t.columns == one->columns && t.low == -200 && t.high == 200 &&
                      t.per_mV == 1 && t.dt == 0.03,
                  "%s: %d rows, %d columns", one->name, t.rows, t.columns);
            for (int r = 0; r < t.rows; r += r % 10 == 9 || r == 399 ? 1 : 9) {
                double at[3][256];
                uint64_t jumps[256];
                const double v = -200 + r, last = r == 400 ? v : v + 1 - LOOKUP_JUST_BELOW;
                one->columns_at(at[0], jumps, given, 0.03, v);
                one->columns_at(at[1], jumps, given, 0.03, r == 400 ? v : v + 0.5);
                one->columns_at(at[2], jumps, given, 0.03, last);
                for (int k = 0; k < t.columns; k++) {
                    const size_t place = 2 * ((size_t)r * (size_t)t.columns + (size_t)k);
                    const double shift = 2.0 / 3 * (0.5 * (at[0][k] + at[2][k]) - at[1][k]);
                    const double line[2] = {at[0][k] - shift, at[2][k] - at[0][k]};
                    for (size_t e = 0; e < 2; e++) {
                        const double is = mixed ? (double)((const float *)t.value)[place + e]
                                                : ((const double *)t.value)[place + e];
                        CHECK(mixed ? is == (double)(float)line[e] : is == line[e],
                              "%s, row %d, column %d: %g, want %g", one->name, r, k, is, line[e]);
                    }
                }
            }
            ionic_table_free(&t);
            CHECK(!t.value && !t.rows, "it is freed");
        }
    }
}

/* A function with a kink of a given size within one row: lines up to 1 % off are taken, by the spacing of runs alone */
static double kink;

static void columns_kinked(double *column, uint64_t *jumps, const double *given, double dt, double v)
{
    (void)given, (void)dt;
    jumps[0] = jumps[1] = 0;
    column[0] = 1;
    column[1] = v > 10.02 && v < 10.08 ? 1 + kink : 1;
}

static void test_judgement(void)
{
    struct error error = {0};
    const struct ionic_model bent = {.name = "bent", .columns = 2, .columns_at = columns_kinked};
    const double given[1] = {0};
    for (int per_mV = 9; per_mV <= 11; per_mV++)
        for (int k = 0; k < 3; k++) {
            struct ionic_table t;
            kink = (double[]){0, 0.019, 0.021}[k];
            CHECK_OK(ionic_table_build(&t, &bent, given, k == 1, 0.02, per_mV, &error), error);
            const bool taken = per_mV < IONIC_TABLE_PER_MV || k < 2;
            CHECK((t.value != NULL) == taken, "%d rows per mV, a kink of %g: %s", per_mV, kink,
                  t.value ? "taken" : "not taken");
            ionic_table_free(&t);
        }
}

int main(void)
{
    static const int64_t counts[] = {1, 3, 4, 16, 17, 127, 128, 129, 300, MOST - 3};
    int tried = 0;
    for (size_t b = 0; backend_cpu(b); b++) {
        const struct backend *backend = backend_find(backend_cpu(b)->name, NULL);
        for (int threads = 1; backend && threads <= 3; threads += 2) {
            struct queue *queue = test_queue(backend, threads);
            for (int turn = 0; turn < 60; turn++, tried++)
                try_step(queue, counts[turn % 10]);
            queue_free(queue);
        }
    }
    test_registry();
    test_tables();
    test_judgement();
    printf("%d steps\n", tried);
    return 0;
}
