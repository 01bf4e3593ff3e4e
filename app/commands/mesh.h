/* mesh.h: `cardiac mesh ...`: the commands that have files of their own, and the meshes that they read and
 * write. */
#ifndef CARDIAC_APP_COMMANDS_MESH_H
#define CARDIAC_APP_COMMANDS_MESH_H

#include "app/meshio/mesh_file.h"
#include "app/util/options.h"
#include "kernels/base/error.h"

enum status mesh_heart_coordinates(int argc, char **argv, struct error *error);
enum status mesh_heart_fibers(int argc, char **argv, struct error *error);
enum status mesh_repair_command(int argc, char **argv, struct error *error);
enum status mesh_extract_command(int argc, char **argv, struct error *error);
enum status mesh_surface_command(int argc, char **argv, struct error *error);

struct mesh_source {
    const char *scale;
    struct array_selection selection;
};

/* The options of a command that reads a mesh, and the one of a command that writes a mesh */
#define MESH_SOURCE_OPTIONS(source)                                                                          \
    {"--scale", "LENGTH", "length of one unit in the file, e.g. 1mm", .text = &(source).scale},              \
        {"--tags", "NAME", "the array that holds the elements' tags", .text = &(source).selection.tags},     \
        {"--fibers", "NAME", "the array that holds the fibres", .text = &(source).selection.fibers},         \
    {                                                                                                        \
        "--sheets", "NAME", "the array that holds the sheets", .text = &(source).selection.sheets            \
    }
#define MESH_SOURCE_OVERWRITE(flag_)                                                                         \
    {                                                                                                        \
        "--overwrite", NULL, "replace OUT (and the other files of that mesh)", .flag = &(flag_)              \
    }

/* *mm <- the option's text as a positive length in mm; 0 if not given */
enum status mesh_source_length(double *mm, const char *name, const char *text, struct error *error);
/* Reads a mesh, all its arrays with it, checks it and prints the warnings. */
enum status mesh_source_read(struct mesh *mesh, const char *path, struct mesh_source *source,
                             struct error *error);
/* Writes the mesh, and prints its path and what the format cannot store. input: the file that it was read from, which is
 * never replaced; NULL = none. */
enum status mesh_source_write(const struct mesh *mesh, const char *path, const char *input, bool overwrite,
                              struct error *error);
/* out[4096] <- "OUT_LIST", OUT without its extension, LIST without its folder and .gz */
void mesh_source_list(char out[4096], const char *to, const char *list, bool *gzipped);

#endif
