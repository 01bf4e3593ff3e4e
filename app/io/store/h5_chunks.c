/* h5_chunks.c: chunks of an array that were shuffled and deflated, inflated by all threads past HDF5, which
 * has one. */
#include "app/io/store/h5.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BATCH = 64, LARGEST = 32 << 20 }; /* chunks in memory at once and their bytes, at most */

/* How an array lies in the file: chunks of whole rows, one behind the other */
struct chunked {
    hid_t id;
    hsize_t rows, chunk;  /* of the array, of a chunk */
    size_t size, bytes;   /* of a value, of a chunk */
    int shuffle, deflate; /* places in the list of filters; shuffle < 0: there is none */
};

/* A chunk on its way */
struct packed {
    unsigned char *bytes;
    hsize_t size;
    uint32_t mask; /* a bit for each filter that it was spared */
};

/* Whether the filters are deflate, with shuffle before it or alone */
static bool find_filters(struct chunked *of, hid_t create)
{
    int filters = H5Pget_nfilters(create);
    of->deflate = filters - 1;
    of->shuffle = filters - 2;
    for (int k = 0; k < filters && filters <= 2; k++) {
        unsigned flags, value[1] = {0};
        size_t values = 1;
        H5Z_filter_t filter = H5Pget_filter2(create, (unsigned)k, &flags, &values, value, 0, NULL, NULL);
        if (k == of->deflate ? filter != H5Z_FILTER_DEFLATE
                             : filter != H5Z_FILTER_SHUFFLE || values < 1 || value[0] != of->size)
            return false;
    }
    return filters == 1 || filters == 2;
}

static bool describe(struct chunked *of, const struct h5_array *array)
{
    hid_t create = H5Dget_create_plist(array->id);
    hsize_t chunk[3] = {0};
    *of = (struct chunked){.id = array->id, .rows = array->dim[0], .size = array->size};
    bool good = create >= 0 && H5Pget_layout(create) == H5D_CHUNKED &&
                H5Pget_chunk(create, 3, chunk) == array->rank && find_filters(of, create);
    double bytes = (double)chunk[0] * (double)array->size;
    for (int d = 1; d < array->rank; d++) {
        good = good && chunk[d] == array->dim[d];
        bytes *= (double)chunk[d];
    }
    if (create >= 0)
        H5Pclose(create);
    of->chunk = chunk[0];
    of->bytes = good && bytes <= LARGEST ? (size_t)bytes : 0;
    return of->bytes > 0;
}

/* packed <- chunk k as it stands in the file; false where there is none, as before anything was written there
 */
static bool fetch(const struct chunked *of, hsize_t k, struct packed *packed)
{
    hsize_t offset[3] = {k * of->chunk, 0, 0};
    if (H5Dget_chunk_storage_size(of->id, offset, &packed->size) < 0 || packed->size == 0 ||
        packed->size > 2 * of->bytes + 1024)
        return false;
    packed->bytes = malloc(packed->size);
    return packed->bytes && H5Dread_chunk(of->id, H5P_DEFAULT, offset, &packed->mask, packed->bytes) >= 0;
}

/* out: byte b of value i is in[b * n + i] */
static inline void unshuffle_size(unsigned char *out, const unsigned char *in, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            out[i * size + b] = in[b * n + i];
}

/* A size that the compiler knows takes a third of the time. */
static void unshuffle(unsigned char *out, const unsigned char *in, size_t n, size_t size)
{
    if (size == 8)
        unshuffle_size(out, in, n, 8);
    else if (size == 4)
        unshuffle_size(out, in, n, 4);
    else
        unshuffle_size(out, in, n, size);
}

static bool has(const struct packed *packed, int filter)
{
    return filter >= 0 && !(packed->mask >> filter & 1);
}

/* out <- the first `bytes` of what the chunk holds; space[2 * of->bytes] is the thread's */
static bool unpack(const struct chunked *of, const struct packed *packed, unsigned char *space,
                   unsigned char *out, size_t bytes)
{
    unsigned char *whole = space;
    uLongf length = of->bytes;
    if (has(packed, of->deflate) &&
        (uncompress(space, &length, packed->bytes, (uLong)packed->size) != Z_OK || length != of->bytes))
        return false;
    if (!has(packed, of->deflate) && packed->size != of->bytes)
        return false;
    if (!has(packed, of->deflate))
        memcpy(space, packed->bytes, of->bytes);
    if (has(packed, of->shuffle))
        unshuffle(whole = space + of->bytes, space, of->bytes / of->size, of->size);
    memcpy(out, whole, bytes);
    return true;
}

/* out <- chunks first .. first + count - 1, which are there */
static bool unpack_batch(const struct chunked *of, hsize_t first, int count, const struct packed *packed,
                         unsigned char *out)
{
    size_t row = of->bytes / of->chunk;
    bool good = true;
#pragma omp parallel reduction(&& : good)
    {
        unsigned char *space = malloc(2 * of->bytes);
#pragma omp for schedule(dynamic)
        for (int k = 0; k < count; k++) {
            hsize_t left = of->rows - (first + (hsize_t)k) * of->chunk;
            good = good && space &&
                   unpack(of, &packed[k], space, out + (size_t)k * of->bytes,
                          (left < of->chunk ? left : of->chunk) * row);
        }
        free(space);
    }
    return good;
}

static bool read_batch(const struct chunked *of, hsize_t first, int count, unsigned char *out)
{
    struct packed packed[BATCH] = {{0}};
    bool good = true;
    for (int k = 0; k < count && good; k++)
        good = fetch(of, first + (hsize_t)k, &packed[k]);
    good = good && unpack_batch(of, first, count, packed, out);
    for (int k = 0; k < count; k++)
        free(packed[k].bytes);
    return good;
}

/* value <- all chunks; other[] has room for a batch where their type is not the wanted one, else NULL */
static bool read_all(const struct chunked *of, hid_t stored, hid_t type, int most, void *other, void *value)
{
    size_t row = of->bytes / of->chunk / of->size, size = H5Tget_size(type); /* values; bytes of one */
    hsize_t chunks = (of->rows + of->chunk - 1) / of->chunk;
    unsigned char *to = value;
    bool good = true;
    for (hsize_t first = 0; first < chunks && good; first += (hsize_t)most) {
        int count = chunks - first < (hsize_t)most ? (int)(chunks - first) : most;
        hsize_t rows = (hsize_t)count * of->chunk, left = of->rows - first * of->chunk;
        size_t values = (rows < left ? rows : left) * row;
        good = read_batch(of, first, count, other ? other : to);
        good = good && (!other || H5Tconvert(stored, type, values, other, NULL, H5P_DEFAULT) >= 0);
        if (good && other)
            memcpy(to, other, values * size);
        to += values * size;
    }
    return good;
}

bool h5_chunks_read(const struct h5_array *array, hid_t type, void *value)
{
    struct chunked of;
    hid_t stored = H5Dget_type(array->id);
    bool good = stored >= 0 && describe(&of, array);
    if (good) {
        size_t fit = LARGEST / of.bytes < BATCH ? LARGEST / of.bytes : BATCH;
        int threads = omp_get_max_threads(), most = (int)fit < 2 * threads ? (int)fit : 2 * threads;
        size_t widening = (H5Tget_size(type) + of.size - 1) / of.size;
        void *other = H5Tequal(stored, type) > 0 ? NULL : malloc((size_t)most * of.bytes * widening);
        good = (other || H5Tequal(stored, type) > 0) && read_all(&of, stored, type, most, other, value);
        free(other);
    }
    if (stored >= 0)
        H5Tclose(stored);
    H5Eclear2(H5E_DEFAULT);
    return good;
}
