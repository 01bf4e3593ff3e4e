/* selection.h: the mesh nodes that a stimulus names by box, sphere, tags or a list in a file. */
#ifndef CARDIAC_APP_RUN_SELECTION_H
#define CARDIAC_APP_RUN_SELECTION_H

#include "app/config/config.h"
#include "solver/mesh/mesh.h"

/* *node <- [*count] ascending node numbers, to be freed by the caller. Boxes and spheres are closed, with a
 * tolerance of 1e-9 of the mesh's diagonal. Errors: STATUS_INPUT when nothing is selected or the list is
 * wrong. */
enum status selection_nodes(const struct config_stimulus *stimulus, const struct mesh *mesh, int32_t **node,
                            int64_t *count, struct error *error);

#endif
