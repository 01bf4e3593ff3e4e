/* setup.h: all that a run has before its first step: options, config, mesh, device and tissue. */
#ifndef CARDIAC_APP_RUN_SETUP_H
#define CARDIAC_APP_RUN_SETUP_H

#include <stdbool.h>

#include "app/config/config.h"
#include "app/io/checkpoint/checkpoint.h"
#include "app/problem/ecg.h"
#include "app/problem/forecast.h"
#include "app/problem/problem.h"
#include "app/problem/sites.h"
#include "app/run/device.h"
#include "app/run/fields.h"
#include "app/util/progress.h"
#include "kernels/device/comm.h"
#include "kernels/device/queue.h"
#include "solver/step/monodomain.h"
#include "solver/ranks/subdomain.h"

struct setup_options {
    bool resume, overwrite, dry_run, quiet, json, verbose;
    bool mute;         /* nothing on the terminal, not even warnings: the caller prints what matters */
    bool no_files;     /* and no directory: the results stay in memory */
    double stop_after; /* seconds of wall time since the program began, infinity = not limited */
};

/* What one run keeps for the next: each part is made again only if something that it depends on has changed.
 * On one rank. */
struct setup_reuse {
    struct problem_mesh mesh;
    struct queue *queue; /* of the device and threads of these keys */
    char device[64];
    int threads;
    struct monodomain *sim;  /* unloaded between two runs */
    char matrix[SHA256_HEX]; /* digest of what its matrix is made from */
    int matrices;            /* made so far */
    struct ecg_fields fields;
};
void setup_reuse_free(struct setup_reuse *reuse);

struct setup {
    struct setup_options options;
    int records; /* least activations kept of each node beyond those of the maps, for waves (forest.h) */
    struct setup_reuse *reuse; /* owns mesh, queue and tissue; NULL = this run does */
    double began;              /* clock_seconds() when the program began */
    struct comm *comm;
    struct config config;
    struct progress *progress;
    progress_listener *listen; /* of its lines; NULL = nobody does */
    void *listener;
    double passed;          /* mV, of the last warning of rounding; 0 = none */
    int lock[2];            /* files of the lock on the output directory; 0 = there is none */
    struct problem problem; /* of rank 0, then the part of each rank */
    struct forecast forecast;
    struct subdomain subdomain; /* this rank's, if there are others */
    struct device_waking waking;
    struct queue *queue;
    int32_t *node_region;        /* [nodes] of rank 0, for `cells`, and */
    struct front_speed *front;   /* [regions] of rank 0; NULL = unknown */
    double fastest;              /* mm/ms, of a front in any of them, of rank 0; infinite = unknown */
    struct sites_cells cells;    /* of rank 0 */
    struct sites sites;          /* of rank 0; of the others the points alone */
    char *numbers;               /* the config's text that matters to the numbers */
    struct checkpoint_head head; /* fingerprints of what a checkpoint belongs to */
    struct monodomain *sim;
    struct fields fields; /* read from the tissue at frames */
    struct ecg ecg;
    char matrix[SHA256_HEX]; /* as of setup_reuse, where a tissue of one rank is large; else "" */
};

/* config -> mesh -> tissue at rest, by all ranks */
enum status setup_tissue(struct setup *setup, struct error *error);
/* Stages once the result has the mesh: free all of it but the points, on other ranks than 0; and on rank 0
 * where it shares the mesh with others, unless a map needs the elements. */
enum status setup_drop_mesh(void *setup, struct error *error);
enum status setup_drop_shared(void *setup, struct error *error);
void setup_free(struct setup *setup);

/* The output directory, created and locked against other runs, with the log in it. Errors: STATUS_INPUT for a
 * directory that cannot be created or holds something else; STATUS_RUN. */
enum status setup_directory(struct setup *setup, struct error *error);
/* The directory with those around it, unless they are there (mkdir -p). Errors as above. */
enum status setup_make_directory(const char *directory, struct error *error);
/* path <- DIR/name; one that is cut off is longer than the system allows */
enum { SETUP_PATH = 4400 };
void setup_path(char path[SETUP_PATH], const struct setup *setup, const char *name);
/* point <- that of a node, mm, once the tissue is made; all ranks call this */
void setup_point(const struct setup *setup, int64_t node, double point[3]);

#endif
