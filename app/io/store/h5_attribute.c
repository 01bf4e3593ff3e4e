/* h5_attribute.c: scalar attributes, set and read. */
#include "app/io/store/h5.h"

#include <stdlib.h>
#include <string.h>

static enum status set(struct h5_file *file, const char *name, const char *attribute, hid_t type,
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
    if (id >= 0)
        H5Aclose(id);
    if (object >= 0)
        H5Oclose(object);
    H5Sclose(space);
    return status;
}

enum status h5_set_text(struct h5_file *file, const char *name, const char *attribute, const char *text,
                        struct error *error)
{
    size_t length = strlen(text);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    enum status status = set(file, name, attribute, type, text, error);
    H5Tclose(type);
    return status;
}

enum status h5_set_number(struct h5_file *file, const char *name, const char *attribute, double value,
                          struct error *error)
{
    return set(file, name, attribute, H5T_NATIVE_DOUBLE, &value, error);
}

enum status h5_set_integer(struct h5_file *file, const char *name, const char *attribute, int64_t value,
                           struct error *error)
{
    return set(file, name, attribute, H5T_NATIVE_INT64, &value, error);
}

/* The attribute if it exists, is one value and of that class; else -1. */
static hid_t open_scalar(const struct h5_file *file, const char *name, const char *attribute,
                         H5T_class_t class)
{
    hid_t id = -1, space = -1, type = -1;
    if (h5_exists(file, name))
        id = H5Aopen_by_name(file->id, name, attribute, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && (space = H5Aget_space(id)) >= 0 && (type = H5Aget_type(id)) >= 0;
    good = good && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == class;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    H5Eclear2(H5E_DEFAULT);
    if (good)
        return id;
    if (id >= 0)
        H5Aclose(id);
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

static bool get(const struct h5_file *file, const char *name, const char *attribute, H5T_class_t class,
                hid_t type, void *value)
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
    return get(file, name, attribute, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

bool h5_get_integer(const struct h5_file *file, const char *name, const char *attribute, int64_t *value)
{
    return get(file, name, attribute, H5T_INTEGER, H5T_NATIVE_INT64, value);
}
