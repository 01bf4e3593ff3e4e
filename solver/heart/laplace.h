/* laplace.h: Laplace's equation on a mesh, with values given at some nodes, or with a load.
 *
 * div grad u = 0, or -div(D grad u) = b, with zero flux through the rest of the boundary, linear elements, on
 * the host in fp64 and mesh order: conjugate gradients (Hestenes and Stiefel 1952) preconditioned by
 * matrix/multigrid.h, dot products summed in blocks of fixed size, so that the bits depend on the mesh alone.
 * The remaining error is |u_i - u*_i| <= (K^-1)_ii^(1/2) |u - u*|_K (Cauchy and Schwarz), the norm being
 * estimated by the sum of the last alpha_k r_k.z_k (Strakos and Tichy, ETNA 13:56, 2002) and (K^-1)_ii by 4 /
 * k_ii. */
#ifndef CARDIAC_SOLVER_HEART_LAPLACE_H
#define CARDIAC_SOLVER_HEART_LAPLACE_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/matrix/assembly.h"
#include "solver/matrix/multigrid.h"
#include "solver/mesh/mesh.h"

/* The multigrid set-up is reused if the next solution fixes the same nodes */
struct laplace {
    struct csr k;                     /* K without its diagonal, columns ascending */
    int32_t *node;                    /* [nodes] node of each row: near nodes have near rows */
    int32_t *row;                     /* [nodes] row of each node */
    int32_t *component;               /* [nodes] mesh_components */
    double *lumped;                   /* [nodes] masses, mm^dimension */
    uint8_t *fixed;                   /* [nodes] nodes fixed in the last solution; NULL after a load */
    struct aggregation_matrix matrix; /* k, with k_ii at free nodes and 0 elsewhere */
    struct multigrid multigrid;       /* points into matrix: a laplace must not be copied */
    int iterations;                   /* of the last solution */
};

enum status laplace_create(struct laplace *laplace, const struct mesh *mesh, struct error *error);
/* The same with a tensor D for each element instead of 1 */
enum status laplace_create_tensors(struct laplace *laplace, const struct tensors *tensors,
                                   struct error *error);
void laplace_free(struct laplace *laplace);

/* u[nodes]: in, the values at nodes with fixed[node] != 0; out, the solution, with an error of at most
 * 1e-10 times the range of these values. A component without a fixed node gets the lowest of them. Errors:
 * STATUS_RUN if out of memory or not converged. */
enum status laplace_solve(struct laplace *laplace, double *u, const uint8_t *fixed, struct error *error);

/* u[nodes] <- the solution of K u = load[nodes] whose mean, weighted by lumped masses, is 0. load must sum
 * to 0; the constant part of residuals is removed. |u - u*|_K <= 1e-10 |u*|_K by the same estimate.
 * Errors: STATUS_INPUT if the mesh is not connected, STATUS_RUN if out of memory or not converged, or if
 * load does not sum to 0. */
enum status laplace_solve_load(struct laplace *laplace, double *u, const double *load, struct error *error);

#endif
