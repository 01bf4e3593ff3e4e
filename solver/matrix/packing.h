/* packing.h: the system in mesh order -> the packed matrix and its vectors' order. */
#ifndef CARDIAC_SOLVER_MATRIX_PACKING_H
#define CARDIAC_SOLVER_MATRIX_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/queue.h"
#include "kernels/ops/packed.h"
#include "solver/matrix/assembly.h"

/* The class of a row: what it is read in (kernels/ops/packed.h); without PACKING_FP32 in fp64 */
enum { PACKING_FP32 = 1, PACKING_WHOLE32 = 2, PACKING_INT16 = 4, PACKING_SHARED = 8, PACKING_CLASSES = 16 };

/* The symmetric permutation. Rows that only fill up a slice have no mesh node. A rank has its own rows, and
 * behind them, past slices, those of others that they read (kernels/ops/halo.h). */
struct layout {
    int64_t rows;     /* packed rows, a multiple of the slice height */
    int64_t interior; /* of them the first, which read own rows alone: a multiple, too */
    int64_t ghosts;
    int64_t nodes;
    int32_t *node; /* [rows + ghosts] mesh node of each packed row, -1 for padding */
    int32_t *row; /* [nodes] packed row of each mesh node, -1 = another rank has it, and none reads it here */
    uint8_t *classes; /* [rows / height] of every slice: that of all its rows */
};

/* Rows of a sorting window by default: wide enough that slices of one window have rows of one length, and no
 * wider, since rows of a window are then far from each other. */
int64_t layout_window(int height);

/* order[nodes] (mesh nodes in a locality order) -> layout: inside windows of `window` rows of that order,
 * rows are sorted by class, then by falling length, then those with columns beyond 16 bits first, then by
 * place, and the last slice of each class is padded: a row is read in its class whatever its neighbours.
 * classes[nodes] is that of each node. Errors: STATUS_INPUT for a height that is no power of two from
 * PACKED_LOWEST on, or a window that is no multiple of it. */
enum status layout_make(struct layout *layout, const struct system *system, const int32_t *order,
                        const uint8_t *classes, int height, int64_t window, struct error *error);
void layout_free(struct layout *layout);

/* The same of a rank's own rows: node[interior + border + ghosts] are mesh nodes, those whose rows read none
 * of other ranks, those whose rows do, and what these read. */
struct layout_order {
    const int32_t *node;
    int64_t interior, border, ghosts;
};
enum status layout_make_of(struct layout *layout, const struct system *system, struct layout_order of,
                           const uint8_t *classes, int height, int64_t window, struct error *error);

/* Rows that so many nodes of so many classes take at most; and the host's bytes of such a layout */
double layout_rows(double nodes, int height, int64_t window, int classes);
double layout_bytes(double rows);

/* The two sets of numbers on the system's pattern: e_ij of the sweeps and r_ij of the product. They are
 * functions of k_ij and m_ij, made entry by entry:  e = sweep_mass m_ij + sweep_stiffness k_ij,
 * r = product_stiffness k_ij. */
struct coefficients {
    double sweep_mass, sweep_stiffness;
    double product_stiffness;
};

double coefficient_sweep(const struct coefficients *c, const struct system *system, int64_t entry);
double coefficient_product(const struct coefficients *c, const struct system *system, int64_t entry);

/* Whether both sets are the same numbers */
bool coefficients_agree(const struct coefficients *c);

/* The unit in which the e_ij of a row are whole numbers of 16 bits, at least max_j |e_ij| / 32767; and e in
 * it, rounded to nearest */
float packing_unit(const struct coefficients *c, const struct system *system, int64_t node);
int16_t packing_whole(double e, float unit);
/* The same in a 65536th of it */
int32_t packing_whole32(double e, float unit);

/* What packing made, on the device; packing_free gives it back. */
struct packing {
    struct packed matrix;    /* pointers into device memory */
    int64_t entries, stored; /* true off-diagonal entries; stored ones, padding included */
    int64_t index32_slices, int16_slices, whole32_slices;
};

enum status packing_make(struct packing *packing, const struct system *system, const struct layout *layout,
                         const struct coefficients *coefficients, int height, struct queue *queue,
                         struct error *error);
void packing_free(struct packing *packing, struct queue *queue);

/* Device bytes, at most, of a packing of so many rows and off-diagonal entries, of which sweeps may read some
 * in fp32 */
double packing_bytes(const struct coefficients *coefficients, double rows, double entries, bool fp32);

#endif
