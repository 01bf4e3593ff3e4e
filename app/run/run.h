/* run.h: a run in progress, with its files. */
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

/* Output due at one time, queued for the writer */
struct run_frame {
    struct run *run;
    int slot; /* snapshot slot of a frame, -1 = none */
    double time;
    bool frame, row, lead;    /* which is due: a frame of the fields, a row of the probes, a row of the ECG */
    struct error fetch_error; /* of reading it from the tissue */
};

/* A state queued for a checkpoint */
struct run_checkpoint {
    struct checkpoint_state *state;
    struct checkpoint_head head;
    struct error fetch_error; /* of reading it from the tissue */
    int64_t fetched_step;     /* step of the state read last, -1 = none */
    int64_t save_task;        /* writer_tasks() when its save was queued */
    int64_t step;             /* of the newest checkpoint, written or resumed; -1 = none; writer's thread */
    struct checkpoint *from;  /* the checkpoint to resume from; NULL = a fresh start */
};

struct run {
    struct setup *setup;
    struct writer *writer;                /* owns output and probes once it is started */
    struct output *output;                /* NULL on ranks other than 0 */
    struct probes *probes[OUTPUT_TABLES]; /* probes.csv and ecg.csv; NULL without columns */
    double *row;                          /* [probes * fields] */
    double *lead;                         /* [WRITER_QUEUE][ecg.columns] */
    struct run_frame frame[WRITER_QUEUE];
    int next_slot;                     /* next snapshot slot */
    int64_t slot_task[READBACK_SLOTS]; /* number of finished writer tasks after which each slot is free */
    struct run_making *making;         /* files that are still being created, or failed; NULL = none */
    struct run_checkpoint checkpoint;
    struct map_values values; /* used by the writer's thread */
    bool ready;               /* all files are open, on all ranks */
    bool lost;                /* resumed without its result file, so a new one is created */
    bool unsynced;            /* something was written since synced_at */
    double synced_at;         /* clock_seconds() of the last sync to disk; writer's thread */
    double *map;              /* [held * beats] activation times */
    double *v;                /* [held] for stop_when; NULL without it */
    double *before;  /* [nodes + 1] V at the last test of stop_when, and since when it is quiet; NULL =
                       unused */
    bool over;       /* stop_when is met */
    char ended[200]; /* how it was met; "" = it is not */
    struct results_peak peak;   /* the largest V in the frames since this start; the writer's */
    int64_t first;              /* step at which the loop began */
    double began, loop_seconds; /* clock_seconds() then; duration of the loop */
    struct results results;     /* filled by run_finish() */
    bool grows;                 /* the forest is updated from one report to the next (app/api/waves.c) */
    struct forest forest;       /* its waves are referenced by `results` */
    struct mesh mesh;           /* with several ranks: its points are referenced by `results` */
    int thread_changes;         /* changes of the thread tuner that were logged */
    double threads_at;          /* clock_seconds() before which no further one is logged */
};

/* Sets up, steps and finishes a run. Free *run even after an error, before *setup. */
enum status run_simulate(struct run *run, struct setup *setup, struct error *error);

/* Allocates memory for the maps and for stop_when; a writer_task. */
enum status run_allocate(void *run, struct error *error);
/* Starts the writer, restores the initial state and opens all files; the writer may create them later. */
enum status run_files(struct run *run, struct error *error);
void run_free_making(struct run *run);
/* Takes all steps and queues frames, probes and checkpoints. */
enum status run_loop(struct run *run, struct error *error);
/* Fills in and logs the results, stores maps and numbers, and closes the files, even if the steps failed (ended).
 * Returns the status of the run. */
enum status run_finish(struct run *run, enum status ended, struct error *error);
void run_free(struct run *run);
/* *results <- the results at the current step of a run without writer and files. Free it even after an error. */
enum status run_results(struct run *run, struct results *results, struct error *error);

/* Queues what is due at the current step (a frame, a row of the probes, one of the ECG) for the writer. Errors: also
 * those of frames queued earlier. */
enum status run_queue_frame(struct run *run, bool frame, bool row, bool lead, struct error *error);
/* On the writer's thread, at the start of each collective task: an error if any rank could not read its part. Such a
 * rank still queues the task, with its error, since the others would wait for it. */
enum status run_begin_task(const struct run *run, const struct error *fetch_error, struct error *error);
/* Replaces a collective task that is skipped after the failure *error. */
enum status run_decline(void *run, struct error *error);
/* On the writer's thread: syncs result, probes and log to disk, at most once a second; a writer_task. */
enum status run_sync(void *run, struct error *error);
/* On the writer's thread: writes the maps to the result, from the copied state or, if NULL, from the current one. */
enum status run_write_maps(struct run *run, struct checkpoint_state *state, struct error *error);

#endif
