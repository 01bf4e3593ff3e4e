/* cluster_rows.c: the columns and entries of the rows of clusters. */
#include "solver/matrix/cluster_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/matrix/symmetric.h"

static const char what[] = "the rows of clusters";

enum { MOST = CLUSTERS_MOST };

/* columns[] <- the union of the columns of cluster z's rows and its nodes, ascending; returns their number */
static int64_t unite_columns(const struct csr *k, const struct clusters *c, int64_t z, int32_t *columns)
{
    int64_t all = 0, count = 0;
    for (int64_t s = c->begin[z]; s < c->begin[z + 1]; s++) {
        const int32_t i = c->node[s];
        columns[all++] = i;
        for (int64_t e = k->start[i]; e < k->start[i + 1]; e++)
            columns[all++] = k->column[e];
    }
    qsort(columns, (size_t)all, sizeof *columns, compare_int32);
    for (int64_t e = 0; e < all; e++)
        if (count == 0 || columns[e] != columns[count - 1])
            columns[count++] = columns[e];
    return count;
}

/* The columns of each cluster: count[z] from column[begin[z]] on */
struct unions {
    int64_t *begin, *count;
    int32_t *column;
};

static enum status find_unions(struct unions *unions, const struct csr *k, const struct clusters *c,
                               struct error *error)
{
    enum status status = STATUS_OK;
    unions->begin = array_zeroed(c->count + 1, sizeof *unions->begin, what, &status, error);
    unions->count = array_new(c->count, sizeof *unions->count, what, &status, error);
    TRY(status);
    for (int64_t z = 0; z < c->count; z++) {
        int64_t most = c->begin[z + 1] - c->begin[z];
        for (int64_t s = c->begin[z]; s < c->begin[z + 1]; s++)
            most += k->start[c->node[s] + 1] - k->start[c->node[s]];
        unions->begin[z + 1] = unions->begin[z] + most;
    }
    unions->column = array_new(unions->begin[c->count], sizeof *unions->column, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t z = 0; z < c->count; z++)
        unions->count[z] = unite_columns(k, c, z, unions->column + unions->begin[z]);
    return STATUS_OK;
}

/* Copies row i of `from` to `to`; if column is not NULL, with the columns of its cluster, which include
 * the row's */
static void copy_row(struct system *to, const struct system *from, int64_t i, const int32_t *column)
{
    int64_t had = from->k.start[i];
    for (int64_t at = to->k.start[i]; at < to->k.start[i + 1]; at++, column += column != NULL) {
        column += column && *column == i;
        const bool has = !column || (had < from->k.start[i + 1] && from->k.column[had] == *column);
        to->k.column[at] = column ? *column : from->k.column[had];
        to->k.value[at] = has ? from->k.value[had] : 0;
        if (from->mass)
            to->mass[at] = has ? from->mass[had] : 0;
        had += has;
    }
}

/* Row i of `to`, whose columns are a subset of those of `from`, <- its values there */
static void pick_row(struct system *to, const struct system *from, int64_t i, const int32_t *column)
{
    int64_t at = from->k.start[i];
    for (int64_t entry = to->k.start[i]; entry < to->k.start[i + 1]; entry++) {
        while (from->k.column[at] != *column)
            at++;
        to->k.column[entry] = *column++;
        to->k.value[entry] = from->k.value[at];
        if (from->mass)
            to->mass[entry] = from->mass[at];
    }
}

/* Memory for the entries of *to, whose k.start[] is set */
static enum status new_entries(struct system *to, bool with_mass, struct error *error)
{
    const int64_t entries = to->k.start[to->k.rows];
    enum status status = STATUS_OK;
    to->k.column = array_new(entries, sizeof *to->k.column, what, &status, error);
    to->k.value = array_new(entries, sizeof *to->k.value, what, &status, error);
    if (with_mass)
        to->mass = array_new(entries, sizeof *to->mass, what, &status, error);
    return status;
}

/* Initialises *to with a new pattern for the rows of `from` */
static enum status new_pattern(struct system *to, const struct system *from, struct error *error)
{
    enum status status = STATUS_OK;
    *to = *from;
    to->mass = NULL;
    to->narrow = (struct csr){0};
    to->k = (struct csr){.rows = from->k.rows, .columns = from->k.columns};
    to->k.start = array_zeroed(from->k.rows + 1, sizeof *to->k.start, what, &status, error);
    return status;
}

static void free_pattern(struct system *system)
{
    csr_free(&system->k);
    csr_free(&system->narrow);
    free(system->mass);
}

/* narrow <- the original columns of the rows of clusters */
static enum status list_columns(struct csr *narrow, const struct csr *k, const struct clusters *c,
                                struct error *error)
{
    enum status status = STATUS_OK;
    narrow->rows = c->nodes;
    narrow->start = array_zeroed(c->nodes + 1, sizeof *narrow->start, what, &status, error);
    TRY(status);
    for (int64_t s = 0; s < c->nodes; s++)
        narrow->start[s + 1] = narrow->start[s] + k->start[c->node[s] + 1] - k->start[c->node[s]];
    narrow->column = array_new(narrow->start[c->nodes], sizeof *narrow->column, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < c->nodes; s++)
        memcpy(narrow->column + narrow->start[s], k->column + k->start[c->node[s]],
               (size_t)(narrow->start[s + 1] - narrow->start[s]) * sizeof *narrow->column);
    return STATUS_OK;
}

enum status clusters_expand(struct system *system, const struct clusters *c, struct error *error)
{
    const struct csr *k = &system->k;
    struct unions unions = {0};
    struct system wide;
    enum status status = new_pattern(&wide, system, error);
    TRY_DONE(status);
    TRY_DONE(list_columns(&wide.narrow, k, c, error));
    TRY_DONE(find_unions(&unions, k, c, error));
    for (int64_t i = 0; i < k->rows; i++) {
        const int64_t z = c->label[i];
        wide.k.start[i + 1] = wide.k.start[i] + (z < 0 ? k->start[i + 1] - k->start[i] : unions.count[z] - 1);
    }
    TRY_DONE(new_entries(&wide, system->mass != NULL, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < k->rows; i++)
        copy_row(&wide, system, i, c->label[i] < 0 ? NULL : unions.column + unions.begin[c->label[i]]);
    wide.clusters = c;
    free_pattern(system);
    *system = wide;
    wide = (struct system){0};
done:
    free_pattern(&wide);
    free(unions.begin);
    free(unions.count);
    free(unions.column);
    return status;
}

enum status clusters_restore(struct system *system, struct error *error)
{
    const struct clusters *c = system->clusters;
    struct system before;
    if (!c)
        return STATUS_OK;
    enum status status = new_pattern(&before, system, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < system->k.rows; i++) {
        const struct csr *from = c->slot[i] < 0 ? &system->k : &system->narrow;
        const int64_t row = c->slot[i] < 0 ? i : c->slot[i];
        before.k.start[i + 1] = before.k.start[i] + from->start[row + 1] - from->start[row];
    }
    TRY_DONE(new_entries(&before, system->mass != NULL, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++)
        pick_row(&before, system, i,
                 c->slot[i] < 0 ? system->k.column + system->k.start[i]
                                : system->narrow.column + system->narrow.start[c->slot[i]]);
    before.clusters = NULL;
    free_pattern(system);
    *system = before;
    before = (struct system){0};
done:
    free_pattern(&before);
    return status;
}

static double *new_values(int64_t count, enum status *status, struct error *error)
{
    return array_new(count, sizeof(double), what, status, error);
}

/* Memory for the rows of all clusters */
static enum status rows_new(struct cluster_rows *rows, const struct system *system, const struct clusters *c,
                            struct error *error)
{
    enum status status = STATUS_OK;
    int64_t entries = 0;
    rows->first = array_new(c->nodes, sizeof *rows->first, what, &status, error);
    TRY(status);
    for (int64_t s = 0; s < c->nodes; s++) {
        rows->first[s] = entries;
        entries += system->k.start[c->node[s] + 1] - system->k.start[c->node[s]];
    }
    rows->sweep = new_values(entries, &status, error);
    rows->product = new_values(entries, &status, error);
    rows->diagonal = new_values(c->nodes, &status, error);
    rows->rounding = new_values(c->nodes, &status, error);
    return status;
}

void cluster_rows_free(struct cluster_rows *rows)
{
    free(rows->first);
    free(rows->sweep);
    free(rows->product);
    free(rows->diagonal);
    free(rows->rounding);
    *rows = (struct cluster_rows){0};
}

/* A cluster in dense form: by column, the rows of A = B + E and of the right-hand side's product. All its
 * rows have the same columns (clusters_expand), except for their own. */
struct dense {
    int n;
    const int32_t *node;
    int own[MOST]; /* the index of each node among these columns */
    double mass[MOST], matrix[MOST][MOST], factor[MOST][MOST];
};

/* Index of the entry of node p's row in column u of the cluster; -1 = the row's own column */
static int64_t entry_at(const struct dense *d, const struct system *system, int p, int u)
{
    return u == d->own[p] ? -1 : system->k.start[d->node[p]] + u - (u > d->own[p]);
}

/* Sets own[] from the first node's row */
static void find_own(struct dense *d, const struct csr *k)
{
    const int64_t start = k->start[d->node[0]], count = k->start[d->node[0] + 1] - start;
    int below = 0;
    while (below < count && k->column[start + below] < d->node[0])
        below++;
    d->own[0] = below;
    for (int p = 1; p < d->n; p++) {
        const int at = (int)compare_search(k->column + start, count, d->node[p]);
        d->own[p] = at + (at >= below);
    }
}

/* matrix <- A of the cluster's nodes */
static void set_system(struct dense *d, const struct system *system, const struct scheme_length *of,
                       const double *diagonal)
{
    for (int p = 0; p < d->n; p++)
        for (int q = 0; q < d->n; q++)
            d->matrix[p][q] =
                p == q ? diagonal[d->node[p]] : system_sweep(system, of, entry_at(d, system, p, d->own[q]));
}

/* matrix <- matrix + S (clusters.h) */
static void hold_modes(struct dense *d, const struct system *system, double tau)
{
    double k[MOST][MOST];
    for (int p = 0; p < d->n; p++)
        for (int q = 0; q < d->n; q++)
            k[p][q] = p == q ? 0 : system->k.value[entry_at(d, system, p, d->own[q])];
    cluster_hold(d->n, d->mass, k, tau, d->matrix);
}

/* Factorises the matrix; *condition <- (largest / smallest pivot)^2, the order of magnitude of the
 * condition of the scaled matrix. False if it is not positive definite */
static bool factor_matrix(struct dense *d, double *condition)
{
    double low = INFINITY, high = 0;
    memcpy(d->factor, d->matrix, sizeof d->matrix);
    if (!symmetric_factor(d->n, MOST, d->factor[0]))
        return false;
    for (int p = 0; p < d->n; p++) {
        const double pivot = d->factor[p][p] / sqrt(d->matrix[p][p]);
        low = fmin(low, pivot);
        high = fmax(high, pivot);
    }
    *condition = high / low * (high / low);
    return true;
}

static void solve_factored(const struct dense *d, double *x)
{
    symmetric_forward(d->n, MOST, d->factor[0], x);
    symmetric_backward(d->n, MOST, d->factor[0], x);
}

/* The least lambda(B^-1 (mu M_L + theta dt S)), minus its rounding error */
static double least_eigenvalue(const struct dense *d, double inside[CLUSTERS_SOLVED][CLUSTERS_SOLVED],
                               double mu, double theta_dt, double condition)
{
    double s[MOST][MOST], x[MOST], low = INFINITY;
    for (int p = 0; p < d->n; p++)
        for (int q = 0; q < d->n; q++)
            s[p][q] = theta_dt * inside[p][q] + (p == q ? mu * d->mass[p] : 0);
    for (int pass = 0; pass < 2; pass++) /* L^-1 s L^-T */
        for (int p = 0; p < d->n; p++) {
            for (int q = 0; q < d->n; q++)
                x[q] = pass ? s[q][p] : s[p][q];
            symmetric_forward(d->n, MOST, d->factor[0], x);
            for (int q = 0; q < d->n; q++)
                *(pass ? &s[q][p] : &s[p][q]) = x[q];
        }
    symmetric_eigen(d->n, MOST, s[0], NULL);
    for (int p = 0; p < d->n; p++)
        low = fmin(low, s[p][p]);
    return low - d->n * d->n * condition * 0x1p-50;
}

/* Entries in column u of cluster z <- B^-1 x, scaled row by row; own: omitted */
static void store_column(const struct dense *d, const struct system *system, const struct cluster_rows *rows,
                         double *values, int64_t z, int u, const double *x)
{
    for (int p = 0; p < d->n; p++) {
        const int64_t slot = rows->clusters->begin[z] + p, entry = entry_at(d, system, p, u);
        if (entry >= 0)
            values[rows->first[slot] + entry - system->k.start[d->node[p]]] = rows->diagonal[slot] * x[p];
    }
}

/* r_ij of node p in column u; in its own column minus the sum of the other entries */
static double product_at(const struct dense *d, const struct system *system, const struct scheme_length *of,
                         int p, int u)
{
    const int64_t entry = entry_at(d, system, p, u);
    const int32_t i = d->node[p];
    double sum = 0;
    if (entry >= 0)
        return system_product(system, of, entry);
    for (int64_t e = system->k.start[i]; e < system->k.start[i + 1]; e++)
        sum -= system_product(system, of, e);
    return sum;
}

/* Computes both kinds of entries in column u of cluster z, which is node j */
static void make_column(const struct dense *d, const struct system *system, const struct scheme_length *of,
                        const struct cluster_rows *rows, int64_t z, int u, int32_t j)
{
    double sweep[MOST], product[MOST];
    const bool held = rows->clusters->held > 0, inside = rows->clusters->label[j] == z;
    for (int p = 0; p < d->n; p++) {
        const int64_t entry = entry_at(d, system, p, u);
        product[p] = product_at(d, system, of, p, u);
        sweep[p] = inside || entry < 0 ? 0 : system_sweep(system, of, entry);
    }
    solve_factored(d, product);
    store_column(d, system, rows, rows->product, z, u, product);
    if (!held)
        solve_factored(d, sweep);
    store_column(d, system, rows, rows->sweep, z, u, held ? product : sweep);
}

/* Computes the rows of cluster z; *low <- at most its least_eigenvalue. False if its block
 * has no factors or a diagonal is not positive */
static bool make_cluster(struct cluster_rows *rows, const struct system *system,
                         const struct scheme_length *of, const double *diagonal, double mu, int64_t z,
                         double *low)
{
    const struct clusters *c = rows->clusters;
    struct dense d = {.n = (int)(c->begin[z + 1] - c->begin[z]), .node = c->node + c->begin[z]};
    double share[MOST], condition;
    const int32_t first = d.node[0];
    find_own(&d, &system->k);
    for (int p = 0; p < d.n; p++)
        d.mass[p] = share[p] = system->lumped[d.node[p]];
    for (int p = 0; p < d.n && c->held > 0; p++)
        d.matrix[p][p] = d.mass[p];
    if (!(c->held > 0))
        set_system(&d, system, of, diagonal);
    if (c->held > 0 || c->damped)
        hold_modes(&d, system, c->held > 0 ? c->held * of->theta_dt : of->theta_dt);
    if (!factor_matrix(&d, &condition))
        return false;
    if (!c->held)
        *low = fmin(*low, least_eigenvalue(&d, c->inside[z], mu, of->theta_dt, condition));
    solve_factored(&d, share);
    for (int p = 0; p < d.n; p++) {
        rows->diagonal[c->begin[z] + p] = c->held ? d.mass[p] : d.mass[p] / share[p];
        rows->rounding[c->begin[z] + p] = d.n * d.n * condition * 0x1p-50;
        if (!c->held && !(share[p] > 0))
            return false;
    }
    make_column(&d, system, of, rows, z, d.own[0], first);
    for (int64_t e = system->k.start[first]; e < system->k.start[first + 1]; e++) {
        const int at = (int)(e - system->k.start[first]);
        make_column(&d, system, of, rows, z, at + (at >= d.own[0]), system->k.column[e]);
    }
    return true;
}

enum status cluster_rows_make(struct cluster_rows *rows, const struct system *system,
                              const struct scheme_length *of, const double *diagonal, struct error *error)
{
    const struct clusters *c = system->clusters;
    const double mu = of->lumping + (1 - of->lumping) / (system->dimension + 2);
    double low = INFINITY;
    bool regular = true;
    *rows = (struct cluster_rows){.clusters = c, .low = low};
    if (!c)
        return STATUS_OK;
    enum status status = rows_new(rows, system, c, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(dynamic, 16) reduction(min : low) reduction(&& : regular)
    for (int64_t z = 0; z < c->count; z++)
        regular = make_cluster(rows, system, of, diagonal, mu, z, &low) && regular;
    rows->low = low;
    if (!regular)
        status = error_set(error, STATUS_RUN, "the block of a cluster of nodes is singular");
done:
    if (status)
        cluster_rows_free(rows);
    return status;
}
