/* bundle.h: a run that others can repeat: its config, all files that this names, and digests of its results,
 * in one folder.
 *
 *   config.yaml   the resolved config, with all defaults; its paths lead to inputs/, its device is auto
 *   inputs/       the mesh, lists, texts of models ... that the config names, with the bytes that the run read
 *   about.txt     program, build, machine, mesh
 *   results.csv   a digest of every array at every time, of the tables, and of the last checkpoint
 *   run.log, beats.csv, converge.txt, verify.txt   where the run's directory has them
 *   SHA256SUMS    of the others, as `sha256sum -c` reads it */
#ifndef CARDIAC_APP_RUN_BUNDLE_H
#define CARDIAC_APP_RUN_BUNDLE_H

#include <stdbool.h>

#include "kernels/base/error.h"

/* The folder `to`, which is made, <- of the run whose results lie in `from`. Errors: STATUS_INPUT where there
 * is no result of a finished run, a file of its config is gone, has changed or is not in the
 * result's record, or `to` is not empty; STATUS_RUN. */
enum status bundle_write(const char *from, const char *to, struct error *error);

/* Whether it is a folder of that kind */
bool bundle_is(const char *path);
/* Its files are those that it was made of, each in SHA256SUMS. Errors: STATUS_INPUT. */
enum status bundle_check(const char *path, struct error *error);
/* results.csv may be written in `directory`: it is no bundle, and without --overwrite such a file is that of
 * an earlier repetition. Errors: STATUS_INPUT. */
enum status bundle_check_output(const char *directory, bool overwrite, struct error *error);
/* The results in `directory` have the bits of the bundle's, which is printed unless quiet. mixed: the
 * precision of the run. Errors: STATUS_DIFFERS; STATUS_INPUT. */
enum status bundle_compare(const char *path, const char *directory, bool mixed, bool quiet,
                           struct error *error);

#endif
