/* observer.h: activation times and beats recorded from a row's V before and after every step.
 *
 * Crossings: the time at which linear interpolation from v (before) to u (after) crosses the threshold
 * upwards, (n + (threshold - v) / (u - v)) dt; the next crossing counts only after u has fallen below
 * rearm. The beat ends when V falls through the threshold for the last time before that.
 *
 * Beats: crossings, and for the beat that begins with each, until the next crossing:
 *   rest             the lowest V since the previous beat began
 *   peak             the highest V
 *   repolarization   the time at which V falls through peak - share (peak - rest), interpolated linearly, after the
 *                    last of its peaks
 *   slope            the steepest rise since V last fell below rearm: the largest quotient (u - v) / dt, or the top
 *                    of the parabola in time whose means over three steps are their quotients (observer_top)
 *   eads             early afterdepolarisations: rises of V by at least 5 mV, which end when V has fallen by 5 mV
 *                    again, that begin between 40 and 90 % repolarization (relative to the peak's height above the
 *                    resting potential of the row's model) and do not begin the next beat. Healthy notches begin
 *                    before 30 %.
 * Extrema are recorded where V turns: a row in which V only falls or only rises, as at rest, reads a word
 * or two and writes nothing.
 *
 * Values not recorded yet are NaN. */
#ifndef CARDIAC_KERNELS_OPS_OBSERVER_H
#define CARDIAC_KERNELS_OPS_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/bits.h"
#include "kernels/base/host_device.h"

enum observer_operation { OBSERVER_CROSSINGS, OBSERVER_BEATS };

enum { OBSERVER_PERCENTS = 4 };

#define OBSERVER_EAD 5.0 /* mV */
#define OBSERVER_EAD_FROM 0.4
#define OBSERVER_EAD_TO 0.9

/* Flags: V has not fallen below rearm since the last crossing; beats before the last were dropped */
enum { OBSERVER_WAITS = 1, OBSERVER_DROPPED = 2 };

/* A value per beat, NaN = not yet */
struct observer_series {
    double *value; /* [beats][rows] */
    int64_t beats; /* 1: only of the latest beat */
};

/* Arrays are [rows] unless stated otherwise, in packed order, on the device. */
struct observer {
    int64_t operation;    /* enum observer_operation */
    double threshold;     /* mV; the highest if rows differ */
    double rearm;         /* mV, <= threshold; the lowest if rows differ */
    const double *by_row; /* [2][rows] threshold and rearm of each row; NULL = those above for all */
    int64_t beats;        /* times stored per row */
    double *time;         /* [beats][rows] ms, NaN = not yet */
    double *over; /* [beats][rows] ms, end of each beat; the last slot then holds the latest beat. NULL: ends
                     are not recorded, nor beats after the last slot */
    int32_t *count; /* number of times stored so far */
    uint8_t *waits; /* OBSERVER_WAITS, OBSERVER_DROPPED */
    uint32_t *due;  /* [observer_words(rows)] workspace on a GPU, unless OBSERVER_CROSSINGS */

    /* For OBSERVER_BEATS: number of beats recorded, fewer than the times, because the next beat ends the
       last one */
    int64_t kept;
    double *low;                        /* mV, lowest V since the last beat began, initially infinite */
    struct observer_series rest, peak;  /* mV */
    struct observer_series steepest;    /* mV/ms; value NULL = not recorded */
    double *rise;                       /* [2][rows] mV/ms, quotients of the last step and the one before,
                                           if steep and of `length`; else 0 or NaN */
    double floor;                       /* mV/ms, least slope recorded */
    double length;                      /* ms, length of the steps to whose quotients a parabola is fitted */
    int64_t percents;                   /* number of share[] */
    double share[OBSERVER_PERCENTS];    /* repolarization as a fraction of the amplitude, 0 .. 1 */
    double *fall_to[OBSERVER_PERCENTS]; /* mV, V at which that is reached; NaN = none */
    double *repolarized[OBSERVER_PERCENTS]; /* [kept][rows] ms */

    double *base;   /* mV, resting potential of each row's model; NULL = EADs are not counted */
    double *trough; /* mV, lowest V since V last fell by OBSERVER_EAD; infinite = V has fallen since; NaN
                       before the first beat */
    double *top;    /* mV, highest V since the trough at which V turned down; infinite likewise */
    double *eads;   /* [kept][rows] */
};

/* Single rows whose beats are recorded, independently of what is recorded for all rows */
struct observer_points {
    int64_t points;
    const int32_t *row;       /* [points] row of each, -1 = on another rank */
    struct observer observer; /* its arrays are [points] */
};

/* Number of 32-bit words for one bit per row */
HOST_DEVICE int64_t observer_words(int64_t rows)
{
    return (rows + 31) / 32;
}

/* Time at which V, going from v to u in step n, crosses the threshold, ms */
HOST_DEVICE double observer_crossing(double threshold, double v, double u, int64_t n, double dt)
{
    double fraction = (threshold - v) / (u - v);
    return ((double)n + fraction) * dt;
}

HOST_DEVICE double observer_empty(void)
{
    return bits_to_real(0x7ff8000000000000u);
}

HOST_DEVICE double observer_infinite(void)
{
    return bits_to_real(0x7ff0000000000000u);
}

HOST_DEVICE double observer_threshold(const struct observer *o, int64_t i)
{
    return o->by_row ? o->by_row[i] : o->threshold;
}

HOST_DEVICE double observer_rearm(const struct observer *o, int64_t rows, int64_t i)
{
    return o->by_row ? o->by_row[rows + i] : o->rearm;
}

/* Index in time[] or over[] at which the time of a rise or fall through the threshold is stored; -1 = not
 * stored */
HOST_DEVICE int64_t observer_slot(const struct observer *o, int64_t rows, int64_t i, bool rises)
{
    const int32_t count = o->count[i];
    const uint8_t waits = o->waits[i];
    if (waits & OBSERVER_WAITS || !rises)
        return o->over && waits & OBSERVER_WAITS && count > 0 ? (count - 1) * rows + i : -1;
    if (count < o->beats) {
        o->count[i] = count + 1;
        o->waits[i] = waits | OBSERVER_WAITS;
        return count * rows + i;
    }
    if (!o->over)
        return -1;
    o->waits[i] = OBSERVER_WAITS | OBSERVER_DROPPED;
    return (count - 1) * rows + i;
}

HOST_DEVICE void observer_note_crossing(const struct observer *o, int64_t rows, int64_t i, int64_t n,
                                        double dt, double v, double u)
{
    if (o->by_row && !((v < o->threshold || u < o->threshold) && (v >= o->rearm || u >= o->rearm)))
        return; /* most steps end here */
    const double threshold = observer_threshold(o, i);
    const bool rises = v < threshold && u >= threshold;
    if (rises || (o->over && v >= threshold && u < threshold)) {
        const bool begins = rises && !(o->waits[i] & OBSERVER_WAITS);
        const int64_t slot = observer_slot(o, rows, i, rises);
        if (slot >= 0 && o->over)
            o->over[slot] = observer_empty();
        if (slot >= 0 && (begins || !rises))
            (begins ? o->time : o->over)[slot] = observer_crossing(threshold, v, u, n, dt);
    }
    const double rearm = observer_rearm(o, rows, i);
    if (v >= rearm && u < rearm)
        o->waits[i] = o->waits[i] & OBSERVER_DROPPED;
}

HOST_DEVICE double *observer_value(const struct observer_series *series, int64_t rows, int64_t i,
                                   int64_t beat)
{
    return series->value + (series->beats > 1 ? beat : 0) * rows + i;
}

/* mV/ms: the top of the parabola whose means over three steps are before, here (the largest) and after,
 *   here + b / 24 + (after - before)^2 / (8 b), b = 2 here - before - after:
 * fourth-order accurate in the step for a smooth V, whereas one quotient is a mean and too small by h^2
 * V''' / 24 and by the difference between the top and the middle of its step. A jump, such as the onset of
 * a stimulus, has no such parabola: both neighbours must be at least half as steep. */
HOST_DEVICE double observer_top(double before, double here, double after)
{
    const double bend = here - before + (here - after), lean = after - before;
    const bool resolved = before >= here / 2 && after >= here / 2 && bend > 0;
    return resolved && here >= before && here >= after ? here + bend / 24 + lean * lean / (8 * bend) : here;
}

HOST_DEVICE void observer_note_slope(const struct observer *o, int64_t rows, int64_t i, double dt, double v,
                                     double u)
{
    const double slope = (u - v) / dt, last = o->rise[i], before = o->rise[rows + i];
    const bool steep = slope > o->floor, follows = steep && dt == o->length;
    o->rise[i] = follows ? slope : 0;
    o->rise[rows + i] = follows ? last : 0;
    if (!steep)
        return;
    const double top = follows && before > 0 && last > 0 ? observer_top(before, last, slope) : 0;
    const double most = top > slope ? top : slope;
    int64_t beat = o->count[i];
    if (beat > 0 && o->waits[i] & OBSERVER_WAITS)
        beat--; /* the last one continues */
    if (beat >= o->kept)
        return;
    double *steepest = observer_value(&o->steepest, rows, i, beat);
    *steepest = most <= *steepest ? *steepest : most;
}

HOST_DEVICE void observer_note_rise(const struct observer *o, int64_t rows, int64_t i, int64_t n, double dt,
                                    double v, double u)
{
    if (v < o->low[i])
        o->low[i] = v;
    if (o->base && v < o->trough[i]) {
        o->trough[i] = v;
        o->top[i] = -observer_infinite();
    }
    const double threshold = observer_threshold(o, i);
    if (!(v < threshold && u >= threshold))
        return;
    int32_t beat = o->count[i];
    observer_note_crossing(o, rows, i, n, dt, v, u);
    if (o->count[i] == beat)
        return;
    if (beat < o->kept) {
        *observer_value(&o->rest, rows, i, beat) = o->low[i];
        *observer_value(&o->peak, rows, i, beat) = observer_empty();
        if (o->base)
            o->eads[beat * rows + i] = 0;
    }
    if (o->base) /* this rise is not an EAD */
        o->trough[i] = o->top[i] = -observer_infinite();
    o->low[i] = observer_infinite();
    for (int k = 0; k < o->percents; k++)
        o->fall_to[k][i] = observer_empty();
}

/* The current beat, -1 = not stored; in range whatever a checkpoint contains */
HOST_DEVICE int64_t observer_beat(const struct observer *o, int64_t i)
{
    int64_t beat = o->count[i] - 1;
    return beat < o->kept ? beat : -1;
}

HOST_DEVICE bool observer_is_peak(const struct observer *o, int64_t rows, int64_t i, double v)
{
    int64_t beat = observer_beat(o, i);
    return beat >= 0 && !(v <= *observer_value(&o->peak, rows, i, beat));
}

HOST_DEVICE void observer_note_peak(const struct observer *o, int64_t rows, int64_t i, double v)
{
    if (!observer_is_peak(o, rows, i, v))
        return;
    int64_t beat = observer_beat(o, i);
    double rest = *observer_value(&o->rest, rows, i, beat);
    *observer_value(&o->peak, rows, i, beat) = v;
    for (int k = 0; k < o->percents; k++) {
        o->fall_to[k][i] = v - o->share[k] * (v - rest);
        o->repolarized[k][beat * rows + i] = observer_empty();
    }
}

/* Whether V, going from v to u, has just fallen by OBSERVER_EAD from its top; this happens once per top. */
HOST_DEVICE bool observer_leaves_top(double top, double v, double u)
{
    return v > top - OBSERVER_EAD && u <= top - OBSERVER_EAD;
}

HOST_DEVICE void observer_note_top(const struct observer *o, int64_t rows, int64_t i, double v, double u)
{
    const double trough = o->trough[i], top = v > o->top[i] ? v : o->top[i];
    o->top[i] = top;
    if (!observer_leaves_top(top, v, u))
        return;
    const int64_t beat = observer_beat(o, i);
    o->trough[i] = o->top[i] = observer_infinite();
    if (beat < 0 || !(top >= trough + OBSERVER_EAD))
        return;
    const double peak = *observer_value(&o->peak, rows, i, beat), height = peak - o->base[i];
    if (peak - trough >= OBSERVER_EAD_FROM * height && peak - trough <= OBSERVER_EAD_TO * height)
        o->eads[beat * rows + i]++;
}

HOST_DEVICE void observer_note_fall(const struct observer *o, int64_t rows, int64_t i, int64_t n, double dt,
                                    double v, double u)
{
    const double threshold = observer_threshold(o, i), rearm = observer_rearm(o, rows, i);
    if (o->base)
        observer_note_top(o, rows, i, v, u);
    if (v >= threshold)
        observer_note_peak(o, rows, i, v);
    for (int k = 0; k < o->percents; k++) {
        double fall_to = o->fall_to[k][i];
        if (!(v > fall_to && u <= fall_to))
            continue;
        int64_t beat = observer_beat(o, i);
        if (beat >= 0)
            o->repolarized[k][beat * rows + i] = observer_crossing(fall_to, v, u, n, dt);
        o->fall_to[k][i] = observer_empty();
    }
    observer_note_crossing(o, rows, i, n, dt, v, u);
    if (v >= rearm && u < rearm && o->steepest.value && o->count[i] < o->kept)
        *observer_value(&o->steepest, rows, i, o->count[i]) = observer_empty();
}

HOST_DEVICE void observer_note_beat(const struct observer *o, int64_t rows, int64_t i, int64_t n, double dt,
                                    double v, double u)
{
    if (o->steepest.value)
        observer_note_slope(o, rows, i, dt, v, u);
    if (u > v)
        observer_note_rise(o, rows, i, n, dt, v, u);
    else if (u < v)
        observer_note_fall(o, rows, i, n, dt, v, u);
}

/* Whether a step of dt (ms) from v to u can change what is recorded of row i, which is rare. Not for
 * OBSERVER_CROSSINGS. */
HOST_DEVICE bool observer_due(const struct observer *o, int64_t rows, int64_t i, double dt, double v,
                              double u)
{
    const double threshold = observer_threshold(o, i), rearm = observer_rearm(o, rows, i);
    if (o->steepest.value && ((u - v) / dt > o->floor || o->rise[i] > 0))
        return true;
    if (u > v)
        return v < o->low[i] || (o->base && v < o->trough[i]) || (v < threshold && u >= threshold);
    if (!(u < v))
        return false;
    bool due = (v >= rearm && u < rearm) || (o->over && v >= threshold && u < threshold);
    for (int k = 0; k < o->percents; k++)
        due = due || (v > o->fall_to[k][i] && u <= o->fall_to[k][i]);
    due = due || (o->base && (v > o->top[i] || observer_leaves_top(o->top[i], v, u)));
    return due || (v >= threshold && observer_is_peak(o, rows, i, v));
}

/* Records step n of dt (ms) from v to u of row i. */
HOST_DEVICE void observer_note(const struct observer *o, int64_t rows, int64_t i, int64_t n, double dt,
                               double v, double u)
{
    if (o->operation == OBSERVER_CROSSINGS)
        observer_note_crossing(o, rows, i, n, dt, v, u);
    else if (observer_due(o, rows, i, dt, v, u))
        observer_note_beat(o, rows, i, n, dt, v, u);
}

/* Records step n, from v[] to u[], of point p. */
HOST_DEVICE void observer_note_point(const struct observer_points *points, int64_t p, int64_t n, double dt,
                                     const double *v, const double *u)
{
    int32_t row = points->row[p];
    if (row >= 0)
        observer_note(&points->observer, points->points, p, n, dt, v[row], u[row]);
}

/* Whether what was recorded of a step can be computed from v, u and n, and so be undone */
HOST_DEVICE bool observer_can_withdraw(const struct observer *o)
{
    return o->operation == OBSERVER_CROSSINGS;
}

/* Doubles per row of all arrays except the counts, with rest, peak and EADs of each beat */
static inline int64_t observer_values(int64_t beats, int64_t percents, bool slopes)
{
    return beats + 1 + (beats - 1) * (3 + slopes + percents) + 2 * slopes + percents + 4;
}

/* Lays out the arrays of o, for its numbers of beats and percents, in memory[observer_values()][rows] */
static inline void observer_lay(struct observer *o, double *memory, int64_t rows, bool slopes)
{
    int64_t kept = (o->beats - 1) * rows;
    o->operation = OBSERVER_BEATS;
    o->kept = o->beats - 1;
    o->low = memory;
    o->time = o->low + rows;
    o->rest = (struct observer_series){o->time + kept + rows, o->beats - 1};
    o->peak = (struct observer_series){o->rest.value + kept, o->beats - 1};
    memory = o->peak.value + kept;
    if (slopes) {
        o->steepest = (struct observer_series){memory, o->beats - 1};
        o->rise = memory + kept;
        memory += kept + 2 * rows;
    }
    for (int k = 0; k < o->percents; k++) {
        o->fall_to[k] = memory;
        o->repolarized[k] = memory + rows;
        memory += kept + rows;
    }
    o->base = memory;
    o->trough = o->base + rows;
    o->top = o->trough + rows;
    o->eads = o->top + rows;
    memory = o->eads + kept;
    o->waits = (uint8_t *)memory;
}

/* Sets this memory (on the host) to the values before the first step */
static inline void observer_clear(double *memory, int64_t values, int64_t rows)
{
    for (int64_t k = 0; k < values * rows; k++)
        memory[k] = k < rows ? observer_infinite() : k < (values - 1) * rows ? observer_empty() : 0;
}

#endif
