/* spacing.h: the effective edge length of a mesh for fronts along and across the fibres.
 *
 * A plane wave u(n.x) turns sum_j k_ij (u_j - u_i) into u'' sum k (n.d)^2 / 2 + u'''' sum k (n.d)^4 / 24 +
 * ..., d the edges from node i; odd powers cancel in the mean over nodes. A cable of edges h has the same two
 * terms when h^2 = sum_edges k (n.d)^4 / sum_edges k (n.d)^2,  and  D = sum_edges k (n.d)^2 / volume, with k
 * = -|e| grad_i . D grad_j of every element e, whose sum of k (n.d)^2 is |e| n.D n exactly. */
#ifndef CARDIAC_SOLVER_MATRIX_SPACING_H
#define CARDIAC_SOLVER_MATRIX_SPACING_H

#include "solver/matrix/tensor.h"

/* Along the fibre, across it in the sheet, across the sheet. Where a region has one diffusion across, both
 * have the mean over all directions across; an isotropic one has the mean over all in all three. The
 * diffusion is NaN where the mesh has no such direction. The edge is also NaN where the elements are so skew
 * to the fibres that negative k cancel nearly all of the fourth moment: no cable is then equivalent to the
 * mesh. */
struct spacing {
    double diffusion[3]; /* mm^2/ms, the mean over the region */
    double edge[3];      /* h, mm */
    double longest[3];   /* mm, at least h: with |k| in the fourth moment; NaN where the diffusion is */
};

/* spacing[regions] <- of each region's elements. STATUS_RUN without memory. */
enum status spacing_make(struct spacing *spacing, const struct tensors *tensors, int regions,
                         struct error *error);

#endif
