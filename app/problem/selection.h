/* selection.h: the nodes to which a stimulus is applied, and its weight at each. */
#ifndef CARDIAC_APP_PROBLEM_SELECTION_H
#define CARDIAC_APP_PROBLEM_SELECTION_H

#include "app/problem/volume.h"

struct selection {
    int32_t *node; /* [nodes] ascending */
    int64_t nodes;
    double *time;         /* [nodes] ms, from a file of delays; or NULL */
    double *weight;       /* [nodes] in (0, 1], the fraction of the current; NULL = 1 everywhere */
    struct volume volume; /* NAN where a list of nodes or a surface is given */
};

/* *selection <- the nodes around which the stimulus' condition holds, or those in its file of delays. Free its arrays
 * even after an error. Errors: STATUS_INPUT if nothing is selected, the list is wrong, or a name in `where` cannot be
 * resolved (*at <- its offset in the text, characters). */
enum status selection_make(struct selection *selection, const struct config_stimulus *stimulus,
                           struct environment *environment, int *at, struct error *error);

#endif
