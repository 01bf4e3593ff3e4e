/* conductor.h: the lead fields of electrodes in a bounded conductor around the tissue, such as a torso
 * (docs/theory/ecg.md).
 *
 *   -div((sigma_i + sigma_e) grad Z) = delta_electrode - 1 / volume,   zero flux through the surface,   mean Z = 0
 *
 * Z is the potential of a current of 1 A that leaves the electrode and returns uniformly through the
 * conductor's volume. The electrode's potential, -int sigma_i grad V . grad Z, is therefore relative to
 * the mean over the conductor, which cancels in the difference of two electrodes. Outside of the tissue
 * sigma_i = 0 and sigma_e is the conductivity. */
#ifndef CARDIAC_SOLVER_HEART_CONDUCTOR_H
#define CARDIAC_SOLVER_HEART_CONDUCTOR_H

#include "kernels/base/error.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* The point of a mesh of tetrahedra nearest to a given point */
struct conductor_position {
    int32_t element;
    double weight[4]; /* barycentric coordinates in the element, >= 0 */
    double distance;  /* mm; 0 inside */
};

/* position[points + more] <- the mesh points nearest to point[points][3], then to other[more][3], mm. Errors:
 * STATUS_RUN if out of memory. */
enum status conductor_locate(struct conductor_position *position, const struct mesh *mesh,
                             const double *point, int64_t points, const double *other, int64_t more,
                             struct error *error);

/* field[electrodes][points] <- Z of each electrode at the points, in V/A, interpolated linearly. tensors:
 * sigma_i + sigma_e of the conductor, S/m. The bits depend only on the mesh and the positions. Errors:
 * STATUS_INPUT if the conductor is not connected, STATUS_RUN if out of memory or not converged. */
enum status conductor_fields(double *field, const struct tensors *tensors,
                             const struct conductor_position *electrode, int electrodes,
                             const struct conductor_position *point, int64_t points, struct error *error);

/* Peak host memory of conductor_fields(), bytes, from the numbers of nodes and elements */
double conductor_bytes(const struct mesh *mesh);

#endif
