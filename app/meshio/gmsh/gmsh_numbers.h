/* gmsh_numbers.h: the numbers and lines of a .msh file, and the indices of its numbered items.
 *
 * Gmsh reference manual, "MSH file format" (version 4.1) and "MSH file format version 2 (Legacy)". ASCII
 * files are words between blanks and line ends, binary ones the same numbers as int32, 64-bit sizes and
 * doubles, so one reader serves both. */
#ifndef CARDIAC_APP_MESHIO_GMSH_GMSH_NUMBERS_H
#define CARDIAC_APP_MESHIO_GMSH_GMSH_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/meshio/format.h"

/* A file's numbers of its items -> their index in order of appearance. Consecutive numbers, the common case,
 * are looked up by a subtraction; others are sorted once and found by bisection. */
struct number_entry {
    int64_t number, index;
};

struct number_map {
    struct number_entry *entry; /* [count] */
    int64_t count, room;
    bool consecutive; /* entry[i].number = entry[0].number + i */
};

enum status number_map_add(struct number_map *map, int64_t number, struct error *error);
/* Call between the last add and the first find. *twice <- a number of two items; returns whether there is
 * one. */
bool number_map_close(struct number_map *map, int64_t *twice);
/* The index of the item with that number, -1 if there is none. */
int64_t number_map_find(const struct number_map *map, int64_t number);
void number_map_free(struct number_map *map);

struct gmsh {
    struct text_file text;
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    int version; /* 2 or 4; 0 before $MeshFormat */
    bool binary;
    bool parametric;            /* $ParametricNodes, of 2.2 */
    bool swapped;               /* binary numbers are of the other byte order */
    struct number_map nodes;    /* node numbers */
    struct number_map elements; /* element numbers, lower dimensions included */
    struct number_map entities; /* dimension and tag of an entity (4.1) */
    int32_t *physical;          /* [entities] its physical group, 0 = none */
    int64_t physical_room;
};

/* *value <- the next number; `what` names it in messages. */
enum status gmsh_int(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error);
enum status gmsh_size(struct gmsh *gmsh, int64_t *value, const char *what, struct error *error);
enum status gmsh_real(struct gmsh *gmsh, double *value, const char *what, struct error *error);
/* *count <- the next number: 0 or more, and at most as many items as fit in the rest of the file with that many bytes
 * each */
enum status gmsh_count(struct gmsh *gmsh, int64_t *count, int ascii_bytes, int binary_bytes, const char *what,
                       struct error *error);
/* Reads the next line that is not blank; the end of the file is an error. */
enum status gmsh_line(struct gmsh *gmsh, const char *what, struct error *error);
/* Reads the next line, which must be `line` ("$EndNodes"). */
enum status gmsh_expect(struct gmsh *gmsh, const char *line, struct error *error);
/* Skips everything up to and including the line that starts with `end`. */
enum status gmsh_skip(struct gmsh *gmsh, const char *end, struct error *error);

/* gmsh_out.c */
enum status gmsh_write(const struct mesh *mesh, const struct format_files *files, struct error *error);

#endif
