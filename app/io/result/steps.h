/* steps.h: the time steps of a result: /frames/times, which commits a frame, and the groups that readers see,
 * /VTKHDF/Steps and /fields.
 *
 * A reader that has the file open while it grows must never see one part of a step without the other: some
 * overrun a buffer when there are more times than NSteps. So one link replaces /VTKHDF/Steps by a new
 * group, and the space of the old one, which a reader may still use, is not freed. What the groups share
 * only grows: arrays indexed by extensible arrays, where no address ever moves. */
#ifndef CARDIAC_APP_IO_RESULT_STEPS_H
#define CARDIAC_APP_IO_RESULT_STEPS_H

#include "app/io/result/time_field.h"

struct steps {
    hid_t times;
    int64_t shown; /* steps in /VTKHDF/Steps, -1 = not known */
    bool whole;    /* where Values is an array, no view */
};

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error);
enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error);

/* Step k at `time`, with the flush that commits it; the fields of step k are written before. Errors:
 * STATUS_RUN. */
enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error);
/* The first n times as a dataset of no name yet, < 0 on failure: a view of them while the run goes on, an
 * array when this is the last one. */
hid_t steps_values(const struct steps *steps, struct h5_file *file, int64_t n, bool last,
                   struct error *error);
/* /VTKHDF/Steps <- the first n steps, which are committed. */
enum status steps_show(struct steps *steps, struct h5_file *file, int64_t n, bool last, struct error *error);
bool steps_are_shown(const struct steps *steps, int64_t n, bool last);
/* The steps that are committed. */
int64_t steps_whole(const struct steps *steps);
/* time[n] <- the first n times */
enum status steps_times(const struct steps *steps, struct h5_file *file, int64_t n, double *time,
                        struct error *error);
/* Cuts to n steps, which are shown. */
enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error);

/* A map over the whole run, as the views name it */
struct steps_map {
    char name[64];
    int64_t width; /* values a node: over (node), or (node, beat) */
};

/* The dimension `node`, and `beat` of maps of several values, on the maps that stand in the file. */
enum status steps_put_dimensions(struct h5_file *file, int64_t nodes, const struct steps_map *map, int maps,
                                 struct error *error);
/* /fields <- a new group that shows n frames; times, a dataset of no name, becomes its dimension `time`. A
 * file without dimensions keeps none. */
enum status steps_show_fields(struct h5_file *file, const struct time_field *field, int fields,
                              const struct steps_map *map, int maps, hid_t times, int64_t n,
                              struct error *error);

#endif
