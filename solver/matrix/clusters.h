/* clusters.h: nodes that are coupled so strongly that a sweep solves them as one unknown.
 *
 * Edges far shorter than most make rows stiff, and the worst row decides on the number of sweeps. Where dt
 * |k_ij| exceeds CLUSTERS_STRONG times the smaller mass, i and j belong to one cluster C of at most
 * CLUSTERS_MOST nodes. With B = A_CC, its rows are replaced by B^-1 times them: each is one sparse row, whose
 * entries within C are 0, so that a sweep solves the cluster exactly. Row i is scaled to
 *
 *   e^_ij = d^_i (B^-1 E)_ij,   d^_i = m_i / (B^-1 m)_i,   b^_i = d^_i (B^-1 b)_i
 *
 * so that sweeps, stopping test and bounds treat it as any other row, with the diagonal d^_i. Explicit steps
 * have M + S in place of M: of C's internal modes, K_CC v = lambda M v with the couplings in C alone, those
 * faster than 1 / tau, tau = dt / 4 with stages and dt with Euler's step, are held at 1 / tau: S = sum
 * (lambda tau - 1)+ M v v' M. With theta = 1/2, where fast modes would change their sign in each step, B has
 * S, too, tau = dt / 2. S is symmetric and S 1 = 0, so that charge is kept and the spectrum real
 * (docs/theory/numerics.md, section 4). */
#ifndef CARDIAC_SOLVER_MATRIX_CLUSTERS_H
#define CARDIAC_SOLVER_MATRIX_CLUSTERS_H

#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/report.h"

enum { CLUSTERS_STRONG = 3, CLUSTERS_MOST = 8, CLUSTERS_CUT = 64, CLUSTERS_APART = 4 };

/* Clusters in the order of their first nodes; those of a rank by the rank's numbers */
struct clusters {
    int64_t count, nodes;
    int64_t *begin; /* [count + 1] the first of each in node[] */
    int32_t *node;  /* [nodes] ascending in each */
    int32_t *slot;  /* [nodes of the mesh here] index in node[], -1 = in no cluster; NULL without clusters */
    int32_t *label; /* [nodes of the mesh here] number of its cluster, -1 = none; NULL without clusters */
    double (*inside)[CLUSTERS_MOST][CLUSTERS_MOST]; /* [count] S of each, K >= sum S: what its elements
                                                       conduct between its nodes whatever V is elsewhere */
    double held;                                    /* tau / dt of explicit steps; 0 = rows are for sweeps */
    bool damped;                  /* sweeps have S, too, with tau = theta dt, for theta = 1/2 */
    struct cluster_counts counts; /* of the whole mesh */
};

/* The result of clusters_bound() */
struct clusters_found {
    struct clusters clusters;
    struct element_spectrum elements;
};

/* *clusters <- of the whole mesh, *elements <- its bounds, with the blocks of clusters. The threshold rises
 * with the median of dt k_ii / m_i of nodes of a kind, if that exceeds 1, so that fine meshes have no
 * clusters; of larger connected sets only groups much stiffer than their surroundings become clusters, so
 * that fine regions have none. Nodes of resistors are in no cluster. Clusters are dropped whose block, with
 * or without S, is near singular or has (B^-1 m)_i near or below 0 for one of the lengths of a step. Errors:
 * STATUS_RUN without memory. */
enum status clusters_bound(struct clusters *clusters, struct element_spectrum *elements,
                           const struct tensors *tensors, const struct monodomain_params *params,
                           struct error *error);
void clusters_free(struct clusters *clusters);

/* clusters on all ranks <- those of rank 0, by the numbers of the whole mesh. Errors: as above. */
enum status clusters_broadcast(struct clusters *clusters, const struct comm *comm, struct error *error);
/* *own <- those of this rank, by its numbers. Errors: as above. */
enum status clusters_select(struct clusters *own, const struct clusters *all,
                            const struct partition *partition, struct error *error);

/* matrix[n][] <- matrix + S of n nodes with these masses and the couplings k[p][q], p != q, among them */
void cluster_hold(int n, const double *mass, double k[][CLUSTERS_MOST], double tau,
                  double matrix[][CLUSTERS_MOST]);

/* Where node i is in node[]; -1 = in no cluster */
static inline int32_t cluster_slot(const struct clusters *clusters, int64_t i)
{
    return clusters && clusters->slot ? clusters->slot[i] : -1;
}

#endif
