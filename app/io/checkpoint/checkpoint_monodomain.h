/* checkpoint_monodomain.h: the state of a tissue, saved to a checkpoint and restored from it. */
#ifndef CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_MONODOMAIN_H
#define CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_MONODOMAIN_H

#include "app/io/checkpoint/checkpoint.h"
#include "solver/step/monodomain.h"

/* The whole state of a tissue at one moment, taken by who steps it and written by another thread while the
 * steps go on. */
struct checkpoint_state;

enum status checkpoint_state_new(struct checkpoint_state **out, struct monodomain *sim, int64_t nodes,
                                 struct error *error);
void checkpoint_state_free(struct checkpoint_state *state); /* before its tissue; NULL is accepted */
/* The present state, once the last one has been saved; the steps may go on at once. before: [nodes + 1] what
 * else a resumed run needs to end where a whole one does, V at the last look at stop_when and since when it
 * is quiet; NULL = nothing. */
enum status checkpoint_state_take(struct checkpoint_state *state, const double *before, struct error *error);
/* Waits until what was taken is there: first of all, by the thread that asks for it */
enum status checkpoint_state_arrive(struct checkpoint_state *state, struct error *error);
/* Variable k as it was taken, by all ranks, once it has arrived at all; good until the next call. And its ms
 */
const double *checkpoint_state_value(struct checkpoint_state *state, int k);
double checkpoint_state_time(const struct checkpoint_state *state);
/* Writes directory/checkpoint-<step>.h5 with all variables; step, time and history of *head are filled in.
 * NULL: rank 0 writes it, this one hands over what it has. */
enum status checkpoint_state_save(struct checkpoint_state *state, const char *directory,
                                  struct checkpoint_head *head, int keep, struct error *error);

/* Bytes at most: of what is taken, on the device of a GPU and on the host; and of the host's work space */
double checkpoint_state_bytes(double nodes, const struct monodomain_params *params);
double checkpoint_state_space(double nodes, const struct monodomain_params *params);

/* before[nodes + 1] <- that of the checkpoint, NaN if it has none. */
enum status checkpoint_before(struct checkpoint *checkpoint, int64_t nodes, double *before,
                              struct error *error);

/* The tissue <- the checkpoint, to go on from its step. Its variables must be those of the tissue. */
enum status checkpoint_restore(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                               struct error *error);

/* The tissue <- V and all states of the checkpoint, as an initial state: step 0, no history, maps untouched.
 * The mesh must have the digest given, and the same nodes have the same models; variables that are missing
 * are listed. */
enum status checkpoint_start_from(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                                  const char *mesh_sha256, struct error *error);

#endif
