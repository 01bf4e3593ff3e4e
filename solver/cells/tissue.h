/* tissue.h: the cells of all nodes on the device: states, parameters and stimulus classes. */
#ifndef CARDIAC_SOLVER_TISSUE_H
#define CARDIAC_SOLVER_TISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/device/queue.h"
#include "kernels/ionic/ionic.h"
#include "solver/matrix/packing.h"
#include "solver/mesh/mesh.h"
#include "solver/cells/batches.h"
#include "solver/cells/stimulus.h"
#include "solver/cells/varied.h"

/* The cells of one model in one batch, for reading and setting their states; steps advance whole batches */
struct tissue_span {
    int model;                /* index in tissue->model */
    int batch;                /* index in tissue->batch */
    int64_t first;            /* its first cell in the batch */
    struct ionic_cells cells; /* with runs, states begin at runs.first */
    struct ionic_runs runs;
    const int32_t *row; /* [cells.cells] packed row of each (host); NULL = cell i is row i */
};

/* The states of a batch */
struct tissue_states {
    double *state64;
    float *state32;
};

/* Groups: solver/ranks/subdomain.h; batches: solver/cells/batches.h */
struct tissue {
    struct queue *queue;
    int groups;
    struct batch_group *group; /* [groups] parameters owned, tables on the device */
    struct ionic_table *table; /* [groups] shapes of the tables that are not another group's, value NULL;
                                  rows 0 = none */
    double *v_initial;         /* [groups] mV */
    double (*thresholds)[2];   /* [groups] threshold and rearm, mV; NULL = those of the params */
    int32_t *group_of_node;    /* [nodes] mesh order */
    int batches;
    struct batch *batch;         /* [batches] */
    struct ionic_cells *cells;   /* [batches] device arrays inside */
    struct ionic_runs *runs;     /* [batches] of batches with several parameter sets */
    struct varied *varied;       /* [batches] */
    struct tissue_states *shown; /* [batches] states of tissue_show(), on the device */
    bool shows;                  /* they currently replace the states of the steps */
    int models;
    const struct ionic_model **model; /* [models] distinct models, in the order of groups */
    int *model_of_group;              /* [groups] */
    int spans;
    struct tissue_span *span; /* [spans] of all batches */
    double cell_step;         /* sub-step of the cells, ms */
    struct stimulus_plan plan;
    uint16_t *stimulus_class; /* [packed rows] device */
    double *stimulus_current; /* [TISSUE_FRAME][classes] device, of the current frame */
    double *stimulus_host;    /* [TISSUE_FRAME][classes] host */
};

enum status tissue_create(struct tissue *tissue, const struct mesh *mesh,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error);
void tissue_free(struct tissue *tissue);

/* Recomputes the constants of batch b from tissue->varied[b], for the following steps. Errors: STATUS_RUN
 * if out of memory. */
enum status tissue_change_varied(struct tissue *tissue, int b, struct error *error);

/* Replaces the stimuli by those of the params from the next step on; nodes: of the mesh. Errors:
 * STATUS_INPUT as stimulus_plan, STATUS_RUN if out of memory; the stimuli are then unchanged. */
enum status tissue_set_stimuli(struct tissue *tissue, const struct monodomain_params *params, int64_t nodes,
                               const struct layout *layout, struct error *error);

/* Upper bounds on the bytes of the cells of `rows` rows, whatever their regions: on the device and on the
 * host */
double tissue_bytes(const struct monodomain_params *params, double rows);
double tissue_host_bytes(const struct monodomain_params *params, double rows);

/* v[packed rows] (host) <- initial V of each cell; padding rows get that of the first group */
void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v);
/* v[packed rows] (host) <- resting potential of each cell's model, whatever its initial state */
void tissue_models_rest(const struct tissue *tissue, const struct layout *layout, double *v);
/* by_row[2][packed rows] (host) <- tissue->thresholds of each cell */
void tissue_thresholds(const struct tissue *tissue, const struct layout *layout, double *by_row);

/* Maximum number of steps prepared at once */
enum { TISSUE_FRAME = 512 };

/* Uploads the stimulus currents of steps first .. first + steps - 1 of length dt (ms). */
enum status tissue_prepare(struct tissue *tissue, int64_t first, int64_t steps, double dt,
                           struct error *error);

/* Whether all stimulus currents of steps first - 1 .. first + steps - 1 of length dt are equal; false for
 * first = 0, unless there are no stimuli. steps < TISSUE_FRAME */
bool tissue_stimuli_constant(struct tissue *tissue, int64_t first, int64_t steps, double dt);

/* Advances every cell by dt (ms) in `substeps` sub-steps: v_in -> v_out (device; may be the same array).
 * control (device) holds the step number. */
struct tissue_staggered {
    double length;   /* the last step, ms; 0: the first step, tissue_gates over half a sub-step precedes it */
    const double *v; /* V before the last step, may be v_out; NULL = not staggered */
    double *field;   /* <- v_in + theta (v_out - v_in - change already in field); NULL = not needed */
    double theta;
    bool holds; /* on entry field holds dV/dt by diffusion, mV/ms (kernels/ionic/ionic.h) */
};
void tissue_step(struct tissue *tissue, double dt, int substeps, struct tissue_staggered by,
                 const double *v_in, double *v_out, const struct control *control);

/* Advances only the gates, by dt, at v. Errors: STATUS_RUN; STATUS_INPUT if a model's code was compiled
 * without this. */
enum status tissue_gates(struct tissue *tissue, double dt, const double *v, struct error *error);

/* For states whose gates lag v by dt ms: tissue_show replaces the states by ones with the gates at the
 * time of v; tissue_hide restores them. No step may be taken in between. Errors: STATUS_RUN; the states
 * are then unchanged. */
enum status tissue_show(struct tissue *tissue, double dt, const double *v, struct error *error);
void tissue_hide(struct tissue *tissue);

#endif
