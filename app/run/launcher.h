/* launcher.h: mpirun in this program's place: what asks this one to stop, and the status it ends with. */
#ifndef CARDIAC_APP_RUN_LAUNCHER_H
#define CARDIAC_APP_RUN_LAUNCHER_H

#include "kernels/base/error.h"

/* *ended <- the exit status of the command argv, found on the PATH and run to its end; 128 + a signal's
 * number where one has ended it.
 *
 * Asked to end, mpirun kills ranks a second later, which is too short for a checkpoint; given more time, it
 * waits that long after every rank that fails, too. But it passes SIGUSR1 on: the first signal that comes
 * here (INT, TERM, HUP, USR1, USR2, XCPU) goes on as that, and what then ends with 128 + SIGUSR1 has ended by
 * that signal; one that comes a second or more later goes on as SIGTERM. The command has a process group of
 * its own, so that a terminal speaks to this one alone. Errors: STATUS_RUN; STATUS_INPUT where there is no
 * such command. */
enum status launcher_run(int *ended, char *const *argv, struct error *error);

#endif
