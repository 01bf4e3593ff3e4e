/* vtkhdf_names.h: the names of a mesh's arrays and attributes in a VTKHDF file that the standard does not give. Marked
 * faces and names are in the group /mesh, which readers of VTKHDF ignore, and of a mixed mesh the cells as XDMF has
 * them:
 *
 *   /mesh/faces  int32 [faces][dimension]  the nodes of each marked face
 *   /mesh/marks  int32 [faces]             its mark, not 0
 *   /mesh/names  text, "DIMENSION TAG NAME" a line: of regions and, one dimension less, of surfaces
 *   /mesh/topology  int32, of each cell XDMF's number of its kind, of a line 2, then its nodes */
#ifndef CARDIAC_APP_IO_RESULT_VTKHDF_NAMES_H
#define CARDIAC_APP_IO_RESULT_VTKHDF_NAMES_H

#include <stddef.h>

static const char vtkhdf_points[] = "/VTKHDF/Points";
static const char vtkhdf_faces[] = "/mesh/faces", vtkhdf_marks[] = "/mesh/marks",
                  vtkhdf_names[] = "/mesh/names", vtkhdf_topology[] = "/mesh/topology";

/* Attributes of the points, of the types, and the step of the components of directions */
static const char *const vtkhdf_low[3] = {"x_low", "y_low", "z_low"},
                         *const vtkhdf_high[3] = {"x_high", "y_high", "z_high"},
                         *const vtkhdf_count[4] = {NULL, "lines", "triangles", "tetrahedra"};
static const char vtkhdf_step[] = "multiple_of";

#endif
