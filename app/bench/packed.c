/* packed.c: packs a matrix of the bench as a run would, and sweeps. */
#include "app/bench/packed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/solve.h"

/* device[layout rows] <- of[node of each row], padding rows get `otherwise` */
static void *place_packed(const struct bench_packed *p, struct bench *bench, const double *of,
                          double otherwise, bool narrow, enum status *status, struct error *error)
{
    int64_t rows = p->layout.rows;
    double *wide = malloc(((size_t)rows + 1) * sizeof *wide);
    float *single = malloc(((size_t)rows + 1) * sizeof *single);
    void *device = NULL;
    if (!wide || !single)
        *status = error_memory(error, "the vectors", 12.0 * (double)rows);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < (wide && single ? rows : 0); k++) {
        wide[k] = p->layout.node[k] < 0 || !of ? otherwise : of[p->layout.node[k]];
        single[k] = (float)wide[k];
    }
    device = bench_upload(bench->queue, narrow ? (void *)single : wide, rows, narrow ? 4 : 8, status, error);
    free(wide);
    free(single);
    return device;
}

static void count_entries(struct bench_packed *p, const struct bench_matrix *m, int height)
{
    for (int64_t k = 0; k < p->layout.rows; k++) {
        int32_t node = p->layout.node[k];
        if (node >= 0)
            p->entries[p->layout.classes[k / height] & PACKING_FP32] +=
                m->off.start[node + 1] - m->off.start[node];
    }
    double wide = (double)p->packing.index32_slices / fmax(1, (double)p->packing.matrix.slices);
    p->narrow = (int64_t)((1 - wide) * (double)(p->entries[0] + p->entries[1]));
}

enum status bench_packed_make(struct bench_packed *p, struct bench *bench, const struct bench_case *c,
                              const uint8_t *single, const int32_t *order, int64_t window,
                              struct error *error)
{
    const struct bench_matrix *m = c->matrix;
    struct coefficients coefficients = {0, 1, 1};
    struct control zero = {0};
    struct system system = {.k = m->off}; /* whose e_ij are its entries */
    int height = bench->queue->backend->slice_height;
    memset(p, 0, sizeof *p);
    p->c = c;
    p->test = true;
    window = window < height ? height : window / height * height;
    if (bench->inject) /* the case's rows hold the planted error */
        system.k.value = c->rows.value;
    enum status status = layout_make(&p->layout, &system, order, single, height, window, error);
    AND(packing_make(&p->packing, &system, &p->layout, &coefficients, height, bench->queue, error));
    if (!status) {
        count_entries(p, m, height);
        p->b = place_packed(p, bench, c->b, 0, false, &status, error);
        p->inverse = place_packed(p, bench, c->inverse, 1, false, &status, error);
        p->x64 = place_packed(p, bench, c->x, 0, false, &status, error);
        p->x32 = place_packed(p, bench, c->x, 0, true, &status, error);
        p->weight = place_packed(p, bench, NULL, 1, true, &status, error);
        p->y64 = bench_upload(bench->queue, NULL, p->layout.rows, 8, &status, error);
        p->y32 = bench_upload(bench->queue, NULL, p->layout.rows, 4, &status, error);
        p->control = bench_upload(bench->queue, &zero, 1, sizeof zero, &status, error);
    }
    if (status)
        bench_packed_free(p, bench);
    return status;
}

void bench_packed_free(struct bench_packed *p, struct bench *bench)
{
    void *memory[] = {p->b, p->inverse, p->x64, p->y64, p->weight, p->x32, p->y32, p->control};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(bench->queue, memory[k]);
    packing_free(&p->packing, bench->queue);
    layout_free(&p->layout);
    memset(p, 0, sizeof *p);
}

struct work {
    struct bench *bench;
    struct bench_packed *p;
};

static void run_sweeps(void *argument)
{
    const struct work *work = argument;
    bench_solve(work->bench, work->p, work->p->b, BENCH_SOLVE_SWEEPS);
}

enum status bench_packed_restart(struct bench_packed *p, struct bench *bench, struct error *error)
{
    int64_t rows = p->layout.rows;
    double *x = calloc((size_t)rows + 1, sizeof *x);
    struct control zero = {0};
    if (!x)
        return error_memory(error, "the vectors", 8.0 * (double)rows);
    for (int64_t k = 0; k < rows; k++)
        if (p->layout.node[k] >= 0)
            x[k] = p->c->x[p->layout.node[k]];
    enum status status = device_upload(bench->queue, p->x64, x, 8 * (size_t)rows, error);
    bench->device->copy(bench->queue, rows, p->x64, NULL, p->x32);
    free(x);
    return status ? status : device_upload(bench->queue, p->control, &zero, sizeof zero, error);
}

/* The first sweep of a pair against the reference */
static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct bench_packed *p = ((struct work *)argument)->p;
    int64_t rows = p->layout.rows;
    double *y = malloc(((size_t)rows + 1) * sizeof *y);
    if (!y)
        return error_memory(error, "the validation", 8.0 * (double)rows);
    enum status status = bench_packed_restart(p, bench, error);
    bench_solve(bench, p, p->b, 2);
    AND(device_download(bench->queue, y, p->y64, 8 * (size_t)rows, error));
    *found = 0;
    for (int64_t k = 0; k < rows && !status; k++) {
        int32_t node = p->layout.node[k];
        double apart = node < 0 ? 0 : fabs(y[k] - p->c->want[node]) / p->c->size[node];
        if (!(apart <= *found))
            *found = apart;
        if (isnan(apart))
            break;
    }
    free(y);
    return status;
}

enum status bench_packed_trial(struct bench_packed *p, struct bench *bench, const char *variant, bool test,
                               enum packed_update update, double *seconds, struct error *error)
{
    struct work work = {bench, p};
    double all = (double)(p->entries[0] + p->entries[1]), n = (double)p->c->matrix->rows;
    bool singles = p->entries[1] > 0, doubles = p->entries[0] > 0;
    struct measurement trial = {.variant = variant,
                                .body = run_sweeps,
                                .sweeps = BENCH_SOLVE_SWEEPS,
                                .argument = &work,
                                .check = check};
    p->test = test;
    p->update = update;
    trial.limit = singles ? 0x1p-22 : 1e-13;
    trial.nan_fill[0] = p->y64;
    trial.nan_fill_bytes[0] = 8 * (size_t)p->layout.rows;
    /* true entries x (value + index) + b, 1/d, y, x gathered once, x32 written, x64 if every second sweep's
     * test reads it */
    trial.bytes = 8 * (double)p->entries[0] + 4 * (double)p->entries[1] + 2 * (double)p->narrow +
                  4 * (all - (double)p->narrow) + n * 24;
    trial.bytes += n * (singles ? 4 : 0) +
                   n * (doubles ? 8
                        : test  ? 4
                                : 0) +
                   n * (update == PACKED_ALONE ? 0 : 4);
    trial.flops = 2 * all + 2 * n;
    return bench_trial(bench, &trial, seconds, error);
}
