/* import.h: a config from an openCARP parameter file. */
#ifndef CARDIAC_APP_COMMANDS_IMPORT_H
#define CARDIAC_APP_COMMANDS_IMPORT_H

#include <stdio.h>

#include "kernels/base/error.h"

/* out <- the config, which config_read() accepts; notes <- warnings, and each line of the file that is not in
 * the config. Nothing is written on failure. */
enum status import_convert(FILE *out, FILE *notes, const char *path, struct error *error);

#endif
