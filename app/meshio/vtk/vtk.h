/* vtk.h: unstructured grids and PolyData of VTK: their number types, their cells as elements, and writing
 * meshes.
 *
 * Arrays grow as numbers arrive, so that a false count in a file costs no memory. */
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

/* *number <- the type of that name in either kind of file ("vtktypeint64", "Int64"); false = unknown */
bool vtk_number_find(enum vtk_number *number, const char *name);
int vtk_number_bytes(enum vtk_number number);

enum vtk_target {
    VTK_COORDINATES, /* double, finite, in mm */
    VTK_NODES,       /* int32_t, 0 <= node < limit */
    VTK_COUNTS,      /* int64_t, 0 <= count */
    VTK_TYPES,       /* uint8_t */
    VTK_REALS        /* double, unchanged */
};

struct vtk_values {
    const char *what; /* for messages: "the points" */
    enum vtk_target target;
    enum vtk_number number;
    bool big; /* big-endian */
    struct length_unit unit;
    int64_t limit;    /* of nodes */
    int64_t expected; /* most numbers */
    int64_t count, room;
    void *value; /* [count] */
};

/* Adds one number, from its bytes or from a word. */
enum status vtk_values_bytes(struct vtk_values *values, const unsigned char *bytes, struct text_file *text,
                             struct error *error);
enum status vtk_values_word(struct vtk_values *values, const char *word, struct text_file *text,
                            struct error *error);
/* Adds `count` numbers from their bytes, in parallel; false, and nothing is added, if one is invalid. */
bool vtk_values_block(struct vtk_values *values, const unsigned char *bytes, int64_t count);
void vtk_values_free(struct vtk_values *values);

/* The one kind of cells of a PolyData file: VTK's type of such cells with more nodes than an element */
enum vtk_poly { VTK_POLY_NONE = 0, VTK_POLY_LINES = 4, VTK_POLY_POLYGONS = 7 };

/* An unstructured grid: its arrays as they are read, then its cells */
struct vtk_grid {
    const char *path;
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    int64_t points, cells;    /* as declared; -1 = not yet */
    enum vtk_poly poly;       /* of a PolyData file, which has no cell types */
    struct vtk_values point;  /* [3 points] */
    struct vtk_values node;   /* nodes of all cells, cell by cell */
    struct vtk_values end;    /* [cells] where each cell's nodes end */
    struct vtk_values type;   /* [cells] */
    struct mesh_fields field; /* arrays of points and cells; the selected ones have values */
};

void vtk_grid_start(struct vtk_grid *grid, const char *path, struct mesh_builder *builder,
                    struct length_unit unit, struct mesh_notes *notes);
/* Adds an array without values; *selected <- whether they are to be read */
enum status vtk_grid_field(struct vtk_grid *grid, const char *name, enum location location, int components,
                           bool *selected, struct error *error);
/* The builder's mesh and fields <- the grid: other shapes are split into simplices, tagged lower cells become
 * faces. STATUS_INPUT for unsupported cells, with their count, and for inconsistent arrays. */
enum status vtk_grid_finish(struct vtk_grid *grid, struct error *error);
void vtk_grid_free(struct vtk_grid *grid);

/* ---- the numbers of an array in an XML file (xml_data.c) ---- */

struct xml_coding {
    bool base64;      /* else raw bytes */
    bool zlib;        /* in compressed blocks */
    bool big;         /* lengths are big-endian */
    int length_bytes; /* of a length: 4 or 8 */
};

/* values <- the words up to the next "<", which is consumed */
enum status xml_data_words(struct vtk_values *values, struct text_file *text, struct error *error);

/* values <- the bytes that follow their length or, compressed, the lengths of their blocks. *inflated += the
 * bytes inflated, which are bounded by the size of the file and by values->expected. */
enum status xml_data_bytes(struct vtk_values *values, struct xml_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error);

/* ---- writing (vtk_out.c) ---- */

/* The type of a written cell */
int vtk_grid_type(int corners);

/* .vtk: version 3.0, binary. Points in mm, region tags as `region`, directions as `fiber` and `sheet`; marked
 * faces are cells after the elements, with their marks in `region` and 0 (directions) or NaN in other
 * arrays. */
enum status vtk_out_legacy(const struct mesh *mesh, const struct format_files *files, struct error *error);
/* .vtu: version 1.0, all arrays inline in base64, little-endian, lengths of 64 bits */
enum status vtk_out_xml(const struct mesh *mesh, const struct format_files *files, struct error *error);

#endif
