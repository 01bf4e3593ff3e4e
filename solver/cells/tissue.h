/* tissue.h: the cells of all nodes on the device: states, parameters and stimulus classes, by model groups.
 */
#ifndef CARDIAC_SOLVER_TISSUE_H
#define CARDIAC_SOLVER_TISSUE_H

#include <stdint.h>

#include "kernels/device/queue.h"
#include "kernels/ionic/ionic.h"
#include "solver/matrix/packing.h"
#include "solver/mesh/mesh.h"
#include "solver/cells/stimulus.h"

/* Groups: solver/ranks/subdomain.h */
struct tissue {
    struct queue *queue;
    int groups;
    struct ionic_cells *cells; /* [groups] device arrays inside */
    int32_t **index;           /* [groups] host copy of cells[].index; NULL = every packed row */
    double **parameter;        /* [groups] owned */
    double *v_initial;         /* [groups] mV */
    int32_t *group_of_node;    /* [nodes] mesh order */
    struct stimulus_plan plan;
    uint16_t *stimulus_class; /* [packed rows] device */
    int parts;                /* ionic steps in a time step: 2 with Strang splitting */
    double *stimulus_current; /* [TISSUE_FRAME][parts][classes] device, of the frame in progress */
    double *stimulus_host;    /* the same */
};

enum status tissue_create(struct tissue *tissue, const struct mesh *mesh,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error);
void tissue_free(struct tissue *tissue);

/* Upper bounds on the bytes of the cells of `rows` rows in any region: on the device and on the host */
double tissue_bytes(const struct monodomain_params *params, double rows);
double tissue_host_bytes(const struct monodomain_params *params, double rows);

/* v[packed rows] (host) <- each cell's initial V; padding rows get the first model's */
void tissue_rest(const struct tissue *tissue, const struct layout *layout, double *v);

/* The most steps prepared at once */
enum { TISSUE_FRAME = 512 };

/* Upload the currents of the stimuli in steps first .. first + steps - 1 of dt (ms). */
enum status tissue_prepare(struct tissue *tissue, int64_t first, int64_t steps, double dt,
                           struct error *error);

/* Ionic step number `part` of a time step, of every cell over dt (ms) in `substeps` parts: v_in -> v_out
 * (device; they may be the same). control (device) holds the step number. */
void tissue_step(struct tissue *tissue, int part, double dt, int substeps, const double *v_in, double *v_out,
                 const struct control *control);

#endif
