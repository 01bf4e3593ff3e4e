/* frame.h: converts one field at one time from doubles to chunks.
 *
 * A frame owns whole chunks: NP values become n = ceil(bytes / 1 MiB) chunks of C = ceil(NP / n) values, the
 * last padded with NaN to the stride M = n C. */
#ifndef CARDIAC_APP_IO_RESULT_FRAME_H
#define CARDIAC_APP_IO_RESULT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_shape {
    int64_t values;        /* NP */
    int64_t chunk, chunks; /* C, n */
    int64_t stride;        /* M = n C */
    bool wide;             /* float64, else float32 */
};

struct frame_shape frame_shape(int64_t values, bool wide);

/* bytes[stride] <- value[values] as float32 or float64, every NaN as one bit pattern, padded with it. */
void frame_convert(const struct frame_shape *shape, const double *value, void *bytes);

/* The one NaN that results and checkpoints contain: 0x7fc00000 as float32, 0x7ff8000000000000 as float64. */
float frame_nan32(void);
double frame_nan64(void);

#endif
