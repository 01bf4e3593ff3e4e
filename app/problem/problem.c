/* problem.c: resolve a config's regions, stimuli and probes on its mesh. */
#include "app/problem/problem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "app/meshio/mesh_report.h"
#include "app/problem/selection.h"
#include "app/problem/torso.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"
#include "solver/matrix/tensor.h"
#include "solver/cells/stimulus.h"

/* problem->region[] <- D = sigma / (chi Cm) in mm^2/ms, cross-sections and models. Units: sigma in S/m = mS/mm, chi
 * in 1/mm, Cm in uF/mm^2, and mS/uF = 1/ms. */
static void make_regions(struct problem *problem, const struct config *config)
{
    const double chi = config->tissue.surface_to_volume, capacitance = config->tissue.capacitance;
    const double pi = 3.14159265358979323846;
    for (int r = 0; r < config->tissue.regions; r++) {
        struct region *region = problem->region + r;
        const struct config_region *from = &config->tissue.region[r];
        double sigma[3], speed[3],
            per_diffusion = config_surface_to_volume(&config->tissue, from) * capacitance;
        region->section[1] = pi * from->radius * from->radius;
        region->section[2] = from->thickness;
        region->membrane = from->surface_to_volume / chi;
        region->resistor = config_is_resistor(from);
        region->conductance = from->conductance / (chi * capacitance);
        for (int d = 1; d < 3; d++)
            region->section[d] = isnan(region->section[d]) ? 0 : region->section[d];
        region->membrane = isnan(region->membrane) ? 0 : region->membrane;
        region->isotropic = config_conductivity(sigma, config->tissue.region + r);
        region->model = config->tissue.region[r].model;
        region->varied = config->tissue.region[r].varied;
        region->parameter = config->tissue.region[r].parameter;
        region->initial = config->tissue.region[r].initial;
        bool later = config_velocity(speed, config->tissue.region +
                                                r); /* then only the ratios of D hold: see find_diffusions */
        for (int c = 0; c < 3; c++)
            region->diffusion[c] = later ? speed[c] * speed[c] : sigma[c] / per_diffusion;
    }
}

/* Diffusion of the regions that give velocities <- by velocity_find() */
static enum status find_diffusions(struct problem *problem, const struct config *config,
                                   struct faults *faults)
{
    struct error inner = {0};
    int bad = 0;
    if (velocity_find(problem->goal, config, &problem->params, &problem->mesh, &bad, &inner))
        return config_fault_found(faults, config, config_key("tissue.regions[%d].velocity", bad).text,
                                  &inner);
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct velocity_goal *goal = &problem->goal[r];
        const bool fine = config_velocity_fine(&config->tissue.region[r]);
        if (goal->given)
            memcpy(problem->region[r].diffusion, fine ? goal->fine : goal->mesh, sizeof goal->fine);
    }
    return STATUS_OK;
}

static enum status make_probes(struct problem *problem, const struct config *config, struct faults *faults)
{
    const struct config_output *output = &config->output;
    enum status status = STATUS_OK;
    problem->probe =
        array_zeroed(output->probes, sizeof *problem->probe, "the probes", &status, faults->error);
    if (status)
        return status;
    for (int p = 0; p < output->probes; p++) {
        struct error inner = {0};
        snprintf(problem->probe[p].name, sizeof problem->probe[p].name, "%s", output->probe[p].name);
        memcpy(problem->probe[p].point, output->probe[p].point, sizeof problem->probe[p].point);
        if (probes_locate(problem->probe + p, 1, &problem->mesh, &inner))
            FAULTS_TRY(config_fault_found(
                faults, config, config_key("output.probes.%s", output->probe[p].name).text, &inner));
    }
    return status;
}

/* Rounds time[] to whole steps; refuses stimuli before 0 ms. */
static enum status round_delays(double *time, int64_t count, double start, double step, struct error *error)
{
    for (int64_t k = 0; k < count; k++) {
        time[k] = floor(time[k] / step + 0.5) * step;
        if (start + time[k] < 0)
            return error_set(error, STATUS_INPUT,
                             "a node would be stimulated at %.10g ms, before the run starts",
                             start + time[k]);
    }
    return STATUS_OK;
}

/* to[] <- the nodes, weights and delays of stimulus s, for all its trains */
static enum status make_nodes(struct stimulus *to, struct volume *volume, const struct config *config, int s,
                              struct environment *environment, struct faults *faults)
{
    static const char *const shapes[] = {
        [STIMULUS_SHAPE_WHERE] = "where",   [STIMULUS_SHAPE_BOX] = "box",
        [STIMULUS_SHAPE_SPHERE] = "sphere", [STIMULUS_SHAPE_TAGS] = "tags",
        [STIMULUS_SHAPE_NODES] = "nodes",   [STIMULUS_SHAPE_DELAYS] = "delays"};
    const struct config_stimulus *from = config->stimulus + s;
    enum status status = STATUS_OK;
    struct error inner = {0};
    struct selection selection;
    const struct config_key key = config_key("stimuli[%d].%s", s, shapes[from->shape]);
    int at = -1;
    enum status selected = selection_make(&selection, from, environment, &at, &inner);
    if (!selected && selection.time)
        selected = round_delays(selection.time, selection.nodes, from->start, config->physics.step, &inner);
    if (selected)
        FAULTS_TRY(config_fault_within(faults, config, key.text, at, &inner));
    for (int k = 0; k < protocol_trains(from); k++) {
        to[k].node = selection.node;
        to[k].nodes = selection.nodes;
        to[k].delay = selection.time;
        to[k].weight = selection.weight;
    }
    *volume = selection.volume;
    return status;
}

/* Whether any pulse of the trains begins before the previous one has ended */
static bool overlaps_itself(const struct stimulus *train, int trains)
{
    for (int k = 0; k < trains; k++) {
        const struct stimulus *t = &train[k];
        double last = t->period + t->change * (double)(t->count - 2);
        if (t->count != 1 && fmin(t->period, t->count > 0 ? last : t->period) < t->duration)
            return true;
        if (k + 1 < trains && train[k + 1].start - stimulus_start(t, t->count - 1) < t->duration)
            return true;
    }
    return false;
}

static enum status make_pulse(struct stimulus *to, const struct config *config, int s, struct faults *faults)
{
    const struct config_stimulus *from = config->stimulus + s;
    int trains = protocol_trains(from);
    struct error inner = {0};
    double(*shape)[2];
    int points;
    enum status status = protocol_pulse(&shape, &points, from->pulse, config->inputs, &inner);
    for (int k = 0; k < trains; k++) {
        to[k].shape = (const double(*)[2])shape;
        to[k].shapes = points;
        to[k].duration = status ? 0 : shape[points - 1][0];
    }
    if (!status && overlaps_itself(to, trains))
        status = error_set(&inner, STATUS_INPUT, "%s: the pulse lasts %.10g ms, longer than an interval",
                           from->pulse, to->duration);
    return status ? config_fault_found(faults, config, config_key("stimuli[%d].pulse", s).text, &inner)
                  : STATUS_OK;
}

static enum status make_stimuli(struct problem *problem, const struct config *config,
                                struct environment *environment, struct faults *faults)
{
    enum status status = STATUS_OK;
    int trains = 0;
    for (int s = 0; s < config->stimuli; s++)
        trains += protocol_trains(config->stimulus + s);
    problem->stimulus =
        array_zeroed(trains, sizeof *problem->stimulus, "the stimuli", &status, faults->error);
    problem->stimulus_from =
        array_zeroed(trains, sizeof *problem->stimulus_from, "the stimuli", &status, faults->error);
    problem->stimulus_volume = array_zeroed(config->stimuli, sizeof *problem->stimulus_volume, "the stimuli",
                                            &status, faults->error);
    for (int s = 0; s < config->stimuli && (!status || status == STATUS_INPUT); s++) {
        struct stimulus *to = problem->stimulus + problem->stimuli;
        int count = protocol_trains(config->stimulus + s);
        protocol_times(to, config->stimulus + s);
        for (int k = 0; k < count; k++)
            problem->stimulus_from[problem->stimuli + k] = s;
        problem->stimuli += count;
        FAULTS_TRY(make_nodes(to, &problem->stimulus_volume[s], config, s, environment, faults));
        if (config->stimulus[s].pulse)
            FAULTS_TRY(make_pulse(to, config, s, faults));
    }
    return status;
}

/* Checks that anisotropic elements have fibres, and counts the fibres without effect. */
static enum status check_fibers(struct problem *problem, const struct config *config, struct faults *faults)
{
    const struct tensors tensors = {&problem->mesh, problem->region, problem->element_region,
                                    problem->params.fiber};
    struct error inner = {0};
    if (tensors_check(&tensors, &inner))
        return config_fault_found(faults, config, "tissue.fibers", &inner);
    problem->fibers_across = tensors_across(&tensors);
    return STATUS_OK;
}

/* Resolves the config's tissue on the mesh. */
static enum status make_tissue(struct problem *problem, const struct config *config,
                               struct problem_mesh *from, struct progress *progress, struct faults *faults)
{
    struct environment *environment = &from->environment;
    const int regions = config->tissue.regions;
    enum status status = STATUS_OK;
    problem->region = array_zeroed(regions, sizeof *problem->region, "the regions", &status, faults->error);
    problem->goal = array_zeroed(regions, sizeof *problem->goal, "the regions", &status, faults->error);
    problem->element_region = array_zeroed(problem->mesh.elements, sizeof *problem->element_region,
                                           "the regions", &status, faults->error);
    problem->thresholds =
        array_zeroed(regions, sizeof *problem->thresholds, "the regions", &status, faults->error);
    if (status)
        return status;
    make_regions(problem, config);
    for (int r = 0; r < regions; r++)
        config_thresholds(problem->thresholds[r], config, r, 0);
    problem->params = config->physics;
    if (isnan(problem->params.activation_threshold)) /* for fronts on cables */
        problem->params.activation_threshold = monodomain_params_default().activation_threshold;
    problem->params.activation_thresholds = (const double(*)[2])problem->thresholds;
    problem->params.region = problem->region;
    problem->params.regions = regions;
    problem->params.element_region = problem->element_region;
    problem->params.fiber = config->tissue.fibers == FIBERS_UNIFORM ? config->tissue.fiber : NULL;
    status = regions_assign(problem, config, environment, faults);
    problem->params.node_region = problem->node_region;
    if (!status)
        status = lines_check(problem, config, faults);
    if (!status)
        status = check_fibers(problem, config, faults);
    progress_stage(progress, "regions");
    FAULTS_TRY(make_stimuli(problem, config, environment, faults));
    progress_stage(progress, "stimuli");
    FAULTS_TRY(parameters_assign(problem, config, environment, faults));
    progress_stage(progress, "parameters");
    FAULTS_TRY(make_probes(problem, config, faults));
    if (!status)
        status = paced_assign(problem, config, environment, faults);
    if (!status)
        status = find_diffusions(problem, config, faults);
    progress_stage(progress, "velocities");
    if (!status)
        status = torso_create(problem, config, faults);
    progress_stage(progress, "conductor");
    problem->params.stimulus = problem->stimulus;
    problem->params.stimuli = problem->stimuli;
    return status;
}

static enum status create_problem(struct problem *problem, struct problem_mesh *from, bool kept,
                                  const struct config *config, struct progress *progress, struct error *error)
{
    struct faults faults = {.error = error};
    memset(problem, 0, sizeof *problem);
    TRY(problem_mesh_make(from, kept, config, progress, &faults));
    problem->mesh = from->mesh;
    problem->borrowed = true;
    memcpy(problem->mesh_sha256, from->sha256, sizeof problem->mesh_sha256);
    problem->notes = from->notes;
    problem->network = from->network;
    problem->networks = config->mesh.networks;
    problem->filled_fibers = from->filled_fibers;
    problem->read_seconds = from->read_seconds;
    enum status status = make_tissue(problem, config, from, progress, &faults);
    if (progress && from->environment.cache.read > 0)
        progress_log(progress, "coordinates of the heart: %d arrays read from the cache",
                     from->environment.cache.read);
    from->environment.cache.read = 0;
    return status;
}

enum status problem_create_on(struct problem *problem, struct problem_mesh *from, const struct config *config,
                              struct progress *progress, struct error *error)
{
    return create_problem(problem, from, true, config, progress, error);
}

enum status problem_create(struct problem *problem, const struct config *config, struct progress *progress,
                           struct error *error)
{
    struct problem_mesh own = {0};
    enum status status = create_problem(problem, &own, false, config, progress, error);
    if (problem->borrowed) {
        own.mesh = (struct mesh){0};
        own.network = NULL;
        problem->borrowed = false;
    }
    problem_mesh_free(&own);
    return status;
}

enum status problem_check_initial(const struct config *config, struct error *error)
{
    struct faults faults = {.error = error};
    const char *file = config->initial.file;
    struct stat info;
    if (!file)
        return STATUS_OK;
    if (access(file, R_OK) != 0 || stat(file, &info) != 0)
        return config_fault(&faults, config, "initial.file", "%s: %s", file, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return config_fault(&faults, config, "initial.file", "%s: this is not a regular file", file);
    struct h5_file opened;
    struct error inner = {0};
    if (h5_open(&opened, file, false, &inner))
        return config_fault_found(&faults, config, "initial.file", &inner);
    h5_close(&opened, NULL);
    return STATUS_OK;
}

enum status problem_keep(struct problem *problem, struct subdomain *subdomain, bool all_nodes,
                         struct error *error)
{
    struct mesh *mesh = &problem->mesh;
    TRY(subdomain_keep(subdomain, mesh, error));
    if (!all_nodes)
        TRY(subdomain_keep_nodes(subdomain, mesh, error));
    if (!mesh->number)
        return STATUS_OK;
    free(problem->node_region); /* replaced by the groups in the subdomain */
    problem->node_region = NULL;
    problem->params.node_region = NULL;
    problem->element_region =
        subdomain_keep_rows(problem->element_region, mesh, sizeof *problem->element_region);
    problem->params.element_region = problem->element_region;
    for (int k = 0; k < 3; k++)
        problem->scale[k] = subdomain_keep_rows(problem->scale[k], mesh, sizeof *problem->scale[k]);
    for (int r = 0; r < problem->params.regions; r++)
        regions_renew_scale(&problem->region[r], problem->scale);
    return STATUS_OK;
}

void problem_drop_mesh(struct problem *problem)
{
    struct mesh kept = problem->mesh;
    problem->mesh = (struct mesh){.dimension = kept.dimension,
                                  .nodes = mesh_nodes_whole(&kept),
                                  .elements = mesh_elements_whole(&kept),
                                  .point = kept.point};
    kept.point = NULL;
    mesh_free(&kept);
    free(problem->element_region);
    free(problem->node_region);
    for (int k = 0; k < 3; k++) {
        free(problem->scale[k]);
        problem->scale[k] = NULL;
    }
    torso_free(problem->torso);
    problem->element_region = problem->node_region = NULL;
    problem->torso = NULL;
}

void problem_free(struct problem *problem)
{
    if (!problem->borrowed) {
        mesh_free(&problem->mesh);
        free(problem->network);
    }
    for (int s = 0; s < problem->stimuli; s++) {
        const struct stimulus *own = &problem->stimulus[s];
        const void *const arrays[] = {own->node, own->delay, own->weight, own->shape};
        for (int k = 0; k < 4 && !own->phase; k++)
            free((void *)(uintptr_t)arrays[k]);
    }
    paced_free(problem);
    parameters_free(problem);
    free(problem->region);
    free(problem->thresholds);
    free(problem->goal);
    free(problem->element_region);
    free(problem->node_region);
    for (int k = 0; k < 3; k++)
        free(problem->scale[k]);
    free(problem->stimulus);
    free(problem->stimulus_from);
    free(problem->stimulus_volume);
    free(problem->probe);
    torso_free(problem->torso);
    memset(problem, 0, sizeof *problem);
}

double problem_bytes(const struct problem *problem)
{
    double bytes = mesh_bytes(&problem->mesh) + 4 * (double)problem->mesh.elements;
    bytes += problem->node_region ? 4 * (double)problem->mesh.nodes : 0;
    bytes += torso_bytes(problem);
    bytes += parameters_bytes(problem);
    for (int k = 0; k < 3; k++)
        bytes += problem->scale[k] ? 8 * (double)problem->mesh.elements : 0;
    for (int s = 0; s < problem->stimuli; s++)
        bytes += problem->stimulus[s].phase
                     ? 0
                     : (problem->stimulus[s].delay || problem->stimulus[s].weight ? 12 : 4) *
                           (double)problem->stimulus[s].nodes;
    return bytes;
}
