/* launcher.h: start ranks through another program, and stop them when this process is asked to stop.
 *
 * On SIGTERM or SIGINT mpirun kills the ranks after a pause, without signalling them first; SIGUSR1 it forwards at once
 * or not at all. So the ranks are signalled directly. */
#ifndef CARDIAC_APP_RUN_LAUNCHER_H
#define CARDIAC_APP_RUN_LAUNCHER_H

#include "kernels/base/error.h"

/* Runs command[] until it ends, or this process does. A signal that asks this process to stop is sent as SIGUSR1 to the
 * processes of this program that the command has started, or to the command if there are none. *ended <- the command's
 * status, where that for SIGUSR1 is replaced by that for the first signal. Errors: STATUS_INPUT if it cannot be
 * started, STATUS_RUN if a signal ended it. */
enum status launcher_run(char *const *command, enum status *ended, struct error *error);

/* Starts `gpus` ranks of `cardiac argv`, without its --gpus, by mpirun, one for each GPU of this host. *ended <- their
 * status. Errors: STATUS_INPUT if there are too few GPUs or no mpirun, or if a launcher started this process. */
enum status launcher_start_ranks(int gpus, char **argv, enum status *ended, struct error *error);

#endif
