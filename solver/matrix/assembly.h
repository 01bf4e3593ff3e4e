/* assembly.h: assembly of stiffness and mass from a mesh and its diffusion tensors, in mesh order. */
#ifndef CARDIAC_SOLVER_MATRIX_ASSEMBLY_H
#define CARDIAC_SOLVER_MATRIX_ASSEMBLY_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "solver/matrix/partition.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"
#include "solver/scheme.h"

struct clusters;

/* Off-diagonal parts of K and M on one pattern; the diagonal is left out, because k_ii = -sum_j k_ij by
 * construction and m_ii follows from the lumped mass. */
struct system {
    struct csr k;   /* k_ij = sum_e |e| grad_i . D grad_j, mm^dimension / ms (tensor_stiffness) */
    double *mass;   /* [entries of k] consistent m_ij = sum_e |e| / ((d + 1)(d + 2)); NULL if not assembled */
    double *lumped; /* [rows] m_i = sum_e |e| / (d + 1); the consistent diagonal is 2 m_i / (d + 2) */
    double *consistent; /* [rows] sum_e 2 |e| / ((d + 1)(d + 2)), the consistent diagonal of a mixed mesh;
                           else NULL */
    int dimension;      /* the highest d */
    const struct clusters
        *clusters;           /* the rows of these clusters have the columns of all nodes of the cluster;
                                NULL = none */
    struct csr narrow;       /* [nodes of clusters] original columns of these rows, without values */
    const struct comm *comm; /* the rows are distributed over its ranks; NULL = one rank */
};

/* Whether row i is this rank's own; other rows have no entries. */
static inline bool system_has(const struct system *system, int64_t i)
{
    return system->k.start[i + 1] > system->k.start[i];
}

/* Assembles row by row: row i sums its elements in ascending number, without atomics or colouring, so the
 * bits depend on the mesh alone. partition: only this rank's rows, of a mesh with at least all elements
 * that touch them; NULL = all rows. Errors: STATUS_RUN if out of memory. */
enum status system_assemble(struct system *system, const struct tensors *tensors, bool with_mass,
                            const struct partition *partition, struct error *error);

/* The maximum of `value` over all ranks */
double system_most(const struct system *system, double value);

void system_free(struct system *system);

/* The two values of an entry in steps of this length, equal if the mass is lumped: for sweeps e_ij = (1 -
 * f) m_ij + theta dt k_ij, for the product r_ij = theta dt k_ij */
static inline double system_sweep(const struct system *system, const struct scheme_length *of, int64_t entry)
{
    double e = of->theta_dt * system->k.value[entry];
    return system->mass ? (1 - of->lumping) * system->mass[entry] + e : e;
}
static inline double system_product(const struct system *system, const struct scheme_length *of,
                                    int64_t entry)
{
    return of->theta_dt * system->k.value[entry];
}

/* Estimates from counts: off-diagonal entries of a mesh's system, its bytes, and the bytes of workspace of
 * its assembly */
double system_entries(const struct mesh *mesh);
double system_bytes(const struct mesh *mesh, bool with_mass);
double system_workspace(const struct mesh *mesh);

#endif
