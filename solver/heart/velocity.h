/* velocity.h: the speed of a wave at each node, and along and across the fibres, from its arrival
 * times.
 *
 *   c_i = 1 / |g_i|,   g_i = sum_e |e| grad t_e / sum_e |e|   over the elements at node i
 *
 * with grad t_e constant in an element (linear elements): of second order on meshes whose elements around
 * a node are evenly arranged. Where waves meet or begin g_i vanishes and c_i is meaningless. */
#ifndef CARDIAC_SOLVER_HEART_VELOCITY_H
#define CARDIAC_SOLVER_HEART_VELOCITY_H

#include "kernels/base/error.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/mesh.h"

/* velocity[nodes * stride] <- c_i in mm/ms from time[nodes * stride]. NaN as above, and where g_i is 0.
 * Errors: STATUS_RUN without memory. */
enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error);

enum { VELOCITY_ALONG, VELOCITY_ACROSS, VELOCITY_DIRECTIONS };

/* Quartiles of 1 / |g| over the elements in which the wave runs in that direction, mm/ms, to 0.1 %; NaN
 * without elements */
struct velocity_spread {
    int64_t elements;
    double low, median, high;
};

/* spread[regions][VELOCITY_DIRECTIONS] <- of the activation time[nodes * stride], with g the mean of g_i over
 * the corners of an element: along where g is within 15 degrees of the fibre, across where it is within 10
 * degrees of the plane normal to it. In an isotropic region, and in one of lines, all elements are along.
 * Errors: STATUS_RUN without memory. */
enum status velocity_spreads(struct velocity_spread (*spread)[VELOCITY_DIRECTIONS],
                             const struct tensors *tensors, int regions, const double *time, int64_t stride,
                             struct error *error);

#endif
