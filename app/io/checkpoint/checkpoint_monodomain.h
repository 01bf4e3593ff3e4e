/* checkpoint_monodomain.h: the state of a tissue, saved to a checkpoint and restored from it. */
#ifndef CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_MONODOMAIN_H
#define CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_MONODOMAIN_H

#include "app/io/checkpoint/checkpoint.h"
#include "solver/step/monodomain.h"

/* The whole state of a tissue at one time, taken by the thread that steps it and written by another while the
 * steps continue */
struct checkpoint_state;

enum status checkpoint_state_new(struct checkpoint_state **out, struct monodomain *sim, int64_t nodes,
                                 struct error *error);
void checkpoint_state_free(struct checkpoint_state *state); /* before its tissue; NULL is accepted */
/* Starts a copy of the present state, after the last one has been saved; the steps may continue at once. before:
 * [nodes + 1] V at the last test of stop_when and since when the tissue is quiet, which a resumed run needs to
 * end where an uninterrupted one does; NULL = nothing. */
enum status checkpoint_state_take(struct checkpoint_state *state, const double *before, struct error *error);
/* Waits for the copy; the thread that reads it calls this first */
enum status checkpoint_state_arrive(struct checkpoint_state *state, struct error *error);
/* Variable k of the copy, valid until the next call; all ranks call this. And the copy's time, ms */
const double *checkpoint_state_value(struct checkpoint_state *state, int k);
double checkpoint_state_time(const struct checkpoint_state *state);
/* Saving the copy as directory/checkpoint-<step>.h5, in three parts. begin: the file without values; sets step, time and
 * history of *head. fill: the values of all variables, without a call of HDF5. commit: gives it its name, or
 * removes it where a part has failed; it returns the first failure. directory NULL: rank 0 writes it, and this rank
 * sends its part, in fill. */
enum status checkpoint_state_begin(struct checkpoint_state *state, const char *directory,
                                   struct checkpoint_head *head, struct error *error);
void checkpoint_state_fill(struct checkpoint_state *state);
enum status checkpoint_state_commit(struct checkpoint_state *state, int keep, struct error *error);

/* Most bytes of a copy, on the device of a GPU and on the host; and of the host's work space */
double checkpoint_state_bytes(double nodes, const struct monodomain_params *params);
double checkpoint_state_space(double nodes, const struct monodomain_params *params);

/* before[nodes + 1] <- that of the checkpoint; NaN if it has none */
enum status checkpoint_before(struct checkpoint *checkpoint, int64_t nodes, double *before,
                              struct error *error);

/* Restores the tissue to continue from the checkpoint's step. Both must have the same variables. */
enum status checkpoint_restore(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                               struct error *error);

/* V and all states of the tissue <- the checkpoint, as an initial state: step 0, no history, maps unchanged. The
 * mesh must have the digest given, and nodes the same models. Errors: STATUS_INPUT, listing missing variables. */
enum status checkpoint_start_from(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                                  const char *mesh_sha256, struct error *error);

#endif
