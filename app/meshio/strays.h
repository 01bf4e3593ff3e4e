/* strays.h: lines and triangles of a mesh file that are no edge or face of its elements. */
#ifndef CARDIAC_APP_MESHIO_STRAYS_H
#define CARDIAC_APP_MESHIO_STRAYS_H

#include "app/meshio/builder.h"
#include "app/meshio/mesh_file.h"

/* STATUS_INPUT, with their count and tags, if there are some; where they are to be dropped (wanted.h),
 * notes->strays <- how many were. */
enum status strays_check(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                         struct error *error);

#endif
