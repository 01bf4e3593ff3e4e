/* difference.c: maximum, root mean square and bits. */
#include "app/commands/difference.h"

#include <math.h>
#include <string.h>

struct difference difference_of(const double *a, const double *b, int64_t n)
{
    struct difference d = {0, 0, -1, 0};
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i])))
            continue;
        double apart = a[i] == b[i] ? 0 : fabs(a[i] - b[i]); /* equal infinities are not apart */
        apart = isnan(apart) ? INFINITY : apart;
        d.bits++;
        sum += apart * apart;
        if (d.where < 0 || apart > d.max) {
            d.max = apart;
            d.where = i;
        }
    }
    d.rms = n ? sqrt(sum / (double)n) : 0;
    return d;
}

bool difference_within(const struct difference *difference, double tolerance)
{
    return tolerance > 0 ? difference->max <= tolerance : difference->bits == 0;
}
