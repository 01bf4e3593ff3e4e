/* h5_array.c: reading arrays, texts and groups of a file that nobody vouches for. */
#include "app/io/store/h5.h"

#include <stdlib.h>
#include <string.h>

#define EXPANSION 1000 /* most values a file may expand to, against the bytes it stores */

/* Every link on the way is a hard one: no way leads out of the file. */
bool h5_exists(const struct h5_file *file, const char *name)
{
    char part[512];
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof part)
        return false;
    if (strcmp(name, "/") == 0)
        return true;
    for (size_t i = 1; i <= length; i++) {
        if (name[i] != '/' && name[i] != '\0')
            continue;
        memcpy(part, name, i);
        part[i] = '\0';
        H5L_info_t info;
        if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file->id, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
            H5Eclear2(H5E_DEFAULT);
            return false;
        }
    }
    return true;
}

static bool is_kind(const struct h5_file *file, const char *name, H5O_type_t kind)
{
    H5O_info_t info;
    bool good = h5_exists(file, name) &&
                H5Oget_info_by_name2(file->id, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
                info.type == kind;
    H5Eclear2(H5E_DEFAULT);
    return good;
}

/* What is wrong with the place where the values are, or NULL. */
static const char *bad_storage(hid_t data, double bytes, double file_bytes)
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
    if (stored > file_bytes)
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
    array->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool shaped = array->rank >= 1 && array->rank <= 3;
    if (shaped)
        shaped = H5Sget_simple_extent_dims(space, array->dim, NULL) == array->rank;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if ((class != H5T_FLOAT && class != H5T_INTEGER) || array->size < 1 || array->size > 8)
        return h5_error(file, STATUS_INPUT, error, "%s is not an array of numbers", name);
    if (!shaped)
        return h5_error(file, STATUS_INPUT, error, "%s has %d dimensions; 1 to 3 are read", name,
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

enum status h5_array_open(struct h5_array *array, struct h5_file *file, const char *name, bool real, int rank,
                          struct error *error)
{
    *array = (struct h5_array){.id = -1};
    if (!is_kind(file, name, H5O_TYPE_DATASET))
        return error_set(error, STATUS_INPUT, "%s: there is no array %s", file->path, name);
    array->id = H5Dopen2(file->id, name, H5P_DEFAULT);
    if (array->id < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot open %s", name);
    enum status status = fill_shape(array, file, name, error);
    if (!status && array->real != real)
        status = error_set(error, STATUS_INPUT, "%s: %s holds %s; %s are expected", file->path, name,
                           real ? "integers" : "real numbers", real ? "real numbers" : "integers");
    if (!status && rank && array->rank != rank)
        status = error_set(error, STATUS_INPUT, "%s: %s has %d dimensions, not %d", file->path, name,
                           array->rank, rank);
    if (!status) {
        const char *bad = bad_storage(array->id, (double)array->values * (double)array->size, file->bytes);
        if (bad)
            status = h5_error(file, STATUS_INPUT, error, "%s: %s", name, bad);
    }
    if (status)
        h5_array_close(array);
    return status;
}

enum status h5_array_read(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                          void *value, struct error *error)
{
    if (array->values && !h5_chunks_read(array, type, value) &&
        H5Dread(array->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot read %s", name);
    return STATUS_OK;
}

enum status h5_array_slice(const struct h5_array *array, struct h5_file *file, const char *name, hid_t type,
                           int64_t first, int64_t count, void *value, struct error *error)
{
    if (array->rank != 1 || first < 0 || count < 0 || first > array->values - count)
        return error_set(error, STATUS_INPUT, "%s: %s has %lld values; %lld from %lld on are expected",
                         file->path, name, (long long)array->values, (long long)count, (long long)first);
    if (!count)
        return STATUS_OK;
    hsize_t start = (hsize_t)first, length = (hsize_t)count;
    hid_t space = H5Dget_space(array->id), memory = H5Screate_simple(1, &length, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL);
    herr_t got = H5Dread(array->id, type, memory, space, H5P_DEFAULT, value);
    H5Sclose(memory);
    H5Sclose(space);
    if (got < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot read %s", name);
    return STATUS_OK;
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
           !bad_storage(data, (double)H5Tget_size(type), file->bytes);
    if (good)
        *text = calloc(H5Tget_size(type) + 1, 1);
    good = good && *text && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) >= 0;
    enum status status = STATUS_OK;
    if (!good) {
        status = h5_error(file, STATUS_INPUT, error, "%s is not a text", name);
        free(*text);
        *text = NULL;
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (data >= 0)
        H5Dclose(data);
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

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object;
    (void)info;
    struct visit *visit = context;
    visit->status = visit->call(visit->context, name, visit->error);
    return visit->status ? 1 : 0;
}

enum status h5_each_attribute(struct h5_file *file, const char *name, h5_visitor visit, void *context,
                              struct error *error)
{
    struct visit each = {visit, context, error, STATUS_OK};
    if (!h5_exists(file, name))
        return error_set(error, STATUS_INPUT, "%s: there is no %s", file->path, name);
    if (H5Aiterate_by_name(file->id, name, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, &each,
                           H5P_DEFAULT) < 0)
        return h5_error(file, STATUS_INPUT, error, "cannot list the attributes of %s", name);
    return each.status;
}
