/* ranks.h: a run that starts its own ranks, one a GPU of this machine. */
#ifndef CARDIAC_APP_RUN_RANKS_H
#define CARDIAC_APP_RUN_RANKS_H

#include "kernels/base/error.h"

/* Has mpirun start as many ranks of `cardiac argv` without its --gpus, which end before this does. *ended <-
 * their status. Errors: STATUS_INPUT with too few GPUs, without mpirun, or in a run that a launcher has
 * started. */
enum status ranks_start(int gpus, char **argv, enum status *ended, struct error *error);

#endif
