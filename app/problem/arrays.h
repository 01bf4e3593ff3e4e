/* arrays.h: arrays that the caller has in memory become arrays of the mesh. */
#ifndef CARDIAC_APP_PROBLEM_ARRAYS_H
#define CARDIAC_APP_PROBLEM_ARRAYS_H

#include "app/config/config.h"
#include "solver/mesh/mesh.h"

/* mesh->fields <- with the arrays of the config; its fibres and sheets <- those that mesh.fibers and
 * mesh.sheets name. Errors: STATUS_INPUT for an array of another length or a name that is taken. */
enum status arrays_add(struct mesh *mesh, const struct config *config, struct error *error);

#endif
