/* leads.c: the twelve leads of a dipole in a conductor without bounds. A cube of volume v in which V rises
 * evenly, V = g . x, is one of moment p = -sigma_i v g, whose potential is phi(x) = p . x / (4 pi sigma
 * |x|^3); what a cube adds falls as the fourth power of its edge over the distance. Einthoven's, Goldberger's
 * and Wilson's leads are sums of potentials, formed here as their definitions have them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/ecg.h"
#include "app/verify/study.h"
#include "kernels/base/array.h"

enum { RA, LA, LL, V1, ELECTRODES = 9, LEADS = 12 };

static const double edge = 4, around = 0.2, inside = 0.25; /* mm, S/m */
static const double slope[3] = {-2, 1, 3};                 /* mV/mm */
/* mm from the cube's centre */
static const double place[ELECTRODES][3] = {{-180, -20, 220}, {190, -30, 210}, {90, 20, -400},
                                            {-40, -130, 80},  {40, -115, 25},  {80, -100, 0},
                                            {110, -70, -30},  {130, 10, -35},  {135, 60, -30}};

static const char config_text[] =
    "version: 1\n"
    "mesh: {slab: {size: [4 mm, 4 mm, 4 mm], spacing: 1 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  regions: [{model: passive, conductivity: {intra: 0.25 S/m, extra: 0.5 S/m}}]\n"
    "ecg:\n"
    "  conductivity: 0.2 S/m\n"
    "  electrodes:\n"
    "    {RA: [-178, -18, 222], LA: [192, -28, 212], LL: [92, 22, -398], V1: [-38, -128, 82], V2: [42, -113, "
    "27],\n"
    "     V3: [82, -98, 2], V4: [112, -68, -28], V5: [132, 12, -33], V6: [137, 62, -28]}\n"
    "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 1 uA/uF}]\n"
    "time: {end: 1 ms, step: 0.02 ms}\n";

/* The potential at an electrode */
static double potential(int electrode)
{
    const double *x = place[electrode], pi = 3.14159265358979323846;
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), sum = 0;
    for (int d = 0; d < 3; d++)
        sum -= inside * edge * edge * edge * slope[d] * x[d];
    return sum / (4 * pi * around * r * r * r);
}

/* lead[LEADS] <- I, II, III, aVR, aVL, aVF, V1 .. V6 */
static void expect(double lead[LEADS])
{
    double right = potential(RA), left = potential(LA), foot = potential(LL);
    lead[0] = left - right;
    lead[1] = foot - right;
    lead[2] = foot - left;
    lead[3] = right - (left + foot) / 2;
    lead[4] = left - (right + foot) / 2;
    lead[5] = foot - (right + left) / 2;
    for (int k = 0; k < 6; k++)
        lead[6 + k] = potential(V1 + k) - (right + left + foot) / 3;
}

/* V <- g . x from the centre */
static enum status polarise(const struct verify *verify, struct verify_study *study, struct error *error)
{
    const struct mesh *mesh = &study->problem.mesh;
    enum status status = STATUS_OK;
    double *v = array_new(mesh->nodes, sizeof *v, "V", &status, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++) {
        v[i] = 0;
        for (int d = 0; d < 3; d++)
            v[i] += verify_diffusion(verify) * slope[d] * (mesh->point[3 * i + d] - edge / 2);
    }
    AND(monodomain_set(study->sim, 0, v, error));
    free(v);
    return status;
}

enum status verify_leads(struct verify *verify, const char *name, struct error *error)
{
    static const char *const names[LEADS] = {"I",  "II", "III", "aVR", "aVL", "aVF",
                                             "V1", "V2", "V3",  "V4",  "V5",  "V6"};
    struct verify_study study;
    struct ecg ecg = {0};
    struct progress *progress = NULL;
    double value[LEADS] = {0}, want[LEADS];
    (void)name;
    enum status status = verify_study_make(&study, config_text, NULL, error);
    AND(progress_open(&progress, NULL, false, PROGRESS_QUIET, error));
    AND(verify_study_start(verify, &study, error));
    AND(ecg_create(&ecg, &study.config, &study.problem, study.sim, progress, error));
    AND(polarise(verify, &study, error));
    if (!status && ecg.columns != LEADS)
        status = error_set(error, STATUS_RUN, "%d leads instead of %d", ecg.columns, LEADS);
    AND(ecg_read(&ecg, value, error));
    if (!status) {
        expect(want);
        verify_case(verify, "the leads of a cube of %g mm in which V rises evenly, over those of a dipole",
                    edge);
        for (int l = 0; l < LEADS; l++)
            verify_interval(verify, ecg.name[l], value[l] / want[l], 0.9995, 1.0005);
        int other = 0;
        for (int l = 0; l < LEADS; l++)
            other += strcmp(ecg.name[l], names[l]) != 0;
        verify_interval(verify, "leads of another name or order", other, 0, 0);
    }
    ecg_free(&ecg);
    progress_close(progress);
    verify_study_free(&study);
    return status;
}
