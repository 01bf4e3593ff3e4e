/* tensor.h: the diffusion tensor of every element, from conductivities and fibres. */
#ifndef CARDIAC_SOLVER_MATRIX_TENSOR_H
#define CARDIAC_SOLVER_MATRIX_TENSOR_H

#include "solver/mesh/mesh.h"

struct region;

/* The diffusion tensors of a mesh, one per element, computed on demand: cheaper than reading six stored
 * numbers */
struct tensors {
    const struct mesh *mesh;
    const struct region *region;   /* regions with their diffusion along fibre, sheet, normal (mm^2/ms) */
    const int32_t *element_region; /* [elements] */
    const double *fiber;           /* [3] one direction for every element, or NULL */
};

/* tensor <- {xx, xy, xz, yy, yz, zz} of element e:
 *   D = d_n I + (d_l - d_n) f f' + (d_t - d_n) s s',  each d times its region->scale[][e]
 * with f the unit fibre and s the unit sheet direction made orthogonal to f. Nodal directions are averaged
 * after turning them to the side of the element's first node, because a fibre has no sign. Returns 0 if the
 * element needs a fibre (or a sheet direction, when d_t != d_n) and has none or a zero one. A line of a mixed
 * mesh is its own fibre. */
int tensor_of_element(const struct tensors *tensors, int64_t e, double tensor[6]);

/* Stiffness of element e: simplex_stiffness() times w, its section and membrane factor; of a resistor k =
 * scale g / (chi Cm), {{k, -k}, {-k, k}}. Returns w |e|, 0 of a resistor, which has no mass. */
double tensor_stiffness(const struct tensors *tensors, int64_t e, double stiffness[4][4]);

/* Whether element e is a resistor */
bool tensor_is_resistor(const struct tensors *tensors, int64_t e);

/* axis <- unit fibre, unit sheet direction and normal of element e; returns how many its region needs: 0, 1
 * or 3 */
int tensor_axes(const struct tensors *tensors, int64_t e, double axis[3][3]);

/* Check every element. Errors: STATUS_INPUT with the number of elements without a usable direction and the
 * first ones. */
enum status tensors_check(const struct tensors *tensors, struct error *error);

/* The number of anisotropic lines or triangles whose fibre is normal to them within 6 degrees: they conduct
 * as if they had none. */
int64_t tensors_across(const struct tensors *tensors);

#endif
