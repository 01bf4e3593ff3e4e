/* mesh_heart.h: `cardiac mesh coordinates` and `cardiac mesh fibers`. */
#ifndef CARDIAC_APP_COMMANDS_MESH_HEART_H
#define CARDIAC_APP_COMMANDS_MESH_HEART_H

#include "kernels/base/error.h"

enum status mesh_heart_coordinates(int argc, char **argv, struct error *error);
enum status mesh_heart_fibers(int argc, char **argv, struct error *error);

#endif
