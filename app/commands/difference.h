/* difference.h: how far two arrays are apart. */
#ifndef CARDIAC_APP_COMMANDS_DIFFERENCE_H
#define CARDIAC_APP_COMMANDS_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct difference {
    double max;    /* max |a_i - b_i|; infinite where one alone is NaN */
    double rms;    /* sqrt(sum (a_i - b_i)^2 / n) */
    int64_t where; /* index of the maximum, the first of several; -1 = no difference */
    int64_t bits;  /* values that differ in any bit (0.0 and -0.0 do); NaN equals NaN */
};

struct difference difference_of(const double *a, const double *b, int64_t n);

/* Whether that is within the tolerance; 0 demands the same bits. */
bool difference_within(const struct difference *difference, double tolerance);

#endif
