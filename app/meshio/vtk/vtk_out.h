/* vtk_out.h: a mesh as VTK's files, in the variants that old and new readers have in common. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTK_OUT_H
#define CARDIAC_APP_MESHIO_VTK_VTK_OUT_H

#include "app/meshio/format.h"

/* .vtk: version 3.0, binary. Points in mm, region tags as `region`, directions as `fiber` and `sheet`; marked
 * faces are cells behind the elements, their marks in `region`, where other arrays hold 0 (directions) or
 * NaN. */
enum status vtk_out_legacy(const struct mesh *mesh, const struct format_files *place, struct error *error);
/* .vtu: version 1.0, all arrays inline in base64, little-endian, lengths of 64 bits */
enum status vtk_out_xml(const struct mesh *mesh, const struct format_files *place, struct error *error);

#endif
