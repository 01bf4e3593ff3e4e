/* study.h: many runs of one config in one process: values of keys in, a table with a row a run out.
 *
 * Runs are numbered from 0 in the order of the table's rows, and within a row in that of the combinations of
 * the config's `sweep:`. Each has the bits that it has alone: of the runs before it, it has only what is made
 * from the same keys (struct setup_reuse). */
#ifndef CARDIAC_APP_STUDY_STUDY_H
#define CARDIAC_APP_STUDY_STUDY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/run/setup.h"
#include "app/study/study_request.h"
#include "app/study/study_table.h"
#include "app/util/csv.h"

/* A run, as far as its config says it */
struct study_run {
    char id[STUDY_ID];                     /* of the keys that its results depend on */
    char mesh[STUDY_ID], matrix[STUDY_ID]; /* of those that these depend on */
    int64_t steps;
    bool done;
};

struct study {
    struct study_request request;
    const struct csv *given; /* table of values, keys as names; NULL = the config's lists alone */
    struct config base;      /* of its lists */
    int64_t points;          /* combinations of its lists, at least 1 */
    int64_t first, runs;     /* of this part */
    int64_t all;
    struct study_run *run;     /* [runs] */
    struct study_run **sorted; /* [runs] by id */
    char *directory;
    struct study_table table;
    int64_t done, failed;
    const int *halvings; /* [all] of the edges of the first run's mesh, for the forecast; NULL = none */
    struct setup_reuse reuse;
    bool chosen[2]; /* whether auto has chosen sweeps for a run, and rkl2 */
    char **warning; /* [warned] that were printed */
    int warned;
};

/* Reads the configs of all runs. Errors: STATUS_INPUT, faults of all runs with their places in the table or
 * the config. *study is to be freed in any case; what the request points at, and the table, must outlive it.
 */
enum status study_open(struct study *study, const struct study_request *request, const struct csv *given,
                       struct error *error);
void study_free(struct study *study);
/* *config <- of run k of all; `more`: one more option, NULL = none. Free it in any case. Errors:
 * STATUS_INPUT.
 */
enum status study_config(struct config *config, const struct study *study, int64_t k,
                         const struct config_option *more, struct error *error);
/* The run of that id, NULL = none */
struct study_run *study_find(const struct study *study, const char *id);

/* Makes all runs that the result table does not have. Errors: STATUS_INPUT where that table is of another
 * study; STATUS_RUN when runs failed, which ends none of the others, or the table cannot be written;
 * STATUS_STOPPED and STATUS_INTERRUPTED: the same call goes on. */
enum status study_make(struct study *study, struct error *error);

/* What the study will take: runs, set-ups, memory, disk and time, by the first steps of one run. file NULL:
 * nothing is printed. Errors: STATUS_INPUT where the memory is not there. */
enum status study_describe(struct study *study, FILE *file, struct error *error);

#endif
