/* lines.h: networks of lines in files of their own, and the cross-sections of meshes of several dimensions.
 */
#ifndef CARDIAC_APP_PROBLEM_LINES_H
#define CARDIAC_APP_PROBLEM_LINES_H

#include <stdio.h>

#include "app/problem/problem.h"

/* to->mesh <- joined with the networks of the config, to->network <- what was found of each */
enum status lines_join(struct problem_mesh *to, const struct config *config, struct faults *faults);

/* Whether every element has a cross-section where one is needed, and every node mass; resistors that join one
 * end of a network share their conductance: problem->scale. Errors: STATUS_INPUT, all such faults. */
enum status lines_check(struct problem *problem, const struct config *config, struct faults *faults);

/* Prints what the networks are, and where elements of several dimensions share nodes. */
void lines_describe(FILE *file, const struct problem *problem);

/* A line where ends or trees of networks join nothing */
void lines_warning(FILE *file, const struct problem *problem);

#endif
