/* paced.h: the states of paced cells, from which the nodes of a region start. */
#ifndef CARDIAC_APP_PROBLEM_PACED_H
#define CARDIAC_APP_PROBLEM_PACED_H

#include "app/problem/environment.h"
#include "app/problem/problem.h"

/* region[].initial <- V and states of one cell after its beats; with phases also problem->paced.row and
 * .value, whose node i starts
 *
 *   phase T after the last stimulus,  phase = the expression, or 1 - t / T with t of the file, modulo 1
 *
 * T: the period; a phase of 0 is the moment of the next stimulus, at which all nodes start without phases.
 * Nothing is done where initial.file has the states of the whole tissue. Faults are those of the config. */
enum status paced_assign(struct problem *problem, const struct config *config,
                         struct environment *environment, struct faults *faults);
void paced_free(struct problem *problem);
/* A line where a region's cell is not paced by its text's own protocol */
void paced_warning(FILE *file, const struct config *config, int r);

/* The tissue at step 0 <- the state of each node, if a region has phases; all ranks call this. Errors:
 * STATUS_RUN. */
enum status paced_start(struct monodomain *sim, const struct problem *problem, struct error *error);
bool paced_by_node(const struct config *config); /* whether a region has phases */

/* Where the nodes start goes into a checkpoint's fingerprint */
void paced_digest(struct sha256 *sha, const struct problem *problem);

#endif
