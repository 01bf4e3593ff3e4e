/* conductor.h: the lead fields of electrodes in a bounded conductor around the tissue, such as a torso
 * (docs/theory/ecg.md).
 *
 *   -div((sigma_i + sigma_e) grad Z) = delta_electrode - 1 / volume, zero flux through the surface, mean of Z
 * 0
 *
 * Z is the potential of 1 A out of the electrode that returns evenly through the conductor, so that the
 * electrode's potential -int sigma_i grad V . grad Z is relative to the conductor's mean; between two
 * electrodes the mean cancels. Outside of cells, sigma_e is the whole conductivity. */
#ifndef CARDIAC_SOLVER_HEART_CONDUCTOR_H
#define CARDIAC_SOLVER_HEART_CONDUCTOR_H

#include "kernels/base/error.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* The point of a mesh of tetrahedra nearest to a given point */
struct conductor_position {
    int32_t element;
    double weight[4]; /* shares of the element's nodes in it, >= 0 */
    double distance;  /* mm; 0 inside */
};

/* position[points + more] <- nearest to point[points][3] and other[more][3]. Errors: STATUS_RUN without
 * memory. */
enum status conductor_locate(struct conductor_position *position, const struct mesh *mesh,
                             const double *point, int64_t points, const double *other, int64_t more,
                             struct error *error);

/* field[electrodes][points] <- Z in V/A at points, interpolated linearly, of 1 A out of each electrode.
 * tensors: of the conductor, sigma_i + sigma_e in S/m. The bits depend on the mesh and the positions
 * alone. Errors: STATUS_INPUT if the conductor has several parts, STATUS_RUN without memory or
 * convergence. */
enum status conductor_fields(double *field, const struct tensors *tensors,
                             const struct conductor_position *electrode, int electrodes,
                             const struct conductor_position *point, int64_t points, struct error *error);

/* Bytes on the host during the computation, for a conductor of these counts */
double conductor_bytes(const struct mesh *mesh);

#endif
