/* h5_put.c: datasets, groups and attributes written; arrays also in blocks of rows, which all threads make and pack while
 * the block before is written. */
#include "app/io/store/h5.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/store/journal.h"
#include "kernels/base/array.h"

/* A creation list with shuffle and deflate, in chunks along the first dimension: 16 for as many threads, but of
 * 128 KiB at least and 1 MiB at most */
static void set_deflate(hid_t create, hid_t type, int rank, const hsize_t *dim, int deflate)
{
    enum { LEAST = 128 << 10, MOST = 1 << 20, CHUNKS = 16 };
    hsize_t chunk[3], row = H5Tget_size(type);
    for (int d = 0; d < rank; d++)
        chunk[d] = dim[d];
    for (int d = 1; d < rank; d++)
        row *= dim[d];
    const hsize_t part = dim[0] * row / CHUNKS, bytes = part < LEAST ? LEAST : part < MOST ? part : MOST;
    if (chunk[0] * row > bytes)
        chunk[0] = row < bytes ? bytes / row : 1;
    H5Pset_chunk(create, rank, chunk);
    H5Pset_shuffle(create);
    H5Pset_deflate(create, (unsigned)deflate);
}

static hid_t link_list(void)
{
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(list, 1);
    return list;
}

/* A new dataset, open; < 0 = failed */
static hid_t create_data(const struct h5_file *file, const char *name, hid_t stored, int rank,
                         const hsize_t *dim, hid_t create, int deflate)
{
    hid_t space = rank ? H5Screate_simple(rank, dim, NULL) : H5Screate(H5S_SCALAR), link = link_list();
    if (deflate && rank && dim[0] > 0)
        set_deflate(create, stored, rank, dim, deflate);
    hid_t data = H5Dcreate2(file->id, name, stored, space, link, create, H5P_DEFAULT);
    H5Pclose(link);
    H5Sclose(space);
    return data;
}

enum status h5_put(struct h5_file *file, const char *name, hid_t type, int rank, const hsize_t *dim,
                   const void *value, const void *fill, int deflate, struct error *error)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (fill)
        H5Pset_fill_value(create, type, fill);
    if (!value)
        H5Pset_fill_time(create, H5D_FILL_TIME_ALLOC);
    hid_t data = create_data(file, name, type, rank, dim, create, deflate);
    herr_t written = data < 0 || !value ? 0 : H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    enum status status = STATUS_OK;
    if (data < 0 || written < 0 || H5Dclose(data) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write %s", name);
    H5Pclose(create);
    return status;
}

enum status h5_reserve(struct h5_file *file, const char *name, hid_t type, int64_t count,
                       struct h5_space *space, struct error *error)
{
    const hsize_t dim = (hsize_t)count;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
    hid_t data = create_data(file, name, type, 1, &dim, create, 0);
    const haddr_t offset = data < 0 ? HADDR_UNDEF : H5Dget_offset(data);
    enum status status = STATUS_OK;
    if (offset == HADDR_UNDEF || H5Fget_vfd_handle(file->id, H5P_DEFAULT, &space->file) < 0 ||
        H5Dclose(data) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write %s", name);
    space->offset = (int64_t)offset;
    H5Pclose(create);
    return status;
}

bool h5_fill(const struct h5_space *space, int64_t at, size_t size, const void *bytes)
{
    return journal_fill(space->file, (haddr_t)(space->offset + at), size, bytes);
}

void h5_filled(const struct h5_space *space, int64_t size)
{
    journal_hurry(space->file, (haddr_t)space->offset, size);
}

enum { PACK_LEVEL = 1 }; /* of deflate: 9 saves 2 % more of a mesh */

/* Chunks being packed: of rows first .. first + count - 1 */
struct pack {
    int64_t first, count, rows; /* rows: of a chunk */
    size_t row, chunk;          /* values of a row; bytes of a chunk */
    size_t size, stored;        /* bytes of a value in memory and in the file */
    int level;                  /* of deflate */
    char *value;                /* in memory */
    size_t *packed;             /* bytes of each packed chunk, 0 = it failed */
    unsigned char *bytes;
};

static int64_t count_chunks(const struct pack *pack)
{
    return (pack->count + pack->rows - 1) / pack->rows;
}

/* to[n] <- from[n]: the same, or float of double, or int64 of int32, by their sizes */
static void convert_values(const struct pack *pack, void *to, const void *from, size_t n)
{
    if (pack->stored == pack->size)
        memcpy(to, from, n * pack->size);
    for (size_t k = 0; k < n && pack->stored < pack->size; k++)
        ((float *)to)[k] = (float)((const double *)from)[k];
    for (size_t k = 0; k < n && pack->stored > pack->size; k++)
        ((int64_t *)to)[k] = ((const int32_t *)from)[k];
}

/* Packs chunk k; room: workspace [chunk], NULL = fail. The part of the chunk beyond the rows is 0. */
static void pack_chunk(const struct pack *pack, int64_t k, unsigned char *room)
{
    const int64_t rows =
        pack->count - k * pack->rows < pack->rows ? pack->count - k * pack->rows : pack->rows;
    const size_t values = (size_t)rows * pack->row, filled = values * pack->stored;
    if (room) {
        convert_values(pack, room, pack->value + (size_t)(k * pack->rows) * pack->row * pack->size, values);
        memset(room + filled, 0, pack->chunk - filled);
    }
    pack->packed[k] = room ? h5_pack_chunk(pack->bytes + (size_t)k * h5_pack_bound(pack->chunk), room,
                                           pack->chunk, pack->stored, pack->level)
                           : 0;
}

/* Every thread of a parallel region must call it; the chunks are divided among them. */
static void pack_chunks(const struct pack *pack)
{
    unsigned char *room = malloc(pack->chunk);
#pragma omp for schedule(dynamic)
    for (int64_t k = 0; k < count_chunks(pack); k++)
        pack_chunk(pack, k, room);
    free(room);
}

static bool write_chunks(hid_t data, const struct pack *pack)
{
    bool good = true;
    for (int64_t k = 0; k < count_chunks(pack) && good; k++) {
        hsize_t offset[3] = {(hsize_t)(pack->first + k * pack->rows)};
        const unsigned char *bytes = pack->bytes + (size_t)k * h5_pack_bound(pack->chunk);
        good =
            pack->packed[k] > 0 && H5Dwrite_chunk(data, H5P_DEFAULT, 0, offset, pack->packed[k], bytes) >= 0;
    }
    return good;
}

/* All threads make the rows of a block, then pack it, while this one writes the block before and one views it. */
static bool put_blocks(hid_t data, struct pack pack[2], int64_t rows, int64_t block, h5_rows_maker make,
                       h5_rows_viewer view, const void *context)
{
    bool good = true;
    for (int64_t first = 0, current = 0; first < rows + block && good; first += block, current = !current) {
        struct pack *own = &pack[current];
        own->first = first;
        own->count = rows - first < 0 ? 0 : rows - first < block ? rows - first : block;
        if (own->count > 0)
            make(context, first, own->count, own->value);
#pragma omp parallel
        {
#pragma omp master
            good = write_chunks(data, &pack[!current]);
#pragma omp single nowait
            if (view && own->count > 0)
                view(context, own->count, own->value);
            pack_chunks(own);
        }
    }
    return good;
}

/* Writes all rows of an open array in deflated chunks of whole rows; file: of rows[dim[1]][dim[2]] */
static enum status put_rows(struct h5_file *file, const char *name, hid_t data, hid_t create, int level,
                            hid_t type, int rank, const hsize_t *dim, h5_rows_maker make, h5_rows_viewer view,
                            const void *context, int64_t rows_at_once, struct error *error)
{
    int64_t batch = 2 * (int64_t)omp_get_max_threads(); /* chunks packed in parallel */
    hsize_t chunk[3] = {1};
    hid_t stored = H5Dget_type(data);
    struct pack pack[2] = {
        {.row = 1, .size = H5Tget_size(type), .stored = H5Tget_size(stored), .level = level}};
    enum status status = STATUS_OK;
    H5Tclose(stored);
    if (dim[0] > 0)
        H5Pget_chunk(create, rank, chunk);
    for (int d = 1; d < rank; d++)
        pack->row *= dim[d];
    pack->rows = (int64_t)chunk[0];
    pack->chunk = chunk[0] * pack->row * pack->stored;
    while (batch * pack->rows % rows_at_once != 0)
        batch++;
    const int64_t block = batch * pack->rows;
    pack->value = array_new(block, pack->row * pack->size, name, &status, error);
    pack[1] = pack[0];
    for (int k = 0; k < 2; k++) {
        pack[k].bytes = array_new(batch, h5_pack_bound(pack->chunk), name, &status, error);
        pack[k].packed = array_new(batch, sizeof *pack->packed, name, &status, error);
    }
    if (!status && !put_blocks(data, pack, (int64_t)dim[0], block, make, view, context))
        status = h5_error(file, STATUS_RUN, error, "cannot write %s", name);
    free(pack->value);
    for (int k = 0; k < 2; k++) {
        free(pack[k].packed);
        free(pack[k].bytes);
    }
    return status;
}

/* Closes an array that was written */
static enum status close_data(struct h5_file *file, const char *name, hid_t data, enum status status,
                              struct error *error)
{
    if (data < 0 || H5Dclose(data) >= 0 || status)
        return status;
    return h5_error(file, STATUS_RUN, error, "cannot write %s", name);
}

enum status h5_put_made(struct h5_file *file, const char *name, hid_t stored, hid_t type, int rank,
                        const hsize_t *dim, h5_rows_maker make, h5_rows_viewer view, const void *context,
                        int64_t rows_at_once, struct error *error)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE),
          data = create_data(file, name, stored, rank, dim, create, PACK_LEVEL);
    enum status status = data < 0 ? h5_error(file, STATUS_RUN, error, "cannot write %s", name)
                                  : put_rows(file, name, data, create, PACK_LEVEL, type, rank, dim, make,
                                             view, context, rows_at_once, error);
    status = close_data(file, name, data, status, error);
    H5Pclose(create);
    return status;
}

/* A type with the text's length, at least 1 */
static hid_t text_type(const char *text)
{
    size_t length = strlen(text);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

enum status h5_put_text(struct h5_file *file, const char *name, const char *text, struct error *error)
{
    hid_t type = text_type(text);
    enum status status = h5_put(file, name, type, 0, NULL, text, NULL, 0, error);
    H5Tclose(type);
    return status;
}

/* The level of an array in deflated chunks of whole rows, each a part of its values in the memory's type; 0 = it is
 * another */
static int find_level(hid_t data, hid_t create, hid_t type, int rank, const hsize_t *dim)
{
    hid_t stored = H5Dget_type(data);
    hsize_t chunk[3];
    unsigned level = 0, flags;
    size_t count = 1;
    bool whole = H5Tequal(stored, type) > 0 && H5Pget_layout(create) == H5D_CHUNKED &&
                 H5Pget_chunk(create, rank, chunk) == rank && H5Pget_nfilters(create) == 2 &&
                 H5Pget_filter2(create, 0, &flags, &count, &level, 0, NULL, NULL) == H5Z_FILTER_SHUFFLE;
    for (int d = 1; d < rank && whole; d++)
        whole = chunk[d] == dim[d];
    count = 1;
    whole = whole && H5Pget_filter2(create, 1, &flags, &count, &level, 0, NULL, NULL) == H5Z_FILTER_DEFLATE;
    H5Tclose(stored);
    return whole ? (int)level : 0;
}

/* Values in memory */
struct values {
    const char *value;
    size_t row; /* bytes */
};

static void copy_rows(const void *context, int64_t first, int64_t count, void *value)
{
    const struct values *of = context;
    memcpy(value, of->value + (size_t)first * of->row, (size_t)count * of->row);
}

enum status h5_rewrite(struct h5_file *file, const char *name, hid_t type, const void *value,
                       struct error *error)
{
    hid_t data = H5Dopen2(file->id, name, H5P_DEFAULT), create = data < 0 ? -1 : H5Dget_create_plist(data),
          space = data < 0 ? -1 : H5Dget_space(data);
    hsize_t dim[H5S_MAX_RANK];
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dim, NULL);
    const int level = create >= 0 && rank >= 1 && rank <= 3 ? find_level(data, create, type, rank, dim) : 0;
    struct values values = {value, H5Tget_size(type)};
    for (int d = 1; d < rank; d++)
        values.row *= dim[d];
    enum status status = STATUS_OK;
    if (level > 0)
        status =
            put_rows(file, name, data, create, level, type, rank, dim, copy_rows, NULL, &values, 1, error);
    else if (data < 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write %s", name);
    status = close_data(file, name, data, status, error);
    h5_release(space);
    h5_release(create);
    return status;
}

void h5_growing(const struct h5_file *file, bool on)
{
    H5Fset_libver_bounds(file->id, on ? H5F_LIBVER_V110 : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
}

enum status h5_put_growing(struct h5_file *file, const char *name, hid_t type, hsize_t chunk, hsize_t width,
                           struct error *error)
{
    int rank = width ? 2 : 1;
    hsize_t dim[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, part[2] = {chunk, width};
    hid_t space = H5Screate_simple(rank, dim, most), create = H5Pcreate(H5P_DATASET_CREATE),
          link = link_list();
    H5Pset_chunk(create, rank, part);
    h5_growing(file, true);
    hid_t data = H5Dcreate2(file->id, name, type, space, link, create, H5P_DEFAULT);
    h5_growing(file, false);
    enum status status = STATUS_OK;
    if (data < 0 || H5Dclose(data) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot create %s", name);
    H5Pclose(link);
    H5Pclose(create);
    H5Sclose(space);
    return status;
}

enum status h5_set_row(struct h5_file *file, hid_t data, int64_t row, int64_t width, const double *value,
                       struct error *error)
{
    int rank = width ? 2 : 1;
    hsize_t dim[2] = {0, 0}, start[2] = {(hsize_t)row, 0}, count[2] = {1, (hsize_t)width};
    hid_t space = H5Dget_space(data);
    H5Sget_simple_extent_dims(space, dim, NULL);
    H5Sclose(space);
    hsize_t longer[2] = {(hsize_t)row + 1, (hsize_t)width};
    herr_t done = dim[0] <= (hsize_t)row ? H5Dset_extent(data, longer) : 0;
    space = H5Dget_space(data);
    hid_t memory = H5Screate_simple(rank, count, NULL);
    if (done >= 0)
        done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (done >= 0)
        done = H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value);
    H5Sclose(memory);
    H5Sclose(space);
    return done < 0 ? h5_error(file, STATUS_RUN, error, "cannot write row %lld", (long long)row) : STATUS_OK;
}

int64_t h5_rows(hid_t data)
{
    hsize_t dim[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(data);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dim, NULL);
    h5_release(space);
    return rank < 1 ? 0 : (int64_t)dim[0];
}

enum status h5_set_rows(struct h5_file *file, hid_t data, int64_t rows, int64_t width, struct error *error)
{
    hsize_t dim[2] = {(hsize_t)rows, (hsize_t)width};
    if (h5_rows(data) != rows && H5Dset_extent(data, dim) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot set a length to %lld", (long long)rows);
    return STATUS_OK;
}

enum status h5_group(struct h5_file *file, const char *name, struct error *error)
{
    hid_t link = link_list(), group = H5Gcreate2(file->id, name, link, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(link);
    if (group < 0 || H5Gclose(group) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot create %s", name);
    return STATUS_OK;
}

/* With all links in its header, one block of the file */
hid_t h5_new_group(const struct h5_file *file)
{
    hid_t create = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED);
    H5Pset_link_phase_change(create, 64, 0);
    H5Pset_est_link_info(create, 10, 16);
    hid_t group = H5Gcreate_anon(file->id, create, H5P_DEFAULT);
    H5Pclose(create);
    return group;
}

enum status h5_replace_group(struct h5_file *file, const char *name, hid_t group, struct error *error)
{
    hid_t old = h5_exists(file, name) ? H5Oopen(file->id, name, H5P_DEFAULT) : -1;
    bool good = old < 0 || (H5Oincr_refcount(old) >= 0 && H5Ldelete(file->id, name, H5P_DEFAULT) >= 0);
    good = good && H5Olink(group, file->id, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    h5_release(old);
    return good ? STATUS_OK : h5_error(file, STATUS_RUN, error, "cannot replace %s", name);
}

static enum status set_attribute(struct h5_file *file, const char *name, const char *attribute, hid_t type,
                                 const void *value, struct error *error)
{
    hid_t object = H5Oopen(file->id, name, H5P_DEFAULT), space = H5Screate(H5S_SCALAR), id = -1;
    if (object >= 0 && H5Aexists(object, attribute) > 0)
        H5Adelete(object, attribute);
    if (object >= 0)
        id = H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    enum status status = STATUS_OK;
    if (id < 0 || H5Awrite(id, type, value) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write attribute %s of %s", attribute, name);
    h5_release(id);
    h5_release(object);
    H5Sclose(space);
    return status;
}

enum status h5_set_text(struct h5_file *file, const char *name, const char *attribute, const char *text,
                        struct error *error)
{
    hid_t type = text_type(text);
    enum status status = set_attribute(file, name, attribute, type, text, error);
    H5Tclose(type);
    return status;
}

enum status h5_set_number(struct h5_file *file, const char *name, const char *attribute, double value,
                          struct error *error)
{
    return set_attribute(file, name, attribute, H5T_NATIVE_DOUBLE, &value, error);
}

enum status h5_set_integer(struct h5_file *file, const char *name, const char *attribute, int64_t value,
                           struct error *error)
{
    return set_attribute(file, name, attribute, H5T_NATIVE_INT64, &value, error);
}
