/* ranks.h: a run that starts its own ranks, one a GPU of this machine. */
#ifndef CARDIAC_APP_RUN_RANKS_H
#define CARDIAC_APP_RUN_RANKS_H

#include "kernels/base/error.h"

/* Becomes mpirun, which starts as many ranks of `cardiac argv` without its --gpus. Returns only where that
 * cannot be: STATUS_INPUT with too few GPUs, without mpirun, or in a run that a launcher has started. */
enum status ranks_start(int gpus, char **argv, struct error *error);

#endif
