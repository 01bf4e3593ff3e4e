/* format.c: the attribute `format`. */
#include "app/io/store/format.h"

#include "app/util/version.h"

static enum status refuse(struct h5_file *file, const char *group, const char *what, int64_t format,
                          int newest, struct error *error)
{
    char program[64] = "another version";
    h5_get_text(file, group, "program", program, sizeof program);
    return error_set(
        error, STATUS_INPUT,
        "%s: a %s of format %lld, written by %s; %s goes on with format %d alone: finish it with "
        "that program, or start again with --overwrite",
        file->path, what, (long long)format, program, version_text(), newest);
}

enum status format_put_result(struct h5_file *file, struct error *error)
{
    return h5_set_integer(file, "/run", "format", FORMAT_RESULT, error);
}

enum status format_check_result(struct h5_file *file, bool resume, struct error *error)
{
    int64_t format = 1;
    h5_get_integer(file, "/run", "format", &format);
    if (format > FORMAT_RESULT || (resume && format < FORMAT_RESULT))
        return refuse(file, "/run", "result", format, FORMAT_RESULT, error);
    return STATUS_OK;
}

enum status format_check_checkpoint(struct h5_file *file, int64_t format, struct error *error)
{
    return format == FORMAT_CHECKPOINT ? STATUS_OK
                                       : refuse(file, "/", "checkpoint", format, FORMAT_CHECKPOINT, error);
}
