/* mesh_source.h: the mesh that a command of `cardiac mesh` reads, and the one that it writes. */
#ifndef CARDIAC_APP_COMMANDS_MESH_SOURCE_H
#define CARDIAC_APP_COMMANDS_MESH_SOURCE_H

#include "app/meshio/mesh_file.h"
#include "app/util/options.h"

struct mesh_source {
    const char *scale;
    struct array_selection selection;
};

enum { MESH_SOURCE_OPTIONS = 4 };

void mesh_source_options(struct option option[MESH_SOURCE_OPTIONS], struct mesh_source *source);
/* *mm <- the option's text as a positive length; 0 if it was not given */
enum status mesh_source_length(double *mm, const char *name, const char *text, struct error *error);
/* Reads a mesh, all its arrays with it, that may have loose nodes, takes these away if asked to, then checks
 * it and prints the warnings. */
enum status mesh_source_read(struct mesh *mesh, const char *path, struct mesh_source *source, bool drop_loose,
                             struct error *error);
/* Writes the mesh, and says so and what of it the format has no place for. */
enum status mesh_source_write(const struct mesh *mesh, const char *path, bool overwrite, struct error *error);

#endif
