/* difference.h: the difference of two arrays. */
#ifndef CARDIAC_APP_COMMANDS_DIFFERENCE_H
#define CARDIAC_APP_COMMANDS_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct difference {
    double max;    /* max |a_i - b_i|; infinite if only one of the two is NaN */
    double sum;    /* of (a_i - b_i)^2 */
    int64_t where; /* index of the maximum, the first of several; -1 = no difference */
    int64_t bits;  /* values that differ in any bit (0.0 and -0.0 do); NaN equals NaN */
    int64_t count; /* of all values */
};

extern const struct difference difference_none;
/* Adds n further values of both arrays. */
void difference_add(struct difference *difference, const double *a, const double *b, int64_t n);
struct difference difference_of(const double *a, const double *b, int64_t n);
/* sqrt(sum / count) */
double difference_rms(const struct difference *difference);

/* Whether the maximum is within the tolerance; tolerance 0 requires equal bits. */
bool difference_within(const struct difference *difference, double tolerance);

#endif
