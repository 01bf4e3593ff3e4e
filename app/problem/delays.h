/* delays.h: when each node of a stimulus begins, from a file of nodes or of places in space. */
#ifndef CARDIAC_APP_PROBLEM_DELAYS_H
#define CARDIAC_APP_PROBLEM_DELAYS_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Each line: a node, or a place x y z in mm, and a time in ms. chosen[nodes] <- 1 for those in the file or
 * nearest to a place, time[nodes] <- of those; of several places at a node the earliest. STATUS_INPUT with
 * file:line:column when a line is wrong, a node has two times, or a place is farther from the nearest node
 * than the longest edge there. */
enum status delays_read(const char *path, const struct mesh *mesh, uint8_t *chosen, double *time,
                        struct error *error);

#endif
