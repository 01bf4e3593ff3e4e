/* tissue.h: the cells of all nodes on the device: states, parameters and stimulus classes.
 */
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

/* The cells of one model in one batch, as a batch, to be read or set; steps take whole batches */
struct tissue_span {
    int model;                /* of the tissue's */
    int batch;                /* of the tissue's, */
    int64_t first;            /* and in it the first of the cells */
    struct ionic_cells cells; /* states of runs begin at runs.first of theirs */
    struct ionic_runs runs;
    const int32_t *row; /* [cells.cells] packed row of each, on the host; NULL = its own number */
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
    struct ionic_table *table; /* [groups] of those with a table of their own, value NULL; rows 0 = none */
    double *v_initial;         /* [groups] mV */
    double (*thresholds)[2];   /* [groups] mV: threshold and rearm; NULL: those of the params */
    int32_t *group_of_node;    /* [nodes] mesh order */
    int batches;
    struct batch *batch;         /* [batches] */
    struct ionic_cells *cells;   /* [batches] device arrays inside */
    struct ionic_runs *runs;     /* [batches] the same; those with several parameter sets */
    struct varied *varied;       /* [batches] */
    struct tissue_states *shown; /* [batches] states of tissue_show(), on the device */
    bool shows;                  /* those replace the states of the steps */
    int models;
    const struct ionic_model **model; /* [models] the different models, in the order of groups */
    int *model_of_group;              /* [groups] */
    int spans;
    struct tissue_span *span; /* [spans] of all batches */
    double cell_step;         /* ms of a sub-step of the cells */
    struct stimulus_plan plan;
    uint16_t *stimulus_class; /* [packed rows] device */
    double *stimulus_current; /* [TISSUE_FRAME][classes] device, of the frame in progress */
    double *stimulus_host;    /* the same */
};

enum status tissue_create(struct tissue *tissue, const struct mesh *mesh,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error);
void tissue_free(struct tissue *tissue);

/* The constants of batch b <- of tissue->varied[b], from the next step on. Errors: STATUS_RUN without memory. */
enum status tissue_change_varied(struct tissue *tissue, int b, struct error *error);

/* Other stimuli from the next step on: those of the params, on a mesh of that many nodes. Errors:
 * STATUS_INPUT as stimulus_plan, STATUS_RUN without memory; the stimuli are then as before. */
enum status tissue_set_stimuli(struct tissue *tissue, const struct monodomain_params *params, int64_t nodes,
                               const struct layout *layout, struct error *error);

/* Upper bounds on the bytes of the cells of `rows` rows in any region: on the device and on the host */
double tissue_bytes(const struct monodomain_params *params, double rows);
double tissue_host_bytes(const struct monodomain_params *params, double rows);

/* v[packed rows] (host) <- each cell's initial V; padding rows get the first model's */
void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v);
/* v[packed rows] (host) <- the V of each cell's model at rest, whatever state it begins in */
void tissue_models_rest(const struct tissue *tissue, const struct layout *layout, double *v);
/* by_row[2][packed rows] (host) <- tissue->level of each cell */
void tissue_thresholds(const struct tissue *tissue, const struct layout *layout, double *by_row);

/* The most steps prepared at once */
enum { TISSUE_FRAME = 512 };

/* Upload the currents of the stimuli in steps first .. first + steps - 1 of dt (ms). */
enum status tissue_prepare(struct tissue *tissue, int64_t first, int64_t steps, double dt,
                           struct error *error);

/* Whether no stimulus changes from the step before `first` to the last of `steps` steps of dt; fewer than
 * TISSUE_FRAME */
bool tissue_stimuli_constant(struct tissue *tissue, int64_t first, int64_t steps, double dt);

/* The ionic step of every cell over dt (ms) in `substeps` parts: v_in -> v_out (device; they may be the same). control (device) holds the step number. */
struct tissue_staggered {
    double length;   /* ms, the last step; 0: tissue_gates over half a sub-step precedes */
    const double *v; /* before the last step, may be v_out; NULL = steps are not staggered */
    double *field;   /* <- v_in + theta (v_out - v_in - what was held); NULL = not needed */
    double theta;
    bool holds; /* field holds mV/ms before (kernels/ionic/ionic.h) */
};
void tissue_step(struct tissue *tissue, double dt, int substeps, struct tissue_staggered by,
                 const double *v_in, double *v_out, const struct control *control);

/* Advances only the gates, over dt, at v. Errors: STATUS_RUN; STATUS_INPUT if a model's code was compiled for
 * other steps alone. */
enum status tissue_gates(struct tissue *tissue, double dt, const double *v, struct error *error);

/* tissue_show replaces the states, whose gates are dt ms behind v, by those at the time of v; tissue_hide
 * restores them. In between no step may be taken. Errors: STATUS_RUN; then nothing is shown. */
enum status tissue_show(struct tissue *tissue, double dt, const double *v, struct error *error);
void tissue_hide(struct tissue *tissue);

#endif
