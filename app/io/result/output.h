/* output.h: writes the result of a run: a .vtkhdf file that is valid after every frame, and its .xdmf
 * sidecar.
 *
 * Frames arrive as plain arrays in mesh order and doubles; no call keeps a pointer to the caller's data, so a
 * queue and a writer thread can stand between. All calls for one output come from one
 * thread. Errors of writing are STATUS_RUN (disk full); what earlier frames wrote stays readable. */
#ifndef CARDIAC_APP_IO_RESULT_OUTPUT_H
#define CARDIAC_APP_IO_RESULT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/io/result/table.h"
#include "solver/mesh/mesh.h"

struct checkpoint;
struct subdomain;
struct output;

/* A point field in time. A name like "tp06-epi/Cai" is stored as tp06-epi_Cai (see time_field_name). */
struct output_field {
    const char *name, *unit;
    bool wide; /* float64, else float32 */
};

/* A point map over the whole run (activation time): float32, NaN = never. */
struct output_map {
    const char *name, *unit;
    int64_t width; /* values a node */
};

/* The tables beside the frames: /probes, whose columns have nodes, and /ecg */
enum output_table { OUTPUT_PROBES, OUTPUT_ECG, OUTPUT_TABLES };

struct output_params {
    const char *path; /* DIR/run.vtkhdf; the sidecar is DIR/run.xdmf */
    const struct mesh *mesh;
    const struct subdomain *subdomain; /* the others serve what of the mesh is theirs
                                  (solver/ranks/subdomain.h); NULL = all is here */
    const char *mesh_sha256;           /* its digest (digest.h); NULL = computed here */
    const double *fiber;               /* [3] one direction of the fibres for all; NULL = the mesh's own */
    const struct output_field *field;
    int fields;
    const struct output_map *map;
    int maps;
    double (*level)[2]; /* [levels] mV: threshold and rearm of activation, of each region; NULL = none */
    int levels;
    const struct table_column *column[OUTPUT_TABLES];
    int columns[OUTPUT_TABLES]; /* 0 = there is no such table */
    const char *config;         /* the resolved config's text */
    const char *log;            /* what the run has logged so far; NULL = nothing */
    const char *program;        /* name and version */
    const char *libraries;      /* versions of what it is built with */
    const char *device;
    int deflate;                   /* 0 = none, 1..9 shuffle and deflate */
    int threads;                   /* that compress */
    int64_t frames;                /* that the run means to write, 0 = not known */
    const struct checkpoint *from; /* that a result is resumed from, which must hold all that it held then;
                                      NULL = what it holds */
};

/* The attribute of a map with the threshold of region r, mV */
void output_threshold_name(char name[32], int r);

/* A number stored with the result: "sweep_seconds" 1.25 */
struct output_number {
    const char *name;
    double value;
};

/* What became of frames that were there before. */
struct output_resumed {
    int64_t kept;     /* frames at or before the checkpoint */
    int64_t equal;    /* later ones, recomputed and found equal */
    int64_t replaced; /* later ones, recomputed and replaced */
    int64_t dropped;  /* later ones, at other times than this run's */
    char stale[200];  /* maps that this run does not make, which stay as they were; "" = none */
};

/* A new result with no frame. An existing file is STATUS_INPUT unless overwrite. The mesh may be freed
 * afterwards. */
enum status output_create(struct output **out, const struct output_params *params, bool overwrite,
                          struct error *error);

/* Whether a file is no result that could be read, and why: a run that has a checkpoint can continue without
 * it.
 */
bool output_is_broken(const char *path, char *reason, size_t room);
/* Continues the result of an earlier run from the checkpoint at `time` ms. Its whole frames stay; those
 * after the checkpoint are compared when they are appended again: if they differ, exact (double precision)
 * makes it STATUS_RUN, else they are replaced. STATUS_INPUT if the result is of another mesh or other fields,
 * or lacks some of params->from. */
enum status output_resume(struct output **out, const struct output_params *params, double time, bool exact,
                          struct error *error);
struct output_resumed output_resumed(const struct output *out);

/* A frame at `time` ms, later than the last, or left out at the time of the last: value[field][nodes]. When
 * it returns a killed program has it, and after output_sync a machine without power. */
enum status output_append(struct output *out, double time, const double *const *value, struct error *error);
/* The run came to its end: frames that an earlier one wrote beyond it go. */
enum status output_end(struct output *out, struct error *error);
/* Frames, or rows of a table, up to the last that was appended. */
int64_t output_frames(const struct output *out);
int64_t output_rows(const struct output *out, enum output_table which);
/* A row of a table at `time`: value[columns]; visible with the next frame or at the end. Left out at the
 * time of the last row. */
enum status output_row(struct output *out, enum output_table which, double time, const double *value,
                       struct error *error);
/* All rows of a table, to be freed (table_rows_free). Errors: STATUS_INPUT. */
enum status output_read_rows(struct output *out, enum output_table which, struct table_rows *rows,
                             struct error *error);
/* The mesh that the result holds. Errors: STATUS_RUN. */
enum status output_mesh(struct output *out, struct mesh *mesh, struct error *error);
/* Map k <- value[nodes * width], good up to `valid_to` ms. */
enum status output_map(struct output *out, int k, const double *value, double valid_to, struct error *error);
/* Everything so far is on the disk (fsync), seen by any reader, and named by the sidecar unless that was
 * written just before: before a checkpoint, and now and then. */
enum status output_sync(struct output *out, struct error *error);
/* What the run has logged, in place of what was logged before. */
enum status output_log(struct output *out, const char *log, struct error *error);
/* What the run reports at its end, as a line of JSON. */
enum status output_summary(struct output *out, const char *json, struct error *error);
/* Stores the numbers, writes the sidecar, closes and frees, whatever happened before. NULL is accepted. */
enum status output_close(struct output *out, const struct output_number *number, int numbers,
                         struct error *error);

#endif
