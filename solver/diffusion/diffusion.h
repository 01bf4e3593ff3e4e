/* diffusion.h: one diffusion step: a right-hand side, an initial guess, and the solution by sweeps or
 * stages.
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

/* The vectors of a step, which change roles at its end instead of being copied. Device arrays of [packed
 * rows]. Steps with equal rotations of one tissue enqueue equal work. */
struct rotation {
    double *v;     /* V at t = n dt */
    double *u;     /* V during the step; after a failed step, V of that step */
    double *x;     /* increment of the step without the predictor's part, or the last iterate */
    double *field; /* V plus the change by the cells in a step, or plus theta times it; NULL = not
                      needed */
    double *history[RHS_HISTORY]; /* [depth] x of the last step, of the one before, ... */
    int32_t depth;                /* steps used by the extrapolation */
    int32_t count;                /* valid ones of these */
};

/* Errors: STATUS_RUN if out of memory. */
enum status rotation_create(struct rotation *rotation, int depth, int64_t rows, struct queue *queue,
                            struct error *error);
void rotation_free(struct rotation *rotation, struct queue *queue);

/* Advances the roles by `steps` steps: in each, u becomes V, x the first of the history, and the last of
 * the history the next x. */
void rotation_advance(struct rotation *rotation, int64_t steps);

/* V before the last step, until the next one writes u */
static inline double *rotation_before(const struct rotation *rotation)
{
    return rotation->u;
}

/* mV: if a step longer than dt changes V by more than this at any node by diffusion, its block is repeated
 * (solver/step/lengths.h); this is the bound for which its rows may be rounded */
#define DIFFUSION_CHANGE 5.6

/* What depends on the length of a step, dt 2^k. The matrix is stored once, for dt: both sides of A delta =
 * b are divided by 2^k, which is exact, so that e_ij and b are those of dt and only the diagonal differs.
 * Arrays as in struct diffusion. */
struct diffusion_level {
    int max_sweeps;          /* even; for rkl2 the number of stages after the first */
    int expected;            /* sweeps to enqueue per step, from the last frames */
    int expected_next;       /* most sweeps of a step since `expected` was last lowered */
    int64_t expected_steps;  /* steps until it may be lowered again */
    double beta;             /* factor from max |r|/m to an error in mV */
    double predictor_weight; /* factor of b / d in the guess, not part of the history; 0 with stages */
    double *inverse;         /* 2^k / d_i; with stages 2^k w / m_i */
    float *weight;           /* d_i / m_i, rounded up; 0 in padding rows */
    double *coefficient;     /* [max_sweeps][width] coefficients of each sweep or stage
                                (kernels/ops/solve.h) */
};

/* A whole step; or a step of two backward Euler half-steps, whose matrix equals that of a step with theta
 * = 1/2 */
enum diffusion_span { DIFFUSION_WHOLE, DIFFUSION_FIRST_HALF, DIFFUSION_SECOND_HALF };

/* Device arrays have [matrix rows] in packed order; iterates are followed by the ghosts of other ranks. */
struct diffusion {
    struct queue *queue;
    const struct halo *halo; /* NULL on a single rank */
    struct packing packing;  /* the matrix */
    const struct scheme *scheme;
    struct diffusion_level level[PARAMS_DOUBLINGS + 1]; /* [scheme->lengths] */
    struct diffusion_level *at;                         /* level of the steps being enqueued */
    enum diffusion_span span;                           /* span of the step being enqueued */
    double scale;                                       /* factor of the sums of the right-hand side */
    double *b;                                          /* right-hand side */
    double *b2;              /* right-hand side of V plus the change by the cells, for stages that include it
                                (solver/diffusion/rkl2.h); NULL = stages start from u */
    double *y;               /* the iterate written by sweeps that read x */
    float *x32, *y32;        /* x and y rounded to fp32, if sweeps read them */
    struct control *control; /* shared by all steps */
};

/* The factor by which sums of the product are multiplied */
double diffusion_scale(const struct scheme *scheme);

/* rows: those of steps of dt; the scheme is borrowed. Errors: STATUS_RUN if out of memory. */
enum status diffusion_create(struct diffusion *diffusion, const struct scheme *scheme,
                             const struct system *system, const struct rows *rows,
                             const struct layout *layout, const struct halo *halo, struct queue *queue,
                             struct error *error);
/* Restores the state after diffusion_create, keeping the matrix: zeroes everything that steps have
 * written. Errors: STATUS_RUN if out of memory. */
enum status diffusion_restart(struct diffusion *diffusion, const struct layout *layout, struct error *error);
void diffusion_free(struct diffusion *diffusion);

/* Upper bound on the device bytes of the matrix and the vectors for `rows` rows and `entries` off-diagonal
 * entries */
double diffusion_bytes(const struct monodomain_params *params, double rows, double entries);

/* The number of previous steps from which the guess extrapolates */
int diffusion_depth(const struct scheme *scheme);

/* b, x <- right-hand side and guess for the voltages in u or field; if stages include the source, b is
 * that of V and b2 that of u or field. Updates the ghosts of the voltages before and those of x after.
 * end: the end of the step, executed by the last stage; NULL: not executed here. */
void diffusion_rhs(struct diffusion *diffusion, const struct rotation *vectors, const struct step_end *end);
/* x <- the solution for b. Failures are recorded in control. */
void diffusion_solve(struct diffusion *diffusion, double *x, const struct step_end *end);

/* Call after a failed step: y[rows] <- finite values. The next step's first sweep multiplies the old
 * values of y by a coefficient, which does not remove NaN even if it is 0. */
void diffusion_forget(struct diffusion *diffusion, const double *finite, int64_t rows);

/* Call after a frame of `steps` steps with at most `sweeps` sweeps each: enqueues as many from now on, and
 * fewer only after some hundred steps with fewer. */
void diffusion_expect(struct diffusion *diffusion, int sweeps, int64_t steps);

#endif
