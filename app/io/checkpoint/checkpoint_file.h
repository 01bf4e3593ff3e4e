/* checkpoint_file.h: what writing and reading a checkpoint share. */
#ifndef CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_FILE_H
#define CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_FILE_H

#include "app/io/checkpoint/checkpoint.h"
#include "app/io/store/h5.h"

struct checkpoint {
    struct h5_file file;
    struct checkpoint_head head;
    struct checkpoint_array *array;
    int64_t *offset; /* [room] where each array is in the file that is written */
    int arrays, room;
    char *directory; /* of one that is written */
    char *path;      /* its name */
    char *beside;    /* and its name until it is committed */
};

/* Attributes of the head: rows of the probes and of the ECG */
extern const char *const checkpoint_rows[2], *const checkpoint_csv_rows[2];

/* "/state/003_tp06-epi_Cai" */
void checkpoint_dataset(const struct checkpoint *checkpoint, int k, char *name, size_t room);
hid_t checkpoint_memory_type(enum checkpoint_type type);
size_t checkpoint_type_size(enum checkpoint_type type);
/* Adds an entry to checkpoint->array. */
enum status checkpoint_add(struct checkpoint *checkpoint, const struct checkpoint_array *array,
                           struct error *error);

#endif
