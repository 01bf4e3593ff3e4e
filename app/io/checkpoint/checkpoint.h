/* checkpoint.h: checkpoint-<step>.h5, from which a run continues bit for bit.
 *
 * The file is HDF5: arrays in mesh order in their own type, each with its CRC-32, and a head of attributes; a
 * trailer covers every byte (seal.h). It is written under a temporary name, synced, renamed, and the directory is
 * synced: under its name there is always a complete checkpoint. Commit it only after the result's frames are on
 * the disk (output_sync). */
#ifndef CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_H
#define CARDIAC_APP_IO_CHECKPOINT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/sha256.h"
#include "kernels/base/error.h"

enum checkpoint_type { CHECKPOINT_DOUBLE, CHECKPOINT_FLOAT, CHECKPOINT_INT32 };

/* 1: of keys and of values at nodes; 2: of keys and of the contents of files */
enum { CHECKPOINT_IDS = 2 };

struct checkpoint_head {
    int64_t step;
    double time;        /* ms */
    int history;        /* valid increments of the starting guess, 0 .. RHS_HISTORY (kernels/ops/rhs.h) */
    int level;          /* of the next steps (monodomain_level) */
    double before, lag; /* of staggered steps, ms: monodomain_before, monodomain_lag */
    int64_t ids;        /* the kind of config_sha256: CHECKPOINT_IDS, or an earlier one */
    char config_sha256[SHA256_HEX], mesh_sha256[SHA256_HEX];
    char models_sha256[SHA256_HEX];  /* of the texts of users' models; "" = there are none */
    char initial_sha256[SHA256_HEX]; /* of the bytes of initial.file; "" = started at rest */
    char bounds[128];                /* of the matrix (solver/report.h) */
    int64_t frames;                  /* of the result so far */
    int64_t rows[2];                 /* of the probes and of the ECG */
    char program[64], backend[32];
};

struct checkpoint_array {
    char name[64]; /* "V", "tp06-epi/Cai", ... */
    enum checkpoint_type type;
    int64_t count; /* values */
    uint32_t crc;
};

struct checkpoint;

/* The values of an array block by block: of block b, from number first[b] to first[b + 1] - 1. make() returns them,
 * in `room` for the largest block or elsewhere; several threads make blocks at once. */
struct checkpoint_blocks {
    int64_t blocks;
    const int64_t *first; /* [blocks + 1] */
    const void *(*make)(const void *context, int64_t block, void *room);
    const void *context;
};

/* Writing: create, reserve and fill every array, commit, close. Filling makes no call of HDF5, so that other files may
 * be written meanwhile. Closing discards what is not committed; commit removes all but the newest `keep` checkpoints
 * up to this step. Errors: STATUS_RUN. */
enum status checkpoint_create(struct checkpoint **out, const char *directory,
                              const struct checkpoint_head *head, struct error *error);
/* Reserve the next array, of `count` values; fill array k, where blocks->first[blocks->blocks] is its count. Arrays are
 * numbered 0, 1, ... in the order in which they are reserved. */
enum status checkpoint_reserve(struct checkpoint *checkpoint, const char *name, enum checkpoint_type type,
                               int64_t count, struct error *error);
enum status checkpoint_fill(struct checkpoint *checkpoint, int k, const struct checkpoint_blocks *blocks,
                            struct error *error);
/* Syncs the arrays to disk; call after all are filled, if the commit follows later. */
enum status checkpoint_filled(struct checkpoint *checkpoint, struct error *error);
enum status checkpoint_commit(struct checkpoint *checkpoint, int keep, struct error *error);
void checkpoint_close(struct checkpoint *checkpoint); /* NULL is accepted */

/* Reading: checks the whole file. Errors: STATUS_INPUT, naming the damaged array. */
enum status checkpoint_open(struct checkpoint **out, const char *path, struct error *error);
const char *checkpoint_path(const struct checkpoint *checkpoint);
const struct checkpoint_head *checkpoint_head(const struct checkpoint *checkpoint);
int checkpoint_arrays(const struct checkpoint *checkpoint);
const struct checkpoint_array *checkpoint_array(const struct checkpoint *checkpoint, int k);
/* Index of the array of that name, or -1. */
int checkpoint_find(const struct checkpoint *checkpoint, const char *name);
/* value[count of array k] <- its values in its type. */
enum status checkpoint_get(struct checkpoint *checkpoint, int k, void *value, struct error *error);
/* The same, converted to double. */
enum status checkpoint_get_double(struct checkpoint *checkpoint, int k, double *value, struct error *error);

/* *out <- the newest undamaged checkpoint of the directory, or NULL if it has none. `passed` lists, one per line,
 * the newer ones that are damaged. All damaged = STATUS_INPUT. */
enum status checkpoint_latest(struct checkpoint **out, const char *directory, char *passed, size_t room,
                              struct error *error);

/* STATUS_INPUT if the checkpoint was made with another mesh, or other values of keys that affect results */
enum status checkpoint_fits(const struct checkpoint *checkpoint, const char *config_sha256,
                            const char *mesh_sha256, struct error *error);

/* STATUS_INPUT, with the remedy, if `path` holds fewer `things` (now, the last of them at `last` ms) than when the
 * checkpoint was written (then) */
enum status checkpoint_covered(const struct checkpoint *checkpoint, const char *path, const char *things,
                               int64_t now, int64_t then, double last, struct error *error);

/* *step <- [*steps] of all files checkpoint-<step>.h5 in the directory, descending, allocated; none if there is no
 * such directory */
enum status checkpoint_list(const char *directory, int64_t **step, int *steps, struct error *error);
/* Removes the checkpoints up to step `last`, all but the newest `keep` of these. */
enum status checkpoint_remove_old(const char *directory, int64_t last, int keep, struct error *error);
/* Removes all checkpoints, for a run that replaces an earlier one. */
enum status checkpoint_remove_all(const char *directory, struct error *error);
/* Removes incomplete checkpoints of killed programs. */
enum status checkpoint_remove_unfinished(const char *directory, struct error *error);

#endif
