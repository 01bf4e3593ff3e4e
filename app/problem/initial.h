/* initial.h: start from the state of another run. */
#ifndef CARDIAC_APP_PROBLEM_INITIAL_H
#define CARDIAC_APP_PROBLEM_INITIAL_H

#include "app/config/config.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"
#include "solver/step/monodomain.h"

/* The tissue <- V and all states of the config's initial.file, if there is one: of a checkpoint on the same
 * mesh (its digest), or of a frame of a result on it that holds V and every state as fields, named alone or
 * with the model; of a result on another mesh those of the nearest nodes. doubt <- "" or a warning: the
 * result's config does not give the models of its nodes, so that models are checked by the names of states
 * alone; or nodes begin as ones far away. */
enum { INITIAL_DOUBT = 600 };
enum status initial_start(struct monodomain *sim, const struct mesh *mesh, const struct config *config,
                          const char *mesh_sha256, char doubt[INITIAL_DOUBT], struct error *error);

#endif
