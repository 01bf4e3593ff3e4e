/* bundle.h: pack a run into a folder so that others can repeat it: its config, the files that this names, and
 * digests of its results.
 *
 *   config.yaml   the resolved config, with all defaults; its paths point to inputs/, its device is auto
 *   inputs/       copies of the mesh, lists, model texts ... that the config names, as the run read them
 *   about.txt     program, build, machine, mesh
 *   results.csv   a digest of every array at every time, of the tables, and of the last checkpoint
 *   run.log, beats.csv, converge.txt, verify.txt   if the run's directory has them
 *   SHA256SUMS    of the others, as `sha256sum -c` reads it */
#ifndef CARDIAC_APP_RUN_BUNDLE_H
#define CARDIAC_APP_RUN_BUNDLE_H

#include <stdbool.h>

#include "kernels/base/error.h"

/* Creates the bundle `to` from the run with results in `from`. Errors: STATUS_INPUT if `from` has no result of a
 * finished run, a file of its config is missing, has changed or is not in the result's record, or `to` is not empty;
 * STATUS_RUN. */
enum status bundle_write(const char *from, const char *to, struct error *error);

/* Whether the path is a bundle */
bool bundle_is(const char *path);
/* Checks the files listed in SHA256SUMS, which must list config.yaml, results.csv and all of inputs/. Errors:
 * STATUS_INPUT. */
enum status bundle_check(const char *path, struct error *error);
/* Checks that results.csv may be written to `directory`: that this is not a bundle and, without --overwrite, that an
 * existing one is from an earlier repetition. Errors: STATUS_INPUT. */
enum status bundle_check_output(const char *directory, bool overwrite, struct error *error);
/* Compares the results in `directory` with the bundle's digests, and prints the outcome unless quiet. mixed: the run's
 * precision. Errors: STATUS_DIFFERS; STATUS_INPUT. */
enum status bundle_compare(const char *path, const char *directory, bool mixed, bool quiet,
                           struct error *error);

#endif
