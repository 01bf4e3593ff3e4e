/* results.h: the results of a run, from which its log, its JSON, beats.csv and the numbers in its file are
 * made. */
#ifndef CARDIAC_APP_REPORT_RESULTS_H
#define CARDIAC_APP_REPORT_RESULTS_H

#include "app/config/maps.h"
#include "app/io/result/output.h"
#include "app/problem/problem.h"
#include "app/util/progress.h"

/* A value of every beat of every probe */
struct results_column {
    struct maps_map map;
    double *value; /* [probes * beats], NaN = none */
};

/* The columns that are always there, before those of output.maps */
enum {
    RESULTS_ACTIVATION,
    RESULTS_CYCLE,
    RESULTS_INTERVAL,
    RESULTS_APD,
    RESULTS_PEAK,
    RESULTS_REST,
    RESULTS_COLUMNS
};

struct results {
    const struct config *config;
    const struct problem *problem;
    double time; /* ms, reached */
    int64_t step;

    const double *map;        /* [nodes * beats] activation times, ms, NaN = none */
    const uint8_t *excitable; /* [nodes] whether a front can reach them; NULL = all */
    int64_t activated;        /* nodes that have a first beat, */
    double first, last;       /* and when the first and the last of them had it, ms */
    double *followed;         /* recorded at the probes, laid out by beats_at_points; NULL = nothing */
    struct results_column *column;
    int columns;

    struct monodomain_work work;
    const struct monodomain_report *set_up;
    double exchange_least, exchange_most; /* seconds that ranks spent on exchanges */
    double device_peak;                   /* bytes; 0 = a CPU */
    double waited, loop_seconds;          /* for a full queue of frames; in all */
    int queue;                            /* frames that it has room for */
    struct output_resumed frames;
    int64_t checkpoint_step; /* of the newest, -1 = none */
};

/* column[] and followed[] <- room for what gather fills in. Errors: STATUS_RUN. */
enum status results_allocate(struct results *results, int64_t followed, struct error *error);
void results_free(struct results *results);
/* The columns that are always there <- followed[] */
void results_read_followed(struct results *results);
/* activated, first and last <- the map */
void results_find_activation(struct results *results);

/* The log of what was computed; its parts, of the tissue and of the probes; and its last line */
enum status results_log(const struct results *results, struct progress *progress, struct error *error);
void results_log_activation(const struct results *results, struct progress *progress);
enum status results_log_beats(const struct results *results, struct progress *progress, struct error *error);
void results_log_end(const struct results *results, enum status ended, struct progress *progress);
/* beats.csv: a row for each beat of each probe */
enum status results_write_beats(const struct results *results, const char *path, struct error *error);
/* number[] <- what the work took; returns how many: 0 where no step was taken */
enum { RESULTS_NUMBERS = 15 };
int results_numbers(const struct results *results, struct output_number number[RESULTS_NUMBERS]);
/* The last line of standard output for programs; path: of the result */
void results_print_json(const struct results *results, enum status ended, const char *path);

#endif
