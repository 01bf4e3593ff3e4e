/* results.h: the results of a run, from which its facts, JSON, beats.csv and the numbers in its file are derived. */
#ifndef CARDIAC_APP_REPORT_RESULTS_H
#define CARDIAC_APP_REPORT_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/config/maps.h"
#include "app/io/result/output.h"
#include "app/problem/problem.h"
#include "app/problem/sites.h"
#include "app/report/facts.h"
#include "app/util/progress.h"
#include "solver/cells/waves.h"
#include "solver/heart/velocity.h"

/* Intervals of an ECG; NaN = not found */
struct intervals {
    double begin, qrs; /* ms: start and duration of the first QRS */
    double t_peak, qt; /* ms: time of the peak of T; from `begin` to the end of T */
    double axis;       /* degrees: 0 to the left, 90 to the feet */
    double highest;    /* mV: the largest distance from the baseline, in lead `lead` */
    int lead;
};

/* The intervals of the first beat, up to the next QRS. time[rows]: ms, evenly spaced; value[rows][columns]:
 * mV; lead[columns]: names. */
struct intervals intervals_measure(const double *time, const double *value, int64_t rows, int columns,
                                   char (*lead)[64]);

/* The intervals without an ECG: NaN */
struct intervals intervals_none(void);

/* A column of beats.csv: a value for every beat of every probe */
struct results_column {
    struct maps_map map;
    double *value; /* [probes * beats], NaN = none */
};

/* The columns that every run has; those of output.maps follow */
enum {
    RESULTS_ACTIVATION,
    RESULTS_CYCLE,
    RESULTS_INTERVAL,
    RESULTS_APD,
    RESULTS_PEAK,
    RESULTS_REST,
    RESULTS_COLUMNS
};

/* Identifies a pulse by its stimulus and start */
struct results_name {
    const char *name;
    double start; /* ms */
};

struct results_pulse {
    double start;                   /* ms */
    struct waves_response response; /* solver/cells/waves.h */
    struct results_name *together;  /* [togethers] the other pulses of its waves, by start */
    int64_t togethers;
};

/* One stimulus of the config, with all trains of its protocol */
struct results_stimulus {
    const char *name;
    int64_t nodes, pulses, captured;
    struct results_pulse *pulse; /* [pulses] those that have begun; if none, the first */
};

struct results_quartiles {
    int64_t nodes; /* 0: the others are NaN */
    double low, median, high;
};

/* Repolarization in a region, at the activated nodes at which it is followed */
struct results_recovery {
    int64_t nodes; /* activated nodes at which it is followed */
    int64_t early; /* of these, nodes with early afterdepolarisations (kernels/ops/observer.h) */
    double eads;   /* the most in one beat, minus one for each pulse during it, which may raise V once */
    int64_t late; /* nodes that had not repolarised by 90 % after their last activation when the next pulse of
                      the train began, or after 1.5 of its periods, or without a train after 1000 ms */
    double waited; /* ms from that activation to the end, the maximum over these nodes */
};

struct results_region {
    int64_t nodes;                   /* with this region's cells */
    bool excitable;                  /* else passive: never activated */
    int64_t *activated;              /* [beats] number of nodes with that beat */
    struct results_quartiles *apd90; /* [apd_beats] ms */
    struct results_recovery recovery;
    struct velocity_spread velocity[VELOCITY_DIRECTIONS];      /* mm/ms, of the first beat */
    struct velocity_spread velocity_last[VELOCITY_DIRECTIONS]; /* of each node's last beat */
    double asked[VELOCITY_DIRECTIONS];                         /* mm/ms, `velocity:`; NaN = not given */
};

/* Why a wave stopped: name, word in JSON, continuation of the sentence in the log */
#define RESULTS_STOPS(X)                                                                                     \
    X(RESULTS_NO_STOP, NULL, "")                                                                             \
    /* edges there are too long for a front */                                                               \
    X(RESULTS_COARSE, "too coarse", ": too coarse, edges there are")                                         \
    /* most nodes ahead were depolarised, or had rested for less time than their action potential lasted */  \
    X(RESULTS_AGAIN, "refractory", ": refractory, nodes ahead")                                              \
    X(RESULTS_BEHIND, "passive", ": passive, the remaining nodes are enclosed by passive tissue")            \
    X(RESULTS_DISCONNECTED, "disconnected", ": no element connects the remaining nodes")                     \
    /* none of these */                                                                                      \
    X(RESULTS_FAILED, "too little current",                                                                  \
      ": too little current for the tissue ahead (conductivity, excitability, or a narrow passage)")         \
    /* coarse, passive or too little current: several ranks do not have the elements */                      \
    X(RESULTS_UNSEEN, NULL, " (several ranks do not look for the cause)")

#define RESULTS_NAME(name, word, sentence) name,
enum results_stop_cause { RESULTS_STOPS(RESULTS_NAME) };
#undef RESULTS_NAME

/* The stop of a wave: where its last blocked edge begins */
struct results_stop {
    enum results_stop_cause cause;
    int32_t wave;    /* -1 = none: no wave could reach the remaining nodes */
    int64_t reached; /* excitable nodes that the wave activated */
    int64_t never;   /* number of blocked edges to nodes that were never activated */
    double time;     /* ms */
    int64_t node;
    double position[3];  /* mm, of the node */
    double rested;       /* ms since the last node ahead repolarized; negative = it had not */
    double edge, enough; /* mm, of RESULTS_COARSE */
};

/* Re-entry: a wave that activated a node again */
struct results_return {
    int32_t wave;
    double time, cycle; /* ms: the first such activation; the median interval between activations */
    int64_t node;
    double position[3]; /* mm, of the node */
    bool running;       /* still, at the end of the run */
};

enum { RESULTS_WAVES = 100 }; /* most stops and returns listed */

struct results_peak {
    double value, time; /* mV, ms; value NaN = none; time NaN = unknown */
    double since;       /* ms: time of a resume, before which frames and rows do not count; NaN = whole run */
    int64_t node;
    double position[3]; /* mm, of the node */
};

struct results {
    const struct config *config;
    const struct problem *problem;
    const struct sites *sites;
    const struct sites_cells *cells;
    const char *ended; /* how stop_when was met; "" = it was not */
    bool relative;     /* the leads have no absolute amplitude */
    double time;       /* ms, reached */
    int64_t step;

    const struct waves *waves; /* NULL = not found yet */
    const double *point;       /* [nodes * 3] mm */
    const double *map;         /* [nodes * beats] activation times, ms, NaN = none */
    int64_t excitable;         /* nodes with excitable cells; the others are never activated */
    int64_t activated;         /* excitable nodes with a first beat */
    double first, last;        /* ms: the earliest and the latest of these beats */
    double *followed; /* record at the points of `sites`, laid out by beats_at_points(); NULL = none */
    struct results_column *column;
    int columns;

    struct results_stimulus *stimulus; /* [stimuli] */
    int stimuli;
    struct results_region *region; /* [regions] */
    int regions;
    int64_t apd_beats;
    bool apd_everywhere;       /* APD is known at all nodes (from maps), else at the points only */
    struct results_stop *stop; /* [stops] of waves that did not reach all nodes, in order; possibly a last one
                                  for nodes that no wave could reach */
    int stops;
    struct results_return *back; /* [backs] */
    int backs;
    bool running;                    /* the wave of the last activation was running at the end */
    int64_t unknown;                 /* waves started by neither a stimulus nor a neighbour */
    double unknown_at;               /* ms, start of the first of them */
    double itself_at;                /* ms, start of the first spontaneous wave; NaN = none */
    int64_t slots;                   /* activations recorded at most for a node */
    int64_t dropped;                 /* nodes with activations that were not recorded */
    struct results_peak peak;        /* the largest V in frames, rows of probes and beats */
    struct intervals intervals;      /* of the ECG in the first beat */
    struct intervals intervals_last; /* of the ECG in the beat of the last pulse that captured */

    struct facts facts; /* what the log and JSON print about these results */

    struct monodomain_work work;
    const struct monodomain_report *set_up;
    double exchange_least, exchange_most;             /* min and max over ranks: seconds of exchanges, */
    double exchange_share_least, exchange_share_most; /* and their fraction of the rank's steps */
    double device_peak;                               /* bytes; 0 = a CPU */
    double waited, loop_seconds;                      /* waiting for the writer; of the whole loop */
    struct output_resumed frames;
    int64_t checkpoint_step;     /* of the newest checkpoint, -1 = none */
    const struct progress *wall; /* gives the times of stages for JSON; NULL = none */
};

/* Allocates column[] and followed[]. Errors: STATUS_RUN. */
enum status results_allocate(struct results *results, int64_t followed, struct error *error);
void results_free(struct results *results);
/* The first RESULTS_COLUMNS columns <- from followed[] */
void results_read_followed(struct results *results);
/* excitable, activated, first and last <- from the map of activation times */
void results_find_activation(struct results *results);
/* The start of the last pulse that captured, ms; 0 = none */
double results_last_capture(const struct results *results);
/* The time from which the leads may show a second beat, ms: the first recorded second activation of a node, or the
 * first pulse after the last activation; infinity = none */
double results_second_beat(const struct results *results);
/* The word for how a pulse ended, in JSON */
const char *results_end_word(enum waves_end end);
/* Stimulus and start of waves->owner[owner] */
struct results_name results_owner(const struct results *results, int32_t owner);
/* stimulus[] <- from the waves. Errors: STATUS_RUN if out of memory. */
enum status results_find_captures(struct results *results, struct error *error);
/* stop[], back[] and running <- from the waves. Errors: STATUS_RUN if out of memory. */
enum status results_find_waves(struct results *results, struct error *error);
/* region[] except apd90 <- from the map. Errors: STATUS_RUN if out of memory. */
enum status results_find_regions(struct results *results, struct error *error);
/* region[].apd90 <- from apd90[nodes * activation_beats] or, if NULL, from followed[]. Errors as above. */
enum status results_find_apd(struct results *results, const double *apd90, struct error *error);
/* region[].recovery <- from the same and eads[nodes * activation_beats] */
enum status results_find_recovery(struct results *results, const double *apd90, const double *eads,
                                  struct error *error);
/* peak <- the larger of itself and the peaks in followed[] */
void results_find_peak(struct results *results);

/* Logs the facts (only if `tissue`), times and work; verbose: on the terminal as well. */
enum status results_log(const struct results *results, bool tissue, bool verbose, struct progress *progress,
                        struct error *error);
void results_log_end(const struct results *results, enum status ended, struct progress *progress);
/* beats.csv: a row for each beat of each probe */
enum status results_write_beats(const struct results *results, const char *path, struct error *error);
/* Whether the measured QRS is implausible: shorter than half of the tissue's total activation time */
bool results_doubt_qrs(const struct results *results);
/* number[] <- times and work; returns their number, 0 if no step was taken */
enum { RESULTS_NUMBERS = 15 };
extern const char *const results_number_name[RESULTS_NUMBERS];
int results_numbers(const struct results *results, struct output_number number[RESULTS_NUMBERS]);
/* Prints one JSON object on one line: the last line of `run --json`, also stored in the result. path: of the
 * result, message: why the run failed; NULL = none. warnings: all of the run's. */
void results_print_json(const struct results *results, enum status ended, const char *path,
                        const char *message, const struct progress *warnings, FILE *file);

#endif
