/* front.c: the plane front of Huxley's equation u' = div(D grad u) + k u (1 - u) (u - a), in tissue and on
 * cables.
 *
 *   u = (1 - tanh(s sqrt(k / (8 D_n)))) / 2,  s = n.x - c t,  c = sqrt(k D_n / 2) (1 - 2 a),  D_n = n.D n
 *
 * verify_front: in tissue with fibres oblique to the front's normal n. The solution is exact in a strip (prism)
 * whose long sides are parallel to D n: the flux, parallel to D n, crosses none of them. So the lattice is sheared:
 * its first axis is D n / |D n|, the others lie in the front. verify_speed: the speed on cables (solver/step/front.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/step/front.h"

static const double along = 0.2, across = 0.05;    /* mm^2/ms */
static const double rate = 1, threshold = 0.1;     /* k, 1/ms, and a */
static const double rest = -85, peak = 15;         /* mV */
static const double begin = 5, low = 8, high = 12; /* mm along n: front at t = 0; range of the fit */
static const double fiber[3] = {0.45, 0.75, 0.35}; /* normalised by the solver */
static const double normal_sheet[3] = {0.96, 0.28, 0};
static const double normal_slab[3] = {0.80, -0.36, 0.48};

struct frame {
    double axis[3][3]; /* of the lattice */
    double normal[3];
    double diffusion; /* D_n */
};

static void scale_vector(double a[3], double factor)
{
    for (int d = 0; d < 3; d++)
        a[d] *= factor;
}

static void frame_make(struct frame *frame, int dimension)
{
    double f[3] = {fiber[0], fiber[1], dimension == 3 ? fiber[2] : 0}, up[3] = {0, 0, 1};
    double *n = frame->normal;
    memcpy(n, dimension == 3 ? normal_slab : normal_sheet, sizeof frame->normal);
    scale_vector(n, 1 / vec3_length(n));
    scale_vector(f, 1 / vec3_length(f));
    for (int d = 0; d < 3; d++)
        frame->axis[0][d] = across * n[d] + (along - across) * vec3_dot(f, n) * f[d];
    frame->diffusion = vec3_dot(n, frame->axis[0]);
    scale_vector(frame->axis[0], 1 / vec3_length(frame->axis[0]));
    vec3_cross(frame->axis[1], up, n);
    scale_vector(frame->axis[1], 1 / vec3_length(frame->axis[1]));
    vec3_cross(frame->axis[2], n, frame->axis[1]);
}

/* Makes the tissue, its lattice along the frame's axes, and sets V to the exact front at t = 0. */
static enum status make_strip(struct verify_tissue *tissue, const struct frame *frame, int dimension,
                              double h, double lumping, struct error *error)
{
    double length = floor(17 / vec3_dot(frame->axis[0], frame->normal) / 0.4 + 1) * 0.4;
    const double size[3] = {length, 1.2, 0.8};
    enum status status = verify_tissue_make(tissue, dimension, size, h, "huxley", error);
    if (status)
        return status;
    verify_tissue_fiber(tissue, along, across, fiber[0], fiber[1], dimension == 3 ? fiber[2] : 0);
    verify_tissue_parameter(tissue, "k", rate);
    verify_tissue_parameter(tissue, "a", threshold);
    verify_tissue_parameter(tissue, "V_rest", rest);
    verify_tissue_parameter(tissue, "V_peak", peak);
    for (int64_t i = 0; i < tissue->mesh.nodes; i++) {
        double *point = tissue->mesh.point + 3 * i, lattice[3] = {point[0], point[1], point[2]};
        for (int d = 0; d < 3; d++)
            point[d] = lattice[0] * frame->axis[0][d] + lattice[1] * frame->axis[1][d] +
                       lattice[2] * frame->axis[2][d];
        double s = vec3_dot(frame->normal, point) - begin;
        tissue->v[i] = rest + (peak - rest) * (1 - tanh(s * sqrt(rate / (8 * frame->diffusion)))) / 2;
    }
    tissue->params.step = h / 4;
    tissue->params.splitting = SPLITTING_STAGGERED;
    tissue->params.mass_lumping = lumping;
    tissue->params.tolerance = 1e-7;
    tissue->params.activation_thresholds = NULL;
    tissue->params.activation_threshold = (rest + peak) / 2;
    return STATUS_OK;
}

/* Speed along n, from a linear fit to the activation times of the nodes between low and high */
static double fit_speed(const struct mesh *mesh, const struct frame *frame, const double *time)
{
    double count = 0, sum_s = 0, sum_t = 0, spread = 0, common = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            double s = vec3_dot(frame->normal, mesh->point + 3 * i);
            if (s < low || s > high)
                continue;
            if (pass == 0) {
                count++;
                sum_s += s;
                sum_t += time[i];
            } else {
                spread += (s - sum_s / count) * (s - sum_s / count);
                common += (s - sum_s / count) * (time[i] - sum_t / count);
            }
        }
    return spread / common;
}

static enum status speed_error(struct verify *verify, int dimension, double h, double lumping,
                               double *relative, struct error *error)
{
    struct frame frame;
    struct verify_tissue tissue;
    double *time = NULL;
    frame_make(&frame, dimension);
    double exact = sqrt(rate * frame.diffusion / 2) * (1 - 2 * threshold);
    enum status status;
    TRY_DONE(make_strip(&tissue, &frame, dimension, h, lumping, error));
    tissue.diffusion_factor = verify_diffusion(verify);
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    TRY_DONE(verify_tissue_advance(&tissue, (int64_t)ceil(1.03 * (high - begin) / exact / tissue.params.step),
                                   error));
    time = array_new(tissue.mesh.nodes, sizeof *time, "the activation map", &status, error);
    if (status)
        goto done;
    int map = monodomain_find(tissue.sim, "activation_time");
    TRY_DONE(monodomain_get(tissue.sim, map, time, error));
    *relative = fit_speed(&tissue.mesh, &frame, time) / exact - 1;
done:
    free(time);
    verify_tissue_free(&tissue);
    return status;
}

static enum status front_case(struct verify *verify, int dimension, double lumping, double h,
                              struct error *error)
{
    double coarse = NAN, fine = NAN;
    TRY(speed_error(verify, dimension, 2 * h, lumping, &coarse, error));
    TRY(speed_error(verify, dimension, h, lumping, &fine, error));
    verify_case(verify, "%s, f = %g: error of the speed %.3g %% at %g mm, %.3g %% at %g mm",
                dimension == 2 ? "sheet" : "slab", lumping, 100 * coarse, 2 * h, 100 * fine, h);
    verify_interval(verify, "speed extrapolated to h = 0, error in %", 100 * (fine + (fine - coarse) / 3),
                    -0.02, 0.02);
    return STATUS_OK;
}

enum status verify_front(struct verify *verify, struct error *error)
{
    double h = verify->extent == EXTENT_QUICK ? 0.2 : 0.1;
    for (int half = 0; half < 2; half++)
        TRY(front_case(verify, 2, half ? 0.5 : 1, h, error));
    for (int half = 0; half < 2; half++)
        TRY(front_case(verify, 3, half ? 0.5 : 1, h, error));
    return STATUS_OK;
}

/* c = sqrt(k D / 2) (1 - 2 a): checks the speed c for a D, and D for a speed */
enum status verify_speed(struct verify *verify, struct error *error)
{
    const double size[3] = {1, 1, 1}, speed = 0.4;
    double exact = sqrt(rate / 2) * (1 - 2 * threshold), diffusion = NAN;
    struct verify_tissue tissue;
    struct queue *queue = NULL;
    enum status status;
    TRY_DONE(verify_tissue_make(&tissue, 1, size, 0.5, "huxley", error));
    verify_tissue_parameter(&tissue, "k", rate * verify_diffusion(verify));
    verify_tissue_parameter(&tissue, "a", threshold);
    tissue.region.parameter = tissue.parameter;
    tissue.params.splitting = SPLITTING_STAGGERED;
    tissue.params.tolerance = 1e-7;
    TRY_DONE(queue_new(&queue, backend_find("cpu", error), 1, error));
    struct front front = {.params = &tissue.params, .region = &tissue.region, .queue = queue};
    TRY_DONE(front_fine(&front, error));
    diffusion = speed / front.speed.fine * (speed / front.speed.fine);
    double known = speed / exact * (speed / exact);
    verify_case(verify, "Huxley's front on cables: %.6f sqrt(D / ms), exactly %.6f", front.speed.fine, exact);
    verify_interval(verify, "speed, error in %", 100 * (front.speed.fine / exact - 1), -0.02, 0.02);
    verify_interval(verify, "diffusion of 0.4 m/s, error in %", 100 * (diffusion / known - 1), -0.04, 0.04);
done:
    queue_free(queue);
    verify_tissue_free(&tissue);
    return status;
}
