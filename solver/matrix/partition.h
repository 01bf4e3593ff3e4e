/* partition.h: assigns the nodes of a mesh to ranks, and collects their values on rank 0.
 *
 * The bounding box of the nodes is cut across its longest side into halves of equal cost, recursively (M.
 * J. Berger and S. H. Bokhari, IEEE Trans. Comput. C-36 (1987) 570). The partition changes no bit of the
 * result. */
#ifndef CARDIAC_SOLVER_MATRIX_PARTITION_H
#define CARDIAC_SOLVER_MATRIX_PARTITION_H

#include <stdbool.h>

#include "kernels/device/comm.h"
#include "solver/mesh/mesh.h"

/* The nodes of each rank */
struct owners {
    int32_t *node;  /* [nodes] rank by rank, ascending within a rank */
    int64_t *begin; /* [size + 1] first node of each rank in node[] */
};

struct partition {
    const struct comm *comm;
    int64_t nodes;                 /* of the whole mesh */
    int64_t here;                  /* of this rank's mesh; the lists below refer to these */
    int32_t *number;               /* [here] numbers in the whole mesh, ascending; NULL = all */
    int32_t *owner;                /* [here] the rank of each; NULL on a single rank */
    struct owners of;              /* [here]; NULL on a single rank */
    struct owners all;             /* of the whole mesh, on rank 0 after partition_keep; else NULL */
    double *buffer[COMM_CHANNELS]; /* of transfers */
};

/* Lists of nodes that must be on one rank: list k is node[begin[k]] .. node[begin[k + 1] - 1]. */
struct together {
    const int64_t *begin;
    const int32_t *node;
    int64_t count;
};

/* Rank 0 needs the whole mesh; on the others the partition has only the number of nodes until
 * partition_set. cost[nodes]: of each node's row and cell, >= 1. given[nodes]: ranks, NULL = compute them;
 * each list goes to the rank of its first node. Errors, the same on all ranks: STATUS_INPUT if there are
 * fewer nodes than ranks or a rank gets none. */
enum status partition_make(struct partition *partition, const struct comm *comm, const struct mesh *mesh,
                           const int32_t *cost, const int32_t *given, const struct together *together,
                           struct error *error);
void partition_free(struct partition *partition);

/* On rank 0: restricts the partition to the nodes number[here], ascending, which include its own; the
 * partition takes ownership of number[]. Errors: STATUS_RUN if out of memory; nothing has changed then,
 * and the caller owns number[]. */
enum status partition_keep(struct partition *partition, int32_t *number, int64_t here, struct error *error);
/* On ranks other than 0: sets the nodes number[here] (NULL = all) and their ranks owner[here]; the
 * partition takes ownership of both. Errors: as above. */
enum status partition_set(struct partition *partition, int32_t *number, int32_t *owner, int64_t here,
                          struct error *error);

static inline bool partition_has(const struct partition *partition, int64_t node)
{
    return !partition->owner || partition->owner[node] == partition->comm->rank;
}

/* The number of a node in the whole mesh; and the local node with a given number, -1 = none */
static inline int64_t partition_number(const struct partition *partition, int64_t node)
{
    return partition->number ? partition->number[node] : node;
}
int64_t partition_find(const struct partition *partition, int64_t number);
/* The first local node whose number is at least `number` */
int64_t partition_from(const struct partition *partition, int64_t number);

/* The number of nodes whose values this rank holds, in mesh order: all nodes on rank 0, its own on others */
static inline int64_t partition_held(const struct partition *p)
{
    int rank = p->comm->rank;
    return !p->owner || rank == 0 ? p->nodes : p->of.begin[rank + 1] - p->of.begin[rank];
}

/* value[held * width] on rank 0 <- the values held by all ranks */
void partition_collect(const struct partition *partition, enum comm_channel channel, int64_t width,
                       double *value);
/* value[count] on all ranks <- for each value the bits of the one rank that has it; the others pass 0 */
void partition_share(const struct partition *partition, enum comm_channel channel, double *value,
                     int64_t count);

#endif
