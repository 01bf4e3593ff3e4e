/* time_field.h: one field in time: its values, the offsets of its frames, and one view per frame.
 *
 *   /VTKHDF/PointData/<name>               values of all frames, one after the other
 *   /VTKHDF/Steps/PointDataOffsets/<name>  where each frame begins
 *   /views/<name>/<step>                   a frame as a virtual dataset, which holds no data */
#ifndef CARDIAC_APP_IO_RESULT_TIME_FIELD_H
#define CARDIAC_APP_IO_RESULT_TIME_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/io/result/range.h"
#include "app/io/store/h5.h"

/* Converts one field at one time from doubles to chunks.
 *
 * A frame owns whole chunks: NP values become n = ceil(bytes / 128 KiB) chunks of C = ceil(NP / n) values, the
 * last padded with NaN to the stride M = n C. */

struct frame_shape {
    int64_t values;        /* NP */
    int64_t chunk, chunks; /* C, n */
    int64_t stride;        /* M = n C */
    bool wide;             /* float64, else float32 */
};

struct frame_shape frame_shape(int64_t values, bool wide);

/* bytes[stride] <- value[values] as float32 or float64. Every NaN, and the padding, becomes the compiler's NaN:
 * 0x7fc00000 as float32, 0x7ff8000000000000 as float64. */
void frame_convert(const struct frame_shape *shape, const double *value, void *bytes);

/* The offsets of the fields, /VTKHDF/Steps/PointDataOffsets by another name */
#define TIME_FIELD_OFFSETS "/frames/offsets"

struct time_field {
    char name[64], unit[32];
    struct frame_shape shape;
    int deflate; /* deflate level in the file, 0 .. 9 */
    hid_t data, offsets;
    int64_t views;         /* number of frames with views, the first ones */
    int64_t frames;        /* planned, 0 = unknown; bounds the views created ahead */
    void *bytes;           /* [stride] a frame in the file's type */
    void *other;           /* [stride] a frame read back for comparison; allocated when needed */
    struct range range;    /* of the first `ranged` frames */
    int64_t ranged;        /* -1 = unknown */
    unsigned char *packed; /* [chunks][bound] */
    size_t *size;          /* [chunks] */
};

/* An array's name in a file: '/' and '.' of a variable's name become '_'. */
void time_field_name(char *name, size_t room, const char *variable);

/* The caller sets name, unit, shape and deflate; these create the datasets, or open those of an earlier
 * run, which must have the same type (their chunks and deflate level are used). variable: the name before it was
 * mapped, stored as an attribute. */
enum status time_field_create(struct time_field *field, struct h5_file *file, const char *variable,
                              struct error *error);
enum status time_field_open(struct time_field *field, struct h5_file *file, struct error *error);
void time_field_free(struct time_field *field);

/* Writes frame k <- value[values], its offset and its view. Offsets and views are created ahead, views by doubling
 * their number, so that the total cost of changing their group is proportional to its final size. */
enum status time_field_write(struct time_field *field, struct h5_file *file, int64_t k, const double *value,
                             struct error *error);
/* *node <- the first node where frame k differs in any bit from `value` as it would be written, or -1; *was, *is
 * <- the two values there */
enum status time_field_differs(struct time_field *field, struct h5_file *file, int64_t k, const double *value,
                               int64_t *node, double *was, double *is, struct error *error);
/* Call at the end of a run with `frames` frames: stores their range if it is known. */
enum status time_field_end(struct time_field *field, struct h5_file *file, int64_t frames,
                           struct error *error);
/* The number of complete frames */
int64_t time_field_frames(const struct time_field *field);
enum status time_field_truncate(struct time_field *field, struct h5_file *file, int64_t frames,
                                struct error *error);

#endif
