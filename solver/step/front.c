/* front.c: measures the velocity of a front by simulating a cable. */
#include "solver/step/front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "solver/mesh/generate.h"
#include "solver/scheme.h"
#include "solver/step/monodomain.h"

/* Nodes of a cable: 0 .. excited - 1 are excited at the start; a front is timed between nodes `from` and `to`
 */
struct cable {
    int excited, from, to, nodes;
    double edge; /* of D = 1 */
    double most; /* ms */
};

static const char what[] = "a cable";
static const double highest_threshold = 0; /* mV, highest activation threshold on a cable */

bool front_staged(const struct monodomain_params *params)
{
    return scheme_may(params, METHOD_RKL2);
}

struct region front_region(const struct front *front, const double diffusion[3])
{
    const struct region *from = front->region;
    struct region region = {.model = from->model, .parameter = from->parameter, .initial = from->initial};
    for (int k = 0; k < 3; k++)
        region.diffusion[k] = diffusion[k];
    region.isotropic = diffusion[0] == diffusion[1] && diffusion[1] == diffusion[2];
    return region;
}

struct monodomain_params front_params(const struct front *front, const struct region *region,
                                      const int32_t *element_region)
{
    struct monodomain_params params = *front->params;
    params.method = front_staged(&params) ? METHOD_RKL2 : METHOD_AUTO;
    params.sweeps_alone = true;
    params.max_sweeps = params.max_sweeps > 10000 ? params.max_sweeps : 10000;
    params.precision = PRECISION_DOUBLE;
    params.activation_thresholds = NULL;
    params.activation_threshold =
        fmin(params.activation_threshold, highest_threshold); /* cells rise above FRONT_START */
    params.activation_rearm = params.activation_threshold;
    params.activation_beats = 1;
    params.activation_slots = 0;
    params.maps = (struct params_maps){0};
    params.doublings = 0;
    params.region = region;
    params.regions = 1;
    params.element_region = element_region;
    params.node_region = NULL;
    params.fiber = NULL;
    params.stimuli = 0;
    return params;
}

/* time[nodes] <- activation times at the moment when node cable->to is activated; NaN there if the front
 * blocks */
static enum status step_cable(struct monodomain *sim, const struct cable *cable, double start, double *time,
                              struct error *error)
{
    enum { STEPS = 64 };
    int map = monodomain_find(sim, "activation_time");
    TRY(monodomain_voltage(sim, time, error));
    for (int i = 0; i < cable->excited; i++)
        time[i] = start;
    TRY(monodomain_set(sim, 0, time, error));
    do {
        TRY(cancel_check(error));
        TRY(monodomain_advance(sim, STEPS, error));
        TRY(monodomain_get(sim, map, time, error));
    } while (isnan(time[cable->to]) && monodomain_time(sim) < cable->most);
    return STATUS_OK;
}

/* *speed <- velocity on the cable for D = 1; 0 if the front blocks before its end */
static enum status cable_speed(const struct front *front, const struct cable *cable, double *speed,
                               struct error *error)
{
    struct mesh mesh = {0};
    struct monodomain *sim = NULL;
    struct region region = front_region(front, (const double[3]){1, 1, 1});
    enum status status = STATUS_OK;
    *speed = 0;
    int32_t *element_region = array_zeroed(cable->nodes, sizeof *element_region, what, &status, error);
    double *time = array_new(cable->nodes, sizeof *time, what, &status, error);
    const struct monodomain_params params = front_params(front, &region, element_region);
    TRY_DONE(status);
    TRY_DONE(mesh_cable(&mesh, (cable->nodes - 1) * cable->edge, cable->edge, error));
    TRY_DONE(monodomain_create(&sim, &mesh, &params, front->queue, error));
    TRY_DONE(step_cable(sim, cable, FRONT_START, time, error));
    if (!isnan(time[cable->to]))
        *speed = (cable->to - cable->from) * cable->edge / (time[cable->to] - time[cable->from]);
done:
    monodomain_free(sim);
    mesh_free(&mesh);
    free(element_region);
    free(time);
    return status;
}

/* A cable for fronts of about this speed, with lengths in units of 1 / speed, the distance over which V rises
 * ahead of the front */
static struct cable cable_for(double speed, double edge, double slowest)
{
    double width = 1 / (speed * edge);
    struct cable cable = {.edge = edge};
    cable.excited = 1 + (int)fmax(ceil(8 * width), 3);
    cable.from = cable.excited + (int)fmax(ceil(16 * width), 6);
    cable.to = cable.from + (int)fmax(ceil(24 * width), 8);
    cable.nodes = cable.to + 1 + (int)fmax(ceil(6 * width), 3);
    cable.most = (cable.to - cable.excited) * edge / slowest;
    return cable;
}

double front_enough(const struct front_speed *speed)
{
    return sqrt(FRONT_TOLERANCE / fabs(speed->bend));
}

/* *speed <- velocity in the region's initial state */
static enum status find_fine(struct front_speed *speed, const struct front *front, struct error *error)
{
    const double guess = 2; /* (mm^2/ms)^(1/2) / mm: about that of a ventricle's cells */
    double rough = guess, coarse = NAN, fine = NAN;
    for (int pass = 0; pass < 3; pass++) {
        double measure = rough;
        struct cable cable = cable_for(measure, 0.5 / measure, measure / 20);
        TRY(cable_speed(front, &cable, &rough, error));
        if (!(rough > 0) || (rough > measure / 2 && rough < 2 * measure))
            break;
    }
    *speed = (struct front_speed){.fine = rough};
    if (!(rough > 0))
        return STATUS_OK;
    double edge = 0.2 / rough;
    struct cable two = cable_for(rough, 2 * edge, rough / 4), one = cable_for(rough, edge, rough / 4);
    TRY(cable_speed(front, &two, &coarse, error));
    TRY(cable_speed(front, &one, &fine, error));
    speed->fine = fine + (fine - coarse) / 3;
    speed->bend = (speed->fine - coarse) / speed->fine / (4 * edge * edge);
    return STATUS_OK;
}

bool front_is_lifted(const struct region *region)
{
    return region->initial && region->initial[0] >= params_rearm(highest_threshold, region->model->v_initial);
}

enum status front_fine(struct front *front, struct error *error)
{
    front->speed = (struct front_speed){0};
    if (!front_is_lifted(front->region))
        TRY(find_fine(&front->speed, front, error));
    struct front_speed rested = front->speed;
    if (!(rested.fine > 0) && front->region->initial) {
        struct region region = *front->region;
        const struct front at_rest = {.params = front->params, .region = &region, .queue = front->queue};
        region.initial = NULL;
        TRY(find_fine(&rested, &at_rest, error));
    }
    front->speed.rest = rested.fine;
    return STATUS_OK;
}
