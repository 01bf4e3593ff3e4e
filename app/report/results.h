/* results.h: the results of a run, from which its log, its JSON, beats.csv and the numbers in its file are
 * made. */
#ifndef CARDIAC_APP_REPORT_RESULTS_H
#define CARDIAC_APP_REPORT_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/config/maps.h"
#include "app/io/result/output.h"
#include "app/problem/problem.h"
#include "app/problem/sites.h"
#include "app/util/progress.h"
#include "solver/cells/waves.h"
#include "solver/heart/velocity.h"

/* NaN = not found */
struct intervals {
    double begin, qrs; /* ms: of the first QRS, and how long it lasts */
    double t_peak, qt; /* ms: when T is highest, and from `begin` to its end */
    double axis;       /* degrees: 0 to the left, 90 to the feet */
    double highest;    /* mV: the largest distance from the baseline in any lead, and in which */
    int lead;
};

/* Of leads[columns], by name, at time[rows] (ms, evenly spaced): value[rows][columns] in mV. Of several beats
 * the first: until the next QRS begins. */
struct intervals intervals_measure(const double *time, const double *value, int64_t rows, int columns,
                                   char (*lead)[64]);

/* No ECG */
struct intervals intervals_none(void);

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

/* What became of a pulse of a stimulus, in the words of solver/cells/waves.h */
enum results_pulse_end {
    RESULTS_CAPTURED,
    RESULTS_PARTLY, /* captured, but some of the nodes around did not follow, and its front is not running */
    RESULTS_NEGATIVE,   /* not captured: the current hyperpolarises */
    RESULTS_PASSIVE,    /* no stimulated node carries a front */
    RESULTS_REFRACTORY, /* most of the stimulated nodes were up, or had rested less long than they had been up
                         */
    RESULTS_WEAK,       /* none of this, and it activated none of them */
    RESULTS_NOT_LEFT,   /* it did, but nothing outside */
    RESULTS_REACHED,    /* it activated none of them, and another wave did while it was on */
    RESULTS_NOT_APPLIED, /* it begins after the end */
    RESULTS_CUT,         /* the run ended while it was on, and it had captured nothing */
    RESULTS_UNKNOWN,     /* not captured by what is recorded, which may not be all */
    RESULTS_PULSE_ENDS
};

struct results_pulse {
    double start;   /* ms */
    double latency; /* ms until the first node outside was activated; NaN = none */
    double share;   /* of the excitable nodes around that followed, 0 .. 1 */
    double rested;  /* ms that the node ready last had rested: of the stimulated ones if it captured nothing,
                       of  those around that did not follow if it captured in part; negative = it was up */
    double rose;    /* ms of its activation before the pulse; NaN = none */
    bool early;     /* most of these nodes were up or had rested less long than they had been up */
    bool late;      /* captured late: beyond silent nodes */
    double other;   /* ms, the start of the wave of RESULTS_REACHED */
    enum results_pulse_end end;
};

/* Of one stimulus of the config, with all trains of its protocol */
struct results_stimulus {
    const char *name;
    int64_t nodes, pulses, captured; /* captured: partly, too */
    struct results_pulse *pulse;     /* [pulses] that began, or the first one that did not */
};

struct results_quartiles {
    int64_t nodes; /* NaN without any */
    double low, median, high;
};

struct results_region {
    int64_t nodes;                                        /* by their cells */
    bool excitable;                                       /* else passive: its nodes are never activated */
    int64_t *activated;                                   /* [beats] nodes with that beat */
    struct results_quartiles *apd90;                      /* [apd_beats] ms */
    struct velocity_spread velocity[VELOCITY_DIRECTIONS]; /* mm/ms, of the first beat */
    struct velocity_spread velocity_last[VELOCITY_DIRECTIONS]; /* of each node's last one */
    double asked[VELOCITY_DIRECTIONS];                         /* mm/ms of `velocity:`; NaN = not asked for */
};

/* Why a wave stopped */
enum results_stop_cause {
    RESULTS_NO_STOP,
    RESULTS_RUNNING,      /* it did not: it was running at the end */
    RESULTS_COARSE,       /* edges there are too long for a front */
    RESULTS_AGAIN,        /* most nodes ahead were up, or had rested less long than they had been up */
    RESULTS_BEHIND,       /* what is left lies behind passive tissue */
    RESULTS_DISCONNECTED, /* or no element connects it */
    RESULTS_FAILED,       /* none of these: too little current for the tissue ahead */
    RESULTS_UNSEEN,       /* one of the last two or too coarse: the elements are not at hand */
    RESULTS_STOP_CAUSES
};

/* Where the last blocked edge of a wave begins */
struct results_stop {
    enum results_stop_cause cause;
    int32_t wave;    /* -1 = none: what is left is out of reach of all */
    int64_t reached; /* excitable nodes that it activated */
    int64_t never;   /* blocked edges to nodes that were never activated */
    double time;     /* ms */
    int64_t node;
    double place[3];     /* mm, of the node */
    double rested;       /* ms that the node ahead that was ready last had rested; negative = it was up */
    double edge, enough; /* mm, of RESULTS_COARSE */
};

/* A wave that came back */
struct results_return {
    int32_t wave;
    double time, cycle; /* ms: of its first activation again of a node; the median interval */
    int64_t node;
    double place[3]; /* mm, of that node */
    bool running;    /* at the end */
};

enum { RESULTS_WAVES = 100 }; /* stops and returns that are listed, at most */

struct results_peak {
    double value, time; /* mV, ms; value NaN = none; time NaN = unknown */
    int64_t node;
    double place[3]; /* mm, of the node */
};

struct results {
    const struct config *config;
    const struct problem *problem;
    const struct sites *sites;
    const struct sites_cells *cells;
    double time; /* ms, reached */
    int64_t step;

    const struct waves *waves; /* NULL = activations of single beats are not recorded */
    const double *point;       /* [nodes * 3] mm */
    const double *map;         /* [nodes * beats] activation times, ms, NaN = none */
    int64_t excitable;         /* nodes that a front can reach; the others are never activated */
    int64_t activated;         /* of them have a first beat, */
    double first, last;        /* and when the first and the last of them had it, ms */
    double *followed; /* recorded at the points of `sites`, laid out by beats_at_points; NULL = nothing */
    struct results_column *column;
    int columns;

    struct results_stimulus *stimulus; /* [stimuli] */
    int stimuli;
    struct results_region *region; /* [regions] */
    int regions;
    int64_t apd_beats;
    bool apd_everywhere;       /* from the maps of all nodes, else at the points */
    struct results_stop *stop; /* [stops] of waves that did not reach all nodes, in their order; the last of
                                  what none can reach */
    int stops;
    struct results_return *back; /* [backs] */
    int backs;
    bool running;                    /* the wave of the last activation was, at the end */
    int64_t unknown;                 /* waves of unknown cause, */
    double unknown_at;               /* the first of which began at so many ms */
    int64_t slots;                   /* activations that are recorded of a node */
    int64_t dropped;                 /* nodes with activations that were not recorded */
    struct results_peak peak;        /* the largest V that was seen */
    struct intervals intervals;      /* of the ECG in the first beat, */
    struct intervals intervals_last; /* and in that of the last pulse that captured */

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
/* excitable, activated, first and last <- the map */
void results_find_activation(struct results *results);
/* ms: start of the last pulse that captured, or 0 */
double results_last_capture(const struct results *results);
/* ms from which a second beat may be in the leads: of the first node that is recorded to be activated again,
 * or of a pulse after all have been; infinity = none */
double results_second_beat(const struct results *results);
/* stimulus[] <- the waves. Errors: STATUS_RUN without memory. */
enum status results_find_captures(struct results *results, struct error *error);
/* stop[], back[] and running <- the waves. Errors: STATUS_RUN without memory. */
enum status results_find_waves(struct results *results, struct error *error);
/* region[] but apd90 <- the map. Errors: STATUS_RUN without memory. */
enum status results_find_regions(struct results *results, struct error *error);
/* region[].apd90 <- apd90[nodes * activation_beats], or, where that is NULL, followed[]. Errors as above. */
enum status results_find_apd(struct results *results, const double *apd90, struct error *error);
/* peak <- the largest of itself and followed[] */
void results_find_peak(struct results *results);

/* The log: what the tissue did, unless the run failed, then (verbose: on the terminal, too) what it took */
enum status results_log(const struct results *results, bool tissue, bool verbose, struct progress *progress,
                        struct error *error);
/* Its parts: stimuli, activation, velocities, beats, ECG; with a warning for all that is not as asked for */
enum status results_log_tissue(const struct results *results, struct progress *progress, struct error *error);
enum status results_log_beats(const struct results *results, struct progress *progress, struct error *error);
void results_log_end(const struct results *results, enum status ended, struct progress *progress);
/* beats.csv: a row for each beat of each probe */
enum status results_write_beats(const struct results *results, const char *path, struct error *error);
/* number[] <- what the work took; returns how many: 0 where no step was taken */
enum { RESULTS_NUMBERS = 15 };
extern const char *const results_number_name[RESULTS_NUMBERS];
int results_numbers(const struct results *results, struct output_number number[RESULTS_NUMBERS]);
/* One object of JSON on one line: the last of standard output for programs, and kept in the result; path: of
 * the result */
void results_print_json(const struct results *results, enum status ended, const char *path, FILE *file);

#endif
