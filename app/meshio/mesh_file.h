/* mesh_file.h: reads and writes mesh files of all formats.
 *
 *   format    files                                        unit of length
 *   gmsh      .msh, versions 2 and 4.1, ASCII or binary     given by the user
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

/* Remarks of the reader for the user */
struct mesh_notes {
    char format[64];           /* "TetGen", "Gmsh 4.1 binary", ... */
    int64_t split[15];         /* cells of that VTK type that were split (app/meshio/split.h) */
    int64_t dropped[3];        /* points, lines, triangles left out of a mesh of higher dimension */
    char lines[300];           /* tagged edges of tetrahedra that were left out: "tag 9 (12)"; "" = none */
    int64_t strays[3];         /* lines, triangles removed because they are no side of an element */
    char ignored[160];         /* parts of the file that were not used, separated by commas; "" = none */
    struct mesh_health health; /* filled by mesh_read */
};

/* Reads, scales and checks a mesh (solver/mesh/check.h orients the elements). scale_mm: mm per unit of the file;
 * 0 = not given, an error for formats without a unit. selection: the arrays to read, and the record of files; NULL =
 * only tags and directions, no record. mesh->fields lists all arrays. notes may be NULL. Errors: STATUS_INPUT with
 * file:line:column. *mesh is written on success only. */
enum status mesh_read(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error);
/* The same without the check: only indices and numbers are valid. For tools that repair meshes. */
enum status mesh_load(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error);

/* Writes the mesh in the format of path's extension (".gz" compresses); coordinates in mm, for openCARP in
 * micrometres, with as many digits as needed to read back the same doubles. Existing files are an error unless
 * overwrite. */
enum status mesh_write(const struct mesh *mesh, const char *path, bool overwrite, struct error *error);
/* Whether `input` is one of the files that a mesh written to `path` would replace */
bool mesh_replaces(const char *path, const char *input);
/* text <- what the format of path's extension cannot store of the mesh: "the marked faces, the array a"; "" =
 * nothing */
void mesh_left_out(const struct mesh *mesh, const char *path, char text[1000]);

#endif
