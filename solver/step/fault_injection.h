/* fault_injection.h: small errors put into a tissue's matrix on purpose, to prove that a check sees them. No
 * run calls this. */
#ifndef CARDIAC_SOLVER_FAULT_INJECTION_H
#define CARDIAC_SOLVER_FAULT_INJECTION_H

#include "solver/step/monodomain.h"

/* The k-th off-diagonal k_ij of a mesh node's row is multiplied by factor, in the product and in the sweeps;
 * its mirror and the diagonal stay. Errors: STATUS_RUN when the device fails. */
enum status fault_injection_entry(struct monodomain *sim, int64_t node, int k, double factor,
                                  struct error *error);

/* The k-th off-diagonal of a mesh node's row reads a row that only fills up a slice, which stays at rest, in
 * place of its neighbour. Errors: STATUS_RUN when no row fills up a slice within reach of a 16-bit offset. */
enum status fault_injection_column(struct monodomain *sim, int64_t node, int k, struct error *error);

#endif
