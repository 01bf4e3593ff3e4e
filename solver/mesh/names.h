/* names.h: what a mesh file calls its tags and marks: regions and surfaces by name. */
#ifndef CARDIAC_SOLVER_MESH_NAMES_H
#define CARDIAC_SOLVER_MESH_NAMES_H

#include <stdint.h>

#include "kernels/base/error.h"

struct mesh_name {
    char *name;
    int dimension; /* of what bears the tag: the mesh's of a region, one less of a surface */
    int32_t tag;
};

struct mesh_names {
    int count;
    struct mesh_name *item; /* [count] */
};

/* One more; one that is there already is not added again. STATUS_RUN without memory. */
enum status mesh_names_add(struct mesh_names *names, const char *name, int dimension, int32_t tag,
                           struct error *error);
/* The tag of that name among those of a dimension; NULL = there is none. */
const int32_t *mesh_names_find(const struct mesh_names *names, const char *name, int dimension);
/* The name of that tag; NULL = none. */
const char *mesh_names_of(const struct mesh_names *names, int dimension, int32_t tag);
/* text <- those of a dimension, a comma between, or "none"; what has no room ends it in "..." */
void mesh_names_list(const struct mesh_names *names, int dimension, char *text, int room);
enum status mesh_names_copy(struct mesh_names *to, const struct mesh_names *from, struct error *error);
void mesh_names_free(struct mesh_names *names);

#endif
