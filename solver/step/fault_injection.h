/* fault_injection.h: small errors in a tissue's matrix, to prove that a check detects them. */
#ifndef CARDIAC_SOLVER_FAULT_INJECTION_H
#define CARDIAC_SOLVER_FAULT_INJECTION_H

#include "solver/step/monodomain.h"

/* The k-th off-diagonal k_ij of a mesh node's row is multiplied by factor, in the product and in the sweeps;
 * its mirror and the diagonal stay. Errors: STATUS_RUN when the device fails. */
enum status fault_injection_entry(struct monodomain *sim, int64_t node, int k, double factor,
                                  struct error *error);

/* The k-th off-diagonal of a mesh node's row reads a padding row, which stays at rest, instead of its
 * neighbour. Errors: STATUS_RUN when no padding row is within a 16-bit offset. */
enum status fault_injection_column(struct monodomain *sim, int64_t node, int k, struct error *error);

#endif
