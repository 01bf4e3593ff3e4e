/* partition.h: the rank of each node of a mesh, and the collection of their values on rank 0.
 *
 * The box around the nodes is cut across its longest side into halves of equal cost, recursively (M. J.
 * Berger and S. H. Bokhari, IEEE Trans. Comput. C-36 (1987) 570). The partition changes no bit of the result.
 */
#ifndef CARDIAC_SOLVER_MATRIX_PARTITION_H
#define CARDIAC_SOLVER_MATRIX_PARTITION_H

#include <stdbool.h>

#include "kernels/device/comm.h"
#include "solver/mesh/mesh.h"

/* The nodes of each rank */
struct owners {
    int32_t *node;  /* [nodes] rank by rank, ascending within a rank */
    int64_t *begin; /* [size + 1] the first of each rank in node[] */
};

struct partition {
    const struct comm *comm;
    int64_t nodes;                 /* of the whole mesh */
    int64_t here;                  /* of this rank's mesh, which the lists below refer to */
    int32_t *number;               /* [here] their numbers in the whole mesh, ascending; NULL = all */
    int32_t *owner;                /* [here] the rank of each; NULL on a single rank */
    struct owners of;              /* [here]; NULL on a single rank */
    struct owners all;             /* of the whole mesh, on rank 0 after partition_keep; else NULL */
    double *buffer[COMM_CHANNELS]; /* of transfers */
};

/* Lists of nodes, each to be on one rank: list k is node[begin[k]] up to node[begin[k + 1]]. */
struct together {
    const int64_t *begin;
    const int32_t *node;
    int64_t count;
};

/* On rank 0, with the whole mesh; on the others, until partition_set, the partition has only the number of
 * nodes. cost[nodes]: of each node's row and cell, >= 1. given[nodes]: the ranks, NULL = compute them; each
 * list goes to the rank of its first node. Errors, the same on all ranks: STATUS_INPUT with fewer nodes than
 * ranks, or if a rank gets none. */
enum status partition_make(struct partition *partition, const struct comm *comm, const struct mesh *mesh,
                           const int32_t *cost, const int32_t *given, const struct together *together,
                           struct error *error);
void partition_free(struct partition *partition);

/* On rank 0: reduce to the nodes number[here], ascending, which include its own; the partition owns number[]
 * afterwards. Errors: STATUS_RUN without memory; nothing has changed then, and the caller owns number[]. */
enum status partition_keep(struct partition *partition, int32_t *number, int64_t here, struct error *error);
/* On other ranks than 0: set its nodes number[here] (NULL = all) and their ranks owner[here]; the partition
 * owns both afterwards. Errors: as above. */
enum status partition_set(struct partition *partition, int32_t *number, int32_t *owner, int64_t here,
                          struct error *error);

static inline bool partition_has(const struct partition *partition, int64_t node)
{
    return !partition->owner || partition->owner[node] == partition->comm->rank;
}

/* The number of a node in the whole mesh; and the node here with such a number, -1 = none */
static inline int64_t partition_number(const struct partition *partition, int64_t node)
{
    return partition->number ? partition->number[node] : node;
}
int64_t partition_find(const struct partition *partition, int64_t number);
/* The first node here whose number is at least `number` */
int64_t partition_from(const struct partition *partition, int64_t number);

/* The number of nodes whose values this rank holds, in mesh order: all on rank 0, its own on the others */
static inline int64_t partition_held(const struct partition *p)
{
    int rank = p->comm->rank;
    return !p->owner || rank == 0 ? p->nodes : p->of.begin[rank + 1] - p->of.begin[rank];
}

/* value[held * width] of rank 0 <- the values that every rank holds */
void partition_collect(const struct partition *partition, enum comm_channel channel, int64_t width,
                       double *value);
/* value[count] of all ranks <- the bits of the one rank that has each; the others have 0 */
void partition_share(const struct partition *partition, enum comm_channel channel, double *value,
                     int64_t count);

#endif
