/* velocity.c: cables of every region, and words for what they say. */
#include "app/run/velocity.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/device/backend.h"

static const char what[] = "the velocities";

static bool same_values(const double *a, const double *b, int count)
{
    return a == b || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

/* Whether fronts run alike in both, whatever their conductivities */
static bool same_cells(const struct region *a, const struct region *b)
{
    return a->model == b->model && same_values(a->parameter, b->parameter, a->model->parameters) &&
           same_values(a->initial, b->initial, 1 + a->model->states);
}

/* A fifth of what there was at first, so that a slow front leaves something to the others */
static double take_share(struct velocities *velocities, double most)
{
    velocities->share = fmin(velocities->left, most / 5);
    return velocities->share;
}

static void give_back(struct velocities *velocities, double taken)
{
    velocities->left -= isinf(taken) ? 0 : taken - fmax(velocities->share, 0);
}

enum status velocities_create(struct velocities *to, const struct config *config,
                              const struct monodomain_params *params, double most, struct error *error)
{
    enum status status = STATUS_OK;
    *to = (struct velocities){.config = config, .params = params, .left = most};
    const struct backend *backend = backend_find("cpu", error);
    if (!backend)
        return STATUS_INPUT;
    to->front = array_zeroed(config->tissue.regions, sizeof *to->front, what, &status, error);
    TRY(queue_new(&to->queue, backend, 1, error));
    TRY(user_model_load(config->models, to->queue, config_way(config), error));
    for (int r = 0; r < config->tissue.regions && !status; r++) {
        struct front *front = &to->front[r];
        int twin = 0;
        while (!same_cells(&params->region[twin], &params->region[r]))
            twin++;
        *front = (struct front){
            .params = params, .region = &params->region[r], .queue = to->queue, .left = &to->share};
        front->fine = to->front[twin].fine;
        front->bend = to->front[twin].bend;
        double taken = take_share(to, most);
        if (twin == r)
            status = front_fine(front, error);
        give_back(to, taken);
    }
    return status;
}

void velocities_free(struct velocities *velocities)
{
    queue_free(velocities->queue);
    free(velocities->front);
    *velocities = (struct velocities){0};
}

enum status velocity_measure(struct velocity *velocity, const struct velocities *velocities, int r,
                             const struct spacing *spacing, struct error *error)
{
    const struct front *front = &velocities->front[r];
    enum status status = STATUS_OK;
    velocity->spacing = *spacing;
    for (int k = 0; k < 3; k++) {
        double root = sqrt(spacing->diffusion[k]), speed = front->fine;
        velocity->fine[k] = root * front->fine;
        velocity->enough[k] = root * sqrt(0.05 / front->bend);
        if (isnan(spacing->edge[k]))
            speed = NAN;
        else if (front->fine > 0)
            TRY(front_speed(front, spacing->edge[k] / root, &speed, error));
        velocity->here[k] = root * speed;
    }
    return status;
}

static const char *const axis_names[] = {"longitudinal", "transverse", "normal"};

/* diffusion[k] <- of speed[k] on these edges; where both are as before, or as along the axis before, it is
 * too */
static enum status tune_axis(double diffusion[3], const struct velocities *velocities, int r, int k,
                             const double speed[3], const double edge[3], double before, FILE *progress,
                             struct error *error)
{
    struct error inner = {0};
    if (fabs(edge[k] - before) < 1e-9 * before)
        return STATUS_OK;
    if (k > 0 && edge[k] == edge[k - 1] && speed[k] == speed[k - 1]) {
        diffusion[k] = diffusion[k - 1];
        return STATUS_OK;
    }
    fprintf(progress, "region %d %s: %.4g m/s on edges of %.3g mm\n", r, axis_names[k], speed[k], edge[k]);
    fflush(progress);
    enum status status = front_diffusion(&velocities->front[r], speed[k], edge[k], &diffusion[k], &inner);
    return status ? error_set(error, status, "region %d %s: %s", r, axis_names[k], inner.text) : STATUS_OK;
}

/* The edges depend a little on the diffusions' ratio, and are taken anew twice. */
enum status velocity_tune(double diffusion[3], const struct velocities *velocities, int r,
                          const double speed[3], const struct mesh *mesh, FILE *progress, struct error *error)
{
    const struct monodomain_params *params = velocities->params;
    const struct region *own = &params->region[r];
    enum status status = STATUS_OK;
    struct region *region = array_new(params->regions, sizeof *region, what, &status, error);
    struct spacing *spacing = array_zeroed(params->regions, sizeof *spacing, what, &status, error);
    const struct tensors tensors = {mesh, region, params->element_region, params->fiber};
    double before[3] = {NAN, NAN, NAN};
    if (!status)
        memcpy(region, params->region, (size_t)params->regions * sizeof *region);
    for (int pass = 0; pass < 3 && !status; pass++) {
        status = spacing_make(spacing, &tensors, params->regions, error);
        for (int k = 0; k < 3 && !status; k++) {
            const double *edge = spacing[r].edge;
            if (isnan(spacing[r].diffusion[k]))
                diffusion[k] = own->diffusion[k];
            else if (isnan(edge[k]) || !(speed[k] > 0))
                diffusion[k] = NAN;
            else
                status = tune_axis(diffusion, velocities, r, k, speed, edge, before[k], progress, error);
            before[k] = edge[k];
        }
        for (int k = 0; k < 3; k++)
            region[r].diffusion[k] = isnan(diffusion[k]) ? own->diffusion[k] : diffusion[k];
    }
    free(region);
    free(spacing);
    return status;
}

/* Names of the directions of a region */
static const char *const *directions(const struct region *region)
{
    static const char *const all[] = {"in every direction", NULL, NULL};
    static const char *const fibers[] = {"along the fibres", "across the fibres", NULL};
    static const char *const sheets[] = {"along the fibres", "across them in the sheet", "across the sheets"};
    return region->isotropic ? all : region->diffusion[1] == region->diffusion[2] ? fibers : sheets;
}

/* One line of text; NULL: nowhere */
static void print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (file)
        vfprintf(file, format, arguments);
    va_end(arguments);
}

static void say(FILE *file, FILE *warnings, const struct velocity *v, int k, int r, const char *direction)
{
    double lost = 1 - v->here[k] / v->fine[k], edge = v->spacing.edge[k];
    print(file, "front in region %d %s: %.3g m/s", r, direction, v->fine[k]);
    if (v->here[k] > 0)
        print(file, ", %.3g m/s on this mesh (%+.2g %%; edges of %.3g mm)\n", v->here[k], -100 * lost, edge);
    else
        print(file, "; on this mesh it blocks (edges of %.3g mm)\n", edge);
    if (!(lost > 0.05))
        return;
    fprintf(warnings, "tissue.regions[%d]: ", r);
    if (v->here[k] > 0)
        fprintf(warnings, "%sa front %s runs %.2g %% slower on this mesh than on a fine one",
                lost > 0.2 ? "too coarse: " : "", direction, 100 * lost);
    else
        fprintf(warnings, "too coarse: a front %s blocks on this mesh", direction);
    fprintf(warnings, "; its edges are %.3g mm there, %.2g mm lose 5 %%\n", edge, v->enough[k]);
}

static void say_region(FILE *file, FILE *warnings, const struct velocity *v, const struct velocities *of,
                       int r)
{
    const struct region *region = &of->params->region[r];
    const char *const *direction = directions(region);
    if (of->front[r].fine == 0)
        print(file, "front in region %d: none travels in %s\n", r, region->model->name);
    else if (isnan(of->front[r].fine))
        print(file, "front in region %d: not measured, it would take long\n", r);
    for (int k = 0; k < 3 && direction[k] && of->front[r].fine > 0; k++) {
        if (isnan(v->here[k]) && !isnan(v->fine[k]))
            print(file, "front in region %d %s: %.3g m/s; on this mesh not known, %s\n", r, direction[k],
                  v->fine[k],
                  isnan(v->spacing.edge[k]) ? "whose elements lie skew to the fibres" : "it would take long");
        else if (!isnan(v->here[k]))
            say(file, warnings, v, k, r, direction[k]);
    }
}

enum status velocity_describe(FILE *file, FILE *warnings, const struct config *config,
                              const struct mesh *mesh, const struct monodomain_params *params, double most,
                              struct error *error)
{
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    struct velocities velocities;
    struct velocity velocity;
    enum status status = STATUS_OK;
    struct spacing *spacing = array_zeroed(params->regions, sizeof *spacing, what, &status, error);
    TRY(spacing_make(spacing, &tensors, params->regions, error));
    if (status)
        goto done;
    status = velocities_create(&velocities, config, params, most, error);
    for (int r = 0; r < params->regions && !status; r++) {
        double taken = take_share(&velocities, most);
        status = velocity_measure(&velocity, &velocities, r, &spacing[r], error);
        give_back(&velocities, taken);
        if (!status)
            say_region(file, warnings, &velocity, &velocities, r);
    }
    velocities_free(&velocities);
done:
    free(spacing);
    return status;
}
