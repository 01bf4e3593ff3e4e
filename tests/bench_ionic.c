/* bench_ionic.c: nanoseconds of one cell and sub-step of each ionic model, per clone, on one thread.
 *
 * usage: bench_ionic [MODEL]. Cells start at different points of an action potential; a clone is timed only
 * after its result has been found equal to the plain one. Median of repeated runs over 2048 cells, state in
 * cache. */
#include <stdbool.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"
#include "kernels/ionic/ionic.h"
#include "tests/support/check.h"

enum { CELLS = 2048, STATES = 32, PARAMETERS = 128, RUNS = 15, STEPS = 20 };

static const double STEP = 0.02; /* ms */

typedef void step_function(struct queue *queue, const struct ionic_cells *cells,
                           const struct ionic_drive *drive);

struct tissue {
    struct ionic_cells cells;
    double v[CELLS], state64[STATES * CELLS], parameter[PARAMETERS];
    float state32[STATES * CELLS];
};

static step_function *fastest(void)
{
#ifdef CARDIAC_CLONES_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return ionic_step_cpu_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return ionic_step_cpu_avx2;
#endif
    return ionic_step_cpu_plain;
}

/* Every cell a different time, 0 .. 400 ms, into an action potential. */
static void fill(struct tissue *t, const struct ionic_model *model, bool mixed, struct queue *queue)
{
    memset(t, 0, sizeof *t);
    t->cells = (struct ionic_cells){.model = model,
                                    .cells = CELLS,
                                    .stride = CELLS,
                                    .mixed = mixed,
                                    .state64 = t->state64,
                                    .state32 = t->state32,
                                    .parameter = t->parameter};
    for (int k = 0; k < model->parameters; k++)
        t->parameter[k] = model->parameter[k].value;
    ionic_initial(t->state64, t->state32, model, mixed, CELLS, CELLS);
    for (int i = 0; i < CELLS; i++)
        t->v[i] = model->v_initial;
    const double current[2] = {0, 50};
    uint16_t class[CELLS];
    const int phases = 64, chunk = CELLS / phases;
    for (int phase = 0; phase < phases; phase++) {
        int64_t begin = phase * chunk;
        for (int i = 0; i < CELLS; i++)
            class[i] = i / chunk == phase;
        /* the cells of all phases up to this one advance together */
        struct ionic_cells part = t->cells;
        part.cells = begin + chunk;
        struct ionic_drive on = {0.02, 50, class, current, t->v, t->v, NULL, 0};
        struct ionic_drive off = {0.02, 250, NULL, current, t->v, t->v, NULL, 0};
        fastest()(queue, &part, &on);
        fastest()(queue, &part, &off);
    }
    for (int k = 0; k < ionic_states64(model, mixed); k++)
        for (int i = 0; i < CELLS; i++)
            t->state64[k * CELLS + i] *= 1 + 1e-6 * (i % chunk);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct tissue *start, const struct tissue *want, const char *name,
                    step_function *step, struct queue *queue)
{
    static struct tissue t;
    double time[RUNS];
    for (int run = 0; run < RUNS; run++) {
        t = *start;
        t.cells.state64 = t.state64, t.cells.state32 = t.state32, t.cells.parameter = t.parameter;
        struct ionic_drive drive = {STEP, STEPS, NULL, NULL, t.v, t.v, NULL, 0};
        double begin = clock_seconds();
        step(queue, &t.cells, &drive);
        time[run] = (clock_seconds() - begin) / (CELLS * STEPS) * 1e9;
        if (run == 0)
            CHECK(memcmp(t.v, want->v, sizeof t.v) == 0 &&
                      memcmp(t.state64, want->state64, sizeof t.state64) == 0 &&
                      memcmp(t.state32, want->state32, sizeof t.state32) == 0,
                  "%s, %s differs from plain", t.cells.model->name, name);
    }
    qsort(time, RUNS, sizeof *time, ascending);
    printf("%-20s %-7s %-7s %-7s %9.2f ns a cell-step, least %9.2f\n", t.cells.model->name,
           t.cells.mixed ? "mixed" : "double", t.cells.table.value ? "tables" : "", name, time[RUNS / 2],
           time[0]);
}

static void bench(const struct ionic_model *model, bool mixed, bool tables, struct queue *queue)
{
    static struct tissue start, want;
    struct error error;
    struct ionic_table table = {0};
    fill(&start, model, mixed, queue);
    if (tables)
        CHECK_OK(ionic_table_build(&table, model, start.parameter, mixed, STEP, IONIC_TABLE_PER_MV, &error),
                 error);
    start.cells.table = table;
    want = start;
    want.cells.state64 = want.state64, want.cells.state32 = want.state32;
    struct ionic_drive drive = {STEP, STEPS, NULL, NULL, want.v, want.v, NULL, 0};
    ionic_step_cpu_plain(queue, &want.cells, &drive);
#ifdef CARDIAC_CLONES_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        measure(&start, &want, "avx512", ionic_step_cpu_avx512, queue);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        measure(&start, &want, "avx2", ionic_step_cpu_avx2, queue);
#endif
    measure(&start, &want, "plain", ionic_step_cpu_plain, queue);
    ionic_table_free(&table);
}

int main(int argc, char **argv)
{
    struct error error;
    struct queue *queue;
    CHECK_OK(cpu_queue_new(&queue, 1, &error), error);
    for (int k = 0; k < ionic_models(); k++)
        for (int mixed = 0; mixed < 2; mixed++)
            for (int tables = 0; tables <= (ionic_model(k)->columns > 0); tables++)
                if (argc < 2 || strcmp(argv[1], ionic_model(k)->name) == 0)
                    bench(ionic_model(k), mixed, tables, queue);
    cpu_queue_free(queue);
    return 0;
}
