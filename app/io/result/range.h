/* range.h: the range of an array's values, their sum and how many have none: attributes of the array, by
 * which `info` need not read it. */
#ifndef CARDIAC_APP_IO_RESULT_RANGE_H
#define CARDIAC_APP_IO_RESULT_RANGE_H

#include "app/io/store/h5.h"

struct range {
    double low, high, sum; /* of the finite values */
    int64_t none, values;  /* values that are not finite (a map's "never"); all of them */
};

extern const struct range range_empty;

/* value[count] of H5T_NATIVE_DOUBLE, FLOAT or INT32; the sum is one from the first value to the last. */
void range_widen(struct range *range, hid_t type, const void *value, int64_t count);

/* Of the array at `path`: a range that is not of all its values is one of none. */
enum status range_put(struct h5_file *file, const char *path, const struct range *range, struct error *error);
/* false where none is stored of so many values */
bool range_get(const struct h5_file *file, const char *path, int64_t values, struct range *range);

#endif
