/* gradient.h: fibres along the gradient of a function of nodes, or at an angle to it. */
#ifndef CARDIAC_SOLVER_HEART_GRADIENT_H
#define CARDIAC_SOLVER_HEART_GRADIENT_H

#include "solver/mesh/mesh.h"

/* fiber[elements][3] <- unit gradient of u[nodes] in the elements with in[] != 0 (NULL = all). In
 * triangles it is rotated in the plane by degrees[elements] (NULL = not rotated), counter-clockwise seen
 * from outside, as given by side[] of solver/mesh/winding.h. The fibre is 0 where u varies by less than
 * 1e-8 in the element, because solutions of Laplace's equation have an error of 1e-10. Returns the number
 * of these elements. */
int64_t gradient_fibers(double *fiber, const struct mesh *mesh, const double *u, const double *degrees,
                        const int8_t *side, const uint8_t *in);

#endif
