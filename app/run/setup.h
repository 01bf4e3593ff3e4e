/* setup.h: everything that a run needs before its first step: options, config, mesh, device and tissue. */
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
    bool mute;         /* print nothing on the terminal, not even warnings: the caller does */
    bool no_files;     /* write no files, and use no directory: results remain in memory */
    double stop_after; /* seconds of wall time since the program began; infinity = unlimited */
};

/* Data that one run leaves to the next. Each part is rebuilt only if something that it depends on has changed. Single
 * rank only. */
struct setup_reuse {
    struct problem_mesh mesh;
    struct queue *queue; /* for this device and number of threads */
    char device[64];
    int threads;
    struct monodomain *sim;  /* unloaded between two runs */
    char matrix[SHA256_HEX]; /* digest of everything that determines its matrix */
    int matrices;            /* number of matrices built so far */
    struct ecg_fields fields;
};
void setup_reuse_free(struct setup_reuse *reuse);

struct setup {
    struct setup_options options;
    int records; /* minimum number of activations recorded a node in addition to the maps', for waves (forest.h) */
    struct setup_reuse *reuse; /* owns mesh, queue and tissue; NULL = this struct does */
    double began;              /* clock_seconds() when the program began */
    struct comm *comm;
    struct config config;
    struct progress *progress;
    progress_listener *listen; /* gets the log's lines; NULL = none */
    void *listener;
    double passed;          /* mV, at the last warning about rounding; 0 = none */
    int lock[2];            /* descriptors of the locks on the output directory; 0 = none */
    struct problem problem; /* on rank 0 the whole; after scattering each rank's part */
    struct forecast forecast;
    struct subdomain subdomain; /* this rank's, if there are several ranks */
    struct device_waking waking;
    struct queue *queue;
    int32_t *node_region;        /* [nodes] rank 0 only; used by `cells` */
    struct front_speed *front;   /* [regions] rank 0 only; NULL = unknown */
    double fastest;              /* mm/ms, fastest front in any region, rank 0 only; infinite = unknown */
    struct sites_cells cells;    /* rank 0 only */
    struct sites sites;          /* on ranks other than 0 only the points */
    char *numbers;               /* the config's keys that affect the computed numbers, as text */
    struct checkpoint_head head; /* digests that a checkpoint must match */
    struct monodomain *sim;
    struct fields fields; /* read from the tissue at frames */
    struct ecg ecg;
    char matrix[SHA256_HEX]; /* as in setup_reuse, for a large tissue on a single rank; else "" */
};

/* Creates mesh, problem and tissue at rest from the config; collective. */
enum status setup_tissue(struct setup *setup, struct error *error);
/* Tasks of stages once the result contains the mesh: free it except its points, on ranks other than 0; and on rank 0 if
 * there are several ranks, unless a map needs the elements. */
enum status setup_drop_mesh(void *setup, struct error *error);
enum status setup_drop_shared(void *setup, struct error *error);
void setup_free(struct setup *setup);

/* Creates the output directory, locks it against other runs, and opens the log in it. Errors: STATUS_INPUT if it cannot
 * be created or contains other data; STATUS_RUN. */
enum status setup_directory(struct setup *setup, struct error *error);
/* Creates a directory and its parents, unless they exist (mkdir -p). Errors as above. */
enum status setup_make_directory(const char *directory, struct error *error);
/* path <- DIR/name; a truncated path is longer than the system allows, so opening it fails */
enum { SETUP_PATH = 4400 };
void setup_path(char path[SETUP_PATH], const struct setup *setup, const char *name);
/* point <- the position of a node, mm, once the tissue exists; collective */
void setup_point(const struct setup *setup, int64_t node, double point[3]);

#endif
