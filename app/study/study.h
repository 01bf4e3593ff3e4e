/* study.h: many runs of one config in one process; the input is a table of key values, the output a table of results.
 *
 * Runs are numbered from 0 by the table's rows and, within a row, by the combinations of the config's
 * `sweep:`. Each run is bit-identical to the same run alone: runs share only what is built from equal keys (struct
 * setup_reuse). */
#ifndef CARDIAC_APP_STUDY_STUDY_H
#define CARDIAC_APP_STUDY_STUDY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/config.h"
#include "app/report/results.h"
#include "app/run/setup.h"
#include "app/util/csv.h"

struct study_table {
    char *path;
    int file;        /* -1 = not open */
    struct csv rows; /* of earlier calls */
};

/* The end of messages about a table of another study */
extern const char study_table_elsewhere[];

/* Creates the directory, opens and locks the table and reads its rows; overwrite: deletes them. names: its
 * first line. Errors: STATUS_INPUT where it has other columns or is in use; STATUS_RUN. */
enum status study_table_open(struct study_table *table, const char *directory, bool overwrite,
                             const char *names, struct error *error);
/* Appends a line. Errors: STATUS_RUN. */
enum status study_table_append(struct study_table *table, const char *line, struct error *error);

/* *part, *parts <- from text such as "3/64"; unchanged if text is NULL. Errors: STATUS_INPUT. */
enum status study_table_part(int *part, int *parts, const char *text, struct error *error);

struct study_request {
    const char *config, *directory; /* directory: NULL = the config's output.directory */
    const char *const *set;         /* [sets] of --set, for all runs */
    int sets;
    const struct config_option *option; /* [options] */
    int options;
    int part, parts; /* part 1 .. parts of the runs; parts 0 = all */
    bool results;    /* write the files of each run */
    bool maps;       /* write the maps of all runs to one file */
    bool overwrite, quiet, json;
    double began, stop_after; /* seconds */
};

enum { STUDY_ID = 17, STUDY_ID_OLD = 13 };
/* id <- the first 16 digits of the digest of the keys in `subset` and of the contents of the files that they name
 * (earlier versions: 12 digits, with the files' times). Errors: STATUS_RUN if out of memory. */
enum status study_id(char id[STUDY_ID], const struct config *config, enum config_subset subset,
                     struct error *error);

/* What is known of a run from its config */
struct study_run {
    char id[STUDY_ID];                     /* of the keys that its results depend on */
    char mesh[STUDY_ID], matrix[STUDY_ID]; /* of the keys that mesh and matrix depend on */
    int64_t steps;
    bool done;
};

/* A printed warning, and the number of rows of this call with it or one that differs only in its numbers */
struct study_warning {
    char *text;
    int64_t rows;
};

struct study {
    struct study_request request;
    const struct csv *given;   /* table of values, a column for each key; NULL = only the config's lists */
    struct config base;        /* config of the first run, with the lists */
    int64_t points;            /* number of combinations of the lists, at least 1 */
    int64_t first, runs;       /* first run and number of runs of this part */
    int64_t all;               /* number of runs of all parts */
    struct study_run *run;     /* [runs] */
    struct study_run **sorted; /* [runs] by id */
    char *directory;
    struct study_table table;
    int64_t done, failed;
    const int *halvings; /* [all] how often the first run's edges are halved, for the forecast; NULL = 0 */
    struct setup_reuse reuse;
    bool chosen[2];                /* whether `solver.method: auto` has chosen sweeps for some run; rkl2 */
    struct study_warning *warning; /* [warned] printed so far */
    int warned;
    int64_t made; /* rows made by this call */
};

/* Reads the configs of all runs. What the request points to, and the table, must outlive the study. Errors:
 * STATUS_INPUT, all faults of all runs with their lines in the table or the config. Free *study even then. */
enum status study_open(struct study *study, const struct study_request *request, const struct csv *given,
                       struct error *error);
void study_free(struct study *study);
/* *config <- the config of run k of all parts; `more`: an additional option, NULL = none. Errors: STATUS_INPUT. Free
 * *config even then. */
enum status study_config(struct config *config, const struct study *study, int64_t k,
                         const struct config_option *more, struct error *error);
/* The run with that id; NULL = none */
struct study_run *study_find(const struct study *study, const char *id);

/* Makes the runs that the table lacks. Errors: STATUS_INPUT if the table belongs to another study; STATUS_RUN
 * if runs failed (the others are made nevertheless) or the table cannot be written; STATUS_STOPPED and
 * STATUS_INTERRUPTED: the same call continues. */
enum status study_make(struct study *study, struct error *error);

/* Prints runs, set-ups, and a forecast of memory, disk and time from the first steps of one run. Errors:
 * STATUS_INPUT if the memory does not suffice. */
enum status study_describe(struct study *study, struct error *error);

/* *path <- DIR/name.extension or, for part K of N, DIR/name-K-of-N.extension; the caller frees it. Errors: STATUS_RUN
 * if out of memory. */
enum status study_path(char **path, const struct study *study, const char *name, const char *extension,
                       struct error *error);

/* Check and write DIR/table.inputs (part K of N: DIR/table-K-of-N.inputs), the digests and paths of the files of all
 * runs' configs. Errors: STATUS_INPUT if another program's file has that name. */
enum status study_inputs_claim(const struct study *study, struct error *error);
enum status study_inputs_write(const struct study *study, struct error *error);
/* reason[room] <- why a row belongs to another study: files that have changed since table.inputs was written, or else
 * different keys */
void study_inputs_reason(char *reason, size_t room, const struct study *study);

/* Call before the first run. Errors: STATUS_INPUT if the maps' file exists although no run has been made. */
enum status study_maps_begin(const struct study *study, struct error *error);
/* Writes the maps of run k, NaN if it failed; replaces those of earlier calls. */
enum status study_maps_put(const struct study *study, int64_t k, const struct setup *setup, bool failed,
                           struct error *error);

#endif
