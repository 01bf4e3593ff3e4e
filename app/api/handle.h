/* handle.h: the contents of struct cardiac; only this folder includes it. */
#ifndef CARDIAC_APP_API_HANDLE_H
#define CARDIAC_APP_API_HANDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/api/cardiac.h"
#include "app/io/store/h5.h"
#include "app/run/run.h"
#include "app/run/simulation.h"
#include "kernels/base/error.h"

struct cardiac;

/* A pulse that was moved from its start in the config */
struct drive_move {
    int stimulus;
    int64_t pulse;
    double start; /* ms */
};

/* Moved pulses, and currents set by the caller */
struct drive {
    struct drive_move *move; /* [moves] */
    int moves;
    double *current; /* [nodes] uA/uF; NULL = none */
};

/* Applies the config's stimuli with the changes in *next, which moves to sim->drive. Errors: STATUS_INPUT if there are
 * too many different currents, STATUS_RUN if out of memory; then nothing has changed. */
enum status drive_apply(struct cardiac *sim, struct drive *next, struct error *error);
/* Errors: STATUS_RUN if out of memory; then *to is empty. */
enum status drive_copy(struct drive *to, const struct drive *from, int64_t nodes, struct error *error);
void drive_free(struct drive *drive);

/* The source of the config */
struct handle_source {
    char *path, *directory, *text; /* text NULL = nothing is open yet */
    struct config_overrides overrides;
    struct config_array *array; /* [arrays] */
    int arrays;
    struct inputs *inputs; /* record of the files of `text`; they must be unchanged when it is reopened */
};

/* The log. The simulation's thread adds lines; the caller's threads pass them on, one thread at a time. */
struct handle_log {
    pthread_mutex_t lock; /* of everything below */
    char **text;          /* [lines] since the simulation was opened */
    int64_t lines, room, reported;
    void (*line)(void *argument, const char *text); /* the caller's callback; NULL = none */
    void *argument;
    bool reporting; /* a thread is passing lines on */
};

struct cardiac {
    pid_t owner; /* the process that opened it */
    struct handle_log log;
    int stop;              /* whether the running call should end; atomic */
    bool stepping;         /* whether it is taking steps; atomic */
    double reached;        /* their time so far, ms; atomic */
    pthread_mutex_t lock;  /* of everything below */
    struct writer *thread; /* executes all calls */
    struct error error;    /* of the last call */
    struct handle_source source;
    struct config_array *next; /* [nexts] arrays for the next reopen, if arrays_changed */
    int nexts;
    bool arrays_changed;
    struct setup_reuse reuse;
    struct setup setup;
    struct run run;
    bool open, failed;
    bool started; /* its state has changed since it was opened */
    struct drive drive;
    struct stimulus *train; /* [trains] of the config, without moves; the problem owns their nodes */
    int *train_from;        /* [trains] index of the config's stimulus */
    int trains;
};

/* Adds a line to the log; a progress_listener. */
void handle_log_add(void *log, const char *line);
/* Passes new lines to the callback in this thread, unless another thread is doing so. */
void handle_log_report(struct handle_log *log);
/* Removes all lines. */
void handle_log_clear(struct handle_log *log);

/* name <- "model/parameter" of varying parameter k (monodomain_varied) */
void handle_name_varied(char *name, size_t size, const struct monodomain *tissue, int k);

struct cardiac_state {
    struct simulation_copy copy;
    struct waves waves; /* pulses numbered as in the config */
    bool grows;         /* whether waves are recorded */
    struct drive drive;
    int64_t nodes;
    double step;      /* ms */
    char (*name)[64]; /* [variables + varies] */
    int64_t *width;   /* [variables] */
    char mesh_sha256[SHA256_HEX];
    char models_sha256[SHA256_HEX];
    char sites_sha256[SHA256_HEX]; /* of the nodes whose beats are recorded */
    int stimuli;                   /* of the config */
};

/* state_take: *state <- a copy of the tissue's state, which the caller frees; NULL after an error. state_put: restores
 * it. Errors: STATUS_RUN. */
enum status state_take(struct cardiac_state **state, const struct cardiac *sim, struct error *error);
enum status state_put(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* What a call requires: nothing, an open simulation, or one whose last steps have not failed */
enum handle_need { HANDLE_ANY, HANDLE_OPEN, HANDLE_SOUND };
/* Runs the task in the simulation's thread; returns 0, 2 or 3. Returns 2 also if sim is NULL or in another process. */
int handle_call(struct cardiac *sim, enum handle_need need, writer_task *task, void *argument);
/* STATUS_INPUT if sim is NULL or, with a message, in another process */
enum status handle_check_owner(struct cardiac *sim);
/* Replaces control characters in the message by \xNN. */
void handle_escape_error(struct cardiac *sim);
/* STATUS_INPUT if the pointer is NULL */
enum status handle_check_pointer(const void *pointer, const char *what, struct error *error);
/* STATUS_INPUT unless every node[count] is in 0 .. nodes - 1 */
enum status handle_check_nodes(const int64_t *node, int64_t count, int64_t nodes, struct error *error);

/* Enclose calls of HDF5: only one simulation at a time makes them, and the caller's HDF5 settings are restored. */
void handle_begin_hdf5(struct h5_settings *settings);
void handle_end_hdf5(const struct h5_settings *settings);

typedef enum status handle_printer(FILE *file, struct cardiac *sim, struct error *error);
/* *json <- what `print` writes; the caller frees it. Errors: those of `print`, STATUS_RUN if out of memory. */
enum status handle_print(char **json, handle_printer *print, struct cardiac *sim, struct error *error);
/* The same as a call that requires an open simulation */
int handle_json(struct cardiac *sim, char **json, handle_printer *print);

/* Enclose a change of the trains: in between, the waves' pulses are numbered as in the config. Errors: STATUS_RUN. */
void waves_leave_drive(struct cardiac *sim);
enum status waves_follow_drive(struct cardiac *sim, struct error *error);

/* waves_keep: copies the waves to a state, if they are recorded. waves_fit: whether a simulation has their pulses.
 * waves_restore: restores them. Errors: STATUS_RUN. */
enum status waves_keep(struct cardiac_state *state, const struct cardiac *sim, struct error *error);
bool waves_fit(const struct cardiac_state *state, const struct cardiac *sim);
enum status waves_restore(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* Fields at nodes: "wave/S1/3" and "velocity/S1/3" of a pulse, "stimulus/S1", "last_activation", "last_cycle" */
enum waves_kind { WAVES_TIME, WAVES_VELOCITY, WAVES_STIMULUS, WAVES_LAST, WAVES_CYCLE };
struct waves_field {
    enum waves_kind kind;
    int32_t train; /* of the problem */
    int64_t pulse;
};
bool waves_find_field(struct waves_field *field, const struct cardiac *sim, const char *name);
/* value[nodes] <- the field. Errors: STATUS_RUN. */
enum status waves_read_field(double *value, struct cardiac *sim, const struct waves_field *field,
                             struct error *error);

#endif
