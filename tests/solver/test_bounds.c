/* test_bounds.c: bounds on spectra by elements, the choice of clusters of nodes and their rows, as their definitions have them
 * (solver/matrix/spectrum.h, clusters.h): from dense matrices of small meshes with needles, knots and flat elements. */
#include "solver/matrix/clusters.h"
#include "solver/matrix/rows.h"
#include "solver/matrix/symmetric.h"
#include "tests/support/planted.h"

enum { MOST = 80 };

/* A mesh of at most MOST nodes: K, the mass of a corner of each element, m_i and k_ii; of one step */
struct dense {
    const struct test_case *c;
    struct tensors tensors;
    int n, corners;
    double k[MOST][MOST], a[MOST][MOST], mass[MOST], theta_dt, lumping;
};

static void make_dense(struct dense *d, const struct test_case *c, double theta_dt, double lumping)
{
    memset(d, 0, sizeof *d);
    *d = (struct dense){.c = c,
                        .tensors = {&c->mesh, c->region, c->element_region, NULL},
                        .n = (int)c->mesh.nodes,
                        .corners = c->mesh.dimension + 1,
                        .theta_dt = theta_dt,
                        .lumping = lumping};
    CHECK(d->n <= MOST, "%d nodes", d->n);
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        const int32_t *vertex = c->mesh.vertex + e * d->corners;
        double own[4][4], mass = tensor_stiffness(&d->tensors, e, own) / d->corners;
        for (int p = 0; p < d->corners; p++) {
            d->mass[vertex[p]] += mass;
            for (int q = 0; q < d->corners; q++) {
                d->k[vertex[p]][vertex[q]] += own[p][q];
                d->a[vertex[p]][vertex[q]] += theta_dt * own[p][q] + (p == q ? lumping * mass : 0) +
                                              (1 - lumping) * mass * (p == q ? 2 : 1) / (d->corners + 1);
            }
        }
    }
}

/* The extremes of lambda(B^-1 A), B symmetric and positive definite */
static struct interval extremes(int n, double a[CLUSTERS_MOST][CLUSTERS_MOST],
                                double b[CLUSTERS_MOST][CLUSTERS_MOST])
{
    double l[CLUSTERS_MOST][CLUSTERS_MOST], s[CLUSTERS_MOST][CLUSTERS_MOST], x[CLUSTERS_MOST];
    struct interval found = {INFINITY, -INFINITY};
    memcpy(l, b, sizeof l);
    memcpy(s, a, sizeof s);
    CHECK(symmetric_factor(n, CLUSTERS_MOST, l[0]), "a block is not definite");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                x[j] = pass ? s[j][i] : s[i][j];
            symmetric_forward(n, CLUSTERS_MOST, l[0], x);
            for (int j = 0; j < n; j++)
                *(pass ? &s[j][i] : &s[i][j]) = x[j];
        }
    symmetric_eigen(n, CLUSTERS_MOST, s[0], NULL);
    for (int i = 0; i < n; i++) {
        found.low = fmin(found.low, s[i][i]);
        found.high = fmax(found.high, s[i][i]);
    }
    return found;
}

/* Of all elements, with h halves of the lumped mass divided by stiffness; D_e has the blocks of labels, if there are */
static struct interval by_elements(const struct dense *d, const int32_t *label, int h)
{
    struct interval all = {INFINITY, -INFINITY};
    const int n = d->corners;
    for (int64_t e = 0; e < d->c->mesh.elements; e++) {
        const int32_t *vertex = d->c->mesh.vertex + e * n;
        double k[4][4], mass = tensor_stiffness(&d->tensors, e, k) / n;
        double a[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, b[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}};
        for (int p = 0; p < n; p++) {
            const int i = vertex[p];
            const double lumped = h / 2.0 * d->mass[i] * k[p][p] / d->k[i][i] + (1 - h / 2.0) * mass;
            for (int q = 0; q < n; q++) {
                a[p][q] = d->theta_dt * k[p][q] + (1 - d->lumping) * mass * (p == q ? 2 : 1) / (n + 1) +
                          (p == q ? d->lumping * lumped : 0);
                b[p][q] = p == q || (label && label[i] >= 0 && label[i] == label[vertex[q]]) ? a[p][q] : 0;
            }
        }
        const struct interval own = extremes(n, a, b);
        all.low = fmin(all.low, own.low);
        all.high = fmax(all.high, own.high);
    }
    return all;
}

/* The least lambda(M_Le^-1 A_e) and the largest lambda(M_Le^-1 K_e), and the first element that has that */
static void by_mass(const struct dense *d, double *lowest, double *rate, int64_t *stiffest)
{
    const int n = d->corners;
    *lowest = INFINITY;
    *rate = -INFINITY;
    for (int64_t e = 0; e < d->c->mesh.elements; e++) {
        double k[4][4], mass = tensor_stiffness(&d->tensors, e, k) / n;
        double a[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, of_k[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}},
               m[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}};
        for (int p = 0; p < n; p++) {
            m[p][p] = mass;
            for (int q = 0; q < n; q++) {
                of_k[p][q] = k[p][q];
                a[p][q] = d->theta_dt * k[p][q] + (1 - d->lumping) * mass * (p == q ? 2 : 1) / (n + 1) +
                          (p == q ? d->lumping * mass : 0);
            }
        }
        const double own = extremes(n, of_k, m).high;
        *lowest = fmin(*lowest, extremes(n, a, m).low);
        *stiffest = own > *rate ? e : *stiffest;
        *rate = fmax(*rate, own);
    }
}

/* ---- clusters ---- */

struct edge {
    int i, j;
    double strength;
};

static int by_strength(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->strength != y->strength ? (x->strength < y->strength) - (x->strength > y->strength)
           : x->i != y->i             ? x->i - y->i
                                      : x->j - y->j;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Strong times the median of dt k_ii / m_i, of which three binary digits are kept, at least strong */
static double threshold_of(const struct dense *d, double dt, double strong)
{
    double rate[MOST];
    int exponent;
    for (int i = 0; i < d->n; i++)
        rate[i] = dt * d->k[i][i] / d->mass[i];
    qsort(rate, (size_t)d->n, sizeof *rate, by_size);
    const double median = frexp(rate[d->n / 2 - 1], &exponent);
    return strong * fmax(1, ldexp(floor(16 * median) / 16, exponent));
}

static int size_of(const int *tree, int n, int root)
{
    int size = 0;
    for (int i = 0; i < n; i++)
        size += tree[i] == root;
    return size;
}

/* The members of a tree become a cluster, if they are few and all joined by edges far stronger than `others` */
static void mark(int32_t *cluster, const int *tree, int n, int root, double weakest, double others, int most)
{
    const int size = size_of(tree, n, root);
    for (int i = 0; i < n && size > 1 && size <= most && weakest >= CLUSTERS_APART * others; i++)
        cluster[i] = tree[i] == root ? root : cluster[i];
}

static void join(int *tree, int n, int a, int b)
{
    for (int i = 0; i < n; i++)
        tree[i] = tree[i] == a || tree[i] == b ? (a < b ? a : b) : tree[i];
}

/* Whether the block of A, scaled to a unit diagonal, has a condition of 1e8 at most and (B^-1 m)_i of 1e-4 at least */
static bool is_good(const struct dense *d, const int32_t *cluster, int root)
{
    double b[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, diagonal[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}},
           x[CLUSTERS_MOST];
    int n = 0, node[CLUSTERS_MOST];
    for (int i = 0; i < d->n; i++)
        if (cluster[i] == root)
            node[n++] = i;
    for (int p = 0; p < n; p++) {
        x[p] = d->mass[node[p]];
        for (int q = 0; q < n; q++)
            b[p][q] = d->a[node[p]][node[q]];
        diagonal[p][p] = b[p][p];
    }
    const struct interval found = extremes(n, b, diagonal);
    if (!(found.low > 0 && found.high <= 1e8 * found.low) || !symmetric_factor(n, CLUSTERS_MOST, b[0]))
        return false;
    symmetric_forward(n, CLUSTERS_MOST, b[0], x);
    symmetric_backward(n, CLUSTERS_MOST, b[0], x);
    for (int p = 0; p < n; p++)
        if (!(x[p] >= 1e-4))
            return false;
    return true;
}

/* cluster[] <- of each node the first of its cluster, -1 = in none; *refused <- strong edges beyond `reported` in none,
 * *dropped <- clusters whose blocks are not good */
static void choose(int32_t *cluster, const struct dense *d, double dt, double strong, double reported,
                   int most, int cut, int64_t *refused, int64_t *dropped)
{
    static struct edge edge[MOST * MOST];
    const double threshold = threshold_of(d, dt, strong);
    double weakest[MOST] = {0};
    int edges = 0, tree[MOST], part[MOST];
    for (int i = 0; i < d->n; i++) {
        tree[i] = part[i] = i;
        cluster[i] = -1;
        for (int j = i + 1; j < d->n; j++) {
            const double strength = dt * fabs(d->k[i][j]) / fmin(d->mass[i], d->mass[j]);
            if (strength > threshold)
                edge[edges++] = (struct edge){i, j, strength};
        }
    }
    qsort(edge, (size_t)edges, sizeof *edge, by_strength);
    for (int k = 0; k < edges; k++) {
        const int a = tree[edge[k].i], b = tree[edge[k].j];
        if (a == b)
            continue;
        mark(cluster, tree, d->n, a, weakest[a], edge[k].strength, most);
        mark(cluster, tree, d->n, b, weakest[b], edge[k].strength, most);
        join(tree, d->n, a, b);
        weakest[a < b ? a : b] = edge[k].strength;
    }
    for (int i = 0; i < d->n; i++)
        if (tree[i] == i)
            mark(cluster, tree, d->n, i, weakest[i], 0, most);
    for (int k = 0; k < edges; k++) { /* trees of a few clusters' size are cut */
        const int size = size_of(tree, d->n, tree[edge[k].i]), a = part[edge[k].i], b = part[edge[k].j];
        if (size > most && size <= cut && a != b && size_of(part, d->n, a) + size_of(part, d->n, b) <= most)
            join(part, d->n, a, b);
    }
    for (int i = 0; i < d->n; i++) {
        const int size = size_of(tree, d->n, tree[i]);
        if (size > most && size <= cut)
            cluster[i] = size_of(part, d->n, part[i]) > 1 ? part[i] : -1;
    }
    *refused = *dropped = 0;
    for (int k = 0; k < edges; k++)
        *refused += edge[k].strength > reported &&
                    (cluster[edge[k].i] < 0 || cluster[edge[k].i] != cluster[edge[k].j]);
    for (int root = 0; root < d->n; root++)
        if (cluster[root] == root && !is_good(d, cluster, root)) {
            ++*dropped;
            for (int i = d->n - 1; i >= 0; i--)
                cluster[i] = cluster[i] == root ? -1 : cluster[i];
        }
}

static int64_t check_clusters(const struct clusters *found, const int32_t *cluster, int n, int64_t refused,
                              int64_t dropped, const char *what)
{
    int64_t nodes = 0, count = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        int64_t size = 0;
        for (int j = 0; j < n; j++)
            size += cluster[i] >= 0 && cluster[j] == cluster[i];
        largest = size > largest ? size : largest;
        nodes += cluster[i] >= 0;
        count += cluster[i] == i;
    }
    CHECK(found->count == count && found->nodes == nodes,
          "%s: %lld clusters of %lld nodes, want %lld of %lld", what, (long long)found->count,
          (long long)found->nodes, (long long)count, (long long)nodes);
    if (count == 0)
        return 0;
    CHECK(found->counts.refused == refused && found->counts.dropped == dropped &&
              found->counts.largest == largest && found->counts.clusters == count &&
              found->counts.nodes == nodes,
          "%s: refused %lld, dropped %lld, largest %lld; want %lld, %lld, %lld", what,
          (long long)found->counts.refused, (long long)found->counts.dropped,
          (long long)found->counts.largest, (long long)refused, (long long)dropped, (long long)largest);
    for (int i = 0; i < n; i++) {
        const int32_t z = found->label[i];
        CHECK((z < 0) == (cluster[i] < 0), "%s: node %d is in cluster %d", what, i, z);
        if (z < 0)
            continue;
        CHECK(found->node[found->begin[z]] == cluster[i] && found->node[found->slot[i]] == i &&
                  found->slot[i] >= found->begin[z] && found->slot[i] < found->begin[z + 1],
              "%s: node %d is in the cluster of node %d, want %d", what, i, found->node[found->begin[z]],
              cluster[i]);
    }
    return count;
}

/* S of a cluster: what each element conducts between its nodes, whatever V is at its other corners, halved where it
 * has two clusters */
static void check_inside(const struct clusters *found, const struct dense *d)
{
    const int n = d->corners;
    for (int64_t z = 0; z < found->count; z++) {
        const int size = (int)(found->begin[z + 1] - found->begin[z]);
        double want[CLUSTERS_SOLVED][CLUSTERS_SOLVED] = {{0}}, most = 0;
        for (int64_t e = 0; e < d->c->mesh.elements; e++) {
            const int32_t *vertex = d->c->mesh.vertex + e * n;
            int corner[4], in = 0, others = 0;
            double k[4][4];
            tensor_stiffness(&d->tensors, e, k);
            for (int p = 0; p < n; p++) {
                const int32_t other = found->label[vertex[p]];
                if (other == z)
                    corner[in++] = p;
                for (int q = 0; q < p && other >= 0 && other != z; q++)
                    others |= found->label[vertex[q]] == other;
            }
            if (in < 2)
                continue;
            for (int p = 0; p < n; p++) { /* eliminates the other corners */
                bool inside = false;
                for (int c = 0; c < in; c++)
                    inside |= corner[c] == p;
                for (int q = 0; q < n && !inside; q++)
                    for (int r = 0; r < n && q != p; r++)
                        if (r != p)
                            k[q][r] -= k[q][p] * k[p][r] / k[p][p];
            }
            for (int a = 0; a < in; a++)
                for (int b = 0; b < in; b++) {
                    const int64_t i = found->slot[vertex[corner[a]]] - found->begin[z],
                                  j = found->slot[vertex[corner[b]]] - found->begin[z];
                    want[i][j] += k[corner[a]][corner[b]] * (others ? 0.5 : 1);
                    most = fmax(most, fabs(want[i][j]));
                }
        }
        for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++)
                CHECK(fabs(found->inside[z][a][b] - want[a][b]) < 1e-7 * most,
                      "S of cluster %lld: %.12g, want %.12g", (long long)z, found->inside[z][a][b],
                      want[a][b]);
    }
}

/* b <- b + S: the modes of the couplings in a cluster alone that are faster than 1 / tau are held at that */
static void hold(int n, double b[CLUSTERS_MOST][CLUSTERS_MOST], const struct dense *d, const int32_t *node,
                 double tau)
{
    double s[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, v[CLUSTERS_MOST][CLUSTERS_MOST];
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            const double k = d->k[node[p]][node[q]];
            if (p == q)
                continue;
            s[p][q] = k / sqrt(d->mass[node[p]] * d->mass[node[q]]);
            s[p][p] -= k / d->mass[node[p]];
        }
    symmetric_eigen(n, CLUSTERS_MOST, s[0], v[0]);
    for (int m = 0; m < n; m++)
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                b[p][q] += fmax(s[m][m] * tau - 1, 0) * sqrt(d->mass[node[p]] * d->mass[node[q]]) * v[p][m] *
                           v[q][m];
}

/* Rows of clusters are those of B^-1 times E, and times theta dt K, each times m_i / (B^-1 m)_i, or m_i with stages;
 * other rows are as they were. Restored, the system is as it was. */
static void check_rows(const struct clusters *found, const struct dense *d, const struct scheme_length *of)
{
    struct error error = {0};
    struct system system, before;
    struct rows rows;
    CHECK_OK(system_assemble(&system, &d->tensors, of->lumping < 1, NULL, &error), error);
    CHECK_OK(system_assemble(&before, &d->tensors, of->lumping < 1, NULL, &error), error);
    CHECK_OK(clusters_expand(&system, found, &error), error);
    CHECK_OK(rows_make(&rows, &system, of, &error), error);
    double low = INFINITY;
    const double mu = of->lumping + (1 - of->lumping) / (d->corners + 1);
    for (int64_t z = 0; z < found->count; z++) {
        const int n = (int)(found->begin[z + 1] - found->begin[z]);
        const int32_t *node = found->node + found->begin[z];
        double b[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}}, l[CLUSTERS_MOST][CLUSTERS_MOST], share[CLUSTERS_MOST],
               least[CLUSTERS_MOST][CLUSTERS_MOST] = {{0}};
        for (int p = 0; p < n; p++) {
            share[p] = d->mass[node[p]];
            for (int q = 0; q < n; q++) {
                b[p][q] = found->held > 0 ? (p == q) * share[p] : d->a[node[p]][node[q]];
                least[p][q] =
                    (p == q) * mu * share[p] + (found->held > 0 ? 0 : of->theta_dt * found->inside[z][p][q]);
            }
        }
        if (found->held > 0 || found->damped)
            hold(n, b, d, node, (found->held > 0 ? CLUSTERS_HELD : 1) * of->theta_dt);
        low = fmin(low, extremes(n, least, b).low);
        memcpy(l, b, sizeof l);
        CHECK(symmetric_factor(n, CLUSTERS_MOST, l[0]), "a block is not definite");
        symmetric_forward(n, CLUSTERS_MOST, l[0], share);
        symmetric_backward(n, CLUSTERS_MOST, l[0], share);
        for (int kind = 0; kind < 2; kind++) { /* of sweeps, of the product */
            double want[CLUSTERS_MOST][MOST], x[CLUSTERS_MOST];
            for (int j = 0; j < d->n; j++) {
                for (int p = 0; p < n; p++)
                    x[p] = kind || found->held > 0     ? of->theta_dt * d->k[node[p]][j]
                           : found->label[j] == (int)z ? 0
                                                       : d->a[node[p]][j];
                symmetric_forward(n, CLUSTERS_MOST, l[0], x);
                symmetric_backward(n, CLUSTERS_MOST, l[0], x);
                for (int p = 0; p < n; p++)
                    want[p][j] = x[p];
            }
            for (int p = 0; p < n; p++) {
                const int64_t slot = found->begin[z] + p, start = system.k.start[node[p]];
                const double *own =
                                 cluster_row(&rows.clustered,
                                             kind ? rows.clustered.product : rows.clustered.sweep, node[p]),
                             diagonal = rows.clustered.diagonal[slot],
                             scale = found->held > 0 ? d->mass[node[p]] : d->mass[node[p]] / share[p];
                double row[MOST] = {0};
                CHECK(fabs(diagonal / scale - 1) < 1e-6, "d of node %d: %.12g, want %.12g", node[p], diagonal,
                      scale);
                for (int64_t e = start; e < system.k.start[node[p] + 1]; e++)
                    row[system.k.column[e]] = own[e - start] / diagonal;
                for (int j = 0; j < d->n; j++)
                    CHECK(j == node[p] || fabs(row[j] - want[p][j]) < 1e-6 * (1 + fabs(want[p][j])),
                          "row %d, column %d: %.12g, want %.12g", node[p], j, row[j], want[p][j]);
            }
        }
    }
    if (!(found->held > 0))
        CHECK(fabs(rows.clustered.low - low) < 1e-5, "least %.12g, want %.12g", rows.clustered.low, low);
    for (int i = 0; i < d->n; i++)
        CHECK(found->label[i] >= 0 || fabs(rows.diagonal[i] - d->a[i][i]) < 1e-12 * d->a[i][i],
              "d of node %d", i);
    CHECK_OK(clusters_restore(&system, &error), error);
    const size_t entries = (size_t)before.k.start[d->n];
    CHECK(!system.clusters &&
              memcmp(system.k.start, before.k.start, (size_t)(d->n + 1) * sizeof *before.k.start) == 0 &&
              memcmp(system.k.column, before.k.column, entries * sizeof *before.k.column) == 0 &&
              memcmp(system.k.value, before.k.value, entries * sizeof *before.k.value) == 0 &&
              (!before.mass || memcmp(system.mass, before.mass, entries * sizeof *before.mass) == 0),
          "the system is not restored");
    rows_free(&rows);
    system_free(&system);
    system_free(&before);
}

/* Of more elements than threads compute together */
static void test_sums(void)
{
    struct error error = {0};
    struct test_case c;
    struct node_sums sums = {0};
    memset(&c, 0, sizeof c);
    c.mesh = mesh_sample_lattice(2, (const int[]){300, 230, 0}, (const double[]){0.1, 0.2, 0});
    case_furnish(&c, "passive", 0);
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    double *mass = calloc((size_t)c.mesh.nodes, sizeof *mass),
           *stiffness = calloc((size_t)c.mesh.nodes, sizeof *mass);
    CHECK(mass && stiffness && c.mesh.elements > 1 << 17, "%lld elements", (long long)c.mesh.elements);
    for (int64_t e = 0; e < c.mesh.elements; e++) {
        double k[4][4];
        const double own = tensor_stiffness(&tensors, e, k) / 3;
        for (int p = 0; p < 3; p++) {
            mass[c.mesh.vertex[3 * e + p]] += own;
            stiffness[c.mesh.vertex[3 * e + p]] += k[p][p];
        }
    }
    CHECK_OK(node_sums_find(&sums, &tensors, &error), error);
    for (int64_t i = 0; i < c.mesh.nodes; i++)
        CHECK(sums.mass[i] == mass[i] && sums.stiffness[i] == stiffness[i], "node %lld", (long long)i);
    node_sums_free(&sums);
    free(mass);
    free(stiffness);
    case_free(&c);
}

/* Flat tetrahedra in a row, each with two nodes of the one before: returns how many clusters had to be dropped */
static int64_t test_slivers(uint64_t seed, double lumping)
{
    static struct dense d;
    struct test_case c;
    struct error error = {0};
    struct clusters_found found;
    int32_t cluster[MOST];
    int64_t refused, dropped;
    memset(&c, 0, sizeof c);
    c.mesh = (struct mesh){.dimension = 3, .nodes = 14, .elements = 6};
    CHECK_OK(mesh_allocate(&c.mesh, 0, &error), error);
    for (int i = 0; i < 24; i++)
        c.mesh.vertex[i] = i / 4 * 2 + i % 4;
    for (int64_t i = 0; i < c.mesh.nodes; i++) {
        const uint64_t bits = seed * 100 + 3 * (uint64_t)i;
        double *point = c.mesh.point + 3 * i;
        point[0] = 0.5 * (double)(i / 2) + 0.2 * bits_random(bits);
        point[1] = 0.5 * (double)(i % 2) + 0.2 * bits_random(bits + 1);
        point[2] = pow(10, -1 - 4 * bits_random(bits + 2));
    }
    case_furnish(&c, "passive", 0);
    c.params.step = 0.05;
    c.params.mass_lumping = lumping;
    make_dense(&d, &c, 0.05, lumping);
    CHECK_OK(clusters_find(&found, &d.tensors, &c.params, &error), error);
    choose(cluster, &d, 0.05, CLUSTERS_STRONG, CLUSTERS_STRONG, CLUSTERS_SOLVED, 64, &refused, &dropped);
    check_clusters(&found.solved, cluster, d.n, refused, dropped, "slivers");
    clusters_found_free(&found);
    case_free(&c);
    return dropped;
}

/* Returns the clusters that were found. */
static int64_t test_mesh(uint64_t seed, int dimension, double lumping, double dt)
{
    static const int edges[4][3] = {[1] = {60}, [2] = {9, 6}, [3] = {4, 3, 2}};
    static struct dense d;
    struct test_case c;
    struct error error = {0};
    struct clusters_found found;
    struct element_spectrum plain;
    struct node_sums sums = {0};
    int32_t cluster[MOST];
    int64_t refused, dropped, stiffest = -1, clusters = 0;
    double lowest, rate, rate_found;
    case_mesh(&c, dimension, edges[dimension]);
    case_furnish(&c, "passive", dimension > 1);
    planted_add(&c.mesh, (enum planted)(seed % PLANTED_KINDS), (seed / 4 % 2 ? 3 : 11) + (int64_t)(seed % 7),
                pow(10, -1.5 - 3 * bits_random(seed)));
    c.params.method = METHOD_AUTO;
    c.params.step = dt;
    c.params.mass_lumping = lumping;
    make_dense(&d, &c, dt, lumping);
    const struct scheme scheme = scheme_of(&c.params, METHOD_JACOBI);
    CHECK_OK(spectrum_elements(&plain, &d.tensors, scheme.length, &sums, &error), error);
    CHECK_OK(node_sums_find(&sums, &d.tensors, &error), error);
    for (int i = 0; i < d.n; i++) {
        CHECK_CLOSE(sums.mass[i], d.mass[i], 1e-12);
        CHECK(fabs(sums.stiffness[i] - d.k[i][i]) < 1e-12 * d.k[i][i], "k of node %d", i);
    }
    node_sums_free(&sums);
    struct interval want = by_elements(&d, NULL, 0);
    for (int h = 1; h < 3 && lumping > 0 && (h > 1 || want.high > 16 * want.low); h++) {
        const struct interval other = by_elements(&d, NULL, h);
        want.low = fmax(want.low, other.low);
        want.high = fmin(want.high, other.high);
    }
    by_mass(&d, &lowest, &rate, &stiffest);
    CHECK(fabs(plain.lowest_mass - lowest) < 2e-12 + 1e-12 * dt * rate, "least %.12g, want %.12g",
          plain.lowest_mass, lowest);
    CHECK(fabs(plain.rate / rate - 1) < 1e-9 && fabs(plain.rate_of[dimension] / rate - 1) < 1e-9 &&
              plain.rate_of[0] == 0 && plain.resistor == -1 &&
              plain.rate_of[dimension == 1 ? 2 : dimension - 1] == 0,
          "rate %.12g, want %.12g", plain.rate, rate);
    CHECK(spectrum_stiffest(&d.tensors, &rate_found, comm_alone()) == stiffest &&
              fabs(rate_found / rate - 1) < 1e-9,
          "another stiffest element than %lld", (long long)stiffest);
    CHECK(fabs(plain.jacobi.low - want.low) < 1e-8 * want.low + 2e-12 &&
              fabs(plain.jacobi.high - want.high) < 1e-8,
          "%d-D, seed %llu: [%.12g, %.12g], want [%.12g, %.12g]", dimension, (unsigned long long)seed,
          plain.jacobi.low, plain.jacobi.high, want.low, want.high);
    CHECK_OK(clusters_find(&found, &d.tensors, &c.params, &error), error);
    choose(cluster, &d, dt, CLUSTERS_STRONG, CLUSTERS_STRONG, CLUSTERS_SOLVED, 64, &refused, &dropped);
    clusters += check_clusters(&found.solved, cluster, d.n, refused, dropped, "sweeps");
    if (found.solved.count > 0) {
        check_rows(&found.solved, &d, scheme.length);
        if (dropped == 0) /* S is summed before any is dropped */
            check_inside(&found.solved, &d);
        for (int h = 0; h < 3; h++) {
            const struct interval other = by_elements(&d, found.solved.label, h);
            want.low = h == 0 ? other.low : fmax(want.low, other.low);
            want.high = h == 0 ? fmin(d.corners, other.high) : fmin(want.high, other.high);
        }
        CHECK(fabs(found.elements.jacobi.low - fmax(want.low, 0)) < 1e-5 &&
                  fabs(found.elements.jacobi.high - want.high) < 1e-5,
              "%d-D, seed %llu, with clusters: [%.12g, %.12g], want [%.12g, %.12g]", dimension,
              (unsigned long long)seed, found.elements.jacobi.low, found.elements.jacobi.high, want.low,
              want.high);
    }
    if (lumping == 1) {
        choose(cluster, &d, dt, CLUSTERS_STRONG / 2.0, CLUSTERS_STRONG, CLUSTERS_MOST, INT32_MAX, &refused,
               &dropped);
        int64_t nodes = 0;
        for (int i = 0; i < d.n; i++)
            nodes += cluster[i] >= 0;
        if ((double)nodes > 0.1 * d.n)
            choose(cluster, &d, dt, CLUSTERS_STRONG, CLUSTERS_STRONG, CLUSTERS_SOLVED, 64, &refused,
                   &dropped);
        clusters += check_clusters(&found.held, cluster, d.n, refused, dropped, "stages");
    }
    if (found.held.count > 0)
        check_rows(&found.held, &d, scheme_of(&c.params, METHOD_RKL2).length);
    clusters_found_free(&found);
    c.params.splitting = SPLITTING_STAGGERED; /* theta = 1/2: B has S */
    c.params.method = METHOD_CHEBYSHEV;
    make_dense(&d, &c, dt / 2, lumping);
    CHECK_OK(clusters_find(&found, &d.tensors, &c.params, &error), error);
    CHECK(found.solved.damped && found.held.count == 0, "clusters are not for sweeps of theta 1/2");
    if (found.solved.count > 0)
        check_rows(&found.solved, &d, scheme_of(&c.params, METHOD_CHEBYSHEV).length);
    clusters_found_free(&found);
    case_free(&c);
    return clusters;
}

int main(void)
{
    int64_t clusters = 0, dropped = 0;
    test_sums();
    for (uint64_t seed = 0; seed < 72; seed++)
        clusters += test_mesh(seed, 1 + (int)(seed % 3), seed % 5 == 3 ? 0.5 : 1,
                              (double[]){0.01, 0.05, 0.2, 0.8}[seed / 3 % 4]);
    for (uint64_t seed = 0; seed < 150; seed++)
        dropped += test_slivers(seed, (double[]){1, 0.5, 0}[seed % 3]);
    printf("%lld clusters in 72 meshes, %lld of slivers are dropped\n", (long long)clusters,
           (long long)dropped);
    CHECK(dropped > 0, "no cluster had to be dropped");
    CHECK(clusters > 100, "%lld clusters: nothing would be tested", (long long)clusters);
    return 0;
}
