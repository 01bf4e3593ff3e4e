/* mesh.h: `cardiac mesh ...`: look at meshes, convert, generate and refine them; here the commands that have
 * files of their own. */
#ifndef CARDIAC_APP_COMMANDS_MESH_H
#define CARDIAC_APP_COMMANDS_MESH_H

#include "kernels/base/error.h"

enum status mesh_heart_coordinates(int argc, char **argv, struct error *error);
enum status mesh_heart_fibers(int argc, char **argv, struct error *error);
enum status mesh_repair_command(int argc, char **argv, struct error *error);
enum status mesh_part_extract(int argc, char **argv, struct error *error);
enum status mesh_part_surface(int argc, char **argv, struct error *error);

#endif
