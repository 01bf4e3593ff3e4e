/* initial.h: start from the state of another run. */
#ifndef CARDIAC_APP_PROBLEM_INITIAL_H
#define CARDIAC_APP_PROBLEM_INITIAL_H

#include "app/config/config.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"
#include "solver/step/monodomain.h"

/* The tissue <- V and all states in the config's initial.file, if given: a checkpoint on the same mesh (by digest),
 * or a frame of a result with V and every state as fields, named "state" or "model/state". From a result on another
 * mesh each node takes the values of the nearest node. doubt <- "" or a warning: models could be checked by the names
 * of their states only, because the result's config does not give them; or some nearest nodes are far away. */
enum { INITIAL_DOUBT = 600 };
enum status initial_start(struct monodomain *sim, const struct mesh *mesh, const struct config *config,
                          const char *mesh_sha256, char doubt[INITIAL_DOUBT], struct error *error);

#endif
