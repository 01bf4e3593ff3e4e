/* subdomain.h: the part of a tissue that one of several ranks steps: its nodes, and the elements that touch
 * them.
 *
 * Rank 0 makes all parts of the whole mesh, hands out the others' and keeps its own, in the same order: nodes
 * (partition.number) and elements (mesh->number), so that a row still sums them in the mesh's order. */
#ifndef CARDIAC_SOLVER_SHARE_H
#define CARDIAC_SOLVER_SHARE_H

#include "solver/ranks/groups.h"
#include "solver/matrix/partition.h"
#include "solver/matrix/spectrum.h"
#include "solver/params.h"
#include "solver/report.h"

enum {
    SUBDOMAIN_BLOCK = 1 << 14,
    SUBDOMAIN_WIDEST = 3 * sizeof(double)
}; /* rows on their way; bytes of one */

struct subdomain {
    struct partition partition;
    struct element_spectrum elements; /* of all elements */
    struct group *group; /* [groups] of all nodes; node is rank 0's to know, of others group[g].node = g */
    int groups;
    int32_t *group_of_node; /* [nodes]: of rank 0 all, of others those they have */
    char *rows;             /* on their way to a rank, and their numbers */
    int32_t *number;
};

/* For a tissue of that mesh and those params, which are rank 0's to give; the others know how many nodes it
 * has. owner[nodes] the rank of each node, NULL = as solver/matrix/partition.h makes it. Errors, the same on
 * all ranks: STATUS_INPUT with fewer nodes than ranks, STATUS_RUN without memory. */
enum status subdomain_make(struct subdomain *subdomain, const struct comm *comm, const struct mesh *mesh,
                           const struct monodomain_params *params, const int32_t *owner, struct error *error);
void subdomain_free(struct subdomain *subdomain);

/* ranks, nodes_least, nodes_most and border_most of *report <- what so many would say of theirs; one process
 * finds it out. Errors: as above. */
enum status subdomain_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                            const struct monodomain_params *params, struct error *error);

/* An array beside a mesh, rows of so many bytes for its elements */
struct subdomain_array {
    void **array;
    size_t row;
};
/* mesh and those arrays of the other ranks <- their parts of rank 0's, which keeps all: the elements that
 * touch a node of the rank, their nodes or all_nodes, no marked faces, no fields. Errors, the same on all
 * ranks: STATUS_RUN without memory. */
enum status subdomain_scatter(struct subdomain *subdomain, struct mesh *mesh, bool all_nodes,
                              const struct subdomain_array *beside, int count, struct error *error);

/* Of rank 0: *number <- which elements of the whole mesh touch a node of that rank, ascending, *count of
 * them. Errors: STATUS_RUN without memory. */
enum status subdomain_elements(const struct subdomain *subdomain, const struct mesh *mesh, int rank,
                               int32_t **number, int64_t *count, struct error *error);
/* Of rank 0: mesh <- such elements of its own alone. Errors: STATUS_RUN without memory, and nothing has
 * changed. */
enum status subdomain_keep(const struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* mesh, of such elements, <- their nodes and its own alone. Errors: as above. */
enum status subdomain_keep_nodes(struct subdomain *subdomain, struct mesh *mesh, struct error *error);
/* The group of node i of the mesh that was kept */
static inline int32_t subdomain_group(const struct subdomain *subdomain, int64_t i)
{
    const struct partition *p = &subdomain->partition;
    return subdomain->group_of_node[p->number && p->comm->rank == 0 ? p->number[i] : i];
}
/* array[elements of the whole mesh] of rows of so many bytes <- those rows that such a mesh has kept */
void *subdomain_keep_rows(void *array, const struct mesh *mesh, size_t row);

/* What rank 0 asks for: rows of the mesh's arrays, one an element or, as the mesh has them, a node */
enum subdomain_rows {
    SUBDOMAIN_POINTS,
    SUBDOMAIN_VERTICES,
    SUBDOMAIN_TAGS,
    SUBDOMAIN_FIBERS,
    SUBDOMAIN_SHEETS,
    SUBDOMAIN_END
};

/* Of rank 0: value[count] <- those of elements or nodes first .. first + count - 1 of the whole mesh, with
 * the help of the others unless it has all (subdomain may be NULL then) */
void subdomain_rows(const struct subdomain *subdomain, const struct mesh *mesh, enum subdomain_rows which,
                    int64_t first, int64_t count, void *value);
/* The others help, on COMM_FILES, until rank 0 ends it. */
void subdomain_serve(const struct subdomain *subdomain, const struct mesh *mesh);
void subdomain_end(const struct subdomain *subdomain);

/* point <- where node `number` of the whole mesh is, of a mesh that has the kept points; all ranks ask */
void subdomain_point(const struct subdomain *subdomain, const struct mesh *mesh, int64_t number,
                     double point[3]);

#endif
