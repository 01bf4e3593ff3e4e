/* packing.h: the packed matrix and the order of its rows, from the system in mesh order. */
#ifndef CARDIAC_SOLVER_MATRIX_PACKING_H
#define CARDIAC_SOLVER_MATRIX_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/queue.h"
#include "kernels/ops/packed.h"
#include "solver/matrix/cluster_rows.h"

/* The precision class of a row (kernels/ops/packed.h); without PACKING_FP32 it reads fp64 */
enum { PACKING_FP32 = 1, PACKING_WHOLE32 = 2, PACKING_SHARED = 4, PACKING_CLASSES = 8 };
/* The class of cluster rows only: fp64, with separate entries for sweeps and product, and for each length
 * of a step */
enum { PACKING_CLUSTER = PACKING_SHARED };

/* The symmetric permutation from mesh nodes to packed rows. Padding rows have no mesh node. A rank's own
 * rows are followed, outside of slices, by the rows of other ranks that they read (kernels/ops/halo.h). */
struct layout {
    int64_t rows;     /* packed rows, a multiple of the slice height */
    int64_t interior; /* the first rows, which read only own rows; also a multiple */
    int64_t ghosts;
    int64_t nodes;
    int32_t *node;    /* [rows + ghosts] mesh node of each packed row, -1 for padding */
    int32_t *row;     /* [nodes] packed row of each mesh node, -1 = on another rank and not read here */
    uint8_t *classes; /* [rows / height] class of each slice's rows */
};

/* Default number of rows in a sorting window: enough that slices have rows of equal length, but few enough
 * that neighbouring rows stay near each other */
int64_t layout_window(int height);

/* order[nodes] (mesh nodes in a locality order) -> layout. In stretches of 16 windows of that order the
 * rows of each class are made consecutive; within windows of `window` rows of a class they are sorted by
 * descending length, then rows with columns beyond 16 bits first, then by the order. The last slice of
 * each class in a stretch is padded, so that a row's class does not depend on its neighbours.
 * classes[nodes]: class of each node. Errors: STATUS_INPUT unless height is a power of two >=
 * PACKED_LOWEST and window a multiple of it. */
enum status layout_make(struct layout *layout, const struct system *system, const int32_t *order,
                        const uint8_t *classes, int height, int64_t window, struct error *error);
void layout_free(struct layout *layout);

/* Input of layout_make_subdomain, which makes the layout of a rank's own rows: node[interior + border +
 * ghosts] are the mesh nodes of rows that read only own rows, of rows that also read rows of other ranks,
 * and of those rows of other ranks. */
struct layout_order {
    const int32_t *node;
    int64_t interior, border, ghosts;
};
enum status layout_make_subdomain(struct layout *layout, const struct system *system, struct layout_order of,
                                  const uint8_t *classes, int height, int64_t window, struct error *error);

/* Upper bounds on the packed rows of `nodes` nodes in `classes` classes, and on the host bytes of such a
 * layout */
double layout_rows(double nodes, int height, int64_t window, int classes);
double layout_bytes(double rows);

/* The quantum of a row's integer entries, at least max_j |e_ij| / 32767 */
float packing_quantum(const struct scheme_length *of, const struct system *system, int64_t node);

/* The packed matrix on the device, and its counts */
struct packing {
    struct packed matrix; /* pointers into device memory */
    const struct slice
        *level[PARAMS_DOUBLINGS +
               1]; /* matrix.slice for steps dt 2^k; for k > 0 its value[] is product[]. All are equal without
                      clusters and with lumped mass */
    int64_t entries, stored; /* off-diagonal entries; stored entries, padding included */
    int64_t index32_slices, whole32_slices;
};

/* clustered[levels]: rows of clusters for steps dt 2^k */
enum status packing_make(struct packing *packing, const struct system *system, const struct layout *layout,
                         const struct scheme_length *of, const struct cluster_rows *clustered, int levels,
                         int height, struct queue *queue, struct error *error);
void packing_free(struct packing *packing, struct queue *queue);

/* Upper bound on the device bytes of a packing; fp32: sweeps may read some entries in fp32 */
double packing_bytes(const struct scheme_length *of, double rows, double entries, bool fp32);

#endif
