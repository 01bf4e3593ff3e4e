/* order_hilbert.c: nodes along Hilbert's curve. */
#include <stdlib.h>

#include "app/bench/order.h"
#include "kernels/base/array.h"

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

enum status order_hilbert(const struct mesh *mesh, int32_t *order, struct error *error)
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
