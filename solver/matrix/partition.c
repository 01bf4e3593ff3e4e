/* partition.c: partition by recursive bisection on rank 0, and collection of values there. */
#include "solver/matrix/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"

enum { BLOCK = 1 << 16 }; /* values per transfer */

/* A node and its coordinate along the side that is cut */
struct cut_node {
    double x;
    int32_t node;
};

static bool is_before(const struct cut_node *a, const struct cut_node *b)
{
    return a->x != b->x ? a->x < b->x : a->node < b->node;
}

static void swap_nodes(struct cut_node *a, struct cut_node *b)
{
    struct cut_node saved = *a;
    *a = *b;
    *b = saved;
}

/* Moves the first nodes of list[], by coordinate, to the front: the fewest whose cost reaches `reach`, but
 * at least `least` and at most `most`; returns their number. Hoare's selection, with random pivots because
 * meshes can be regular. */
static int64_t select_cost(const int32_t *cost, struct cut_node *list, int64_t count, double reach,
                           int64_t least, int64_t most)
{
    int64_t low = 0, high = count; /* the cut lies between them */
    uint64_t any = 1;
    for (double done = 0; low < high;) {
        int64_t at = low;
        double before = done;
        any = any * 6364136223846793005U + 1442695040888963407U;
        swap_nodes(&list[low + (int64_t)((any >> 33) % (uint64_t)(high - low))], &list[high - 1]);
        const struct cut_node chosen = list[high - 1];
        for (int64_t k = low; k < high - 1; k++)
            if (is_before(&list[k], &chosen)) {
                before += cost[list[k].node];
                swap_nodes(&list[k], &list[at++]);
            }
        swap_nodes(&list[at], &list[high - 1]);
        if (at < least || (before < reach && at < most)) {
            done = before + cost[chosen.node];
            low = at + 1;
        } else {
            high = at;
        }
    }
    return low;
}

/* The longest side of the bounding box of the nodes of list[] */
static int longest_side(const struct mesh *mesh, const struct cut_node *list, int64_t count)
{
    double longest = -1;
    int side = 0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = 0; k < count; k++) {
            double x = mesh->point[3 * (int64_t)list[k].node + c];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        side = high - low > longest ? c : side;
        longest = high - low > longest ? high - low : longest;
    }
    return side;
}

/* owner[] of the nodes of list[] <- parts from `first` on: their bounding box is cut across its longest
 * side, so that each half has the cost of its parts, and at least as many nodes as parts */
static void cut_box(const struct mesh *mesh, const int32_t *cost, struct cut_node *list, int64_t count,
                    int first, int parts, int32_t *owner)
{
    double all = 0;
    for (int64_t k = 0; k < count && parts == 1; k++)
        owner[list[k].node] = first;
    if (parts == 1)
        return;
    int left = parts / 2, side = longest_side(mesh, list, count);
    for (int64_t k = 0; k < count; k++) {
        list[k].x = mesh->point[3 * (int64_t)list[k].node + side];
        all += cost[list[k].node];
    }
    int64_t at = select_cost(cost, list, count, all * left / parts, left, count - (parts - left));
    cut_box(mesh, cost, list, at, first, left, owner);
    cut_box(mesh, cost, list + at, count - at, first + left, parts - left, owner);
}

/* Sets owner[] from coordinates: a graph of the whole mesh would be larger than a rank's matrix */
static enum status cut_mesh(const struct mesh *mesh, const int32_t *cost, int parts, int32_t *owner,
                            struct error *error)
{
    enum status status = STATUS_OK;
    struct cut_node *list = array_new(mesh->nodes, sizeof *list, "the ranks' nodes", &status, error);
    TRY(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        list[i].node = (int32_t)i;
    cut_box(mesh, cost, list, mesh->nodes, 0, parts, owner);
    free(list);
    return STATUS_OK;
}

/* *of <- memory for the lists of `nodes` nodes */
static enum status owners_new(struct owners *of, int64_t nodes, int ranks, struct error *error)
{
    enum status status = STATUS_OK;
    of->node = array_new(nodes, sizeof *of->node, "the ranks' nodes", &status, error);
    of->begin = array_new(ranks + 1, sizeof *of->begin, "the ranks' nodes", &status, error);
    return status;
}

static void owners_free(struct owners *of)
{
    free(of->node);
    free(of->begin);
    *of = (struct owners){0};
}

/* *of <- the lists for owner[nodes] */
static void list_nodes(struct owners *of, const int32_t *owner, int64_t nodes, int ranks)
{
    memset(of->begin, 0, ((size_t)ranks + 1) * sizeof *of->begin);
    for (int64_t i = 0; i < nodes; i++)
        of->begin[owner[i] + 1]++;
    for (int r = 0; r < ranks; r++)
        of->begin[r + 1] += of->begin[r];
    for (int64_t i = 0; i < nodes; i++)
        of->node[of->begin[owner[i]]++] = (int32_t)i;
    for (int r = ranks; r > 0; r--)
        of->begin[r] = of->begin[r - 1];
    of->begin[0] = 0;
}

/* Memory for transfers, and on rank 0 the owner of each node */
static enum status assign_nodes(struct partition *p, const struct mesh *mesh, const int32_t *cost,
                                const int32_t *given, const struct together *together, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    enum status status = STATUS_OK;
    for (int c = 0; c < COMM_CHANNELS; c++)
        p->buffer[c] = array_new(BLOCK, sizeof **p->buffer, what, &status, error);
    TRY(status);
    if (p->comm->rank > 0)
        return STATUS_OK;
    p->owner = array_new(p->nodes, sizeof *p->owner, what, &status, error);
    TRY(status);
    if (given)
        memcpy(p->owner, given, (size_t)p->nodes * sizeof *given);
    else
        TRY(cut_mesh(mesh, cost, p->comm->size, p->owner, error));
    for (int64_t k = 0; k < together->count; k++)
        for (int64_t n = together->begin[k]; n < together->begin[k + 1]; n++)
            p->owner[together->node[n]] = p->owner[together->node[together->begin[k]]];
    TRY(owners_new(&p->of, p->nodes, p->comm->size, error));
    list_nodes(&p->of, p->owner, p->nodes, p->comm->size);
    for (int r = 0; r < p->comm->size; r++)
        if (p->of.begin[r] == p->of.begin[r + 1])
            return error_set(error, STATUS_INPUT, "%d ranks: one would be left without a node; start fewer",
                             p->comm->size);
    return STATUS_OK;
}

enum status partition_make(struct partition *p, const struct comm *comm, const struct mesh *mesh,
                           const int32_t *cost, const int32_t *given, const struct together *together,
                           struct error *error)
{
    *p = (struct partition){.comm = comm, .nodes = mesh->nodes, .here = mesh->nodes};
    if (comm->size == 1)
        return STATUS_OK;
    if (mesh->nodes < comm->size)
        return error_set(error, STATUS_INPUT,
                         "%d ranks for %lld nodes: each rank requires a node; start fewer", comm->size,
                         (long long)mesh->nodes);
    return comm_agree(comm, COMM_STEPS, assign_nodes(p, mesh, cost, given, together, error), error);
}

enum status partition_set(struct partition *p, int32_t *number, int32_t *owner, int64_t here,
                          struct error *error)
{
    struct owners of = {0};
    enum status status = owners_new(&of, here, p->comm->size, error);
    if (status) {
        owners_free(&of);
        return status;
    }
    list_nodes(&of, owner, here, p->comm->size);
    p->of = of;
    p->owner = owner;
    p->number = number;
    p->here = here;
    return STATUS_OK;
}

enum status partition_keep(struct partition *p, int32_t *number, int64_t here, struct error *error)
{
    struct owners of = {0};
    enum status status = owners_new(&of, here, p->comm->size, error);
    if (status) {
        owners_free(&of);
        return status;
    }
    for (int64_t i = 0; i < here; i++) /* numbers are ascending */
        p->owner[i] = p->owner[number[i]];
    int32_t *shrunk = realloc(p->owner, ((size_t)here + 1) * sizeof *p->owner);
    p->owner = shrunk ? shrunk : p->owner;
    list_nodes(&of, p->owner, here, p->comm->size);
    p->all = p->of;
    p->of = of;
    p->number = number;
    p->here = here;
    return STATUS_OK;
}

void partition_free(struct partition *p)
{
    free(p->number);
    free(p->owner);
    owners_free(&p->of);
    owners_free(&p->all);
    for (int c = 0; c < COMM_CHANNELS; c++)
        free(p->buffer[c]);
    *p = (struct partition){0};
}

int64_t partition_from(const struct partition *p, int64_t number)
{
    return p->number ? compare_search(p->number, p->here, number) : number < p->here ? number : p->here;
}

int64_t partition_find(const struct partition *p, int64_t number)
{
    int64_t at = partition_from(p, number);
    return at < p->here && partition_number(p, at) == number ? at : -1;
}

/* value[] on rank 0 <- the values of rank r, block by block */
static void receive_blocks(const struct partition *p, enum comm_channel channel, int64_t width, double *value,
                           int r)
{
    const struct comm *comm = p->comm;
    const struct owners *of = p->number ? &p->all : &p->of;
    double *buffer = p->buffer[channel];
    int64_t first = of->begin[r] * width, end = of->begin[r + 1] * width;
    for (int64_t at = first, count; at < end; at += count) {
        count = end - at < BLOCK ? end - at : BLOCK;
        comm->engine->receive(comm, channel, r, buffer, (size_t)count * sizeof *buffer);
        for (int64_t k = at; k < at + count; k++)
            value[of->node[k / width] * width + k % width] = buffer[k - at];
    }
}

void partition_collect(const struct partition *p, enum comm_channel channel, int64_t width, double *value)
{
    const struct comm *comm = p->comm;
    int64_t count = p->owner ? partition_held(p) * width : 0;
    for (int r = 1; r < comm->size && comm->rank == 0 && p->owner; r++)
        receive_blocks(p, channel, width, value, r);
    for (int64_t at = 0; at < count && comm->rank > 0; at += BLOCK)
        comm->engine->send(comm, channel, 0, value + at,
                           (size_t)(count - at < BLOCK ? count - at : BLOCK) * sizeof *value);
}

void partition_share(const struct partition *p, enum comm_channel channel, double *value, int64_t count)
{
    enum { SHARED = 1024 }; /* values per message */
    for (int64_t at = 0; at < count && p->comm->size > 1; at += SHARED) {
        uint64_t bits[SHARED];
        const int64_t some = count - at < SHARED ? count - at : SHARED;
        memcpy(bits, value + at, (size_t)some * sizeof *bits);
        p->comm->engine->largest(p->comm, channel, bits, (int)some);
        memcpy(value + at, bits, (size_t)some * sizeof *bits);
    }
}
