/* packed.h: the sweep of a run (kernels/ops/packed.h, kernels/ops/solve.h) on a matrix of the bench. */
#ifndef CARDIAC_APP_BENCH_PACKED_H
#define CARDIAC_APP_BENCH_PACKED_H

#include "app/bench/case.h"
#include "kernels/ops/control.h"
#include "solver/matrix/packing.h"

/* PACKED_ALONE: no row reads x in fp32 */
enum packed_update { PACKED_FUSED, PACKED_HYBRID, PACKED_ALONE };

struct bench_packed {
    struct bench *bench;
    const struct bench_case *c; /* in mesh order, a sweep */
    struct layout layout;
    struct packing packing;
    int64_t entries[2]; /* number of entries, without padding, in fp64 and in fp32 slices */
    int64_t narrow;     /* number of entries, without padding, with 16-bit offsets */
    double *b, *inverse, *x64, *y64;
    float *weight, *x32, *y32;
    struct control *control;
    double *want; /* [nodes] host, of bench_packed_steps */
    bool test;    /* stopping test enabled */
    enum packed_update update;
};

/* single[rows]: classes, mesh order; order[rows]; window: rows are sorted inside it. bench_release() frees it. */
enum status bench_packed_make(struct bench_packed **p, struct bench *bench, const struct bench_case *c,
                              const uint8_t *single, const int32_t *order, int64_t window,
                              struct error *error);

enum { BENCH_PACKED_SWEEPS = 8 }; /* a step: about what a tolerance of 1e-4 mV needs */

/* Runs `sweeps` (even) plain sweeps for the right-hand side b, x64 -> y64 -> x64, with p->update; with p->test every
 * second one is tested, but never converges. */
void bench_packed_solve(const struct bench_packed *p, const double *b, int sweeps);

/* Adds a row: pairs of sweeps, the first of which is compared with the case's reference. */
enum status bench_packed_trial(struct bench_packed *p, struct bench *bench, const char *variant, bool test,
                               enum packed_update update, struct error *error);

struct packed_order {
    const char *name;
    const int32_t *order; /* [rows] mesh number of each row */
    int64_t window;       /* sorted by length inside it */
};

struct packed_title {
    const char *title;
    enum packed_update update;
};

/* Adds a row for each update: pairs of sweeps with x and y swapped, the second with the test; the whole step is
 * compared with a reference. classes[rows]: precision of the rows (solver/matrix/packing.h), mesh order; c: a sweep
 * in mesh order. */
enum status bench_packed_steps(struct bench *bench, const struct bench_case *c, const uint8_t *classes,
                               const struct packed_order *order, const struct packed_title *update,
                               int updates, struct error *error);

#endif
