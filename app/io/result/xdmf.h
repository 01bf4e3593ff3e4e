/* xdmf.h: the .xdmf sidecar of a result: a temporal collection of grids that name whole datasets of the
 * .vtkhdf file, the only form that every XDMF reader understands. It is written under a temporary name, then
 * renamed. */
#ifndef CARDIAC_APP_IO_RESULT_XDMF_H
#define CARDIAC_APP_IO_RESULT_XDMF_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct xdmf_array {
    char name[96];
    char place[160]; /* its dataset; one in time: the group of its frames, /views/<name> */
    bool cell;       /* on cells, else on points */
    bool in_time;
    bool integer;  /* int32, else real */
    int bytes;     /* 4 or 8 a number */
    int64_t width; /* numbers a point or cell: 1, or 3 = a vector */
};

struct xdmf {
    const char *path; /* of the .xdmf */
    const char *data; /* of the .vtkhdf; only its last part is written */
    int dimension;    /* 1 lines, 2 triangles, 3 tetrahedra */
    int64_t nodes, cells;
    int64_t topology; /* numbers in vtkhdf_topology; 0 = the cells are of one dimension */
    const struct xdmf_array *array;
    int arrays;
    const double *time; /* [steps] ms */
    int64_t steps;
};

/* Errors: STATUS_RUN; an older sidecar is then left as it was. */
enum status xdmf_write(const struct xdmf *xdmf, struct error *error);

#endif
