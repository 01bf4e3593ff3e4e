/* mixed_refinement.c: multi-precision Jacobi: as the change between sweeps falls, sweeps use fp32, then fp32 values
 * with fp64 sums, then fp64.
 *
 * Solves A x = b for the right-hand side of a known x with |x_i| <= 1, from 0, until no entry changes by more than
 * 1e-13. Pure fp64 is measured for comparison; both must reach the known x. The number of sweeps of each stage is
 * determined once by checking the change; the schedule is then timed without the checks. */
#include <math.h>
#include <string.h>

#include "app/bench/case.h"
#include "kernels/base/bits.h"

enum { SWEEPS_MAX = 4000, LOOK = 2 /* sweeps between two checks of the change */, STAGES = 3 };

struct refinement {
    struct bench *bench;
    struct bench_case *c;
    struct stored sell;
    double *known;      /* [rows] host */
    double *zero64;     /* [rows] host, zeros: the initial x of every solve */
    int sweeps[STAGES]; /* in fp32, mixed and fp64; even */
};

static const enum numbers stage_numbers[STAGES] = {NUMBERS_SINGLE, NUMBERS_MIXED, NUMBERS_DOUBLE};

/* x -> y, or with `back` y -> x. Every sweep except the all-fp32 ones writes both y64 and y32. */
static void sweep_once(const struct refinement *r, enum numbers numbers, bool back)
{
    const struct bench_case *c = r->c;
    struct way way = {.numbers = numbers, .narrow = r->sell.offset != NULL};
    struct operands operands = bench_case_operands(c, numbers, true);
    if (back) {
        operands.x64 = c->y64;
        operands.x32 = c->y32;
        operands.y64 = c->x64;
        operands.y32 = c->x32;
    }
    format_sell.run[r->bench->device->code](r->bench->queue, &r->sell, &way, &operands);
}

/* Runs the schedule. Mixed sweeps read only x32, so they can follow fp32 sweeps; fp64 sweeps read x64, which mixed
 * ones have written. */
static void solve_staged(void *argument)
{
    struct refinement *r = argument;
    for (int stage = 0; stage < STAGES; stage++)
        for (int k = 0; k < r->sweeps[stage]; k++)
            sweep_once(r, stage_numbers[stage], k % 2);
}

static enum status restart_solve(struct refinement *r, struct error *error)
{
    const struct bench *bench = r->bench;
    size_t n = (size_t)r->c->matrix->rows;
    TRY(device_upload(bench->queue, r->c->x64, r->zero64, 8 * n, error));
    return device_upload(bench->queue, r->c->x32, r->zero64, 4 * n, error);
}

/* *change <- max |x_i - y_i| of the last pair of sweeps; narrow: of x32 and y32 */
static enum status measure_change(const struct refinement *r, bool narrow, double *change,
                                  struct error *error)
{
    struct bench *bench = r->bench;
    const struct bench_case *c = r->c;
    int64_t n = c->matrix->rows;
    const int64_t pieces = bench->pieces;
    size_t size = narrow ? 4 : 8;
    void *x = bench_fetch(bench, narrow ? (void *)c->x32 : c->x64, n, size);
    void *y = bench_fetch(bench, narrow ? (void *)c->y32 : c->y64, n, size);
    TRY(bench_check(bench, error));
    *change = 0;
    for (int64_t i = 0; i < n; i++) {
        double apart = narrow ? fabs((double)((float *)x)[i] - (double)((float *)y)[i])
                              : fabs(((double *)x)[i] - ((double *)y)[i]);
        *change = apart <= *change ? *change : apart;
    }
    bench_release(bench, pieces);
    return STATUS_OK;
}

/* r->sweeps[] <- the sweeps of each stage until its change is small enough or no longer falls */
static enum status find_schedule(struct refinement *r, bool staged, bool *converged, struct error *error)
{
    const double enough[STAGES] = {4 * 0x1p-23, 4 * 0x1p-23, 1e-13};
    TRY(restart_solve(r, error));
    memset(r->sweeps, 0, sizeof r->sweeps);
    *converged = false;
    for (int stage = staged ? 0 : 2; stage < STAGES; stage++) {
        double change = INFINITY, before;
        do {
            before = change;
            for (int k = 0; k < LOOK; k++)
                sweep_once(r, stage_numbers[stage], k % 2);
            r->sweeps[stage] += LOOK;
            TRY(measure_change(r, stage == 0, &change, error));
        } while (change > enough[stage] && change < before && r->sweeps[stage] < SWEEPS_MAX);
        *converged = change <= enough[stage];
    }
    return STATUS_OK;
}

static enum status check_solution(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct refinement *r = argument;
    int64_t n = r->c->matrix->rows;
    double *x = bench_fetch(bench, r->c->x64, n, sizeof *x);
    TRY(bench_check(bench, error));
    *found = 0;
    for (int64_t i = 0; i < n; i++)
        *found = bench_worse(*found, fabs(x[i] - r->known[i]));
    return STATUS_OK;
}

/* b <- A known; on the device in fp64 and fp32 */
static enum status set_right_side(struct refinement *r, struct error *error)
{
    struct bench_case *c = r->c;
    const struct bench_matrix *m = c->matrix;
    int64_t n = m->rows;
    struct bench *bench = r->bench;
    float *narrow = bench_array(bench, n, sizeof *narrow);
    TRY(bench_check(bench, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double sum = m->diagonal[i] * r->known[i];
        for (int64_t k = m->off.start[i]; k < m->off.start[i + 1]; k++)
            sum += m->off.value[k] * r->known[m->off.column[k]];
        c->b[i] = sum;
        narrow[i] = (float)sum;
    }
    TRY(device_upload(bench->queue, c->b64, c->b, 8 * (size_t)n, error));
    return device_upload(bench->queue, c->b32, narrow, 4 * (size_t)n, error);
}

static enum status measure_both(struct refinement *r, struct error *error)
{
    struct bench *bench = r->bench;
    for (int staged = 0; staged < 2; staged++) {
        bool converged;
        const char *name = staged ? "Jacobi, fp32 then mixed then fp64" : "Jacobi, fp64";
        struct measurement trial = {
            .variant = name, .body = solve_staged, .argument = r, .check = check_solution, .limit = 1e-11};
        TRY(find_schedule(r, staged, &converged, error));
        if (!converged && !bench->inject) {
            bench_blank(bench, name, "does not converge on this matrix");
            continue;
        }
        TRY(restart_solve(r, error));
        trial.nan_fill[0] = r->c->y64;
        trial.nan_fill_bytes[0] = 8 * (size_t)r->c->matrix->rows;
        TRY(bench_trial(bench, &trial, NULL, error));
        static const char *const column[STAGES] = {"fp32 sweeps", "mixed", "fp64"};
        for (int k = 0; k < STAGES; k++)
            bench_figure(bench_last_row(bench), column[k], r->sweeps[k]);
    }
    return STATUS_OK;
}

enum status bench_mixed_refinement(struct bench *bench, struct bench_case *c, struct error *error)
{
    const struct shape shape = {.height = bench->queue->backend->slice_height, .group = 1};
    const int64_t n = c->matrix->rows;
    struct refinement r = {.bench = bench,
                           .c = c,
                           .known = bench_array(bench, n, sizeof *r.known),
                           .zero64 = bench_array(bench, n, sizeof *r.zero64)};
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < n; i++)
        r.known[i] = bits_random_signed((uint64_t)i);
    TRY(set_right_side(&r, error));
    enum status status = bench_store(bench, &r.sell, &format_sell, &c->rows, &shape, error);
    return status ? bench_blank_input(bench, "Jacobi", status, error) : measure_both(&r, error);
}
