/* intervals.h: QRS, QT and the axis of the heart from the leads of an ECG.
 *
 * The slope of all leads together, s(t) = sqrt(sum (dV/dt)^2), is large in QRS alone. QRS is the time around
 * its maximum in which s is at least 5 % of that, gaps of up to 12 ms included. T is the largest distance
 * from the baseline (each lead's value at the start of QRS) behind QRS; it ends where its tangent at the
 * steepest descent meets the baseline (Lepeschkin and Surawicz, Circulation 6:378, 1952), in the lead in
 * which T is largest. The axis is the direction of (I, aVF 2/sqrt(3)), each with its largest and its smallest
 * value of QRS added. */
#ifndef CARDIAC_APP_REPORT_INTERVALS_H
#define CARDIAC_APP_REPORT_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

/* NaN = not found */
struct intervals {
    double begin, qrs; /* ms: of the first QRS, and how long it lasts */
    double t_peak, qt; /* ms: when T is highest, and from `begin` to its end */
    double axis;       /* degrees: 0 to the left, 90 to the feet */
    double highest;    /* mV: the largest distance from the baseline in any lead, and in which */
    int lead;
};

/* Of leads[columns], by name, at time[rows] (ms, evenly spaced): value[rows][columns] in mV. Of several beats
 * the first: until the next QRS begins. */
struct intervals intervals_measure(const double *time, const double *value, int64_t rows, int columns,
                                   char (*lead)[64]);

/* No ECG */
struct intervals intervals_none(void);

#endif
