/* output.h: writes the result of a run: a .vtkhdf file that is valid after every frame, and its .xdmf
 * sidecar.
 *
 * Frames are plain arrays of doubles in mesh order; no call keeps a pointer to the caller's data, so frames
 * can be queued for a writer thread. One thread makes all calls for one output. Write errors are STATUS_RUN
 * (disk full); earlier frames stay readable. */
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

/* The tables: /probes, whose columns have nodes, and /ecg */
enum output_table { OUTPUT_PROBES, OUTPUT_ECG, OUTPUT_TABLES };

struct output_params {
    const char *path; /* DIR/run.vtkhdf; the sidecar is DIR/run.xdmf */
    const struct mesh *mesh;
    const struct subdomain *subdomain; /* other ranks serve their parts of the mesh
                                  (solver/ranks/subdomain.h); NULL = the mesh is whole */
    const char *mesh_sha256;           /* its digest (digest.h); NULL = computed here */
    const double *fiber;               /* [3] one direction for all fibres; NULL = the mesh's own */
    const struct output_field *field;
    int fields;
    const struct output_map *map;
    int maps;
    double (*thresholds)[2]; /* [regions] mV: threshold and rearm; NULL = none */
    int regions;
    const struct table_column *column[OUTPUT_TABLES];
    int columns[OUTPUT_TABLES]; /* 0 = there is no such table */
    const char *config;         /* the resolved config's text */
    const char *inputs;         /* the digests and paths of the files that it names; NULL = unknown */
    const char *log;            /* the log so far; NULL = none */
    const char *program;        /* name and version */
    const char *libraries;      /* names and versions of its libraries */
    const char *device;
    int deflate;                   /* 0 = none, 1..9 shuffle and deflate */
    int64_t frames;                /* planned, 0 = unknown */
    const struct checkpoint *from; /* resumed from: the result must contain everything that it did
                                      then; NULL = not checked */
};

/* The attribute of a map with the threshold of region r, mV */
void output_threshold_name(char name[32], int r);

/* A number stored with the result: "sweep_seconds" 1.25 */
struct output_number {
    const char *name;
    double value;
};

/* What happened to the frames of an earlier run */
struct output_resumed {
    int64_t kept;     /* frames at or before the checkpoint */
    int64_t equal;    /* later ones, recomputed and found equal */
    int64_t replaced; /* later ones, recomputed and replaced */
    int64_t dropped;  /* later ones, at other times than this run's */
    char stale[200];  /* maps that this run does not write and leaves unchanged; "" = none */
};

/* Checks that the result and its sidecar may be written; overwrite: existing files may be replaced at the user's
 * request. Errors: STATUS_INPUT (own_file.h). */
enum status output_claim(const char *path, bool overwrite, const char *instead, struct error *error);
/* Creates a result without frames. An existing file is STATUS_INPUT unless overwrite. The mesh may be freed
 * afterwards. */
enum status output_create(struct output **out, const struct output_params *params, bool overwrite,
                          struct error *error);

/* Whether a file cannot be read as a result, and why: a run with a checkpoint can continue without it. */
bool output_is_broken(const char *path, char *reason, size_t room);
/* Continues the result of an earlier run from the checkpoint at `time` ms. Complete frames stay; those after
 * the checkpoint are compared when they are appended again: a difference is STATUS_RUN if exact (double
 * precision), else the frame is replaced. STATUS_INPUT if the result has another mesh or other fields, or
 * lacks something that params->from had. */
enum status output_resume(struct output **out, const struct output_params *params, double time, bool exact,
                          struct error *error);
struct output_resumed output_resumed(const struct output *out);

/* Appends a frame at `time` ms: value[field][nodes]; ignored at the time of the last frame. After it returns
 * the frame survives a kill, after output_sync a power failure. */
enum status output_append(struct output *out, double time, const double *const *value, struct error *error);
/* At the end of a run: removes later frames of an earlier run. */
enum status output_end(struct output *out, struct error *error);
/* Frames, or rows of a table, up to the last one appended */
int64_t output_frames(const struct output *out);
int64_t output_rows(const struct output *out, enum output_table which);
/* Appends a row of a table: value[columns], visible with the next frame or at the end; ignored at the time of
 * the last row. */
enum status output_row(struct output *out, enum output_table which, double time, const double *value,
                       struct error *error);
/* *rows <- all rows of a table; the caller frees them (table_rows_free). Errors: STATUS_INPUT. */
enum status output_read_rows(struct output *out, enum output_table which, struct table_rows *rows,
                             struct error *error);
/* *mesh <- the mesh in the result. Errors: STATUS_RUN. */
enum status output_mesh(struct output *out, struct mesh *mesh, struct error *error);
/* Map k <- value[nodes * width], which covers the run up to `valid_to` ms */
enum status output_map(struct output *out, int k, const double *value, double valid_to, struct error *error);
/* Syncs everything so far to disk (fsync), makes it visible to any reader, and lists it in the sidecar unless that was
 * written recently. Called before a checkpoint, and about once a second. */
enum status output_sync(struct output *out, struct error *error);
/* Replaces a text: "/run/log", or "/run/summary", the run's report as a line of JSON. */
enum status output_text(struct output *out, const char *name, const char *text, struct error *error);
/* Stores the numbers, writes the sidecar, closes and frees, whatever happened before. NULL is accepted. */
enum status output_close(struct output *out, const struct output_number *number, int numbers,
                         struct error *error);

#endif
