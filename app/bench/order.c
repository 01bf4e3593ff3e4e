/* order.c: the orders that are compared. */
#include <stdlib.h>
#include <string.h>

#include "app/bench/case.h"
#include "app/bench/order.h"
#include "solver/matrix/ordering.h"

/* Shuffles each window of the order (R. Durstenfeld, Commun. ACM 7, 1964, 420). */
static void shuffle(int32_t *order, int64_t n, int64_t window)
{
    for (int64_t first = 0; first < n; first += window) {
        int64_t count = first + window < n ? window : n - first;
        for (int64_t k = count - 1; k > 0; k--) {
            int64_t other = (int64_t)((bench_random((uint64_t)(first + k)) + 1) / 2 * (double)(k + 1));
            int32_t kept = order[first + k];
            order[first + k] = order[first + other];
            order[first + other] = kept;
        }
    }
}

enum status bench_order(const struct bench_matrix *matrix, const char *name, int32_t *order,
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
    enum status status = STATUS_OK;
    if (metis || strcmp(name, "rcm") == 0)
        status = ordering_make(&matrix->pattern, order, error);
    else
        for (int64_t k = 0; k < matrix->rows; k++)
            order[k] = (int32_t)k;
    if (!status && metis)
        status = order_by_parts(&matrix->pattern, order, error);
    if (!status && strcmp(name, "random") == 0)
        shuffle(order, matrix->rows, matrix->rows);
    if (!status && strcmp(name, "windows") == 0)
        shuffle(order, matrix->rows, 2048);
    return status;
}

struct keyed {
    int32_t length, place, node;
};

static int by_length(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    if (left->length != right->length)
        return left->length > right->length ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

enum status bench_sort(const struct bench_matrix *matrix, int64_t window, int32_t *order, struct error *error)
{
    int64_t n = matrix->rows;
    const int64_t *start = matrix->full.start;
    if (window < 2 || n == 0)
        return STATUS_OK;
    struct keyed *keyed = malloc(((size_t)n + 1) * sizeof *keyed);
    if (!keyed)
        return error_memory(error, "the sorting", 12.0 * (double)n);
    for (int64_t k = 0; k < n; k++)
        keyed[k] = (struct keyed){(int32_t)(start[order[k] + 1] - start[order[k]]), (int32_t)k, order[k]};
    for (int64_t first = 0; first < n; first += window)
        qsort(keyed + first, (size_t)(first + window < n ? window : n - first), sizeof *keyed, by_length);
    for (int64_t k = 0; k < n; k++)
        order[k] = keyed[k].node;
    free(keyed);
    return STATUS_OK;
}
