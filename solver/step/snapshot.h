/* snapshot.h: quantities of a tissue at one moment, fetched and brought to mesh order by another thread while
 * the steps go on (kernels/device/readback.h). monodomain_get gives the same numbers at once and makes the
 * steps wait.
 */
#ifndef CARDIAC_SOLVER_SNAPSHOT_H
#define CARDIAC_SOLVER_SNAPSHOT_H

#include "kernels/base/error.h"
#include "kernels/device/readback.h"
#include "solver/step/monodomain.h"

struct snapshot_quantity {
    int variable;       /* of monodomain_variable(); -1 = a current */
    int group, current; /* as in monodomain_current */
};

struct snapshot;

/* Frames of the quantities in this order, in slots 0 .. slots - 1, at most READBACK_SLOTS. Errors: STATUS_RUN
 * without memory. */
enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error);
void snapshot_free(struct snapshot *snapshot); /* before its tissue; NULL is accepted */
/* Bytes of a frame, at most, of so many doubles a node: of the device on a GPU, and in each slot of the host
 */
double snapshot_bytes(double nodes, double values);

/* The present state goes on its way to `slot`, whose last frame has been read; the
 * steps may go on at once. Errors: STATUS_RUN when the device failed. */
enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error);

/* For the one thread that reads: waits until the frame in `slot` is there. Errors: STATUS_RUN. */
enum status snapshot_arrive(struct snapshot *snapshot, int slot, struct error *error);
/* After that: value[held * width] <- quantity k in mesh order (monodomain_held); nodes that do not have it
 * are left untouched.
 */
void snapshot_read(const struct snapshot *snapshot, int slot, int k, double *value);
/* value[held * width] of rank 0 <- what the ranks that share the tissue have read at their nodes */
void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value);

#endif
