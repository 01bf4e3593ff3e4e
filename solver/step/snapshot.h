/* snapshot.h: quantities of a tissue at one moment, read by another thread while the steps continue
 * (kernels/device/readback.h). monodomain_get gives the same numbers, but steps wait for it. */
#ifndef CARDIAC_SOLVER_SNAPSHOT_H
#define CARDIAC_SOLVER_SNAPSHOT_H

#include "kernels/base/error.h"
#include "kernels/device/readback.h"
#include "solver/step/monodomain.h"

struct snapshot_quantity {
    int variable;       /* of monodomain_variable(); -1 = a current */
    int model, current; /* as in monodomain_current */
};

struct snapshot;

/* Frames hold the quantities in this order; slots <= READBACK_MOST. Errors: STATUS_RUN without memory. */
enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error);
/* The same at node[nodes] of the whole mesh alone, with the largest V of all nodes: the device gathers them, so that a
 * frame has a few words. */
enum status snapshot_create_at(struct snapshot **out, struct monodomain *sim,
                               const struct snapshot_quantity *quantity, int quantities, const int64_t *node,
                               int64_t nodes, int slots, struct error *error);
void snapshot_free(struct snapshot *snapshot); /* before its tissue; NULL is accepted */
/* Upper bound on the bytes of a frame of `values` doubles per node: on a GPU, and in each slot of the host. And on
 * those of one at a few nodes that grow with the mesh, on a GPU */
double snapshot_bytes(double nodes, double values);
double snapshot_bytes_at(double nodes);

/* Start copying the current state to `slot`, whose last frame has been read; steps may follow at once.
 * Errors: STATUS_RUN when the device failed. */
enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error);

/* By the one reading thread: wait for the frame in `slot`. Errors: STATUS_RUN. */
enum status snapshot_arrive(struct snapshot *snapshot, int slot, struct error *error);
/* After that: value[held * width] <- quantity k in mesh order (monodomain_held); nodes without it are left
 * untouched. */
void snapshot_read(const struct snapshot *snapshot, int slot, int k, double *value);
/* value[held * width] of rank 0 <- the values that all ranks have at their nodes */
void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value);

/* Of a snapshot at a few nodes, by all ranks: value[nodes] <- what quantities first .. end - 1 have there, NaN where none
 * has a value; and the largest V, *node <- the first node of the whole mesh that has it, NaN and -1 where none has a
 * number */
void snapshot_read_at(const struct snapshot *snapshot, int slot, int first, int end, double *value);
double snapshot_largest(const struct snapshot *snapshot, int slot, int64_t *node);

#endif
