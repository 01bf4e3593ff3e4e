/* launcher.h: a program that starts the ranks, asked to stop as this process is.
 *
 * mpirun answers SIGTERM and SIGINT by killing ranks, after a pause in which they hear nothing; SIGUSR1 it
 * hands on to them at once, or not at all, so they are told without it. */
#ifndef CARDIAC_APP_RUN_LAUNCHER_H
#define CARDIAC_APP_RUN_LAUNCHER_H

#include "kernels/base/error.h"

/* Runs command[] until it ends; each signal that asks this process to stop becomes SIGUSR1 of those processes
 * of this program that the command has started, or of the command where there are none; it ends with this
 * process at the latest. *ended <- its status; where that is SIGUSR1's, the first
 * signal's own. Errors: STATUS_INPUT when it cannot be started, STATUS_RUN when a signal has ended it. */
enum status launcher_run(char *const *command, enum status *ended, struct error *error);

#endif
