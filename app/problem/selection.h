/* selection.h: the mesh nodes that a stimulus names by a condition, surface, box, sphere, tags or a list in a
 * file. */
#ifndef CARDIAC_APP_PROBLEM_SELECTION_H
#define CARDIAC_APP_PROBLEM_SELECTION_H

#include "app/problem/places.h"

/* *node <- [*count] ascending node numbers, and *time <- [*count] the ms that a file of delays gives them,
 * else NULL; to be freed by the caller. Boxes and spheres are closed, with a tolerance of 1e-9 of the mesh's
 * diagonal. Errors: STATUS_INPUT when nothing is selected or the list is wrong, and, *at characters into the
 * text of a condition, when that names what is not there. */
enum status selection_nodes(const struct config_stimulus *stimulus, struct places *places, int32_t **node,
                            int64_t *count, double **time, int *at, struct error *error);

#endif
