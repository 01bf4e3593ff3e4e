/* dimensions.c: scales, and views of two dimensions (HDF5's dimension scales specification; netCDF-4 takes
 * its dimensions from them). */
#include "app/io/result/dimensions.h"

#include <stdio.h>
#include <string.h>

#define GROUP "/fields"

static bool put_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && H5Awrite(id, type, text) >= 0;
    if (id >= 0)
        H5Aclose(id);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* Dimension d of the data has scale[d], a path from `at`. */
static bool attach(hid_t data, hid_t at, const char *const *scale, int rank)
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
    if (id >= 0)
        H5Aclose(id);
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
    if (id >= 0)
        H5Dclose(id);
    H5Sclose(space);
    return good ? STATUS_OK : h5_error(file, STATUS_RUN, error, "cannot write %s", name);
}

enum status dimensions_create(struct h5_file *file, int64_t nodes, const struct dimensions_map *map, int maps,
                              struct error *error)
{
    static const char *const scale[2] = {"/node", "/beat"};
    int64_t beats = 1;
    for (int m = 0; m < maps; m++)
        beats = map[m].width > beats ? map[m].width : beats;
    enum status status = create_scale(file, "/node", nodes, error);
    if (!status && beats > 1)
        status = create_scale(file, "/beat", beats, error);
    for (int m = 0; m < maps && !status; m++) {
        char path[128] = "/VTKHDF/PointData/";
        strcat(path, map[m].name);
        if (map[m].width != 1 && map[m].width != beats)
            continue; /* maps are of the same beats */
        hid_t data = H5Dopen2(file->id, path, H5P_DEFAULT);
        if (data < 0 || !attach(data, file->id, scale, map[m].width > 1 ? 2 : 1))
            status = h5_error(file, STATUS_RUN, error, "cannot write the dimensions of %s", path);
        if (data >= 0)
            H5Dclose(data);
    }
    return status;
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
    good = id >= 0 && put_attribute(id, "units", field->unit) && attach(id, group, scale, 2);
    if (id >= 0)
        H5Dclose(id);
    H5Pclose(create);
    H5Sclose(frames);
    H5Sclose(whole);
    return good;
}

enum status dimensions_show(struct h5_file *file, const struct time_field *field, int fields,
                            const struct dimensions_map *map, int maps, hid_t times, int64_t n,
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
    enum status status = good ? h5_replace_group(file, GROUP, group, error)
                              : h5_error(file, STATUS_RUN, error, "cannot write " GROUP);
    if (group >= 0)
        H5Gclose(group);
    return status;
}
