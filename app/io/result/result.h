/* result.h: reads the mesh, times and arrays of a result, which is an untrusted file. */
#ifndef CARDIAC_APP_IO_RESULT_RESULT_H
#define CARDIAC_APP_IO_RESULT_RESULT_H

#include <stdbool.h>

#include "app/io/result/range.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/io/store/h5.h"
#include "solver/mesh/mesh.h"

struct result_array {
    char name[64];     /* in the file: "V", "tp06-epi_Cai" */
    char variable[64]; /* before it was mapped: "tp06-epi/Cai"; by default the name */
    char unit[32];     /* "" if the file has none */
    bool in_time, cell, real;
    int64_t width;                   /* values a node or cell */
    struct h5_array values, offsets; /* open; offsets, if in_time: where each frame begins */
};

struct result {
    struct h5_file file;
    struct vtkhdf_facts facts; /* of its mesh */
    struct mesh mesh;          /* read by result_mesh */
    int64_t frames;
    double *time; /* [frames] ms */
    struct result_array *array;
    int arrays;
    int64_t room; /* of array[] */
};

/* Only complete frames count. Errors: STATUS_INPUT. */
enum status result_open(struct result *result, const char *path, struct error *error);
void result_close(struct result *result);
/* Reads result->mesh unless it has been read. */
enum status result_mesh(struct result *result, struct error *error);

/* Index of the array with that name or variable, or -1 */
int result_find(const struct result *result, const char *name);
/* Values of array k: nodes or cells times width. */
int64_t result_values(const struct result *result, int k);
/* value[result_values] <- array k, at `frame` if it is one in time. */
enum status result_get(struct result *result, int k, int64_t frame, double *value, struct error *error);
/* Rows of array k (nodes or cells), and how many to read at once */
int64_t result_rows(const struct result *result, int k);
int64_t result_piece(const struct result *result, int k);
/* value[] <- rows first .. first + count - 1 */
enum status result_get_rows(struct result *result, int k, int64_t frame, int64_t first, int64_t count,
                            double *value, struct error *error);
/* *range <- the stored range of all frames of array k; false: none */
bool result_range(const struct result *result, int k, struct range *range);
/* The frame at `time` (to 1e-9, relative), or -1; *nearest <- the nearest frame */
int64_t result_frame(const struct result *result, double time, int64_t *nearest);
/* Whether a run is writing it, which locks its directory */
bool result_is_growing(const char *path);
/* Whether the file is a result, or a checkpoint; false also when it cannot be opened. */
bool result_is(const char *path);
bool result_is_checkpoint(const char *path);

#endif
