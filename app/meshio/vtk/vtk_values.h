/* vtk_values.h: numbers of the types that VTK's files have, on their way into the arrays of a mesh.
 *
 * An array grows as its numbers come, so that a count which a file only claims costs nothing. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTK_VALUES_H
#define CARDIAC_APP_MESHIO_VTK_VTK_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "app/util/text_file.h"

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
void vtk_values_free(struct vtk_values *values);

#endif
