/* node_list.h: read lists of nodes, times of nodes or points, and a number for each node from text files.
 *
 * A list is a .vtx file (a count, a domain word, then node numbers) or plain node numbers, from 0. Files read are
 * added to `inputs` (NULL = no record). */
#ifndef CARDIAC_APP_PROBLEM_NODE_LIST_H
#define CARDIAC_APP_PROBLEM_NODE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "app/util/input.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* chosen[nodes] <- 1 for nodes in the list. Errors: STATUS_INPUT with file:line:column. */
enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct inputs *inputs,
                           struct error *error);

/* Writes the nodes with chosen[nodes] != 0 to out (+ ".gz"), with the same kind of header as the list at `like`.
 * Errors: STATUS_INPUT if the file exists and overwrite is false. */
enum status node_list_write(const char *out, bool gzipped, const char *like, const uint8_t *chosen,
                            int64_t nodes, bool overwrite, struct error *error);

/* Each line: a node, or a point x y z in mm; and a time in ms. chosen[nodes] <- 1 for nodes in the file or nearest
 * to a point; time[nodes] <- their times, of several points at a node the earliest. Errors: STATUS_INPUT with
 * file:line:column if a line is wrong, a node has two times, or a point is farther from its nearest node than that
 * node's longest edge. */
enum status node_list_read_times(const char *path, const struct mesh *mesh, uint8_t *chosen, double *time,
                                 struct inputs *inputs, struct error *error);

/* value[*count] <- the numbers in the file, one a line in the order of nodes or elements; an openCARP .adj file has a
 * node and its number a line, and value[] is in the order of nodes. Errors: STATUS_INPUT with file:line:column if a
 * number is not finite, a node is listed twice, or there are more than `most` (the length of value[]). */
enum status node_list_read_values(const char *path, int64_t most, double *value, int64_t *count,
                                  struct inputs *inputs, struct error *error);

#endif
