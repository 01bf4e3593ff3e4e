/* velocity.c: measure fronts on cables and upstrokes in cells, and describe them. */
#include "app/problem/velocity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/device/backend.h"

static const char what[] = "the velocities";
static const double velocity_kept = 0.05; /* the part of its speed that a front may lose without a word */

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
    if (status)
        return status;
    TRY(queue_new(&to->queue, backend, 1, error));
    TRY(user_model_load(config->models, to->queue, config_way(config), error));
    for (int r = 0; r < config->tissue.regions && !status; r++) {
        struct front *front = &to->front[r];
        int earlier = 0;
        while (!same_cells(&params->region[earlier], &params->region[r]))
            earlier++;
        *front = (struct front){
            .params = params, .region = &params->region[r], .queue = to->queue, .left = &to->share};
        front->fine = to->front[earlier].fine;
        front->bend = to->front[earlier].bend;
        double taken = take_share(to, most);
        if (earlier == r)
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
    velocity->spacing = *spacing;
    for (int k = 0; k < 3; k++) {
        double root = sqrt(spacing->diffusion[k]), speed = front->fine;
        velocity->fine[k] = root * front->fine;
        velocity->enough[k] = root * sqrt(velocity_kept / front->bend);
        if (isnan(spacing->edge[k]))
            speed = NAN;
        else if (front->fine > 0)
            TRY(front_speed(front, spacing->edge[k] / root, &speed, error));
        velocity->here[k] = root * speed;
    }
    return STATUS_OK;
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

/* *upstroke <- of the region's cells, in the steps that they take in tissue */
static enum status find_upstroke(struct upstroke *upstroke, const struct config *config,
                                 const struct region *region, struct error *error)
{
    const struct monodomain_params *physics = &config->physics;
    const struct ionic_model *model = region->model;
    const struct source_way way = config_way(config);
    double part = physics->splitting == SPLITTING_STRANG ? physics->step / 2 : physics->step;
    enum status status = STATUS_OK;
    struct single_cell cell = {0};
    double *rest = array_new(single_cell_values(model), sizeof *rest, what, &status, error);
    double *parameter = array_new(model->parameters, sizeof *parameter, what, &status, error);
    if (status)
        goto done;
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = region->parameter ? region->parameter[k] : model->parameter[k].value;
    TRY_DONE(single_cell_new(&cell, model, parameter, way, part / physics->ionic_substeps, error));
    TRY_DONE(user_model_load(config->models, cell.queue, way, error));
    single_cell_rest(rest, model);
    upstroke_find(upstroke, &cell, region->initial ? region->initial : rest);
done:
    single_cell_free(&cell);
    free(parameter);
    free(rest);
    return status;
}

enum status velocity_upstrokes(struct upstroke *upstroke, const struct config *config,
                               const struct monodomain_params *params, struct error *error)
{
    enum status status = STATUS_OK;
    for (int r = 0; r < params->regions && !status; r++) {
        int earlier = 0;
        while (!same_cells(&params->region[earlier], &params->region[r]))
            earlier++;
        upstroke[r] = upstroke[earlier];
        if (earlier == r)
            status = find_upstroke(&upstroke[r], config, &params->region[r], error);
    }
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

/* What the cables did not measure of v <- from the cells' upstroke */
static void estimate(struct velocity *v, const struct upstroke *upstroke, double lumping)
{
    for (int k = 0; k < 3; k++) {
        double unit = sqrt(v->spacing.diffusion[k]) / upstroke->speed; /* D / c, mm */
        v->width[k] = upstroke->width * unit;
        v->measured[k] = v->fine[k] > 0 && !isnan(v->here[k]);
        v->skew[k] = false;
        if (v->measured[k]) {
            v->lost[k] = 1 - v->here[k] / v->fine[k];
            continue;
        }
        v->skew[k] = isnan(v->spacing.edge[k]);
        double edge = v->skew[k] ? v->spacing.longest[k] : v->spacing.edge[k];
        v->lost[k] = upstroke->speed > 0 ? upstroke_lost(upstroke, edge / unit, lumping) : NAN;
        v->enough[k] = unit * upstroke_enough(upstroke, velocity_kept, lumping);
    }
}

static void warn(FILE *warnings, const struct velocity *v, int k, int r, const char *direction)
{
    const double coarse = 0.2, none = 0.9;
    double lost = v->lost[k], edge = v->skew[k] ? v->spacing.longest[k] : v->spacing.edge[k];
    if (!(fabs(lost) > velocity_kept))
        return;
    fprintf(warnings, "tissue.regions[%d]: %sa front %s ", r,
            lost > coarse && !v->skew[k] ? "too coarse: " : "", direction);
    if (v->skew[k])
        fputs("runs on this mesh at a speed that is not known, or blocks, since elements lie skew to the "
              "fibres",
              warnings);
    else if (lost > none)
        fputs("blocks on this mesh", warnings);
    else
        fprintf(warnings, "runs %s%.2g %% %s on this mesh than on a fine one%s",
                v->measured[k] ? "" : "about ", 100 * fabs(lost), lost > 0 ? "slower" : "faster",
                lost > coarse && !v->measured[k] ? ", or blocks (cardiac check measures it)" : "");
    fprintf(warnings, ": it is %.2g mm wide and edges are %s%.3g mm there; to stay within %g %%, use ",
            v->width[k], v->skew[k] ? "up to " : "", edge, 100 * velocity_kept);
    if (v->enough[k] > 0)
        fprintf(warnings, "%.2g mm\n", v->enough[k]);
    else
        fputs("finer ones\n", warnings);
}

static void say(FILE *file, const struct velocity *v, int k, int r, const char *direction)
{
    fprintf(file, "front in region %d %s: %.3g m/s", r, direction, v->fine[k]);
    if (v->here[k] > 0)
        fprintf(file, ", %.3g m/s on this mesh (%+.2g %%; edges of %.3g mm)\n", v->here[k], -100 * v->lost[k],
                v->spacing.edge[k]);
    else
        fprintf(file, "; on this mesh it blocks (edges of %.3g mm)\n", v->spacing.edge[k]);
}

static void print_region(FILE *file, const struct velocity *v, const struct velocities *of, int r)
{
    const struct region *region = &of->params->region[r];
    const char *const *direction = directions(region);
    if (of->front[r].fine == 0)
        fprintf(file, "front in region %d: none travels in %s\n", r, region->model->name);
    else if (isnan(of->front[r].fine))
        fprintf(file, "front in region %d: not measured, it would take long\n", r);
    for (int k = 0; k < 3 && direction[k] && of->front[r].fine > 0; k++) {
        if (isnan(v->here[k]) && !isnan(v->fine[k]))
            fprintf(file, "front in region %d %s: %.3g m/s; on this mesh not known, %s\n", r, direction[k],
                    v->fine[k],
                    isnan(v->spacing.edge[k]) ? "whose elements lie skew to the fibres"
                                              : "it would take long");
        else if (!isnan(v->here[k]))
            say(file, v, k, r, direction[k]);
    }
}

static void warn_region(FILE *warnings, struct velocity *v, const struct upstroke *upstroke,
                        const struct monodomain_params *params, int r)
{
    const char *const *direction = directions(&params->region[r]);
    estimate(v, upstroke, params->mass_lumping);
    for (int k = 0; k < 3 && direction[k]; k++)
        warn(warnings, v, k, r, direction[k]);
}

static enum status find_spacing(struct spacing **spacing, const struct mesh *mesh,
                                const struct monodomain_params *params, struct error *error)
{
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    enum status status = STATUS_OK;
    *spacing = array_zeroed(params->regions, sizeof **spacing, what, &status, error);
    return status ? status : spacing_make(*spacing, &tensors, params->regions, error);
}

enum status velocity_warn(FILE *warnings, const struct upstroke *upstroke, const struct mesh *mesh,
                          const struct monodomain_params *params, struct error *error)
{
    struct spacing *spacing;
    enum status status = find_spacing(&spacing, mesh, params, error);
    for (int r = 0; r < params->regions && !status; r++) {
        struct velocity velocity = {.here = {NAN, NAN, NAN}, .spacing = spacing[r]};
        warn_region(warnings, &velocity, &upstroke[r], params, r);
    }
    free(spacing);
    return status;
}

enum status velocity_describe(FILE *file, FILE *warnings, const struct config *config,
                              const struct mesh *mesh, const struct monodomain_params *params,
                              struct error *error)
{
    struct velocities velocities = {0};
    struct velocity velocity;
    struct spacing *spacing = NULL;
    enum status status = STATUS_OK;
    struct upstroke *upstroke = array_zeroed(params->regions, sizeof *upstroke, what, &status, error);
    if (status)
        goto done;
    TRY_DONE(find_spacing(&spacing, mesh, params, error));
    TRY_DONE(velocity_upstrokes(upstroke, config, params, error));
    TRY_DONE(velocities_create(&velocities, config, params, VELOCITY_WORK, error));
    for (int r = 0; r < params->regions; r++) {
        double taken = take_share(&velocities, VELOCITY_WORK);
        TRY_DONE(velocity_measure(&velocity, &velocities, r, &spacing[r], error));
        give_back(&velocities, taken);
        warn_region(warnings, &velocity, &upstroke[r], params, r);
        print_region(file, &velocity, &velocities, r);
    }
done:
    velocities_free(&velocities);
    free(upstroke);
    free(spacing);
    return status;
}
