/* builder.h: a mesh that grows while a file is read.
 *
 * Arrays double as items come, so that a count which the file only claims costs nothing. Elements of the
 * highest dimension seen are the mesh's. Of lines and triangles of a lower dimension those that are edges or
 * faces of these are marks: with one dimension less and a tag they become marked faces, the others are
 * counted. The rest are elements of a mixed mesh (lower_settle). */
#ifndef CARDIAC_APP_MESHIO_BUILDER_H
#define CARDIAC_APP_MESHIO_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "app/meshio/array_selection.h"
#include "app/meshio/mesh_file.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Simplices of one dimension, lower than that of the elements */
struct mesh_lower {
    int32_t *vertex; /* [count][dimension + 1] */
    int32_t *tag;    /* [count] */
    int64_t *row;    /* [count] which element of the file it is, as of elements; NULL: none of these is one */
    int64_t count, room;
};

struct mesh_builder {
    double *point; /* [nodes][3] */
    int64_t nodes, node_room;
    int dimension;   /* of the elements kept; 0 = points or none yet */
    int32_t *vertex; /* [elements][dimension + 1] */
    int32_t *tag;    /* [elements] */
    int64_t *row;    /* [elements] which element of the file it is, from 0 */
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
/* A marked face of `dimension` vertices of the elements kept */
enum status builder_face(struct mesh_builder *builder, const int32_t *vertex, int32_t mark,
                         struct error *error);
/* Zeroed direction arrays for every node or kept element; those there are stay when the place is the same. */
enum status builder_directions(struct mesh_builder *builder, enum location location, int with_sheet,
                               struct error *error);
/* *field <- the file's array of that name, listed among the mesh's; it has values, NaN or, of directions, 0,
 * when it is selected and else none. One that is there already is found again. */
enum status builder_field(struct mesh_builder *builder, const char *name, enum location location,
                          int components, struct mesh_field **field, struct error *error);
/* The lower simplices of a dimension for which keep[] is not 0 (NULL: those with a tag) stay, in their order.
 */
void builder_select_lower(struct mesh_builder *builder, int dimension, const uint8_t *keep);
/* The builder takes over a whole mesh, leaving *mesh empty. */
void builder_start(struct mesh_builder *builder, struct mesh *mesh);
/* *mesh <- what was built; the builder is left empty. */
void builder_finish(struct mesh_builder *builder, struct mesh *mesh);
void builder_free(struct mesh_builder *builder);

/* Lines next to triangles or tetrahedra, and triangles next to tetrahedra: which are tissue. */

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
