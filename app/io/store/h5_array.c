/* h5_array.c: arrays, texts and groups of an untrusted file; deflated chunks are inflated in parallel
 * (HDF5 itself uses one thread). */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "app/io/store/h5.h"

enum { BATCH = 64, LARGEST = 32 << 20 }; /* chunks in memory at once and their bytes, at most */

/* An array in chunks of whole rows */
struct chunked {
    hid_t id;
    hsize_t rows, chunk;  /* of the array, of a chunk */
    size_t size, bytes;   /* of a value, of a chunk */
    int shuffle, deflate; /* positions in the list of filters; shuffle < 0 = none */
};

/* A chunk as stored */
struct packed {
    unsigned char *bytes;
    hsize_t size;
    uint32_t mask; /* a bit for each filter that was not applied */
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

static bool describe_chunks(struct chunked *of, const struct h5_array *array)
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
    h5_release(create);
    of->chunk = chunk[0];
    of->bytes = good && bytes <= LARGEST ? (size_t)bytes : 0;
    return of->bytes > 0;
}

/* packed <- chunk k as stored; false if it was never written */
static bool fetch_chunk(const struct chunked *of, hsize_t k, struct packed *packed)
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

/* Three times as fast with a size known at compile time */
static void unshuffle(unsigned char *out, const unsigned char *in, size_t n, size_t size)
{
    if (size == 8)
        unshuffle_size(out, in, n, 8);
    else if (size == 4)
        unshuffle_size(out, in, n, 4);
    else
        unshuffle_size(out, in, n, size);
}

static bool has_filter(const struct packed *packed, int filter)
{
    return filter >= 0 && !(packed->mask >> filter & 1);
}

/* out <- the first `bytes` of the chunk; space[2 * of->bytes]: the thread's work space */
static bool unpack_chunk(const struct chunked *of, const struct packed *packed, unsigned char *space,
                         unsigned char *out, size_t bytes)
{
    unsigned char *whole = space;
    uLongf length = of->bytes;
    if (has_filter(packed, of->deflate) &&
        (uncompress(space, &length, packed->bytes, (uLong)packed->size) != Z_OK || length != of->bytes))
        return false;
    if (!has_filter(packed, of->deflate) && packed->size != of->bytes)
        return false;
    if (!has_filter(packed, of->deflate))
        memcpy(space, packed->bytes, of->bytes);
    if (has_filter(packed, of->shuffle))
        unshuffle(whole = space + of->bytes, space, of->bytes / of->size, of->size);
    memcpy(out, whole, bytes);
    return true;
}

/* out <- chunks first .. first + count - 1 */
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
                   unpack_chunk(of, &packed[k], space, out + (size_t)k * of->bytes,
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
        good = fetch_chunk(of, first + (hsize_t)k, &packed[k]);
    good = good && unpack_batch(of, first, count, packed, out);
    for (int k = 0; k < count; k++)
        free(packed[k].bytes);
    return good;
}

/* to[values] <- as H5Tconvert(), which has one thread and clamps, too; `from` is overwritten */
static bool convert(hid_t stored, hid_t type, size_t values, void *from, void *to)
{
    if (H5Tequal(stored, H5T_NATIVE_INT64) > 0 && H5Tequal(type, H5T_NATIVE_INT32) > 0) {
        const int64_t *in = from;
        int32_t *out = to;
#pragma omp parallel for schedule(static)
        for (size_t k = 0; k < values; k++)
            out[k] = in[k] > INT32_MAX ? INT32_MAX : in[k] < INT32_MIN ? INT32_MIN : (int32_t)in[k];
        return true;
    }
    if (H5Tconvert(stored, type, values, from, NULL, H5P_DEFAULT) < 0)
        return false;
    memcpy(to, from, values * H5Tget_size(type));
    return true;
}

/* value <- the chunks from `first` up to row of->rows; other: room for a batch if the stored type is not the
 * requested one, else NULL */
static bool read_all(const struct chunked *of, hsize_t first, hid_t stored, hid_t type, int most, void *other,
                     void *value)
{
    size_t row = of->bytes / of->chunk / of->size, size = H5Tget_size(type); /* values; bytes of one */
    hsize_t chunks = (of->rows + of->chunk - 1) / of->chunk;
    unsigned char *to = value;
    bool good = true;
    for (; first < chunks && good; first += (hsize_t)most) {
        int count = chunks - first < (hsize_t)most ? (int)(chunks - first) : most;
        hsize_t rows = (hsize_t)count * of->chunk, left = of->rows - first * of->chunk;
        size_t values = (rows < left ? rows : left) * row;
        good = read_batch(of, first, count, other ? other : to);
        good = good && (!other || convert(stored, type, values, other, to));
        to += values * size;
    }
    return good;
}

bool h5_chunks_read(const struct h5_array *array, hid_t type, int64_t first, int64_t count, void *value)
{
    struct chunked of;
    hid_t stored = H5Dget_type(array->id);
    bool good = stored >= 0 && describe_chunks(&of, array) && (hsize_t)first % of.chunk == 0 &&
                (hsize_t)count >= of.chunk;
    if (good) {
        of.rows = (hsize_t)(first + count);
        size_t fit = LARGEST / of.bytes < BATCH ? LARGEST / of.bytes : BATCH;
        int threads = omp_get_max_threads(), most = (int)fit < 2 * threads ? (int)fit : 2 * threads;
        size_t widening = (H5Tget_size(type) + of.size - 1) / of.size;
        void *other = H5Tequal(stored, type) > 0 ? NULL : malloc((size_t)most * of.bytes * widening);
        good = (other || H5Tequal(stored, type) > 0) &&
               read_all(&of, (hsize_t)first / of.chunk, stored, type, most, other, value);
        free(other);
    }
    h5_release(stored);
    H5Eclear2(H5E_DEFAULT);
    return good;
}

/* Whether each chunk of these rows is stored with all its bytes, or not at all; true for other layouts than chunks
 * without filters */
static bool are_whole(const struct h5_array *array, int64_t first, int64_t count)
{
    hid_t create = H5Dget_create_plist(array->id);
    hsize_t chunk[3] = {1, 1, 1}, bytes = array->size, at[3] = {0};
    bool good = create >= 0, plain = good && H5Pget_layout(create) == H5D_CHUNKED &&
                                     H5Pget_nfilters(create) == 0 &&
                                     H5Pget_chunk(create, 3, chunk) == array->rank;
    for (int d = 0; d < array->rank; d++)
        bytes *= chunk[d];
    h5_release(create);
    at[0] = (hsize_t)first / chunk[0] * chunk[0];
    while (plain && good && at[0] < (hsize_t)(first + count)) {
        hsize_t stored = 0;
        unsigned mask;
        haddr_t place;
        good = H5Dget_chunk_info_by_coord(array->id, at, &mask, &place, &stored) < 0 || stored == 0 ||
               stored == bytes;
        int d = array->rank - 1;
        for (at[d] += chunk[d]; d > 0 && at[d] >= array->dim[d]; at[d] += chunk[d])
            at[d--] = 0;
    }
    H5Eclear2(H5E_DEFAULT);
    return good;
}

/* Whether the chunks of these rows are as long as they claim, which HDF5 does not check; true also for chunks that were
 * never written. Other filters: are_whole() */
static bool are_sound(const struct h5_array *array, int64_t first, int64_t count)
{
    struct chunked of;
    if (!describe_chunks(&of, array))
        return are_whole(array, first, count);
    unsigned char *space = malloc(3 * of.bytes);
    bool good = space;
    for (hsize_t k = (hsize_t)first / of.chunk; k * of.chunk < (hsize_t)(first + count) && good; k++) {
        struct packed packed = {0};
        good = fetch_chunk(&of, k, &packed)
                   ? unpack_chunk(&of, &packed, space, space + 2 * of.bytes, of.bytes)
                   : packed.size == 0;
        free(packed.bytes);
    }
    free(space);
    H5Eclear2(H5E_DEFAULT);
    return good;
}

#define EXPANSION 1000 /* most bytes of values for each stored byte */

#if H5_VERSION_GE(1, 12, 0) /* H5O_info_t is that of the function's third version */
#define GET_INFO H5Oget_info_by_name3
#else
#define GET_INFO H5Oget_info_by_name2
#endif

static bool is_kind(const struct h5_file *file, const char *name, H5O_type_t kind)
{
    H5O_info_t info;
    bool good = h5_exists(file, name) && GET_INFO(file->id, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
                info.type == kind;
    H5Eclear2(H5E_DEFAULT);
    return good;
}

/* Whether the file has that many bytes; it may have grown since it was opened */
static bool has_bytes(struct h5_file *file, double bytes)
{
    struct stat info;
    if (bytes > file->bytes && stat(file->path, &info) == 0)
        file->bytes = (double)info.st_size;
    return bytes <= file->bytes;
}

/* What is wrong with the storage of the values; NULL = nothing */
static const char *bad_storage(hid_t data, double bytes, struct h5_file *file)
{
    hid_t create = H5Dget_create_plist(data);
    if (create < 0)
        return "its creation properties cannot be read";
    H5D_layout_t layout = H5Pget_layout(create);
    int outside = H5Pget_external_count(create);
    H5Pclose(create);
    if (outside != 0)
        return "its values are in another file";
    if (layout == H5D_VIRTUAL)
        return "it is a view, not an array";
    double stored = (double)H5Dget_storage_size(data);
    if (!has_bytes(file, stored))
        return "it claims more than the file holds";
    if (layout == H5D_CONTIGUOUS && stored > 0 && stored < bytes)
        return "it is shorter than it claims";
    if (bytes > EXPANSION * (stored + 4096))
        return "it claims far more values than it stores";
    return NULL;
}

static enum status fill_shape(struct h5_array *array, struct h5_file *file, const char *name,
                              struct error *error)
{
    hid_t type = H5Dget_type(array->id), space = H5Dget_space(array->id);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    array->real = class == H5T_FLOAT;
    array->size = type < 0 ? 0 : H5Tget_size(type);
    const bool number = type >= 0 && h5_is_number(type);
    array->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool shaped = array->rank >= 1 && array->rank <= 3;
    if (shaped)
        shaped = H5Sget_simple_extent_dims(space, array->dim, NULL) == array->rank;
    h5_release(type);
    h5_release(space);
    if (!number)
        return h5_error(file, STATUS_INPUT, error, "%s is not an array of numbers", name);
    if (!shaped)
        return h5_error(file, STATUS_INPUT, error, "%s has %d dimensions; 1 to 3 are supported", name,
                        array->rank);
    double values = 1;
    array->values = 1;
    for (int d = 0; d < array->rank; d++)
        values *= (double)array->dim[d];
    if (values > 1e15)
        return h5_error(file, STATUS_INPUT, error, "%s claims %.3g values", name, values);
    for (int d = 0; d < array->rank; d++)
        array->values *= (int64_t)array->dim[d];
    return STATUS_OK;
}

enum status h5_array_open_any(struct h5_array *array, struct h5_file *file, const char *name, int rank,
                              struct error *error)
{
    *array = (struct h5_array){.id = -1};
    if (!is_kind(file, name, H5O_TYPE_DATASET))
        return error_set(error, STATUS_INPUT, "%s: there is no array %s", file->path, name);
    array->id = H5Dopen2(file->id, name, H5P_DEFAULT);
    if (array->id < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot open %s", name);
    enum status status;
    TRY_DONE(fill_shape(array, file, name, error));
    if (rank && array->rank != rank)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: %s has %d dimensions, not %d", file->path, name,
                           array->rank, rank));
    const char *bad = bad_storage(array->id, (double)array->values * (double)array->size, file);
    if (bad)
        status = h5_error(file, STATUS_INPUT, error, "%s: %s", name, bad);
done:
    if (status)
        h5_array_close(array);
    return status;
}

enum status h5_array_open(struct h5_array *array, struct h5_file *file, const char *name, bool real, int rank,
                          struct error *error)
{
    TRY(h5_array_open_any(array, file, name, rank, error));
    if (array->real == real)
        return STATUS_OK;
    h5_array_close(array);
    return error_set(error, STATUS_INPUT, "%s: %s holds %s; %s are expected", file->path, name,
                     real ? "integers" : "real numbers", real ? "real numbers" : "integers");
}

enum status h5_array_read(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                          void *value, struct error *error)
{
    return h5_array_slice(array, file, name, type, 0, (int64_t)array->dim[0], value, error);
}

enum status h5_array_slice(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                           int64_t first, int64_t count, void *value, struct error *error)
{
    const int64_t rows = (int64_t)array->dim[0];
    if (first < 0 || count < 0 || first > rows - count)
        return error_set(error, STATUS_INPUT, "%s: %s has %lld values; %lld from %lld on are expected",
                         file->path, name, (long long)rows, (long long)count, (long long)first);
    if (!count || !array->values || h5_chunks_read(array, type, first, count, value))
        return STATUS_OK;
    if (!are_sound(array, first, count))
        return h5_error(file, STATUS_INPUT, error, "cannot read %s: a damaged chunk", name);
    hsize_t start[3] = {(hsize_t)first}, length[3] = {(hsize_t)count, array->dim[1], array->dim[2]};
    hid_t space = H5Dget_space(array->id), memory = H5Screate_simple(array->rank, length, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, length, NULL);
    herr_t got = H5Dread(array->id, type, memory, space, H5P_DEFAULT, value);
    H5Sclose(memory);
    H5Sclose(space);
    if (got < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot read %s", name);
    return STATUS_OK;
}

int64_t h5_array_piece(const struct h5_array *array)
{
    enum { MOST = 1 << 17 }; /* values */
    hid_t create = H5Dget_create_plist(array->id);
    hsize_t chunk[3] = {1};
    if (create >= 0 && H5Pget_layout(create) == H5D_CHUNKED)
        H5Pget_chunk(create, 3, chunk);
    h5_release(create);
    const int64_t rows = (int64_t)array->dim[0], width = rows ? array->values / rows : 1;
    int64_t piece = (int64_t)chunk[0] < rows ? (int64_t)chunk[0] : rows;
    if (piece * width < MOST)
        piece *= MOST / (piece * width > 0 ? piece * width : 1);
    return piece > 0 ? piece : 1;
}

void h5_array_close(struct h5_array *array)
{
    if (array->id > 0)
        H5Dclose(array->id);
    *array = (struct h5_array){.id = -1};
}

enum status h5_read_text(struct h5_file *file, const char *name, char **text, struct error *error)
{
    *text = NULL;
    if (!is_kind(file, name, H5O_TYPE_DATASET))
        return error_set(error, STATUS_INPUT, "%s: there is no text %s", file->path, name);
    hid_t data = H5Dopen2(file->id, name, H5P_DEFAULT), type = -1, space = -1;
    bool good = data >= 0 && (type = H5Dget_type(data)) >= 0 && (space = H5Dget_space(data)) >= 0;
    good = good && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= 1 << 24 &&
           !bad_storage(data, (double)H5Tget_size(type), file);
    if (good)
        *text = calloc(H5Tget_size(type) + 1, 1);
    good = good && *text && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) >= 0;
    enum status status = STATUS_OK;
    if (!good) {
        status = h5_error(file, STATUS_INPUT, error, "%s is not a text", name);
        free(*text);
        *text = NULL;
    }
    h5_release(space);
    h5_release(type);
    h5_release(data);
    return status;
}

struct visit {
    h5_visitor call;
    void *context;
    struct error *error;
    enum status status;
};

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    struct visit *visit = context;
    visit->status = visit->call(visit->context, name, visit->error);
    return visit->status ? 1 : 0;
}

enum status h5_each(struct h5_file *file, const char *group, h5_visitor visit, void *context,
                    struct error *error)
{
    if (!is_kind(file, group, H5O_TYPE_GROUP) && strcmp(group, "/"))
        return error_set(error, STATUS_INPUT, "%s: there is no group %s", file->path, group);
    struct visit each = {visit, context, error, STATUS_OK};
    if (H5Literate_by_name(file->id, group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &each,
                           H5P_DEFAULT) < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot list %s", group);
    return each.status;
}
