/* h5.c: files, datasets, groups and attributes, and HDF5's error stack as one line of text.
 *
 * No write may follow a failed one (disk full): closing would write HDF5's caches over a file that is whole
 * since its last flush. So a broken file is closed by a driver that writes nothing more (journal.h). */
#include "app/io/store/h5.h"

#include <errno.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/store/journal.h"
#include "app/util/version.h"
#include "kernels/base/array.h"

struct reason {
    int system; /* errno found in the stack, or 0 */
    char text[256];
};

static herr_t find_reason(unsigned n, const H5E_error2_t *record, void *context)
{
    struct reason *reason = context;
    const char *number = record->desc ? strstr(record->desc, "errno = ") : NULL;
    if (number && !reason->system)
        reason->system = atoi(number + 8);
    if (n == 0 && record->desc)
        snprintf(reason->text, sizeof reason->text, "%s", record->desc);
    return 0;
}

enum status h5_error(struct h5_file *file, enum status status, struct error *error, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    struct reason reason = {0, ""};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
    H5Eclear2(H5E_DEFAULT);
    if (status == STATUS_RUN)
        file->broken = true;
    if (reason.system)
        return error_system(error, status, reason.system, "%s: %s", file->path, what);
    return error_set(error, status, "%s: %s%s%s", file->path, what, *reason.text ? ": " : "", reason.text);
}

/* No printing, no plugins. */
static void silence_hdf5(void)
{
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
}

void h5_save_settings(struct h5_settings *settings)
{
    H5open();
    H5PLget_loading_state(&settings->plugins);
    H5Eget_auto2(H5E_DEFAULT, &settings->print, &settings->argument);
}

void h5_restore_settings(const struct h5_settings *settings)
{
    H5PLset_loading_state(settings->plugins);
    H5Eset_auto2(H5E_DEFAULT, settings->print, settings->argument);
}

/* For a new file, or one with a journal, *driver <- journal.h's; 0 = HDF5's own, < 0 = failed */
static hid_t access_list(bool create, bool journaled, hid_t *driver)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
    H5Pset_file_locking(list, 0, 1);
    *driver = create || journaled ? journal_use(list, journaled) : 0;
    return list;
}

/* After an attempt to open: reads the error stack before another call clears it. */
static enum status check_opened(struct h5_file *file, hid_t access, enum status failed, const char *what,
                                struct error *error)
{
    enum status status = file->id < 0 ? h5_error(file, failed, error, "%s", what) : STATUS_OK;
    H5Pclose(access);
    if (status)
        h5_close(file, NULL);
    return status;
}

enum status h5_create(struct h5_file *file, const char *path, bool journaled, struct error *error)
{
    silence_hdf5();
    *file = (struct h5_file){.id = -1, .path = strdup(path)};
    if (!file->path)
        return error_memory(error, "a file name", (double)strlen(path));
    journal_remove(path); /* of an earlier file */
    hid_t access = access_list(true, journaled, &file->driver), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, journaled ? JOURNAL_BLOCK : 0);
    file->id =
        file->driver < 0 ? -1 : H5Fcreate(path, journaled ? H5F_ACC_EXCL : H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    return check_opened(file, access, STATUS_RUN, "cannot create it", error);
}

enum status h5_open(struct h5_file *file, const char *path, bool write, struct error *error)
{
    silence_hdf5();
    *file = (struct h5_file){.id = -1};
    struct stat info;
    if (stat(path, &info))
        return error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return error_set(error, STATUS_INPUT, "%s: not a file", path);
    if (info.st_size == 0)
        return error_set(error, STATUS_INPUT, "%s: the file is empty", path);
    file->path = strdup(path);
    file->bytes = (double)info.st_size;
    if (!file->path)
        return error_memory(error, "a file name", (double)strlen(path));
    enum status status = journal_check(path, error);
    const bool journaled =
        write || journal_exists(path); /* by this program: what is read may be in the journal */
    if (!status && !journaled)
        status = h5_check_structure(path, error);
    if (status) {
        h5_close(file, NULL);
        return status;
    }
    hid_t access = access_list(false, journaled, &file->driver);
    file->id = file->driver < 0 ? -1 : H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    return check_opened(file, access, STATUS_INPUT, "not a readable HDF5 file", error);
}

void h5_release(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

enum status h5_flush(struct h5_file *file, struct error *error)
{
    if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot write");
    return STATUS_OK;
}

enum status h5_sync(struct h5_file *file, struct error *error)
{
    void *handle = NULL;
    TRY(h5_flush(file, error));
    if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) >= 0 && journal_sync(handle))
        return STATUS_OK;
    file->broken = true;
    return error_system(error, STATUS_RUN, errno, "%s: cannot be synced to the disk", file->path);
}

enum status h5_rename(struct h5_file *file, const char *to, struct error *error)
{
    void *handle = NULL;
    char *path = strdup(to);
    if (!path)
        return error_memory(error, "a file name", (double)strlen(to));
    if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) < 0 || !journal_move(handle, file->path, to)) {
        free(path);
        return error_system(error, STATUS_RUN, errno, "%s: cannot be renamed to %s", file->path, to);
    }
    free(file->path);
    file->path = path;
    return STATUS_OK;
}

/* Closes a file without another write. */
static void abandon(const struct h5_file *file)
{
    void *handle = NULL;
    if (file->driver > 0 && H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) >= 0)
        journal_give_up(handle);
    H5Fclose(file->id);
    H5Eclear2(H5E_DEFAULT);
}

enum status h5_close(struct h5_file *file, struct error *error)
{
    enum status status = STATUS_OK;
    const bool open = file->path && file->id >= 0;
    if (open && !file->broken) /* first: of a file whose closing fails HDF5 leaves a half */
        status = h5_flush(file, error);
    if (open && file->broken)
        abandon(file);
    else if (open && H5Fclose(file->id) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write");
    if (file->driver > 0)
        H5FDunregister(file->driver);
    if (file->driver > 0 && file->broken)
        journal_recover(file->path);
    free(file->path);
    memset(file, 0, sizeof *file);
    return status;
}

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

/* Packs chunk k, by way of room[chunk]; what it has beyond the rows is 0. */
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

/* Each thread of a parallel region calls it, and they share the chunks. */
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

/* All threads make the rows of a block, then pack it, while this one writes the block before. */
static bool put_blocks(hid_t data, struct pack pack[2], int64_t rows, int64_t block, h5_rows_maker make,
                       const void *context)
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
            pack_chunks(own);
        }
    }
    return good;
}

/* Writes all rows of an open array in deflated chunks of whole rows; file: of rows[dim[1]][dim[2]] */
static enum status put_rows(struct h5_file *file, const char *name, hid_t data, hid_t create, int level,
                            hid_t type, int rank, const hsize_t *dim, h5_rows_maker make, const void *context,
                            int64_t rows_at_once, struct error *error)
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
    if (!status && !put_blocks(data, pack, (int64_t)dim[0], block, make, context))
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
                        const hsize_t *dim, h5_rows_maker make, const void *context, int64_t rows_at_once,
                        struct error *error)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE),
          data = create_data(file, name, stored, rank, dim, create, PACK_LEVEL);
    enum status status = data < 0 ? h5_error(file, STATUS_RUN, error, "cannot write %s", name)
                                  : put_rows(file, name, data, create, PACK_LEVEL, type, rank, dim, make,
                                             context, rows_at_once, error);
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
        status = put_rows(file, name, data, create, level, type, rank, dim, copy_rows, &values, 1, error);
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

/* Only hard links on the path count: others could lead out of the file. */
bool h5_exists(const struct h5_file *file, const char *name)
{
    char prefix[512];
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof prefix)
        return false;
    if (strcmp(name, "/") == 0)
        return true;
    for (size_t i = 1; i <= length; i++) {
        if (name[i] != '/' && name[i] != '\0')
            continue;
        memcpy(prefix, name, i);
        prefix[i] = '\0';
        H5L_info_t info;
        if (H5Lexists(file->id, prefix, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file->id, prefix, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
            H5Eclear2(H5E_DEFAULT);
            return false;
        }
    }
    return true;
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

bool h5_is_number(hid_t type)
{
    const hid_t known[] = {H5T_STD_I8LE,  H5T_STD_I16LE,  H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U8LE,
                           H5T_STD_U16LE, H5T_STD_U32LE,  H5T_STD_U64LE,  H5T_STD_I8BE,   H5T_STD_I16BE,
                           H5T_STD_I32BE, H5T_STD_I64BE,  H5T_STD_U8BE,   H5T_STD_U16BE,  H5T_STD_U32BE,
                           H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    bool equal = false;
    for (size_t k = 0; k < sizeof known / sizeof *known && !equal; k++)
        equal = H5Tequal(type, known[k]) > 0;
    return equal;
}

/* The attribute if it exists, with one value of that class; else -1 */
static hid_t open_scalar(const struct h5_file *file, const char *name, const char *attribute,
                         H5T_class_t class)
{
    hid_t id = -1, space = -1, type = -1;
    if (h5_exists(file, name))
        id = H5Aopen_by_name(file->id, name, attribute, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && (space = H5Aget_space(id)) >= 0 && (type = H5Aget_type(id)) >= 0;
    good = good && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == class &&
           (class == H5T_STRING || h5_is_number(type)) && H5Aget_storage_size(id) == H5Tget_size(type);
    h5_release(type);
    h5_release(space);
    H5Eclear2(H5E_DEFAULT);
    if (good)
        return id;
    h5_release(id);
    return -1;
}

bool h5_get_text(const struct h5_file *file, const char *name, const char *attribute, char *text, size_t room)
{
    hid_t id = open_scalar(file, name, attribute, H5T_STRING);
    if (id < 0)
        return false;
    hid_t stored = H5Aget_type(id);
    size_t size = H5Tget_size(stored);
    char *all = H5Tis_variable_str(stored) > 0 || size > 1 << 16 ? NULL : calloc(size + 1, 1);
    bool good = all && H5Aread(id, stored, all) >= 0;
    if (good) {
        size_t length = strnlen(all, size);
        length = length < room ? length : room - 1;
        memcpy(text, all, length);
        text[length] = '\0';
    }
    free(all);
    H5Tclose(stored);
    H5Aclose(id);
    return good;
}

static bool get_attribute(const struct h5_file *file, const char *name, const char *attribute,
                          H5T_class_t class, hid_t type, void *value)
{
    hid_t id = open_scalar(file, name, attribute, class);
    if (id < 0)
        return false;
    bool good = H5Aread(id, type, value) >= 0;
    H5Aclose(id);
    return good;
}

bool h5_get_number(const struct h5_file *file, const char *name, const char *attribute, double *value)
{
    return get_attribute(file, name, attribute, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

bool h5_get_integer(const struct h5_file *file, const char *name, const char *attribute, int64_t *value)
{
    return get_attribute(file, name, attribute, H5T_INTEGER, H5T_NATIVE_INT64, value);
}

static enum status refuse_format(struct h5_file *file, const char *group, const char *what, int64_t format,
                                 int newest, struct error *error)
{
    char program[64] = "another version";
    h5_get_text(file, group, "program", program, sizeof program);
    return error_set(error, STATUS_INPUT,
                     "%s: a %s of format %lld, written by %s; %s continues only format %d: finish it with "
                     "that program, or restart with --overwrite",
                     file->path, what, (long long)format, program, version_text(), newest);
}

enum status h5_check_result(struct h5_file *file, bool resume, struct error *error)
{
    int64_t format = 1;
    h5_get_integer(file, "/run", "format", &format);
    if (format > H5_FORMAT_RESULT || (resume && format < H5_FORMAT_RESULT))
        return refuse_format(file, "/run", "result", format, H5_FORMAT_RESULT, error);
    return STATUS_OK;
}

enum status h5_check_checkpoint(struct h5_file *file, int64_t format, struct error *error)
{
    return format == H5_FORMAT_CHECKPOINT
               ? STATUS_OK
               : refuse_format(file, "/", "checkpoint", format, H5_FORMAT_CHECKPOINT, error);
}
