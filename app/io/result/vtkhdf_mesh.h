/* vtkhdf_mesh.h: the mesh of a result file (VTKHDF 2.0, UnstructuredGrid), written and read.
 *
 * Points are float64; region tags are CellData/region, directions are CellData or PointData fiber and sheet,
 * float32 in a result. */
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
/* The same with such fields, in float64. */
enum status vtkhdf_mesh_write_with(const char *path, const struct mesh *mesh,
                                   const struct vtkhdf_field *field, int fields, struct error *error);

/* The cells of a mixed mesh as XDMF has them */
extern const char vtkhdf_topology[];

struct h5_file;
struct subdomain;
/* The same within an open file; where ranks share the mesh the others serve (subdomain_serve). fiber[3] takes
 * the place of the mesh's fibres, as one unit vector for all of it; NULL = the mesh's own. */
enum status vtkhdf_mesh_put(struct h5_file *file, const struct mesh *mesh, const struct subdomain *subdomain,
                            const double *fiber, struct error *error);
/* How many numbers vtkhdf_topology has in the file; 0: its mesh has elements of one dimension */
int64_t vtkhdf_topology_length(const struct h5_file *file);
/* Where directions stand: at elements where one fibre serves all (fiber) and the mesh has none */
enum location vtkhdf_fiber_location(const struct mesh *mesh, const double *fiber);
/* What the file has of its mesh without the arrays */
struct vtkhdf_facts {
    int64_t nodes, elements;
    bool known; /* what follows, which other programs do not store */
    double low[3], high[3];
    int64_t count[4]; /* elements by dimension */
};
enum status vtkhdf_mesh_describe(struct vtkhdf_facts *facts, struct h5_file *file, struct error *error);
/* The mesh of a result or of any VTKHDF unstructured grid of lines, triangles and tetrahedra. Every count and
 * index is checked; memory is bounded by the file's size. Errors: STATUS_INPUT, STATUS_RUN without memory. */
enum status vtkhdf_mesh_get(struct h5_file *file, struct mesh *mesh, struct error *error);

#endif
