/* ordering.c: reverse Cuthill-McKee and Hilbert orders. */
#include "solver/matrix/ordering.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static int64_t degree(const struct csr *pattern, int64_t i)
{
    return pattern->start[i + 1] - pattern->start[i];
}

/* By degree, then by mesh number */
static int by_degree(const void *a, const void *b, void *context)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    int64_t left = degree(context, x), right = degree(context, y);
    return left != right ? (left > right) - (left < right) : (x > y) - (x < y);
}

/* The nodes that one node appends, which come in ascending: insertion for the usual few, n log n at a hub */
static void sort_by_degree(const struct csr *pattern, int32_t *node, int64_t count)
{
    if (count > 64) {
        qsort_r(node, (size_t)count, sizeof *node, by_degree, (void *)(uintptr_t)pattern);
        return;
    }
    for (int64_t k = 1; k < count; k++) {
        int32_t moved = node[k];
        int64_t at = k;
        while (at > 0 && degree(pattern, node[at - 1]) > degree(pattern, moved)) {
            node[at] = node[at - 1];
            at--;
        }
        node[at] = moved;
    }
}

/* Breadth-first order of root's component into queue[]; marks its nodes with `mark`. Returns the number of
 * nodes; *last gets the first index of the last level, *depth the number of levels. */
static int64_t breadth_first(const struct csr *pattern, int32_t root, int32_t *queue, int32_t *seen,
                             int32_t mark, int64_t *last, int64_t *depth)
{
    int64_t count = 1, done = 0;
    queue[0] = root;
    seen[root] = mark;
    *depth = 0;
    while (done < count) {
        int64_t level_end = count;
        *last = done;
        ++*depth;
        for (; done < level_end; done++) {
            int64_t first = count;
            for (int64_t k = pattern->start[queue[done]]; k < pattern->start[queue[done] + 1]; k++) {
                int32_t j = pattern->column[k];
                if (seen[j] != mark && degree(pattern, j) > 0) { /* none: another rank's row */
                    seen[j] = mark;
                    queue[count++] = j;
                }
            }
            sort_by_degree(pattern, queue + first, count - first);
        }
    }
    return count;
}

static enum status reverse_cuthill_mckee(const struct csr *pattern, int32_t *order, struct error *error)
{
    int64_t n = pattern->rows, placed = 0;
    enum status status = STATUS_OK;
    /* 0 = not yet, else the mark of the last search */
    int32_t mark = 0, *seen = array_zeroed(n, sizeof *seen, "the ordering", &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++) {
        if (seen[i])
            continue;
        if (degree(pattern, i) == 0) {
            order[placed++] = (int32_t)i;
            continue;
        }
        /* Walk to the far end of the component while that makes it look longer. */
        int32_t root = (int32_t)i;
        int64_t last = 0, depth = 0, before = -1, count = 0;
        for (int trial = 0; trial < 8; trial++) {
            count = breadth_first(pattern, root, order + placed, seen, ++mark, &last, &depth);
            if (depth <= before)
                break;
            before = depth;
            root = order[placed + last];
            for (int64_t k = last; k < count; k++)
                if (degree(pattern, order[placed + k]) < degree(pattern, root))
                    root = order[placed + k];
        }
        placed += count;
    }
    free(seen);
    for (int64_t k = 0; k < n / 2; k++) {
        int32_t kept = order[k];
        order[k] = order[n - 1 - k];
        order[n - 1 - k] = kept;
    }
    return STATUS_OK;
}

struct keyed {
    uint64_t key;
    int32_t node;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

/* Position along the Hilbert curve of a cell of a 2^21 cube: Skilling's transform, then the bits interleaved.
 */
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

static enum status hilbert(const struct mesh *mesh, int32_t *order, struct error *error)
{
    int64_t n = mesh->nodes;
    enum status status = STATUS_OK;
    struct keyed *keyed = array_new(n, sizeof *keyed, "the ordering", &status, error);
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
        keyed[i] = (struct keyed){hilbert_key(cell), (int32_t)i};
    }
    qsort(keyed, (size_t)n, sizeof *keyed, by_key);
    for (int64_t k = 0; k < n; k++)
        order[k] = keyed[k].node;
    free(keyed);
    return STATUS_OK;
}

enum status ordering_make(enum ordering ordering, const struct csr *pattern, const struct mesh *mesh,
                          int32_t *order, struct error *error)
{
    if (ordering == ORDERING_RCM)
        return reverse_cuthill_mckee(pattern, order, error);
    if (ordering == ORDERING_HILBERT)
        return hilbert(mesh, order, error);
    if (ordering == ORDERING_METIS) {
        enum status status = reverse_cuthill_mckee(pattern, order, error);
        return status ? status : ordering_by_parts(pattern, order, error);
    }
    for (int64_t k = 0; k < pattern->rows; k++)
        order[k] = (int32_t)k;
    return STATUS_OK;
}

int64_t ordering_bandwidth(const struct csr *pattern, const int32_t *order)
{
    int32_t *place = malloc(((size_t)pattern->rows + 1) * sizeof *place);
    int64_t widest = place ? 0 : -1;
    for (int64_t k = 0; place && k < pattern->rows; k++)
        place[order[k]] = (int32_t)k;
    for (int64_t i = 0; place && i < pattern->rows; i++)
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            int64_t apart = llabs((long long)place[i] - place[pattern->column[k]]);
            widest = apart > widest ? apart : widest;
        }
    free(place);
    return widest;
}
