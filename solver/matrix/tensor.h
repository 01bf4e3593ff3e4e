/* tensor.h: the diffusion tensor of every element, from conductivities and fibres. */
#ifndef CARDIAC_SOLVER_MATRIX_TENSOR_H
#define CARDIAC_SOLVER_MATRIX_TENSOR_H

#include "solver/mesh/mesh.h"

struct region;

/* The diffusion tensors of a mesh, one per element, computed on demand, which is cheaper than reading six
 * stored numbers */
struct tensors {
    const struct mesh *mesh;
    const struct region *region;   /* diffusion of each region along fibre, sheet and normal, mm^2/ms */
    const int32_t *element_region; /* [elements] */
    const double *fiber;           /* [3] uniform fibre direction; NULL = the mesh's fibres */
};

/* tensor <- {xx, xy, xz, yy, yz, zz} of element e:
 *   D = d_n I + (d_l - d_n) f f' + (d_t - d_n) s s',  each d times its region->scale[][e]
 * where f is the unit fibre and s the unit sheet direction made orthogonal to f. Nodal directions are
 * averaged after flipping them to the side of that of the element's first node, because a fibre has no
 * sign. Returns 0 if the element needs a fibre (or, if d_t != d_n, a sheet direction) and has none or a
 * zero one. In a mixed mesh a line is its own fibre. */
int tensor_of_element(const struct tensors *tensors, int64_t e, double tensor[6]);

/* Stiffness of element e: simplex_stiffness() times w, its section and membrane factor; for a resistor
 * {{k, -k}, {-k, k}}, k = scale g / (chi Cm). Returns w |e|, or 0 for a resistor, which has no mass. */
double tensor_stiffness(const struct tensors *tensors, int64_t e, double stiffness[4][4]);

/* Whether element e is a resistor */
bool tensor_is_resistor(const struct tensors *tensors, int64_t e);

/* axis <- unit fibre, unit sheet direction and normal of element e; returns how many of them its region
 * uses: 0, 1 or 3 */
int tensor_axes(const struct tensors *tensors, int64_t e, double axis[3][3]);

/* Checks every element. Errors: STATUS_INPUT with the number of elements without a usable direction, and
 * the first ones. */
enum status tensors_check(const struct tensors *tensors, struct error *error);

/* The number of anisotropic lines or triangles whose fibre is within 6 degrees of their normal: they
 * conduct as if they had no fibre. */
int64_t tensors_across(const struct tensors *tensors);

#endif
