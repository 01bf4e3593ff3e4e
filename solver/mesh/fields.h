/* fields.h: numbers at nodes or elements that a mesh file has beside the mesh itself, by their names there.
 */
#ifndef CARDIAC_SOLVER_MESH_FIELDS_H
#define CARDIAC_SOLVER_MESH_FIELDS_H

#include <stdint.h>

#include "kernels/base/error.h"

enum location { LOCATION_NONE, LOCATION_NODE, LOCATION_ELEMENT };

struct mesh_field {
    char *name;
    enum location location;
    int components;
    double *value; /* [nodes or elements][components]; NULL: the file has it, but it was not asked for */
};

struct mesh_fields {
    int count;
    struct mesh_field *item; /* [count] in the order of the file */
};

/* One more, which takes over `value` (may be NULL) even when it fails: STATUS_RUN without memory. */
enum status mesh_fields_add(struct mesh_fields *fields, const char *name, enum location location,
                            int components, double *value, struct error *error);
/* The one of that name there; with LOCATION_NONE that of elements, else that of nodes. NULL = none. */
struct mesh_field *mesh_fields_find(const struct mesh_fields *fields, const char *name,
                                    enum location location);
void mesh_fields_free(struct mesh_fields *fields);
/* text <- "a, b (3), c", "none" if there are none; what has no room ends it in "..." */
void mesh_fields_names(const struct mesh_fields *fields, char *text, int room);

/* Rows of an array: row[0 .. count), or, where row is NULL, 0 .. count - 1 */
struct mesh_rows {
    int64_t count;
    const int64_t *row;
};
/* to <- those rows of every field that was read, none of a field that has no such row. STATUS_RUN without
 * memory; *to is to be freed in any case.
 */
enum status mesh_fields_select(struct mesh_fields *to, const struct mesh_fields *from, struct mesh_rows nodes,
                               struct mesh_rows elements, struct error *error);

#endif
