/* run.h: one simulation from its config to its files: what the stages of `cardiac run` hand to each other. */
#ifndef CARDIAC_APP_RUN_H
#define CARDIAC_APP_RUN_H

#include <stdbool.h>

#include "app/checkpoint.h"
#include "app/config.h"
#include "app/fields.h"
#include "app/output.h"
#include "app/problem.h"
#include "app/probes.h"
#include "app/progress.h"
#include "kernels/backend.h"
#include "solver/monodomain.h"

struct run_options {
    bool resume, overwrite, dry_run, quiet;
    double stop_after; /* seconds of wall time, infinity = not limited */
};

struct run {
    struct run_options options;
    struct config config;
    struct problem problem;
    const struct backend *backend;
    struct queue *queue;
    struct monodomain *sim;
    struct fields fields;
    struct output *output;
    struct probes *probes;
    struct progress *progress;
    struct checkpoint_head head;  /* fingerprints of what a checkpoint belongs to */
    double *map;                  /* [nodes * beats] activation times */
    double *before;               /* [nodes] V at the last stop test */
    int64_t checkpoint_step;      /* of the newest one written or resumed from, -1 = none */
    double started;               /* wall time, s */
};

/* Stages, in order; each needs the ones before. */
enum status run_tissue(struct run *run, struct error *error);  /* config -> mesh -> tissue at rest */
enum status run_initial(struct run *run, struct error *error); /* another run's state, or --resume */
enum status run_files(struct run *run, struct error *error);   /* result, probes, log */
enum status run_loop(struct run *run, struct error *error);    /* all steps; frames, probes, checkpoints */
enum status run_close(struct run *run, enum status ended, struct error *error);

#endif
