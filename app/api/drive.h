/* drive.h: what calls have changed of what is applied to a tissue: pulses that are moved, and currents. */
#ifndef CARDIAC_APP_API_DRIVE_H
#define CARDIAC_APP_API_DRIVE_H

#include <stdint.h>

#include "kernels/base/error.h"

struct cardiac;

/* A pulse that is not where the config has it */
struct drive_move {
    int stimulus;
    int64_t pulse;
    double start; /* ms */
};

/* What calls have changed of what is applied to the tissue */
struct drive {
    struct drive_move *move; /* [moves] */
    int moves;
    double *current; /* [nodes] uA/uF; NULL = none */
};

/* The stimuli of the tissue <- those of its config with *next, which sim->drive takes over. Errors:
 * STATUS_INPUT with too many different currents, STATUS_RUN without memory; then all is as before. */
enum status drive_apply(struct cardiac *sim, struct drive *next, struct error *error);
/* Errors: STATUS_RUN without memory; then *to is empty. */
enum status drive_copy(struct drive *to, const struct drive *from, int64_t nodes, struct error *error);
void drive_free(struct drive *drive);

#endif
