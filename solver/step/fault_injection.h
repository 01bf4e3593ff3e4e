/* fault_injection.h: small errors in a tissue's matrix, to prove that a check detects them. */
#ifndef CARDIAC_SOLVER_FAULT_INJECTION_H
#define CARDIAC_SOLVER_FAULT_INJECTION_H

#include "solver/step/monodomain.h"

/* Multiplies the k-th off-diagonal entry k_ij of a mesh node's row by factor, in the product and in the
 * sweeps; k_ji and the diagonal are unchanged. Errors: STATUS_RUN if the device fails. */
enum status fault_injection_entry(struct monodomain *sim, int64_t node, int k, double factor,
                                  struct error *error);

/* Makes the k-th off-diagonal entry of a mesh node's row read a padding row, which stays at rest, instead
 * of its neighbour. Errors: STATUS_RUN if no padding row is within a 16-bit offset. */
enum status fault_injection_column(struct monodomain *sim, int64_t node, int k, struct error *error);

#endif
