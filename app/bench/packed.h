/* packed.h: the sweep of a run (kernels/ops/packed.h, kernels/ops/solve.h) on a matrix of the bench. */
#ifndef CARDIAC_APP_BENCH_PACKED_H
#define CARDIAC_APP_BENCH_PACKED_H

#include "app/bench/case.h"
#include "kernels/ops/control.h"
#include "solver/matrix/packing.h"

/* PACKED_ALONE: no row reads x in fp32 */
enum packed_update { PACKED_FUSED, PACKED_HYBRID, PACKED_ALONE };

struct bench_packed {
    const struct bench_case *c; /* in mesh order, a sweep */
    struct layout layout;
    struct packing packing;
    int64_t entries[2]; /* true ones of fp64 and of fp32 slices */
    int64_t narrow;     /* true ones with 16-bit offsets */
    double *b, *inverse, *x64, *y64;
    float *weight, *x32, *y32;
    struct control *control;
    bool test; /* with the stopping test on */
    enum packed_update update;
};

/* single[rows]: classes in mesh order; order[rows]; window: sorted inside it. */
enum status bench_packed_make(struct bench_packed *p, struct bench *bench, const struct bench_case *c,
                              const uint8_t *single, const int32_t *order, int64_t window,
                              struct error *error);
void bench_packed_free(struct bench_packed *p, struct bench *bench);

/* x64 and x32 <- what the case's reference is of, control <- zeros */
enum status bench_packed_restart(struct bench_packed *p, struct bench *bench, struct error *error);

/* Runs one sweep as set up and adds its row; the trial's title is `variant`. */
enum status bench_packed_trial(struct bench_packed *p, struct bench *bench, const char *variant, bool test,
                               enum packed_update update, double *seconds, struct error *error);

#endif
