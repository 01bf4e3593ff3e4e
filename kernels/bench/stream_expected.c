/* stream_expected.c: the same chains, one by one. */
#include "kernels/bench/stream.h"

#include <math.h>

double stream_fma_expected(int start, int rounds, bool narrow)
{
    double sum = 0;
    for (int c = 0; c < STREAM_CHAINS; c++) {
        double x = (double)(start + c);
        for (int k = 0; k < rounds; k++)
            x = narrow ? (double)fmaf((float)x, 0.5f, 1.0f) : fma(x, 0.5, 1.0);
        sum += x;
    }
    return sum;
}
