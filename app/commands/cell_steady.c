/* cell_steady.c: ranges and changes. */
#include "app/commands/cell_steady.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"

enum status steady_new(struct steady *steady, const struct single_cell *cell, struct error *error)
{
    int values = single_cell_values(cell->cells.model);
    enum status status = STATUS_OK;
    *steady = (struct steady){.change = 1};
    steady->start = array_zeroed(3 * (int64_t)values, sizeof(double), "a beat's ranges", &status, error);
    if (status)
        return status;
    steady->low = steady->start + values;
    steady->high = steady->low + values;
    for (int k = 0; k < values; k++)
        steady->start[k] = NAN;
    return STATUS_OK;
}

void steady_free(struct steady *steady)
{
    free(steady->start);
    *steady = (struct steady){0};
}

/* |now - start| over the range; 0 where the value's own type cannot tell them apart */
static double change_of(const struct steady *steady, const struct single_cell *cell, int k, double now)
{
    bool fp32 = k > 0 && ionic_layout(cell->cells.model, cell->cells.mixed, k - 1).fp32;
    double change = fabs(now - steady->start[k]), range = steady->high[k] - steady->low[k];
    double rounding = 4 * (fp32 ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(now);
    return change > rounding ? change / range : 0;
}

void steady_begin(struct steady *steady, const struct single_cell *cell)
{
    bool first = isnan(steady->start[0]);
    steady->change = first ? 1 : 0;
    steady->changing = 0;
    for (int k = 0; k < single_cell_values(cell->cells.model); k++) {
        double now = single_cell_value(cell, k), change = first ? 0 : change_of(steady, cell, k, now);
        if (change > steady->change) {
            steady->change = change;
            steady->changing = k;
        }
        steady->start[k] = steady->low[k] = steady->high[k] = now;
    }
}

void steady_follow(struct steady *steady, const struct single_cell *cell)
{
    for (int k = 0; k < single_cell_values(cell->cells.model); k++) {
        double now = single_cell_value(cell, k);
        steady->low[k] = fmin(steady->low[k], now);
        steady->high[k] = fmax(steady->high[k], now);
    }
}
