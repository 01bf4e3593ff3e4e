/* partition.c: METIS or strips, agreed upon by what rank 0 has made. */
#include "solver/matrix/partition.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/matrix/ordering.h"

enum { BLOCK = 1 << 16 }; /* values that travel at once */

/* owner[] <- strips of a Hilbert curve of equal cost, each of one node at least */
static enum status cut_strips(const struct mesh *mesh, const int32_t *cost, int parts, int32_t *owner,
                              struct error *error)
{
    int64_t n = mesh->nodes;
    double all = 0, done = 0;
    enum status status = STATUS_OK;
    int32_t *order = array_new(n, sizeof *order, "the ranks' nodes", &status, error);
    if (!status)
        status = ordering_make(ORDERING_HILBERT, NULL, mesh, order, error);
    for (int64_t i = 0; i < n; i++)
        all += cost[i];
    int32_t part = 0;
    for (int64_t k = 0; k < n && !status; k++) {
        bool full = done >= all * (part + 1) / parts, must = n - k <= parts - 1 - part;
        if (k > 0 && part < parts - 1 && (full || must))
            part++;
        owner[order[k]] = part;
        done += cost[order[k]];
    }
    free(order);
    return status;
}

/* Whether every rank has a node */
static bool is_whole(const int32_t *owner, int64_t nodes, int64_t *count, int parts)
{
    memset(count, 0, (size_t)parts * sizeof *count);
    for (int64_t i = 0; i < nodes; i++)
        count[owner[i]]++;
    for (int p = 0; p < parts; p++)
        if (count[p] == 0)
            return false;
    return true;
}

/* node[] and begin[] from owner[] */
static void list_nodes(struct partition *p)
{
    int size = p->comm->size;
    memset(p->begin, 0, ((size_t)size + 1) * sizeof *p->begin);
    for (int64_t i = 0; i < p->nodes; i++)
        p->begin[p->owner[i] + 1]++;
    for (int r = 0; r < size; r++)
        p->begin[r + 1] += p->begin[r];
    for (int64_t i = 0; i < p->nodes; i++)
        p->node[p->begin[p->owner[i]]++] = (int32_t)i;
    for (int r = size; r > 0; r--)
        p->begin[r] = p->begin[r - 1];
    p->begin[0] = 0;
}

/* owner[] of rank 0, since another METIS may cut otherwise */
static enum status cut(struct partition *p, const struct csr *pattern, const struct mesh *mesh,
                       const int32_t *cost, const int32_t *given, struct error *error)
{
    int size = p->comm->size;
    enum status status = STATUS_OK;
    if (given)
        memcpy(p->owner, given, (size_t)p->nodes * sizeof *given);
    else if (ordering_available(ORDERING_METIS))
        status = ordering_cut(pattern, cost, size, p->owner, error);
    if (given ||
        (!status && ordering_available(ORDERING_METIS) && is_whole(p->owner, p->nodes, p->begin, size)))
        return status;
    return status ? status : cut_strips(mesh, cost, size, p->owner, error);
}

enum status partition_make(struct partition *p, const struct comm *comm, const struct csr *pattern,
                           const struct mesh *mesh, const int32_t *cost, const int32_t *given,
                           struct error *error)
{
    static const char what[] = "the ranks' nodes";
    enum status status = STATUS_OK;
    *p = (struct partition){.comm = comm, .nodes = mesh->nodes};
    if (comm->size == 1)
        return STATUS_OK;
    if (mesh->nodes < comm->size)
        return error_set(error, STATUS_INPUT, "%d ranks for %lld nodes: each must have one; start fewer",
                         comm->size, (long long)mesh->nodes);
    p->owner = array_new(p->nodes, sizeof *p->owner, what, &status, error);
    p->node = array_new(p->nodes, sizeof *p->node, what, &status, error);
    p->begin = array_new(comm->size + 1, sizeof *p->begin, what, &status, error);
    for (int c = 0; c < COMM_CHANNELS; c++)
        p->block[c] = array_new(BLOCK, sizeof **p->block, what, &status, error);
    if (!status && comm->rank == 0)
        status = cut(p, pattern, mesh, cost, given, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status)
        return status;
    comm->engine->broadcast(comm, COMM_STEPS, 0, p->owner, (size_t)p->nodes * sizeof *p->owner);
    list_nodes(p);
    return STATUS_OK;
}

void partition_free(struct partition *p)
{
    free(p->owner);
    free(p->node);
    free(p->begin);
    for (int c = 0; c < COMM_CHANNELS; c++)
        free(p->block[c]);
    *p = (struct partition){0};
}

/* The values of rank r, block by block, from where it has them or to where rank 0 has them */
static void move_blocks(const struct partition *p, enum comm_channel channel, int64_t width, double *value,
                        int r)
{
    const struct comm *comm = p->comm;
    double *block = p->block[channel];
    int64_t first = p->begin[r] * width, end = p->begin[r + 1] * width;
    for (int64_t at = first, count; at < end; at += count) {
        count = end - at < BLOCK ? end - at : BLOCK;
        if (comm->rank == 0)
            comm->engine->receive(comm, channel, r, block, (size_t)count * sizeof *block);
        for (int64_t k = at; k < at + count; k++) {
            double *there = &value[p->node[k / width] * width + k % width];
            *(comm->rank == 0 ? there : &block[k - at]) = *(comm->rank == 0 ? &block[k - at] : there);
        }
        if (comm->rank == r)
            comm->engine->send(comm, channel, 0, block, (size_t)count * sizeof *block);
    }
}

void partition_collect(const struct partition *p, enum comm_channel channel, int64_t width, double *value)
{
    int from = p->comm->rank == 0 ? 1 : p->comm->rank, to = p->comm->rank == 0 ? p->comm->size : from + 1;
    for (int r = from; r < to && p->owner; r++)
        move_blocks(p, channel, width, value, r);
}
