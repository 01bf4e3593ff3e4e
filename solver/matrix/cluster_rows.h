/* cluster_rows.h: the rows of clusters (solver/matrix/clusters.h), which replace those of A, for one
 * length of steps. */
#ifndef CARDIAC_SOLVER_MATRIX_CLUSTER_ROWS_H
#define CARDIAC_SOLVER_MATRIX_CLUSTER_ROWS_H

#include "solver/matrix/clusters.h"

/* Adds to the rows of clusters all columns of the cluster's nodes, filled with zeros; system->clusters <-
 * clusters. The halo does not change, because a rank has all nodes of a cluster. Errors: STATUS_RUN if out
 * of memory. */
enum status clusters_expand(struct system *system, const struct clusters *clusters, struct error *error);
/* Undoes clusters_expand. Errors: STATUS_RUN if out of memory; nothing has changed then. */
enum status clusters_restore(struct system *system, struct error *error);

/* Entries are in the order of the system's */
struct cluster_rows {
    const struct clusters *clusters; /* NULL = none */
    int64_t *first;                  /* [nodes] the first entry of each row */
    double *sweep, *product;         /* e^_ij and r^_ij */
    double *diagonal;                /* [nodes] d^_i; with stages m_i */
    double *rounding;                /* [nodes] bound on the relative rounding error of their sums */
    double low; /* least lambda(B^-1 (mu M_L + theta dt S)), mu M_L <= M, for A >= mu M_L + theta dt sum S */
};

/* diagonal[rows]: d_i of A. Without clusters there are no rows. Errors: STATUS_RUN if out of memory. */
enum status cluster_rows_make(struct cluster_rows *rows, const struct system *system,
                              const struct scheme_length *of, const double *diagonal, struct error *error);
void cluster_rows_free(struct cluster_rows *rows);

/* Entries of node i's row in sweep[] or product[]; NULL: use those of the system */
static inline const double *cluster_row(const struct cluster_rows *rows, const double *of, int64_t i)
{
    int32_t slot = cluster_slot(rows->clusters, i);
    return slot < 0 ? NULL : of + rows->first[slot];
}

#endif
