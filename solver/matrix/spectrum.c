/* spectrum.c: bounds on spectra from elements and rows. An element's extreme eigenvalues require a small
 * symmetric eigenproblem, but most elements do not need it: if high I - S and S - low I have positive
 * pivots, the element cannot change the extremes found so far. The search restarts in every block of
 * elements, so that the result does not depend on the number of threads. */
#include "solver/matrix/spectrum.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/deal.h"
#include "solver/matrix/symmetric.h"
#include "solver/params.h"

/* Rounding error of the small eigenproblems; the bounds are widened by it. */
static const double margin = 1e-12;

/* Other divisions of the mass are tried if high / low exceeds this, i.e. some 30 sweeps. */
static const double wide = 16;

enum { BLOCK = 8192 };

/* Whether sign (shift I - S) is positive definite: elimination without pivoting, all pivots positive */
static int is_definite(int n, double s[4][4], double shift, double sign)
{
    double a[4][4];
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            a[p][q] = sign * ((p == q ? shift : 0.0) - s[p][q]);
    for (int p = 0; p < n; p++) {
        if (!(a[p][p] > 0))
            return 0;
        for (int q = p + 1; q < n; q++) {
            double factor = a[q][p] / a[p][p];
            for (int k = p + 1; k < n; k++)
                a[q][k] -= factor * a[p][k];
        }
    }
    return 1;
}

/* Extreme eigenvalues of a symmetric n x n matrix, n <= 4 (destroys s) */
static struct interval extremes(int n, double s[4][4])
{
    symmetric_eigen(n, 4, s[0], NULL);
    struct interval found = {s[0][0], s[0][0]};
    for (int p = 1; p < n; p++) {
        found.low = fmin(found.low, s[p][p]);
        found.high = fmax(found.high, s[p][p]);
    }
    return found;
}

/* a[][] <- A_e from K_e, the element's measure per corner, and the lumped mass of each corner */
static void element_system(int n, double k[4][4], double mass, const double lumped[4],
                           const struct scheme_length *of, double a[4][4])
{
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            double consistent = mass * (p == q ? 2.0 : 1.0) / (n + 1);
            a[p][q] = of->theta_dt * k[p][q] + (1 - of->lumping) * consistent +
                      (p == q ? of->lumping * lumped[p] : 0.0);
        }
}

/* s[p][q] <- a[p][q] / (w_p w_q) */
static void scale(int n, double a[4][4], const double w[4], double s[4][4])
{
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            s[p][q] = a[p][q] / (w[p] * w[q]);
}

/* *low, *high <- extended to the eigenvalues of S, to within margin; either may be NULL */
static void widen(double *low, double *high, int n, double s[4][4])
{
    if ((!high || is_definite(n, s, *high + margin * (1 + fabs(*high)), 1)) &&
        (!low || is_definite(n, s, *low - margin * (1 + fabs(*low)), -1)))
        return;
    struct interval found = extremes(n, s);
    if (low)
        *low = fmin(*low, found.low);
    if (high)
        *high = fmax(*high, found.high);
}

/* a[][] <- A_e of element e, k[][] <- K_e; *mass <- its measure per corner; returns the number of corners */
static int find_element(const struct tensors *tensors, int64_t e, const struct scheme_length *of,
                        double k[4][4], double a[4][4], double *mass)
{
    const int n = mesh_corners(tensors->mesh, e);
    *mass = tensor_stiffness(tensors, e, k) / n;
    element_system(n, k, *mass, (double[]){*mass, *mass, *mass, *mass}, of, a);
    return n;
}

/* *found <- extended to lambda(D_e^-1 A_e); a corner without mass and stiffness adds nothing */
static void widen_jacobi(struct interval *found, int n, double a[4][4])
{
    double root[4] = {0}, s[4][4] = {{0}};
    for (int p = 0; p < n; p++)
        root[p] = a[p][p] > 0 ? sqrt(a[p][p]) : 1;
    scale(n, a, root, s);
    for (int p = 0; p < n; p++)
        if (!(a[p][p] > 0))
            s[p][p] = 1; /* the mean of the eigenvalues */
    widen(&found->low, &found->high, n, s);
}

/* *found <- extended to element e, which is not a resistor */
static void visit(const struct tensors *tensors, int64_t e, const struct scheme_length *of,
                  struct element_spectrum *found)
{
    double k[4][4], a[4][4], s[4][4], root_mass[4], mass;
    const int n = find_element(tensors, e, of, k, a, &mass);
    for (int p = 0; p < n; p++)
        root_mass[p] = sqrt(mass);
    widen_jacobi(&found->jacobi, n, a);
    scale(n, a, root_mass, s);
    widen(&found->lowest_mass, NULL, n, s);
    scale(n, k, root_mass, s);
    widen(NULL, &found->rate_of[n - 1], n, s);
}

static const struct interval nothing = {INFINITY, -INFINITY};

static struct element_spectrum nothing_found(void)
{
    return (struct element_spectrum){.jacobi = nothing,
                                     .lowest_mass = INFINITY,
                                     .rate_of = {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                                     .resistor = -1};
}

static bool has_resistors(const struct tensors *tensors)
{
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any)
    for (int64_t e = 0; e < tensors->mesh->elements; e++)
        any = any || tensor_is_resistor(tensors, e);
    return any;
}

/* Sums over resistors in the rows of their ends */
struct share {
    double *resistor, *mass, *diagonal; /* [nodes] sum of k of resistors, m_i, and d_i without resistors */
};

static void add_share(const struct share *share, const struct tensors *tensors, int64_t e,
                      const struct scheme_length *of)
{
    const int32_t *vertex = tensors->mesh->vertex + e * (tensors->mesh->dimension + 1);
    double k[4][4], a[4][4], mass;
    const int n = find_element(tensors, e, of, k, a, &mass);
    for (int p = 0; p < n; p++)
        if (tensor_is_resistor(tensors, e))
            share->resistor[vertex[p]] += k[p][p];
        else {
            share->mass[vertex[p]] += mass;
            share->diagonal[vertex[p]] += a[p][p];
        }
}

/* Over all nodes: the resistors' largest fraction of d_i, and their largest sum k / m_i, with the largest
 * resistor there; 0, 0 and -1 if there are none */
static enum status find_shares(const struct tensors *tensors, const struct scheme_length *of,
                               double *fraction, double *rate, int64_t *resistor, struct error *error)
{
    static const char what[] = "the resistors' parts of rows";
    const struct mesh *mesh = tensors->mesh;
    int64_t node = -1;
    double largest = 0;
    enum status status = STATUS_OK;
    *fraction = *rate = 0;
    *resistor = -1;
    if (!has_resistors(tensors))
        return STATUS_OK;
    struct share share = {array_zeroed(mesh->nodes, sizeof(double), what, &status, error),
                          array_zeroed(mesh->nodes, sizeof(double), what, &status, error),
                          array_zeroed(mesh->nodes, sizeof(double), what, &status, error)};
    TRY_DONE(status);
    for (int64_t e = 0; e < mesh->elements; e++)
        add_share(&share, tensors, e, of);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double own = of->theta_dt * share.resistor[i];
        if (own > 0) {
            *fraction = fmax(*fraction, own / (own + share.diagonal[i]));
            node = share.resistor[i] / share.mass[i] > *rate ? i : node;
            *rate = fmax(*rate, share.resistor[i] / share.mass[i]);
        }
    }
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        double k[4][4];
        if (!tensor_is_resistor(tensors, e) || (vertex[0] != node && vertex[1] != node))
            continue;
        tensor_stiffness(tensors, e, k);
        *resistor = k[0][0] > largest ? mesh_element_number(mesh, e) : *resistor;
        largest = fmax(largest, k[0][0]);
    }
done:
    free(share.resistor);
    free(share.mass);
    free(share.diagonal);
    return status;
}

void node_sums_free(struct node_sums *sums)
{
    free(sums->mass);
    free(sums->stiffness);
    *sums = (struct node_sums){0};
}

/* Adds to this thread's nodes, in the order of the elements from `begin` on */
static void add_own(const struct node_sums *sums, const struct deal *deal, const struct tensors *tensors,
                    int64_t begin, double (*own)[5])
{
    const struct mesh *mesh = tensors->mesh;
    const int corners = mesh->dimension + 1;
    for (int part = 0; part < deal_parts(deal); part++) {
        const int64_t *first = deal_part(deal, part);
        for (int64_t k = first[0]; k < first[1]; k++) {
            const int32_t e = deal->item[k] / corners, p = deal->item[k] % corners;
            const int32_t i = mesh->vertex[(begin + e) * corners + p];
            if (p >= mesh_corners(mesh, begin + e) || tensor_is_resistor(tensors, begin + e))
                continue;
            sums->mass[i] += own[e][4];
            sums->stiffness[i] += own[e][p];
        }
    }
}

/* Threads compute a block of elements; then each adds to its own nodes. */
enum status node_sums_find(struct node_sums *sums, const struct tensors *tensors, struct error *error)
{
    enum { TOGETHER = 1 << 17 };
    static const char what[] = "the elements' sums";
    const struct mesh *mesh = tensors->mesh;
    const int corners = mesh->dimension + 1;
    const int64_t n = mesh->nodes;
    enum status status = STATUS_OK;
    struct deal deal;
    if (sums->stiffness)
        return STATUS_OK;
    const enum status dealt = deal_create(&deal, (int64_t)TOGETHER * corners, what, error);
    double(*own)[5] = array_new(TOGETHER, sizeof *own, what, &status, error); /* k_ii of each, and a mass */
    sums->mass = array_zeroed(n, sizeof *sums->mass, what, &status, error);
    sums->stiffness = array_zeroed(n, sizeof *sums->stiffness, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(dealt);
#pragma omp parallel
    for (int64_t first = 0; first < mesh->elements; first += TOGETHER) {
        const int64_t end = first + TOGETHER < mesh->elements ? first + TOGETHER : mesh->elements;
        deal_keys(&deal, mesh->vertex + first * corners, (end - first) * corners);
#pragma omp for schedule(static)
        for (int64_t e = first; e < end; e++) {
            double k[4][4], *to = own[e - first];
            to[4] = tensor_stiffness(tensors, e, k) / mesh_corners(mesh, e);
            for (int p = 0; p < mesh_corners(mesh, e); p++)
                to[p] = fmax(k[p][p], 0);
        }
        add_own(sums, &deal, tensors, first, own);
#pragma omp barrier
    }
done:
    if (status)
        node_sums_free(sums);
    deal_free(&deal);
    free(own);
    return status;
}

/* Whether two corners belong to one cluster */
static bool has_cluster(const int32_t *label, const int32_t *vertex, int n)
{
    for (int p = 0; p < n && label; p++)
        for (int q = 0; q < p; q++)
            if (label[vertex[p]] >= 0 && label[vertex[p]] == label[vertex[q]])
                return true;
    return false;
}

/* *found <- extended to lambda(D_e^-1 A_e), where D_e = L L' includes the blocks of clusters; widened by
 * the rounding error due to the condition of L */
static void widen_by_clusters(struct interval *found, const int32_t *label, const int32_t *vertex, int n,
                              double a[4][4])
{
    double l[4][4] = {{0}}, s[4][4] = {{0}}, low = INFINITY, high = 0, root[4] = {0};
    struct interval own = nothing;
    for (int p = 0; p < n; p++)
        root[p] = a[p][p] > 0 ? sqrt(a[p][p]) : 1;
    scale(n, a, root, s);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            l[p][q] = p == q                                                          ? 1
                      : label[vertex[p]] >= 0 && label[vertex[p]] == label[vertex[q]] ? s[p][q]
                                                                                      : 0;
    if (!symmetric_factor(n, 4, l[0])) { /* at most as many blocks as corners */
        found->low = fmin(found->low, 0);
        found->high = fmax(found->high, n);
        return;
    }
    for (int pass = 0; pass < 2; pass++) /* rows of S L^-T, then of L^-1 S L^-T */
        for (int p = 0; p < n; p++) {
            double x[4];
            for (int q = 0; q < n; q++)
                x[q] = pass ? s[q][p] : s[p][q];
            symmetric_forward(n, 4, l[0], x);
            for (int q = 0; q < n; q++)
                *(pass ? &s[q][p] : &s[p][q]) = x[q];
        }
    for (int p = 0; p < n; p++) {
        low = fmin(low, l[p][p]);
        high = fmax(high, l[p][p]);
        for (int q = 0; q < p; q++)
            s[p][q] = s[q][p] = (s[p][q] + s[q][p]) / 2;
    }
    widen(&own.low, &own.high, n, s);
    const double slack = n * n * 0x1p-50 * (high / low) * (high / low);
    found->low = fmin(found->low, own.low - slack);
    found->high = fmax(found->high, own.high + slack);
}

enum { SPLITS = 3 };

/* *found <- its intersection with the extremes of lambda(D_e^-1 A_e), for h = first .. 2, where corners
 * have h halves of m_i k_ii^e / k_ii and the rest of their mass by measure; label: the clusters of nodes
 * or NULL */
static enum status try_splits(struct interval *found, const struct tensors *tensors, const int32_t *label,
                              int first, const struct scheme_length *of, struct node_sums *sums,
                              struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    TRY(node_sums_find(sums, tensors, error));
    double low[SPLITS] = {INFINITY, INFINITY, INFINITY}, high[SPLITS] = {-INFINITY, -INFINITY, -INFINITY};
#pragma omp parallel for schedule(static) reduction(min : low[:SPLITS]) reduction(max : high[:SPLITS])
    for (int64_t block = 0; block < (mesh->elements + BLOCK - 1) / BLOCK; block++) {
        struct interval own[SPLITS] = {nothing, nothing, nothing};
        for (int64_t e = block * BLOCK; e < mesh->elements && e < (block + 1) * BLOCK; e++) {
            const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
            const int n = mesh_corners(mesh, e);
            double k[4][4], a[4][4], split_mass[4], lumped[4], mass = tensor_stiffness(tensors, e, k) / n;
            if (tensor_is_resistor(tensors, e))
                continue;
            for (int p = 0; p < n; p++) {
                const double stiffness = sums->stiffness[vertex[p]];
                split_mass[p] = stiffness > 0 ? sums->mass[vertex[p]] * (fmax(k[p][p], 0) / stiffness) : mass;
            }
            const bool clustered = has_cluster(label, vertex, n);
            for (int h = first; h < SPLITS; h++) {
                for (int p = 0; p < n; p++)
                    lumped[p] = h / 2.0 * split_mass[p] + (1 - h / 2.0) * mass;
                element_system(n, k, mass, lumped, of, a);
                if (clustered)
                    widen_by_clusters(&own[h], label, vertex, n, a);
                else
                    widen_jacobi(&own[h], n, a);
            }
        }
        for (int h = first; h < SPLITS; h++) {
            low[h] = fmin(low[h], own[h].low);
            high[h] = fmax(high[h], own[h].high);
        }
    }
    for (int h = first; h < SPLITS; h++) {
        found->low = fmax(found->low, low[h]);
        found->high = fmin(found->high, high[h]);
    }
    return STATUS_OK;
}

/* Adds the effect of resistors R with diagonal D_R <= f D: 0 <= R <= 2 D_R, so low (1 - f) and high + (2 -
 * high) f bound lambda(D^-1 A); lambda(M_L^-1 K) grows by at most 2 max_i (sum k) / m_i. */
static void add_fraction(struct interval *found, double fraction)
{
    found->low *= 1 - fraction;
    found->high += fraction * fmax(0, 2 - found->high);
}

enum status spectrum_join(struct element_spectrum *elements, const struct tensors *tensors,
                          const int32_t *label, const struct scheme_length *of, struct node_sums *sums,
                          struct error *error)
{
    double fraction, rate;
    int64_t resistor;
    elements->jacobi = (struct interval){0, tensors->mesh->dimension + 1};
    TRY(try_splits(&elements->jacobi, tensors, label, 0, of, sums, error));
    TRY(find_shares(tensors, of, &fraction, &rate, &resistor, error)); /* never at a node of a cluster */
    add_fraction(&elements->jacobi, fraction);
    elements->jacobi.low -= margin;
    elements->jacobi.high += margin;
    return STATUS_OK;
}

enum status spectrum_elements(struct element_spectrum *of_all, const struct tensors *tensors,
                              const struct scheme_length *of, struct node_sums *sums, struct error *error)
{
    int64_t elements = tensors->mesh->elements, blocks = (elements + BLOCK - 1) / BLOCK;
    struct element_spectrum all = nothing_found();
    double fraction, share_rate;
    double low = INFINITY, high = -INFINITY, lowest_mass = INFINITY;
    double line = -INFINITY, triangle = -INFINITY, tetrahedron = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min                                                      \
                                                    : low, lowest_mass)                                      \
    reduction(max                                                                                            \
              : high, line, triangle, tetrahedron)
    for (int64_t block = 0; block < blocks; block++) {
        struct element_spectrum found = nothing_found();
        int64_t end = (block + 1) * BLOCK < elements ? (block + 1) * BLOCK : elements;
        for (int64_t e = block * BLOCK; e < end; e++)
            if (!tensor_is_resistor(tensors, e))
                visit(tensors, e, of, &found);
        low = fmin(low, found.jacobi.low);
        high = fmax(high, found.jacobi.high);
        lowest_mass = fmin(lowest_mass, found.lowest_mass);
        line = fmax(line, found.rate_of[1]);
        triangle = fmax(triangle, found.rate_of[2]);
        tetrahedron = fmax(tetrahedron, found.rate_of[3]);
    }
    all.jacobi = (struct interval){low, high};
    if (of->lumping > 0 && high > wide * low)
        TRY(try_splits(&all.jacobi, tensors, NULL, 1, of, sums, error));
    all.rate = fmax(fmax(line, triangle), tetrahedron);
    TRY(find_shares(tensors, of, &fraction, &share_rate, &all.resistor, error));
    const double rate_of[4] = {2 * share_rate, fmax(line, 0), fmax(triangle, 0), fmax(tetrahedron, 0)};
    memcpy(all.rate_of, rate_of, sizeof rate_of);
    add_fraction(&all.jacobi, fraction);
    all.rate += rate_of[0];
    all.jacobi.low -= margin;
    all.jacobi.high += margin;
    all.lowest_mass = lowest_mass - margin;
    all.rate *= 1 + margin;
    *of_all = all;
    return STATUS_OK;
}

int64_t spectrum_stiffest(const struct tensors *tensors, double *rate, const struct comm *comm)
{
    const struct mesh *mesh = tensors->mesh;
    double most;
    const struct scheme_length any = {.lumping = 1}; /* rates do not depend on the length */
    uint64_t first = 0;                              /* ~ the lowest number */
    int64_t stiffest = -1;
    *rate = -INFINITY;
    for (int64_t e = 0; e < mesh->elements; e++) {
        struct element_spectrum found = nothing_found();
        if (tensor_is_resistor(tensors, e))
            continue;
        visit(tensors, e, &any, &found);
        const double own = found.rate_of[mesh_corners(mesh, e) - 1];
        if (own > *rate) {
            *rate = own;
            stiffest = e;
        }
    }
    most = *rate;
    comm_most(comm, rate, 1);
    if (stiffest >= 0 && most == *rate)
        first = ~(uint64_t)mesh_element_number(mesh, stiffest);
    comm->engine->largest(comm, COMM_STEPS, &first, 1);
    return (int64_t)~first;
}
