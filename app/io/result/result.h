/* result.h: reads the mesh, times and arrays of a result file, which is not trusted. */
#ifndef CARDIAC_APP_IO_RESULT_RESULT_H
#define CARDIAC_APP_IO_RESULT_RESULT_H

#include <stdbool.h>

#include "app/io/result/range.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/io/store/h5.h"
#include "solver/mesh/mesh.h"

struct result_array {
    char name[64];     /* in the file: "V", "tp06-epi_Cai" */
    char variable[64]; /* before it was mapped: "tp06-epi/Cai"; the name if nothing is said */
    char unit[32];     /* "" if nothing is said */
    bool in_time, cell, real;
    int64_t width;                   /* values a node or cell */
    struct h5_array values, offsets; /* open; offsets of one in time: where each frame begins */
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

/* Errors: STATUS_INPUT. Frames are those that are whole. */
enum status result_open(struct result *result, const char *path, struct error *error);
void result_close(struct result *result);
/* Reads result->mesh, if it was not. */
enum status result_mesh(struct result *result, struct error *error);

/* Index of the array of that name or variable, or -1. */
int result_find(const struct result *result, const char *name);
/* Values of array k: nodes or cells times width. */
int64_t result_values(const struct result *result, int k);
/* value[result_values] <- array k, at `frame` if it is one in time. */
enum status result_get(struct result *result, int k, int64_t frame, double *value, struct error *error);
/* Rows of array k, of nodes or cells, and how many of them to read at once */
int64_t result_rows(const struct result *result, int k);
int64_t result_piece(const struct result *result, int k);
/* value[] <- rows first .. first + count alone */
enum status result_get_rows(struct result *result, int k, int64_t frame, int64_t first, int64_t count,
                            double *value, struct error *error);
/* The range that is stored of all frames of array k; false: none is. */
bool result_range(const struct result *result, int k, struct range *range);
/* The frame at `time` (to 1e-9 of it), or -1; *nearest <- the frame next to it. */
int64_t result_frame(const struct result *result, double time, int64_t *nearest);
/* Whether a run is writing it: a run locks its directory. */
bool result_is_growing(const char *path);
/* Whether the file is a result, or a checkpoint; false also when it cannot be opened. */
bool result_is(const char *path);
bool result_is_checkpoint(const char *path);

#endif
