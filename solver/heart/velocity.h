/* velocity.h: how fast a wave passes each node, from the times at which it came.
 *
 *   c_i = 1 / |g_i|,   g_i = sum_e |e| grad t_e / sum_e |e|   over the elements at node i
 *
 * with grad t_e constant in an element (linear elements): of second order on meshes where the elements around
 * a node lie evenly. Where waves meet or begin g_i vanishes and c_i says nothing. */
#ifndef CARDIAC_SOLVER_HEART_VELOCITY_H
#define CARDIAC_SOLVER_HEART_VELOCITY_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* velocity[nodes * stride] <- mm/ms, in place of time[nodes * stride] (ms, NaN = it never came), the first of
 * every `stride`. NaN where it never came, to a node or to all of every element there. Errors: STATUS_RUN
 * without memory. */
enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error);

#endif
