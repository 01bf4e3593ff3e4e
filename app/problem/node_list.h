/* node_list.h: read lists of nodes, times of nodes or points, and a number for each node from text files.
 *
 * A list is a .vtx file (a count, a domain word, then numbers) or plain numbers, counted from 0. A file that is read joins
 * `inputs` (NULL = no list). */
#ifndef CARDIAC_APP_PROBLEM_NODE_LIST_H
#define CARDIAC_APP_PROBLEM_NODE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "app/util/input.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* chosen[nodes] <- 1 for those in the list. STATUS_INPUT with file:line:column when the list is wrong. */
enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct inputs *inputs,
                           struct error *error);

/* Writes a list of the nodes with chosen[nodes] != 0 to out (+ ".gz"), with the head that the list at `like`
 * has. STATUS_INPUT if the file exists and is not to be replaced. */
enum status node_list_write(const char *out, bool gzipped, const char *like, const uint8_t *chosen,
                            int64_t nodes, bool overwrite, struct error *error);

/* Each line: a node, or a point x y z in mm, and a time in ms. chosen[nodes] <- 1 for those in the file or
 * nearest to a point, time[nodes] <- of those; of several points at a node the earliest. STATUS_INPUT with
 * file:line:column when a line is wrong, a node has two times, or a point is farther from the nearest node
 * than the longest edge there. */
enum status node_list_read_times(const char *path, const struct mesh *mesh, uint8_t *chosen, double *time,
                                 struct inputs *inputs, struct error *error);

/* value[*count] <- the numbers of the file, one a line in the order of what they belong to; of an openCARP .adj file, a
 * node and its number a line, in the order of the nodes. STATUS_INPUT with file:line:column when one is not finite or a
 * node is listed twice, and where there are more than `most`, to which value[] has room. */
enum status node_list_read_values(const char *path, int64_t most, double *value, int64_t *count,
                                  struct inputs *inputs, struct error *error);

#endif
