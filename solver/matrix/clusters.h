/* clusters.h: nodes that are coupled so strongly that a sweep solves them as one unknown.
 *
 * Edges far shorter than most make rows stiff, and the worst row decides on the number of sweeps. Where dt
 * |k_ij| exceeds CLUSTERS_STRONG times the smaller mass, i and j belong to one cluster C of at most
 * CLUSTERS_SOLVED nodes. With B = A_CC, its rows are replaced by B^-1 times them: each is one sparse row, whose
 * entries within C are 0, so that a sweep solves the cluster exactly. Row i is scaled to
 *
 *   e^_ij = d^_i (B^-1 E)_ij,   d^_i = m_i / (B^-1 m)_i,   b^_i = d^_i (B^-1 b)_i
 *
 * so that sweeps, stopping test and bounds treat it as any other row, with the diagonal d^_i. Stages
 * have M + S in place of M: of C's internal modes, K_CC v = lambda M v with the couplings in C alone, those
 * faster than 1 / tau, tau = dt / 4, are held at 1 / tau: S = sum
 * (lambda tau - 1)+ M v v' M. With theta = 1/2, where fast modes would change their sign in each step, B has
 * S, too, tau = dt / 2. Clusters held in stages have edges of half that strength and up to CLUSTERS_MOST nodes. S is symmetric and S 1 = 0, so that charge is kept and the spectrum real
 * (docs/theory/numerics.md, section 4). */
#ifndef CARDIAC_SOLVER_MATRIX_CLUSTERS_H
#define CARDIAC_SOLVER_MATRIX_CLUSTERS_H

#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/report.h"

/* The largest cluster held in stages, and solved in sweeps */
#define CLUSTERS_HELD 0.25 /* tau / dt of stages */

enum { CLUSTERS_STRONG = 3, CLUSTERS_MOST = 16, CLUSTERS_SOLVED = 8, CLUSTERS_APART = 4 };

/* Clusters in the order of their first nodes; those of a rank by the rank's numbers */
struct clusters {
    int64_t count, nodes;
    int64_t *begin; /* [count + 1] the first of each in node[] */
    int32_t *node;  /* [nodes] ascending in each */
    int32_t *slot;  /* [nodes of the mesh here] index in node[], -1 = in no cluster; NULL without clusters */
    int32_t *label; /* [nodes of the mesh here] number of its cluster, -1 = none; NULL without clusters */
    double (*inside)[CLUSTERS_SOLVED][CLUSTERS_SOLVED]; /* [count] S of each, K >= sum S: what its elements
                                                           conduct between its nodes whatever V is
                                                           elsewhere; NULL if held */
    double held;                                        /* tau / dt of stages; 0 = rows are for sweeps */
    bool damped;                  /* sweeps have S, too, with tau = theta dt, for theta = 1/2 */
    struct cluster_counts counts; /* of the whole mesh */
};

/* The clusters of a mesh and the bounds by its elements, and what a tissue made with them found */
struct clusters_found {
    struct clusters solved, held; /* for sweeps, and for stages: of the methods that params.method is or may
                                     become */
    struct element_spectrum elements; /* with the blocks of `solved` */
    bool decided;                     /* whether the scheme is known, */
    struct monodomain_report report;  /* of which this is the report (solver/step/scheme.h) */
    int32_t *order; /* [nodes] of the rows (ordering.h), another's: known if decided, else written when a
                       tissue is made; NULL = not asked for */
};

/* *found <- of the whole mesh. The threshold rises with the median of dt k_ii / m_i of nodes of a kind, if
 * that exceeds 1, so that fine meshes have no clusters. Of larger connected sets only groups much stiffer
 * than their surroundings are solved, so that fine regions have no clusters; those held in stages are cut
 * into clusters, unless they have more than a tenth of all nodes. Nodes of resistors are in no cluster.
 * Clusters are dropped whose block, with or without S, is near singular or has (B^-1 m)_i near or below 0 for
 * one of the lengths of a step. Free *found in any case. Errors: STATUS_RUN without memory. */
enum status clusters_find(struct clusters_found *found, const struct tensors *tensors,
                          const struct monodomain_params *params, struct error *error);
void clusters_found_free(struct clusters_found *found);
/* *all <- the sets of nodes that clusters of either list connect: each is to be on one rank. Errors: as
 * above. */
enum status clusters_unite(struct clusters *all, const struct clusters_found *found, int64_t nodes,
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
