/* run.h: a run while it steps, with its files. */
#ifndef CARDIAC_APP_RUN_RUN_H
#define CARDIAC_APP_RUN_RUN_H

#include <stdbool.h>

#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/io/result/output.h"
#include "app/io/result/probes.h"
#include "app/report/results.h"
#include "app/run/forest.h"
#include "app/run/map_values.h"
#include "app/run/setup.h"
#include "app/run/writer.h"

/* What is due at one time, on its way to the files */
struct run_frame {
    struct run *run;
    int slot; /* of the snapshot of a frame, -1 = there is none */
    double time;
    bool frame, row, lead;    /* a frame of the fields, a row of the probes, one of the ECG */
    struct error fetch_error; /* of reading it from the tissue */
};

/* The state on its way to a checkpoint */
struct run_checkpoint {
    struct checkpoint_state *state;
    struct checkpoint_head head;
    struct error fetch_error; /* of reading it from the tissue */
    int64_t fetched_step;     /* of the state read last, -1 = none */
    int64_t save_task;        /* count of the writer's tasks at which it is saved */
    int64_t step;             /* of the newest checkpoint, written or resumed from, -1 = none; the writer's */
    struct checkpoint *from;  /* what was resumed from; NULL = a fresh start */
};

struct run {
    struct setup *setup;
    struct writer *writer;                /* owns output and probes once it is started */
    struct output *output;                /* NULL on ranks other than 0 */
    struct probes *probes[OUTPUT_TABLES]; /* probes.csv and ecg.csv; NULL without columns */
    double *row;                          /* [probes * fields] */
    double *lead;                         /* [WRITER_QUEUE][ecg.columns] */
    struct run_frame frame[WRITER_QUEUE];
    int next_slot;                     /* of the snapshot, */
    int64_t slot_task[READBACK_SLOTS]; /* and the count of the writer's tasks at which each is free */
    struct run_making *making;         /* files that are not made yet, or could not be; NULL = none */
    struct run_checkpoint checkpoint;
    struct map_values values; /* the writer's */
    bool ready;               /* all files are open, on all ranks */
    bool lost;                /* resumed without its result file: a new one begins */
    bool unsynced;            /* something was written since synced_at */
    double synced_at;         /* clock_seconds() of the last sync to disk; the writer's */
    double *map;              /* [held * beats] activation times */
    double *v;                /* [held] for stop_when; NULL without it */
    double *before;  /* [nodes + 1] V at the last look at stop_when, and since when it is quiet; NULL =
                       unused */
    bool over;       /* stop_when is met */
    char ended[200]; /* how; "" = it is not */
    struct results_peak peak;   /* the largest V in the frames since this start; the writer's */
    int64_t first;              /* step that the loop began with */
    double began, loop_seconds; /* clock_seconds() then, and what the loop took */
    struct results results;     /* after run_finish */
    bool grows;                 /* the forest is kept from one report to the next (app/api/waves.c) */
    struct forest forest;       /* whose waves they point at, */
    struct mesh mesh;           /* and with several ranks the points of these */
    int thread_changes;         /* of the thread tuner, those that are logged */
    double threads_at;          /* clock_seconds() before which none is logged */
};

/* The set-up, all steps and the end of a run; *run is to be freed in any case, before *setup. */
enum status run_simulate(struct run *run, struct setup *setup, struct error *error);

/* Memory for the maps and for stop_when; a writer_task. */
enum status run_allocate(void *run, struct error *error);
/* Starts the writer, restores the state to start from and opens all files, which the writer may still be making. */
enum status run_files(struct run *run, struct error *error);
void run_free_making(struct run *run);
/* Takes all steps and queues frames, probes and checkpoints. */
enum status run_loop(struct run *run, struct error *error);
/* Fills in the results, logs them, stores maps and numbers and closes the files, however the steps ended;
 * returns how the run ended. */
enum status run_finish(struct run *run, enum status ended, struct error *error);
void run_free(struct run *run);
/* *results <- at the present step, of a run without writer and files; free it in any case. */
enum status run_results(struct run *run, struct results *results, struct error *error);

/* Queues what is due at the present step (a frame, a row of the probes, one of the ECG) for the writer.
 * Errors: also those of frames queued before. */
enum status run_queue_frame(struct run *run, bool frame, bool row, bool lead, struct error *error);
/* On the writer's thread, at the start of each task of all ranks: an error if any rank could not read its
 * part. Such a rank queues the task with its error, since the others would wait for it. */
enum status run_begin_task(const struct run *run, const struct error *fetch_error, struct error *error);
/* The same for a task that is skipped after the failure *error. */
enum status run_decline(void *run, struct error *error);
/* On the writer's thread: syncs result, probes and log to disk, at most once a second; a writer_task. */
enum status run_sync(void *run, struct error *error);
/* On the writer's thread: writes the maps to the result, from the copied state, or the present one for NULL
 * */
enum status run_write_maps(struct run *run, struct checkpoint_state *state, struct error *error);

#endif
