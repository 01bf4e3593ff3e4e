/* initial.h: the state of another run as the one to begin with. */
#ifndef CARDIAC_APP_RUN_INITIAL_H
#define CARDIAC_APP_RUN_INITIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/monodomain.h"

/* The tissue <- V and all states of the frame at `time` (NaN = the last) of a result on the same mesh that
 * holds V and every state as fields, named alone or with the model. *known <- false if the result's config
 * cannot tell which models its nodes had: then of models only what the names say is checked. */
enum status initial_from_result(struct monodomain *sim, int64_t nodes, const char *path, double time,
                                const char *mesh_sha256, bool *known, struct error *error);

#endif
