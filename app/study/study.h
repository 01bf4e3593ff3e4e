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

#include "app/config/config.h"
#include "app/report/results.h"
#include "app/run/setup.h"
#include "app/util/csv.h"

struct study_table {
    char *path;
    int file;        /* -1 = not open */
    struct csv rows; /* of earlier calls */
};

/* Ends the messages of a table that belongs to another study */
extern const char study_table_elsewhere[];

/* DIR/table.csv, or of part 1 .. parts DIR/table-3-of-64.csv. Errors: STATUS_RUN without memory. */
enum status study_table_name(struct study_table *table, const char *directory, int part, int parts,
                             struct error *error);
/* Open it in its directory, which is made, lock it, and read its rows; overwrite: it has none. names: the
 * line of its columns. Errors: STATUS_INPUT where it has other columns or is in use; STATUS_RUN. */
enum status study_table_open(struct study_table *table, const char *directory, bool overwrite,
                             const char *names, struct error *error);
/* A file of the run in row k of earlier calls is there. made: "run 12ab is done", why it should be. Errors:
 * STATUS_INPUT. */
enum status study_table_check_file(const struct study_table *table, int64_t k, const char *path,
                                   const char *made, struct error *error);
/* Append a line. Errors: STATUS_RUN. */
enum status study_table_append(struct study_table *table, const char *line, struct error *error);
void study_table_free(struct study_table *table);

/* "3/64" -> part and parts; text NULL = neither changes. Errors: STATUS_INPUT. */
enum status study_table_part(int *part, int *parts, const char *text, struct error *error);

struct study_request {
    const char *config, *directory; /* directory: NULL = the config's output.directory */
    const char *const *set;         /* [sets] of --set, for all runs */
    int sets;
    const struct config_option *option; /* [options] */
    int options;
    int part, parts; /* part 1 .. parts of the runs or sites; parts 0 = all */
    bool results;    /* also files for each run */
    bool maps;       /* and those of all in one */
    bool overwrite, quiet, json;
    double began, stop_after; /* seconds */
};

/* How the study is to end before its next steps: by a signal or by stop_after; STATUS_OK = not */
enum status study_stop(const struct study_request *request);
/* *directory <- that of its files, to be freed. Errors: STATUS_RUN without memory. */
enum status study_directory(char **directory, const struct study_request *request,
                            const struct config *config, struct error *error);

enum { STUDY_ID = 13 };
/* id <- 12 digits of the digest of the keys in `subset`. Errors: STATUS_RUN without memory. */
enum status study_id(char id[STUDY_ID], const struct config *config, enum config_subset subset,
                     struct error *error);

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

/* *path <- DIR/maps.vtkhdf, or maps-K-of-N.vtkhdf, to be freed */
enum status study_maps_path(char **path, const struct study *study, struct error *error);
/* All runs need one mesh. Errors: STATUS_INPUT. */
enum status study_maps_check(const struct study *study, struct error *error);
/* Before the first run. Errors: STATUS_INPUT where the file is there although no run is made. */
enum status study_maps_begin(const struct study *study, struct error *error);
/* The maps of run k; failed: none. What earlier calls wrote for it is replaced. */
enum status study_maps_put(const struct study *study, int64_t k, const struct setup *setup, bool failed,
                           struct error *error);

enum { STUDY_COLUMN = 200 }; /* bytes of a name */

/* So many columns do runs of the config have. */
int study_columns(const struct config *config);
/* Column k's name and unit, NULL = none; unit may be NULL */
void study_columns_name(char name[STUDY_COLUMN], const char **unit, const struct config *config, int k);
/* Column k's value, NaN = none */
double study_columns_read(const struct config *config, int k, const struct results *results);
/* % of the excitable nodes */
double study_columns_activated(const struct results *results);

#endif
