/* steps.c: the arrays of /VTKHDF/Steps and the commit of a step. */
#include "app/io/steps.h"

#define GROUP "/VTKHDF/Steps"

enum { VALUES = STEPS_ARRAYS - 1 };

/* Our mesh does not change and is one part: all offsets are 0, the number of parts is 1. */
static const struct {
    const char *name;
    int64_t width; /* 0 = (K), 1 = (K,1) */
    int64_t value;
} arrays[STEPS_ARRAYS] = {
    {GROUP "/PartOffsets", 0, 0},           {GROUP "/PointOffsets", 0, 0},  {GROUP "/CellOffsets", 1, 0},
    {GROUP "/ConnectivityIdOffsets", 1, 0}, {GROUP "/NumberOfParts", 0, 1}, {GROUP "/Values", 0, 0},
};

static enum status open_all(struct steps *steps, struct h5_file *file, enum status failed,
                            struct error *error)
{
    for (int a = 0; a < STEPS_ARRAYS; a++) {
        steps->array[a] = H5Dopen2(file->id, arrays[a].name, H5P_DEFAULT);
        if (steps->array[a] < 0)
            return h5_error(file, failed, error, "cannot open %s", arrays[a].name);
    }
    return STATUS_OK;
}

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error)
{
    enum status status = h5_group(file, GROUP, error);
    TRY(h5_group(file, GROUP "/PointDataOffsets", error));
    TRY(h5_set_integer(file, GROUP, "NSteps", 0, error));
    for (int a = 0; a < STEPS_ARRAYS && !status; a++)
        status = h5_put_growing(file, arrays[a].name, a == VALUES ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, 512,
                                (hsize_t)arrays[a].width, error);
    TRY(h5_set_text(file, GROUP "/Values", "unit", "ms", error));
    return status ? status : open_all(steps, file, STATUS_RUN, error);
}

enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error)
{
    for (int a = 0; a < STEPS_ARRAYS; a++) {
        struct h5_array array;
        enum status status =
            h5_array_open(&array, file, arrays[a].name, a == VALUES, arrays[a].width ? 2 : 1, error);
        h5_array_close(&array);
        if (status)
            return status;
    }
    return open_all(steps, file, STATUS_INPUT, error);
}

static enum status set_count(struct h5_file *file, int64_t n, struct error *error)
{
    hid_t group = H5Oopen(file->id, GROUP, H5P_DEFAULT); /* H5Aopen_by_name cannot write in HDF5 1.10 */
    hid_t count = group < 0 ? -1 : H5Aopen(group, "NSteps", H5P_DEFAULT);
    if (count < 0 || H5Awrite(count, H5T_NATIVE_INT64, &n) < 0)
        return h5_error(file, STATUS_RUN, error, "cannot write NSteps");
    H5Aclose(count);
    H5Oclose(group);
    return STATUS_OK;
}

enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error)
{
    enum status status = STATUS_OK;
    for (int a = 0; a < VALUES && !status; a++)
        status =
            h5_set_row(file, steps->array[a], k, arrays[a].width, H5T_NATIVE_INT64, &arrays[a].value, error);
    TRY(set_count(file, k + 1, error));
    TRY(h5_set_row(file, steps->array[VALUES], k, 0, H5T_NATIVE_DOUBLE, &time, error));
    return status ? status : h5_flush(file, error);
}

int64_t steps_whole(const struct steps *steps, const struct h5_file *file)
{
    int64_t n = 0;
    if (!h5_get_integer(file, GROUP, "NSteps", &n) || n < 0)
        return 0;
    for (int a = 0; a < STEPS_ARRAYS; a++) {
        int64_t rows = h5_rows(steps->array[a]);
        n = rows < n ? rows : n;
    }
    return n;
}

enum status steps_times(const struct steps *steps, struct h5_file *file, int64_t n, double *time,
                        struct error *error)
{
    struct h5_array array = {steps->array[VALUES], true, 8, 1, {0}, h5_rows(steps->array[VALUES])};
    return h5_array_slice(&array, file, GROUP "/Values", H5T_NATIVE_DOUBLE, 0, n, time, error);
}

enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error)
{
    enum status status = h5_set_rows(file, steps->array[VALUES], n, 0, error);
    TRY(set_count(file, n, error));
    for (int a = 0; a < VALUES && !status; a++)
        status = h5_set_rows(file, steps->array[a], n, arrays[a].width, error);
    return status;
}
