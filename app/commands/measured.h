/* measured.h: check the files of ecg.target and activation.target with the reader of `cardiac fit`. */
#ifndef CARDIAC_APP_COMMANDS_MEASURED_H
#define CARDIAC_APP_COMMANDS_MEASURED_H

#include "app/problem/problem.h"

/* Runs that reader (python/cardiac/target.py) on the files, in a separate process; only warns on standard error if
 * there is no Python. Errors: STATUS_INPUT, with the key and the position in its file. */
enum status measured_check(const struct problem *problem, const struct config *config, struct error *error);

#endif
