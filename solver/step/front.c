/* front.c: the speed of a front by stepping a cable, and the diffusion for a given speed by iteration. */
#include "solver/step/front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/generate.h"
#include "solver/step/monodomain.h"

/* Nodes of a cable: 0 .. excited - 1 are excited at the start; a front is timed between nodes `from` and `to`
 */
struct cable {
    int excited, from, to, nodes;
    double edge;     /* of D = 1 */
    double most;     /* ms */
    double patience; /* ms from one node to the next, or over the length of a front */
};

static const double above = 20; /* mV above 0 and the threshold: V of the excited nodes */
static const char what[] = "a cable";

/* The params in fp64, without options that matter only on larger meshes */
static struct monodomain_params cable_params(const struct front *front, const struct region *region,
                                             const int32_t *element_region)
{
    struct monodomain_params params = *front->params;
    params.method = params.method == METHOD_RKL2 ? METHOD_RKL2 : METHOD_AUTO;
    params.max_sweeps = params.max_sweeps > 10000 ? params.max_sweeps : 10000;
    params.precision = PRECISION_DOUBLE;
    params.doublings = 0;
    params.update = UPDATE_HYBRID;
    params.activation = ACTIVATION_THRESHOLD;
    params.activation_beats = 1;
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

/* Whether the front has stopped: no node was reached within the cable's patience. *reached <- its last node +
 * 1 */
static bool has_stopped(const struct cable *cable, const double *time, double now, int *reached)
{
    while (*reached < cable->to && !isnan(time[*reached]))
        ++*reached;
    double last = *reached > cable->excited ? time[*reached - 1] : 0;
    return now >= cable->most || now - last > cable->patience;
}

/* time[nodes] <- the activation times when node cable->to is activated; NaN where the front has blocked.
 * *left is reduced by the node steps, and stepping ends when it is exhausted. */
static enum status step_cable(struct monodomain *sim, const struct cable *cable, double start, double *time,
                              double *left, struct error *error)
{
    enum { STEPS = 64 };
    int map = 0, reached = cable->excited;
    TRY(monodomain_voltage(sim, time, error));
    for (int i = 0; i < cable->excited; i++)
        time[i] = start;
    TRY(monodomain_set(sim, 0, time, error));
    while (strcmp(monodomain_variable(sim, map)->name, "activation_time") != 0)
        map++;
    do {
        TRY(monodomain_advance(sim, STEPS, error));
        TRY(monodomain_get(sim, map, time, error));
        *left -= (double)STEPS * cable->nodes;
    } while (*left > 0 && isnan(time[cable->to]) &&
             !has_stopped(cable, time, monodomain_time(sim), &reached));
    return STATUS_OK;
}

/* *speed <- over the cable, D = 1; 0 if the front blocks before its end */
static enum status cable_speed(const struct front *front, const struct cable *cable, double *speed,
                               struct error *error)
{
    struct mesh mesh = {0};
    struct monodomain *sim = NULL;
    struct region region = *front->region;
    enum status status = STATUS_OK;
    double any = HUGE_VAL, *left = front->left ? front->left : &any;
    *speed = NAN;
    if (!(*left > 0))
        return STATUS_OK;
    for (int k = 0; k < 3; k++)
        region.diffusion[k] = 1;
    region.isotropic = 1;
    region.scale = NULL;
    region.fields = 0; /* of the tissue's nodes */
    int32_t *element_region = array_zeroed(cable->nodes, sizeof *element_region, what, &status, error);
    double *time = array_new(cable->nodes, sizeof *time, what, &status, error);
    const struct monodomain_params params = cable_params(front, &region, element_region);
    TRY_DONE(status);
    TRY_DONE(mesh_cable(&mesh, (cable->nodes - 1) * cable->edge, cable->edge, error));
    TRY_DONE(monodomain_create(&sim, &mesh, &params, front->queue, error));
    TRY_DONE(step_cable(sim, cable, fmax(params.activation_threshold, 0) + above, time, left, error));
    if (!isnan(time[cable->to]))
        *speed = (cable->to - cable->from) * cable->edge / (time[cable->to] - time[cable->from]);
    else if (*left > 0)
        *speed = 0;
done:
    monodomain_free(sim);
    mesh_free(&mesh);
    free(element_region);
    free(time);
    return status;
}

/* A cable for fronts of about this speed, its lengths in units of 1 / speed, over which V rises ahead of the
 * front */
static struct cable cable_for(double speed, double edge, double slowest)
{
    double unit = 1 / (speed * edge);
    struct cable cable = {.edge = edge};
    cable.excited = 1 + (int)fmax(ceil(8 * unit), 3);
    cable.from = cable.excited + (int)fmax(ceil(16 * unit), 6);
    cable.to = cable.from + (int)fmax(ceil(24 * unit), 8);
    cable.nodes = cable.to + 1 + (int)fmax(ceil(6 * unit), 3);
    cable.most = (cable.to - cable.excited) * edge / slowest;
    cable.patience = cable.most;
    return cable;
}

enum status front_fine(struct front *front, struct error *error)
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
    front->fine = rough;
    front->bend = 0;
    if (!(rough > 0))
        return STATUS_OK;
    double edge = 0.2 / rough;
    struct cable two = cable_for(rough, 2 * edge, rough / 4), one = cable_for(rough, edge, rough / 4);
    TRY(cable_speed(front, &two, &coarse, error));
    TRY(cable_speed(front, &one, &fine, error));
    front->fine = fine + (fine - coarse) / 3;
    front->bend = (front->fine - coarse) / front->fine / (4 * edge * edge);
    return STATUS_OK;
}

enum status front_speed(const struct front *front, double edge, double *speed, struct error *error)
{
    if (edge * front->fine < 0.2) {
        *speed = front->fine * (1 - front->bend * edge * edge);
        return STATUS_OK;
    }
    if (edge * front->fine > FRONT_BLOCKS) {
        *speed = 0;
        return STATUS_OK;
    }
    struct cable cable = cable_for(front->fine, edge, front->fine / 10);
    cable.patience = fmax(edge, 4 / front->fine) / (front->fine / 10);
    return cable_speed(front, &cable, speed, error);
}

/* log D of the fastest front that is too slow or blocks, and of the slowest that is too fast; their speeds */
struct bracket {
    double low, high, slow, fast;
};

static enum status no_diffusion(const struct bracket *bracket, double c, double h, struct error *error)
{
    char slow[60] = "blocks";
    if (bracket->slow > 0)
        snprintf(slow, sizeof slow, "runs at %.4g m/s", bracket->slow);
    return error_set(
        error, STATUS_RUN,
        "no diffusion gives %.4g m/s on edges of %.3g mm: a front %s with %.3g mm^2/ms and runs at "
        "%.3g m/s with slightly more; use finer edges",
        c, h, slow, exp(bracket->low), bracket->fast);
}

enum status front_diffusion(const struct front *front, double c, double h, double *diffusion,
                            struct error *error)
{
    enum { MOST = 40 };
    const double near = 1e-3, step = log(1.5);
    struct bracket bracket = {-HUGE_VAL, HUGE_VAL, 0, HUGE_VAL};
    double last = 0, slope = 2, miss = NAN; /* d log D / d log c */
    if (!(front->fine > 0))
        return error_set(error, STATUS_INPUT, "no front travels in %s", front->region->model->name);
    double d = 2 * log(c / front->fine), last_d = d;
    for (int pass = 0; pass < MOST && h > 0; pass++) {
        double root = exp(d / 2), speed;
        TRY(front_speed(front, h / root, &speed, error));
        if (isnan(speed))
            break;
        miss = speed > 0 ? log(c) - log(root * speed) : step;
        if (fabs(miss) < near)
            break;
        if (miss < 0)
            bracket.high = d, bracket.fast = root * speed;
        else
            bracket.low = d, bracket.slow = root * speed;
        if (bracket.high - bracket.low < near)
            return no_diffusion(&bracket, c, h, error);
        if (speed > 0 && last != 0 && fabs(last - miss) > 1e-6)
            slope = fmin(fmax((d - last_d) / (last - miss), 0.25), 4);
        last = speed > 0 ? miss : 0;
        last_d = d;
        d += speed > 0 ? slope * miss : step;
        if (!(d > bracket.low && d < bracket.high))
            d = (bracket.low + bracket.high) / 2;
    }
    if (h > 0 && !(fabs(miss) < near))
        return error_set(error, STATUS_RUN,
                         "found no diffusion for %.4g m/s on edges of %.3g mm in %d fronts or in the steps "
                         "allowed; use finer edges",
                         c, h, MOST);
    *diffusion = exp(d);
    return STATUS_OK;
}
