/* cardiac.h: a heart simulation in the memory of your program.
 *
 *   struct cardiac *sim;
 *   if (cardiac_open_file(&sim, "heart.yaml", NULL) || cardiac_advance(sim, 100))
 *       fprintf(stderr, "%s\n", cardiac_error(sim));
 *   cardiac_close(sim);
 *
 * Units are ms, mm, mV and uA/uF. Arrays belong to the caller and are in the order of the mesh file; the
 * length of each is passed and checked. Every function except cardiac_error, cardiac_close, cardiac_state_free
 * and cardiac_free returns 0 on success, 2 if an argument or the config is wrong (nothing has
 * changed then), and 3 if the computation failed (the simulation can still be
 * reported, restored, reopened and closed); cardiac_error gives the reason.
 *
 * Each simulation runs in its own thread. Results depend only on the config and on the calls: not
 * on the caller's floating-point mode, locale or threads, nor on how often values are read. Nothing is
 * printed, and no signal handler, environment variable or other state of the process is changed. Calls for
 * one simulation from several threads are serialised; several simulations run at the same time.
 * After fork() only the parent may use a simulation; the child may open its own. Under mpirun each rank has its own.
 * The library writes no results; use `cardiac run` for that. docs/user/minimal.c is an example.
 *
 * For a .vtkhdf or .h5 file with a damaged structure or damaged chunks a call returns 2: they are checked before HDF5
 * reads the file. HDF5 before 1.14.4 may still read beyond its buffers and end the process if the damaged part has
 * correct checksums, uses filters other than shuffle and deflate, or is in a chunk that is a part of a row. To read a
 * file in a separate process, use `cardiac info FILE`. */
#ifndef CARDIAC_H
#define CARDIAC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cardiac;       /* a simulation */
struct cardiac_state; /* a copy of its state */

#if defined(__GNUC__)
#define CARDIAC_EXPORT __attribute__((visibility("default")))
#else
#define CARDIAC_EXPORT
#endif

/* ---- open and close ---- */

/* *sim <- the simulation of a config (docs/user/config.md) at its start. `text` is YAML or JSON; paths in
 * it are relative to `folder` (NULL = the working directory). `overrides` is a JSON object of keys and
 * values, such as {"time.step": 0.02, "stimuli[0].start": "5 ms"}; NULL = none. With text NULL nothing
 * is opened yet: pass arrays, then call cardiac_reopen. `threads` defaults to 1.
 * *sim is set even on an error, for cardiac_error; always close it. It is set before any work begins, so that another
 * thread can call cardiac_stop and cardiac_log. */
CARDIAC_EXPORT int cardiac_open(struct cardiac **sim, const char *text, const char *folder,
                                const char *overrides);
CARDIAC_EXPORT int cardiac_open_file(struct cardiac **sim, const char *path, const char *overrides);
/* Passes an array for the next cardiac_reopen; it is copied at once. It has `components` values (1, or 3 for
 * directions) for each node or each element of the mesh. The config's expressions refer to it by name, and so do
 * mesh.fibers and mesh.sheets to directions. values 0 removes the array. */
CARDIAC_EXPORT int cardiac_array(struct cardiac *sim, const char *name, const double *value, int64_t values,
                                 int components);
/* Returns the simulation to its start, with `overrides` in addition to earlier ones. What they do not affect (mesh,
 * matrix, compiled models) is reused. text NULL = the same config, whose files must not have changed. On an error the
 * simulation is unchanged. */
CARDIAC_EXPORT int cardiac_reopen(struct cardiac *sim, const char *text, const char *overrides);
CARDIAC_EXPORT void cardiac_close(struct cardiac *sim); /* NULL is accepted */

/* The message of the last call on this simulation that did not return 0, with position and remedy. Valid until the
 * next call. */
CARDIAC_EXPORT const char *cardiac_error(const struct cardiac *sim);
/* Passes each line of the log, beginning with those so far, to the callback `line`. It runs in the thread of this call
 * or of the call that wrote the line, a few times a second during that call and before it returns, and never
 * concurrently. The only function of this library that it may call is cardiac_stop. Warnings begin with "warning: ".
 * Another thread may call cardiac_log while a call runs. */
CARDIAC_EXPORT int cardiac_log(struct cardiac *sim, void (*line)(void *argument, const char *text),
                               void *argument);

/* ---- time ---- */

/* *ms <- the simulation's time; while another thread advances it, the time reached so far */
CARDIAC_EXPORT int cardiac_time(struct cardiac *sim, double *ms);
/* *ms <- the grid of times for cardiac_advance: time.step, or time.longest if given */
CARDIAC_EXPORT int cardiac_step_length(struct cardiac *sim, double *ms);
/* Takes the steps up to `until` ms, a time on that grid, not in the past. time.end and stop_when are ignored. */
CARDIAC_EXPORT int cardiac_advance(struct cardiac *sim, double until);
/* Ends the running call of another thread, if any, within a second; during the set-up of a mesh of millions of nodes,
 * at its next allocation. It may be called from any thread and from signal handlers. cardiac_advance then returns 3
 * between two steps, and a further cardiac_advance continues with the same bits. cardiac_open or cardiac_reopen then
 * returns 3 with nothing open; cardiac_reopen can open the same or another config. Other calls are not interrupted. */
CARDIAC_EXPORT int cardiac_stop(struct cardiac *sim);

/* ---- shape ---- */

CARDIAC_EXPORT int cardiac_nodes(struct cardiac *sim, int64_t *nodes);
CARDIAC_EXPORT int cardiac_elements(struct cardiac *sim, int64_t *elements, int *corners);
/* point[3 nodes] <- x, y, z of each node, mm */
CARDIAC_EXPORT int cardiac_points(struct cardiac *sim, double *point, int64_t values);
/* vertex[corners elements] <- the nodes of each element, from 0; an element of lower dimension repeats its last
 * node */
CARDIAC_EXPORT int cardiac_cells(struct cardiac *sim, int64_t *vertex, int64_t values);
/* *json <- a list of the fields for cardiac_get: name, unit, where ("nodes" or "leads"), width (values at each),
 * writable; "leads" also has the names of the leads */
CARDIAC_EXPORT int cardiac_fields(struct cardiac *sim, char **json);

/* ---- values ---- */

/* value[nodes * width] <- a field, NaN at nodes that do not have it:
 *   "V", a state or current of a model ("Ca_i", "tp06-epi/Ca_i"), a map of the config, "leads";
 *   "lead_weights"      the weight w of each node in each lead, lead = sum_i w_i V_i;
 *   "stimulus/S1"       the fraction of the current of stimulus S1 at each node;
 *   "wave/S1/3"         ms, the first arrival of the wave of pulse 3 of S1; "velocity/S1/3" (m/s) its velocity,
 *                       NaN at stimulated nodes;
 *   "last_activation", "last_cycle" (ms);
 *   "where/x < 1 mm"    1 where the condition, in the config's language, holds, else 0 */
CARDIAC_EXPORT int cardiac_get(struct cardiac *sim, const char *field, double *value, int64_t values);
/* Sets "V", a state, or a parameter that varies from node to node in the config, to value[nodes]; values must be
 * finite. Values at nodes that do not have the field are ignored. Setting equal values changes no bit. A copy of the
 * state includes parameters that were set; a reopened simulation has those of its config. */
CARDIAC_EXPORT int cardiac_set(struct cardiac *sim, const char *field, const double *value, int64_t values);
/* The same at some nodes: value[nodes * width] */
CARDIAC_EXPORT int cardiac_get_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes,
                                  double *value);
CARDIAC_EXPORT int cardiac_set_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes,
                                  const double *value);

/* Writes the mesh and fields at its nodes, value[fields * nodes], to a .vtkhdf file. An existing file of this kind is
 * replaced once the new one is complete. Returns 2 if the path is any other file, such as the result of a run, a link
 * or an input of the config. */
CARDIAC_EXPORT int cardiac_write(struct cardiac *sim, const char *path, int fields, const char *const *name,
                                 const char *const *unit, const double *value);

/* ---- drive ---- */

/* Moves pulse number `pulse` (from 0) of a stimulus of the config to `start` ms, not in the past; INFINITY = never */
CARDIAC_EXPORT int cardiac_move(struct cardiac *sim, const char *stimulus, int64_t pulse, double start);
/* Sets a current at these nodes, uA/uF, until it is changed. It is added to the stimuli; positive values depolarise. */
CARDIAC_EXPORT int cardiac_current(struct cardiac *sim, const int64_t *node, int64_t nodes,
                                   const double *value);

/* ---- states ---- */

/* *state <- a copy of everything that steps depend on and change: V, cells, maps, time, moved pulses and
 * currents. Steps after a restore have the bits of those after the copy. */
CARDIAC_EXPORT int cardiac_copy(struct cardiac *sim, struct cardiac_state **state);
/* Restores a state. It may come from another simulation, or from before a reopen, if mesh, models, maps, time.step,
 * probes and the nodes of stimuli are the same. */
CARDIAC_EXPORT int cardiac_restore(struct cardiac *sim, const struct cardiac_state *state);
CARDIAC_EXPORT void cardiac_state_free(struct cardiac_state *state); /* NULL is accepted */

/* ---- JSON: free each text by cardiac_free ---- */

/* *json <- the results so far, in the format of the last line of `cardiac run --json` (docs/user/output.schema.json),
 * including the facts as sentences. The values of "ecg" are null, because leads of earlier steps are not stored; read
 * "leads" between calls. */
CARDIAC_EXPORT int cardiac_report(struct cardiac *sim, char **json);
/* *json <- the causes of all activations:
 *   - a list of waves. A wave is a pulse and everything that it activated; "stimulus" is null if neither a stimulus
 *     nor a neighbour started it. It has the numbers and last times of its activations and of its repeated activations
 *     of a node (re-entry), and the position where it first re-entered or, without re-entry, began;
 *   - for each stimulus the starts of its pulses, and how each ended ("captured", "faded" ... as in cardiac_report;
 *     "open": captured, unless its wave, still running, fades);
 *   - how the last steps failed ("voltage", "sweeps", "device", or null);
 *   - "excited": whether V is above activation.rearm anywhere.
 * From the first call on, each activation takes 32 bytes. None is missed unless a node is activated more than once
 * between two calls. */
CARDIAC_EXPORT int cardiac_waves(struct cardiac *sim, char **json);
/* *json <- the resolved config: all values with their units */
CARDIAC_EXPORT int cardiac_config(struct cardiac *sim, char **json);
/* *json <- a JSON Schema of all keys of a config; a list of the built-in models */
CARDIAC_EXPORT int cardiac_keys(char **json);
CARDIAC_EXPORT int cardiac_models(char **json);
CARDIAC_EXPORT void cardiac_free(char *text); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
