/* monodomain.h: a tissue: created, stepped, read and set.
 *
 *   chi (Cm dV/dt + Iion(V, w)) = div(sigma grad V) + Istim,   dw/dt = g(V, w),   zero flux
 *
 * Units: mm, ms, mV; currents per capacitance (uA/uF = mV/ms); D = sigma / (chi Cm) in mm^2/ms. The equation,
 * its discretisation and the stopping test are derived in docs/theory/numerics.md. Everything that enters or
 * leaves through this header is in mesh order. */
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
    int64_t rejected, rejected_sweeps; /* blocks that were repeated in steps of dt; sweeps of the first try */
    double seconds;                    /* of all steps */
    bool split; /* the times below are known, on a GPU from single steps (solver/step/profile.h) */
    double ionic_seconds, product_seconds, sweep_seconds, rest_seconds;
    double exchange_seconds; /* included in these: exchanges with other ranks, with waits; 0 on a GPU */
};

/* One array of the state, in mesh order; a resume needs all of them. */
struct variable {
    char name[64]; /* "V", "correction_1" ..., "activation_time" and
                      others of the beats (solver/cells/beats.h), or "<model>/<state>" */
    int model;     /* whose state it is (monodomain_model); -1 = every node has it */
    bool single;   /* stored in fp32: the double handed out is exactly representable as float */
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

/* mesh and params -> a tissue at t = 0 (every node at its region's initial state). The mesh may be
 * freed afterwards. Errors: STATUS_INPUT when the method cannot converge (spectral bound), dt exceeds the
 * limit of its stages, a fibre is missing or zero; STATUS_RUN without memory. */
enum status monodomain_create(struct monodomain **out, const struct mesh *mesh,
                              const struct monodomain_params *params, struct queue *queue,
                              struct error *error);
void monodomain_free(struct monodomain *sim); /* NULL is accepted */

/* Frees all of a tissue but its matrix. */
void monodomain_unload(struct monodomain *sim);
/* After monodomain_unload: a tissue at t = 0 with the bits of one that is created, without the set-up of the
 * matrix. On one rank only; the mesh and the params must be those of monodomain_create but for cells,
 * stimuli and maps: model, parameter, field and initial of the regions, node_region, stimulus, activation_*,
 * maps and ionic_*. Errors: STATUS_RUN without memory, STATUS_INPUT with too many stimulus
 * classes; unload or free it then. */
enum status monodomain_reload(struct monodomain *sim, const struct mesh *mesh,
                              const struct monodomain_params *params, struct error *error);

/* Upper bounds on the bytes of a tissue, from counts alone: on the device, on the host, and on the host
 * during the set-up */
struct monodomain_memory {
    double device, host, set_up;
};
struct monodomain_memory monodomain_bytes(const struct mesh *mesh, const struct monodomain_params *params);

/* Advance by `steps` steps; t = n dt afterwards. Returns STATUS_RUN and stops at the step that failed when
 * the sweeps do not converge or V blows up; V and maps are then those of
 * the last good step. */
enum status monodomain_advance(struct monodomain *sim, int64_t steps, struct error *error);

/* Use at most `threads` of the queue's threads from now on, fewer where that is faster
 * (solver/step/thread_tuner.h). monodomain_free restores the queue's number. No effect on a GPU. */
void monodomain_tune_threads(struct monodomain *sim, int threads);
const struct thread_tuner *monodomain_thread_tuner(const struct monodomain *sim);

int64_t monodomain_step(const struct monodomain *sim); /* n */
double monodomain_time(const struct monodomain *sim);  /* n dt, ms */
const struct monodomain_report *monodomain_report(const struct monodomain *sim);
struct monodomain_work monodomain_work(const struct monodomain *sim);
/* mV, the largest change of V by diffusion in a step on this rank, if it is more than params.precision_bound,
 * by which rows in fp32 are chosen; else 0 */
double monodomain_passed(const struct monodomain *sim);

/* Why the last monodomain_advance failed. */
const struct failure *monodomain_failure(const struct monodomain *sim);

/* With several ranks (params.h) all make the same calls. Rank 0 reads the values of all nodes, other ranks
 * those of their own; all ranks set the values of all nodes. */

/* The number of nodes whose values this rank reads: all on rank 0 */
int64_t monodomain_held(const struct monodomain *sim);

/* v[held] <- V in mV, mesh order */
enum status monodomain_voltage(struct monodomain *sim, double *v, struct error *error);

/* The arrays that make up the state, in a fixed order; variable 0 is V. */
int monodomain_variables(const struct monodomain *sim);
const struct variable *monodomain_variable(const struct monodomain *sim, int k);
int monodomain_find(const struct monodomain *sim, const char *name); /* its number; -1 = none */
/* value[held * width] <- variable k in mesh order. Nodes whose model does not have it are left untouched. All
 * ranks call this and fail together. */
enum status monodomain_get(struct monodomain *sim, int k, double *value, struct error *error);
/* variable k <- value[nodes * width] (nodes whose model does not have it are ignored). */
enum status monodomain_set(struct monodomain *sim, int k, const double *value, struct error *error);
/* The parameters that differ from node to node (struct region.varied), model after model; on one rank. */
struct monodomain_varied {
    int model, parameter; /* of model->parameter */
    bool set;             /* by monodomain_set_varied; else as in the params */
};
int monodomain_varies(const struct monodomain *sim); /* how many */
struct monodomain_varied monodomain_varied(const struct monodomain *sim, int k);
/* value[nodes] <- parameter k where a node has the model; else left untouched. */
void monodomain_get_varied(const struct monodomain *sim, int k, double *value);
/* Parameter k <- value[nodes] there, NULL = as in the params, from the next step on. Equal bits are no change.
 * Errors: STATUS_RUN without memory. */
enum status monodomain_set_varied(struct monodomain *sim, int k, const double *value, struct error *error);

/* For staggered steps (solver.splitting), whose gates are half a step behind V: until monodomain_hide,
 * monodomain_get, monodomain_current and snapshots give the gates at the time of V. No step may be taken and
 * nothing be set in between. Errors: STATUS_RUN. */
enum status monodomain_show(struct monodomain *sim, struct error *error);
void monodomain_hide(struct monodomain *sim);
/* ms by which the gates are behind V */
double monodomain_lag(const struct monodomain *sim);
/* Advance gates that are `lag` ms behind V to its time; the next step is then like the first of a run.
 * monodomain_set does that before V or a state is set. Errors: as tissue_gates. */
enum status monodomain_settle(struct monodomain *sim, double lag, struct error *error);

/* How many of the last steps' changes are valid (0 .. 3): with the step number and all variables, the whole
 * state */
int monodomain_history(const struct monodomain *sim);
enum status monodomain_restart(struct monodomain *sim, int64_t step, int history, struct error *error);
/* ms, the last of staggered steps, also part of the state: 0 at the start and after a restart */
double monodomain_before(const struct monodomain *sim);
void monodomain_set_before(struct monodomain *sim, double before);
/* k of the next steps, of dt 2^k (params.doublings), also part of the state: 0 after a restart. Larger values
 * than the largest k count as that. */
int monodomain_level(const struct monodomain *sim);
void monodomain_set_level(struct monodomain *sim, int level);

/* A copy of the state in memory. Steps that follow a restore have the bits of those that followed the copy.
 */
struct state_copy {
    double **value;  /* [monodomain_variables] [nodes * width], where a node has it */
    double **varied; /* [monodomain_varies] [nodes]; NULL = as in the params */
    int variables, varies, history, level;
    int64_t step;
    double before;
};
/* *copy <- memory for the state. Errors: STATUS_RUN without memory; free *copy in any case. */
enum status state_copy_create(struct state_copy *copy, const struct monodomain *sim, int64_t nodes,
                              struct error *error);
void state_copy_free(struct state_copy *copy);
/* copy <- the current state; the current state <- copy, also of another tissue, with the same variables and, if
 * copy->varied has values, the same parameters that vary. Errors: STATUS_RUN. */
enum status state_copy_take(struct state_copy *copy, struct monodomain *sim, struct error *error);
enum status state_copy_restore(const struct state_copy *copy, struct monodomain *sim, struct error *error);

/* From the next step on, record rest, peak and 90 % repolarization of the beats of these nodes (of the whole
 * mesh) in every step, independently of the maps: `times` activations, of which the last only ends a beat.
 * Called at most once. Errors: STATUS_RUN without memory.
 */
enum status monodomain_follow(struct monodomain *sim, const int64_t *node, int64_t nodes, int64_t times,
                              struct error *error);
/* value[monodomain_followed_values], laid out by beats_at_points (solver/cells/beats.h), <- the records, on
 * all ranks; and back, for a resume. Errors: STATUS_RUN. */
int64_t monodomain_followed_values(const struct monodomain *sim); /* 0 = no node is followed */
enum status monodomain_followed(struct monodomain *sim, double *value, struct error *error);
enum status monodomain_set_followed(struct monodomain *sim, const double *value, struct error *error);

/* Other stimuli, which may be in progress, for the next steps; on one rank. Steps longer than dt end. Errors:
 * STATUS_INPUT with too many combinations of stimuli, STATUS_RUN without memory; then they are as before. */
enum status monodomain_set_stimuli(struct monodomain *sim, const struct stimulus *stimulus, int stimuli,
                                   struct error *error);

/* The different models of the tissue */
int monodomain_models(const struct monodomain *sim);
const struct ionic_model *monodomain_model(const struct monodomain *sim, int model);
/* model_of_node[nodes] <- model of each node, mesh order; false: this rank has only its own nodes */
bool monodomain_model_map(const struct monodomain *sim, int32_t *model_of_node);

/* value[nodes] <- the named current or derived quantity of that model (model->current[]) at the current
 * state, in uA/uF; nodes of other models are left untouched. */
enum status monodomain_current(struct monodomain *sim, int model, int current, double *value,
                               struct error *error);

#endif
