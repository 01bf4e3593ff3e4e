/* mesh.h: a mesh of simplices in space.
 *
 * Its elements are lines (a cable), triangles (a sheet, an atrial shell) or tetrahedra (a ventricle). A mixed
 * mesh has elements of a lower dimension too, such as the lines of a Purkinje network. Node and element
 * numbers are those of the file or the generator ("mesh order"); no other order is used outside of solver/.
 * Lengths are millimetres. */
#ifndef CARDIAC_SOLVER_MESH_MESH_H
#define CARDIAC_SOLVER_MESH_MESH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* Names that a mesh file gives to tags and marks: regions and surfaces */
struct mesh_name {
    char *name;
    int dimension; /* of the tagged elements: that of the mesh for a region, one less for a surface */
    int32_t tag;
};

struct mesh_names {
    int count;
    struct mesh_name *item; /* [count] */
};

/* Adds a name for the tag, unless the tag already has that name. STATUS_RUN if out of memory. */
enum status mesh_names_add(struct mesh_names *names, const char *name, int dimension, int32_t tag,
                           struct error *error);
/* `dimensions` is a set, the sum of 1 << d. *found <- the entry with this name and one of these
 * dimensions, NULL = none. STATUS_INPUT if several tags have the name. */
enum status mesh_names_find(const struct mesh_names *names, const char *name, unsigned dimensions,
                            const struct mesh_name **found, struct error *error);
/* STATUS_INPUT if the tag, written in digits, is also the name of another tag of these dimensions */
enum status mesh_names_check_number(const struct mesh_names *names, int32_t tag, unsigned dimensions,
                                    struct error *error);
/* The name of that tag; NULL = none. */
const char *mesh_names_of(const struct mesh_names *names, int dimension, int32_t tag);
/* text <- the names with these dimensions, comma-separated, or "none"; ends in "..." if truncated */
void mesh_names_list(const struct mesh_names *names, unsigned dimensions, char *text, int room);
enum status mesh_names_copy(struct mesh_names *to, const struct mesh_names *from, struct error *error);
void mesh_names_free(struct mesh_names *names);

enum location { LOCATION_NONE, LOCATION_NODE, LOCATION_ELEMENT };

/* Arrays at nodes or elements that a mesh file holds in addition to the mesh, by name */
struct mesh_field {
    char *name;
    enum location location;
    int components;
    double *value; /* [nodes or elements][components]; NULL: in the file, but not read */
};

struct mesh_fields {
    int count;
    struct mesh_field *item; /* [count] in the order of the file */
};

/* Adds a field, which owns `value` (may be NULL) even on failure. STATUS_RUN if out of memory. */
enum status mesh_fields_add(struct mesh_fields *fields, const char *name, enum location location,
                            int components, double *value, struct error *error);
/* The field with this name and location; LOCATION_NONE looks for one at elements first, then at nodes.
 * NULL = none. */
struct mesh_field *mesh_fields_find(const struct mesh_fields *fields, const char *name,
                                    enum location location);
void mesh_fields_free(struct mesh_fields *fields);
/* text <- "a, b (3), c", or "none"; ends in "..." if truncated */
void mesh_fields_names(const struct mesh_fields *fields, char *text, int room);

/* A list of rows of an array: row[0 .. count), or, if row is NULL, 0 .. count - 1 */
struct mesh_rows {
    int64_t count;
    const int64_t *row;
};
/* *to <- these rows of every field that was read; fields whose location has no rows are left out.
 * STATUS_RUN if out of memory; free *to even then. */
enum status mesh_fields_select(struct mesh_fields *to, const struct mesh_fields *from, struct mesh_rows nodes,
                               struct mesh_rows elements, struct error *error);

struct mesh {
    int dimension; /* the highest: 1 lines, 2 triangles, 3 tetrahedra */
    int64_t nodes; /* at most INT32_MAX, as elements */
    int64_t elements;
    double *point;   /* [nodes * 3] x, y, z of each node, mm */
    int32_t *vertex; /* [elements * (dimension + 1)] nodes of each element, tetrahedra positively oriented;
                        the last node of an element of a lower dimension is repeated: mesh_corners() */
    int32_t *tag;    /* [elements] region tag; 0 where the file has none */
    int64_t whole_nodes; /* nodes of the whole mesh, of which a rank has some; 0: this is the whole mesh */
    int64_t whole;       /* elements of the whole mesh; valid only if number is set */
    int32_t *number; /* [elements] of a rank: numbers in the whole mesh, ascending; NULL: the whole mesh */
    enum location fiber_location; /* location of the directions below */
    double
        *fiber; /* [nodes or elements][3] longitudinal direction, not necessarily normalised; NULL = none */
    double *sheet; /* [nodes or elements][3] transverse (sheet) direction; NULL = none */
    int64_t faces; /* marked simplices of one dimension less, such as the triangles of a surface; 0 = none */
    int32_t *face; /* [faces * dimension] their nodes */
    int32_t *mark; /* [faces] mark of its surface, not 0 */
    struct mesh_names names;   /* of tags and marks */
    struct mesh_fields fields; /* other arrays of its file at nodes and elements */
    struct csr neighbours;     /* of all nodes, if stored (mesh_neighbours_keep); else empty */
};

/* Number of vertices of element e: its dimension + 1 */
static inline int mesh_corners(const struct mesh *mesh, int64_t e)
{
    int corners = mesh->dimension + 1;
    const int32_t *vertex = mesh->vertex + e * corners;
    while (corners > 2 && vertex[corners - 1] == vertex[corners - 2])
        corners--;
    return corners;
}

/* The number of element e in the whole mesh, and the numbers of elements and nodes of the whole mesh */
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

/* centre <- the mean of element e's corners. And the length of its longest edge, mm */
void mesh_centre(double centre[3], const struct mesh *mesh, int64_t e);
double mesh_longest_edge(const struct mesh *mesh, int64_t e);
/* low, high <- bounding box of all nodes, mm */
void mesh_box(double low[3], double high[3], const struct mesh *mesh);
/* The node nearest to a point, the lowest if there are several; *distance <- mm between them */
int64_t mesh_nearest_node(double *distance, const struct mesh *mesh, const double point[3]);

/* Frees what the mesh owns and zeroes it; a zeroed mesh is accepted. */
void mesh_free(struct mesh *mesh);

/* Allocates the arrays of a mesh whose counts are set in *mesh (directions only if fiber_location is set,
 * sheet only if with_sheet). Errors: STATUS_INPUT if nodes or elements exceed INT32_MAX, STATUS_RUN if out
 * of memory. */
enum status mesh_allocate(struct mesh *mesh, int with_sheet, struct error *error);

/* node_region[nodes] <- the lowest region of the elements at each node, `regions` if there is none;
 * element_region may be -1 for an element without region */
void mesh_node_regions(const struct mesh *mesh, const int32_t *element_region, int regions,
                       int32_t *node_region);

/* Allocates face[] and mark[] for `faces` marked faces; the mesh must have none yet. STATUS_RUN if out of
 * memory. */
enum status mesh_allocate_faces(struct mesh *mesh, int64_t faces, struct error *error);

/* Bytes of a mesh of these counts without directions; and of this mesh with all its arrays */
double mesh_counts_bytes(int dimension, double nodes, double elements);
double mesh_bytes(const struct mesh *mesh);

/* Whether there are elements of a lower dimension */
bool mesh_is_mixed(const struct mesh *mesh);
/* The set of the elements' dimensions, the sum of 1 << d; and count[d] <- the number of elements of
 * dimension d */
unsigned mesh_dimensions(const struct mesh *mesh);
void mesh_count_dimensions(const struct mesh *mesh, int64_t count[4]);

/* component[nodes] <- the lowest node of the connected component of each node, -1 for a node of no element */
void mesh_components(int32_t *component, const struct mesh *mesh);

#endif
