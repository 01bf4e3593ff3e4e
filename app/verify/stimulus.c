/* stimulus.c: the effect of a stimulus, and the times of trains.
 *
 * verify_stimulus: a current given per tissue volume, per membrane area and per capacitance raises V by the same,
 * exactly known amount, even if it begins and ends between steps. Without a leak V rises by I t during the stimulus.
 * I = 50,000 uA/cm^3 / (1400 /cm x 1 uF/cm^2) = 35.714... mV/ms. verify_protocols: trains given by count and period,
 * and sequences of trains. With a leak g = 1 /ms and I = 100 mV/ms for 2 ms, V has risen by 45 mV ln(100 / 55) ms
 * after a stimulus begins and has decayed by e^-28 30 ms after it began, so every stimulus causes its own activation
 * at a known time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/run/map_values.h"
#include "app/verify/tissue.h"

static const char cable_text[] =
    "version: 1\n"
    "mesh: {cable: {length: 1 mm, spacing: 0.1 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  capacitance: 1 uF/cm^2\n"
    "  regions: [{model: passive, parameters: {g: 0}, conductivity: 0.1 S/m}]\n"
    "stimuli:\n"
    "  - {box: {min: [0, -1, -1], max: [1, 1, 1]}, start: 0.033 ms, duration: 0.47 ms,\n"
    "     current: 50000 uA/cm^3}\n"
    "time: {end: 1 ms, step: 0.02 ms}\n"
    "solver: {precision: double}\n";

static enum status measure_rise(struct verify *verify, const char *current, double *gained,
                                struct error *error)
{
    struct verify_study study;
    double v[11] = {0};
    enum status status;
    TRY_DONE(verify_study_make(&study, cable_text, current, error));
    if (verify->inject)
        study.problem.stimulus->current *= 1.01;
    TRY_DONE(verify_study_start(verify, &study, error));
    TRY_DONE(monodomain_advance(study.sim, study.config.steps, error));
    TRY_DONE(monodomain_voltage(study.sim, v, error));
    *gained = v[5] - study.problem.region->model->v_initial;
done:
    verify_study_free(&study);
    return status;
}

enum status verify_stimulus(struct verify *verify, struct error *error)
{
    static const char *const currents[] = {"50000 uA/cm^3", "35.714285714285714 uA/cm^2",
                                           "35.714285714285714 mV/ms"};
    const double want = 50000.0 / 1400 * 0.47;
    for (int k = 0; k < 3; k++) {
        char set[80], what[80];
        double gained = NAN;
        snprintf(set, sizeof set, "stimuli[0].current=%s", currents[k]);
        TRY(measure_rise(verify, set, &gained, error));
        verify_case(verify, "%s for 0.47 ms from 0.033 ms, dt 0.02 ms", currents[k]);
        snprintf(what, sizeof what, "V gained, less %.9g mV", want);
        verify_interval(verify, what, gained - want, -1e-11, 1e-11);
    }
    return STATUS_OK;
}

enum { BEATS = 12 };

static const double leak = 1, current = 100, rise = 45; /* 1/ms, mV/ms, mV */

#define CONFIG(train)                                                                                        \
    "version: 1\n"                                                                                           \
    "mesh: {cable: {length: 1 mm, spacing: 0.5 mm}}\n"                                                       \
    "tissue:\n"                                                                                              \
    "  surface_to_volume: 1400 /cm\n"                                                                        \
    "  regions: [{model: passive, conductivity: 0.1 S/m, parameters: {g: 1, E: -85}}]\n"                     \
    "stimuli: [{where: x >= 0 mm, start: 3 ms, duration: 2 ms, current: 100 uA/uF, " train "}]\n"            \
    "activation: {threshold: -40 mV, rearm: -60 mV, beats: 12}\n"                                            \
    "time: {end: 640 ms, step: 0.05 ms}\n"                                                                   \
    "solver: {precision: double}\n"                                                                          \
    "output: {maps: [activation_time, apd90], probes: {middle: [0.5 mm, 0, 0]}}\n"

struct train {
    const char *title, *text;
    int count;
    double start[BEATS]; /* ms */
};

static const struct train trains[] = {
    {"five, 70 ms apart", CONFIG("count: 5, period: 70 ms"), 5, {3, 73, 143, 213, 283}},
    {"without end, 80 ms apart", CONFIG("count: 0, period: 80 ms"), 8, {3, 83, 163, 243, 323, 403, 483, 563}},
    {"three, one more, and two ramps",
     CONFIG("protocol: [{count: 3, period: 100 ms}, {after: 80 ms}, {count: 4, period: 60 ms, to: 30 ms}, "
            "{after: 70 ms, count: 3, period: 50 ms, to: 40 ms}]"),
     11,
     {3, 103, 203, 283, 343, 393, 433, 463, 533, 583, 623}},
};

static double latency(void)
{
    return log(current / leak / (current / leak - rise)) / leak;
}

/* The planted error: periods and start times are longer by 1 %. */
static void lengthen_intervals(struct problem *problem)
{
    for (int s = 0; s < problem->stimuli; s++) {
        problem->stimulus[s].period *= 1.01;
        problem->stimulus[s].start *= 1.01;
    }
}

static enum status check_train(struct verify *verify, const struct train *train, struct error *error)
{
    struct verify_study study;
    struct map_values values = {0};
    struct maps_map map;
    enum status status;
    TRY_DONE(verify_study_make(&study, train->text, NULL, error));
    if (verify->inject)
        lengthen_intervals(&study.problem);
    TRY_DONE(verify_study_start(verify, &study, error));
    TRY_DONE(monodomain_advance(study.sim, study.config.steps, error));
    TRY_DONE(map_values_create(&values, study.sim, &study.problem.mesh, BEATS, error));
    maps_find(&map, "activation_time", NULL);
    TRY_DONE(map_values_make(&values, &map, NULL, error));
    int count = 0;
    double most = 0;
    while (count < BEATS && !isnan(values.value[count]))
        count++;
    for (int b = 0; b < train->count && b < count; b++)
        most = fmax(most, fabs(values.value[b] - train->start[b] - latency()));
    verify_case(verify, "stimuli: %s", train->title);
    verify_interval(verify, "beats", count, train->count, train->count);
    verify_interval(verify, "times, largest difference in ms", most, 0, 5e-4);
done:
    map_values_free(&values);
    verify_study_free(&study);
    return status;
}

enum status verify_protocols(struct verify *verify, struct error *error)
{
    for (size_t k = 0; k < sizeof trains / sizeof *trains; k++)
        TRY(check_train(verify, &trains[k], error));
    return STATUS_OK;
}
