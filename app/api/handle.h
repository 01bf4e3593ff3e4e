/* handle.h: the contents of a simulation, for the files of this folder alone. */
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

/* A pulse that is not where the config has it */
struct drive_move {
    int stimulus;
    int64_t pulse;
    double start; /* ms */
};

/* What calls have changed of what is applied to the tissue */
struct drive {
    struct drive_move *move; /* [moves] */
    int moves;
    double *current; /* [nodes] uA/uF; NULL = none */
};

/* The stimuli of the tissue <- those of its config with *next, which sim->drive takes over. Errors:
 * STATUS_INPUT with too many different currents, STATUS_RUN without memory; then all is as before. */
enum status drive_apply(struct cardiac *sim, struct drive *next, struct error *error);
/* Errors: STATUS_RUN without memory; then *to is empty. */
enum status drive_copy(struct drive *to, const struct drive *from, int64_t nodes, struct error *error);
void drive_free(struct drive *drive);

/* What the config is made from */
struct handle_source {
    char *path, *directory, *text; /* text NULL = nothing is open yet */
    struct config_overrides overrides;
    struct config_array *array; /* [arrays] */
    int arrays;
};

struct cardiac {
    pid_t owner;           /* of no child that fork() makes */
    pthread_mutex_t lock;  /* of all below */
    struct writer *thread; /* does all work on the rest */
    struct error error;    /* of the last call */
    struct handle_source source;
    struct config_array *next; /* [nexts] arrays of the next reopen, if they have changed */
    int nexts;
    bool arrays_changed;
    struct setup_reuse reuse;
    struct setup setup;
    struct run run;
    bool open, failed;
    bool started; /* it is no longer as it was opened */
    struct drive drive;
    struct stimulus *train; /* [trains] of the config, without moves; their nodes are the problem's */
    int *train_from;        /* [trains] which of the config's it is of */
    int trains;
    void (*line)(void *argument, const char *text);
    void *line_argument;
    size_t reported; /* bytes of the log that `line` has had */
};

struct cardiac_state {
    struct simulation_copy copy;
    struct waves waves; /* by the pulses of the config; and whether they grow */
    bool grows;
    struct drive drive;
    int64_t nodes;
    double step;                    /* ms */
    char (*name)[64];               /* [variables] */
    int64_t *width;                 /* [variables] */
    char mesh_sha256[SHA256_HEX];   /* whose state it is, and */
    char models_sha256[SHA256_HEX]; /* of which texts, */
    char sites_sha256[SHA256_HEX];  /* and the nodes whose beats are recorded */
    int stimuli;                    /* of the config */
};

/* What a call needs: nothing, an open simulation, or one whose last steps have not failed */
enum handle_need { HANDLE_ANY, HANDLE_OPEN, HANDLE_SOUND };
/* Does the work in the simulation's thread and returns how it ended: 0, 2 or 3; in other processes than its
 * own 2. NULL is accepted: 2. */
int handle_call(struct cardiac *sim, enum handle_need need, writer_work *work, void *argument);
/* STATUS_INPUT where a pointer is NULL */
enum status handle_check_pointer(const void *pointer, const char *what, struct error *error);

/* Around all that reads or writes HDF5: one simulation after the other, and the settings of others stay */
void handle_begin_hdf5(struct h5_settings *settings);
void handle_end_hdf5(const struct h5_settings *settings);

/* *json <- what is written; to be freed. Errors: that, STATUS_RUN without memory. */
enum status handle_print(char **json, enum status (*print)(FILE *file, void *argument, struct error *error),
                         void *argument, struct error *error);

/* The forest <- with all activations up to now; from the first look on it grows, and what is recorded needs
 * room only for those between two looks. Errors: STATUS_INPUT with max-slope, STATUS_RUN. */
enum status waves_look(struct cardiac *sim, struct error *error);
/* Around a change of the trains: the waves' pulses are those of the config in between. Errors: STATUS_RUN. */
void waves_leave_drive(struct cardiac *sim);
enum status waves_follow_drive(struct cardiac *sim, struct error *error);

/* With a copy of the tissue: its waves, if they grow; whether a simulation has their pulses; and back.
 * Errors: STATUS_RUN. */
enum status waves_keep(struct cardiac_state *state, const struct cardiac *sim, struct error *error);
bool waves_fit(const struct cardiac_state *state, const struct cardiac *sim);
enum status waves_restore(struct cardiac *sim, const struct cardiac_state *state, struct error *error);

/* Fields of nodes by name: "wave/S1/3" and "velocity/S1/3" of a pulse, "stimulus/S1", and two of the latest
 * activations */
enum waves_kind { WAVES_TIME, WAVES_VELOCITY, WAVES_STIMULUS, WAVES_LAST, WAVES_CYCLE };
struct waves_field {
    enum waves_kind kind;
    int32_t train; /* of the problem */
    int64_t pulse;
};
bool waves_find_field(struct waves_field *field, const struct cardiac *sim, const char *name);
/* value[nodes] <- the field. Errors: as of waves_look. */
enum status waves_read_field(double *value, struct cardiac *sim, const struct waves_field *field,
                             struct error *error);

#endif
