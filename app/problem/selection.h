/* selection.h: the mesh nodes to which a stimulus is applied, and how much of it. */
#ifndef CARDIAC_APP_PROBLEM_SELECTION_H
#define CARDIAC_APP_PROBLEM_SELECTION_H

#include "app/problem/volume.h"

struct selection {
    int32_t *node; /* [nodes] ascending */
    int64_t nodes;
    double *time;         /* [nodes] ms of a file of delays, or NULL */
    double *weight;       /* [nodes] in (0, 1], the share of the current that each gets; NULL = 1 */
    struct volume volume; /* NAN where a list of nodes or a surface is given */
};

/* The nodes around which the stimulus' condition holds, or that its file of delays lists; its arrays are to
 * be freed in any case. STATUS_INPUT where nothing is selected or the list is wrong, and, *at characters into
 * the text of `where`, where that names what the mesh does not have. */
enum status selection_make(struct selection *selection, const struct config_stimulus *stimulus,
                           struct environment *environment, int *at, struct error *error);

#endif
