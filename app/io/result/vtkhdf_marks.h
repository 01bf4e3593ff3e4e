/* vtkhdf_marks.h: marked faces and names in a mesh file, in the group /mesh, which readers of VTKHDF ignore.
 *
 *   /mesh/faces  int32 [faces][dimension]  the nodes of each marked face
 *   /mesh/marks  int32 [faces]             its mark, not 0
 *   /mesh/names  text, "DIMENSION TAG NAME" a line: of regions and, one dimension less, of surfaces */
#ifndef CARDIAC_APP_IO_RESULT_VTKHDF_MARKS_H
#define CARDIAC_APP_IO_RESULT_VTKHDF_MARKS_H

#include "app/io/store/h5.h"
#include "solver/mesh/mesh.h"

/* Nothing is written for a mesh that has neither. */
enum status vtkhdf_marks_put(struct h5_file *file, const struct mesh *mesh, struct error *error);
/* mesh->faces and names <- the file's, if it has some; nodes and dimension of the mesh must be there. */
enum status vtkhdf_marks_get(struct h5_file *file, struct mesh *mesh, struct error *error);

#endif
