/* order.c: Hilbert's curve, the parts of METIS, shuffles, and rows sorted by length.
 *
 * Parts with few edges between them keep the x that their rows read close together. METIS chooses the part of each
 * node; its versions may choose differently, which permutes rows but changes no bit of the result. */
#include "app/bench/order.h"

#include <stdlib.h>
#include <string.h>

#include "app/bench/matrix.h"
#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "solver/matrix/ordering.h"

struct on_curve {
    int64_t key, node;
};

/* Position along the Hilbert curve of a cell in a cube of 2^21 cells a side: Skilling's transform, then interleaved
 * bits */
static uint64_t hilbert_key(uint32_t x[3])
{
    const int bits = 21;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        for (int c = 0; c < 3; c++) {
            if (x[c] & q) {
                x[0] ^= q - 1;
            } else {
                uint32_t t = (x[0] ^ x[c]) & (q - 1);
                x[0] ^= t;
                x[c] ^= t;
            }
        }
    x[1] ^= x[0];
    x[2] ^= x[1];
    uint32_t flip = 0;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if (x[2] & q)
            flip ^= q - 1;
    uint64_t key = 0;
    for (int bit = bits - 1; bit >= 0; bit--)
        for (int c = 0; c < 3; c++)
            key = key << 1 | ((x[c] ^ flip) >> bit & 1);
    return key;
}

enum status order_hilbert(const struct mesh *mesh, int32_t *order, struct error *error)
{
    int64_t n = mesh->nodes;
    enum status status = STATUS_OK;
    struct on_curve *on = array_new(n, sizeof *on, "the ordering", &status, error);
    if (status)
        return status;
    double low[3] = {0, 0, 0}, extent = 0;
    for (int c = 0; c < 3; c++) {
        double high = low[c] = mesh->point[c];
        for (int64_t i = 0; i < n; i++) {
            double x = mesh->point[3 * i + c];
            low[c] = x < low[c] ? x : low[c];
            high = x > high ? x : high;
        }
        extent = high - low[c] > extent ? high - low[c] : extent;
    }
    double scale = extent > 0 ? 2097151.0 / extent : 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t cell[3];
        for (int c = 0; c < 3; c++)
            cell[c] = (uint32_t)((mesh->point[3 * i + c] - low[c]) * scale);
        on[i] = (struct on_curve){(int64_t)hilbert_key(cell), i};
    }
    qsort(on, (size_t)n, sizeof *on, compare_int64_pair);
    for (int64_t k = 0; k < n; k++)
        order[k] = (int32_t)on[k].node;
    free(on);
    return STATUS_OK;
}

#ifdef CARDIAC_METIS
#include <metis.h>

bool order_has_metis(void)
{
    return true;
}

/* Whether entry k connects to a row that is present: on a rank, edges among its own rows only */
static bool is_edge(const struct csr *pattern, int64_t k)
{
    int32_t j = pattern->column[k];
    return pattern->start[j + 1] > pattern->start[j];
}

/* The pattern in METIS's integer type: start[rows + 1], column[entries] */
static enum status metis_graph(const struct csr *pattern, idx_t **start, idx_t **column, struct error *error)
{
    int64_t n = pattern->rows, entries = pattern->start[n], at = 0;
    if ((int64_t)(idx_t)entries != entries || (int64_t)(idx_t)n != n)
        return error_set(error, STATUS_INPUT,
                         "the METIS of this build counts with %d bits, and the matrix has %lld entries",
                         (int)(8 * sizeof(idx_t)), (long long)entries);
    enum status status = STATUS_OK;
    *start = array_new(n + 1, sizeof **start, "the ordering", &status, error);
    *column = array_new(entries, sizeof **column, "the ordering", &status, error);
    for (int64_t i = 0; i < n && !status; i++) {
        (*start)[i] = (idx_t)at;
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++)
            if (is_edge(pattern, k))
                (*column)[at++] = (idx_t)pattern->column[k];
    }
    if (!status)
        (*start)[n] = (idx_t)at;
    return status;
}

/* part[rows] <- METIS's part of each node, 0 .. count - 1 */
static enum status find_parts(const struct csr *pattern, int64_t count, int32_t *part, struct error *error)
{
    idx_t nodes = (idx_t)pattern->rows, parts = (idx_t)count, weights = 1, edges_cut = 0, *start = NULL,
          *column = NULL;
    idx_t options[METIS_NOPTIONS];
    enum status status = STATUS_OK;
    idx_t *found = array_new(pattern->rows, sizeof *found, "the ordering", &status, error);
    if (status)
        return status;
    TRY_DONE(metis_graph(pattern, &start, &column, error));
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    int result = METIS_PartGraphKway(&nodes, &weights, start, column, NULL, NULL, NULL, &parts, NULL, NULL,
                                     options, &edges_cut, found);
    if (result != METIS_OK)
        TRY_DONE(result == METIS_ERROR_MEMORY
                     ? error_memory(error, "METIS", 40.0 * (double)pattern->start[nodes])
                     : error_set(error, STATUS_RUN, "METIS cannot order this mesh (its error %d)", result));
    for (int64_t i = 0; i < pattern->rows; i++)
        part[i] = (int32_t)found[i];
done:
    free(found);
    free(start);
    free(column);
    return status;
}

enum status order_by_parts(const struct csr *pattern, int32_t *order, struct error *error)
{
    int64_t n = pattern->rows, parts = ORDER_PARTS + n / ORDER_PART;
    if (n < ORDER_PARTS * ORDER_PARTS)
        return STATUS_OK;
    enum status status = STATUS_OK;
    int32_t *part = array_new(n, sizeof *part, "the ordering", &status, error);
    int32_t *before = array_new(n, sizeof *before, "the ordering", &status, error);
    int64_t *begin = array_zeroed(parts + 1, sizeof *begin, "the ordering", &status, error);
    if (!status)
        status = find_parts(pattern, parts, part, error);
    if (!status) {
        for (int64_t i = 0; i < n; i++)
            begin[part[i] + 1]++;
        for (int64_t p = 0; p < parts; p++)
            begin[p + 1] += begin[p];
        for (int64_t k = 0; k < n; k++)
            before[k] = order[k];
        for (int64_t k = 0; k < n; k++) /* stable: each part keeps the given order */
            order[begin[part[before[k]]]++] = before[k];
    }
    free(part);
    free(before);
    free(begin);
    return status;
}

#else

bool order_has_metis(void)
{
    return false;
}

enum status order_by_parts(const struct csr *pattern, int32_t *order, struct error *error)
{
    (void)pattern, (void)order;
    return error_set(error, STATUS_INPUT, "this build has no METIS (docs/user/building.md)");
}
#endif

/* Shuffles each window of the order (R. Durstenfeld, Commun. ACM 7, 1964, 420). */
static void shuffle_windows(int32_t *order, int64_t n, int64_t window)
{
    for (int64_t first = 0; first < n; first += window) {
        int64_t count = first + window < n ? window : n - first;
        for (int64_t k = count - 1; k > 0; k--) {
            int64_t other = (int64_t)((bits_random_signed((uint64_t)(first + k)) + 1) / 2 * (double)(k + 1));
            int32_t other_node = order[first + k];
            order[first + k] = order[first + other];
            order[first + other] = other_node;
        }
    }
}

enum status order_by_name(const struct bench_matrix *matrix, const char *name, int32_t *order,
                          const char **why_not, struct error *error)
{
    const bool hilbert = strcmp(name, "hilbert") == 0, metis = strcmp(name, "metis") == 0;
    *why_not = hilbert && matrix->mesh.nodes == 0 ? "needs a mesh"
               : metis && !order_has_metis()      ? "this build has no METIS (docs/user/building.md)"
                                                  : NULL;
    if (*why_not)
        return STATUS_OK;
    if (hilbert)
        return order_hilbert(&matrix->mesh, order, error);
    for (int64_t k = 0; k < matrix->rows; k++)
        order[k] = (int32_t)k;
    if (metis || strcmp(name, "rcm") == 0)
        TRY(ordering_make(&matrix->pattern, order, error));
    if (metis)
        TRY(order_by_parts(&matrix->pattern, order, error));
    if (strcmp(name, "random") == 0)
        shuffle_windows(order, matrix->rows, matrix->rows);
    if (strcmp(name, "windows") == 0)
        shuffle_windows(order, matrix->rows, 2048);
    return STATUS_OK;
}

struct by_row {
    int64_t shorter, index; /* minus the row length */
    int32_t node;
};

enum status order_sort(const struct bench_matrix *matrix, int64_t window, int32_t *order, struct error *error)
{
    int64_t n = matrix->rows;
    const int64_t *start = matrix->full.start;
    if (window < 2 || n == 0)
        return STATUS_OK;
    enum status status = STATUS_OK;
    struct by_row *row = array_new(n, sizeof *row, "the sorting", &status, error);
    if (status)
        return status;
    for (int64_t k = 0; k < n; k++)
        row[k] = (struct by_row){start[order[k]] - start[order[k] + 1], k, order[k]};
    for (int64_t first = 0; first < n; first += window)
        qsort(row + first, (size_t)(first + window < n ? window : n - first), sizeof *row,
              compare_int64_pair);
    for (int64_t k = 0; k < n; k++)
        order[k] = row[k].node;
    free(row);
    return STATUS_OK;
}
