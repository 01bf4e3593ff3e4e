/* steps.c: commits a step and writes the groups that readers see: /VTKHDF/Steps, and /fields with HDF5's
 * dimension scales, from which netCDF-4 readers take their dimensions. These groups hold no data but the
 * times. */
#include "app/io/result/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

#define GROUP "/VTKHDF/Steps"
#define TIMES "/frames/times"

/* An empty /frames/times, open in `steps` */
static enum status create_times(struct steps *steps, struct h5_file *file, struct error *error)
{
    TRY(h5_put_growing(file, TIMES, H5T_NATIVE_DOUBLE, 64, 0, error));
    steps->times = H5Dopen2(file->id, TIMES, H5P_DEFAULT);
    return steps->times < 0 ? h5_error(file, STATUS_RUN, error, "cannot open " TIMES) : STATUS_OK;
}

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error)
{
    steps->shown = -1;
    TRY(h5_group(file, TIME_FIELD_OFFSETS, error));
    TRY(create_times(steps, file, error));
    return h5_set_text(file, TIMES, "unit", "ms", error);
}

enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error)
{
    struct h5_array array;
    steps->shown = -1;
    TRY(h5_array_open(&array, file, TIMES, true, 1, error));
    steps->times = array.id; /* stays open; closed with the file */
    steps->whole = h5_array_open(&array, file, GROUP "/Values", true, 1, NULL) == STATUS_OK;
    if (steps->whole)
        steps->shown = array.values;
    h5_array_close(&array);
    return STATUS_OK;
}

enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error)
{
    TRY(h5_set_row(file, steps->times, k, 0, &time, error));
    return h5_flush(file, error);
}

/* n equal integers, stored as the fill value alone */
static hid_t make_constant(const struct h5_file *file, int rank, int64_t n, int64_t value)
{
    const hsize_t dim[2] = {(hsize_t)n, 1};
    hid_t space = H5Screate_simple(rank, dim, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(create, H5T_NATIVE_INT64, &value);
    hid_t id = H5Dcreate_anon(file->id, H5T_NATIVE_INT64, space, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return id;
}

hid_t steps_values(const struct steps *steps, struct h5_file *file, int64_t n, bool last, struct error *error)
{
    const hsize_t dim = (hsize_t)n;
    enum status status = STATUS_OK;
    hid_t id = -1;
    double *time = NULL;
    if (last) {
        time = array_new(n, sizeof *time, "the times of a result", &status, error);
        if (!time || steps_times(steps, file, n, time, error)) {
            free(time);
            return -1;
        }
    }
    hid_t space = H5Screate_simple(1, &dim, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    if (!last && n > 0)
        H5Pset_virtual(create, space, ".", TIMES, space);
    id = H5Dcreate_anon(file->id, H5T_NATIVE_DOUBLE, space, create, H5P_DEFAULT);
    if (id >= 0 && last && n > 0 &&
        H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) < 0) {
        H5Dclose(id);
        id = -1;
    }
    H5Pclose(create);
    H5Sclose(space);
    free(time);
    return id;
}

/* The mesh is constant and has one part: all offsets are 0, the number of parts is 1. */
static bool fill_group(const struct h5_file *file, hid_t group, hid_t values, int64_t n)
{
    const struct {
        const char *name;
        int array;
    } links[] = {{"PartOffsets", 0},
                 {"PointOffsets", 0},
                 {"CellOffsets", 1},
                 {"ConnectivityIdOffsets", 1},
                 {"NumberOfParts", 2}};
    hid_t array[3] = {make_constant(file, 1, n, 0), make_constant(file, 2, n, 0),
                      make_constant(file, 1, n, 1)};
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t count = H5Acreate2(group, "NSteps", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT);
    bool good = count >= 0 && H5Awrite(count, H5T_NATIVE_INT64, &n) >= 0;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        good = good && array[links[i].array] >= 0 &&
               H5Olink(array[links[i].array], group, links[i].name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    good = good && H5Olink(values, group, "Values", H5P_DEFAULT, H5P_DEFAULT) >= 0 &&
           H5Lcreate_hard(file->id, TIME_FIELD_OFFSETS, group, "PointDataOffsets", H5P_DEFAULT,
                          H5P_DEFAULT) >= 0;
    for (int a = 0; a < 3; a++)
        h5_release(array[a]);
    h5_release(count);
    H5Sclose(scalar);
    return good;
}

enum status steps_show(struct steps *steps, struct h5_file *file, int64_t n, bool last, struct error *error)
{
    hid_t values = steps_values(steps, file, n, last, error), group = h5_new_group(file);
    bool good = values >= 0 && group >= 0 && fill_group(file, group, values, n);
    h5_release(values);
    enum status status = good ? h5_replace_group(file, GROUP, group, error)
                              : h5_error(file, STATUS_RUN, error, "cannot write " GROUP);
    h5_release(group);
    steps->shown = -1;
    steps->whole = last;
    TRY(status);
    TRY(h5_set_text(file, GROUP "/Values", "unit", "ms", error));
    steps->shown = n;
    return STATUS_OK;
}

bool steps_are_shown(const struct steps *steps, int64_t n, bool last)
{
    return n == steps->shown && (steps->whole || !last);
}

int64_t steps_whole(const struct steps *steps)
{
    return h5_rows(steps->times);
}

enum status steps_times(const struct steps *steps, struct h5_file *file, int64_t n, double *time,
                        struct error *error)
{
    const int64_t rows = h5_rows(steps->times);
    struct h5_array array = {steps->times, true, 8, 1, {(hsize_t)rows}, rows};
    return h5_array_slice(&array, file, TIMES, H5T_NATIVE_DOUBLE, 0, n, time, error);
}

enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error)
{
    return h5_set_rows(file, steps->times, n, 0, error);
}

#define FIELDS "/fields"

static bool put_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && H5Awrite(id, type, text) >= 0;
    h5_release(id);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* Dimension d of the data has scale[d], a path from `at`. */
static bool attach_scales(hid_t data, hid_t at, const char *const *scale, int rank)
{
    hobj_ref_t reference[2];
    hvl_t list[2];
    bool good = true;
    for (int d = 0; d < rank && good; d++) {
        good = H5Rcreate(&reference[d], at, scale[d], H5R_OBJECT, -1) >= 0;
        list[d] = (hvl_t){1, &reference[d]};
    }
    const hsize_t dim = (hsize_t)rank;
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &dim, NULL), id = -1;
    if (good)
        id = H5Acreate2(data, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    good = id >= 0 && H5Awrite(id, type, list) >= 0;
    h5_release(id);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* A dimension that has a length and no values */
static enum status create_scale(struct h5_file *file, const char *name, int64_t length, struct error *error)
{
    char text[80];
    const hsize_t dim = (hsize_t)length;
    snprintf(text, sizeof text, "This is a netCDF dimension but not a netCDF variable. %10lld",
             (long long)length);
    hid_t space = H5Screate_simple(1, &dim, NULL);
    hid_t id = H5Dcreate2(file->id, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && put_attribute(id, "CLASS", "DIMENSION_SCALE") && put_attribute(id, "NAME", text);
    h5_release(id);
    H5Sclose(space);
    return good ? STATUS_OK : h5_error(file, STATUS_RUN, error, "cannot write %s", name);
}

enum status steps_put_dimensions(struct h5_file *file, int64_t nodes, const struct steps_map *map, int maps,
                                 struct error *error)
{
    static const char *const scale[2] = {"/node", "/beat"};
    int64_t beats = 1;
    for (int m = 0; m < maps; m++)
        beats = map[m].width > beats ? map[m].width : beats;
    TRY(create_scale(file, "/node", nodes, error));
    if (beats > 1)
        TRY(create_scale(file, "/beat", beats, error));
    for (int m = 0; m < maps; m++) {
        char path[128] = "/VTKHDF/PointData/";
        strcat(path, map[m].name);
        if (map[m].width != 1 && map[m].width != beats)
            continue; /* maps are of the same beats */
        hid_t data = H5Dopen2(file->id, path, H5P_DEFAULT);
        bool good = data >= 0 && attach_scales(data, file->id, scale, map[m].width > 1 ? 2 : 1);
        h5_release(data);
        if (!good)
            return h5_error(file, STATUS_RUN, error, "cannot write the dimensions of %s", path);
    }
    return STATUS_OK;
}

static bool put_times(hid_t group, hid_t times)
{
    return put_attribute(times, "CLASS", "DIMENSION_SCALE") && put_attribute(times, "NAME", "time") &&
           put_attribute(times, "units", "ms") &&
           H5Olink(times, group, "time", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

/* Row k of (n, nodes) is frame k of the flat array, whose frames are `stride` apart. */
static bool put_view(hid_t group, const struct time_field *field, int64_t n)
{
    static const char *const scale[2] = {"time", "/node"};
    const struct frame_shape *shape = &field->shape;
    const hsize_t dim[2] = {(hsize_t)n, (hsize_t)shape->values}, length = (hsize_t)(n * shape->stride);
    const hsize_t start = 0, stride = (hsize_t)shape->stride, count = (hsize_t)n,
                  block = (hsize_t)shape->values;
    char path[160];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", field->name);
    hid_t type = shape->wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    hid_t whole = H5Screate_simple(1, &length, NULL), frames = H5Screate_simple(2, dim, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    bool good = n == 0 || (H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, &stride, &count, &block) >= 0 &&
                           H5Pset_virtual(create, frames, ".", path, whole) >= 0);
    hid_t id = good ? H5Dcreate2(group, field->name, type, frames, H5P_DEFAULT, create, H5P_DEFAULT) : -1;
    good = id >= 0 && put_attribute(id, "units", field->unit) && attach_scales(id, group, scale, 2);
    h5_release(id);
    H5Pclose(create);
    H5Sclose(frames);
    H5Sclose(whole);
    return good;
}

enum status steps_show_fields(struct h5_file *file, const struct time_field *field, int fields,
                              const struct steps_map *map, int maps, hid_t times, int64_t n,
                              struct error *error)
{
    if (!h5_exists(file, "/node"))
        return STATUS_OK;
    hid_t group = h5_new_group(file);
    bool good = group >= 0 && put_times(group, times);
    for (int f = 0; f < fields && good; f++)
        good = put_view(group, &field[f], n);
    for (int m = 0; m < maps && good; m++) {
        char path[128] = "/VTKHDF/PointData/";
        strcat(path, map[m].name);
        good = H5Lcreate_hard(file->id, path, group, map[m].name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    }
    enum status status = good ? h5_replace_group(file, FIELDS, group, error)
                              : h5_error(file, STATUS_RUN, error, "cannot write " FIELDS);
    h5_release(group);
    return status;
}
