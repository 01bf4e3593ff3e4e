/* assembly.h: mesh and tensors -> stiffness and mass, in mesh order. */
#ifndef CARDIAC_SOLVER_MATRIX_ASSEMBLY_H
#define CARDIAC_SOLVER_MATRIX_ASSEMBLY_H

#include <stdbool.h>

#include "kernels/base/csr.h"
#include "solver/matrix/partition.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* Off-diagonal parts of K and M on one pattern; the diagonal is left out, because k_ii = -sum_j k_ij by
 * construction and m_ii follows from the lumped mass. */
struct system {
    struct csr k;   /* k_ij = sum_e |e| grad_i . D grad_j, mm^dimension / ms */
    double *mass;   /* [entries of k] consistent m_ij = sum_e |e| / ((d + 1)(d + 2)); NULL unless asked for */
    double *lumped; /* [rows] m_i = sum_e |e| / (d + 1); the consistent diagonal is 2 m_i / (d + 2) */
    int dimension;  /* d */
    const struct comm *comm; /* the ranks that have a row each; NULL = all are here */
};

/* Whether row i is here: a rank's system has no entries in those of others. */
static inline bool system_has(const struct system *system, int64_t i)
{
    return system->k.start[i + 1] > system->k.start[i];
}

/* Row-wise assembly: row i gathers its elements in ascending number, so the bits depend on the mesh alone. No
 * atomics, no colouring; rows are shared among threads. Errors: STATUS_RUN without memory. */
enum status system_assemble(struct system *system, const struct mesh *mesh, const struct tensors *tensors,
                            int with_mass, struct error *error);
/* The same of this rank's rows; mesh: all elements that touch them, at least. */
enum status system_assemble_share(struct system *system, const struct mesh *mesh,
                                  const struct tensors *tensors, int with_mass,
                                  const struct partition *partition, struct error *error);

/* The largest of what the ranks have found in their rows */
double system_most(const struct system *system, double value);

void system_free(struct system *system);

/* Off-diagonal entries that the mesh gives, about, by counts alone, and the bytes of a system of so many; and
 * those that its assembly takes for a while. */
double system_entries(const struct mesh *mesh);
double system_bytes(const struct mesh *mesh, int with_mass);
double system_workspace(const struct mesh *mesh);

#endif
