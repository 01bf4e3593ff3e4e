/* lengths.h: steps of dt 2^k while V changes slowly: when they may be taken, and how a block of them is
 * repeated.
 *
 * Time is divided into blocks of dt 2^K, K = params.doublings. All steps of a block have one length, dt 2^k,
 * chosen at the end of the block before by its largest change of V in a step of dt, s, as a mean: that of V
 * itself in the block, or a quarter of that by diffusion alone in its last step (kernels/ops/rewind.h):
 *
 *   shorter   while 2^k s exceeds LENGTHS_CHANGE
 *   longer    by one k where that of the longer step is at most 3/4 of it
 *   rejected  if it exceeds 4 LENGTHS_CHANGE, or a step failed: the block is repeated in steps of dt
 *
 * The cells take the same sub-steps in any step; only the step of diffusion is longer, and with it the time
 * between exchanges of V. Derived and measured in docs/theory/numerics.md, section 3. */
#ifndef CARDIAC_SOLVER_LENGTHS_H
#define CARDIAC_SOLVER_LENGTHS_H

#include <stdbool.h>

#include "kernels/device/queue.h"
#include "kernels/ops/control.h"
#include "solver/cells/beats.h"
#include "solver/cells/tissue.h"

#define LENGTHS_CHANGE 0.35 /* mV a step */

/* An array of the device, and its copy on the device */
struct lengths_copy {
    void *array, *copy;
    size_t bytes;
};

struct lengths {
    int level;                 /* k of the next steps */
    double *v;                 /* [packed rows] V at the start of the block, on the device */
    double *v_before;          /* the same before the last step; NULL = steps are not staggered */
    double before;             /* ms, the last step */
    uint64_t *largest;         /* [2] kernels/ops/rewind.h, on the device */
    struct lengths_copy *kept; /* [arrays] that a step also changes: states and beats */
    int arrays;
    struct control control; /* at the start of the block */
};

/* Memory for the copies of all arrays that the tissue has now, instead of those of an earlier call. Errors:
 * STATUS_RUN without it. */
enum status lengths_create(struct lengths *lengths, const struct tissue *tissue, const struct beats *beats,
                           int64_t rows, bool staggered, struct queue *queue, struct error *error);
void lengths_free(struct lengths *lengths, struct queue *queue);

/* Copy the state, of which V is in v, and V before the last step in v_before, before a block; of V alone if
 * it cannot be rejected. And back. */
void lengths_keep(struct lengths *lengths, const double *v, const double *v_before, int64_t rows,
                  struct queue *queue);
void lengths_return(const struct lengths *lengths, double *v, double *v_before, int64_t rows,
                    struct queue *queue);

/* Whether a block in steps of `level` must be repeated in shorter ones, and the level after it: *level. most:
 * the longest that there is; share: s of that block, mV, NaN after a failure. */
bool lengths_reject(int level, double share);
int lengths_next(int level, int most, double share);

#endif
