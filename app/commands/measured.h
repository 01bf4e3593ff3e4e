/* measured.h: are the files of ecg.target and activation.target what `cardiac fit` reads? */
#ifndef CARDIAC_APP_COMMANDS_MEASURED_H
#define CARDIAC_APP_COMMANDS_MEASURED_H

#include "app/problem/problem.h"

/* Has the reader of `cardiac fit` (python/cardiac/target.py) read them, in a process of its own. A warning on standard
 * error where there is no Python for it. Errors: STATUS_INPUT, with the key and the place in its file. */
enum status measured_check(const struct problem *problem, const struct config *config, struct error *error);

#endif
