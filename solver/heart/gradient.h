/* gradient.h: fibres along the gradient of a function of nodes, or at an angle to it. */
#ifndef CARDIAC_SOLVER_HEART_GRADIENT_H
#define CARDIAC_SOLVER_HEART_GRADIENT_H

#include "solver/mesh/mesh.h"

/* fiber[elements][3] <- in the elements in[] (NULL = all): the unit gradient of u[nodes], in triangles turned by
 * degrees[elements] in their planes, counter-clockwise seen from outside: side[] of solver/mesh/winding.h (NULL: no
 * angle). Zero where u changes by less than 1e-8 over the element, since 1e-10 of it are the error of a solution of
 * Laplace's equation; returns in how many. */
int64_t gradient_fibers(double *fiber, const struct mesh *mesh, const double *u, const double *degrees,
                        const int8_t *side, const uint8_t *in);

#endif
