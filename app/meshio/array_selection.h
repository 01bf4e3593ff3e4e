/* array_selection.h: select the arrays of a mesh file to read, and those with tags, fibres and sheets. */
#ifndef CARDIAC_APP_MESHIO_ARRAY_SELECTION_H
#define CARDIAC_APP_MESHIO_ARRAY_SELECTION_H

#include <stdbool.h>

#include "app/io/store/digest.h"
#include "app/util/input.h"
#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct array_selection {
    /* Names of arrays; NULL = the format's own data, or arrays named "region", "elemTag" or "gmsh:physical"
     * (meshio's), "fiber" (also "fibre" and the plurals), "sheet" or "sheets" */
    const char *tags, *fibers, *sheets;
    const char *const *name; /* [names] arrays to keep as fields of the mesh, if they exist */
    int names;
    bool all;            /* keep every array */
    bool keep_lines;     /* tagged edges of tetrahedra are elements; for tools that write the mesh back */
    const int32_t *line; /* [lines] tags that make edges of tetrahedra elements */
    int lines;
    bool drop_stray;       /* remove lines and triangles that are not an edge or face of an element */
    struct inputs *inputs; /* the record to which files are added; NULL = none */
    struct digest_blocks
        *blocks; /* <- by mesh_read(), to be freed: of the mesh, if computed; NULL = not wanted */
};

/* Whether to read an array of that name; whether the selection names it; whether it gives the fibres or sheets */
bool array_selection_has(const struct array_selection *selection, const char *name, int components);
bool array_selection_names(const struct array_selection *selection, const char *name);
bool array_selection_is_direction(const struct array_selection *selection, const char *name, int components);

/* mesh->tag, fiber, sheet <- the fields selected for them; values move, unless the field is also kept. STATUS_INPUT,
 * naming `path`, if a named field is missing or has a wrong shape. */
enum status array_selection_apply(const struct array_selection *selection, struct mesh *mesh,
                                  const char *path, struct error *error);

/* tag[count] <- a field of one component, whose values must be whole numbers of 32 bits */
enum status array_selection_tags(const struct mesh_field *field, int64_t count, int32_t *tag,
                                 const char *path, struct error *error);

/* The field with the tags; NULL = none */
struct mesh_field *array_selection_tag_field(const struct array_selection *selection,
                                             const struct mesh_fields *fields);

#endif
