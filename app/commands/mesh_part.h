/* mesh_part.h: `cardiac mesh extract` and `cardiac mesh surface`. */
#ifndef CARDIAC_APP_COMMANDS_MESH_PART_H
#define CARDIAC_APP_COMMANDS_MESH_PART_H

#include "kernels/base/error.h"

enum status mesh_part_extract(int argc, char **argv, struct error *error);
enum status mesh_part_surface(int argc, char **argv, struct error *error);

#endif
