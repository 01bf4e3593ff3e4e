/* intervals.c: QRS, QT and the axis of the heart from the leads of an ECG.
 *
 * The combined slope of all leads, s(t) = sqrt(sum (dV/dt)^2), is large only in QRS. QRS is the interval around the
 * maximum of s in which s is at least 5 % of it, including gaps of up to 12 ms. The peak of T is the largest distance
 * from the baseline (each lead's value at the start of QRS) after QRS. T ends where, in the lead with that peak, the
 * tangent at the steepest descent meets the baseline (Lepeschkin and Surawicz, Circulation 6:378, 1952). The axis is
 * the direction of (I, 2/sqrt(3) aVF), each taken as the sum of its largest and smallest value in QRS. */
#include "app/report/results.h"

#include <math.h>
#include <string.h>

static const double slope_fraction = 0.05;             /* of the largest slope: within QRS */
static const double seed = 0.5;                        /* of the largest slope: certainly QRS */
static const double gap = 12, apart = 100, pause = 20; /* ms: within QRS; to the next QRS; to T */

/* Leads over time */
struct leads {
    const double *time, *value;
    int64_t rows;
    int columns;
};

static double lead_value(const struct leads *leads, int64_t row, int lead)
{
    return leads->value[row * leads->columns + lead];
}

/* s between a row and the next, mV/ms */
static double slope(const struct leads *leads, int64_t row)
{
    double sum = 0, dt = leads->time[row + 1] - leads->time[row];
    for (int c = 0; c < leads->columns; c++)
        sum += pow((lead_value(leads, row + 1, c) - lead_value(leads, row, c)) / dt, 2);
    return sqrt(sum);
}

/* The last row from `from` towards `to`, in steps of `by`, whose slope is at least `least`, across gaps of up to `gap`
 * ms */
static int64_t last_slope(const struct leads *leads, int64_t from, int64_t to, int by, double least)
{
    int64_t last = from;
    for (int64_t k = from; k != to && fabs(leads->time[k] - leads->time[last]) <= gap; k += by)
        if (slope(leads, k) >= least)
            last = k;
    return last;
}

static int find_lead(char (*lead)[64], int columns, const char *name)
{
    for (int c = 0; c < columns; c++)
        if (strcmp(lead[c], name) == 0)
            return c;
    return -1;
}

/* The sum of the largest and smallest value of a lead in rows from..to, relative to row `from` */
static double net_deflection(const struct leads *leads, int lead, int64_t from, int64_t to)
{
    double low = 0, high = 0;
    for (int64_t k = from; k <= to; k++) {
        low = fmin(low, lead_value(leads, k, lead) - lead_value(leads, from, lead));
        high = fmax(high, lead_value(leads, k, lead) - lead_value(leads, from, lead));
    }
    return low + high;
}

/* found->t_peak, qt <- T in rows from..to, with row `base` as the baseline */
static void find_t(struct intervals *found, const struct leads *leads, int64_t from, int64_t to, int64_t base)
{
    double most = 0, steepest = 0;
    int64_t top = -1, bend = -1;
    int lead = 0;
    for (int64_t k = from; k <= to; k++)
        for (int c = 0; c < leads->columns; c++) {
            double v = fabs(lead_value(leads, k, c) - lead_value(leads, base, c));
            if (v > most) {
                most = v;
                top = k;
                lead = c;
            }
        }
    if (top <= from || top >= to)
        return;
    found->t_peak = leads->time[top];
    double side = lead_value(leads, top, lead) > lead_value(leads, base, lead) ? 1 : -1;
    for (int64_t k = top; k < to; k++) {
        double fall = side * (lead_value(leads, k, lead) - lead_value(leads, k + 1, lead)) /
                      (leads->time[k + 1] - leads->time[k]);
        if (fall > steepest) {
            steepest = fall;
            bend = k;
        }
    }
    double middle = bend < 0 ? 0 : (leads->time[bend] + leads->time[bend + 1]) / 2;
    double height = bend < 0 ? 0 : (lead_value(leads, bend, lead) + lead_value(leads, bend + 1, lead)) / 2;
    double over = middle + side * (height - lead_value(leads, base, lead)) / steepest;
    if (bend >= 0 && over <= leads->time[to])
        found->qt = over - found->begin;
}

struct intervals intervals_none(void)
{
    return (struct intervals){NAN, NAN, NAN, NAN, NAN, NAN, 0};
}

struct intervals intervals_measure(const double *time, const double *value, int64_t rows, int columns,
                                   char (*lead)[64])
{
    const struct leads leads = {time, value, rows, columns};
    struct intervals found = intervals_none();
    double most = 0;
    int64_t first = 0, last, end;
    for (int64_t k = 0; k + 1 < rows; k++)
        most = fmax(most, slope(&leads, k));
    if (!(most > 0))
        return found;
    while (slope(&leads, first) < seed * most)
        first++;
    last = last_slope(&leads, first, rows - 1, 1, slope_fraction * most) + 1;
    first = last_slope(&leads, first, -1, -1, slope_fraction * most);
    for (end = last; end < rows - 1; end++)
        if (time[end] > time[last] + apart && slope(&leads, end) >= seed * most)
            break;
    if (end < rows - 1)
        end = last_slope(&leads, end, last, -1, slope_fraction * most);
    found.begin = time[first];
    if (last < rows - 1)
        found.qrs = time[last] - time[first];
    found.highest = 0;
    for (int64_t k = first; k <= end; k++)
        for (int c = 0; c < columns; c++)
            if (fabs(lead_value(&leads, k, c) - lead_value(&leads, first, c)) > found.highest) {
                found.highest = fabs(lead_value(&leads, k, c) - lead_value(&leads, first, c));
                found.lead = c;
            }
    int i = find_lead(lead, columns, "I"), f = find_lead(lead, columns, "aVF");
    if (i >= 0 && f >= 0 && !isnan(found.qrs))
        found.axis = atan2(2 / sqrt(3) * net_deflection(&leads, f, first, last),
                           net_deflection(&leads, i, first, last)) *
                     180 / acos(-1.0);
    int64_t from = last;
    while (from < end && time[from] < time[last] + pause)
        from++;
    find_t(&found, &leads, from, end, first);
    return found;
}
