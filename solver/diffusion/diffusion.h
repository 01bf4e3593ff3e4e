/* diffusion.h: one diffusion step: a right side with a guess, and its solution.
 *
 *   (M + theta dt K) delta = -dt K V,   V' = V + delta
 *
 * or an explicit one: Euler's, or the stages of solver/diffusion/rkl2.h. */
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
#include "solver/diffusion/rotation.h"

/* Device arrays are [matrix rows] in packed order, iterates with the ghosts of other ranks behind. */
struct diffusion {
    struct queue *queue;
    const struct halo *halo; /* NULL: there are no other ranks */
    struct packing packing;  /* the matrix */
    enum method method;
    enum update update;      /* how x in fp32 keeps up with x (kernels/ops/solve.h) */
    bool rounds, most_round; /* some rows read fp32; more than nine in ten do */
    int max_sweeps;          /* even; of rkl2 the stages after the first */
    int expected;            /* sweeps that will do for a step, by the last frames */
    int expected_next;       /* most that a step took since `expected` was last lowered */
    int64_t expected_steps;  /* steps until it may be lowered again */
    double scale;            /* of the sums of the right side */
    double beta;             /* from max |r|/m to an error in mV */
    double tolerance;        /* mV */
    double bound;            /* mV, of x; infinity when no x is read in fp32 */
    double limit;            /* mV, of V; infinity when no r_ij may be rounded */
    double predictor_weight; /* of b / d in the guess, and missing in the history; 0 = an explicit method */
    double *b;               /* right side */
    double *y;               /* what sweeps write that read x; NULL without sweeps */
    float *x32, *y32;        /* x and y rounded, where the scheme reads them */
    double *inverse;         /* 1 / d_i; 1 / m_i for explicit steps; w / m_i for stages */
    float *weight;           /* d_i / m_i, rounded up */
    double *coefficient;     /* [max_sweeps][width] of each sweep or stage (kernels/ops/solve.h) */
    struct control *control; /* of every step */
};

/* The coefficients of e_ij and r_ij that params ask for. */
struct coefficients diffusion_coefficients(const struct monodomain_params *params);

/* The factor before the sums of the product, for these coefficients */
double diffusion_scale(const struct monodomain_params *params);

/* bounds: where lambda(D^-1 A) lies, for the coefficients of chebyshev. Errors: STATUS_RUN without memory. */
enum status diffusion_create(struct diffusion *diffusion, const struct monodomain_params *params,
                             const struct system *system, const struct rows *rows,
                             const struct layout *layout, const struct halo *halo,
                             const struct monodomain_report *report, struct queue *queue,
                             struct error *error);
void diffusion_free(struct diffusion *diffusion);

/* Device bytes, at most, of the matrix and the vectors for so many rows and off-diagonal entries */
double diffusion_bytes(const struct monodomain_params *params, double rows, double entries);

/* As many steps before as the guess looks back upon */
int diffusion_depth(const struct monodomain_params *params);

/* b and x <- right side and guess for the voltages u, whose ghosts are brought first, as those of x then.
 * end: what the explicit methods do where their last sums are done, the end of the step; x is then V itself
 * of Euler's steps. NULL: not here. */
void diffusion_rhs(struct diffusion *diffusion, const struct rotation *vectors, const struct step_end *end);
/* x <- the solution for b. Failures are latched in control. */
void diffusion_solve(struct diffusion *diffusion, double *x, const struct step_end *end);

/* After a frame of so many steps, of which one took that many sweeps and none more: so many are expected from
 * now on, and fewer only after some hundred steps that took fewer. */
void diffusion_expect(struct diffusion *diffusion, int sweeps, int64_t steps);

#endif
