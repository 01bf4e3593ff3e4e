/* tissue.h: the cells of every region on the device: their states, parameters and stimulus classes. */
#ifndef CARDIAC_SOLVER_TISSUE_H
#define CARDIAC_SOLVER_TISSUE_H

#include <stdint.h>

#include "kernels/backend.h"
#include "kernels/ionic.h"
#include "solver/mesh.h"
#include "solver/monodomain.h"
#include "solver/packing.h"
#include "solver/stimulus.h"

/* One group per region that has nodes. */
struct tissue {
    const struct backend *backend;
    struct queue *queue;
    int groups;
    struct ionic_cells *cells; /* [groups] device arrays inside */
    int32_t **index;           /* [groups] host copy of cells[].index; NULL = every packed row */
    double **parameter;        /* [groups] owned */
    int32_t *group_of_node;    /* [nodes] mesh order */
    struct stimulus_plan plan;
    uint16_t *stimulus_class; /* [packed rows] device */
    double *stimulus_current; /* [classes] device */
    double *stimulus_host;    /* [classes] */
    double bytes;             /* device memory */
};

enum status tissue_create(struct tissue *tissue, const struct mesh *mesh,
                          const struct monodomain_params *params, const struct layout *layout,
                          const struct backend *backend, struct queue *queue, struct error *error);
void tissue_free(struct tissue *tissue);

/* v[packed rows] (host) <- each cell's initial V; padding rows get the first model's */
void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v);

/* One ionic step of every cell from t0 over dt (ms), in `substeps` parts: v_in -> v_out (device; they may be
 * the same). */
enum status tissue_step(struct tissue *tissue, double t0, double dt, int substeps, const double *v_in,
                        double *v_out, struct error *error);

/* Where state s of a model lives: its number among the states of its storage type */
struct state_place {
    int single;
    int64_t at;
};
struct state_place tissue_state_place(const struct ionic_cells *cells, int s);

#endif
