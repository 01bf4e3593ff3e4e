/* builder.h: a mesh that grows while a file is read.
 *
 * Arrays grow by doubling as items arrive, so that a false count in a file costs no memory. Elements of the highest
 * dimension are the mesh's. Lines and triangles that are edges or faces of these are marks: with one
 * dimension less and a tag they become marked faces, the others are only counted. All other lines and
 * triangles are elements of a mixed mesh (lower_settle). */
#ifndef CARDIAC_APP_MESHIO_BUILDER_H
#define CARDIAC_APP_MESHIO_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "app/meshio/array_selection.h"
#include "app/meshio/mesh_file.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Simplices of one dimension below that of the elements */
struct mesh_lower {
    int32_t *vertex; /* [count][dimension + 1] */
    int32_t *tag;    /* [count] */
    int64_t *row;    /* [count] its number among the file's elements, from 0; NULL = none is among them */
    int64_t count, room;
};

struct mesh_builder {
    double *point; /* [nodes][3] */
    int64_t nodes, node_room;
    int dimension;   /* of the elements; 0 = only points so far, or nothing */
    int32_t *vertex; /* [elements][dimension + 1] */
    int32_t *tag;    /* [elements] */
    int64_t *row;    /* [elements] its number among the file's elements, from 0 */
    int64_t elements, element_room;
    int64_t rows;               /* elements seen, lower ones included */
    int64_t points;             /* elements of dimension 0 seen */
    struct mesh_lower lower[3]; /* of each dimension; [0] is not used */
    enum location fiber_location;
    double *fiber, *sheet;                   /* [nodes or elements][3] */
    const struct array_selection *selection; /* which arrays are read */
    struct mesh_fields fields;
    struct mesh_names names;
};

enum status builder_node(struct mesh_builder *builder, const double point[3], struct error *error);
/* An element of dimension 0 to 3, its vertices checked by the caller. */
enum status builder_element(struct mesh_builder *builder, int dimension, const int32_t *vertex, int32_t tag,
                            struct error *error);
/* A marked face, with `dimension` vertices */
enum status builder_face(struct mesh_builder *builder, const int32_t *vertex, int32_t mark,
                         struct error *error);
/* Allocates zeroed directions of every node or element; existing ones stay. */
enum status builder_directions(struct mesh_builder *builder, enum location location, int with_sheet,
                               struct error *error);
/* *field <- the array of that name, which is added to the mesh's fields unless it exists. If it is selected,
 * it has values, at first NaN (directions: 0). */
enum status builder_field(struct mesh_builder *builder, const char *name, enum location location,
                          int components, struct mesh_field **field, struct error *error);
/* Starts from a whole mesh, which moves to the builder; *mesh is left empty. */
void builder_start(struct mesh_builder *builder, struct mesh *mesh);
/* *mesh <- what was built; the builder is left empty. */
void builder_finish(struct mesh_builder *builder, struct mesh *mesh);
void builder_free(struct mesh_builder *builder);

/* How to interpret a format's lower elements. LOWER_BY_POSITION: marks if they are sides of elements, else tissue;
 * lines along edges of tetrahedra with a named tag are tissue. LOWER_LINES: the same, but lines are always tissue.
 * LOWER_MARKS: always marks. */
enum lower_kind { LOWER_BY_POSITION, LOWER_LINES, LOWER_MARKS };

/* Call after all elements are read and before arrays of elements. Lower elements that are tissue become
 * elements of a mixed mesh, in the order of the file; the others stay marks. If the user drops strays, these
 * are counted in notes->strays. Errors: STATUS_INPUT if elements of one tag are both tissue and marks. */
enum status lower_settle(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                         enum lower_kind kind, struct error *error);

/* Call at the end: marks that are not a side of an element are an error, with their number and tags, or are dropped. */
enum status lower_marks(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                        struct error *error);

#endif
