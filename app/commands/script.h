/* script.h: start a command that is a Python script in a separate process. */
#ifndef CARDIAC_APP_COMMANDS_SCRIPT_H
#define CARDIAC_APP_COMMANDS_SCRIPT_H

#include <sys/types.h>

#include "kernels/base/error.h"

/* *child <- the process of the script argv[0], with the socket as its standard input and output. Errors: STATUS_INPUT
 * if there is no such script or no Python; STATUS_RUN. */
enum status script_start(pid_t *child, int socket, int argc, char **argv, struct error *error);

#endif
