/* assembly.h: mesh and tensors -> stiffness and mass, in mesh order. */
#ifndef CARDIAC_SOLVER_MATRIX_ASSEMBLY_H
#define CARDIAC_SOLVER_MATRIX_ASSEMBLY_H

#include "kernels/base/csr.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* Off-diagonal parts of K and M on one pattern; the diagonal is left out, because k_ii = -sum_j k_ij by
 * construction and m_ii follows from the lumped mass. */
struct system {
    struct csr k;   /* k_ij = sum_e |e| grad_i . D grad_j, mm^dimension / ms */
    double *mass;   /* [entries of k] consistent m_ij = sum_e |e| / ((d + 1)(d + 2)); NULL unless asked for */
    double *lumped; /* [rows] m_i = sum_e |e| / (d + 1); the consistent diagonal is 2 m_i / (d + 2) */
    int dimension;  /* d */
};

/* Row-wise assembly: row i gathers its elements in ascending number, so the bits depend on the mesh alone. No
 * atomics, no colouring; rows are shared among threads. Errors: STATUS_RUN without memory. */
enum status system_assemble(struct system *system, const struct mesh *mesh, const struct tensors *tensors,
                            int with_mass, struct error *error);

void system_free(struct system *system);

/* Off-diagonal entries that the mesh gives, about, by counts alone, and the bytes of a system of so many; and
 * those that its assembly takes for a while. */
double system_entries(const struct mesh *mesh);
double system_bytes(const struct mesh *mesh, int with_mass);
double system_workspace(const struct mesh *mesh);

#endif
