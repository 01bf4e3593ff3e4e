/* handle.h: the contents of a simulation; only this folder includes it. */
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

/* A pulse that does not begin when the config says */
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

/* Applies the config's stimuli as *next changes them; sim->drive takes *next over. Errors: STATUS_INPUT with
 * too many different currents, STATUS_RUN without memory; nothing has changed then. */
enum status drive_apply(struct cardiac *sim, struct drive *next, struct error *error);
/* Errors: STATUS_RUN without memory; then *to is empty. */
enum status drive_copy(struct drive *to, const struct drive *from, int64_t nodes, struct error *error);
void drive_free(struct drive *drive);

/* What the config is read from */
struct handle_source {
    char *path, *directory, *text; /* text NULL = nothing is open yet */
    struct config_overrides overrides;
    struct config_array *array; /* [arrays] */
    int arrays;
    struct inputs
        *inputs; /* the files that `text` was read with, which later openings of it must find unchanged */
};

/* Lines are added by the simulation's thread and passed on by those of its caller, one at a time. */
struct handle_log {
    pthread_mutex_t lock; /* of all below */
    char **text;          /* [lines] since it was opened */
    int64_t lines, room, reported;
    void (*line)(void *argument, const char *text); /* NULL = nobody reads them */
    void *argument;
    bool reporting; /* a thread passes lines on */
};

struct cardiac {
    pid_t owner; /* the process that opened it */
    struct handle_log log;
    int stop;      /* whether the running call is to end; atomic */
    bool stepping; /* whether it takes steps, and their time so far, ms; atomic */
    double reached;
    pthread_mutex_t lock;  /* of everything below */
    struct writer *thread; /* makes all calls */
    struct error error;    /* of the last call */
    struct handle_source source;
    struct config_array *next; /* [nexts] arrays for the next reopen, if arrays_changed */
    int nexts;
    bool arrays_changed;
    struct setup_reuse reuse;
    struct setup setup;
    struct run run;
    bool open, failed;
    bool started; /* something has changed since it was opened */
    struct drive drive;
    struct stimulus *train; /* [trains] of the config, without moves; the problem owns their nodes */
    int *train_from;        /* [trains] the config's stimulus that each belongs to */
    int trains;
};

/* Adds a line to the log (progress_listen). */
void handle_log_add(void *log, const char *line);
/* Passes the new lines on in this thread, unless another does. */
void handle_log_report(struct handle_log *log);
/* Forgets all lines. */
void handle_log_clear(struct handle_log *log);

/* name <- "model/parameter" of parameter k that varies (monodomain_varied) */
void handle_name_varied(char *name, size_t size, const struct monodomain *tissue, int k);

struct cardiac_state {
    struct simulation_copy copy;
    struct waves waves; /* with the config's numbers of pulses */
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

/* *state <- a copy of the tissue, to be freed; and back. Errors: STATUS_RUN; of a failed copy *state is NULL.
 * */
enum status state_take(struct cardiac_state **state, const struct cardiac *sim, struct error *error);
enum status state_put(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* What a call needs: nothing, an open simulation, or one whose last steps have not failed */
enum handle_need { HANDLE_ANY, HANDLE_OPEN, HANDLE_SOUND };
/* Does the task in the simulation's thread; returns 0, 2 or 3. 2 also for sim NULL, and in another process.
 * */
int handle_call(struct cardiac *sim, enum handle_need need, writer_task *task, void *argument);
/* STATUS_INPUT for NULL and in another process, the latter with a message */
enum status handle_check_owner(struct cardiac *sim);
/* Shows control characters in the message as \xNN. */
void handle_escape_error(struct cardiac *sim);
/* STATUS_INPUT if the pointer is NULL */
enum status handle_check_pointer(const void *pointer, const char *what, struct error *error);
/* STATUS_INPUT unless node[count] are of a mesh of `nodes` */
enum status handle_check_nodes(const int64_t *node, int64_t count, int64_t nodes, struct error *error);

/* Before and after calls of HDF5: one simulation at a time, and the caller's HDF5 settings are restored */
void handle_begin_hdf5(struct h5_settings *settings);
void handle_end_hdf5(const struct h5_settings *settings);

typedef enum status handle_printer(FILE *file, struct cardiac *sim, struct error *error);
/* *json <- what `print` writes; to be freed. Errors: those of `print`, STATUS_RUN without memory. */
enum status handle_print(char **json, handle_printer *print, struct cardiac *sim, struct error *error);
/* The same as a call for an open simulation */
int handle_json(struct cardiac *sim, char **json, handle_printer *print);

/* Before and after a change of the trains: in between, waves have the config's numbers of pulses. Errors:
 * STATUS_RUN. */
void waves_leave_drive(struct cardiac *sim);
enum status waves_follow_drive(struct cardiac *sim, struct error *error);

/* Copies the waves to a state, if they are recorded; whether a simulation has their pulses; and restores
 * them. Errors: STATUS_RUN. */
enum status waves_keep(struct cardiac_state *state, const struct cardiac *sim, struct error *error);
bool waves_fit(const struct cardiac_state *state, const struct cardiac *sim);
enum status waves_restore(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* Fields of nodes: "wave/S1/3" and "velocity/S1/3" of a pulse, "stimulus/S1", "last_activation", "last_cycle"
 * */
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
