/* info_checkpoint.c: a checkpoint's head and arrays. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/commands/info.h"
#include "app/io/checkpoint.h"

static enum status print_array(struct checkpoint *checkpoint, int k, struct error *error)
{
    static const char *const types[] = {"float64", "float32", "int32"};
    const struct checkpoint_array *array = checkpoint_array(checkpoint, k);
    double *value = malloc((size_t)array->count * sizeof *value + 1), low = INFINITY, high = -INFINITY;
    enum status status = value ? checkpoint_get_double(checkpoint, k, value, error)
                               : error_memory(error, array->name, 8.0 * (double)array->count);
    for (int64_t i = 0; i < array->count && !status; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    free(value);
    if (status)
        return status;
    printf("  %-24s %-8s %10" PRId64, array->name, types[array->type], array->count);
    if (low <= high && array->type != CHECKPOINT_INT32)
        printf("  %.6g to %.6g", low, high);
    putchar('\n');
    return STATUS_OK;
}

enum status info_checkpoint(const char *path, struct error *error)
{
    struct checkpoint *checkpoint;
    enum status status = checkpoint_open(&checkpoint, path, error);
    if (status)
        return status;
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    printf("%-12s %s, undamaged\n", "checkpoint", path);
    printf("%-12s %" PRId64 ", %g ms, %d increments of history\n", "step", head->step, head->time,
           head->history);
    printf("%-12s %s, %s\n", "program", head->program, head->backend);
    printf("%-12s %s\n%-12s %s\n", "config", head->config_sha256, "mesh", head->mesh_sha256);
    puts("arrays");
    for (int k = 0; k < checkpoint_arrays(checkpoint) && !status; k++)
        status = print_array(checkpoint, k, error);
    checkpoint_close(checkpoint);
    return status;
}
