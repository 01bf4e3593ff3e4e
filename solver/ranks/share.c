/* share.c: what nodes cost, who gets them, and which elements that takes. */
#include "solver/ranks/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* Costs of a node beside an entry of its row: a sweep's vectors, and a state of its cell, about */
enum { COST_ROW = 4, COST_STATE = 2 };

/* Entries of a row are counted from the node's elements: on a closed surface as many, and in a body half as
 * many and two (Euler's formula for the sphere around the node). */
static void count_costs(const struct monodomain_params *p, const struct mesh *mesh, const struct share *share,
                        int32_t *cost)
{
    memset(cost, 0, (size_t)mesh->nodes * sizeof *cost);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        cost[mesh->vertex[k]]++;
    for (int64_t i = 0; i < mesh->nodes; i++)
        cost[i] = COST_ROW +
                  COST_STATE * p->region[share->group[share->group_of_node[i]].region].model->states +
                  (mesh->dimension == 3 ? cost[i] / 2 + 2 : cost[i]);
}

static enum status find_groups(struct share *share, const struct mesh *mesh,
                               const struct monodomain_params *p, struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *group = array_new(mesh->nodes, sizeof *group, "the ranks' nodes", &status, error);
    share->group_of_node = group;
    if (status)
        return status;
    if (p->node_region)
        memcpy(group, p->node_region, (size_t)mesh->nodes * sizeof *group);
    else
        mesh_node_regions(mesh, p->element_region, p->regions, group);
    return groups_find(&share->group, &share->groups, group, mesh->nodes, p, error);
}

enum status share_make(struct share *share, const struct comm *comm, const struct mesh *mesh,
                       const struct monodomain_params *p, const int32_t *owner, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    enum status status = STATUS_OK;
    int32_t *cost = NULL;
    const struct tensors tensors = {mesh, p->region, p->element_region, p->fiber};
    const double theta_dt = (params_explicit(p) ? 1 : p->theta) * p->step;
    *share = (struct share){0};
    share->rows = array_new(SHARE_BLOCK, SHARE_WIDEST, what, &status, error);
    share->number = array_new(SHARE_BLOCK, sizeof *share->number, what, &status, error);
    if (comm->rank == 0)
        AND(find_groups(share, mesh, p, error));
    if (!status && comm->size > 1 && comm->rank == 0 && !owner)
        cost = array_new(mesh->nodes, sizeof *cost, what, &status, error);
    if (cost)
        count_costs(p, mesh, share, cost);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (!status && comm->rank == 0)
        share->elements = spectrum_elements(&tensors, p->mass_lumping, theta_dt);
    AND(partition_make(&share->partition, comm, mesh, cost, owner, error));
    free(cost);
    if (status)
        share_free(share);
    return status;
}

void share_free(struct share *share)
{
    partition_free(&share->partition);
    free(share->group);
    free(share->group_of_node);
    free(share->rows);
    free(share->number);
    *share = (struct share){0};
}

static bool touches(const int32_t *owner, const struct mesh *mesh, int64_t e, int rank)
{
    for (int a = 0; a <= mesh->dimension; a++)
        if (owner[mesh->vertex[e * (mesh->dimension + 1) + a]] == rank)
            return true;
    return false;
}

enum status share_elements(const struct share *share, const struct mesh *mesh, int rank, int32_t **number,
                           int64_t *count, struct error *error)
{
    static const char what[] = "the ranks' elements";
    const int32_t *owner = share->partition.owner;
    int64_t elements = mesh->elements, blocks = (elements + SHARE_BLOCK - 1) / SHARE_BLOCK;
    enum status status = STATUS_OK;
    int64_t *begin = array_zeroed(blocks + 1, sizeof *begin, what, &status, error); /* of each block's */
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t e = block * SHARE_BLOCK; e < elements && e < (block + 1) * SHARE_BLOCK; e++)
            begin[block + 1] += touches(owner, mesh, e, rank);
    for (int64_t block = 0; block < blocks; block++)
        begin[block + 1] += begin[block];
    *count = begin[blocks];
    int32_t *list = *number = array_new(*count, sizeof **number, what, &status, error);
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        int64_t at = begin[block];
        for (int64_t e = block * SHARE_BLOCK; e < elements && at < begin[block + 1] && list; e++)
            if (touches(owner, mesh, e, rank))
                list[at++] = (int32_t)e;
    }
    free(begin);
    return status;
}

/* array[] of rows of so many bytes <- those of number[count], which ascend: they move to the front,
 * neighbours together, or stay */
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

void *share_keep_rows(void *array, const struct mesh *mesh, size_t row)
{
    return keep_rows(array, mesh->number, mesh->elements, row);
}

enum status share_keep(const struct share *share, struct mesh *mesh, struct error *error)
{
    int64_t count = 0, whole = mesh->elements;
    int32_t *number = NULL;
    if (!share->partition.owner)
        return STATUS_OK;
    enum status status = share_elements(share, mesh, share->partition.comm->rank, &number, &count, error);
    if (status)
        return status;
    mesh->whole = whole;
    mesh->number = number;
    mesh->elements = count;
    mesh->vertex = share_keep_rows(mesh->vertex, mesh, ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex);
    mesh->tag = share_keep_rows(mesh->tag, mesh, sizeof *mesh->tag);
    if (mesh->fiber_location == LOCATION_ELEMENT) {
        mesh->fiber = share_keep_rows(mesh->fiber, mesh, 3 * sizeof *mesh->fiber);
        mesh->sheet = share_keep_rows(mesh->sheet, mesh, 3 * sizeof *mesh->sheet);
    }
    free(mesh->face);
    free(mesh->mark);
    mesh->face = mesh->mark = NULL;
    mesh->faces = 0;
    mesh_fields_free(&mesh->fields);
    return STATUS_OK;
}

/* here[nodes] of the whole mesh <- whether each has a place here; returns how many have */
static int64_t list_kept(const struct partition *partition, const struct mesh *mesh, char *here)
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

enum status share_keep_nodes(struct share *share, struct mesh *mesh, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct partition *partition = &share->partition;
    enum status status = STATUS_OK;
    int64_t nodes = mesh->nodes, kept = 0;
    if (!partition->owner)
        return STATUS_OK;
    char *here = array_new(nodes, 1, what, &status, error);
    int32_t *place = array_new(nodes, sizeof *place, what, &status, error);
    int64_t count = status ? 0 : list_kept(partition, mesh, here);
    int32_t *number = array_new(count, sizeof *number, what, &status, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        if (here[i]) {
            place[i] = (int32_t)kept;
            number[kept++] = (int32_t)i;
        }
    AND(partition_keep(partition, number, count, error));
    free(here);
    if (status) {
        free(place);
        free(number);
        return status;
    }
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        mesh->vertex[k] = place[mesh->vertex[k]];
    free(place);
    mesh->point = keep_rows(mesh->point, number, count, 3 * sizeof *mesh->point);
    if (mesh->fiber_location == LOCATION_NODE) {
        mesh->fiber = keep_rows(mesh->fiber, number, count, 3 * sizeof *mesh->fiber);
        mesh->sheet = keep_rows(mesh->sheet, number, count, 3 * sizeof *mesh->sheet);
    }
    mesh->whole_nodes = nodes;
    mesh->nodes = count;
    return STATUS_OK;
}

struct request {
    int64_t which, first, count;
};

/* The array that is asked for, and the bytes of its rows */
static char *array_of(const struct mesh *mesh, int64_t which, size_t *row)
{
    *row = which == SHARE_VERTICES ? ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex
           : which == SHARE_TAGS   ? sizeof *mesh->tag
                                   : 3 * sizeof *mesh->fiber;
    return which == SHARE_POINTS     ? (char *)mesh->point
           : which == SHARE_VERTICES ? (char *)mesh->vertex
           : which == SHARE_TAGS     ? (char *)mesh->tag
           : which == SHARE_FIBERS   ? (char *)mesh->fiber
                                     : (char *)mesh->sheet;
}

/* Whether its rows are the nodes' */
static bool is_of_nodes(const struct mesh *mesh, int64_t which)
{
    return which == SHARE_POINTS ||
           (which != SHARE_VERTICES && which != SHARE_TAGS && mesh->fiber_location == LOCATION_NODE);
}

/* The first element here whose number is not below that */
static int64_t first_from(const struct mesh *mesh, int64_t number)
{
    int64_t low = 0, high = mesh->elements;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (mesh->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* rows[] and number[] <- of the elements asked for those whose first vertex is this rank's: each is one's */
static int64_t find_element_rows(const struct share *share, const struct mesh *mesh,
                                 const struct request *request)
{
    const struct partition *partition = &share->partition;
    size_t row, corners = (size_t)mesh->dimension + 1;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, e = first_from(mesh, request->first);
    for (; e < mesh->elements && mesh->number[e] < request->first + request->count; e++) {
        const int32_t *vertex = mesh->vertex + (size_t)e * corners;
        int32_t *to = (int32_t *)(void *)(share->rows + (size_t)found * row);
        if (!partition_has(partition, vertex[0]))
            continue;
        memcpy(to, array + (size_t)e * row, row);
        for (size_t a = 0; a < corners && request->which == SHARE_VERTICES; a++)
            to[a] = (int32_t)partition_number(partition, vertex[a]);
        share->number[found++] = mesh->number[e];
    }
    return found;
}

/* The same of nodes that are this rank's */
static int64_t find_node_rows(const struct share *share, const struct mesh *mesh,
                              const struct request *request)
{
    const struct partition *partition = &share->partition;
    size_t row;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, end = request->first + request->count;
    for (int64_t i = partition_from(partition, request->first);
         i < mesh->nodes && partition_number(partition, i) < end; i++)
        if (partition_has(partition, i)) {
            memcpy(share->rows + (size_t)found * row, array + (size_t)i * row, row);
            share->number[found++] = (int32_t)partition_number(partition, i);
        }
    return found;
}

static int64_t find_rows(const struct share *share, const struct mesh *mesh, const struct request *request)
{
    return is_of_nodes(mesh, request->which) ? find_node_rows(share, mesh, request)
                                             : find_element_rows(share, mesh, request);
}

/* Rank r's rows: found here, or sent */
static void fetch_rows(const struct share *share, const struct mesh *mesh, const struct request *request,
                       int r, char *value)
{
    const struct comm *comm = share->partition.comm;
    size_t row;
    int64_t found;
    array_of(mesh, request->which, &row);
    if (r == 0) {
        found = find_rows(share, mesh, request);
    } else {
        comm->engine->receive(comm, COMM_FILES, r, &found, sizeof found);
        comm->engine->receive(comm, COMM_FILES, r, share->number, (size_t)found * sizeof *share->number);
        comm->engine->receive(comm, COMM_FILES, r, share->rows, (size_t)found * row);
    }
    for (int64_t k = 0; k < found; k++)
        memcpy(value + (size_t)(share->number[k] - request->first) * row, share->rows + (size_t)k * row, row);
}

void share_rows(const struct share *share, const struct mesh *mesh, enum share_rows which, int64_t first,
                int64_t count, void *value)
{
    size_t row;
    char *to = value, *array = array_of(mesh, which, &row);
    bool whole = is_of_nodes(mesh, which) ? !mesh->whole_nodes : !mesh->number;
    if (whole)
        memcpy(to, array + (size_t)first * row, (size_t)count * row);
    for (int64_t at = first; at < first + count && !whole; at += SHARE_BLOCK, to += SHARE_BLOCK * row) {
        const struct comm *comm = share->partition.comm;
        struct request request = {which, at,
                                  first + count - at < SHARE_BLOCK ? first + count - at : SHARE_BLOCK};
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
        for (int r = 0; r < comm->size; r++)
            fetch_rows(share, mesh, &request, r, to);
    }
}

void share_serve(const struct share *share, const struct mesh *mesh)
{
    const struct comm *comm = share->partition.comm;
    for (struct request request;;) {
        size_t row;
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
        if (request.which == SHARE_END)
            return;
        array_of(mesh, request.which, &row);
        int64_t found = find_rows(share, mesh, &request);
        comm->engine->send(comm, COMM_FILES, 0, &found, sizeof found);
        comm->engine->send(comm, COMM_FILES, 0, share->number, (size_t)found * sizeof *share->number);
        comm->engine->send(comm, COMM_FILES, 0, share->rows, (size_t)found * row);
    }
}

void share_end(const struct share *share)
{
    const struct comm *comm = share->partition.comm;
    struct request request = {.which = SHARE_END};
    if (comm && comm->size > 1)
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
}

void share_point(const struct share *share, const struct mesh *mesh, int64_t number, double point[3])
{
    const struct partition *partition = &share->partition;
    int64_t here = partition_find(partition, number);
    bool own = here >= 0 && partition_has(partition, here);
    for (int d = 0; d < 3; d++)
        point[d] = own ? mesh->point[3 * here + d] : -INFINITY;
    comm_most(partition->comm, COMM_STEPS, point, 3);
}
