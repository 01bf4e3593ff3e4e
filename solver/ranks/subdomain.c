/* subdomain.c: the nodes and elements of each rank, and the groups of nodes with equal cells. */
#include "solver/ranks/subdomain.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* Costs of a node in units of a matrix entry: of the vectors of a sweep, and of each state of its cell */
enum { COST_ROW = 4, COST_STATE = 2 };

enum status subdomain_find_groups(int **group, int *groups, int32_t *of_node, const struct mesh *mesh,
                                  const struct monodomain_params *params, struct error *error)
{
    const int64_t nodes = mesh->nodes;
    enum status status = STATUS_OK;
    *groups = 0;
    *group = array_new(params->regions, sizeof **group, "the regions", &status, error);
    int32_t *of_region = array_new(params->regions, sizeof *of_region, "the regions", &status, error);
    TRY_DONE(status);
    if (params->node_region)
        memcpy(of_node, params->node_region, (size_t)nodes * sizeof *of_node);
    else
        mesh_node_regions(mesh, params->element_region, params->regions, of_node);
    for (int r = 0; r < params->regions; r++)
        of_region[r] = -1;
    for (int64_t i = 0; i < nodes; i++)
        of_region[of_node[i]] = 0;
    for (int r = 0; r < params->regions; r++)
        if (of_region[r] == 0) {
            of_region[r] = *groups;
            (*group)[(*groups)++] = r;
        }
    for (int64_t i = 0; i < nodes; i++)
        of_node[i] = of_region[of_node[i]];
done:
    free(of_region);
    if (status) {
        free(*group);
        *group = NULL;
    }
    return status;
}

/* The number of entries of a row is estimated from that of the node's elements: equal on a closed surface,
 * half plus two in a body (Euler's formula for the sphere around the node). */
static void count_costs(const struct monodomain_params *p, const struct mesh *mesh,
                        const struct subdomain *subdomain, int32_t *cost)
{
    memset(cost, 0, (size_t)mesh->nodes * sizeof *cost);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        cost[mesh->vertex[k]]++;
    for (int64_t i = 0; i < mesh->nodes; i++)
        cost[i] = COST_ROW +
                  COST_STATE * p->region[subdomain->group[subdomain->group_of_node[i]]].model->states +
                  (mesh->dimension == 3 ? cost[i] / 2 + 2 : cost[i]);
}

/* Allocates memory for transfers, on rank 0 finds groups, and if cost is not NULL, *cost <- [nodes] the
 * cost of each node */
static enum status prepare_partition(struct subdomain *subdomain, const struct comm *comm,
                                     const struct mesh *mesh, const struct monodomain_params *p,
                                     int32_t **cost, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    enum status status = STATUS_OK;
    subdomain->rows = array_new(SUBDOMAIN_BLOCK, SUBDOMAIN_WIDEST, what, &status, error);
    subdomain->number = array_new(SUBDOMAIN_BLOCK, sizeof *subdomain->number, what, &status, error);
    TRY(status);
    if (comm->rank > 0)
        return STATUS_OK;
    subdomain->group_of_node = array_new(mesh->nodes, sizeof(int32_t), what, &status, error);
    TRY(status);
    TRY(subdomain_find_groups(&subdomain->group, &subdomain->groups, subdomain->group_of_node, mesh, p,
                              error));
    if (comm->size == 1 || !cost)
        return STATUS_OK;
    *cost = array_new(mesh->nodes, sizeof **cost, what, &status, error);
    TRY(status);
    count_costs(p, mesh, subdomain, *cost);
    return STATUS_OK;
}

enum status subdomain_make(struct subdomain *subdomain, const struct comm *comm, const struct mesh *mesh,
                           const struct monodomain_params *p, const int32_t *owner, struct error *error)
{
    int32_t *cost = NULL;
    struct clusters sets = {0};
    const struct tensors tensors = {mesh, p->region, p->element_region, p->fiber};
    *subdomain = (struct subdomain){0};
    enum status status = prepare_partition(subdomain, comm, mesh, p, owner ? NULL : &cost, error);
    TRY_DONE(comm_agree(comm, COMM_STEPS, status, error));
    if (comm->rank == 0) {
        status = clusters_find(&subdomain->found, &tensors, p, error);
        status = status ? status : clusters_unite(&sets, &subdomain->found, mesh->nodes, error);
    }
    TRY_DONE(comm_agree(comm, COMM_STEPS, status, error));
    const struct together together = {sets.begin, sets.node, sets.count};
    status = partition_make(&subdomain->partition, comm, mesh, cost, owner, &together, error);
done:
    free(cost);
    clusters_free(&sets);
    if (status)
        subdomain_free(subdomain);
    return status;
}

void subdomain_free(struct subdomain *subdomain)
{
    partition_free(&subdomain->partition);
    clusters_found_free(&subdomain->found);
    free(subdomain->group);
    free(subdomain->group_of_node);
    free(subdomain->rows);
    free(subdomain->number);
    *subdomain = (struct subdomain){0};
}

static bool touches(const int32_t *owner, const struct mesh *mesh, int64_t e, int rank)
{
    for (int a = 0; a <= mesh->dimension; a++)
        if (owner[mesh->vertex[e * (mesh->dimension + 1) + a]] == rank)
            return true;
    return false;
}

enum status subdomain_elements(const struct subdomain *subdomain, const struct mesh *mesh, int rank,
                               int32_t **number, int64_t *count, struct error *error)
{
    static const char what[] = "the ranks' elements";
    const int32_t *owner = subdomain->partition.owner;
    int64_t elements = mesh->elements, blocks = (elements + SUBDOMAIN_BLOCK - 1) / SUBDOMAIN_BLOCK;
    enum status status = STATUS_OK;
    int64_t *begin = array_zeroed(blocks + 1, sizeof *begin, what, &status, error); /* of each block */
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t e = block * SUBDOMAIN_BLOCK; e < elements && e < (block + 1) * SUBDOMAIN_BLOCK; e++)
            begin[block + 1] += touches(owner, mesh, e, rank);
    for (int64_t block = 0; block < blocks; block++)
        begin[block + 1] += begin[block];
    *count = begin[blocks];
    int32_t *list = *number = array_new(*count, sizeof **number, what, &status, error);
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        int64_t at = begin[block];
        for (int64_t e = block * SUBDOMAIN_BLOCK; e < elements && at < begin[block + 1] && list; e++)
            if (touches(owner, mesh, e, rank))
                list[at++] = (int32_t)e;
    }
    free(begin);
    return status;
}

/* array[] of rows of `row` bytes <- its rows number[count], ascending; runs of adjacent rows are moved
 * together */
static void *keep_rows(void *array, const int32_t *number, int64_t count, size_t row)
{
    char *bytes = array;
    for (int64_t k = 0, rows; k < count && bytes; k += rows) {
        for (rows = 1; k + rows < count && number[k + rows] == number[k] + rows;)
            rows++;
        memmove(bytes + (size_t)k * row, bytes + (size_t)number[k] * row, (size_t)rows * row);
    }
    void *shrunk = bytes ? realloc(array, ((size_t)count + 1) * row) : NULL;
    return shrunk ? shrunk : array;
}

void *subdomain_keep_rows(void *array, const struct mesh *mesh, size_t row)
{
    return keep_rows(array, mesh->number, mesh->elements, row);
}

enum status subdomain_keep(const struct subdomain *subdomain, struct mesh *mesh, struct error *error)
{
    int64_t count = 0, whole = mesh->elements;
    int32_t *number = NULL;
    if (!subdomain->partition.owner)
        return STATUS_OK;
    TRY(subdomain_elements(subdomain, mesh, subdomain->partition.comm->rank, &number, &count, error));
    mesh->whole = whole;
    mesh->number = number;
    mesh->elements = count;
    mesh->vertex =
        subdomain_keep_rows(mesh->vertex, mesh, ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex);
    mesh->tag = subdomain_keep_rows(mesh->tag, mesh, sizeof *mesh->tag);
    if (mesh->fiber_location == LOCATION_ELEMENT) {
        mesh->fiber = subdomain_keep_rows(mesh->fiber, mesh, 3 * sizeof *mesh->fiber);
        mesh->sheet = subdomain_keep_rows(mesh->sheet, mesh, 3 * sizeof *mesh->sheet);
    }
    free(mesh->face);
    free(mesh->mark);
    mesh->face = mesh->mark = NULL;
    mesh->faces = 0;
    mesh_fields_free(&mesh->fields);
    return STATUS_OK;
}

/* here[nodes] of the whole mesh <- whether this rank keeps the node; returns their number */
static int64_t list_local(const struct partition *partition, const struct mesh *mesh, char *here)
{
    int64_t count = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        here[i] = partition_has(partition, i);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        here[mesh->vertex[k]] = 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        count += here[i];
    return count;
}

enum status subdomain_keep_nodes(struct subdomain *subdomain, struct mesh *mesh, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct partition *partition = &subdomain->partition;
    enum status status = STATUS_OK;
    int64_t nodes = mesh->nodes, kept = 0;
    if (!partition->owner)
        return STATUS_OK;
    char *here = array_new(nodes, 1, what, &status, error);
    int32_t *local = array_new(nodes, sizeof *local, what, &status, error);
    int64_t count = status ? 0 : list_local(partition, mesh, here);
    int32_t *number = array_new(count, sizeof *number, what, &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < nodes; i++)
        if (here[i]) {
            local[i] = (int32_t)kept;
            number[kept++] = (int32_t)i;
        }
    TRY_DONE(partition_keep(partition, number, count, error));
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        mesh->vertex[k] = local[mesh->vertex[k]];
    mesh->point = keep_rows(mesh->point, number, count, 3 * sizeof *mesh->point);
    if (mesh->fiber_location == LOCATION_NODE) {
        mesh->fiber = keep_rows(mesh->fiber, number, count, 3 * sizeof *mesh->fiber);
        mesh->sheet = keep_rows(mesh->sheet, number, count, 3 * sizeof *mesh->sheet);
    }
    mesh->whole_nodes = nodes;
    mesh->nodes = count;
    number = NULL; /* the partition's */
done:
    free(here);
    free(local);
    free(number);
    return status;
}

/* The other ranks that read each node, as linked lists; links are numbered from 1 */
struct readers {
    int32_t *first; /* [nodes] 0 = none */
    struct reader {
        int32_t rank, next;
    } * link; /* [room] */
    int64_t links, room;
};

static bool reads_already(const struct readers *readers, int32_t node, int32_t rank)
{
    int32_t k = readers->first[node];
    while (k && readers->link[k].rank != rank)
        k = readers->link[k].next;
    return k;
}

static enum status add_reader(struct readers *readers, int32_t node, int32_t rank, struct error *error)
{
    if (reads_already(readers, node, rank))
        return STATUS_OK;
    if (readers->links + 1 >= readers->room) {
        int64_t room = 2 * readers->room + 1024;
        struct reader *link = room > INT32_MAX ? NULL : realloc(readers->link, (size_t)room * sizeof *link);
        if (!link)
            return error_memory(error, "the ranks' nodes", (double)room * sizeof *link);
        readers->link = link;
        readers->room = room;
    }
    readers->link[++readers->links] = (struct reader){rank, readers->first[node]};
    readers->first[node] = (int32_t)readers->links;
    return STATUS_OK;
}

static enum status find_readers(struct readers *readers, const struct mesh *mesh, const int32_t *owner,
                                struct error *error)
{
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++)
                if (owner[vertex[a]] != owner[vertex[b]])
                    TRY(add_reader(readers, vertex[a], owner[vertex[b]], error));
    }
    return STATUS_OK;
}

/* border[ranks] <- the number of values that each rank sends: a node counts once for each rank that reads
 * it */
static void count_border(const struct readers *readers, const struct partition *p, int64_t *border)
{
    for (int64_t i = 0; i < p->nodes; i++)
        for (int32_t k = readers->first[i]; k; k = readers->link[k].next)
            border[p->owner[i]]++;
}

static void count_nodes(struct monodomain_report *report, const struct partition *p, const int64_t *border)
{
    report->nodes_least = p->nodes;
    for (int r = 0; r < report->ranks; r++) {
        int64_t own = p->of.begin[r + 1] - p->of.begin[r];
        report->nodes_least = own < report->nodes_least ? own : report->nodes_least;
        report->nodes_most = own > report->nodes_most ? own : report->nodes_most;
        report->border_most = border[r] > report->border_most ? border[r] : report->border_most;
    }
}

enum status subdomain_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                            const struct monodomain_params *params, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct comm first = *comm_alone(); /* rank 0 of `ranks`, without the others */
    struct subdomain subdomain = {0};
    struct readers readers = {0};
    int64_t *border = NULL;
    first.size = report->ranks = ranks;
    if (ranks == 1)
        return STATUS_OK;
    enum status status = subdomain_make(&subdomain, &first, mesh, params, NULL, error);
    readers.first = array_zeroed(mesh->nodes, sizeof *readers.first, what, &status, error);
    border = array_zeroed(ranks, sizeof *border, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_readers(&readers, mesh, subdomain.partition.owner, error));
    count_border(&readers, &subdomain.partition, border);
    count_nodes(report, &subdomain.partition, border);
done:
    free(border);
    free(readers.first);
    free(readers.link);
    subdomain_free(&subdomain);
    return status;
}
