/* subdomain.h: the part of a tissue on one of several ranks: its nodes, and the elements that touch them.
 *
 * Rank 0 divides the whole mesh, sends the other ranks their parts and retains its own. Nodes
 * (partition.number) and elements (mesh->number) stay in the order of the whole mesh, so that a row sums
 * its elements in that order. */
#ifndef CARDIAC_SOLVER_RANKS_SUBDOMAIN_H
#define CARDIAC_SOLVER_RANKS_SUBDOMAIN_H

#include "solver/matrix/clusters.h"
#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/params.h"
#include "solver/report.h"

/* Rows per transfer; maximum bytes per row */
enum { SUBDOMAIN_BLOCK = 1 << 14, SUBDOMAIN_WIDEST = 3 * sizeof(double) };

/* A group is the nodes of one region. *group <- [*groups] the regions that have nodes, ascending, to be
 * freed by the caller; of_node[nodes] <- the group of each node. Errors: STATUS_RUN if out of memory. */
enum status subdomain_find_groups(int **group, int *groups, int32_t *of_node, const struct mesh *mesh,
                                  const struct monodomain_params *params, struct error *error);

struct subdomain {
    struct partition partition;
    struct clusters_found found; /* of all nodes and elements, with numbers of the whole mesh */
    int *group;                  /* [groups] region of each group of the whole mesh */
    int groups;
    int32_t *group_of_node; /* [nodes] all nodes on rank 0, the local nodes on others */
    char *rows;             /* buffers of a transfer: rows, and their numbers */
    int32_t *number;
};

/* Makes the subdomains of a tissue with this mesh and these params, which only rank 0 reads; on other
 * ranks the mesh needs only its number of nodes. owner[nodes]: the rank of each node, NULL = computed
 * (solver/matrix/partition.h). Errors, the same on all ranks: STATUS_INPUT if there are fewer nodes than
 * ranks, STATUS_RUN if out of memory. */
enum status subdomain_make(struct subdomain *subdomain, const struct comm *comm, const struct mesh *mesh,
                           const struct monodomain_params *params, const int32_t *owner, struct error *error);
void subdomain_free(struct subdomain *subdomain);

/* ranks, nodes_least, nodes_most and border_most of *report <- a forecast for `ranks` ranks, computed by
 * one process. Errors: as above. */
enum status subdomain_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                            const struct monodomain_params *params, struct error *error);

/* An array with `row` bytes for each element of a mesh */
struct subdomain_array {
    void **array;
    size_t row;
};
/* On the other ranks: *mesh and beside[count] <- their parts of those of rank 0, which retains the whole:
 * the elements that touch a node of the rank, and their nodes or, with all_nodes, all nodes; without
 * marked faces and fields. Errors, the same on all ranks: STATUS_RUN if out of memory. */
enum status subdomain_scatter(struct subdomain *subdomain, struct mesh *mesh, bool all_nodes,
                              const struct subdomain_array *beside, int count, struct error *error);

/* On rank 0: *number <- the *count elements of the whole mesh that touch a node of `rank`, ascending.
 * Errors: STATUS_RUN if out of memory. */
enum status subdomain_elements(const struct subdomain *subdomain, const struct mesh *mesh, int rank,
                               int32_t **number, int64_t *count, struct error *error);
/* On rank 0: reduces the mesh to the elements that touch a node of rank 0. Errors: STATUS_RUN if out of
 * memory; nothing has changed then. */
enum status subdomain_keep(const struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* Reduces the nodes of the reduced mesh to those of its elements and the rank's own. Errors: as above. */
enum status subdomain_keep_nodes(struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* The group of node i of the reduced mesh */
static inline int32_t subdomain_group(const struct subdomain *subdomain, int64_t i)
{
    const struct partition *p = &subdomain->partition;
    return subdomain->group_of_node[p->number && p->comm->rank == 0 ? p->number[i] : i];
}
/* Reduces array[elements of the whole mesh], of `row` bytes each, to the elements of the reduced mesh;
 * returns the array */
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

/* On rank 0: value[count] <- rows first .. first + count - 1 of the whole mesh's elements or nodes,
 * requested from the other ranks unless rank 0 has all (subdomain may be NULL then) */
void subdomain_rows(const struct subdomain *subdomain, const struct mesh *mesh, enum subdomain_rows which,
                    int64_t first, int64_t count, void *value);
/* On other ranks: answers requests on COMM_FILES until rank 0 calls subdomain_end. */
void subdomain_serve(const struct subdomain *subdomain, const struct mesh *mesh);
void subdomain_end(const struct subdomain *subdomain);

/* point <- coordinates of node `number` of the whole mesh, from the reduced meshes; called by all ranks */
void subdomain_point(const struct subdomain *subdomain, const struct mesh *mesh, int64_t number,
                     double point[3]);

#endif
