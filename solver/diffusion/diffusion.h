/* diffusion.h: one diffusion step: a right-hand side, a guess, and the solution by sweeps or stages.
 *
 *   (M + theta dt K) delta = -dt K V,   V' = V + delta
 *
 * or the stages of solver/diffusion/rkl2.h. */
#ifndef CARDIAC_SOLVER_DIFFUSION_H
#define CARDIAC_SOLVER_DIFFUSION_H

#include <stdbool.h>

#include "kernels/device/queue.h"
#include "kernels/ops/control.h"
#include "kernels/ops/rhs.h"
#include "kernels/ops/solve.h"
#include "solver/matrix/packing.h"
#include "solver/matrix/rows.h"
#include "solver/report.h"

/* The vectors that change roles at the end of a step, where nothing is copied. Device arrays are [packed
 * rows]. Steps on equal rotations of one tissue enqueue equal work. */
struct rotation {
    double *v;     /* V at t = n dt */
    double *u;     /* V within the step; after a failed step, its V */
    double *x;     /* of the step: the increment without the predictor's part; or the last iterate */
    double *field; /* V with what cells add in a step, or theta of it; NULL = not needed */
    double *history[RHS_HISTORY]; /* [depth] the x of the last step, of the one before, ... */
    int32_t depth;                /* steps used by the extrapolation */
    int32_t count;                /* of those, how many are valid */
};

/* Errors: STATUS_RUN without memory. */
enum status rotation_create(struct rotation *rotation, int depth, int64_t rows, struct queue *queue,
                            struct error *error);
void rotation_free(struct rotation *rotation, struct queue *queue);

/* After `steps` steps, each time: u becomes V, x the first of the history, and its last the next x. */
void rotation_advance(struct rotation *rotation, int64_t steps);

/* V before the last step, until the next one writes u */
static inline double *rotation_before(const struct rotation *rotation)
{
    return rotation->u;
}

/* mV: a step longer than dt changes V by no more at any node by diffusion, or its block is repeated
 * (solver/step/lengths.h), so that rows rounded for dt may be for it */
#define DIFFUSION_CHANGE 5.6

/* What depends on the length of a step: of steps dt 2^k. The matrix is stored once, for dt: both sides of
 * A delta = b are divided by 2^k, which is exact, so that e_ij and b remain those of dt and only the diagonal
 * differs. Arrays as in struct diffusion. */
struct diffusion_level {
    int max_sweeps;          /* even; of rkl2 the stages after the first */
    int expected;            /* sweeps to enqueue for a step, by the last frames */
    int expected_next;       /* most sweeps of a step since `expected` was last lowered */
    int64_t expected_steps;  /* steps until it may be lowered again */
    double beta;             /* from max |r|/m to an error in mV */
    double predictor_weight; /* of b / d in the guess, not part of the history; 0 with stages */
    double *inverse;         /* 2^k / d_i; 2^k w / m_i for stages */
    float *weight;           /* d_i / m_i, rounded up; 0 in padding rows */
    double *coefficient;     /* [max_sweeps][width] of each sweep or stage (kernels/ops/solve.h) */
};

/* A step, or the halves of one by backward Euler, of theta = 1/2, whose matrix is that of the halves */
enum diffusion_span { DIFFUSION_WHOLE, DIFFUSION_FIRST_HALF, DIFFUSION_SECOND_HALF };

/* Device arrays are [matrix rows] in packed order; iterates are followed by the ghosts of other ranks. */
struct diffusion {
    struct queue *queue;
    const struct halo *halo; /* NULL on a single rank */
    struct packing packing;  /* the matrix */
    const struct scheme *scheme;
    struct diffusion_level level[PARAMS_DOUBLINGS + 1]; /* [scheme->lengths] */
    struct diffusion_level *at;                         /* that of the steps being enqueued */
    enum diffusion_span span;                           /* the same */
    double scale;                                       /* of the sums of the right side */
    double *b;                                          /* right-hand side */
    double *
        b2; /* that of V with what the cells added, for stages that include it (solver/diffusion/rkl2.h); NULL = stages act on u */
    double *y;               /* the iterate written by sweeps that read x */
    float *x32, *y32;        /* x and y rounded, if the scheme reads them */
    struct control *control; /* of every step */
};

/* The factor before the sums of the product */
double diffusion_scale(const struct scheme *scheme);

/* rows: of dt; the scheme is borrowed. Errors: STATUS_RUN without memory. */
enum status diffusion_create(struct diffusion *diffusion, const struct scheme *scheme,
                             const struct system *system, const struct rows *rows,
                             const struct layout *layout, const struct halo *halo, struct queue *queue,
                             struct error *error);
/* As after diffusion_create, with the same matrix: zeroes all that steps have written. Errors: STATUS_RUN
 * without memory. */
enum status diffusion_restart(struct diffusion *diffusion, const struct layout *layout, struct error *error);
void diffusion_free(struct diffusion *diffusion);

/* Upper bound on the device bytes of the matrix and the vectors for `rows` rows and `entries` off-diagonal
 * entries */
double diffusion_bytes(const struct monodomain_params *params, double rows, double entries);

/* The number of previous steps that the guess extrapolates from */
int diffusion_depth(const struct scheme *scheme);

/* b and x <- right-hand side and guess for the voltages u, or field, or V if b2 is that of either; updates
 * their ghosts before and those of x after. end: of the step, which the last stage makes; NULL: not
 * here. */
void diffusion_rhs(struct diffusion *diffusion, const struct rotation *vectors, const struct step_end *end);
/* x <- the solution for b. Failures are kept in control. */
void diffusion_solve(struct diffusion *diffusion, double *x, const struct step_end *end);

/* After a failed step: the first sweep of the next one multiplies what it overwrites by a coefficient, perhaps 0,
 * which removes no NaN; so y[rows] <- values that are finite. */
void diffusion_forget(struct diffusion *diffusion, const double *finite, int64_t rows);

/* After a frame of `steps` steps with at most `sweeps` sweeps each: expects as many from now on, and fewer
 * only after some hundred steps with fewer. */
void diffusion_expect(struct diffusion *diffusion, int sweeps, int64_t steps);

#endif
