/* simplex.h: the geometry of one P1 simplex of dimension 1, 2 or 3 embedded in space. */
#ifndef CARDIAC_SOLVER_MATRIX_SIMPLEX_H
#define CARDIAC_SOLVER_MATRIX_SIMPLEX_H

#include <stdint.h>

#include "solver/mesh/mesh.h"

/* Volume (mm^dimension) of element e and gradient[a][3] = grad lambda_a (1/mm) of its barycentric
 * coordinates, tangential to the element. A degenerate element has volume 0 and gradients that are not
 * finite. */
double simplex_gradients(const struct mesh *mesh, int64_t e, double gradient[4][3]);

/* Stiffness of element e: stiffness[a][b] = |e| grad_a . D grad_b, computed for a <= b and mirrored, with the
 * symmetric tensor D = {xx, xy, xz, yy, yz, zz} in mm^2/ms. Returns |e|. */
double simplex_stiffness(const struct mesh *mesh, int64_t e, const double tensor[6], double stiffness[4][4]);

#endif
