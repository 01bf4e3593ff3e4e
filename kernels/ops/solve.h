/* solve.h: sweeps of Jacobi's method and its relatives, until the stopping test holds, and the stages of
 * an explicit step.
 *
 *   z_i = (b_i - sum_j e_ij x_j) / d_i                     the plain Jacobi value
 *   y_i = z_i                                              SWEEP_PLAIN
 *   y_i = x_i + a (z_i - x_i) + c (x_i - previous_i)       SWEEP_MOMENTUM (Chebyshev)
 *
 * with e_ij and x_j in fp32 or fp64 slice by slice, every product and sum in fp64, each row with one
 * accumulator from +0.0 in ascending mesh order. Sweeps come in pairs, x -> y -> x, so that the result is
 * where the guess was. The second sweep of a pair is tested: it also computes the largest residual of the
 * iterate it reads, |r_i| / m_i = |z_i - x_i| d_i / m_i in mV (kernels/ops/convergence.h). The result is
 * the iterate that it writes.
 *
 *   y_i = mu (x_i + (p b_i - sum_j e_ij (x_j - x_i)) w / m_i) + nu previous_i     SWEEP_STAGE
 *
 * (solver/diffusion/rkl2.h), where p b_i is replaced by p b_i + c b2_i if there is a second right-hand
 * side, with the differences in fp32 if e_ij and x_j are. Stages are counted like
 * sweeps, but not tested: all max_sweeps of them are done. */
#ifndef CARDIAC_KERNELS_OPS_SOLVE_H
#define CARDIAC_KERNELS_OPS_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/host_device.h"
#include "kernels/device/cpu.h"
#include "kernels/device/isa.h"
#include "kernels/ops/control.h"
#include "kernels/ops/halo.h"
#include "kernels/ops/packed.h"
#include "kernels/ops/step_end.h"

/* The formulas above, for numbers and for lanes */
#define SWEEP_JACOBI(b, sum, inverse) (((b) - (sum)) * (inverse))
#define SWEEP_RELAXED(x, z, a) ((x) + (a) * ((z) - (x)))
#define SWEEP_PUSH(x, previous, c) ((c) * ((x) - (previous)))
#define SWEEP_ADVANCED(x, z, mu) ((mu) * ((x) + (z)))

enum sweep_kind { SWEEP_PLAIN, SWEEP_MOMENTUM, SWEEP_STAGE };

/* Larger values of `expected` have the same effect as this. */
enum { SWEEPS_EXPECTED_MOST = 64 };

/* Arrays are [matrix rows], iterates followed by their ghosts (kernels/ops/halo.h), in packed order, on
 * the device. */
struct sweeps {
    enum sweep_kind kind;
    bool fused;      /* a sweep that writes y also writes y32, which swaps with x32 as y with x; else (hybrid)
                        x32 is copied after each sweep. The bits are the same. */
    double *x;       /* in: the guess, with its ghosts; out: the solution, but in y after an odd number of
                        stages. NULL: the guess of a single stage is share b_i inverse_i, and x32 contains it if
                        rows read it in fp32 */
    double *y;       /* work */
    float *x32;      /* x rounded to fp32, for fp32 slices; NULL = none */
    float *y32;      /* workspace, if fused */
    const double *b; /* right-hand side */
    const double *b2;           /* second right-hand side of stages; NULL = none */
    const double *inverse;      /* 1 / d_i; for stages w / m_i */
    const float *weight;        /* d_i / m_i rounded up */
    const double *coefficient;  /* [max_sweeps][2] a and c of each sweep; [max_sweeps][4] mu, nu, p and c
                                   of each stage; SWEEP_PLAIN does not read it */
    double beta, tolerance;     /* of the stopping test */
    double share;               /* see x */
    double bound;               /* mV; larger |y_i| are recorded in control->passed */
    int32_t max_sweeps;         /* rounded down to an even number; for stages their number */
    int32_t expected;           /* estimate of the sweeps needed; it changes no bit */
    int64_t untested;           /* 1: no tests, all sweeps are done (for measurements) */
    const struct step_end *end; /* end of the step, executed with its last stage; NULL: not here */
    const struct halo *halo;
    struct control *control;
};

/* Arrays that one sweep of a pair reads and writes, and the copy after it (NULL = none) */
struct sweep {
    const double *x64;
    const float *x32;
    const double *previous; /* the iterate before x64: y64 itself; NULL = none */
    double *y64;
    float *y32;
    float *copy32; /* <- y64 rounded */
};

HOST_DEVICE struct sweep sweep_of_pair(const struct sweeps *all, int half)
{
    bool fused = all->fused, back = half == 1;
    struct sweep sweep;
    sweep.x64 = back ? all->y : all->x;
    sweep.y64 = back ? all->x : all->y;
    sweep.x32 = back && fused ? all->y32 : all->x32;
    sweep.y32 = !fused ? NULL : back ? all->x32 : all->y32;
    sweep.previous = sweep.y64;
    sweep.copy32 = fused ? NULL : all->x32;
    return sweep;
}

/* Arrays of stage k = 0, 1, ...: the first has no previous iterate, and the last is not read in fp32. */
HOST_DEVICE struct sweep sweep_of_stage(const struct sweeps *all, int k)
{
    struct sweep sweep = sweep_of_pair(all, k % 2);
    if (k == 0)
        sweep.previous = NULL;
    if (k == all->max_sweeps - 1)
        sweep.copy32 = sweep.y32 = NULL;
    return sweep;
}

CLONE_DECLARE(void, solve_cpu,
              (struct queue * queue, const struct packed *matrix, const struct sweeps *sweeps));
void solve_cuda(struct queue *queue, const struct packed *matrix, const struct sweeps *sweeps);

/* Whether the last kernel queued on a GPU is the last one of solve_cuda */
bool solve_is_last(struct queue *queue);

#endif
