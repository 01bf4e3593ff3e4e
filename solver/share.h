/* share.h: the part of a tissue that one of several ranks steps: its nodes, and the elements that touch them.
 *
 * All ranks make it of the whole mesh and keep of that what they need. Nodes keep their numbers; so do
 * elements (mesh->number), and a row still sums them in the mesh's order. */
#ifndef CARDIAC_SOLVER_SHARE_H
#define CARDIAC_SOLVER_SHARE_H

#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/params.h"

struct share {
    struct partition partition;
    struct element_spectrum elements; /* of all elements */
    int32_t *node_region;             /* [nodes] as in params.h, of all nodes */
};

/* For a tissue of that mesh and those params; owner[nodes] the rank of each node, NULL = as
 * solver/matrix/partition.h makes it. Errors, the same on all ranks: STATUS_INPUT with fewer nodes than
 * ranks, STATUS_RUN without memory. */
enum status share_make(struct share *share, const struct comm *comm, const struct mesh *mesh,
                       const struct monodomain_params *params, const int32_t *owner, struct error *error);
void share_free(struct share *share);

/* mesh <- its elements that touch a node of this rank; what lies on marked faces and in fields goes. Errors:
 * STATUS_RUN without memory, and nothing has changed. */
enum status share_keep(const struct share *share, struct mesh *mesh, struct error *error);
/* array[elements of the whole mesh] of rows of so many bytes <- those rows that such a mesh has kept */
void *share_keep_rows(void *array, const struct mesh *mesh, size_t row);

#endif
