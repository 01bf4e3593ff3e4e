/* h5_pack.c: chunks shuffled and deflated in parallel (HDF5 itself uses one thread). */
#include <stdlib.h>
#include <zlib.h>

#include "app/io/store/h5.h"

/* out[b * n + i] = byte b of element i */
static void shuffle(unsigned char *out, const unsigned char *in, size_t n, size_t size)
{
    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < n; i++)
            out[b * n + i] = in[i * size + b];
}

size_t h5_pack_bound(size_t bytes)
{
    return compressBound((uLong)bytes);
}

size_t h5_pack_chunk(unsigned char *packed, const void *bytes, size_t chunk, size_t width, int deflate_level)
{
    unsigned char *shuffled = malloc(chunk);
    uLongf length = h5_pack_bound(chunk);
    if (shuffled)
        shuffle(shuffled, bytes, chunk / width, width);
    const bool good = shuffled && compress2(packed, &length, shuffled, (uLong)chunk, deflate_level) == Z_OK;
    free(shuffled);
    return good ? length : 0;
}

void h5_pack(unsigned char *packed, size_t *size, const void *bytes, int64_t chunks, size_t chunk,
             size_t width, int deflate_level)
{
    const size_t bound = h5_pack_bound(chunk);
#pragma omp for schedule(dynamic)
    for (int64_t k = 0; k < chunks; k++)
        size[k] = h5_pack_chunk(packed + (size_t)k * bound, (const char *)bytes + (size_t)k * chunk, chunk,
                                width, deflate_level);
}
