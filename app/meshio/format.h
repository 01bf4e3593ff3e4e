/* format.h: a format of mesh files, and functions that the readers and writers of formats share. */
#ifndef CARDIAC_APP_MESHIO_FORMAT_H
#define CARDIAC_APP_MESHIO_FORMAT_H

#include "app/meshio/builder.h"
#include "app/meshio/mesh_file.h"
#include "app/meshio/split.h"
#include "app/util/text_file.h"
#include "app/meshio/text_write.h"

enum { FORMAT_PATH = 4096 };

/* Commands that convert refused files, for messages */
#define FORMAT_BY_MESHIO "`meshio convert IN OUT.vtu` converts it (pip install meshio)"
#define FORMAT_BY_MFEM                                                                                       \
    "`python3 -c \"import mfem.ser; mfem.ser.Mesh('IN').PrintVTU('OUT')\"` writes OUT.vtu (pip install "     \
    "mfem)"
#define FORMAT_OF_IGB                                                                                        \
    "it holds openCARP's values at nodes or elements: `python3 -c \"import numpy; numpy.savetxt('OUT', "     \
    "numpy.fromfile('IN', 'f4', offset=1024)[-COUNT:])\"` writes the last COUNT for mesh.arrays"
#define FORMAT_BY_GMSH "`gmsh IN -save -format msh22 -o OUT.msh` converts it"
#define FORMAT_BY_PYVISTA_AS(grid)                                                                           \
    "`python3 -c \"import pyvista; pyvista.read('IN')." grid                                                 \
    ".triangulate().save('OUT.vtu')\"` converts it (pip "                                                    \
    "install pyvista meshio)"
#define FORMAT_BY_PYVISTA FORMAT_BY_PYVISTA_AS("cast_to_unstructured_grid()")

enum { FORMAT_EXTENSIONS = 6 };

/* New files of a mesh, renamed to their final names once all are complete; the first one is required by every reader */
struct format_written {
    struct own_file file[FORMAT_EXTENSIONS];
    int count;
};

/* The files of one mesh: stem + extension, with or without ".gz" */
struct format_files {
    char stem[FORMAT_PATH];
    bool gzipped;                   /* the user named a .gz file: look for these first */
    struct inputs *inputs;          /* the record to which files that are read are added; NULL = none */
    struct format_written *written; /* the files being written; NULL = reading */
};

/* path <- stem.extension or stem.extension.gz; false if neither exists: then the one that the user named */
bool format_sibling(char path[FORMAT_PATH + 16], const struct format_files *files, const char *extension);

/* *index <- the next word as a node index counted from `base`, checked against `nodes` */
enum status format_node_index(struct text_file *text, int32_t *index, int64_t base, int64_t nodes,
                              struct error *error);
/* *tag <- the next word as a region tag */
enum status format_region_tag(struct text_file *text, int32_t *tag, struct error *error);
/* Checks a count given in the file against the number of items of item_bytes each that the rest of it can hold. */
enum status format_claimed_count(struct text_file *text, int64_t count, int item_bytes, const char *what,
                                 struct error *error);
/* One line of a file: a node's point, a cell, or directions */
struct format_item {
    double value[6];
    int32_t vertex[SPLIT_NODES], tag;
    int type; /* of split.h */
};

/* How the items of a file are read, one per line: `read` parses item i of the current line, `put` stores the
 * items in order (NULL: read has stored it) */
struct format_items {
    const char *last; /* for messages: "the last node" */
    void *context;
    enum status (*read)(void *context, struct text_file *line, int64_t i, struct format_item *item,
                        struct error *error);
    enum status (*put)(void *context, const struct format_item *item, struct error *error);
};

/* Reads `count` items: the first alone, the others in parallel, so that read() may change only *item and what
 * belongs to item i. current: the first item is on the current line. */
enum status format_items_read(const struct format_items *items, struct text_file *text, int64_t count,
                              bool current, struct error *error);
/* Only blank lines may follow the last of `count` items. */
enum status format_end_of_items(struct text_file *text, int64_t count, const char *what, struct error *error);
/* point[dimension] <- the next words, in mm */
enum status format_point(struct text_file *text, struct length_unit unit, double *point, int dimension,
                         struct error *error);
/* fiber[3] and, unless NULL, sheet[3] <- the next words, finite */
enum status format_directions(struct text_file *text, double *fiber, double *sheet, struct error *error);
/* Adds the element or elements of a cell of VTK type `type` (split.h); a tagged cell of lower dimension is a face */
enum status format_cell(struct mesh_builder *builder, struct mesh_notes *notes, int type, const int32_t *node,
                        int32_t tag, struct error *error);
/* notes->ignored += name */
void format_note_ignored(struct mesh_notes *notes, const char *name);

/* Reads stem.extension by `read` if it exists; *found <- whether it does (found may be NULL). */
typedef enum status (*format_reader)(void *context, struct text_file *text, struct error *error);
enum status format_read_file(const struct format_files *files, const char *extension, format_reader read,
                             void *context, bool *found, struct error *error);
/* Writes stem.extension by `write`, and adds it to files->written. */
typedef void (*format_writer)(struct text_writer *writer, const struct mesh *mesh);
enum status format_write_file(const struct format_files *files, const char *extension, format_writer write,
                              const struct mesh *mesh, struct error *error);

/* "PREFIX a b c d tag" for each of `count` simplices; without a prefix, the simplex's number */
void format_write_simplices(struct text_writer *writer, const char *prefix, int64_t count, int corners,
                            const int32_t *vertex, const int32_t *tag);
/* One line for each fibre: fibre and, if the mesh has sheets, sheet direction; a missing fibre is written as
 * zero */
void format_write_directions(struct text_writer *writer, const struct mesh *mesh);

/* A kind of mesh file; mesh_file.c lists them all. */
struct mesh_format {
    const char *name;
    const char *extension[FORMAT_EXTENSIONS]; /* the first one exists for every mesh of the format */
    double scale_mm;                          /* default unit of length; 0 = the user must give it */
    enum status (*read)(struct mesh_builder *, const struct format_files *, struct length_unit,
                        struct mesh_notes *, struct error *);
    /* Writes enough digits that reading the file gives the same bits. A mesh that the format cannot store is an error.
     * NULL: the format cannot be written. */
    enum status (*write)(const struct mesh *, const struct format_files *, struct error *);
    bool fields, faces, names; /* whether it stores named arrays, marked faces, names of tags and marks */
};

extern const struct mesh_format format_gmsh, format_tetgen, format_opencarp, format_vtkhdf, format_vtk,
    format_vtu, format_vtp;

#endif
