/* strong_edges.c: finds edges by their elements, sorts and merges each thread's, then sums k over all
 * their elements. */
#include "solver/matrix/strong_edges.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "solver/mesh/deal.h"

static const char what[] = "clusters of nodes";

enum { KIND_BINS = 1 << 15 };

static int by_nodes(const void *a, const void *b)
{
    const struct strong_edge *x = a, *y = b;
    return x->i != y->i ? (x->i > y->i) - (x->i < y->i) : (x->j > y->j) - (x->j < y->j);
}

static int by_strength(const void *a, const void *b)
{
    const struct strong_edge *x = a, *y = b;
    return x->strength != y->strength ? (x->strength < y->strength) - (x->strength > y->strength)
                                      : by_nodes(a, b);
}

static struct strong_edge edge_of(int32_t i, int32_t j)
{
    return (struct strong_edge){i < j ? i : j, i < j ? j : i, 0, 0};
}

/* The kind of a node is the highest dimension of its elements, so that a network has its own threshold. An
 * edge is strong if it exceeds the larger threshold of its two nodes. */
struct kinds {
    uint8_t *of; /* [nodes] */
    double threshold[4];
};

static double threshold_of(const struct kinds *kinds, int32_t i, int32_t j)
{
    return fmax(kinds->threshold[kinds->of[i]], kinds->threshold[kinds->of[j]]);
}

/* threshold[kind] <- `strong` times the median of dt k_ii / m_i of those nodes, to within 1/8, at least
 * `strong`: from counts by exponent and three binary digits, which do not depend on the order */
static void find_threshold(struct kinds *kinds, int kind, const struct node_sums *sums, int64_t nodes,
                           double step, double strong, int64_t *bin)
{
    enum { SHIFT = 49 };
    int64_t all = 0, below = 0;
    uint64_t b = 0;
    memset(bin, 0, KIND_BINS * sizeof *bin);
#pragma omp parallel for schedule(static) reduction(+ : all, bin[:KIND_BINS])
    for (int64_t i = 0; i < nodes; i++)
        if (kinds->of[i] == kind) {
            bin[bits_of(fmax(step * sums->stiffness[i] / sums->mass[i], 0)) >> SHIFT]++;
            all++;
        }
    while (all > 0 && (below += bin[b]) < all / 2)
        b++;
    kinds->threshold[kind] = strong * fmax(1, bits_to_real(b << SHIFT));
}

/* of[nodes] <- kind at the corners of elements with n corners that are resistors, or that are not */
static void mark_corners(uint8_t *of, const struct tensors *tensors, int n, bool resistors, uint8_t kind)
{
    const struct mesh *mesh = tensors->mesh;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int p = 0; p < n && mesh_corners(mesh, e) == n && tensor_is_resistor(tensors, e) == resistors;
             p++) {
            uint8_t *to = &of[mesh->vertex[e * (mesh->dimension + 1) + p]];
            if (__atomic_load_n(to, __ATOMIC_RELAXED) != kind)
                __atomic_store_n(to, kind, __ATOMIC_RELAXED);
        }
}

static enum status find_kinds(struct kinds *kinds, const struct tensors *tensors,
                              const struct node_sums *sums, double step, double strong, struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    enum status status = STATUS_OK;
    int64_t *bin = array_new(KIND_BINS, sizeof *bin, what, &status, error);
    kinds->of = array_zeroed(mesh->nodes, sizeof *kinds->of, what, &status, error);
    for (int kind = 1; kind < 4 && !status; kind++)
        mark_corners(kinds->of, tensors, kind + 1, false, (uint8_t)kind);
    for (int kind = 1; kind < 4 && !status; kind++)
        find_threshold(kinds, kind, sums, mesh->nodes, step, strong, bin);
    free(bin);
    return status;
}

static enum status append_edges(struct strong_edges *edges, const struct strong_edge *edge, int64_t count,
                                struct error *error)
{
    if (count == 0)
        return STATUS_OK;
    TRY(array_grow((void **)&edges->edge, &edges->room, edges->count + count, sizeof *edge, what, error));
    memcpy(edges->edge + edges->count, edge, (size_t)count * sizeof *edge);
    edges->count += count;
    return STATUS_OK;
}

static void sort_edges(struct strong_edges *edges)
{
    int64_t kept = 0;
    if (edges->count > 0)
        qsort(edges->edge, (size_t)edges->count, sizeof *edges->edge, by_nodes);
    for (int64_t k = 0; k < edges->count; k++)
        if (kept == 0 || by_nodes(&edges->edge[kept - 1], &edges->edge[k]) != 0)
            edges->edge[kept++] = edges->edge[k];
    edges->count = kept;
}

static enum status add_strong(struct strong_edges *edges, const struct tensors *tensors, int64_t e,
                              double step, const struct kinds *kinds, struct error *error)
{
    const int32_t *vertex = tensors->mesh->vertex + e * (tensors->mesh->dimension + 1);
    const int n = mesh_corners(tensors->mesh, e);
    double k[4][4], mass = tensor_stiffness(tensors, e, k) / n;
    for (int p = 0; p < n && mass > 0; p++)
        for (int q = 0; q < p; q++)
            if (step * fabs(k[p][q]) > threshold_of(kinds, vertex[p], vertex[q]) * mass) {
                const struct strong_edge edge = edge_of(vertex[p], vertex[q]);
                TRY(append_edges(edges, &edge, 1, error));
            }
    return STATUS_OK;
}

/* The number of sorted edges whose lower node is below `node` */
static int64_t count_below(const struct strong_edges *edges, int64_t node)
{
    int64_t low = 0, high = edges->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (edges->edge[middle].i < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* *edges <- merged from the sorted lists: the edges whose lower node is in part t of the nodes, sorted */
static enum status merge_part(struct strong_edges *edges, const struct strong_edges *list, int lists,
                              int64_t nodes, int t, struct error *error)
{
    const int64_t low = nodes * t / lists, high = nodes * (t + 1) / lists;
    for (int s = 0; s < lists; s++) {
        const int64_t first = count_below(&list[s], low), end = count_below(&list[s], high);
        TRY(append_edges(edges, list[s].edge + first, end - first, error));
    }
    sort_edges(edges);
    return STATUS_OK;
}

/* A strong edge satisfies dt |k_ij^e| > threshold |e| / corners in at least one of its elements, because
 * the sum of these is at most min(m_i, m_j). Each thread sorts the edges of its elements, then merges
 * those of its nodes. */
static enum status list_edges(struct strong_edges *edges, const struct tensors *tensors, double step,
                              const struct kinds *kinds, struct error *error)
{
    enum status status = STATUS_OK;
    const int most = omp_get_max_threads();
    struct strong_edges *list = array_zeroed(2 * most, sizeof *list, what, &status, error),
                        *merged = list + most;
    TRY(status);
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        struct error own_error = {0};
        enum status found = STATUS_OK;
#pragma omp for schedule(static) nowait
        for (int64_t e = 0; e < tensors->mesh->elements; e++)
            found = found ? found : add_strong(&list[t], tensors, e, step, kinds, &own_error);
        sort_edges(&list[t]);
#pragma omp barrier
        if (!found)
            found = merge_part(&merged[t], list, threads, tensors->mesh->nodes, t, &own_error);
        error_first(&status, error, found, &own_error);
    }
    for (int t = 0; t < most && !status; t++)
        status = append_edges(edges, merged[t].edge, merged[t].count, error);
    for (int t = 0; t < 2 * most; t++)
        free(list[t].edge);
    free(list);
    return status;
}

/* mark[nodes] <- 1 for nodes of an edge in the list, 0 for others and nodes of resistors */
static void mark_nodes(uint8_t *mark, const struct strong_edges *edges, const struct tensors *tensors)
{
    const struct mesh *mesh = tensors->mesh;
    memset(mark, 0, (size_t)mesh->nodes);
    for (int64_t k = 0; k < edges->count; k++)
        mark[edges->edge[k].i] = mark[edges->edge[k].j] = 1;
    mark_corners(mark, tensors, 2, true, 0);
}

/* The corners q < p of the edge in each slot of an element */
static const int edge_corners[DEAL_SLOTS][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}};

/* The context of the sums over elements */
struct weights {
    const struct tensors *tensors;
    const uint8_t *mark;
    struct strong_edges *edges;
    const int32_t *first; /* [nodes + 1] the first edge whose lower node is that or a later one */
};

/* The number of the edge between i and j, which are marked; -1 = it is not in the list */
static int32_t find_edge(const struct weights *sums, int32_t i, int32_t j)
{
    const struct strong_edge wanted = edge_of(i, j), *edge = sums->edges->edge;
    int32_t low = sums->first[wanted.i], high = sums->first[wanted.i + 1];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (edge[middle].j < wanted.j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sums->first[wanted.i + 1] && edge[low].j == wanted.j ? low : -1;
}

static void list_edges_of(const void *context, int64_t e, int32_t key[DEAL_SLOTS])
{
    const struct weights *sums = context;
    const struct mesh *mesh = sums->tensors->mesh;
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const int n = mesh_corners(mesh, e);
    for (int slot = 0; slot < DEAL_SLOTS; slot++) {
        const int p = edge_corners[slot][0], q = edge_corners[slot][1];
        key[slot] = -1;
        if (p >= n || !sums->mark[vertex[p]] || !sums->mark[vertex[q]])
            continue;
        key[slot] = find_edge(sums, vertex[p], vertex[q]);
    }
}

static void add_to_edge(const void *context, int64_t e, int slot, int32_t key)
{
    const struct weights *sums = context;
    double k[4][4];
    tensor_stiffness(sums->tensors, e, k);
    sums->edges->edge[key].k += k[edge_corners[slot][0]][edge_corners[slot][1]];
}

/* Sums k of each edge in the order of the elements, and removes edges that are not strong from the list */
static enum status weigh_edges(struct strong_edges *edges, const struct tensors *tensors, const uint8_t *mark,
                               const struct node_sums *sums, double step, const struct kinds *kinds,
                               struct error *error)
{
    const int64_t nodes = tensors->mesh->nodes;
    enum status status = STATUS_OK;
    int64_t kept = 0;
    int32_t *first = array_zeroed(nodes + 1, sizeof *first, what, &status, error);
    TRY(status);
    for (int64_t k = 0; k < edges->count; k++)
        first[edges->edge[k].i + 1]++;
    for (int64_t i = 0; i < nodes; i++)
        first[i + 1] += first[i];
    const struct weights weights = {tensors, mark, edges, first};
    status = deal_sums(tensors->mesh->elements, list_edges_of, add_to_edge, &weights, what, error);
    free(first);
    TRY(status);
    for (int64_t k = 0; k < edges->count; k++) {
        struct strong_edge edge = edges->edge[k];
        edge.strength = step * fabs(edge.k) / fmin(sums->mass[edge.i], sums->mass[edge.j]);
        if (mark[edge.i] && mark[edge.j] && edge.strength > threshold_of(kinds, edge.i, edge.j))
            edges->edge[kept++] = edge;
    }
    edges->count = kept;
    qsort(edges->edge, (size_t)kept, sizeof *edges->edge, by_strength);
    return STATUS_OK;
}

enum status strong_edges_find(struct strong_edges *edges, const struct tensors *tensors,
                              const struct node_sums *sums, double step, double strong, struct error *error)
{
    struct kinds kinds = {0};
    enum status status = STATUS_OK;
    *edges = (struct strong_edges){0};
    uint8_t *mark = array_new(tensors->mesh->nodes, sizeof *mark, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_kinds(&kinds, tensors, sums, step, strong, error));
    TRY_DONE(list_edges(edges, tensors, step, &kinds, error));
    if (edges->count == 0)
        goto done;
    mark_nodes(mark, edges, tensors);
    status = weigh_edges(edges, tensors, mark, sums, step, &kinds, error);
done:
    free(kinds.of);
    free(mark);
    return status;
}
