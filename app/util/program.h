/* program.h: how a program of this project starts and ends. */
#ifndef CARDIAC_APP_UTIL_PROGRAM_H
#define CARDIAC_APP_UTIL_PROGRAM_H

#include <stdbool.h>

#include "kernels/base/error.h"

/* All of main: sets what every later number depends on (the C locale, the default floating-point
 * environment), calls run, prints its error with the program's name and returns the exit status. */
int program_main(const char *name, int argc, char **argv,
                 enum status (*run)(int argc, char **argv, struct error *error));

/* Redirects standard output to /dev/null and discards what is still buffered; false on failure */
bool program_silence(void);

/* The error if a launcher started several ranks of a command that is for a single process */
enum status program_refuse_ranks(const char *command, struct error *error);

#endif
