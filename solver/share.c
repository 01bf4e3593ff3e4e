/* share.c: what nodes cost, who gets them, and which elements that takes. */
#include "solver/share.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum {
    BLOCK = 1 << 14,
    WIDEST = 3 * sizeof(double)
}; /* elements that are asked for at once; bytes of a row */

/* Costs of a node beside an entry of its row: a sweep's vectors, and a state of its cell, about */
enum { COST_ROW = 4, COST_STATE = 2 };

/* Entries of a row are counted from the node's elements: on a closed surface as many, and in a body half as
 * many and two (Euler's formula for the sphere around the node). */
static void count_costs(const struct monodomain_params *p, const struct mesh *mesh,
                        const int32_t *node_region, int32_t *cost)
{
    memset(cost, 0, (size_t)mesh->nodes * sizeof *cost);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        cost[mesh->vertex[k]]++;
    for (int64_t i = 0; i < mesh->nodes; i++)
        cost[i] = COST_ROW + COST_STATE * p->region[node_region[i]].model->states +
                  (mesh->dimension == 3 ? cost[i] / 2 + 2 : cost[i]);
}

enum status share_make(struct share *share, const struct comm *comm, const struct mesh *mesh,
                       const struct monodomain_params *p, const int32_t *owner, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    const struct tensors tensors = {mesh, p->region, p->element_region, p->fiber};
    const double theta = params_explicit(p) ? 1 : p->theta;
    enum status status = STATUS_OK;
    int32_t *cost = NULL;
    *share = (struct share){0};
    share->node_region = array_new(mesh->nodes, sizeof *share->node_region, what, &status, error);
    if (!status && p->node_region)
        memcpy(share->node_region, p->node_region, (size_t)mesh->nodes * sizeof *p->node_region);
    else if (!status)
        mesh_node_regions(mesh, p->element_region, p->regions, share->node_region);
    share->rows = array_new(BLOCK, WIDEST, what, &status, error);
    share->number = array_new(BLOCK, sizeof *share->number, what, &status, error);
    if (comm->size > 1 && comm->rank == 0 && !owner)
        cost = array_new(mesh->nodes, sizeof *cost, what, &status, error);
    if (cost)
        count_costs(p, mesh, share->node_region, cost);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (!status)
        share->elements = spectrum_elements(&tensors, p->mass_lumping, theta * p->step, comm);
    TRY(partition_make(&share->partition, comm, mesh, cost, owner, error));
    free(cost);
    if (status)
        share_free(share);
    return status;
}

void share_free(struct share *share)
{
    partition_free(&share->partition);
    free(share->node_region);
    free(share->rows);
    free(share->number);
    *share = (struct share){0};
}

static bool touches(const struct partition *partition, const struct mesh *mesh, int64_t e)
{
    for (int a = 0; a <= mesh->dimension; a++)
        if (partition_has(partition, mesh->vertex[e * (mesh->dimension + 1) + a]))
            return true;
    return false;
}

void *share_keep_rows(void *array, const struct mesh *mesh, size_t row)
{
    char *bytes = array;
    if (!bytes)
        return NULL;
    for (int64_t e = 0; e < mesh->elements; e++) /* numbers ascend: a row moves to the front or stays */
        memmove(bytes + (size_t)e * row, bytes + (size_t)mesh->number[e] * row, row);
    void *shrunk = realloc(array, ((size_t)mesh->elements + 1) * row);
    return shrunk ? shrunk : array;
}

enum status share_keep(const struct share *share, struct mesh *mesh, struct error *error)
{
    const struct partition *partition = &share->partition;
    int64_t count = 0, kept = 0, whole = mesh->elements;
    enum status status = STATUS_OK;
    if (!partition->owner)
        return STATUS_OK;
    for (int64_t e = 0; e < whole; e++)
        count += touches(partition, mesh, e);
    int32_t *number = array_new(count, sizeof *number, "the ranks' elements", &status, error);
    if (status)
        return status;
    for (int64_t e = 0; e < whole; e++)
        if (touches(partition, mesh, e))
            number[kept++] = (int32_t)e;
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

struct request {
    int64_t which, first, count;
};

/* The array that is asked for, and the bytes of its rows */
static char *array_of(const struct mesh *mesh, int64_t which, size_t *row)
{
    *row = which == SHARE_VERTICES ? ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex
           : which == SHARE_TAGS   ? sizeof *mesh->tag
                                   : 3 * sizeof *mesh->fiber;
    return which == SHARE_VERTICES ? (char *)mesh->vertex
           : which == SHARE_TAGS   ? (char *)mesh->tag
           : which == SHARE_FIBERS ? (char *)mesh->fiber
                                   : (char *)mesh->sheet;
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
static int64_t find_rows(const struct share *share, const struct mesh *mesh, const struct request *request)
{
    size_t row;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, e = first_from(mesh, request->first);
    for (; e < mesh->elements && mesh->number[e] < request->first + request->count; e++)
        if (partition_has(&share->partition, mesh->vertex[e * (mesh->dimension + 1)])) {
            memcpy(share->rows + (size_t)found * row, array + (size_t)e * row, row);
            share->number[found++] = mesh->number[e];
        }
    return found;
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
    if (!mesh->number)
        memcpy(to, array + (size_t)first * row, (size_t)count * row);
    for (int64_t at = first; at < first + count && mesh->number; at += BLOCK, to += BLOCK * row) {
        const struct comm *comm = share->partition.comm;
        struct request request = {which, at, first + count - at < BLOCK ? first + count - at : BLOCK};
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
