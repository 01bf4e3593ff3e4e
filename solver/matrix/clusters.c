/* clusters.c: chooses clusters: nodes are joined along strong edges, strongest first. */
#include "solver/matrix/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/union_find.h"
#include "solver/matrix/strong_edges.h"
#include "solver/matrix/symmetric.h"
#include "solver/mesh/deal.h"
#include "solver/params.h"

static const char what[] = "clusters of nodes";

/* Clusters are dropped if their block, scaled to a unit diagonal, has a larger condition, or a smaller
 * (B^-1 m)_i */
static const double condition_most = 1e8, share_least = 1e-4;

/* Edges stronger than `strong` join nodes into clusters of at most `most` nodes; larger groups of up to
 * `cut` nodes are split. Stages are bounded by the stiffest remaining row, and a cluster's row costs them
 * little: so their edges may be weaker and their clusters larger, from groups of any size. */
struct rule {
    double strong, reported; /* edges above `reported` that are in no cluster are counted */
    int32_t most, cut;
};
static const struct rule of_sweeps = {CLUSTERS_STRONG, CLUSTERS_STRONG, CLUSTERS_SOLVED, 64},
                         of_stages = {CLUSTERS_STRONG / 2.0, CLUSTERS_STRONG, CLUSTERS_MOST, INT32_MAX};

static const double stages_most = 0.1; /* fraction of all nodes: if more are in clusters, the rule of
                                          sweeps is used */

/* Trees of nodes, joined strongest edge first (J. B. Kruskal, Proc. AMS 7 (1956) 48) */
struct forest {
    int32_t *parent, *size; /* [nodes] the lowest node of a tree is its root */
    int32_t *next;          /* [nodes] next node of the same tree, as a ring */
    int32_t *cluster;       /* [nodes] the lowest node of its cluster; -1 = none */
    double *weakest;        /* [nodes] for a root: strength of the edge that joined its tree last */
    const struct rule *rule;
};

static void forest_free(struct forest *forest)
{
    free(forest->parent);
    free(forest->size);
    free(forest->next);
    free(forest->cluster);
    free(forest->weakest);
}

static enum status forest_new(struct forest *forest, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    forest->parent = array_new(nodes, sizeof *forest->parent, what, &status, error);
    forest->size = array_new(nodes, sizeof *forest->size, what, &status, error);
    forest->next = array_new(nodes, sizeof *forest->next, what, &status, error);
    forest->cluster = array_new(nodes, sizeof *forest->cluster, what, &status, error);
    forest->weakest = array_zeroed(nodes, sizeof *forest->weakest, what, &status, error);
    for (int32_t i = 0; i < nodes && !status; i++) {
        forest->parent[i] = forest->next[i] = i;
        forest->size[i] = 1;
        forest->cluster[i] = -1;
    }
    return status;
}

/* Makes the tree of a root a cluster if it is small enough; `strength`: of its strongest edge to other
 * nodes. */
static void mark_tree(struct forest *forest, int32_t root, double strength)
{
    if (forest->size[root] < 2 || forest->size[root] > forest->rule->most ||
        !(forest->weakest[root] >= CLUSTERS_APART * strength))
        return;
    int32_t i = root;
    do {
        forest->cluster[i] = root;
        i = forest->next[i];
    } while (i != root);
}

static void join_trees(struct forest *forest, int32_t a, int32_t b, double strength)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, after = forest->next[a];
    forest->next[a] = forest->next[b]; /* merges the two rings */
    forest->next[b] = after;
    forest->parent[high] = low;
    forest->size[low] += forest->size[high];
    forest->weakest[low] = strength;
}

/* Splits trees of a few clusters' size: edges are added strongest first, except those that would make a
 * part too large. */
static void cut_trees(struct forest *forest, const struct strong_edges *edges, int32_t nodes)
{
    enum { CUT = -2 };
    for (int32_t i = 0; i < nodes; i++) {
        const int32_t size = forest->size[union_find_root(forest->parent, i)];
        if (size > forest->rule->most && size <= forest->rule->cut)
            forest->cluster[i] = CUT;
    }
    for (int32_t i = 0; i < nodes; i++)
        if (forest->cluster[i] == CUT) {
            forest->parent[i] = i;
            forest->size[i] = 1;
        }
    for (int64_t k = 0; k < edges->count; k++) {
        const struct strong_edge *edge = &edges->edge[k];
        if (forest->cluster[edge->i] != CUT)
            continue;
        int32_t a = union_find_root(forest->parent, edge->i), b = union_find_root(forest->parent, edge->j);
        if (a != b && forest->size[a] + forest->size[b] <= forest->rule->most)
            join_trees(forest, a, b, edge->strength);
    }
    for (int32_t i = 0; i < nodes; i++)
        if (forest->cluster[i] == CUT) {
            const int32_t root = union_find_root(forest->parent, i);
            forest->cluster[i] = forest->size[root] > 1 ? root : -1;
        }
}

/* Clusters are the trees of all strong edges. Trees of a few clusters' size are split; of larger ones only
 * the largest parts are used whose edges to other nodes are weaker by CLUSTERS_APART, so that a uniform
 * region of tiny elements has none. */
static void join_nodes(struct forest *forest, const struct strong_edges *edges, const struct mesh *mesh,
                       struct cluster_counts *counts)
{
    for (int64_t k = 0; k < edges->count; k++) {
        const struct strong_edge *edge = &edges->edge[k];
        int32_t a = union_find_root(forest->parent, edge->i), b = union_find_root(forest->parent, edge->j);
        if (a == b)
            continue;
        mark_tree(forest, a, edge->strength);
        mark_tree(forest, b, edge->strength);
        join_trees(forest, a, b, edge->strength);
    }
    for (int32_t i = 0; i < mesh->nodes; i++)
        if (forest->parent[i] == i)
            mark_tree(forest, i, 0);
    cut_trees(forest, edges, (int32_t)mesh->nodes);
    for (int64_t k = 0; k < edges->count; k++) {
        const int32_t i = edges->edge[k].i, z = forest->cluster[i];
        const bool apart = z < 0 || z != forest->cluster[edges->edge[k].j];
        if (apart && edges->edge[k].strength > forest->rule->reported && counts->refused++ == 0)
            memcpy(counts->refused_at, mesh->point + 3 * (int64_t)i, sizeof counts->refused_at);
    }
}

static enum status clusters_new(struct clusters *c, int64_t count, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    c->begin = array_zeroed(count + 1, sizeof *c->begin, what, &status, error);
    c->node = array_new(nodes, sizeof *c->node, what, &status, error);
    if (!c->held)
        c->inside = array_new(count, sizeof *c->inside, what, &status, error);
    c->count = count;
    c->nodes = nodes;
    return status;
}

void clusters_free(struct clusters *c)
{
    free(c->begin);
    free(c->node);
    free(c->inside);
    free(c->slot);
    free(c->label);
    *c = (struct clusters){.held = c->held, .damped = c->damped, .counts = c->counts};
}

/* slot[] and label[] from the lists */
static enum status index_nodes(struct clusters *c, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    c->slot = array_new(nodes, sizeof *c->slot, what, &status, error);
    c->label = array_new(nodes, sizeof *c->label, what, &status, error);
    TRY(status);
    memset(c->slot, -1, (size_t)nodes * sizeof *c->slot);
    memset(c->label, -1, (size_t)nodes * sizeof *c->label);
    for (int64_t z = 0; z < c->count; z++)
        for (int64_t k = c->begin[z]; k < c->begin[z + 1]; k++) {
            c->slot[c->node[k]] = (int32_t)k;
            c->label[c->node[k]] = (int32_t)z;
        }
    return STATUS_OK;
}

/* *clusters <- from the lowest node of each node's cluster; at[nodes] is workspace */
static enum status list_clusters_of(struct clusters *c, const int32_t *cluster, int32_t *at, int64_t nodes,
                                    struct error *error)
{
    int64_t count = 0, members = 0;
    for (int32_t i = 0; i < nodes; i++) {
        at[i] = 0;
        count += cluster[i] == i;
        members += cluster[i] >= 0;
    }
    TRY(clusters_new(c, count, members, error));
    for (int32_t i = 0; i < nodes; i++)
        if (cluster[i] >= 0)
            at[cluster[i]]++;
    count = members = 0;
    for (int32_t i = 0; i < nodes; i++) /* at[] of a lowest node: position of the next node of its cluster */
        if (cluster[i] == i) {
            c->begin[count++] = members;
            members += at[i];
            at[i] = (int32_t)c->begin[count - 1];
        }
    c->begin[count] = members;
    for (int32_t i = 0; i < nodes; i++)
        if (cluster[i] >= 0)
            c->node[at[cluster[i]]++] = i;
    return index_nodes(c, nodes, error);
}

/* k_ij and m_ij of the pairs of a cluster of n nodes, and S */
struct cluster_sum {
    double *k, *mass, *inside; /* [n][n] */
    bool good;
};

/* k[][] <- K_e after elimination of the corners outside cluster z: the least x'K_e x for given x in z */
static void eliminate_outside(int n, double k[4][4], const int32_t *label, const int32_t *vertex, int32_t z)
{
    bool left[4] = {true, true, true, true};
    for (int out = 0; out < n; out++) {
        left[out] = label[vertex[out]] == z;
        for (int p = 0; p < n && !left[out] && k[out][out] > 0; p++)
            for (int q = 0; q < n && left[p]; q++)
                if (left[q])
                    k[p][q] -= k[p][out] * k[out][q] / k[out][out];
    }
}

/* The clusters, at most two, that contain at least two corners of an element */
static int list_clusters(const int32_t *label, const int32_t *vertex, int n, int32_t found[2])
{
    int count = 0;
    for (int p = 0; p < n; p++)
        for (int q = 0; q < p; q++) {
            const int32_t z = label[vertex[p]];
            if (z >= 0 && z == label[vertex[q]] && (count == 0 || found[count - 1] != z) && count < 2)
                found[count++] = z;
        }
    return count;
}

/* Adds an element, with weight `share` (1/2 if it has two clusters), to the sums of cluster z */
static void add_element(struct cluster_sum *cluster_sum, const struct clusters *c, int32_t z, int n,
                        const int32_t *vertex, double k[4][4], double mass, double share)
{
    double s[4][4];
    memcpy(s, k, sizeof s);
    eliminate_outside(n, s, c->label, vertex, z);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            if (c->label[vertex[p]] != z || c->label[vertex[q]] != z)
                continue;
            const int64_t a = c->slot[vertex[p]] - c->begin[z], b = c->slot[vertex[q]] - c->begin[z],
                          at = a * (c->begin[z + 1] - c->begin[z]) + b;
            cluster_sum->inside[at] += share * s[p][q];
            if (p != q) {
                cluster_sum->k[at] += k[p][q];
                cluster_sum->mass[at] += mass / (n + 1);
            }
        }
}

/* The context of the sums over elements */
struct context {
    const struct tensors *tensors;
    const struct clusters *clusters;
    struct cluster_sum *cluster_sum;
};

static void clusters_of_element(const void *of, int64_t e, int32_t key[DEAL_SLOTS])
{
    const struct context *sums = of;
    const struct mesh *mesh = sums->tensors->mesh;
    memset(key, -1, DEAL_SLOTS * sizeof *key);
    list_clusters(sums->clusters->label, mesh->vertex + e * (mesh->dimension + 1), mesh_corners(mesh, e),
                  key);
}

static void add_to_sum(const void *of, int64_t e, int slot, int32_t key)
{
    const struct context *sums = of;
    const struct mesh *mesh = sums->tensors->mesh;
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const int n = mesh_corners(mesh, e);
    int32_t found[2];
    double k[4][4];
    const int count = list_clusters(sums->clusters->label, vertex, n, found);
    const double mass = tensor_stiffness(sums->tensors, e, k) / n;
    (void)slot;
    add_element(&sums->cluster_sum[key], sums->clusters, key, n, vertex, k, mass, 1.0 / count);
}

/* Quotient of the extreme eigenvalues of a matrix scaled to a unit diagonal; infinity if it is not
 * positive definite */
static double condition_of(int n, double a[CLUSTERS_MOST][CLUSTERS_MOST])
{
    double s[CLUSTERS_MOST][CLUSTERS_MOST], low = INFINITY, high = 0;
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] = a[p][q] / sqrt(a[p][p] * a[q][q]);
    symmetric_eigen(n, CLUSTERS_MOST, s[0], NULL);
    for (int p = 0; p < n; p++) {
        low = fmin(low, s[p][p]);
        high = fmax(high, s[p][p]);
    }
    return low > 0 ? high / low : INFINITY;
}

void cluster_hold(int n, const double *mass, double k[][CLUSTERS_MOST], double tau,
                  double matrix[][CLUSTERS_MOST])
{
    double s[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, s_of[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}};
    double v[CLUSTERS_MOST][CLUSTERS_MOST], root[CLUSTERS_MOST], most = 0;
    for (int p = 0; p < n; p++)
        root[p] = sqrt(mass[p]);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            if (p == q)
                continue;
            s[p][q] = k[p][q] / (root[p] * root[q]);
            s[p][p] -= k[p][q] / mass[p];
        }
    symmetric_eigen(n, CLUSTERS_MOST, s[0], v[0]);
    for (int m = 0; m < n; m++)
        most = fmax(most, s[m][m]);
    for (int m = 0; m < n; m++) { /* skips the constant mode, whose rate is 0 */
        const double more = s[m][m] > 1e-9 * most ? fmax(s[m][m] * tau - 1, 0) : 0;
        for (int p = 0; p < n; p++)
            for (int q = 0; q < p; q++)
                s_of[p][q] += root[p] * v[p][m] * more * (v[q][m] * root[q]);
    }
    for (int p = 0; p < n; p++) {
        double sum = 0;
        for (int q = 0; q < n; q++) {
            const double own = q == p ? 0 : q > p ? s_of[q][p] : s_of[p][q];
            sum += own;
            matrix[p][q] += own;
        }
        matrix[p][p] -= sum; /* S 1 = 0 */
    }
}

/* Whether b is regular and b^-1 m > 0; b is overwritten */
static bool is_good_block(int n, double b[CLUSTERS_MOST][CLUSTERS_MOST], const double *mass)
{
    double x[CLUSTERS_MOST];
    if (!(condition_of(n, b) <= condition_most) || !symmetric_factor(n, CLUSTERS_MOST, b[0]))
        return false;
    memcpy(x, mass, (size_t)n * sizeof *x);
    symmetric_forward(n, CLUSTERS_MOST, b[0], x);
    symmetric_backward(n, CLUSTERS_MOST, b[0], x);
    for (int p = 0; p < n; p++)
        if (!(x[p] >= share_least))
            return false;
    return true;
}

/* Whether B of cluster z is good for a step, and so is the matrix with S that replaces it */
static bool is_good(const struct clusters *c, int64_t z, const struct cluster_sum *cluster_sum,
                    const struct node_sums *sums, int dimension, const struct scheme_length *of)
{
    const double theta_dt = of->theta_dt, lumping = of->lumping;
    double b[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, with[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}};
    double k[CLUSTERS_MOST][CLUSTERS_MOST], mass[CLUSTERS_MOST];
    const int n = (int)(c->begin[z + 1] - c->begin[z]);
    const int32_t *node = c->node + c->begin[z];
    for (int p = 0; p < n; p++) {
        mass[p] = sums->mass[node[p]];
        for (int q = 0; q < n; q++) {
            k[p][q] = cluster_sum->k[p * n + q];
            b[p][q] = theta_dt * k[p][q] + (1 - lumping) * cluster_sum->mass[p * n + q];
        }
        b[p][p] = theta_dt * sums->stiffness[node[p]] + lumping * mass[p] +
                  (1 - lumping) * 2 * mass[p] / (dimension + 2);
        with[p][p] = mass[p];
    }
    if (c->damped)
        memcpy(with, b, sizeof with);
    if (!is_good_block(n, b, mass))
        return false;
    cluster_hold(n, mass, k, c->held > 0 ? c->held * theta_dt : theta_dt, with);
    return c->held > 0 ? symmetric_factor(n, CLUSTERS_MOST, with[0])
                       : !c->damped || is_good_block(n, with, mass);
}

/* Points each cluster's sums into an array, which the caller frees */
static double *new_sums(const struct clusters *c, struct cluster_sum *cluster_sum, enum status *status,
                        struct error *error)
{
    int64_t values = 0;
    for (int64_t z = 0; z < c->count; z++)
        values += 3 * (c->begin[z + 1] - c->begin[z]) * (c->begin[z + 1] - c->begin[z]);
    double *sums = array_zeroed(values, sizeof *sums, what, status, error), *at = sums;
    for (int64_t z = 0; z < c->count && sums; z++) {
        const int64_t square = (c->begin[z + 1] - c->begin[z]) * (c->begin[z + 1] - c->begin[z]);
        cluster_sum[z] = (struct cluster_sum){at, at + square, at + 2 * square, true};
        at += 3 * square;
    }
    return sums;
}

/* inside[z] <- S of a cluster of `size` nodes */
static void store_inside(double inside[CLUSTERS_SOLVED][CLUSTERS_SOLVED], const double *sums, int64_t size)
{
    memset(inside, 0, CLUSTERS_SOLVED * sizeof *inside);
    for (int64_t p = 0; p < size; p++)
        memcpy(inside[p], sums + p * size, (size_t)size * sizeof *sums);
}

/* Removes clusters whose blocks are not good for one of the lengths of a step */
static enum status drop_clusters(struct clusters *c, const struct tensors *tensors,
                                 const struct node_sums *sums, const struct scheme *scheme,
                                 struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    enum status status = STATUS_OK;
    struct cluster_sum *cluster_sum = array_zeroed(c->count, sizeof *cluster_sum, what, &status, error);
    double *all = status ? NULL : new_sums(c, cluster_sum, &status, error);
    int64_t count = 0, nodes = 0;
    TRY_DONE(status);
    const struct context context = {tensors, c, cluster_sum};
    TRY_DONE(deal_sums(mesh->elements, clusters_of_element, add_to_sum, &context, what, error));
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < c->count; z++) {
        for (int k = 0; k < scheme->lengths; k++)
            cluster_sum[z].good = cluster_sum[z].good &&
                                  is_good(c, z, &cluster_sum[z], sums, mesh->dimension, &scheme->length[k]);
    }
    for (int64_t z = 0; z < c->count; z++) {
        const int64_t begin = c->begin[z], size = c->begin[z + 1] - begin;
        if (!cluster_sum[z].good) {
            if (c->counts.dropped++ == 0)
                memcpy(c->counts.dropped_at, mesh->point + 3 * (int64_t)c->node[begin],
                       sizeof c->counts.dropped_at);
            continue;
        }
        memmove(c->node + nodes, c->node + begin, (size_t)size * sizeof *c->node);
        if (c->inside)
            store_inside(c->inside[count], cluster_sum[z].inside, size);
        c->begin[count++] = nodes;
        nodes += size;
        c->counts.largest = size > c->counts.largest ? size : c->counts.largest;
    }
    c->begin[count] = nodes;
    c->counts.clusters = c->count = count;
    c->counts.nodes = c->nodes = nodes;
    free(c->slot);
    free(c->label);
    status = index_nodes(c, mesh->nodes, error);
done:
    free(all);
    free(cluster_sum);
    return status;
}

/* Makes clusters from the trees of the strong edges */
static enum status cluster_edges(struct clusters *c, const struct strong_edges *edges,
                                 const struct tensors *tensors, const struct node_sums *sums,
                                 const struct scheme *scheme, const struct rule *rule, struct error *error)
{
    const int64_t nodes = tensors->mesh->nodes;
    struct forest forest = {.rule = rule};
    enum status status = STATUS_OK;
    TRY_DONE(forest_new(&forest, nodes, error));
    join_nodes(&forest, edges, tensors->mesh, &c->counts);
    TRY_DONE(list_clusters_of(c, forest.cluster, forest.size, nodes, error));
    status = drop_clusters(c, tensors, sums, scheme, error);
done:
    forest_free(&forest);
    return status;
}

/* Finds clusters by a rule; none if the largest rate of elements excludes strong edges */
static enum status find_by_rule(struct clusters *c, const struct rule *rule, const struct tensors *tensors,
                                const struct element_spectrum *elements, const struct scheme *scheme,
                                struct node_sums *sums, struct error *error)
{
    const double step = scheme->length[0].step;
    struct strong_edges edges = {0};
    double rate = 0;
    enum status status = STATUS_OK;
    for (int d = 1; d < 4; d++)
        rate = fmax(rate, elements->rate_of[d]);
    if (step * rate / 2 <= rule->strong) /* |k_ij^e| <= lambda_max m^e / 2 */
        return STATUS_OK;
    TRY_DONE(node_sums_find(sums, tensors, error));
    TRY_DONE(strong_edges_find(&edges, tensors, sums, step, rule->strong, error));
    if (edges.count > 0)
        status = cluster_edges(c, &edges, tensors, sums, scheme, rule, error);
done:
    free(edges.edge);
    if (status || c->count == 0)
        clusters_free(c);
    return status;
}

/* Clusters held in stages */
static enum status find_held(struct clusters *c, const struct tensors *tensors,
                             const struct element_spectrum *elements, const struct monodomain_params *p,
                             struct node_sums *sums, struct error *error)
{
    const struct scheme stages = scheme_of(p, METHOD_RKL2);
    *c = (struct clusters){.held = CLUSTERS_HELD};
    TRY(find_by_rule(c, &of_stages, tensors, elements, &stages, sums, error));
    if ((double)c->nodes <= stages_most * (double)tensors->mesh->nodes)
        return STATUS_OK;
    clusters_free(c);
    *c = (struct clusters){.held = CLUSTERS_HELD};
    return find_by_rule(c, &of_sweeps, tensors, elements, &stages, sums, error);
}

/* Clusters solved in sweeps */
static enum status find_solved(struct clusters *c, struct element_spectrum *elements,
                               const struct tensors *tensors, const struct scheme *sweeps,
                               struct node_sums *sums, struct error *error)
{
    const struct scheme_length *of = sweeps->length;
    *c = (struct clusters){.damped = sweeps->theta < 1};
    TRY(find_by_rule(c, &of_sweeps, tensors, elements, sweeps, sums, error));
    return c->count > 0 ? spectrum_join(elements, tensors, c->label, of, sums, error) : STATUS_OK;
}

enum status clusters_find(struct clusters_found *found, const struct tensors *tensors,
                          const struct monodomain_params *p, struct error *error)
{
    const struct scheme sweeps = scheme_of(p, METHOD_JACOBI); /* bounds are for sweeps, even if rkl2 is
                                                                 requested */
    const struct scheme_length *of = sweeps.length;
    struct node_sums sums = {0};
    *found = (struct clusters_found){.held = {.held = CLUSTERS_HELD}};
    enum status status = spectrum_elements(&found->elements, tensors, of, &sums, error);
    TRY_DONE(status);
    if (scheme_may(p, METHOD_RKL2))
        TRY_DONE(find_held(&found->held, tensors, &found->elements, p, &sums, error));
    if (scheme_may(p, METHOD_JACOBI) || scheme_may(p, METHOD_CHEBYSHEV))
        TRY_DONE(find_solved(&found->solved, &found->elements, tensors, &sweeps, &sums, error));
done:
    node_sums_free(&sums);
    return status;
}

void clusters_found_free(struct clusters_found *found)
{
    clusters_free(&found->solved);
    clusters_free(&found->held);
}

enum status clusters_unite(struct clusters *all, const struct clusters_found *found, int64_t nodes,
                           struct error *error)
{
    const struct clusters *lists[] = {&found->solved, &found->held};
    enum status status = STATUS_OK;
    *all = (struct clusters){.held = 1};
    int32_t *root = array_new(nodes, sizeof *root, what, &status, error);
    int32_t *cluster = array_new(nodes, sizeof *cluster, what, &status, error);
    TRY_DONE(status);
    for (int32_t i = 0; i < nodes; i++) {
        root[i] = i;
        cluster[i] = -1;
    }
    for (int k = 0; k < 2; k++)
        for (int64_t z = 0; z < lists[k]->count; z++)
            for (int64_t s = lists[k]->begin[z]; s < lists[k]->begin[z + 1]; s++) {
                const int32_t a = union_find_root(root, lists[k]->node[lists[k]->begin[z]]),
                              b = union_find_root(root, lists[k]->node[s]);
                root[a < b ? b : a] = a < b ? a : b; /* the lowest node */
                cluster[lists[k]->node[s]] = 0;
            }
    for (int32_t i = 0; i < nodes; i++)
        cluster[i] = cluster[i] < 0 ? -1 : union_find_root(root, i);
    status = list_clusters_of(all, cluster, root, nodes, error);
done:
    free(root);
    free(cluster);
    if (status)
        clusters_free(all);
    return status;
}

enum status clusters_broadcast(struct clusters *c, const struct comm *comm, struct error *error)
{
    struct clusters head = *c;
    enum status status = STATUS_OK;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &head, sizeof head);
    if (comm->rank > 0) {
        *c = (struct clusters){.held = head.held, .damped = head.damped, .counts = head.counts};
        status = clusters_new(c, head.count, head.nodes, error);
    }
    TRY(comm_agree(comm, COMM_STEPS, status, error));
    if (head.count == 0)
        return STATUS_OK;
    comm->engine->broadcast(comm, COMM_STEPS, 0, c->begin, ((size_t)c->count + 1) * sizeof *c->begin);
    comm->engine->broadcast(comm, COMM_STEPS, 0, c->node, (size_t)c->nodes * sizeof *c->node);
    if (c->inside)
        comm->engine->broadcast(comm, COMM_STEPS, 0, c->inside, (size_t)c->count * sizeof *c->inside);
    return STATUS_OK;
}

enum status clusters_select(struct clusters *own, const struct clusters *all, const struct partition *p,
                            struct error *error)
{
    int64_t count = 0, nodes = 0;
    *own = (struct clusters){.held = all->held, .damped = all->damped, .counts = all->counts};
    if (all->count == 0)
        return STATUS_OK;
    TRY(clusters_new(own, all->count, all->nodes, error));
    for (int64_t z = 0; z < all->count; z++) {
        const int64_t first = partition_find(p, all->node[all->begin[z]]);
        if (first < 0 || !partition_has(p, first))
            continue;
        if (own->inside)
            memcpy(own->inside[count], all->inside[z], sizeof *own->inside);
        own->begin[count++] = nodes;
        for (int64_t k = all->begin[z]; k < all->begin[z + 1]; k++)
            own->node[nodes++] = (int32_t)partition_find(p, all->node[k]);
    }
    own->begin[count] = nodes;
    own->count = count;
    own->nodes = nodes;
    return index_nodes(own, p->here, error);
}
