/* setup.c: set up the tissue of a config at rest, and log its description. */
#include "app/run/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/maps.h"
#include "app/io/store/digest.h"
#include "app/meshio/mesh_report.h"
#include "app/models/bundled.h"
#include "app/models/pacing.h"
#include "app/problem/bounds_cache.h"
#include "app/problem/problem.h"
#include "app/problem/torso.h"
#include "app/problem/velocity.h"
#include "app/report/describe.h"
#include "app/run/device.h"
#include "app/run/forest.h"
#include "app/run/stages.h"
#include "app/util/cores.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/device/cpu.h"
#include "solver/mesh/neighbours.h"

static enum status describe_whole(const struct setup *setup, struct error *error)
{
    struct printed lines;
    TRY(printed_open(&lines, error));
    describe_counts(lines.file, &setup->problem, &setup->config);
    TRY(progress_print_lines(setup->progress, &lines, true, error));
    TRY(printed_open(&lines, error));
    describe_forecast(lines.file, &setup->forecast, setup->problem.mesh.nodes);
    return progress_print_lines(setup->progress, &lines, setup->options.verbose, error);
}

/* Logs the notes of the mesh's reader. */
static void log_mesh_notes(struct setup *setup)
{
    const struct mesh_notes *notes = &setup->problem.notes;
    char text[256];
    int which = 0;
    if (setup->config.mesh.kind != MESH_KIND_FILE)
        return;
    while (mesh_health_warning(&notes->health, &which, text))
        progress_warn(setup->progress, "mesh: %s", text);
    if (notes->health.turned > 0)
        progress_print(setup->progress, "mesh: %lld elements had a negative volume and were turned",
                       (long long)notes->health.turned);
    for (int d = 0; d < 3; d++)
        if (mesh_notes_left(notes, &setup->problem.mesh, d) > 0)
            progress_print(setup->progress, "mesh: %lld %s of the file left out: not tissue",
                           (long long)mesh_notes_left(notes, &setup->problem.mesh, d),
                           d == 0 ? "points" : mesh_elements_name(d));
    if (notes->ignored[0])
        progress_print(setup->progress, "mesh: not used: %s", notes->ignored);
}

/* Prints a warning for each line of the text, and closes and frees it. */
static void warn_lines(struct setup *setup, struct printed *warnings)
{
    printed_close(warnings, NULL);
    for (char *line = warnings->text ? strtok(warnings->text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        progress_warn(setup->progress, "%s", line);
    free(warnings->text);
}

static enum status log_warnings(struct setup *setup, struct error *error)
{
    struct printed warnings;
    for (int k = 0; k < setup->config.warnings; k++)
        progress_warn(setup->progress, "%s", setup->config.warning[k]);
    TRY(printed_open(&warnings, error));
    problem_warnings(warnings.file, &setup->problem, &setup->config);
    warn_lines(setup, &warnings);
    return STATUS_OK;
}

/* setup->front[] <- the fronts of all regions; warns about edges that are too long for them. A failure is only a
 * warning: the run does not depend on the fronts. */
static void find_fronts(struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    struct velocities velocities = {0};
    struct error unknown = {0};
    struct printed warnings;
    if (printed_open(&warnings, NULL))
        return;
    if (velocities_create(&velocities, &setup->config, &problem->params, &problem->mesh,
                          setup->head.mesh_sha256, &unknown) ||
        velocity_warn(warnings.file, &velocities, problem->goal, &unknown))
        fprintf(warnings.file, "the velocity of fronts is unknown: %s\n", unknown.text);
    else {
        setup->front = velocities.front;
        velocities.front = NULL;
    }
    velocities_free(&velocities);
    warn_lines(setup, &warnings);
}

static bool measures_velocity(const struct setup *setup)
{
    return velocity_measured(&setup->config, mesh_elements_whole(&setup->problem.mesh));
}

/* Whether rank 0 keeps all elements: leads or velocities sum over them. */
static bool keeps_elements(const struct setup *setup)
{
    return setup->comm->size == 1 || setup->config.ecg.electrodes > 0 || measures_velocity(setup);
}

static enum status describe_tissue(void *argument, struct error *error)
{
    struct setup *setup = argument;
    const struct monodomain_report *report = monodomain_report(setup->sim);
    struct printed lines;
    char slow[200];
    describe_slow_method(slow, sizeof slow, report, &setup->config);
    if (slow[0])
        progress_warn(setup->progress, "%s", slow);
    TRY(printed_open(&lines, error));
    describe_compilations(lines.file, &setup->config);
    TRY(progress_print_lines(setup->progress, &lines, true, error));
    TRY(printed_open(&lines, error));
    describe_ranks(lines.file, report);
    describe_method(lines.file, report, &setup->config);
    if (setup->options.verbose) {
        describe_report(lines.file, report);
        describe_set_up(lines.file, report);
    }
    return progress_print_lines(setup->progress, &lines, setup->options.verbose, error);
}

/* setup->cells, sites <- the cells of each node, and the nodes from which captures are reported */
static enum status find_sites(struct setup *setup, struct error *error)
{
    const struct problem *problem = &setup->problem;
    enum status status = STATUS_OK;
    setup->node_region =
        array_new(problem->mesh.nodes, sizeof *setup->node_region, "the regions", &status, error);
    TRY(status);
    regions_of_nodes(setup->node_region, problem);
    setup->cells = (struct sites_cells){setup->node_region, problem->params.regions, setup->front};
    return sites_find(&setup->sites, problem, &setup->config, &setup->cells, error);
}

/* hex <- the digest of the keys that affect the numbers, and of the files that they name */
static enum status digest_numbers(struct setup *setup, char hex[SHA256_HEX], struct error *error)
{
    struct sha256 sha;
    setup->numbers = config_subset_text(&setup->config, CONFIG_NUMBERS);
    if (!setup->numbers)
        return error_memory(error, "the config's text", 4096);
    sha256_start(&sha);
    sha256_add(&sha, setup->numbers, strlen(setup->numbers));
    sha256_end(&sha, hex);
    return inputs_check(setup->config.inputs, error);
}

/* hex <- the digest of the models' texts, in the order of regions; "" if there are none. Several models with different
 * values may share a built-in text. */
static void digest_models(const struct config *config, char hex[SHA256_HEX])
{
    struct sha256 sha;
    bool any = false;
    sha256_start(&sha);
    hex[0] = 0;
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct ionic_model *model = config->tissue.region[r].model;
        const char *text = bundled_text_of(model);
        const struct user_model *user = user_model_of(config->models, model);
        if (user)
            sha256_add(&sha, user->equations, SHA256_HEX);
        if (text)
            bundled_digest(&sha, text, strlen(text));
        for (int k = 0; (text || user) && k < model->parameters; k++)
            sha256_add(&sha, &model->parameter[k].value, sizeof model->parameter[k].value);
        any |= config->models || text;
    }
    if (any)
        sha256_end(&sha, hex);
}

/* hex <- the digest of the mesh, computed once for all runs that share it */
static void find_mesh_digest(const struct setup *setup, char hex[SHA256_HEX])
{
    const char *known = setup->problem.mesh_sha256;
    if (known[0])
        memcpy(hex, known, SHA256_HEX);
    else
        digest_mesh(&setup->problem.mesh, NULL, hex);
    if (setup->reuse)
        memcpy(setup->reuse->mesh.sha256, hex, SHA256_HEX);
}

/* setup->head <- the digests that a checkpoint of this run must match, except the mesh's */
static enum status find_fingerprints(struct setup *setup, struct error *error)
{
    struct checkpoint_head *head = &setup->head;
    head->ids = CHECKPOINT_IDS;
    digest_models(&setup->config, head->models_sha256);
    snprintf(head->program, sizeof head->program, "%s", version_text());
    snprintf(head->backend, sizeof head->backend, "%s", setup->queue->backend->name);
    return digest_numbers(setup, head->config_sha256, error);
}

/* The number of threads of this rank: as requested, or its share of the host's cores */
static int rank_threads(const struct setup *setup)
{
    int64_t nodes = setup->problem.mesh.nodes / setup->comm->size;
    int threads = cores_threads(setup->config.threads, nodes), most = cores_allowed() / setup->comm->sharing;
    return setup->config.threads || threads <= most ? threads : most > 1 ? most : 1;
}

static enum status make_forecast(void *argument, struct error *error)
{
    struct setup *setup = argument;
    (void)error;
    setup->forecast = forecast_subdomain(&setup->problem, &setup->config, setup->comm->size);
    return STATUS_OK;
}

/* Broadcasts the counts of rank 0's mesh, and checks the memory that each rank needs. */
static enum status check_memory(void *argument, struct error *error)
{
    struct setup *setup = argument;
    const struct comm *comm = setup->comm;
    struct mesh *mesh = &setup->problem.mesh;
    int64_t count[] = {mesh->dimension, mesh->nodes, mesh->elements};
    comm->engine->broadcast(comm, COMM_STEPS, 0, count, sizeof count);
    comm->engine->broadcast(comm, COMM_STEPS, 0, &setup->forecast, sizeof setup->forecast);
    mesh->dimension = (int)count[0];
    mesh->nodes = count[1];
    mesh->elements = count[2];
    return forecast_check_host(&setup->forecast, mesh->nodes, comm->local_size, error);
}

/* Frees the queue and the tissue on it. */
static void drop_device(struct setup_reuse *reuse)
{
    monodomain_free(reuse->sim);
    queue_free(reuse->queue);
    reuse->sim = NULL;
    reuse->queue = NULL;
}

/* setup->queue <- the previous run's, if device and threads are the same, else a new one */
static enum status open_queue(struct setup *setup, struct error *error)
{
    struct setup_reuse *reuse = setup->reuse;
    const char *device = setup->config.device;
    int threads = rank_threads(setup);
    if (!reuse)
        return device_open_rank(device, threads, setup->comm, &setup->queue, error);
    if (!reuse->queue || strcmp(reuse->device, device) != 0 || reuse->threads != threads) {
        drop_device(reuse);
        TRY(device_open(device, threads, &reuse->queue, error));
        snprintf(reuse->device, sizeof reuse->device, "%s", device);
        reuse->threads = threads;
    }
    setup->queue = reuse->queue;
    return STATUS_OK;
}

static enum status open_device(void *argument, struct error *error)
{
    struct setup *setup = argument;
    const struct config *config = &setup->config;
    int64_t nodes = setup->problem.mesh.nodes;
    device_awake(&setup->waking);
    TRY(open_queue(setup, error));
    progress_stage(setup->progress, "device");
    TRY(forecast_check_device(&setup->forecast, nodes, config, setup->queue, error));
    TRY(user_model_load(config->models, setup->queue, config_way(config), error));
    progress_stage(setup->progress, "models");
    return STATUS_OK;
}

static void log_device(const struct setup *setup)
{
    char threads[32] = "";
    if (setup->queue->backend->immediate)
        snprintf(threads, sizeof threads, ", %d thread%s", cpu_threads(setup->queue),
                 cpu_threads(setup->queue) == 1 ? "" : "s");
    progress_print(setup->progress, "device %s%s; mesh ready in %.2f s", setup->queue->backend->name, threads,
                   setup->problem.read_seconds);
    if (setup->comm->size > 1)
        progress_print(setup->progress, "ranks: %d, %d of them on this machine%s", setup->comm->size,
                       setup->comm->local_size, setup->queue->backend->immediate ? "" : ", one GPU per rank");
    char text[200];
    cores_warning(setup->config.threads, text, sizeof text);
    if (text[0])
        progress_warn(setup->progress, "%s", text);
}

static enum status open_directory(void *argument, struct error *error)
{
    struct setup *setup = argument;
    TRY(setup_directory(setup, error));
    progress_listen(setup->progress, setup->listen, setup->listener);
    return STATUS_OK;
}

static enum status open_muted(void *argument, struct error *error)
{
    struct setup *setup = argument;
    TRY(progress_open(&setup->progress, NULL, false, PROGRESS_QUIET, error));
    progress_mute(setup->progress);
    return STATUS_OK;
}

static enum status make_problem(void *argument, struct error *error)
{
    struct setup *setup = argument;
    const struct config *config = &setup->config;
    progress_print(setup->progress, "%s: %s", version_text(), config->title ? config->title : config->path);
    struct setup_reuse *reuse = setup->reuse;
    if (!reuse)
        TRY(problem_create(&setup->problem, config, setup->progress, error));
    else
        TRY(problem_create_on(&setup->problem, &reuse->mesh, config, setup->progress, error));
    if (setup->records > 0)
        setup->problem.params.activation_slots = forest_slots(&setup->problem, config, setup->records);
    return STATUS_OK;
}

/* *threshold <- the activation threshold of a region's model, mV */
static enum status find_threshold(double *threshold, const struct setup *setup, int r, struct error *error)
{
    const struct config *config = &setup->config;
    const struct ionic_model *model = setup->problem.region[r].model;
    const struct pacing_cell cell = {.model = model,
                                     .user = user_model_of(config->models, model),
                                     .way = config_way(config),
                                     .step = config->physics.step / config->physics.ionic_substeps};
    return pacing_threshold(threshold, &cell, error);
}

/* problem->thresholds[] <- from each region's model, unless the config gives activation.threshold for all */
static enum status find_thresholds(struct setup *setup, struct error *error)
{
    const struct config *config = &setup->config;
    struct problem *problem = &setup->problem;
    for (int r = 0; r < problem->params.regions && isnan(config->physics.activation_threshold); r++) {
        struct error found = {0};
        double own;
        if (find_threshold(&own, setup, r, &found))
            return error_set(error, found.status, "%s", found.text);
        if (isnan(own)) {
            own = 0;
            progress_warn(setup->progress, "activation.threshold: 0 mV in region %d: %s", r, found.text);
        }
        config_thresholds(problem->thresholds[r], config, r, own);
        if (config->physics.activation_rearm > problem->thresholds[r][0])
            progress_warn(setup->progress,
                          "activation.rearm: %g mV is above the threshold of region %d (%s): %g mV is used",
                          config->physics.activation_rearm, r, problem->region[r].model->name,
                          problem->thresholds[r][0]);
    }
    return STATUS_OK;
}

/* setup->fastest <- from the fronts and conductivities of all regions */
static void find_fastest(struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    double fastest = 0, factor = 1;
    for (int k = 0; k < 3; k++)
        for (int64_t e = 0; e < problem->mesh.elements && problem->scale[k]; e++)
            factor = fmax(factor, problem->scale[k][e]);
    for (int r = 0; r < problem->params.regions && setup->front; r++)
        for (int k = 0; k < 3 && !problem->region[r].resistor; k++)
            fastest = fmax(fastest, setup->front[r].rest * sqrt(factor * problem->region[r].diffusion[k]));
    setup->fastest = setup->front ? fastest : HUGE_VAL;
}

static enum status describe_problem(void *argument, struct error *error)
{
    struct setup *setup = argument;
    log_device(setup);
    TRY(log_warnings(setup, error));
    log_mesh_notes(setup);
    find_mesh_digest(setup, setup->head.mesh_sha256);
    progress_stage(setup->progress, "digests");
    find_fronts(setup);
    progress_stage(setup->progress, "fronts");
    TRY(find_thresholds(setup, error));
    progress_stage(setup->progress, "thresholds");
    find_fastest(setup);
    TRY(find_sites(setup, error));
    progress_stage(setup->progress, "stimuli");
    TRY(find_fingerprints(setup, error));
    progress_stage(setup->progress, "digests");
    return describe_whole(setup, error);
}

/* Whether ranks need all nodes: with initial.file each may start from any node of another mesh; with phases each has
 * its own state. */
static bool needs_all_nodes(const struct setup *setup)
{
    return setup->config.initial.file || paced_by_node(&setup->config);
}

/* Distributes the problem: each rank gets its part of the tissue. */
static enum status distribute_problem(void *argument, struct error *error)
{
    struct setup *setup = argument;
    struct problem *problem = &setup->problem;
    setup->comm->engine->broadcast(setup->comm, COMM_STEPS, 0, &setup->head, sizeof setup->head);
    if (setup->comm->size == 1)
        return STATUS_OK;
    TRY(subdomain_make(&setup->subdomain, setup->comm, &problem->mesh, &problem->params, NULL, error));
    TRY(problem_scatter(problem, &setup->config, &setup->subdomain, needs_all_nodes(setup), error));
    problem->params.subdomain = &setup->subdomain; /* set here, since the cables above must not use it */
    return STATUS_OK;
}

/* Drops the elements of other ranks. */
static enum status keep_own_elements(void *argument, struct error *error)
{
    struct setup *setup = argument;
    if (keeps_elements(setup))
        return STATUS_OK;
    return problem_keep(&setup->problem, &setup->subdomain, needs_all_nodes(setup), error);
}

/* hex <- the digest of everything that determines a matrix: the keys, the mesh, and the regions' values that result
 * from velocities and expressions in the config */
static enum status digest_matrix(const struct setup *setup, char hex[SHA256_HEX], struct error *error)
{
    const struct problem *problem = &setup->problem;
    size_t elements = (size_t)problem->mesh.elements;
    char *keys = config_subset_text(&setup->config, CONFIG_MATRIX);
    struct sha256 sha;
    if (!keys)
        return error_memory(error, "the config's text", 4096);
    sha256_start(&sha);
    sha256_add(&sha, keys, strlen(keys));
    free(keys);
    sha256_add(&sha, setup->head.mesh_sha256, SHA256_HEX);
    digest_add(&sha, problem->element_region, elements * sizeof *problem->element_region);
    for (int r = 0; r < problem->params.regions; r++) {
        const struct region *region = &problem->region[r];
        sha256_add(&sha, region->diffusion, sizeof region->diffusion);
        sha256_add(&sha, &region->isotropic, sizeof region->isotropic);
        for (int k = 0; k < 3; k++) /* the array of each direction */
            sha256_add(&sha,
                       !region->scale[k]                      ? "-"
                       : region->scale[k] == region->scale[0] ? "0"
                       : region->scale[k] == region->scale[1] ? "1"
                                                              : "2",
                       1);
    }
    for (int k = 0; k < 3 && problem->scale[k]; k++)
        digest_add(&sha, problem->scale[k], elements * sizeof *problem->scale[k]);
    sha256_end(&sha, hex);
    return STATUS_OK;
}

/* setup->sim <- the previous run's tissue with new cells, if its matrix is the same, else a new tissue */
static enum status reuse_tissue(struct setup *setup, struct error *error)
{
    struct setup_reuse *reuse = setup->reuse;
    const struct problem *problem = &setup->problem;
    char matrix[SHA256_HEX];
    enum status status;
    TRY(digest_matrix(setup, matrix, error));
    if (reuse->sim && memcmp(matrix, reuse->matrix, sizeof matrix) == 0) {
        status = monodomain_reload(reuse->sim, &problem->mesh, &problem->params, error);
    } else {
        monodomain_free(reuse->sim);
        status = monodomain_create(&reuse->sim, &problem->mesh, &problem->params, setup->queue, error);
        memcpy(reuse->matrix, matrix, sizeof matrix);
        reuse->matrices += !status;
    }
    if (status && reuse->sim)
        monodomain_unload(reuse->sim);
    setup->sim = status ? NULL : reuse->sim;
    return status;
}

/* Creates a new tissue, with clusters and bounds from the cache if possible. */
static enum status create_tissue(struct setup *setup, struct error *error)
{
    const struct problem *problem = &setup->problem;
    struct monodomain_params params = problem->params;
    struct bounds_cache bounds = {0};
    if (setup->comm->size == 1 && problem->mesh.elements >= BOUNDS_CACHE_LEAST) {
        TRY(digest_matrix(setup, setup->matrix, error));
        if (bounds_cache_find(&bounds, setup->matrix, &problem->mesh, &params))
            params.found = &bounds.found;
    }
    const enum status status = monodomain_create(&setup->sim, &problem->mesh, &params, setup->queue, error);
    if (!status && params.found)
        bounds_cache_store(&bounds, setup->matrix, monodomain_report(setup->sim));
    bounds_cache_free(&bounds);
    return status;
}

static enum status make_tissue(void *argument, struct error *error)
{
    struct setup *setup = argument;
    struct mesh *mesh = setup->reuse ? &setup->reuse->mesh.mesh : &setup->problem.mesh; /* the owner's */
    if (setup->comm->size == 1)
        TRY(mesh_neighbours_keep(mesh, error));
    setup->problem.mesh.neighbours = mesh->neighbours;
    if (setup->reuse)
        TRY(reuse_tissue(setup, error));
    else
        TRY(create_tissue(setup, error));
    memcpy(setup->head.bounds, monodomain_report(setup->sim)->bounds, sizeof setup->head.bounds);
    monodomain_tune_threads(setup->sim, rank_threads(setup));
    progress_stage(setup->progress, "matrix");
    return STATUS_OK;
}

/* Starts recording beats at probes and sites, independently of the maps; all ranks know their nodes. */
static enum status follow_sites(struct setup *setup, struct error *error)
{
    const struct comm *comm = setup->comm;
    struct sites *sites = &setup->sites;
    enum status status = STATUS_OK;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &sites->points, sizeof sites->points);
    if (comm->rank > 0)
        sites->node = array_new(sites->points, sizeof *sites->node, "the sites", &status, error);
    TRY(comm_agree(comm, COMM_STEPS, status, error));
    if (sites->points == 0)
        return STATUS_OK;
    comm->engine->broadcast(comm, COMM_STEPS, 0, sites->node, (size_t)sites->points * sizeof *sites->node);
    return monodomain_follow(setup->sim, sites->node, sites->points, sites_times(&setup->config), error);
}

/* Creates the fields of the frames, or V for the probes if the frames have none. */
static enum status create_fields(struct setup *setup, struct error *error)
{
    static const char *alone[] = {"V"};
    const struct config_output *output = &setup->config.output;
    bool bare = output->fields == 0 && output->probes > 0;
    return fields_create(&setup->fields, setup->sim, bare ? alone : output->field, bare ? 1 : output->fields,
                         setup->sites.node, output->probes, error); /* the first sites are the probes */
}

/* Creates what is read from the tissue while it is stepped: fields and leads. */
static enum status make_readers(void *argument, struct error *error)
{
    struct setup *setup = argument;
    TRY(follow_sites(setup, error));
    return create_fields(setup, error);
}

static enum status make_leads(void *argument, struct error *error)
{
    struct setup *setup = argument;
    struct ecg_fields *kept = setup->reuse ? &setup->reuse->fields : NULL;
    const char *matrix = setup->reuse ? setup->reuse->matrix : setup->matrix[0] ? setup->matrix : NULL;
    TRY(ecg_create(&setup->ecg, &setup->config, &setup->problem, setup->sim, kept, matrix, setup->progress,
                   error));
    progress_stage(setup->progress, "leads");
    return STATUS_OK;
}

enum status setup_tissue(struct setup *setup, struct error *error)
{
    static const struct stage stages[] = {
        /* rank 0, other ranks, on the writer's thread */
        {open_directory, open_muted, false},
        {make_problem, NULL, false},
        {make_forecast, NULL, false},
        {check_memory, check_memory, false},
        {open_device, open_device, false},
        {describe_problem, NULL, false},
        {distribute_problem, distribute_problem, false},
        {keep_own_elements, NULL, false},
        {make_tissue, make_tissue, false},
        {describe_tissue, NULL, false},
        {make_readers, make_readers, false},
        {make_leads, make_leads, false},
    };
    if (setup->comm->size == 1 && !(setup->reuse && setup->reuse->queue))
        device_wake(&setup->waking, setup->config.device);
    enum status status = stages_run(stages, sizeof stages / sizeof *stages, setup->comm, NULL, setup, error);
    device_awake(&setup->waking);
    return status;
}

enum status setup_drop_mesh(void *argument, struct error *error)
{
    struct setup *setup = argument;
    (void)error;
    if (!setup->reuse)
        problem_drop_mesh(&setup->problem);
    return STATUS_OK;
}

enum status setup_drop_shared(void *argument, struct error *error)
{
    const struct setup *setup = argument;
    bool needed = setup->comm->size == 1 || measures_velocity(setup);
    return needed ? STATUS_OK : setup_drop_mesh(argument, error);
}

void setup_reuse_free(struct setup_reuse *reuse)
{
    drop_device(reuse);
    problem_mesh_free(&reuse->mesh);
    ecg_fields_free(&reuse->fields);
    *reuse = (struct setup_reuse){0};
}

void setup_free(struct setup *setup)
{
    fields_free(&setup->fields);
    progress_close(setup->progress);
    for (int k = 0; k < 2; k++)
        if (setup->lock[k] > 0)
            close(setup->lock[k]);
    ecg_free(&setup->ecg);
    if (!setup->reuse)
        monodomain_free(setup->sim);
    else if (setup->sim)
        monodomain_unload(setup->sim);
    subdomain_free(&setup->subdomain);
    if (!setup->reuse)
        queue_free(setup->queue);
    problem_free(&setup->problem);
    config_free(&setup->config);
    sites_free(&setup->sites);
    free(setup->node_region);
    free(setup->front);
    free(setup->numbers);
}

void setup_point(const struct setup *setup, int64_t node, double point[3])
{
    const struct mesh *mesh = &setup->problem.mesh;
    if (setup->comm->size > 1)
        subdomain_point(&setup->subdomain, mesh, node, point);
    else
        memcpy(point, mesh->point + 3 * node, 3 * sizeof *point);
}
