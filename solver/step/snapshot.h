/* snapshot.h: quantities of a tissue at one moment, read by another thread while the steps continue
 * (kernels/device/readback.h). monodomain_get gives the same numbers but makes the steps wait. */
#ifndef CARDIAC_SOLVER_SNAPSHOT_H
#define CARDIAC_SOLVER_SNAPSHOT_H

#include "kernels/base/error.h"
#include "kernels/device/readback.h"
#include "solver/step/monodomain.h"

struct snapshot_quantity {
    int variable;       /* index of monodomain_variable(); -1 = a current */
    int model, current; /* as in monodomain_current */
};

struct snapshot;

/* Frames contain the quantities in this order; slots <= READBACK_MOST. Errors: STATUS_RUN if out of
 * memory. */
enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error);
/* The same at node[nodes] of the whole mesh only, plus the largest V of all nodes: the device gathers the
 * values, so a frame is only a few words. */
enum status snapshot_create_at(struct snapshot **out, struct monodomain *sim,
                               const struct snapshot_quantity *quantity, int quantities, const int64_t *node,
                               int64_t nodes, int slots, struct error *error);
void snapshot_free(struct snapshot *snapshot); /* before its tissue; NULL is accepted */
/* Upper bounds on the bytes of a frame of `values` doubles per node, on a GPU and in each host slot; and
 * of the part of a snapshot at a few nodes that grows with the mesh, on a GPU */
double snapshot_bytes(double nodes, double values);
double snapshot_bytes_at(double nodes);

/* Starts copying the current state to `slot`, whose last frame must have been read; steps may follow at
 * once. Errors: STATUS_RUN if the device failed. */
enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error);

/* Called by the reading thread: waits for the frame in `slot`. Errors: STATUS_RUN. */
enum status snapshot_arrive(struct snapshot *snapshot, int slot, struct error *error);
/* Then: value[held * width] <- quantity k in mesh order (monodomain_held); nodes without it are left
 * unchanged. */
void snapshot_read(const struct snapshot *snapshot, int slot, int k, double *value);
/* value[held * width] on rank 0 <- the values of all ranks at their nodes */
void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value);

/* For a snapshot at single nodes, called by all ranks. value[nodes] <- the value of that quantity of first
 * .. end - 1 which exists at each node, NaN if none does; and the largest V, *node <- the first node of
 * the whole mesh that has it, NaN and -1 if V is NaN everywhere */
void snapshot_read_at(const struct snapshot *snapshot, int slot, int first, int end, double *value);
double snapshot_largest(const struct snapshot *snapshot, int slot, int64_t *node);

#endif
