/* difference.c: maximum, root mean square and bits. */
#include "app/commands/difference.h"

#include <math.h>
#include <string.h>

const struct difference difference_none = {.where = -1};

void difference_add(struct difference *d, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i])))
            continue;
        double apart = a[i] == b[i] ? 0 : fabs(a[i] - b[i]); /* equal infinities are not apart */
        apart = isnan(apart) ? INFINITY : apart;
        d->bits++;
        d->sum += apart * apart;
        if (d->where < 0 || apart > d->max) {
            d->max = apart;
            d->where = d->count + i;
        }
    }
    d->count += n;
}

struct difference difference_of(const double *a, const double *b, int64_t n)
{
    struct difference d = difference_none;
    difference_add(&d, a, b, n);
    return d;
}

double difference_rms(const struct difference *d)
{
    return d->count ? sqrt(d->sum / (double)d->count) : 0;
}

bool difference_within(const struct difference *difference, double tolerance)
{
    return tolerance > 0 ? difference->max <= tolerance : difference->bits == 0;
}
