/* selection.h: the mesh nodes to which a stimulus is applied. */
#ifndef CARDIAC_APP_PROBLEM_SELECTION_H
#define CARDIAC_APP_PROBLEM_SELECTION_H

#include "app/problem/environment.h"

/* *node <- [*count] ascending numbers of the nodes where the stimulus' condition holds, or that its file of
 * delays lists, and *time <- [*count] the ms of that file, else NULL; to be freed by the caller.
 * STATUS_INPUT where nothing is selected or the list is wrong, and, *at characters into the text of `where`,
 * where that names what the mesh does not have. */
enum status selection_nodes(const struct config_stimulus *stimulus, struct environment *environment,
                            int32_t **node, int64_t *count, double **time, int *at, struct error *error);

#endif
