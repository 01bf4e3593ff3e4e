/* lengths.h: steps of length dt 2^k while V changes slowly: when they are taken, and how a block of them
 * is repeated.
 *
 * Time is divided into blocks of dt 2^K, K = params.doublings. All steps of a block have one length, dt
 * 2^k, chosen at the end of the previous block from s, its largest change of V per step of dt: the mean
 * change of V itself over the block, or a quarter of the change by diffusion alone in its last step,
 * whichever is larger (kernels/ops/rewind.h):
 *
 *   shorter   while 2^k s exceeds LENGTHS_CHANGE
 *   longer    by one k if 2^(k+1) s is at most 3/4 LENGTHS_CHANGE
 *   rejected  if 2^k s exceeds 4 LENGTHS_CHANGE, or a step failed: the block is repeated in steps of dt
 *
 * The cells take the same sub-steps in any step; only the step of diffusion is longer, and with it the
 * time between exchanges of V. Derived and measured in docs/theory/numerics.md, section 3. */
#ifndef CARDIAC_SOLVER_LENGTHS_H
#define CARDIAC_SOLVER_LENGTHS_H

#include <stdbool.h>

#include "kernels/device/queue.h"
#include "kernels/ops/control.h"
#include "solver/cells/beats.h"
#include "solver/cells/tissue.h"

#define LENGTHS_CHANGE 0.35 /* mV a step */

/* An array on the device, and its copy on the device */
struct lengths_copy {
    void *array, *copy;
    size_t bytes;
};

struct lengths {
    int level;                 /* k of the next steps */
    double *v;                 /* [packed rows] V at the start of the block, on the device */
    double *v_before;          /* [packed rows] V before the last step; NULL = steps are not staggered */
    double before;             /* length of the last step, ms */
    uint64_t *largest;         /* [2] kernels/ops/rewind.h, on the device */
    struct lengths_copy *kept; /* [arrays] other arrays that a step changes: states and beats */
    int arrays;
    struct control control; /* at the start of the block */
};

/* Allocates copies of all arrays that the tissue now has, replacing those of an earlier call. Errors:
 * STATUS_RUN if out of memory. */
enum status lengths_create(struct lengths *lengths, const struct tissue *tissue, const struct beats *beats,
                           int64_t rows, bool staggered, struct queue *queue, struct error *error);
void lengths_free(struct lengths *lengths, struct queue *queue);

/* Before a block: copies V (v), and, if the block can be rejected (level > 0), V before the last step
 * (v_before) and all other arrays. lengths_return copies them back. */
void lengths_keep(struct lengths *lengths, const double *v, const double *v_before, int64_t rows,
                  struct queue *queue);
void lengths_return(const struct lengths *lengths, double *v, double *v_before, int64_t rows,
                    struct queue *queue);

/* Whether a block in steps of `level` must be repeated in steps of dt; and the level of the next block.
 * most: the largest level; share: s of the block, mV, NaN after a failure. */
bool lengths_reject(int level, double share);
int lengths_next(int level, int most, double share);

#endif
