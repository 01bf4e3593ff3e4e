/* script.h: starts a command that is a Python script in a process of its own. */
#ifndef CARDIAC_APP_COMMANDS_SCRIPT_H
#define CARDIAC_APP_COMMANDS_SCRIPT_H

#include <sys/types.h>

#include "kernels/base/error.h"

/* *child <- the process of the script argv[0], whose standard input and output are the socket. Errors: STATUS_INPUT where
 * there is no such script or no Python, STATUS_RUN. */
enum status script_start(pid_t *child, int socket, int argc, char **argv, struct error *error);

#endif
