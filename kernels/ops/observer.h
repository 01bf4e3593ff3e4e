/* observer.h: what is made of a row's V before and after every step.
 *
 * Crossings: the time at which the straight line from v (before) to u (after) crosses the threshold upwards,
 * (n + (threshold - v) / (u - v)) dt; after that none counts until u has fallen below rearm. Slope: the
 * middle of the step with the largest (u - v) / dt.
 *
 * An empty place of the times is NaN. With its sign bit set, the first one of a row waits for rearm. That bit
 * goes as u falls below it, and the lower ones become 1 + n. */
#ifndef CARDIAC_KERNELS_OPS_OBSERVER_H
#define CARDIAC_KERNELS_OPS_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/bits.h"
#include "kernels/base/host_device.h"

enum observer_operation { OBSERVER_CROSSINGS, OBSERVER_SLOPE };

/* Arrays are [rows] unless said otherwise, packed order, on the device. */
struct observer {
    int64_t operation; /* enum observer_operation */
    double threshold;  /* mV */
    double rearm;      /* mV, at most the threshold */
    int64_t beats;     /* times kept per row */
    double *time;      /* [beats][rows] ms, NaN = not yet, see above */
    int32_t *count;    /* how many so far */
    double *slope;     /* mV/ms, the largest so far; of OBSERVER_SLOPE */
};

/* ms: when V, on its way from v < threshold in step n to u >= threshold, crosses it */
HOST_DEVICE double observer_crossing(double threshold, double v, double u, int64_t n, double dt)
{
    double part = (threshold - v) / (u - v);
    return ((double)n + part) * dt;
}

/* An empty place that waits for rearm */
HOST_DEVICE double observer_waiting(void)
{
    return bits_to_real(0xfff8000000000000u);
}

/* One that did until step n */
HOST_DEVICE double observer_rearmed(int64_t n)
{
    return bits_to_real(0x7ff8000000000000u | (uint64_t)(n + 1));
}

HOST_DEVICE void observer_note_crossing(const struct observer *o, int64_t rows, int64_t i, int64_t n,
                                        double dt, double v, double u)
{
    bool crosses = v < o->threshold && u >= o->threshold;
    if (!crosses && !(v >= o->rearm && u < o->rearm))
        return;
    int32_t count = o->count[i];
    if (count >= o->beats)
        return;
    double *place = o->time + count * rows + i;
    bool waits = bits_of(*place) >> 63;
    if (crosses && !waits) {
        *place = observer_crossing(o->threshold, v, u, n, dt);
        o->count[i] = count + 1;
        if (count + 1 < o->beats)
            place[rows] = observer_waiting();
    } else if (!crosses && waits) {
        *place = observer_rearmed(n);
    }
}

HOST_DEVICE void observer_note_slope(const struct observer *o, int64_t i, int64_t n, double dt, double v,
                                     double u)
{
    double slope = (u - v) / dt;
    if (slope > o->slope[i]) {
        o->slope[i] = slope;
        o->time[i] = ((double)n + 0.5) * dt;
        o->count[i] = 1;
    }
}

/* Notes what step n of dt (ms), from v to u, means for row i. */
HOST_DEVICE void observer_note(const struct observer *o, int64_t rows, int64_t i, int64_t n, double dt,
                               double v, double u)
{
    if (o->operation == OBSERVER_CROSSINGS)
        observer_note_crossing(o, rows, i, n, dt, v, u);
    else
        observer_note_slope(o, i, n, dt, v, u);
}

/* Whether what was noted of a step can be told from v, u and n, and so be taken back */
HOST_DEVICE bool observer_can_withdraw(const struct observer *o)
{
    return o->operation == OBSERVER_CROSSINGS;
}

#endif
