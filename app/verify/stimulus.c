/* stimulus.c: a stimulus given per tissue volume, per membrane area and per capacitance raises V by
 * the same, exactly known amount; its edges need not fall on steps.
 *
 * Without a leak V rises by I t during the stimulus. I = 50,000 uA/cm^3 / (1400 /cm x 1 uF/cm^2) = 35.714...
 * mV/ms. */
#include <math.h>
#include <stdio.h>

#include "app/verify/study.h"

static const char config_text[] =
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

static enum status rise(struct verify *verify, const char *current, double *gained, struct error *error)
{
    struct verify_study study;
    double v[11] = {0};
    enum status status = verify_study_make(&study, config_text, current, error);
    if (!status && verify->inject)
        study.problem.stimulus->current *= 1.01;
    AND(verify_study_start(verify, &study, error));
    AND(monodomain_advance(study.sim, study.config.steps, error));
    AND(monodomain_voltage(study.sim, v, error));
    if (!status)
        *gained = v[5] - study.problem.region->model->v_initial;
    verify_study_free(&study);
    return status;
}

enum status verify_stimulus(struct verify *verify, const char *name, struct error *error)
{
    static const char *const currents[] = {"50000 uA/cm^3", "35.714285714285714 uA/cm^2",
                                           "35.714285714285714 mV/ms"};
    const double want = 50000.0 / 1400 * 0.47;
    (void)name;
    for (int k = 0; k < 3; k++) {
        char set[80], what[80];
        double gained = NAN;
        snprintf(set, sizeof set, "stimuli[0].current=%s", currents[k]);
        enum status status = rise(verify, set, &gained, error);
        if (status)
            return status;
        verify_case(verify, "%s for 0.47 ms from 0.033 ms, dt 0.02 ms", currents[k]);
        snprintf(what, sizeof what, "V gained, less %.9g mV", want);
        verify_interval(verify, what, gained - want, -1e-11, 1e-11);
    }
    return STATUS_OK;
}
