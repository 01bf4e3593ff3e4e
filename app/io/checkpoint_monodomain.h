/* checkpoint_monodomain.h: between a tissue and its checkpoint. */
#ifndef CARDIAC_APP_IO_CHECKPOINT_MONODOMAIN_H
#define CARDIAC_APP_IO_CHECKPOINT_MONODOMAIN_H

#include "app/io/checkpoint.h"
#include "solver/monodomain.h"

/* Writes directory/checkpoint-<step>.h5 with all variables of the tissue; step, time and history of *head are
 * filled in here. before: [nodes] what else a resumed run needs to end where a whole one does, V at the last
 * look at stop_when; NULL = nothing. */
enum status checkpoint_save(struct monodomain *sim, int64_t nodes, const char *directory,
                            struct checkpoint_head *head, int keep, const double *before,
                            struct error *error);

/* Bytes of its work space, where the widest variable has so many values a node */
double checkpoint_space(double nodes, double widest);

/* before[nodes] <- that of the checkpoint, NaN if it has none. */
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
