/* h5.c: files, opened and closed, attributes read, and HDF5's error stack as one line of text.
 *
 * No write may follow a failed one (disk full): closing would write HDF5's caches over a file that is whole
 * since its last flush. So a broken file is closed by a driver that writes nothing more (journal.h). */
#include "app/io/store/h5.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/io/store/journal.h"
#include "app/util/version.h"

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
