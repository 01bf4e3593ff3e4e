/* partition.h: which rank has which nodes of a mesh, and the way of their values to rank 0.
 *
 * The box around the nodes is cut across its longest side into halves of equal cost, and so on (M. J. Berger
 * and S. H. Bokhari, IEEE Trans. Comput. C-36 (1987) 570). It moves rows from rank to rank, never a bit of
 * the result. */
#ifndef CARDIAC_SOLVER_MATRIX_PARTITION_H
#define CARDIAC_SOLVER_MATRIX_PARTITION_H

#include <stdbool.h>

#include "kernels/device/comm.h"
#include "solver/mesh/mesh.h"

/* Who has each node, and in what order */
struct owners {
    int32_t *node;  /* [nodes] rank after rank, those of one ascending */
    int64_t *begin; /* [size + 1] of each rank's in node[] */
};

struct partition {
    const struct comm *comm;
    int64_t nodes;     /* of the whole mesh */
    int64_t here;      /* of the mesh that this rank has kept, whose numbers the lists below have */
    int32_t *number;   /* [here] which of the whole mesh's they are, ascending; NULL = all */
    int32_t *owner;    /* [here] the rank of each; NULL = there is one */
    struct owners of;  /* [here]; NULL, too */
    struct owners all; /* of the whole mesh, of rank 0 where it has kept a part; else NULL */
    double *block[COMM_CHANNELS]; /* values on their way */
};

/* Of rank 0, which has the whole mesh; of the others, until partition_take, only how many nodes it has.
 * cost[nodes] what each node's row and cell take, >= 1. given[nodes] a partition instead of one that is made,
 * NULL = none. Errors, the same on all ranks: STATUS_INPUT with fewer nodes than ranks. */
enum status partition_make(struct partition *partition, const struct comm *comm, const struct mesh *mesh,
                           const int32_t *cost, const int32_t *given, struct error *error);
void partition_free(struct partition *partition);

/* Of rank 0: partition <- of those nodes alone, which become the partition's: number[here], ascending, its
 * own among them. Errors: STATUS_RUN without memory, and nothing has changed, number[] is the caller's. */
enum status partition_keep(struct partition *partition, int32_t *number, int64_t here, struct error *error);
/* Of another rank than 0: the nodes that it has, which number[here] (NULL = all) and owner[here] tell; both
 * become the partition's. Errors: as above. */
enum status partition_take(struct partition *partition, int32_t *number, int32_t *owner, int64_t here,
                           struct error *error);

static inline bool partition_has(const struct partition *partition, int64_t node)
{
    return !partition->owner || partition->owner[node] == partition->comm->rank;
}

/* Which of the whole mesh's nodes that is; and where node `number` of those is here, -1 = it is not */
static inline int64_t partition_number(const struct partition *partition, int64_t node)
{
    return partition->number ? partition->number[node] : node;
}
int64_t partition_find(const struct partition *partition, int64_t number);
/* The first here whose number is not below that */
int64_t partition_from(const struct partition *partition, int64_t number);

/* Of how many nodes this rank holds values, in mesh order: rank 0 of all, each other of its own */
static inline int64_t partition_held(const struct partition *p)
{
    int rank = p->comm->rank;
    return !p->owner || rank == 0 ? p->nodes : p->of.begin[rank + 1] - p->of.begin[rank];
}

/* value[held * width] of rank 0 <- what every rank holds of its own nodes */
void partition_collect(const struct partition *partition, enum comm_channel channel, int64_t width,
                       double *value);

#endif
