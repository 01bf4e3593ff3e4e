/* steps.h: the time steps of a result, /VTKHDF/Steps, and the order in which a step becomes visible.
 *
 * A step's data and its place in every array are one commit of the file's journal: a program killed at any
 * moment leaves the steps committed before it, and Values is never longer than NSteps (readers overrun a
 * buffer when it is). */
#ifndef CARDIAC_APP_IO_STEPS_H
#define CARDIAC_APP_IO_STEPS_H

#include "app/io/h5.h"

#define STEPS_ARRAYS 6

struct steps {
    hid_t array[STEPS_ARRAYS]; /* the last is Values */
};

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error);
enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error);

/* Step k at `time`; the fields of step k are written before. Errors: STATUS_RUN. */
enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error);
/* min(NSteps, length of every array): the steps that are whole. */
int64_t steps_whole(const struct steps *steps, const struct h5_file *file);
/* time[n] <- the first n times */
enum status steps_times(const struct steps *steps, struct h5_file *file, int64_t n, double *time,
                        struct error *error);
/* Cuts to n steps, Values first. */
enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error);

#endif
