/* node_list.h: a list of nodes in a file.
 *
 * .vtx files (a count, a domain word, then numbers) or plain numbers, counted from 0. */
#ifndef CARDIAC_APP_PROBLEM_NODE_LIST_H
#define CARDIAC_APP_PROBLEM_NODE_LIST_H

#include <stdint.h>

#include "app/util/text_file.h"

/* chosen[nodes] <- 1 for those in the list. STATUS_INPUT with file:line:column when the list is wrong. */
enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct error *error);

/* *node <- the next number of a line, one of the mesh's `nodes`. */
enum status node_list_number(struct text_file *text, int64_t nodes, int64_t *node, struct error *error);

#endif
