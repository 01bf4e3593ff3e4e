/* test_intervals.c: QRS, QT and axis of leads that are made of bells and straight lines, whose answers are
 * known. */
#include "app/report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { LEADS = 3 };

/* A triangle from `begin` over `top` to `end`, of that height */
static double triangle(double t, double begin, double top, double end, double height)
{
    if (t <= begin || t >= end)
        return 0;
    return height * (t < top ? (t - begin) / (top - begin) : (end - t) / (end - top));
}

/* Beats each 600 ms: QRS from 40 to 120 ms, T from 220 over 320 to 360 ms; the leads are shares of both */
static double beat(double t)
{
    t = fmod(t, 600);
    return triangle(t, 40, 80, 120, 1) + triangle(t, 220, 320, 360, 0.2);
}

/* The same, and another beat at 600 ms, whose QRS begins less steeply, and higher than T */
static double foot(double t)
{
    return t < 600 ? beat(t) : triangle(t, 620, 680, 720, 0.8) + triangle(t, 660, 680, 700, 0.4);
}

/* A pause of 8 ms within QRS, which ends at 96 ms, and of 20 ms between it and a late potential */
static double notched(double t)
{
    return triangle(t, 40, 54, 68, 1) + triangle(t, 76, 86, 96, 0.8) + triangle(t, 116, 122, 128, 0.1) +
           triangle(t, 260, 320, 360, 0.4);
}

/* A spike 60 ms after QRS, lower than T: no other beat */
static double spiked(double t)
{
    return triangle(t, 40, 80, 120, 1) + triangle(t, 180, 190, 200, 0.14) + triangle(t, 220, 320, 360, 0.2);
}

static struct intervals measure_leads(char name[LEADS][64], double to, const double share[LEADS], double step,
                                      double (*of)(double))
{
    int64_t rows = (int64_t)(to / step) + 1;
    double *time = calloc((size_t)rows, sizeof *time), *value = calloc((size_t)rows * LEADS, sizeof *value);
    CHECK(time && value, "no memory");
    for (int64_t k = 0; k < rows; k++) {
        time[k] = (double)k * step;
        for (int c = 0; c < LEADS; c++)
            value[k * LEADS + c] = 0.3 + share[c] * of(time[k]);
    }
    struct intervals found = intervals_measure(time, value, rows, LEADS, name);
    free(time);
    free(value);
    return found;
}

static struct intervals measure(double to, const double share[LEADS], double step, double (*of)(double))
{
    static char name[LEADS][64] = {"I", "II", "aVF"};
    return measure_leads(name, to, share, step, of);
}

/* The axis is of I and aVF, in any column; without one of them there is none. */
static void test_axis_leads(void)
{
    static char turned[LEADS][64] = {"aVF", "II", "I"}, chest[LEADS][64] = {"I", "V1", "V2"},
                lower[LEADS][64] = {"aVL", "II", "aVF"};
    const double share[LEADS] = {sqrt(3) / 2, 2, 1};
    struct intervals found = measure_leads(turned, 500, share, 1, beat);
    CHECK(fabs(found.axis - 45) < 1e-9 && found.lead == 1 && fabs(found.highest - 2) < 1e-9,
          "axis %g degrees, %g mV in lead %d", found.axis, found.highest, found.lead);
    CHECK(isnan(measure_leads(chest, 500, share, 1, beat).axis), "an axis without aVF");
    CHECK(isnan(measure_leads(lower, 500, share, 1, beat).axis), "an axis without I");
}

int main(void)
{
    test_axis_leads();
    const double shares[][LEADS] = {{1, 2, sqrt(3) / 2}, {-1, 0.5, 0}, {0.002, 0.001, -0.001}};
    const double axis[] = {45, 180, 180 / acos(-1.0) * atan2(-2 / sqrt(3), 2)};
    for (int k = 0; k < 3; k++)
        for (double step = 0.5; step <= 2; step *= 2)
            for (double to = 500; to <= 1700; to += 1200) {
                struct intervals found = measure(to, shares[k], step, beat);
                CHECK(found.begin == 40 && found.qrs == 80, "QRS %g to %g ms", found.begin, found.qrs);
                CHECK(fabs(found.qt - 320) < 1e-9 && found.t_peak == 320, "QT %g ms, T at %g", found.qt,
                      found.t_peak);
                CHECK(fabs(found.axis - axis[k]) < 1e-9, "axis %g degrees", found.axis);
            }
    struct intervals two = measure(900, shares[0], 1, foot);
    CHECK(two.begin == 40 && two.qrs == 80 && fabs(two.qt - 320) < 1e-9,
          "QRS %g, QT %g ms before a second beat", two.qrs, two.qt);
    struct intervals notched_qrs = measure(500, shares[0], 0.5, notched);
    CHECK(notched_qrs.begin == 40 && notched_qrs.qrs == 56 && notched_qrs.t_peak == 320,
          "QRS of two parts %g to %g ms", notched_qrs.begin, notched_qrs.begin + notched_qrs.qrs);
    struct intervals spike = measure(500, shares[0], 0.5, spiked);
    CHECK(spike.qrs == 80 && spike.t_peak == 320 && fabs(spike.qt - 320) < 1e-9,
          "QT %g ms, T at %g with a spike after QRS", spike.qt, spike.t_peak);
    struct intervals cut = measure(330, shares[0], 1, beat);
    CHECK(cut.qrs == 80 && isnan(cut.qt), "QT %g ms of a T that does not end", cut.qt);
    cut = measure(100, shares[0], 1, beat);
    CHECK(cut.begin == 40 && isnan(cut.qrs) && isnan(cut.axis), "QRS %g ms that does not end", cut.qrs);
    CHECK(isnan(measure(30, shares[0], 1, beat).begin), "a beat in flat lines");
    return 0;
}
