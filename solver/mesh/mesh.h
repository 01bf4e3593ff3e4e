/* mesh.h: a mesh of simplices in space, as every part of the program sees it.
 *
 * One mesh holds elements of one dimension: lines (a cable), triangles (a sheet, an atrial shell) or
 * tetrahedra (a ventricle). Node and element numbers are those of the file or the generator ("mesh order");
 * nothing outside solver/ ever sees another order. Lengths are millimetres. */
#ifndef CARDIAC_SOLVER_MESH_MESH_H
#define CARDIAC_SOLVER_MESH_MESH_H

#include <math.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/fields.h"
#include "solver/mesh/names.h"

struct mesh {
    int dimension; /* 1 lines, 2 triangles, 3 tetrahedra; an element has dimension + 1 vertices */
    int64_t nodes; /* of these and of elements at most INT32_MAX */
    int64_t elements;
    double *point;   /* [nodes * 3] x, y, z of each node, mm */
    int32_t *vertex; /* [elements * (dimension + 1)] nodes of each element, positively oriented when dimension
                        is 3 */
    int32_t *tag;    /* [elements] region tag; 0 where the file has none */
    int64_t whole_nodes; /* of the mesh of which a rank has these, ascending; 0: all */
    int64_t whole;       /* elements of the mesh of which a rank has these */
    int32_t *number; /* [elements] which of them these are, ascending; NULL: all, and `whole` says nothing */
    enum location fiber_location; /* where the directions below are given */
    double
        *fiber; /* [nodes or elements][3] longitudinal direction, not necessarily normalised; NULL if none */
    double *sheet; /* [nodes or elements][3] transverse (sheet) direction; NULL if none */
    int64_t faces; /* marked simplices of one dimension less, such as the triangles of a surface; 0 = none */
    int32_t *face; /* [faces * dimension] their nodes */
    int32_t *mark; /* [faces] which surface, not 0 */
    struct mesh_names names;   /* of tags and marks */
    struct mesh_fields fields; /* what else its file has at nodes and elements */
};

/* The number of element e, and how many there are, in the whole mesh; its nodes */
static inline int64_t mesh_element_number(const struct mesh *mesh, int64_t e)
{
    return mesh->number ? mesh->number[e] : e;
}

static inline int64_t mesh_elements_whole(const struct mesh *mesh)
{
    return mesh->number ? mesh->whole : mesh->elements;
}

static inline int64_t mesh_nodes_whole(const struct mesh *mesh)
{
    return mesh->whole_nodes ? mesh->whole_nodes : mesh->nodes;
}

/* |a - b| of two points */
static inline double mesh_distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* Frees what the mesh owns and zeroes it; a zeroed mesh is accepted. */
void mesh_free(struct mesh *mesh);

/* Allocates the arrays of a mesh whose counts are set in *mesh (directions only if fiber_location is set,
 * sheet only if with_sheet). Errors: STATUS_INPUT if nodes or elements exceed INT32_MAX, STATUS_RUN if
 * there is no memory. */
enum status mesh_allocate(struct mesh *mesh, int with_sheet, struct error *error);

/* node_region[nodes] <- the first-listed region among a node's elements, `regions` where there is none;
 * element_region[elements] may be -1 for none */
void mesh_node_regions(const struct mesh *mesh, const int32_t *element_region, int regions,
                       int32_t *node_region);

/* Room for that many marked faces, which must not have been there. STATUS_RUN without memory. */
enum status mesh_allocate_faces(struct mesh *mesh, int64_t faces, struct error *error);

/* Bytes of a mesh of these counts without directions; of one with all that it has */
double mesh_counts_bytes(int dimension, double nodes, double elements);
double mesh_bytes(const struct mesh *mesh);

#endif
