/* range.h: the range and sum of an array's values and the number of missing ones, stored as attributes of the array, so
 * that `info` need not read it. */
#ifndef CARDIAC_APP_IO_RESULT_RANGE_H
#define CARDIAC_APP_IO_RESULT_RANGE_H

#include "app/io/store/h5.h"

struct range {
    double low, high, sum; /* of the finite values */
    int64_t none, values;  /* number of non-finite values (a map's "never"), and of all */
};

extern const struct range range_empty;

/* Widens the range by value[count] of type H5T_NATIVE_DOUBLE, FLOAT or INT32; sums in order. */
void range_widen(struct range *range, hid_t type, const void *value, int64_t count);

/* Stores the range of the array at `path`; range_get ignores one that does not cover all its values. */
enum status range_put(struct h5_file *file, const char *path, const struct range *range, struct error *error);
/* false if no range of `values` values is stored */
bool range_get(const struct h5_file *file, const char *path, int64_t values, struct range *range);

#endif
