/* mesh_report.h: prints the counts, size, quality, regions and arrays of a mesh. */
#ifndef CARDIAC_APP_MESHIO_MESH_REPORT_H
#define CARDIAC_APP_MESHIO_MESH_REPORT_H

#include <stdio.h>

#include "app/meshio/mesh_file.h"
#include "solver/mesh/mesh.h"

/* Prints counts, box, edges, quality, measure, regions, surfaces, fibres, the reader's notes and the warnings
 * of the check. notes may be NULL (a generated mesh). fibers: description of the fibres, NULL = derived from the mesh.
 * Errors: STATUS_RUN if out of memory. */
enum status mesh_report(FILE *out, const struct mesh *mesh, const struct mesh_notes *notes,
                        const char *fibers, struct error *error);

/* Prints the smallest angles of the elements, and where the worst are. */
enum status mesh_report_shape(FILE *out, const struct mesh *mesh, struct error *error);

/* Number of points, lines or triangles (dimension 0, 1, 2) in the file that are neither elements nor marked faces */
int64_t mesh_notes_left(const struct mesh_notes *notes, const struct mesh *mesh, int dimension);

/* text <- "96 tetrahedra, 35 lines" */
const char *mesh_elements_text(char text[120], const struct mesh *mesh);
/* The same for given counts by dimension */
const char *mesh_counts_text(char text[120], const int64_t count[4]);

/* The name of the elements of a dimension: "tetrahedra" */
const char *mesh_elements_name(int dimension);

/* Prints the faults and parts that mesh_check() found, each with the first position and the remedy. Errors:
 * STATUS_RUN if out of memory. */
enum status mesh_report_faults(FILE *out, const struct mesh *mesh, const struct mesh_health *health,
                               struct error *error);

#endif
