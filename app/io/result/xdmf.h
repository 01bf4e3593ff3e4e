/* xdmf.h: the .xdmf sidecar of a result: a temporal collection of grids that name whole datasets of the
 * .vtkhdf file, the only form that every XDMF reader understands. */
#ifndef CARDIAC_APP_IO_RESULT_XDMF_H
#define CARDIAC_APP_IO_RESULT_XDMF_H

#include "app/io/result/steps.h"
#include "solver/mesh/mesh.h"

struct xdmf {
    char *path;    /* of the .xdmf, to be freed */
    int dimension; /* 1 lines, 2 triangles, 3 tetrahedra */
    int64_t nodes, cells;
    int points_width; /* bytes of a coordinate: 4 or 8 */
    int64_t topology; /* numbers in vtkhdf_topology; 0 = the cells are of one dimension */
    const struct time_field *field;
    int fields;
    const struct steps_map *map;
    int maps;
    enum location directions; /* of fiber and sheet */
    bool fiber, sheet;        /* whether the file has them */
};

/* xdmf->path <- DIR/run.xdmf for DIR/run.vtkhdf; false if out of memory */
bool xdmf_name(struct xdmf *xdmf, const char *path);
/* The text with which sidecars begin */
extern const char xdmf_mark[];
/* Writes the sidecar of the file `data` with frames at time[steps] ms; without frames removes it. Errors: STATUS_RUN; an
 * older sidecar is then unchanged. */
enum status xdmf_write(const struct xdmf *xdmf, const char *data, const double *time, int64_t steps,
                       struct error *error);

#endif
