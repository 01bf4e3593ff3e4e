/* checkpoint_file.c: the list of arrays, their types and names, and the end of both. */
#include "app/io/checkpoint/checkpoint_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/io/result/time_field.h"

const char *const checkpoint_rows[2] = {"probe_rows", "ecg_rows"};
const char *const checkpoint_csv_rows[2] = {"csv_rows", "ecg_csv_rows"};

void checkpoint_dataset(const struct checkpoint *checkpoint, int k, char *name, size_t room)
{
    char plain[64];
    time_field_name(plain, sizeof plain, checkpoint->array[k].name);
    snprintf(name, room, "/state/%03d_%s", k, plain);
}

hid_t checkpoint_memory_type(enum checkpoint_type type)
{
    return type == CHECKPOINT_DOUBLE  ? H5T_NATIVE_DOUBLE
           : type == CHECKPOINT_FLOAT ? H5T_NATIVE_FLOAT
                                      : H5T_NATIVE_INT32;
}

size_t checkpoint_type_size(enum checkpoint_type type)
{
    return type == CHECKPOINT_DOUBLE ? 8 : 4;
}

enum status checkpoint_add(struct checkpoint *checkpoint, const struct checkpoint_array *array,
                           struct error *error)
{
    if (checkpoint->arrays == checkpoint->room) {
        int room = checkpoint->room ? 2 * checkpoint->room : 32;
        void *more = realloc(checkpoint->array, (size_t)room * sizeof *checkpoint->array);
        if (more)
            checkpoint->array = more;
        int64_t *offset = realloc(checkpoint->offset, (size_t)room * sizeof *offset);
        if (offset)
            checkpoint->offset = offset;
        if (!more || !offset)
            return error_memory(error, "the list of a checkpoint", room * (double)sizeof *array);
        checkpoint->room = room;
    }
    checkpoint->offset[checkpoint->arrays] = 0;
    checkpoint->array[checkpoint->arrays++] = *array;
    return STATUS_OK;
}

void checkpoint_close(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    h5_close(&checkpoint->file, NULL);
    if (checkpoint->beside)
        unlink(checkpoint->beside);
    free(checkpoint->directory);
    free(checkpoint->path);
    free(checkpoint->beside);
    free(checkpoint->array);
    free(checkpoint->offset);
    free(checkpoint);
}
