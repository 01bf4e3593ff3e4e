/* monodomain.h: a tissue: creation, steps, and access to its state.
 *
 *   chi (Cm dV/dt + Iion(V, w)) = div(sigma grad V) + Istim,   dw/dt = g(V, w),   zero flux
 *
 * Units: mm, ms, mV; currents per capacitance (uA/uF = mV/ms); D = sigma / (chi Cm) in mm^2/ms. The
 * equation, its discretisation and the stopping test are derived in docs/theory/numerics.md. All arguments
 * and results of this header are in mesh order. */
#ifndef CARDIAC_SOLVER_MONODOMAIN_H
#define CARDIAC_SOLVER_MONODOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/device/queue.h"
#include "kernels/ops/control.h"
#include "solver/mesh/mesh.h"
#include "solver/params.h"
#include "solver/report.h"

/* Time and work since the start or the last restart. */
struct monodomain_work {
    int64_t steps, sweeps;
    int sweeps_max;                         /* most sweeps in one step */
    int64_t by_level[PARAMS_DOUBLINGS + 1]; /* steps of dt 2^k; `steps` counts all in units of dt */
    int64_t rejected, rejected_sweeps;      /* blocks repeated in steps of dt; sweeps of the first attempts */
    double seconds;                         /* of all steps */
    bool split; /* the times below are known; on a GPU from sampled steps (solver/step/profile.h) */
    double ionic_seconds, product_seconds, sweep_seconds, rest_seconds;
    double exchange_seconds; /* included above: exchanges with other ranks, including waits; 0 on a GPU */
};

/* One array of the state, in mesh order; a resume needs all of them. */
struct variable {
    char name[64]; /* "V", "correction_1" ..., "activation_time" and
                      others of the beats (solver/cells/beats.h), or "<model>/<state>" */
    int model;     /* of an ionic state (monodomain_model); -1 = every node has the variable */
    bool single;   /* stored in fp32: values passed as double are representable as float */
    int64_t width; /* values per node: 1, or activation_beats for maps */
};

/* Why monodomain_advance failed, for a message that adds positions and files. */
struct failure {
    enum failure_kind kind;
    int64_t node; /* mesh node, -1 = none */
    double time;  /* ms, start of the step that failed */
    double value;
    char variable[64]; /* "V" */
};

struct monodomain;
struct thread_tuner;

/* Creates a tissue at t = 0 (every node in its region's initial state). The mesh may be freed afterwards.
 * Errors: STATUS_INPUT if the method cannot converge (spectral bound), dt exceeds the limit of its stages,
 * or a fibre is missing or zero; STATUS_RUN if out of memory. */
enum status monodomain_create(struct monodomain **out, const struct mesh *mesh,
                              const struct monodomain_params *params, struct queue *queue,
                              struct error *error);
void monodomain_free(struct monodomain *sim); /* NULL is accepted */

/* Frees everything except the matrix */
void monodomain_unload(struct monodomain *sim);
/* After monodomain_unload: a tissue at t = 0, bit-identical to a newly created one, without setting up the
 * matrix again. Single rank only. The mesh and the params must equal those of monodomain_create except for
 * cells, stimuli and maps: model, parameter, field and initial of the regions, node_region, stimulus,
 * activation_*, maps and ionic_*. Errors: STATUS_RUN if out of memory, STATUS_INPUT if there are too many
 * stimulus classes; only unload or free it then. */
enum status monodomain_reload(struct monodomain *sim, const struct mesh *mesh,
                              const struct monodomain_params *params, struct error *error);

/* Upper bounds on the bytes of a tissue, from counts alone: on the device, on the host, and on the host
 * during the set-up */
struct monodomain_memory {
    double device, host, set_up;
};
struct monodomain_memory monodomain_bytes(const struct mesh *mesh, const struct monodomain_params *params);

/* Advances by `steps` steps; t = n dt afterwards. If the sweeps do not converge or V blows up, stops at
 * the step that failed and returns STATUS_RUN; V and maps are then those of the last good step. */
enum status monodomain_advance(struct monodomain *sim, int64_t steps, struct error *error);

/* From now on uses at most `threads` of the queue's threads, or fewer if that is faster
 * (solver/step/thread_tuner.h). monodomain_free restores the queue's number. No effect on a GPU. */
void monodomain_tune_threads(struct monodomain *sim, int threads);
const struct thread_tuner *monodomain_thread_tuner(const struct monodomain *sim);

int64_t monodomain_step(const struct monodomain *sim); /* n */
double monodomain_time(const struct monodomain *sim);  /* n dt, ms */
const struct monodomain_report *monodomain_report(const struct monodomain *sim);
struct monodomain_work monodomain_work(const struct monodomain *sim);
/* The largest change of V by diffusion in a step on this rank, mV, if it exceeds params.precision_bound,
 * which determines the rows in fp32; else 0 */
double monodomain_passed(const struct monodomain *sim);

/* Why the last monodomain_advance failed. */
const struct failure *monodomain_failure(const struct monodomain *sim);

/* With several ranks (params.h) all ranks make the same calls. Rank 0 reads the values of all nodes, other
 * ranks those of their own; every rank passes the values of all nodes to set them. */

/* The number of nodes whose values this rank reads: all on rank 0 */
int64_t monodomain_held(const struct monodomain *sim);

/* v[held] <- V in mV, mesh order */
enum status monodomain_voltage(struct monodomain *sim, double *v, struct error *error);

/* The arrays that make up the state, in a fixed order; variable 0 is V. */
int monodomain_variables(const struct monodomain *sim);
const struct variable *monodomain_variable(const struct monodomain *sim, int k);
int monodomain_find(const struct monodomain *sim, const char *name); /* its number; -1 = none */
/* value[held * width] <- variable k in mesh order. Nodes whose model does not have it are left unchanged.
 * All ranks call this and fail together. */
enum status monodomain_get(struct monodomain *sim, int k, double *value, struct error *error);
/* variable k <- value[nodes * width] (nodes whose model does not have it are ignored). */
enum status monodomain_set(struct monodomain *sim, int k, const double *value, struct error *error);
/* The parameters that differ from node to node (struct region.varied), model after model; on one rank. */
struct monodomain_varied {
    int model, parameter; /* of model->parameter */
    bool set;             /* set by monodomain_set_varied; false: as in the params */
};
int monodomain_varies(const struct monodomain *sim); /* how many */
struct monodomain_varied monodomain_varied(const struct monodomain *sim, int k);
/* value[nodes] <- parameter k at nodes with that model; others are left unchanged. */
void monodomain_get_varied(const struct monodomain *sim, int k, double *value);
/* Parameter k at nodes with that model <- value[nodes], NULL = as in the params, from the next step on.
 * Setting equal bits changes nothing. Errors: STATUS_RUN if out of memory. */
enum status monodomain_set_varied(struct monodomain *sim, int k, const double *value, struct error *error);

/* For staggered steps (solver.splitting), whose gates lag V by half a step: from monodomain_show to
 * monodomain_hide, monodomain_get, monodomain_current and snapshots return the gates at the time of V. In
 * between no step may be taken and nothing be set. Errors: STATUS_RUN. */
enum status monodomain_show(struct monodomain *sim, struct error *error);
void monodomain_hide(struct monodomain *sim);
/* Time by which the gates lag V, ms */
double monodomain_lag(const struct monodomain *sim);
/* Advances gates that lag V by `lag` ms to the time of V; the next step is then like the first of a run.
 * monodomain_set does this before V or a state is set. Errors: as tissue_gates. */
enum status monodomain_settle(struct monodomain *sim, double lag, struct error *error);

/* The number of valid changes of the last steps (0 .. 3); with the step number and all variables this is
 * the whole state */
int monodomain_history(const struct monodomain *sim);
enum status monodomain_restart(struct monodomain *sim, int64_t step, int history, struct error *error);
/* Length of the last staggered step, ms, also part of the state: 0 at the start and after a restart */
double monodomain_before(const struct monodomain *sim);
void monodomain_set_before(struct monodomain *sim, double before);
/* k of the next steps, of length dt 2^k (params.doublings), also part of the state: 0 after a restart.
 * Values above the largest k are replaced by it. */
int monodomain_level(const struct monodomain *sim);
void monodomain_set_level(struct monodomain *sim, int level);

/* A copy of the state in memory. Steps after a restore are bit-identical to those that followed the copy. */
struct state_copy {
    double **value;  /* [monodomain_variables] [nodes * width], defined at nodes that have the variable */
    double **varied; /* [monodomain_varies] [nodes]; NULL = as in the params */
    int variables, varies, history, level;
    int64_t step;
    double before;
};
/* Allocates a copy. Errors: STATUS_RUN if out of memory; free *copy even then. */
enum status state_copy_create(struct state_copy *copy, const struct monodomain *sim, int64_t nodes,
                              struct error *error);
void state_copy_free(struct state_copy *copy);
/* copy <- the current state; and the current state <- copy, which may come from another tissue with the
 * same variables and, if copy->varied has values, the same varying parameters. Errors: STATUS_RUN. */
enum status state_copy_take(struct state_copy *copy, struct monodomain *sim, struct error *error);
enum status state_copy_restore(const struct state_copy *copy, struct monodomain *sim, struct error *error);

/* From the next step on, records rest, peak and 90 % repolarization of the beats of these nodes (of the
 * whole mesh) in every step, in addition to the maps: `times` activations, the last of which only ends a
 * beat. To be called at most once. Errors: STATUS_RUN if out of memory. */
enum status monodomain_follow(struct monodomain *sim, const int64_t *node, int64_t nodes, int64_t times,
                              struct error *error);
/* value[monodomain_followed_values] <- the records on all ranks, in the layout of beats_at_points
 * (solver/cells/beats.h); and the records <- value, for a resume. Errors: STATUS_RUN. */
int64_t monodomain_followed_values(const struct monodomain *sim); /* 0 = no node is followed */
enum status monodomain_followed(struct monodomain *sim, double *value, struct error *error);
enum status monodomain_set_followed(struct monodomain *sim, const double *value, struct error *error);

/* Replaces the stimuli for the next steps, also ones in progress; on one rank. Steps return to length dt.
 * Errors: STATUS_INPUT if there are too many combinations of stimuli, STATUS_RUN if out of memory; the
 * stimuli are then unchanged. */
enum status monodomain_set_stimuli(struct monodomain *sim, const struct stimulus *stimulus, int stimuli,
                                   struct error *error);

/* The distinct models of the tissue */
int monodomain_models(const struct monodomain *sim);
const struct ionic_model *monodomain_model(const struct monodomain *sim, int model);
/* model_of_node[nodes] <- model of each node, mesh order; false if this rank has only its own nodes */
bool monodomain_model_map(const struct monodomain *sim, int32_t *model_of_node);

/* value[nodes] <- the current or derived quantity model->current[current] of that model in the current
 * state, in uA/uF; nodes of other models are left unchanged. */
enum status monodomain_current(struct monodomain *sim, int model, int current, double *value,
                               struct error *error);

#endif
