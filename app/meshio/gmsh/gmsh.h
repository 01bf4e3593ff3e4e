/* gmsh.h: reading numbers and sections of a .msh file, which the files gmsh*.c share.
 *
 * Gmsh reference manual, "MSH file format" (version 4.1) and "MSH file format version 2 (Legacy)". ASCII
 * files are words between blanks and line ends, binary ones the same numbers as int32, 64-bit sizes and
 * doubles, so one reader serves both. */
#ifndef CARDIAC_APP_MESHIO_GMSH_GMSH_H
#define CARDIAC_APP_MESHIO_GMSH_GMSH_H

#include <stdbool.h>
#include <stdint.h>

#include "app/meshio/format.h"
#include "app/meshio/number_map.h"

struct gmsh {
    struct text_file text;
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    int version; /* 2 or 4; 0 before $MeshFormat */
    bool binary;
    bool swapped;               /* binary numbers are of the other byte order */
    struct number_map nodes;    /* node numbers */
    struct number_map elements; /* element numbers, lower dimensions included */
    struct number_map entities; /* dimension and tag of an entity (4.1) ... */
    int32_t *physical;          /* ... -> its physical group, 0 = none */
    int64_t physical_room;
};

/* The next number; `what` names it in messages. */
enum status gmsh_int(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error);
enum status gmsh_size(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error);
enum status gmsh_real(struct gmsh *gmsh, double *value, const char *what, struct error *error);
/* A count between 0 and what the rest of the file can hold at so many bytes an item. */
enum status gmsh_count(struct gmsh *gmsh, int64_t *count, int ascii_bytes, int binary_bytes, const char *what,
                       struct error *error);
/* The next line that is not blank; the end of the file is an error. */
enum status gmsh_line(struct gmsh *gmsh, const char *what, struct error *error);
/* The next line must be this ("$EndNodes"). */
enum status gmsh_expect(struct gmsh *gmsh, const char *line, struct error *error);
/* Leaves out everything up to and including the line that starts with `end`. */
enum status gmsh_skip(struct gmsh *gmsh, const char *end, struct error *error);

/* The key of an entity of 4.1 in gmsh->entities */
int64_t gmsh_entity_key(int64_t dimension, int64_t tag);
/* *blocks, *count <- the four numbers that start $Nodes and $Elements of 4.1 */
enum status gmsh_read_block_header(struct gmsh *gmsh, int64_t *blocks, int64_t *count, int ascii_bytes,
                                   int binary_bytes, const char *what, struct error *error);

/* One section each, from behind its first line to its $End line. */
enum status gmsh_read_format(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_names(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_entities(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_nodes(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_elements(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_node_data(struct gmsh *gmsh, struct error *error);
enum status gmsh_read_element_data(struct gmsh *gmsh, struct error *error);

#endif
