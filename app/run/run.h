/* run.h: one simulation from its config to its files: what the stages of `cardiac run` hand to each other. */
#ifndef CARDIAC_APP_RUN_RUN_H
#define CARDIAC_APP_RUN_RUN_H

#include <stdbool.h>

#include "app/config/config.h"
#include "app/io/checkpoint/checkpoint.h"
#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/io/result/output.h"
#include "app/io/result/probes.h"
#include "app/models/upstroke.h"
#include "app/problem/ecg.h"
#include "app/run/fields.h"
#include "app/run/map_values.h"
#include "app/problem/problem.h"
#include "app/util/progress.h"
#include "app/run/writer.h"
#include "app/util/json.h"
#include "kernels/device/comm.h"
#include "kernels/device/queue.h"
#include "solver/step/monodomain.h"
#include "solver/ranks/subdomain.h"

struct run_options {
    bool resume, overwrite, dry_run, quiet, json, verbose;
    double stop_after; /* seconds of wall time since the program began, infinity = not limited */
};

/* What is due at one time, on its way to the files. */
struct run_frame {
    struct run *run;
    int slot; /* of the snapshot */
    double time;
    bool frame, row, lead; /* a frame of the fields, a row of the probes, one of the ECG */
    struct error taken;    /* how taking them ended */
};

/* The first and the last time of the first beat, ms, and how many nodes have it */
struct run_first_beat {
    int64_t nodes;
    double low, high;
};

struct run {
    struct run_options options;
    struct comm *comm; /* the ranks of this run, which all go through the same stages; rank 0 has the files */
    bool opened;       /* rank 0 has a result open */
    struct config config;
    struct problem problem;
    struct subdomain subdomain; /* this rank's, if there are others */
    struct queue *queue;
    struct monodomain *sim;
    struct fields fields;
    struct ecg ecg;
    char *numbers;               /* the config's text that matters to the numbers */
    struct checkpoint_head head; /* fingerprints of what a checkpoint belongs to */
    struct checkpoint *from;     /* what was resumed from; NULL = a fresh start */
    bool lost;                   /* resumed, but its result file is gone: a new one begins */
    struct writer *writer;       /* has all below up to row, once it is started */
    struct output *output;
    struct probes *probes[OUTPUT_TABLES]; /* probes.csv and ecg.csv; NULL when there are no such columns */
    double *row;                          /* [probes * fields] */
    double *lead;                         /* [WRITER_QUEUE][ecg.columns] */
    struct run_frame frame[WRITER_QUEUE];
    struct progress *progress;
    struct run_first_beat first; /* known at the end */
    double kept_at;           /* clock_seconds() when the files were last brought to the disk; the writer's */
    bool unkept;              /* something was written since */
    int lock[2];              /* files of the lock on the output directory; 0 = there is none */
    double *map;              /* [held * beats] activation times */
    uint8_t *excitable;       /* [nodes] of rank 0: whether a front can come there; NULL = to all */
    struct map_values values; /* the writer's */
    double *before; /* [nodes + 1] V at the last look at stop_when, and since when it is quiet; NULL =
                       that is not asked */
    double began;   /* clock_seconds() when the program began */
    struct checkpoint_state *state; /* on its way to a checkpoint */
    struct error taken;             /* how taking it ended */
    int64_t taken_step;             /* of the state taken last, -1 = none */
    int64_t taken_work;             /* works of the writer until it is saved */
    int64_t checkpoint_step;        /* of the newest one written or resumed from, -1 = none; the writer's */
    double loop_seconds;
};

/* Whether this rank is the one that writes and speaks */
static inline bool run_writes(const struct run *run)
{
    return run->comm->rank == 0;
}

/* The stages, in order. The second and the last are work for the writer's thread: they call HDF5. */
enum status run_tissue(struct run *run, struct error *error); /* config -> mesh -> tissue at rest */
enum status run_files(struct run *run, struct error *error);  /* initial state or --resume; result, probes */
enum status run_loop(struct run *run, struct error *error);   /* all steps; frames, probes, checkpoints */
/* Stores maps and numbers and closes the files, whatever happened; returns how the run ended. */
enum status run_close(struct run *run, enum status ended, struct error *error);

/* What of the mesh neither tissue nor files ask for any more */
void run_drop_mesh(struct run *run);
/* run->excitable <- nodes of elements whose cells carry a front; NULL where all are. Errors: STATUS_RUN. */
enum status run_find_excitable(struct run *run, const struct upstroke *upstroke, struct error *error);
/* What became of the tissue, for the log; of the probes, for beats.csv too */
enum status run_say_activation(struct run *run, struct error *error);
/* What is due at the present step (a frame, a row of the probes, one of the ECG) is handed to the writer.
 * Errors: also those of frames handed over before. */
enum status run_hand_over(struct run *run, bool frame, bool row, bool lead, struct error *error);
/* For the writer's thread, how each work of all ranks begins: whether all of them have what it needs. A rank
 * that failed to take it hands the work over nevertheless, with its error, or the others would wait for it.
 */
enum status run_begin_work(const struct run *run, const struct error *taken, struct error *error);
/* The same in place of a work that is left out after a failure, which is *error. */
enum status run_decline(void *run, struct error *error);
/* For the writer's thread: brings result, probes and log to the disk, a second after it last did; a
 * writer_work of the run. */
enum status run_keep(void *run, struct error *error);
/* For the writer's thread: the maps as they were taken, or, for NULL, as they are now -> the result */
enum status run_write_maps(struct run *run, struct checkpoint_state *taken, struct error *error);

/* The output directory, made where it is missing and locked against other runs, and run->progress with the
 * log in it; of rank 0. Errors: STATUS_INPUT for a place that cannot be, or where something else stands;
 * STATUS_RUN. */
enum status run_directory(struct run *run, struct error *error);
/* DIR/name, to be freed; NULL without memory */
char *run_path(const struct run *run, const char *name);

#endif
