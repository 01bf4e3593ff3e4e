/* subdomain.h: the part of a tissue on one of several ranks: its nodes, and the elements that touch them.
 *
 * Rank 0 divides the whole mesh, sends the other ranks their parts and keeps its own. Nodes
 * (partition.number) and elements (mesh->number) stay in the order of the whole mesh, so that a row sums its
 * elements in that order. */
#ifndef CARDIAC_SOLVER_RANKS_SUBDOMAIN_H
#define CARDIAC_SOLVER_RANKS_SUBDOMAIN_H

#include "solver/matrix/clusters.h"
#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/params.h"
#include "solver/report.h"

/* Rows of a transfer; the most bytes of one */
enum { SUBDOMAIN_BLOCK = 1 << 14, SUBDOMAIN_WIDEST = 3 * sizeof(double) };

/* A group: the nodes of one region. *group <- [*groups] the regions with nodes, ascending, to be freed;
 * of_node[nodes] <- the group of each node. Errors: STATUS_RUN without memory. */
enum status subdomain_find_groups(int **group, int *groups, int32_t *of_node, const struct mesh *mesh,
                                  const struct monodomain_params *params, struct error *error);

struct subdomain {
    struct partition partition;
    struct clusters_found found; /* of all nodes and elements, by the numbers of the whole mesh */
    int *group;                  /* [groups] region of each, of all nodes */
    int groups;
    int32_t *group_of_node; /* [nodes] all on rank 0, their own on others */
    char *rows;             /* of a transfer, and their numbers */
    int32_t *number;
};

/* For a tissue of that mesh and those params, which only rank 0 reads; on other ranks the mesh needs only its
 * number of nodes. owner[nodes]: the rank of each node, NULL = by solver/matrix/partition.h. Errors, the same
 * on all ranks: STATUS_INPUT with fewer nodes than ranks, STATUS_RUN without memory. */
enum status subdomain_make(struct subdomain *subdomain, const struct comm *comm, const struct mesh *mesh,
                           const struct monodomain_params *params, const int32_t *owner, struct error *error);
void subdomain_free(struct subdomain *subdomain);

/* ranks, nodes_least, nodes_most and border_most of *report <- a forecast for `ranks` ranks, by one process.
 * Errors: as above. */
enum status subdomain_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                            const struct monodomain_params *params, struct error *error);

/* An array with `row` bytes for each element of a mesh */
struct subdomain_array {
    void **array;
    size_t row;
};
/* mesh and arrays of the other ranks <- their parts of those of rank 0, which keeps the whole: the elements
 * that touch a node of the rank, their nodes or all_nodes, no marked faces, no fields. Errors, the same on
 * all ranks: STATUS_RUN without memory. */
enum status subdomain_scatter(struct subdomain *subdomain, struct mesh *mesh, bool all_nodes,
                              const struct subdomain_array *beside, int count, struct error *error);

/* On rank 0: *number <- the *count elements of the whole mesh that touch a node of that rank, ascending.
 * Errors: STATUS_RUN without memory. */
enum status subdomain_elements(const struct subdomain *subdomain, const struct mesh *mesh, int rank,
                               int32_t **number, int64_t *count, struct error *error);
/* On rank 0: reduces the mesh to its own such elements. Errors: STATUS_RUN without memory; nothing has
 * changed then. */
enum status subdomain_keep(const struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* Reduces the nodes of that mesh to those of its elements and the rank's own. Errors: as above. */
enum status subdomain_keep_nodes(struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* The group of node i of the reduced mesh */
static inline int32_t subdomain_group(const struct subdomain *subdomain, int64_t i)
{
    const struct partition *p = &subdomain->partition;
    return subdomain->group_of_node[p->number && p->comm->rank == 0 ? p->number[i] : i];
}
/* array[elements of the whole mesh] of `row` bytes each <- the rows of the elements of the reduced mesh */
void *subdomain_keep_rows(void *array, const struct mesh *mesh, size_t row);

/* The arrays of a mesh that rank 0 may request: one row per element or node */
enum subdomain_rows {
    SUBDOMAIN_POINTS,
    SUBDOMAIN_VERTICES,
    SUBDOMAIN_TAGS,
    SUBDOMAIN_FIBERS,
    SUBDOMAIN_SHEETS,
    SUBDOMAIN_END
};

/* On rank 0: value[count] <- the rows of elements or nodes first .. first + count - 1 of the whole mesh,
 * requested from the other ranks unless it has all (subdomain may be NULL then) */
void subdomain_rows(const struct subdomain *subdomain, const struct mesh *mesh, enum subdomain_rows which,
                    int64_t first, int64_t count, void *value);
/* On other ranks: answers requests on COMM_FILES until rank 0 calls subdomain_end. */
void subdomain_serve(const struct subdomain *subdomain, const struct mesh *mesh);
void subdomain_end(const struct subdomain *subdomain);

/* point <- that of node `number` of the whole mesh, from the reduced meshes; all ranks call this */
void subdomain_point(const struct subdomain *subdomain, const struct mesh *mesh, int64_t number,
                     double point[3]);

#endif
