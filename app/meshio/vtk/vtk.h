/* vtk.h: unstructured grids and PolyData of VTK: their number types, their cells as elements, and writing
 * meshes.
 *
 * An array grows as its numbers come, so that a count which a file only claims costs nothing. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTK_H
#define CARDIAC_APP_MESHIO_VTK_VTK_H

#include "app/meshio/format.h"

enum vtk_number {
    VTK_INT8,
    VTK_UINT8,
    VTK_INT16,
    VTK_UINT16,
    VTK_INT32,
    VTK_UINT32,
    VTK_INT64,
    VTK_UINT64,
    VTK_FLOAT32,
    VTK_FLOAT64
};

/* *number <- of a type's name in either kind of file ("vtktypeint64", "Int64"); false = there is none */
bool vtk_number_find(enum vtk_number *number, const char *name);
int vtk_number_bytes(enum vtk_number number);

enum vtk_target {
    VTK_COORDINATES, /* double, finite, in mm */
    VTK_NODES,       /* int32_t, 0 <= node < limit */
    VTK_COUNTS,      /* int64_t, 0 <= count */
    VTK_TYPES,       /* uint8_t */
    VTK_REALS        /* double as it is */
};

struct vtk_values {
    const char *what; /* for messages: "the points" */
    enum vtk_target target;
    enum vtk_number number;
    bool big; /* its bytes begin with the highest */
    struct length_unit unit;
    int64_t limit;    /* of nodes */
    int64_t expected; /* how many come at most */
    int64_t count, room;
    void *value; /* [count] */
};

/* One more, from its bytes or from a word */
enum status vtk_values_bytes(struct vtk_values *values, const unsigned char *bytes, struct text_file *text,
                             struct error *error);
enum status vtk_values_word(struct vtk_values *values, const char *word, struct text_file *text,
                            struct error *error);
/* So many more from their bytes, in parallel; false, and nothing is added, unless all of them are good. */
bool vtk_values_block(struct vtk_values *values, const unsigned char *bytes, int64_t count);
void vtk_values_free(struct vtk_values *values);

/* The one kind of cells of a PolyData file: VTK's type of those that have more nodes than an element */
enum vtk_poly { VTK_POLY_NONE = 0, VTK_POLY_LINES = 4, VTK_POLY_POLYGONS = 7 };

/* An unstructured grid: its arrays as they are read, then its cells */
struct vtk_grid {
    const char *path;
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    int64_t points, cells;    /* as the file says; -1 = not yet */
    enum vtk_poly poly;       /* of a PolyData file, which has no types */
    struct vtk_values point;  /* [3 points] */
    struct vtk_values node;   /* nodes of all cells, one cell behind the other */
    struct vtk_values end;    /* [cells] where each cell's nodes end */
    struct vtk_values type;   /* [cells] */
    struct mesh_fields field; /* rows of points and cells, those that are selected with values */
};

void vtk_grid_start(struct vtk_grid *grid, const char *path, struct mesh_builder *builder,
                    struct length_unit unit, struct mesh_notes *notes);
/* *selected <- whether the values of this array are to be read, which it then waits for */
enum status vtk_grid_field(struct vtk_grid *grid, const char *name, enum location location, int components,
                           bool *selected, struct error *error);
/* The builder's mesh and fields <- the grid: cells of other shapes are split, lower ones of a tag become
 * faces. STATUS_INPUT for cells that cannot be used, with their count, and for ones that do not fit together.
 */
enum status vtk_grid_finish(struct vtk_grid *grid, struct error *error);
void vtk_grid_free(struct vtk_grid *grid);

/* ---- the numbers of an array in an XML file (xml_data.c) ---- */

struct xml_coding {
    bool base64;      /* else the bytes as they are */
    bool zlib;        /* in compressed blocks */
    bool big;         /* lengths begin with their highest byte */
    int length_bytes; /* of a length: 4 or 8 */
};

/* values <- the words up to the next "<", which is consumed */
enum status xml_data_words(struct vtk_values *values, struct text_file *text, struct error *error);

/* values <- the bytes that follow their length or, compressed, the lengths of their blocks. *inflated += the
 * bytes inflated, which are bounded by the size of the file and by values->expected. */
enum status xml_data_bytes(struct vtk_values *values, struct xml_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error);

/* ---- writing (vtk_out.c) ---- */

/* Types of the cells of a mesh that is written, its faces behind its elements */
int vtk_grid_type(int corners);

/* .vtk: version 3.0, binary. Points in mm, region tags as `region`, directions as `fiber` and `sheet`; marked
 * faces are cells behind the elements, their marks in `region`, where other arrays hold 0 (directions) or
 * NaN. */
enum status vtk_out_legacy(const struct mesh *mesh, const struct format_files *place, struct error *error);
/* .vtu: version 1.0, all arrays inline in base64, little-endian, lengths of 64 bits */
enum status vtk_out_xml(const struct mesh *mesh, const struct format_files *place, struct error *error);

#endif
