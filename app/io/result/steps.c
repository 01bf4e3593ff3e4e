/* steps.c: the commit of a step, and the groups that show the steps. */
#include "app/io/result/steps.h"

#include <stdlib.h>

#include "kernels/base/array.h"

#define GROUP "/VTKHDF/Steps"
#define TIMES "/frames/times"

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error)
{
    enum status status = h5_group(file, STEPS_OFFSETS, error);
    AND(h5_put_growing(file, TIMES, H5T_NATIVE_DOUBLE, 64, 0, error));
    AND(h5_set_text(file, TIMES, "unit", "ms", error));
    if (status)
        return status;
    steps->times = H5Dopen2(file->id, TIMES, H5P_DEFAULT);
    if (steps->times < 0)
        return h5_error(file, STATUS_RUN, error, "cannot open " TIMES);
    steps->shown = -1;
    return status;
}

/* /frames <- what /VTKHDF/Steps says, of which min(NSteps, length of Values) steps are whole */
static enum status adopt(struct steps *steps, struct h5_file *file, struct error *error)
{
    struct h5_array values;
    int64_t n = 0;
    hid_t offsets = -1;
    enum status status = h5_array_open(&values, file, GROUP "/Values", true, 1, error);
    if (!status && (!h5_get_integer(file, GROUP, "NSteps", &n) || n < 0))
        status = error_set(error, STATUS_INPUT, "%s: NSteps is missing or wrong", file->path);
    n = n < values.values ? n : values.values;
    double *time = array_new(n, sizeof *time, "the times of a result", &status, error);
    AND(h5_array_slice(&values, file, GROUP "/Values", H5T_NATIVE_DOUBLE, 0, n, time, error));
    if (!status && (offsets = H5Oopen(file->id, GROUP "/PointDataOffsets", H5P_DEFAULT)) < 0)
        status = h5_error(file, STATUS_INPUT, error, "cannot open " GROUP "/PointDataOffsets");
    AND(h5_group(file, "/frames", error));
    if (!status && H5Olink(offsets, file->id, STEPS_OFFSETS, H5P_DEFAULT, H5P_DEFAULT) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot link " STEPS_OFFSETS);
    AND(h5_put_growing(file, TIMES, H5T_NATIVE_DOUBLE, 64, 0, error));
    if (!status && (steps->times = H5Dopen2(file->id, TIMES, H5P_DEFAULT)) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot open " TIMES);
    for (int64_t k = 0; k < n && !status; k++)
        status = h5_set_row(file, steps->times, k, 0, H5T_NATIVE_DOUBLE, &time[k], error);
    if (offsets >= 0)
        H5Oclose(offsets);
    h5_array_close(&values);
    free(time);
    return status;
}

enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error)
{
    struct h5_array array;
    steps->shown = -1;
    if (!h5_exists(file, TIMES))
        return adopt(steps, file, error);
    enum status status = h5_array_open(&array, file, TIMES, true, 1, error);
    steps->times = array.id; /* stays open; closed with the file */
    steps->whole = !status && h5_array_open(&array, file, GROUP "/Values", true, 1, NULL) == STATUS_OK;
    if (steps->whole)
        steps->shown = array.values;
    h5_array_close(&array);
    return status;
}

enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error)
{
    enum status status = h5_set_row(file, steps->times, k, 0, H5T_NATIVE_DOUBLE, &time, error);
    return status ? status : h5_flush(file, error);
}

/* n times the same integer, of which nothing is stored but the value that fills */
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
    double *time = last ? array_new(n, sizeof *time, "the times of a result", &status, error) : NULL;
    hid_t space = H5Screate_simple(1, &dim, NULL), create = H5Pcreate(H5P_DATASET_CREATE), id = -1;
    if (!last && n > 0)
        H5Pset_virtual(create, space, ".", TIMES, space);
    AND(last ? steps_times(steps, file, n, time, error) : STATUS_OK);
    if (!status)
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

/* Our mesh does not change and is one part: all offsets are 0, the number of parts is 1. */
static bool fill(const struct h5_file *file, hid_t group, hid_t values, int64_t n)
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
           H5Lcreate_hard(file->id, STEPS_OFFSETS, group, "PointDataOffsets", H5P_DEFAULT, H5P_DEFAULT) >= 0;
    for (int a = 0; a < 3; a++)
        if (array[a] >= 0)
            H5Dclose(array[a]);
    if (count >= 0)
        H5Aclose(count);
    H5Sclose(scalar);
    return good;
}

enum status steps_show(struct steps *steps, struct h5_file *file, int64_t n, bool last, struct error *error)
{
    hid_t values = steps_values(steps, file, n, last, error), group = h5_new_group(file);
    bool good = values >= 0 && group >= 0 && fill(file, group, values, n);
    if (values >= 0)
        H5Dclose(values);
    enum status status = good ? h5_replace_group(file, GROUP, group, error)
                              : h5_error(file, STATUS_RUN, error, "cannot write " GROUP);
    if (group >= 0)
        H5Gclose(group);
    AND(h5_set_text(file, GROUP "/Values", "unit", "ms", error));
    steps->shown = status ? -1 : n;
    steps->whole = last;
    return status;
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
    struct h5_array array = {steps->times, true, 8, 1, {0}, h5_rows(steps->times)};
    return h5_array_slice(&array, file, TIMES, H5T_NATIVE_DOUBLE, 0, n, time, error);
}

enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error)
{
    return h5_set_rows(file, steps->times, n, 0, error);
}
