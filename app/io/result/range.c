/* range.c: five attributes. */
#include "app/io/result/range.h"

#include <math.h>

const struct range range_empty = {INFINITY, -INFINITY, 0, 0, 0};

static void widen(struct range *range, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const bool finite = isfinite(value[i]);
        range->none += !finite;
        range->low = finite && value[i] < range->low ? value[i] : range->low;
        range->high = finite && value[i] > range->high ? value[i] : range->high;
        range->sum += finite ? value[i] : 0;
    }
    range->values += count;
}

void range_widen(struct range *range, hid_t type, const void *value, int64_t count)
{
    enum { SOME = 512 };
    const bool narrow = type == H5T_NATIVE_FLOAT, whole = type == H5T_NATIVE_INT32;
    double some[SOME];
    for (int64_t first = 0; first < count; first += SOME) {
        const int64_t n = count - first < SOME ? count - first : SOME;
        for (int64_t i = 0; i < n; i++)
            some[i] = narrow  ? (double)((const float *)value)[first + i]
                      : whole ? (double)((const int32_t *)value)[first + i]
                              : ((const double *)value)[first + i];
        widen(range, some, n);
    }
}

enum status range_put(struct h5_file *file, const char *path, const struct range *range, struct error *error)
{
    TRY(h5_set_integer(file, path, "range_none", range->none, error));
    TRY(h5_set_number(file, path, "range_low", range->low, error));
    TRY(h5_set_number(file, path, "range_high", range->high, error));
    TRY(h5_set_number(file, path, "range_sum", range->sum, error));
    return h5_set_integer(file, path, "range_values", range->values, error);
}

bool range_get(const struct h5_file *file, const char *path, int64_t values, struct range *range)
{
    return h5_get_integer(file, path, "range_values", &range->values) && range->values == values &&
           h5_get_integer(file, path, "range_none", &range->none) &&
           h5_get_number(file, path, "range_low", &range->low) &&
           h5_get_number(file, path, "range_high", &range->high) &&
           h5_get_number(file, path, "range_sum", &range->sum);
}
