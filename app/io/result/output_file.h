/* output_file.h: what output.c and output_resume.c share. */
#ifndef CARDIAC_APP_IO_RESULT_OUTPUT_FILE_H
#define CARDIAC_APP_IO_RESULT_OUTPUT_FILE_H

#include "app/io/result/dimensions.h"
#include "app/io/store/h5.h"
#include "app/io/result/output.h"
#include "app/io/result/steps.h"
#include "app/io/result/time_field.h"
#include "app/io/result/xdmf.h"

struct output {
    struct h5_file file;
    char *sidecar;
    int dimension;
    int64_t nodes, cells;
    int fields, maps;
    struct table table[OUTPUT_TABLES];
    struct time_field *field;
    struct dimensions_map *map;
    struct xdmf_array *array; /* what the sidecar names */
    int arrays;
    struct steps steps;
    double *time;         /* [room] of every frame in the file */
    int64_t frames, room; /* in the file; allocated */
    int64_t next;         /* the frame that is appended next, <= frames */
    double listed_at,
        listed_pause; /* seconds: when the sidecar was last written, how long until it may be again
                       */
    int64_t listed;   /* frames in the sidecar */
    bool exact;
    struct output_resumed resumed;
};

/* An output with its memory, names and shapes, and no file. */
enum status output_prepare(struct output **out, const struct output_params *params, struct error *error);
/* time[0..n] can be stored. */
enum status output_reserve(struct output *out, int64_t n, struct error *error);
/* Config, versions and device of the run that writes now. */
enum status output_describe(struct output *out, const struct output_params *params, struct error *error);
/* What readers see in the file <- the frames so far; last = the run ends here. */
enum status output_show(struct output *out, bool last, struct error *error);
/* The same, and there are `frames` of them. */
enum status output_cut(struct output *out, int64_t frames, bool last, struct error *error);
enum status output_sidecar(struct output *out, struct error *error);
/* Frees; closes without a word. */
void output_abandon(struct output *out);

#endif
