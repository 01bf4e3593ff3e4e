/* node_list.h: a list of nodes in a file, alone or with a time each.
 *
 * .vtx files (a count, a domain word, then numbers) or plain numbers, counted from 0. */
#ifndef CARDIAC_APP_RUN_NODE_LIST_H
#define CARDIAC_APP_RUN_NODE_LIST_H

#include <stdint.h>

#include "kernels/base/error.h"

/* chosen[nodes] <- 1 for those in the list. STATUS_INPUT with file:line:column when the list is wrong. */
enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct error *error);

/* A node and a time in ms on each line: chosen[] as above, time[nodes] <- of those. */
enum status node_list_times(const char *path, int64_t nodes, uint8_t *chosen, double *time,
                            struct error *error);

#endif
