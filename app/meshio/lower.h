/* lower.h: lines next to triangles or tetrahedra, and triangles next to tetrahedra: which are tissue. */
#ifndef CARDIAC_APP_MESHIO_LOWER_H
#define CARDIAC_APP_MESHIO_LOWER_H

#include "app/meshio/builder.h"
#include "app/meshio/mesh_file.h"

/* What lower elements of a format are: marks where they are sides, else tissue; the same but lines, which are
 * tissue everywhere; marks everywhere */
enum lower_kind { LOWER_BY_PLACE, LOWER_LINES, LOWER_MARKS };

/* Once all elements are read, before arrays at them are: lower ones that are tissue become elements of a
 * mixed mesh, in the order of the file; the others stay marks. lines: all lines become elements, where a
 * format keeps marks elsewhere. Where the user drops strays, they are counted in notes->strays. Errors:
 * STATUS_INPUT where elements of one tag are both. */
enum status lower_settle(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                         enum lower_kind kind, struct error *error);

/* At the end: marks that are no side of an element are dropped, or are an error with their count and tags. */
enum status lower_marks(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                        struct error *error);

#endif
