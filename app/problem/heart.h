/* heart.h: the surfaces of a heart as a config names them. */
#ifndef CARDIAC_APP_PROBLEM_HEART_H
#define CARDIAC_APP_PROBLEM_HEART_H

#include "app/config/config.h"
#include "solver/mesh/mesh.h"

/* *on <- [mesh->nodes] bits 1 << enum heart_surface, to be freed by the caller: from the marks, names and
 * lists that are given; without any, those that the mesh names so, else by shape (solver/heart/surfaces.h).
 */
enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct error *error);

#endif
