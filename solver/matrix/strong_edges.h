/* strong_edges.h: edges along which diffusion outweighs the masses of their nodes (clusters.h). */
#ifndef CARDIAC_SOLVER_MATRIX_STRONG_EDGES_H
#define CARDIAC_SOLVER_MATRIX_STRONG_EDGES_H

#include "solver/matrix/spectrum.h"

/* Nodes i < j; k = k_ij; strength = dt |k_ij| / min(m_i, m_j) */
struct strong_edge {
    int32_t i, j;
    double k, strength;
};

struct strong_edges {
    struct strong_edge *edge;
    int64_t count, room;
};

/* *edges <- the edges whose strength exceeds `strong` times the median of dt k_ii / m_i, or `strong` if
 * that median is below 1; resistors and their nodes excluded; strongest first. Free edges->edge even on
 * failure. Errors: STATUS_RUN if out of memory. */
enum status strong_edges_find(struct strong_edges *edges, const struct tensors *tensors,
                              const struct node_sums *sums, double step, double strong, struct error *error);

#endif
