/* rotation.h: the vectors that change places at the end of a step, where nothing is copied. */
#ifndef CARDIAC_SOLVER_ROTATION_H
#define CARDIAC_SOLVER_ROTATION_H

#include <stdint.h>

#include "kernels/device/queue.h"
#include "kernels/ops/rhs.h"

/* Device arrays are [packed rows]. Steps on equal rotations of one tissue place equal work. */
struct rotation {
    double *v;                    /* V at t = n dt */
    double *u;                    /* V within the step; after one that failed, its V */
    double *x;                    /* of the step: the increment less a predictor's share; its last iterate;
                                     or V itself (whole) */
    double *history[RHS_HISTORY]; /* [depth] the x of the last step, of the one before, ... */
    int32_t depth;                /* steps that are looked back upon */
    int32_t count;                /* those of them that were made */
    int64_t whole;                /* 1: a step leaves V in x */
};

/* Errors: STATUS_RUN without memory. */
enum status rotation_create(struct rotation *rotation, int depth, int64_t rows, struct queue *queue,
                            struct error *error);
void rotation_free(struct rotation *rotation, struct queue *queue);

/* The ends of `steps` steps: u becomes V, x the history's first and its last is free for the next x; or x
 * becomes V. */
void rotation_turn(struct rotation *rotation, int64_t steps);

#endif
