/* parameters.h: parameters of models that expressions give at the nodes. */
#ifndef CARDIAC_APP_PROBLEM_PARAMETERS_H
#define CARDIAC_APP_PROBLEM_PARAMETERS_H

#include "app/problem/environment.h"
#include "app/problem/problem.h"
#include "kernels/base/sha256.h"

/* problem->region[].field <- their values at the regions' nodes, NaN at others; faults are those of the
 * config */
enum status parameters_assign(struct problem *problem, const struct config *config,
                              struct environment *environment, struct faults *faults);
void parameters_free(struct problem *problem);

/* ", g_Ks 0.1 .. 0.4 by gks" for each of region r */
void parameters_describe(FILE *file, const struct problem *problem, const struct config *config, int r);

/* What they are goes into a checkpoint's fingerprint */
void parameters_digest(struct sha256 *sha, const struct problem *problem);

#endif
