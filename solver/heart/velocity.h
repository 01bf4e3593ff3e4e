/* velocity.h: conduction velocity at each node, and along and across the fibres, from activation times.
 *
 *   c_i = 1 / |g_i|,   g_i = sum_e |e| grad t_e / sum_e |e|   over the elements at node i
 *
 * with grad t_e constant in an element (linear elements). c_i is second-order accurate on meshes whose
 * elements are arranged symmetrically around each node. Where waves start or collide g_i vanishes and c_i
 * is meaningless. */
#ifndef CARDIAC_SOLVER_HEART_VELOCITY_H
#define CARDIAC_SOLVER_HEART_VELOCITY_H

#include "kernels/base/error.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* time[nodes * stride], of which only the first value of each node is used: in, activation times t_i in
 * ms; out, c_i in mm/ms, NaN where the wave did not arrive and where g_i is 0 or undefined. Errors:
 * STATUS_RUN if out of memory. */
enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error);

enum { VELOCITY_ALONG, VELOCITY_ACROSS, VELOCITY_DIRECTIONS };

/* Quartiles of 1 / |g|, mm/ms, to 0.1 %, over the elements in which the wave propagates in one direction;
 * NaN if there are none */
struct velocity_spread {
    int64_t elements;
    double low, median, high;
};

/* spread[regions][VELOCITY_DIRECTIONS] <- from activation times time[nodes * stride]. g is the mean of g_i
 * over the corners of an element; the element counts as along if g is within 15 degrees of the fibre, as
 * across if g is within 10 degrees of the plane normal to it. In isotropic regions and regions of lines
 * all elements count as along. Errors: STATUS_RUN if out of memory. */
enum status velocity_spreads(struct velocity_spread (*spread)[VELOCITY_DIRECTIONS],
                             const struct tensors *tensors, int regions, const double *time, int64_t stride,
                             struct error *error);

#endif
