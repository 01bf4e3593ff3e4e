/* clusters.h: nodes that are coupled so strongly that a sweep solves them as one unknown.
 *
 * Edges far shorter than most make rows stiff, and the stiffest row determines the number of sweeps. If dt
 * |k_ij| exceeds CLUSTERS_STRONG times the smaller mass, i and j belong to one cluster C of at most
 * CLUSTERS_SOLVED nodes. With B = A_CC, its rows are replaced by B^-1 times these rows: each is one sparse
 * row, whose entries within C are 0, so that a sweep solves the cluster exactly. Row i is scaled to
 *
 *    e^_ij = d^_i (B^-1 E)_ij,   d^_i = m_i / (B^-1 m)_i,   b^_i = d^_i (B^-1 b)_i
 *
 * so that sweeps, stopping test and bounds treat it as any other row, with the diagonal d^_i. Stages use M
 * + S in place of M: of C's internal modes, K_CC v = lambda M v with the couplings in C alone, those
 * faster than 1 / tau, tau = dt / 4, are slowed down to ("held at") 1 / tau: S = sum (lambda tau - 1)+ M v
 * v' M. With theta = 1/2, where fast modes would change sign in each step, B also includes S, with tau =
 * dt / 2. Clusters held in stages are connected by edges of half that strength and have up to
 * CLUSTERS_MOST nodes. S is symmetric and S 1 = 0, so that charge is conserved and the spectrum real
 * (docs/theory/numerics.md, section 4). */
#ifndef CARDIAC_SOLVER_MATRIX_CLUSTERS_H
#define CARDIAC_SOLVER_MATRIX_CLUSTERS_H

#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/report.h"

#define CLUSTERS_HELD 0.25 /* tau / dt of stages */

/* MOST, SOLVED: maximum nodes of a cluster held in stages, and of one solved in sweeps */
enum { CLUSTERS_STRONG = 3, CLUSTERS_MOST = 16, CLUSTERS_SOLVED = 8, CLUSTERS_APART = 4 };

/* Clusters in the order of their first nodes; on a rank, nodes have the rank's numbers */
struct clusters {
    int64_t count, nodes;
    int64_t *begin; /* [count + 1] first node of each in node[] */
    int32_t *node;  /* [nodes] ascending in each */
    int32_t *slot;  /* [nodes of the mesh here] index in node[], -1 = in no cluster; NULL without clusters */
    int32_t *label; /* [nodes of the mesh here] its cluster, -1 = none; NULL without clusters */
    double (*inside)[CLUSTERS_SOLVED][CLUSTERS_SOLVED]; /* [count] S of each cluster, K >= sum S:
                                                           conduction between its nodes that does not
                                                           depend on V elsewhere; NULL if held */
    double held;                                        /* tau / dt of stages; 0 = rows are for sweeps */
    bool damped;                  /* B of sweeps includes S, with tau = theta dt, for theta = 1/2 */
    struct cluster_counts counts; /* of the whole mesh */
};

/* The clusters of a mesh and the element bounds, and results of a tissue created with them */
struct clusters_found {
    struct clusters solved, held;     /* for sweeps, and for stages; only those that the methods allowed by
                                         params.method need */
    struct element_spectrum elements; /* including the blocks of `solved` */
    bool decided;                     /* the scheme is known */
    struct monodomain_report report;  /* and this is its report (solver/step/scheme.h) */
    int32_t *order; /* [nodes] borrowed: order of the rows (ordering.h), valid if decided, else written
                       when a tissue is created; NULL = not needed */
};

/* *found <- the clusters of the whole mesh. The threshold is multiplied by the median of dt k_ii / m_i
 * over nodes of a kind if that exceeds 1, so that uniformly fine meshes have no clusters. Of larger
 * connected sets, sweeps solve only groups much stiffer than their surroundings, so that fine regions have
 * no clusters; stages hold them, cut into clusters, unless they contain more than a tenth of all nodes.
 * Nodes of resistors are in no cluster. A cluster is dropped if, for one of the lengths of a step, its
 * block, with or without S, is nearly singular or (B^-1 m)_i is near or below 0. Free *found even on
 * failure. Errors: STATUS_RUN if out of memory. */
enum status clusters_find(struct clusters_found *found, const struct tensors *tensors,
                          const struct monodomain_params *params, struct error *error);
void clusters_found_free(struct clusters_found *found);
/* *all <- the sets of nodes connected by clusters of either list; each set must be on one rank. Errors: as
 * above. */
enum status clusters_unite(struct clusters *all, const struct clusters_found *found, int64_t nodes,
                           struct error *error);
void clusters_free(struct clusters *clusters);

/* Copies clusters from rank 0 to all ranks, with node numbers of the whole mesh. Errors: as above. */
enum status clusters_broadcast(struct clusters *clusters, const struct comm *comm, struct error *error);
/* *own <- the clusters of this rank, with the rank's node numbers. Errors: as above. */
enum status clusters_select(struct clusters *own, const struct clusters *all,
                            const struct partition *partition, struct error *error);

/* matrix[n][] <- matrix + S for n nodes with these masses and couplings k[p][q], p != q */
void cluster_hold(int n, const double *mass, double k[][CLUSTERS_MOST], double tau,
                  double matrix[][CLUSTERS_MOST]);

/* Index of node i in node[]; -1 = in no cluster */
static inline int32_t cluster_slot(const struct clusters *clusters, int64_t i)
{
    return clusters && clusters->slot ? clusters->slot[i] : -1;
}

#endif
