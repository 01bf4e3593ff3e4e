/* time_field.c: writes frames as chunks that are already compressed, bypassing HDF5's filters. */
#include "app/io/result/time_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum { CHUNK_BYTES = 128 << 10 }; /* enough chunks for all threads of a mesh of 10^5 nodes */

static struct frame_shape divide(int64_t values, int64_t chunk, bool wide)
{
    int64_t chunks = values > 0 ? (values + chunk - 1) / chunk : 1;
    return (struct frame_shape){values, chunk, chunks, chunks * chunk, wide};
}

struct frame_shape frame_shape(int64_t values, bool wide)
{
    int64_t bytes = values * (wide ? 8 : 4), chunks = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    return divide(values, chunks > 0 ? (values + chunks - 1) / chunks : 1, wide);
}

void frame_convert(const struct frame_shape *shape, const double *value, void *bytes)
{
    double *wide = bytes;
    float *narrow = bytes;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < shape->stride; i++) {
        double x = i < shape->values && !isnan(value[i]) ? value[i] : (double)NAN;
        if (shape->wide)
            wide[i] = x;
        else
            narrow[i] = (float)x;
    }
}

enum { BLOCK = 512 }; /* offsets that are written at once */

void time_field_name(char *name, size_t room, const char *variable)
{
    snprintf(name, room, "%s", variable);
    for (char *c = name; *c; c++)
        if (*c == '/' || *c == '.')
            *c = '_';
}

static void data_path(char *path, size_t room, const struct time_field *field)
{
    snprintf(path, room, "/VTKHDF/PointData/%s", field->name);
}

static void offsets_path(char *path, size_t room, const struct time_field *field)
{
    snprintf(path, room, TIME_FIELD_OFFSETS "/%s", field->name);
}

static hid_t number_type(const struct time_field *field)
{
    return field->shape.wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
}

static void fill_with_nan(hid_t create, const struct time_field *field)
{
    const float narrow = NAN;
    const double wide = (double)NAN;
    H5Pset_fill_value(create, number_type(field), field->shape.wide ? (const void *)&wide : &narrow);
}

static size_t chunk_bytes(const struct frame_shape *shape)
{
    return (size_t)shape->chunk * (shape->wide ? 8 : 4);
}

static enum status allocate(struct time_field *field, struct error *error)
{
    int64_t chunks = field->shape.chunks;
    enum status status = STATUS_OK;
    field->bytes = array_new(field->shape.stride, 8, field->name, &status, error);
    field->size = array_zeroed(chunks, sizeof *field->size, field->name, &status, error);
    if (field->deflate)
        field->packed =
            array_new(chunks, h5_pack_bound(chunk_bytes(&field->shape)), field->name, &status, error);
    return status;
}

static enum status create_data(struct time_field *field, struct h5_file *file, const char *path,
                               struct error *error)
{
    hsize_t none = 0, most = H5S_UNLIMITED, chunk = (hsize_t)field->shape.chunk;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &none, &most);
    H5Pset_chunk(create, 1, &chunk);
    fill_with_nan(create, field);
    if (field->deflate) {
        H5Pset_shuffle(create);
        H5Pset_deflate(create, (unsigned)field->deflate);
    }
    h5_growing(file, true);
    field->data = H5Dcreate2(file->id, path, number_type(field), space, H5P_DEFAULT, create, H5P_DEFAULT);
    h5_growing(file, false);
    H5Sclose(space);
    H5Pclose(create);
    return field->data < 0 ? h5_error(file, STATUS_RUN, error, "cannot create %s", path) : STATUS_OK;
}

static enum status open_offsets(struct time_field *field, struct h5_file *file, enum status failed,
                                struct error *error)
{
    char path[160];
    offsets_path(path, sizeof path, field);
    field->offsets = H5Dopen2(file->id, path, H5P_DEFAULT);
    return field->offsets < 0 ? h5_error(file, failed, error, "cannot open %s", path) : STATUS_OK;
}

/* Adds a virtual dataset of frame k of the flat array to the group. */
static bool make_view(const struct time_field *field, hid_t group, int64_t k)
{
    char name[32], path[160];
    snprintf(name, sizeof name, "%06lld", (long long)k);
    data_path(path, sizeof path, field);
    hsize_t length = (hsize_t)((k + 1) * field->shape.stride), values = (hsize_t)field->shape.values;
    hsize_t start = (hsize_t)(k * field->shape.stride);
    hid_t whole = H5Screate_simple(1, &length, NULL), slice = H5Screate_simple(1, &values, NULL);
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, NULL, &values, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), id = -1;
    fill_with_nan(create, field);
    if (H5Pset_virtual(create, slice, ".", path, whole) >= 0)
        id = H5Dcreate2(group, name, number_type(field), slice, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(slice);
    H5Sclose(whole);
    return id >= 0 && H5Dclose(id) >= 0;
}

/* Replaces the group of views by one with the views of frames 0 to end - 1. */
static enum status make_views(struct time_field *field, struct h5_file *file, int64_t end,
                              struct error *error)
{
    char path[160], name[32];
    snprintf(path, sizeof path, "/views/%s", field->name);
    hid_t old = field->views ? H5Gopen2(file->id, path, H5P_DEFAULT) : -1;
    hid_t group = H5Gcreate_anon(file->id, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && (old >= 0 || !field->views);
    for (int64_t k = 0; k < field->views && good; k++) {
        snprintf(name, sizeof name, "%06lld", (long long)k);
        good = H5Lcreate_hard(old, name, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    }
    for (int64_t k = field->views; k < end && good; k++)
        good = make_view(field, group, k);
    enum status status = good ? h5_replace_group(file, path, group, error)
                              : h5_error(file, STATUS_RUN, error, "cannot write %s", path);
    h5_release(old);
    h5_release(group);
    field->views = status ? 0 : end;
    return status;
}

/* Makes views up to frame k, and as many again, up to the planned number of frames. */
static enum status reach_view(struct time_field *field, struct h5_file *file, int64_t k, struct error *error)
{
    int64_t end = 2 * (k + 1) > 64 ? 2 * (k + 1) : 64, most = k + 1 > field->frames ? end : field->frames;
    return k < field->views ? STATUS_OK : make_views(field, file, end < most ? end : most, error);
}

enum status time_field_create(struct time_field *field, struct h5_file *file, const char *variable,
                              struct error *error)
{
    char path[160], offsets[160];
    data_path(path, sizeof path, field);
    offsets_path(offsets, sizeof offsets, field);
    field->data = field->offsets = -1;
    field->range = range_empty;
    TRY(allocate(field, error));
    if (h5_exists(file, path))
        return error_set(error, STATUS_INPUT, "two arrays of the result would be called %s", field->name);
    TRY(create_data(field, file, path, error));
    TRY(h5_set_text(file, path, "unit", field->unit, error));
    TRY(h5_set_text(file, path, "variable", variable, error));
    TRY(h5_put_growing(file, offsets, H5T_NATIVE_INT64, BLOCK, 0, error));
    TRY(open_offsets(field, file, STATUS_RUN, error));
    return reach_view(field, file, 0, error);
}

/* field->deflate, shape <- the level and the chunks of the file; false if its filters or chunks are not ours */
static bool read_layout(struct time_field *field)
{
    hid_t create = H5Dget_create_plist(field->data), type = H5Dget_type(field->data);
    hsize_t chunk = 0;
    bool same = H5Tequal(type, number_type(field)) > 0 && H5Pget_layout(create) == H5D_CHUNKED &&
                H5Pget_chunk(create, 1, &chunk) == 1 && chunk > 0 &&
                chunk <= (hsize_t)(field->shape.values > 0 ? field->shape.values : 1);
    if (same)
        field->shape = divide(field->shape.values, (int64_t)chunk, field->shape.wide);
    int filters = same ? H5Pget_nfilters(create) : -1;
    unsigned level = 0, flags;
    size_t count = 1;
    if (filters == 2)
        same = H5Pget_filter2(create, 1, &flags, &count, &level, 0, NULL, NULL) == H5Z_FILTER_DEFLATE &&
               level <= 9;
    field->deflate = (int)level;
    H5Tclose(type);
    H5Pclose(create);
    return same && (filters == 0 || filters == 2);
}

/* Uses the range stored by an earlier run if the file still has as many frames. */
static void read_range(struct time_field *field, const struct h5_file *file, const char *path)
{
    const int64_t frames = time_field_frames(field);
    const bool known = range_get(file, path, frames * field->shape.values, &field->range);
    field->ranged = known ? frames : frames ? -1 : 0;
    if (!known)
        field->range = range_empty;
}

/* A frame of the range has changed. */
static enum status forget_range(struct time_field *field, struct h5_file *file, struct error *error)
{
    static const struct range none = {.values = -1};
    char path[160];
    int64_t values;
    data_path(path, sizeof path, field);
    field->ranged = -1;
    return h5_get_integer(file, path, "range_values", &values) ? range_put(file, path, &none, error)
                                                               : STATUS_OK;
}

enum status time_field_open(struct time_field *field, struct h5_file *file, struct error *error)
{
    char path[160];
    data_path(path, sizeof path, field);
    field->data = field->offsets = -1;
    if (!h5_exists(file, path) || (field->data = H5Dopen2(file->id, path, H5P_DEFAULT)) < 0)
        return error_set(error, STATUS_INPUT,
                         "%s: the result has no field %s, so this run cannot continue it", file->path,
                         field->name);
    if (!read_layout(field))
        return error_set(error, STATUS_INPUT, "%s: field %s has another type or layout than this run's",
                         file->path, field->name);
    read_range(field, file, path);
    snprintf(path, sizeof path, "/views/%s", field->name);
    H5G_info_t views;
    if (!h5_exists(file, path) || H5Gget_info_by_name(file->id, path, &views, H5P_DEFAULT) < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot open %s", path);
    field->views = (int64_t)views.nlinks;
    TRY(open_offsets(field, file, STATUS_INPUT, error));
    return allocate(field, error);
}

void time_field_free(struct time_field *field)
{
    free(field->bytes);
    free(field->other);
    free(field->packed);
    free(field->size);
}

/* Writes the offset of frame k, k * stride, and those of the rest of its block. */
static enum status write_offsets(struct time_field *field, struct h5_file *file, int64_t k,
                                 struct error *error)
{
    int64_t offset[BLOCK], first = h5_rows(field->offsets);
    if (k < first)
        return STATUS_OK;
    hsize_t start = (hsize_t)first, count = (hsize_t)((k / BLOCK + 1) * BLOCK - first);
    if (count > BLOCK)
        return h5_error(file, STATUS_RUN, error, "offsets of %s are missing", field->name);
    for (hsize_t i = 0; i < count; i++)
        offset[i] = (int64_t)(start + i) * field->shape.stride;
    TRY(h5_set_rows(file, field->offsets, (int64_t)(start + count), 0, error));
    hid_t space = H5Dget_space(field->offsets), memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    herr_t done = H5Dwrite(field->offsets, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, offset);
    H5Sclose(memory);
    H5Sclose(space);
    return done < 0 ? h5_error(file, STATUS_RUN, error, "cannot write offsets of %s", field->name)
                    : STATUS_OK;
}

/* Widens the range by frame k, which is in field->bytes. */
static void add_range(struct time_field *field, int64_t k)
{
    if (k != field->ranged)
        return;
    range_widen(&field->range, number_type(field), field->bytes, field->shape.values);
    field->ranged++;
}

/* Frame k, in field->bytes: packs its chunks while this thread widens the range by it. */
static void pack_frame(struct time_field *field, int64_t k)
{
    const struct frame_shape *shape = &field->shape;
#pragma omp parallel
    {
#pragma omp master /* because it calls HDF5 */
        add_range(field, k);
        if (field->deflate)
            h5_pack(field->packed, field->size, field->bytes, shape->chunks, chunk_bytes(shape),
                    shape->wide ? 8 : 4, field->deflate);
    }
}

static enum status write_chunks(struct time_field *field, struct h5_file *file, int64_t k,
                                struct error *error)
{
    const struct frame_shape *shape = &field->shape;
    size_t bytes = chunk_bytes(shape), bound = h5_pack_bound(bytes);
    for (int64_t c = 0; c < shape->chunks; c++) {
        hsize_t offset = (hsize_t)(k * shape->stride + c * shape->chunk);
        size_t size = field->deflate ? field->size[c] : bytes;
        const void *source = field->deflate ? field->packed + (size_t)c * bound
                                            : (unsigned char *)field->bytes + (size_t)c * bytes;
        if (size == 0)
            return error_memory(error, "compressing a frame", (double)bytes);
        if (H5Dwrite_chunk(field->data, H5P_DEFAULT, 0, &offset, size, source) < 0)
            return h5_error(file, STATUS_RUN, error, "cannot write %s", field->name);
    }
    return STATUS_OK;
}

enum status time_field_end(struct time_field *field, struct h5_file *file, int64_t frames,
                           struct error *error)
{
    char path[160];
    data_path(path, sizeof path, field);
    return field->ranged == frames ? range_put(file, path, &field->range, error) : STATUS_OK;
}

enum status time_field_write(struct time_field *field, struct h5_file *file, int64_t k, const double *value,
                             struct error *error)
{
    int64_t stride = field->shape.stride, offset = k * stride;
    frame_convert(&field->shape, value, field->bytes);
    if (k < field->ranged)
        TRY(forget_range(field, file, error));
    pack_frame(field, k);
    if (h5_rows(field->data) < offset + stride)
        TRY(h5_set_rows(file, field->data, offset + stride, 0, error));
    TRY(write_chunks(field, file, k, error));
    TRY(write_offsets(field, file, k, error));
    return reach_view(field, file, k, error);
}

enum status time_field_differs(struct time_field *field, struct h5_file *file, int64_t k, const double *value,
                               int64_t *node, double *was, double *is, struct error *error)
{
    size_t width = field->shape.wide ? 8 : 4;
    *node = -1;
    enum status status = STATUS_OK;
    if (!field->other)
        field->other = array_new(field->shape.stride, width, field->name, &status, error);
    if (status)
        return status;
    const int64_t rows = h5_rows(field->data);
    struct h5_array array = {field->data, true, width, 1, {(hsize_t)rows}, rows};
    TRY(h5_array_slice(&array, file, field->name, number_type(field), k * field->shape.stride,
                       field->shape.values, field->other, error));
    frame_convert(&field->shape, value, field->bytes);
    for (int64_t i = 0; i < field->shape.values && *node < 0; i++)
        if (memcmp((char *)field->other + (size_t)i * width, (char *)field->bytes + (size_t)i * width, width))
            *node = i;
    if (*node < 0)
        add_range(field, k);
    else {
        *was = field->shape.wide ? ((double *)field->other)[*node] : (double)((float *)field->other)[*node];
        *is = field->shape.wide ? ((double *)field->bytes)[*node] : (double)((float *)field->bytes)[*node];
    }
    return STATUS_OK;
}

int64_t time_field_frames(const struct time_field *field)
{
    return h5_rows(field->data) / field->shape.stride;
}

enum status time_field_truncate(struct time_field *field, struct h5_file *file, int64_t frames,
                                struct error *error)
{
    if (frames < field->ranged)
        TRY(forget_range(field, file, error));
    TRY(h5_set_rows(file, field->data, frames * field->shape.stride, 0, error));
    return h5_set_rows(file, field->offsets, frames, 0, error);
}
