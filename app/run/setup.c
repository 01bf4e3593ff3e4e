/* setup.c: from a config to a tissue at rest, described in the log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/store/digest.h"
#include "app/meshio/mesh_report.h"
#include "app/models/bundled.h"
#include "app/report/describe.h"
#include "app/run/device.h"
#include "app/problem/parameters.h"
#include "app/run/run.h"
#include "app/problem/velocity.h"
#include "app/util/cores.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/device/cpu.h"

/* What a memory stream holds goes to the log */
static void say_text(struct run *run, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        progress_say(run->progress, "%s", line);
}

/* Of the whole mesh, or of what this rank has of it and how it is stepped */
static enum status say_description(struct run *run, bool whole, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return error_memory(error, "a description", 4096);
    if (whole) {
        describe_counts(file, &run->problem, &run->config);
        struct forecast forecast = forecast_share(&run->problem, &run->config, run->comm->size);
        describe_forecast(file, &forecast, run->problem.mesh.nodes);
    } else {
        describe_ranks(file, monodomain_report(run->sim));
        describe_compilations(file, &run->config);
        describe_method(file, monodomain_report(run->sim), &run->config);
    }
    if (!whole && run->options.verbose) {
        describe_report(file, monodomain_report(run->sim), &run->config);
        describe_set_up(file, monodomain_report(run->sim));
    }
    fclose(file);
    if (!text)
        return error_memory(error, "a description", 4096);
    say_text(run, text);
    free(text);
    return STATUS_OK;
}

/* What the reader of the mesh noticed */
static void say_mesh_notes(struct run *run)
{
    const struct mesh_notes *notes = &run->problem.notes;
    char text[256];
    int which = 0;
    if (run->config.mesh.kind != MESH_KIND_FILE)
        return;
    while (mesh_health_warning(&notes->health, &which, text))
        progress_warn(run->progress, "mesh: %s", text);
    if (notes->health.turned > 0)
        progress_say(run->progress, "mesh: %lld elements were turned to positive volume",
                     (long long)notes->health.turned);
    for (int d = 0; d < 3; d++)
        if (mesh_notes_left(notes, &run->problem.mesh, d) > 0)
            progress_say(run->progress, "mesh: %lld %s of the file left out: they are no tissue",
                         (long long)mesh_notes_left(notes, &run->problem.mesh, d),
                         d == 0 ? "points" : mesh_elements_name(d));
    if (notes->ignored[0])
        progress_say(run->progress, "mesh: not used: %s", notes->ignored);
}

static void say_warnings(struct run *run)
{
    char text[200];
    for (int k = 0; k < run->config.warnings; k++)
        progress_warn(run->progress, "%s", run->config.warning[k]);
    problem_fibers_warning(&run->problem, text, sizeof text);
    if (text[0])
        progress_warn(run->progress, "%s", text);
    problem_size_warning(&run->problem, &run->config, text, sizeof text);
    if (text[0])
        progress_warn(run->progress, "%s", text);
}

/* The mesh's own error, and run->excitable. Without it the run is as good: why it is not known is a warning.
 */
static void say_velocity(struct run *run)
{
    const struct monodomain_params *params = &run->problem.params;
    struct error unknown = {0};
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_OK;
    struct upstroke *upstroke =
        array_zeroed(params->regions, sizeof *upstroke, "upstrokes", &status, &unknown);
    FILE *warnings = status ? NULL : open_memstream(&text, &length);
    AND(warnings ? STATUS_OK : error_memory(&unknown, "warnings", 4096));
    AND(velocity_upstrokes(upstroke, &run->config, params, &unknown));
    AND(velocity_warn(warnings, upstroke, &run->problem.mesh, params, &unknown));
    AND(run_find_excitable(run, upstroke, &unknown));
    if (warnings)
        fclose(warnings);
    if (status)
        progress_warn(run->progress, "how fast fronts run is not known: %s", unknown.text);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        progress_warn(run->progress, "%s", line);
    free(text);
    free(upstroke);
}

/* hex <- of the keys that matter to the numbers, and of what names in it stand for: the nodes of lists and of
 * conditions, regions by place and factors on their conductivity */
static enum status digest_numbers(const struct run *run, char hex[SHA256_HEX], struct error *error)
{
    struct sha256 sha;
    char file[SHA256_HEX];
    sha256_start(&sha);
    sha256_add(&sha, run->numbers, strlen(run->numbers));
    parameters_digest(&sha, &run->problem);
    for (int s = 0; s < run->problem.stimuli; s++) {
        const struct stimulus *stimulus = run->problem.stimulus + s;
        enum stimulus_shape shape = run->config.stimulus[run->problem.stimulus_from[s]].shape;
        size_t nodes = (size_t)stimulus->nodes;
        if (stimulus->phase)
            continue;
        if (stimulus->shape)
            sha256_add(&sha, stimulus->shape, (size_t)stimulus->shapes * sizeof *stimulus->shape);
        if (stimulus->delay)
            sha256_add(&sha, stimulus->delay, nodes * sizeof *stimulus->delay);
        if (shape != STIMULUS_SHAPE_NODES && shape != STIMULUS_SHAPE_WHERE &&
            shape != STIMULUS_SHAPE_SURFACE && shape != STIMULUS_SHAPE_DELAYS)
            continue;
        sha256_add(&sha, &stimulus->nodes, sizeof stimulus->nodes);
        sha256_add(&sha, stimulus->node, nodes * sizeof *stimulus->node);
    }
    const struct problem *problem = &run->problem;
    size_t nodes = (size_t)problem->mesh.nodes, elements = (size_t)problem->mesh.elements;
    if (problem->node_region) {
        sha256_add(&sha, problem->node_region, nodes * sizeof *problem->node_region);
        sha256_add(&sha, problem->element_region, elements * sizeof *problem->element_region);
    }
    if (problem->scale)
        sha256_add(&sha, problem->scale, elements * sizeof *problem->scale);
    enum status status =
        run->config.ecg.fields ? digest_file(run->config.ecg.fields, file, error) : STATUS_OK;
    if (!status && run->config.ecg.fields)
        sha256_add(&sha, file, sizeof file);
    sha256_end(&sha, hex);
    return status;
}

/* hex <- of the texts that models are made of, in the order of regions; "" if there are none. A built-in text
 * may be several models, told apart by their values. */
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

/* Fingerprints of what a checkpoint of this run belongs to, of rank 0; the others are told */
static enum status fingerprint(struct run *run, struct error *error)
{
    run->numbers = config_numbers(&run->config);
    if (!run->numbers)
        return error_memory(error, "the config's text", 4096);
    if (!run_writes(run))
        return STATUS_OK;
    enum status status = digest_numbers(run, run->head.config_sha256, error);
    digest_models(&run->config, run->head.models_sha256);
    digest_mesh(&run->problem.mesh, run->head.mesh_sha256);
    snprintf(run->head.program, sizeof run->head.program, "%s", version_text());
    snprintf(run->head.backend, sizeof run->head.backend, "%s", run->queue->backend->name);
    return status;
}

/* Threads of this rank: those that were asked for, or its part of the cores that it shares with others */
static int rank_threads(const struct run *run)
{
    int64_t nodes = run->problem.mesh.nodes / run->comm->size;
    int threads = cores_threads(run->config.threads, nodes), most = cores_allowed() / run->comm->sharing;
    return run->config.threads || threads <= most ? threads : most > 1 ? most : 1;
}

/* The counts of rank 0's mesh -> all, and what each will take */
static struct forecast tell_counts(struct run *run)
{
    struct mesh *mesh = &run->problem.mesh;
    int64_t count[] = {mesh->dimension, mesh->nodes, mesh->elements};
    struct forecast forecast = {0};
    if (run_writes(run))
        forecast = forecast_share(&run->problem, &run->config, run->comm->size);
    run->comm->engine->broadcast(run->comm, COMM_STEPS, 0, count, sizeof count);
    run->comm->engine->broadcast(run->comm, COMM_STEPS, 0, &forecast, sizeof forecast);
    mesh->dimension = (int)count[0];
    mesh->nodes = count[1];
    mesh->elements = count[2];
    return forecast;
}

/* The device, if it and this machine have the memory */
static enum status find_room(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    struct forecast forecast = tell_counts(run);
    int64_t nodes = run->problem.mesh.nodes;
    enum status status = forecast_check_host(&forecast, nodes, run->comm->local_size, error);
    status = comm_agree(run->comm, COMM_STEPS, status, error);
    AND(device_open_rank(config->device, rank_threads(run), run->comm, &run->queue, error));
    AND(forecast_check_device(&forecast, nodes, config, run->queue, error));
    AND(user_model_load(config->models, run->queue, config_way(config), error));
    return status;
}

/* What frames hold, or V for the probes of a run whose frames hold nothing */
static enum status create_fields(struct run *run, struct error *error)
{
    static const char *alone[] = {"V"};
    const struct config_output *output = &run->config.output;
    bool bare = output->fields == 0 && output->probes > 0;
    return fields_create(&run->fields, run->sim, bare ? alone : output->field, bare ? 1 : output->fields,
                         error);
}

static void say_device(const struct run *run)
{
    char threads[32] = "";
    if (run->queue->backend->immediate)
        snprintf(threads, sizeof threads, ", %d thread%s", cpu_threads(run->queue),
                 cpu_threads(run->queue) == 1 ? "" : "s");
    progress_say(run->progress, "device %s%s; mesh ready in %.2f s", run->queue->backend->name, threads,
                 run->problem.read_seconds);
    if (run->comm->size > 1)
        progress_say(run->progress, "ranks: %d, %d of them on this machine%s", run->comm->size,
                     run->comm->local_size,
                     run->queue->backend->immediate ? "" : ", each on a GPU of its own");
    char text[200];
    cores_warning(run->config.threads, text, sizeof text);
    if (text[0])
        progress_warn(run->progress, "%s", text);
}

static enum status open_silently(struct run *run, struct error *error)
{
    enum status status = progress_open(&run->progress, NULL, false, PROGRESS_QUIET, error);
    if (!status)
        progress_mute(run->progress);
    return status;
}

/* Whether rank 0 keeps the whole mesh as long as the run lasts */
static bool maps_velocity(const struct config *config)
{
    return maps_ask(config->output.map, config->output.maps, MAPS_CONDUCTION_VELOCITY);
}

void run_drop_mesh(struct run *run)
{
    if (!run_writes(run) || !maps_velocity(&run->config))
        problem_drop_mesh(&run->problem);
}

static enum status make_directory(struct run *run, struct error *error)
{
    return run_writes(run) ? run_directory(run, error) : open_silently(run, error);
}

static enum status make_problem(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    progress_say(run->progress, "%s: %s", version_text(), config->title ? config->title : config->path);
    return run_writes(run) ? problem_create(&run->problem, config, run->progress, error) : STATUS_OK;
}

static enum status say_problem(struct run *run, struct error *error)
{
    say_device(run);
    say_warnings(run);
    say_mesh_notes(run);
    if (run_writes(run))
        say_velocity(run);
    enum status status = fingerprint(run, error);
    if (run_writes(run))
        AND(say_description(run, true, error));
    return status;
}

/* This rank's part of the tissue; the other elements are needed no more. */
static enum status take_share(struct run *run, struct error *error)
{
    struct problem *problem = &run->problem;
    run->comm->engine->broadcast(run->comm, COMM_STEPS, 0, &run->head, sizeof run->head);
    if (run->comm->size == 1)
        return STATUS_OK;
    const bool all_nodes = run->config.initial.file; /* each may begin as any of another mesh */
    const bool all =
        run->config.ecg.electrodes > 0 || maps_velocity(&run->config); /* sums over all elements */
    enum status status =
        subdomain_make(&run->subdomain, run->comm, &problem->mesh, &problem->params, NULL, error);
    AND(problem_scatter(problem, &run->config, &run->subdomain, all_nodes, error));
    problem->params.subdomain = &run->subdomain; /* of the tissue, not of the cables above */
    if (!status && run_writes(run) && !all)
        status = problem_keep(problem, &run->subdomain, all_nodes, error);
    return status;
}

/* What is noted of the probes' beats does not depend on the maps. */
static enum status follow_probes(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    int probes = config->physics.activation == ACTIVATION_THRESHOLD ? config->output.probes : 0;
    enum status status = STATUS_OK;
    int64_t *node = array_new(probes, sizeof *node, "the probes", &status, error);
    for (int p = 0; p < probes && !status; p++)
        node[p] = run->problem.probe[p].node;
    if (probes > 0)
        AND(monodomain_follow(run->sim, node, probes, config_rearm(config), error));
    free(node);
    return status;
}

static enum status make_tissue(struct run *run, struct error *error)
{
    const struct problem *problem = &run->problem;
    progress_stage(run->progress, "fingerprints");
    enum status status = monodomain_create(&run->sim, &problem->mesh, &problem->params, run->queue, error);
    progress_stage(run->progress, "matrix");
    return status;
}

/* What is fetched from the tissue while it is stepped */
static enum status make_frames(struct run *run, struct error *error)
{
    monodomain_tune_threads(run->sim, rank_threads(run));
    enum status status = say_description(run, false, error);
    AND(follow_probes(run, error));
    AND(create_fields(run, error));
    AND(ecg_create(&run->ecg, &run->config, &run->problem, run->sim, run->progress, error));
    progress_stage(run->progress, "leads");
    if (!run->options.dry_run)
        AND(checkpoint_state_new(&run->state, run->sim, mesh_nodes_whole(&run->problem.mesh), error));
    return status;
}

/* The ranks agree after each stage, so that none begins one that another will not. */
enum status run_tissue(struct run *run, struct error *error)
{
    static enum status (*const stages[])(struct run *, struct error *) = {
        make_directory, make_problem, find_room, say_problem, take_share, make_tissue, make_frames};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof stages / sizeof *stages && !status; k++) {
        status = stages[k](run, error);
        status = comm_agree(run->comm, COMM_STEPS, status, error);
    }
    return status;
}
