/* steps.h: the time steps of a result: /frames/times, which commits a frame, and the groups that readers see,
 * /VTKHDF/Steps and /fields.
 *
 * A reader that has the file open while it grows must never see half of a step: some overrun a buffer when
 * there are more times than NSteps. So one link replaces /VTKHDF/Steps by a new group, and the old group, which
 * a reader may still use, is not freed. Data shared by the groups only grow: they are indexed by extensible
 * arrays, where no address ever moves. */
#ifndef CARDIAC_APP_IO_RESULT_STEPS_H
#define CARDIAC_APP_IO_RESULT_STEPS_H

#include "app/io/result/time_field.h"

struct steps {
    hid_t times;
    int64_t shown; /* steps in /VTKHDF/Steps, -1 = unknown */
    bool whole;    /* Values is an array, not a view */
};

enum status steps_create(struct steps *steps, struct h5_file *file, struct error *error);
enum status steps_open(struct steps *steps, struct h5_file *file, struct error *error);

/* Writes the time of step k and flushes, which commits the step; its fields are written before. Errors:
 * STATUS_RUN. */
enum status steps_commit(struct steps *steps, struct h5_file *file, int64_t k, double time,
                         struct error *error);
/* An anonymous dataset of the first n times, < 0 on failure: a view during the run, an array at its end (last). */
hid_t steps_values(const struct steps *steps, struct h5_file *file, int64_t n, bool last,
                   struct error *error);
/* /VTKHDF/Steps <- the first n steps, which are committed. */
enum status steps_show(struct steps *steps, struct h5_file *file, int64_t n, bool last, struct error *error);
bool steps_are_shown(const struct steps *steps, int64_t n, bool last);
/* The number of committed steps */
int64_t steps_whole(const struct steps *steps);
/* time[n] <- the first n times */
enum status steps_times(const struct steps *steps, struct h5_file *file, int64_t n, double *time,
                        struct error *error);
/* Cuts the times to n, which must be shown. */
enum status steps_truncate(struct steps *steps, struct h5_file *file, int64_t n, struct error *error);

/* A map of the whole run */
struct steps_map {
    char name[64];
    int64_t width; /* values a node: over (node), or (node, beat) */
};

/* Writes the dimension `node`, and `beat` for maps of several values, and attaches them to the file's maps. */
enum status steps_put_dimensions(struct h5_file *file, int64_t nodes, const struct steps_map *map, int maps,
                                 struct error *error);
/* /fields <- a new group that shows n frames; the anonymous dataset `times` becomes its dimension `time`. Does nothing if
 * the file has no dimensions. */
enum status steps_show_fields(struct h5_file *file, const struct time_field *field, int fields,
                              const struct steps_map *map, int maps, hid_t times, int64_t n,
                              struct error *error);

#endif
