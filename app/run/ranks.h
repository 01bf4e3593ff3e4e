/* ranks.h: a run that starts its own ranks, one a GPU of this machine. */
#ifndef CARDIAC_APP_RUN_RANKS_H
#define CARDIAC_APP_RUN_RANKS_H

#include "kernels/base/error.h"

/* Lets mpirun start as many ranks of `cardiac argv` without its --gpus, and returns how they ended: they have
 * said why. Errors of its own: STATUS_INPUT with too few GPUs, without mpirun, or in a run that a launcher
 * has started. */
enum status ranks_run(int gpus, char **argv, struct error *error);

#endif
