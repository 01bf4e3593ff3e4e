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
 * Each simulation computes in a thread of its own. Results depend only on the config and on the calls: not
 * on the caller's floating-point mode, locale or threads, nor on how often values are read. Nothing is
 * printed, and no signal handler, environment variable or other state of the process is changed. Calls for
 * one simulation from several threads are serialised; several simulations run at the same time.
 * After fork() only the parent may use a simulation; the child may open its own. Under mpirun each rank has its own.
 * Results are written by `cardiac run` alone. docs/user/minimal.c is an example.
 *
 * A damaged .vtkhdf or .h5 file is 2 where its structure or chunks are: they are checked before HDF5 reads them. HDF5
 * below 1.14.4 may still read beyond its buffers, and end the process, in files whose damage has right checksums, or is
 * in chunks with other filters than shuffle and deflate, or that are parts of rows. `cardiac info FILE` reads a file in
 * a process of its own. */
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
 * is opened yet: pass arrays, then call cardiac_reopen. Unless `threads` is given, one thread computes.
 * *sim is set even on an error, for cardiac_error; close it in any case. It is set before anything is computed, for
 * cardiac_stop and cardiac_log in another thread. */
CARDIAC_EXPORT int cardiac_open(struct cardiac **sim, const char *text, const char *folder,
                                const char *overrides);
CARDIAC_EXPORT int cardiac_open_file(struct cardiac **sim, const char *path, const char *overrides);
/* An array for the next cardiac_reopen, copied at once: `components` (1, or 3 for directions) values for
 * each node or each element of the mesh. Expressions of the config use it by its name, mesh.fibers and
 * mesh.sheets as directions. values 0 removes it. */
CARDIAC_EXPORT int cardiac_array(struct cardiac *sim, const char *name, const double *value, int64_t values,
                                 int components);
/* Returns the simulation to its start, with `overrides` in addition to earlier ones. What they do not
 * affect (mesh, matrix, compiled models) is reused. text NULL = the config as before, whose
 * files must not have changed. On an error the simulation is unchanged. */
CARDIAC_EXPORT int cardiac_reopen(struct cardiac *sim, const char *text, const char *overrides);
CARDIAC_EXPORT void cardiac_close(struct cardiac *sim); /* NULL is accepted */

/* The message of the last call for this simulation that did not return 0, with position and remedy. Valid
 * until the next call. */
CARDIAC_EXPORT const char *cardiac_error(const struct cardiac *sim);
/* Passes each line of the log, beginning with those so far, to `line`. It is called in the thread of this call or
 * of the one that wrote the line, a few times a second while that runs and before it returns, never twice at a time,
 * and must not call this library, except cardiac_stop. Warnings begin with "warning: ". Another thread may call
 * cardiac_log while a call runs. */
CARDIAC_EXPORT int cardiac_log(struct cardiac *sim, void (*line)(void *argument, const char *text),
                               void *argument);

/* ---- time ---- */

/* While another thread advances the simulation, its time so far */
CARDIAC_EXPORT int cardiac_time(struct cardiac *sim, double *ms);
/* The grid of times for cardiac_advance: time.step, or time.longest if that is given */
CARDIAC_EXPORT int cardiac_step_length(struct cardiac *sim, double *ms);
/* Takes the steps up to `until` ms, a time of that grid, not in the past; time.end and stop_when do not end
 * them */
CARDIAC_EXPORT int cardiac_advance(struct cardiac *sim, double until);
/* Ends the running call of another thread, if there is one, within a second, or on a mesh of millions of nodes at the
 * next allocation of its set-up: callable from any thread and from
 * signal handlers. A cardiac_advance returns 3 between two steps, and another one continues with the same bits. A
 * cardiac_open or cardiac_reopen returns 3 and leaves nothing open: cardiac_reopen opens
 * the config as before or another one. Other calls end by themselves. */
CARDIAC_EXPORT int cardiac_stop(struct cardiac *sim);

/* ---- shape ---- */

CARDIAC_EXPORT int cardiac_nodes(struct cardiac *sim, int64_t *nodes);
CARDIAC_EXPORT int cardiac_elements(struct cardiac *sim, int64_t *elements, int *corners);
/* point[3 nodes] <- x, y, z of each node, mm */
CARDIAC_EXPORT int cardiac_points(struct cardiac *sim, double *point, int64_t values);
/* vertex[corners elements] <- the nodes of each element, from 0; an element of fewer dimensions repeats its
 * last one */
CARDIAC_EXPORT int cardiac_cells(struct cardiac *sim, int64_t *vertex, int64_t values);
/* *json <- a list of the fields of cardiac_get: name, unit, where ("nodes" or "leads"), width (values of
 * each), writable; "leads" also has their names */
CARDIAC_EXPORT int cardiac_fields(struct cardiac *sim, char **json);

/* ---- values ---- */

/* value[nodes * width] <- a field, NaN at nodes that do not have it:
 *   "V", a state or current of a model ("Ca_i", "tp06-epi/Ca_i"), a map of the config, "leads";
 *   "lead_weights"      of each node's V in each lead, which is the sum of their products;
 *   "stimulus/S1"       the share of the current of stimulus S1 at each node;
 *   "wave/S1/3"         ms, the first arrival of the wave of pulse 3 of S1; "velocity/S1/3" (m/s) its velocity,
 *                       which stimulated nodes do not have;
 *   "last_activation", "last_cycle" (ms);
 *   "where/x < 1 mm"    1 where a condition in the config's language holds, else 0 */
CARDIAC_EXPORT int cardiac_get(struct cardiac *sim, const char *field, double *value, int64_t values);
/* "V", a state, or a parameter that varies from node to node in the config <- value[nodes], finite. Values at
 * nodes that do not have it are ignored. Equal values change no bit. A copy of the state holds parameters that
 * were set; a reopened simulation has those of its config. */
CARDIAC_EXPORT int cardiac_set(struct cardiac *sim, const char *field, const double *value, int64_t values);
/* The same at some nodes: value[nodes * width] */
CARDIAC_EXPORT int cardiac_get_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes,
                                  double *value);
CARDIAC_EXPORT int cardiac_set_at(struct cardiac *sim, const char *field, const int64_t *node, int64_t nodes,
                                  const double *value);

/* Writes the mesh and fields of its nodes, value[fields * nodes], to a .vtkhdf file. An earlier one is replaced once
 * the new one is whole; 2 where another file, a link or an input of the config stands there. */
CARDIAC_EXPORT int cardiac_write(struct cardiac *sim, const char *path, int fields, const char *const *name,
                                 const char *const *unit, const double *value);

/* ---- drive ---- */

/* Moves pulse `pulse`, from 0, of a stimulus of the config to `start` ms, not in the past; INFINITY =
 * never */
CARDIAC_EXPORT int cardiac_move(struct cardiac *sim, const char *stimulus, int64_t pulse, double start);
/* Sets a current at these nodes, uA/uF, until it is changed; it adds to the stimuli, positive depolarises */
CARDIAC_EXPORT int cardiac_current(struct cardiac *sim, const int64_t *node, int64_t nodes,
                                   const double *value);

/* ---- states ---- */

/* *state <- a copy of everything that steps depend on and change: V, cells, maps, time, moved pulses and
 * currents. Steps after a restore have the bits of those after the copy. */
CARDIAC_EXPORT int cardiac_copy(struct cardiac *sim, struct cardiac_state **state);
/* Accepts also the state of another simulation, or from before a reopen, with the same mesh, models, maps,
 * time.step, probes and nodes of stimuli */
CARDIAC_EXPORT int cardiac_restore(struct cardiac *sim, const struct cardiac_state *state);
CARDIAC_EXPORT void cardiac_state_free(struct cardiac_state *state); /* NULL is accepted */

/* ---- JSON: free each text by cardiac_free ---- */

/* *json <- the results so far, as the last line of `cardiac run --json` (docs/user/output.schema.json), with the facts
 * that a log would have now, in words. The values of
 * "ecg" are null: leads of earlier steps are not stored; read "leads" between calls. */
CARDIAC_EXPORT int cardiac_report(struct cardiac *sim, char **json);
/* *json <- what activated what: a list of waves (a pulse and everything that it activated; "stimulus"
 * null: neither a stimulus nor a neighbour began it) with the numbers of their activations and of repeated activations of a node,
 * re-entry, the last times of both, and where it first activated a node again or else began; when the
 * pulses of each stimulus begin, and how they ended ("captured", "faded" ... as in cardiac_report; "open": it
 * captured, unless a wave that is still running fades); how the last steps failed ("voltage", "sweeps",
 * "device", or null); whether the tissue is "excited", V above activation.rearm somewhere. Each activation
 * takes 32 bytes, from the first call on. None is missed unless a node is activated more than once between
 * two calls. */
CARDIAC_EXPORT int cardiac_waves(struct cardiac *sim, char **json);
/* *json <- the config with all its values, each with its unit */
CARDIAC_EXPORT int cardiac_config(struct cardiac *sim, char **json);
/* *json <- a JSON Schema of all keys of a config; a list of the built-in models */
CARDIAC_EXPORT int cardiac_keys(char **json);
CARDIAC_EXPORT int cardiac_models(char **json);
CARDIAC_EXPORT void cardiac_free(char *text); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
