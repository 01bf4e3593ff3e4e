/* electrodes.h: the weight of each node's V in the potential of an electrode, in an unbounded uniform conductor
 * around the tissue (docs/theory/ecg.md).
 *
 *   phi(x) = -1/(4 pi s) int sigma_i grad V . grad(1/r) = sum_i w_i V_i
 *   w_i = -1/(4 pi s) sum_j k_ij (1/r_j - 1/r_i)
 *
 * K is the stiffness matrix of the intracellular conductivity sigma_i, r the distance to x, s the conductor's
 * conductivity. A sheet is taken as 1 mm thick, the cross-section of a cable as 1 mm^2. */
#ifndef CARDIAC_SOLVER_HEART_ELECTRODES_H
#define CARDIAC_SOLVER_HEART_ELECTRODES_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/matrix/assembly.h"
#include "solver/mesh/mesh.h"

struct electrode {
    double point[3]; /* mm */
    double distance; /* mm, to the nearest node */
    double least;    /* mm, lower bound of r: half the longest edge at the nearest node */
};

/* weight[count][nodes] <- w_i of each electrode; electrode[] <- distance and least. tensors: sigma_i in S/m.
 * conductivity: s, S/m. The bits depend on the mesh alone. Errors: STATUS_RUN if out of memory. */
enum status electrodes_weights(struct electrode *electrode, int count, double *weight,
                               const struct tensors *tensors, double conductivity, struct error *error);

/* weight[count][nodes]: in, the lead field of each electrode, V at each node for a current of 1 A out of the
 * electrode, in any conductor; out, its weights. Errors: STATUS_RUN if out of memory. */
enum status electrodes_field_weights(double *weight, int count, const struct tensors *tensors,
                                     struct error *error);

/* Positions of the electrodes of the standard ECG on a human chest around a heart (docs/theory/ecg.md). */

enum { CHEST_ELECTRODES = 9 };

struct chest_electrode {
    const char *name; /* RA, LA, LL, V1 .. V6 */
    double point[3];  /* mm, in the mesh's coordinates */
};

/* Scales the chest to the heart and orients it by the heart's axes. on[nodes]: see heart/surfaces.h.
 * Returns the number of electrodes: CHEST_ELECTRODES, or 0 if the apex, lv or rv is missing or the three
 * are collinear. */
int chest_electrodes_place(struct chest_electrode electrode[CHEST_ELECTRODES], const struct mesh *mesh,
                           const uint8_t *on);

#endif
