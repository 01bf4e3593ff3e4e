/* maps.c: the maps of three beats with known V.
 *
 * In uniform tissue with a leak g, from the start of a stimulus of length T, w = V - E is
 *
 *   w(t) = I / g + (w(0) - I / g) e^(-g t) up to T, then w(T) e^(-g (t - T)).
 *
 * The ionic step is exact for it; linear interpolation between two steps errs by dt^2 w'' / 8. */
#include <math.h>
#include <stdio.h>

#include "app/run/map_values.h"
#include "app/verify/tissue.h"

enum { BEATS = 3 };

static const double leak = 0.1, current = 20, span = 5;     /* 1/ms, mV/ms, ms */
static const double begin = 4, period = 60, reversal = -85; /* ms, mV */
static const double threshold = -40, step = 0.01;           /* mV, ms */

static const char config_text[] =
    "version: 1\n"
    "mesh: {cable: {length: 1 mm, spacing: 0.25 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions: [{model: passive, conductivity: 0.1 S/m, parameters: {g: 0.1, E: -85}}]\n"
    "stimuli: [{where: x >= 0 mm, start: 4 ms, duration: 5 ms, current: 20 uA/uF, count: 3, period: 60 ms}]\n"
    "activation: {threshold: -40 mV, rearm: -50 mV, beats: 3}\n"
    "time: {end: 190 ms, step: 0.01 ms}\n"
    "solver: {precision: double}\n"
    "output: {maps: [activation_time, repolarization_time, apd90, apd50, diastolic_interval, cycle_length, "
    "dvdt_max,\n"
    "                peak, rest, beats]}\n";

/* Exact values of one beat, ms and mV */
struct beat {
    double activation, fall[2], peak, rest, steepest; /* fall: V has repolarised by 90 and by 50 % */
};

static void expect_beats(struct beat beat[BEATS])
{
    double all = current / leak, w = 0;
    for (int b = 0; b < BEATS; b++) {
        double start = begin + b * period, peak = all + (w - all) * exp(-leak * span);
        beat[b].activation = start + log((all - w) / (all - (threshold - reversal))) / leak;
        for (int half = 0; half < 2; half++)
            beat[b].fall[half] = start + span + log(peak / (peak - (half ? 0.5 : 0.9) * (peak - w))) / leak;
        beat[b].peak = reversal + peak;
        beat[b].rest = reversal + w;
        beat[b].steepest = (all - w) * -expm1(-leak * step) / step; /* during the first step */
        w = peak * exp(-leak * (period - span));
    }
}

static double expected_value(const struct beat *beat, const struct maps_map *map)
{
    switch (map->kind) {
    case MAPS_ACTIVATION_TIME:
        return beat->activation;
    case MAPS_REPOLARIZATION_TIME:
        return beat->fall[0];
    case MAPS_APD:
        return beat->fall[map->percent == 50] - beat->activation;
    case MAPS_DIASTOLIC_INTERVAL:
        return beat->activation - beat[-1].fall[0];
    case MAPS_CYCLE_LENGTH:
        return beat->activation - beat[-1].activation;
    case MAPS_DVDT_MAX:
        return beat->steepest;
    case MAPS_PEAK:
        return beat->peak;
    case MAPS_REST:
        return beat->rest;
    default:
        return BEATS;
    }
}

/* The largest difference from the exact values over nodes and beats; NaN counts as infinite */
static double largest_difference(const struct map_values *values, const struct maps_map *map,
                                 const struct beat *beat)
{
    bool between = map->kind == MAPS_DIASTOLIC_INTERVAL || map->kind == MAPS_CYCLE_LENGTH;
    int64_t width = map_values_width(values, map);
    double most = 0;
    for (int64_t i = 0; i < values->nodes; i++)
        for (int64_t b = between; b < width; b++) {
            double off = fabs(values->value[i * width + b] - expected_value(&beat[b], map));
            most = off <= most ? most : isnan(off) ? HUGE_VAL : off;
        }
    return most;
}

enum status verify_maps(struct verify *verify, struct error *error)
{
    const char *set = verify->inject ? "tissue.regions[0].parameters.g=0.101" : NULL;
    struct verify_study study;
    struct map_values values = {0};
    struct beat beat[BEATS];
    enum status status;
    TRY_DONE(verify_study_make(&study, config_text, set, error));
    TRY_DONE(verify_study_start(verify, &study, error));
    TRY_DONE(monodomain_advance(study.sim, study.config.steps, error));
    TRY_DONE(map_values_create(&values, study.sim, &study.problem.mesh, BEATS, error));
    expect_beats(beat);
    verify_case(verify, "three beats of a leak of %g /ms under %g mV/ms for %g ms, dt %g ms", leak, current,
                span, step);
    for (int m = 0; m < study.config.output.maps; m++) {
        struct maps_map map;
        char what[100];
        maps_find(&map, study.config.output.map[m], NULL);
        TRY_DONE(map_values_make(&values, &map, NULL, error));
        if (status)
            break;
        snprintf(what, sizeof what, "%s, largest difference in %s", map.name,
                 map.unit[0] ? map.unit : "beats");
        verify_interval(verify, what, largest_difference(&values, &map, beat), 0, 2e-6);
    }
done:
    map_values_free(&values);
    verify_study_free(&study);
    return status;
}
