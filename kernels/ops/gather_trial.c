/* gather_trial.c: the time of a gather, in each clone with its own way to gather. */
#include "kernels/ops/gather_trial.h"

#include <math.h>

#include "kernels/base/clock.h"
#include "kernels/device/lanes.h"

#define VALUES 1024 /* number of 4-byte values: they and the offsets fit into the L1 cache */

double CLONE_NAME(gather_trial)(void)
{
    float value[VALUES];
    int32_t column[VALUES];
    for (int k = 0; k < VALUES; k++) {
        value[k] = (float)k;
        column[k] = k * 619 % VALUES;
    }
    double shortest = INFINITY;
    volatile double seen = 0;
    for (int trial = 0; trial < 16; trial++) {
        double start = clock_seconds();
        lanes_real sum = {0};
        for (int pass = 0; pass < 4; pass++)
            for (int k = 0; k < VALUES; k += LANES)
                sum += lanes_gather32(value, lanes_from_columns(column + k));
        seen += sum[0];
        shortest = fmin(shortest, clock_seconds() - start);
    }
    return shortest;
}
