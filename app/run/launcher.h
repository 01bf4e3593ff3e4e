/* launcher.h: start ranks by another program, and stop them when this process is asked to stop.
 *
 * mpirun answers SIGTERM and SIGINT by killing ranks, after a pause in which they receive no signal; SIGUSR1
 * it passes on at once, or not at all, so the ranks are signalled directly. */
#ifndef CARDIAC_APP_RUN_LAUNCHER_H
#define CARDIAC_APP_RUN_LAUNCHER_H

#include "kernels/base/error.h"

/* Runs command[] until it ends, or this process does. Each signal that asks this process to stop is passed as
 * SIGUSR1 to the processes of this program that the command has started, or to the command if there are none.
 * *ended <- its status; for that of SIGUSR1, the one of the first signal. Errors: STATUS_INPUT when it cannot
 * be started, STATUS_RUN when a signal has ended it. */
enum status launcher_run(char *const *command, enum status *ended, struct error *error);

/* Has mpirun start as many ranks of `cardiac argv` without its --gpus, one a GPU of this machine. *ended <-
 * their status. Errors: STATUS_INPUT with too few GPUs, without mpirun, or in a run that a launcher has
 * started. */
enum status launcher_start_ranks(int gpus, char **argv, enum status *ended, struct error *error);

#endif
