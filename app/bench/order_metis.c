/* order_metis.c: an order by the parts of METIS 5 (G. Karypis and V. Kumar), where the build has found it.
 *
 * Parts that share few edges keep the x that their rows read together; which node falls into which part is
 * METIS's business and may differ between its versions. It moves rows, never a bit of the result. */
#include "app/bench/order.h"

#include <stdlib.h>

#ifdef CARDIAC_METIS
#include <metis.h>

#include "kernels/base/array.h"

bool order_has_metis(void)
{
    return true;
}

/* Entries of rows that are here, in both directions: of a rank's rows those among each other */
static bool is_edge(const struct csr *pattern, int64_t k)
{
    int32_t j = pattern->column[k];
    return pattern->start[j + 1] > pattern->start[j];
}

/* The pattern as METIS numbers it: start[rows + 1], column[entries] */
static enum status as_graph(const struct csr *pattern, idx_t **start, idx_t **column, struct error *error)
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

/* part[rows] <- METIS's part of each node, below `count` */
static enum status find_parts(const struct csr *pattern, int64_t count, int32_t *part, struct error *error)
{
    idx_t nodes = (idx_t)pattern->rows, parts = (idx_t)count, weights = 1, edges_cut = 0, *start = NULL,
          *column = NULL;
    idx_t options[METIS_NOPTIONS];
    enum status status = STATUS_OK;
    idx_t *found = array_new(pattern->rows, sizeof *found, "the ordering", &status, error);
    AND(as_graph(pattern, &start, &column, error));
    if (!status) {
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_NUMBERING] = 0;
        int done = METIS_PartGraphKway(&nodes, &weights, start, column, NULL, NULL, NULL, &parts, NULL, NULL,
                                       options, &edges_cut, found);
        if (done != METIS_OK)
            status = done == METIS_ERROR_MEMORY
                         ? error_memory(error, "METIS", 40.0 * (double)pattern->start[nodes])
                         : error_set(error, STATUS_RUN, "METIS cannot order this mesh (its error %d)", done);
    }
    for (int64_t i = 0; i < pattern->rows && !status; i++)
        part[i] = (int32_t)found[i];
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
    AND(find_parts(pattern, parts, part, error));
    if (!status) {
        for (int64_t i = 0; i < n; i++)
            begin[part[i] + 1]++;
        for (int64_t p = 0; p < parts; p++)
            begin[p + 1] += begin[p];
        for (int64_t k = 0; k < n; k++)
            before[k] = order[k];
        for (int64_t k = 0; k < n; k++) /* stable: a part keeps the order that came in */
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
