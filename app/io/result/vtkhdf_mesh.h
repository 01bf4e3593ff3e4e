/* vtkhdf_mesh.h: the mesh of a result file (VTKHDF 2.0, UnstructuredGrid), written and read.
 *
 * Points are float64; region tags are CellData/region, directions are CellData or PointData fiber and sheet,
 * in a result float32 and multiples of 2^-12, which halves what they take. */
#ifndef CARDIAC_APP_IO_RESULT_VTKHDF_MESH_H
#define CARDIAC_APP_IO_RESULT_VTKHDF_MESH_H

#include "solver/mesh/mesh.h"

/* A file with the mesh, its fields, marked faces and names; an existing one is replaced. */
enum status vtkhdf_mesh_write(const char *path, const struct mesh *mesh, struct error *error);

/* A number at every node */
struct vtkhdf_field {
    const char *name, *unit;
    const double *value; /* [nodes] */
};
/* The same with fields, in float64. */
enum status vtkhdf_mesh_write_with(const char *path, const struct mesh *mesh,
                                   const struct vtkhdf_field *field, int fields, struct error *error);

/* Checks that path is free or contains such a mesh file. Errors: STATUS_INPUT for any other file, also for the result of
 * a run, which contains more than a mesh. */
enum status vtkhdf_mesh_claim(const char *path, struct error *error);

struct h5_file;
struct subdomain;
/* Writes the mesh to an open file; with a subdomain, the other ranks serve their parts (subdomain_serve).
 * fiber[3] replaces the mesh's fibres by one direction; NULL = the mesh's own. */
enum status vtkhdf_mesh_put(struct h5_file *file, const struct mesh *mesh, const struct subdomain *subdomain,
                            const double *fiber, struct error *error);
/* Bytes of a stored coordinate: 4 in a result if float32 represents all of them exactly, else 8 */
int vtkhdf_points_width(const struct h5_file *file);
/* The length of vtkhdf_topology; 0 if all elements have the same dimension */
int64_t vtkhdf_topology_length(const struct h5_file *file);
/* The location of directions: at elements if `fiber` replaces missing fibres */
enum location vtkhdf_fiber_location(const struct mesh *mesh, const double *fiber);
/* Whether the directions are those of a result, rounded by at most 0.012 degrees */
bool vtkhdf_rounded_fibers(const struct h5_file *file);
/* What can be read of the mesh without its arrays */
struct vtkhdf_facts {
    int64_t nodes, elements;
    bool known; /* the members below are known: only this program stores them */
    double low[3], high[3];
    int64_t count[4]; /* elements by dimension */
};
enum status vtkhdf_mesh_describe(struct vtkhdf_facts *facts, struct h5_file *file, struct error *error);
/* The mesh of a result or of any VTKHDF unstructured grid of lines, triangles and tetrahedra. Every count and
 * index is checked; memory is bounded by the file's size. Errors: STATUS_INPUT; STATUS_RUN if out of memory. */
enum status vtkhdf_mesh_get(struct h5_file *file, struct mesh *mesh, struct error *error);

#endif
