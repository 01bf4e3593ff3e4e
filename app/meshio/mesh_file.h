/* mesh_file.h: reads and writes mesh files of all formats.
 *
 *   format    files                                        unit of length
 *   gmsh      .msh, versions 2.2 and 4.1, ASCII or binary   given by the user
 *   tetgen    .node with .ele, .face or .edge, and .fib     given by the user
 *   vtk       .vtk, ASCII or binary, .vtu and .vtp          given by the user
 *   opencarp  .pts, .elem, .lon and .surf                   micrometres
 *
 * each plain or gzipped (.gz). A format of several files is named by any one of them or by what their names
 * have in common. Files are not trusted: every index, count and size is checked before use, and memory is
 * bounded by what the files really hold. */
#ifndef CARDIAC_APP_MESHIO_MESH_FILE_H
#define CARDIAC_APP_MESHIO_MESH_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/meshio/array_selection.h"
#include "kernels/base/error.h"
#include "solver/mesh/check.h"
#include "solver/mesh/mesh.h"

/* What the reader found that a user should know. */
struct mesh_notes {
    char format[32];    /* "TetGen", "Gmsh 4.1 binary", ... */
    int64_t split[15];  /* cells of that VTK type that were split (app/meshio/split.h) */
    int64_t dropped[3]; /* points, lines, triangles left out beside elements of higher dimension */
    int64_t strays[3];  /* lines, triangles removed: they were no side of an element (array_selection.h) */
    char ignored[160];  /* parts of the file that were not used, a comma between; "" = none */
    struct mesh_health health; /* filled by mesh_read */
};

/* Reads, checks (solver/mesh/check.h: the elements are turned, errors refused) and scales. scale_mm: how many
 * mm one unit of the file is; 0 = not given, an error for formats without a unit. selection: which arrays
 * beside the mesh; NULL = none but what stands for tags and directions. mesh->fields lists all that there
 * are. notes may be NULL. Errors: STATUS_INPUT with file:line:column. *mesh is written on success only. */
enum status mesh_read(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error);
/* The same without the check: indices are in range and numbers finite, no more. For tools that mend meshes.
 */
enum status mesh_load(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error);

/* Writes the mesh in the format of path's extension (".gz" behind it compresses); coordinates in mm, or in
 * micrometres for openCARP, with as many digits as reading back the same doubles needs. Existing files are an
 * error unless overwrite. */
enum status mesh_write(const struct mesh *mesh, const char *path, bool overwrite, struct error *error);
/* Whether `input` is one of the files that a mesh written to `path` would replace */
bool mesh_replaces(const char *path, const char *input);
/* text <- what of the mesh the format of path's extension has no place for: "the marked faces, the array a";
 * "" */
void mesh_left_out(const struct mesh *mesh, const char *path, char text[1000]);

#endif
