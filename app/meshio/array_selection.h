/* array_selection.h: selects the arrays of a mesh file that are read, and those that hold tags, fibres and
 * sheets. */
#ifndef CARDIAC_APP_MESHIO_ARRAY_SELECTION_H
#define CARDIAC_APP_MESHIO_ARRAY_SELECTION_H

#include <stdbool.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct array_selection {
    /* Names of arrays; NULL = what the format has of its own, or arrays named "region", "elemTag" or
     * "gmsh:physical" (meshio's), "fiber" (British spelling and plural too), "sheet" or "sheets" */
    const char *tags, *fibers, *sheets;
    const char *const *name; /* [names] arrays to keep as fields of the mesh, where there are such */
    int names;
    bool all;        /* every array is kept */
    bool keep_lines; /* tagged edges of tetrahedra are elements: for tools that write the mesh again */
    bool drop_stray; /* lines and triangles that are no edge or face of an element are removed */
};

/* Whether an array of that name is to be read; whether somebody says its name; whether it is the fibres or
 * sheets */
bool array_selection_has(const struct array_selection *selection, const char *name, int components);
bool array_selection_names(const struct array_selection *selection, const char *name);
bool array_selection_is_direction(const struct array_selection *selection, const char *name, int components);

/* mesh->tag, fiber, sheet <- the fields that stand for them, whose values they take unless these are kept as
 * well. STATUS_INPUT, naming `path`, where one that was asked for by name is missing or of a wrong
 * shape. */
enum status array_selection_apply(const struct array_selection *selection, struct mesh *mesh,
                                  const char *path, struct error *error);

/* tag[count] <- a field of one component, whose values must be whole numbers of 32 bits */
enum status array_selection_tags(const struct mesh_field *field, int64_t count, int32_t *tag,
                                 const char *path, struct error *error);

/* The field that the tags are in, NULL if there is none */
struct mesh_field *array_selection_tag_field(const struct array_selection *selection,
                                             const struct mesh_fields *fields);

#endif
