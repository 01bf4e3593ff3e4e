/* problem.c: the config's words become lists of elements and nodes. */
#include "app/run/problem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/run/selection.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "solver/mesh/fibers.h"
#include "solver/mesh/generate.h"

/* error <- the config's file and the key before what is wrong with it; returns its status */
static enum status at_key(struct error *error, const struct config *config, const char *key)
{
    struct error inner = *error;
    return error_at(error, inner.status, config->path, 0, 0, "%s: %.800s", key, inner.text);
}

static enum status make_mesh(struct problem *problem, const struct config_mesh *from, struct error *error)
{
    switch (from->kind) {
    case MESH_KIND_SLAB:
        return mesh_slab(&problem->mesh, from->slab_size, from->slab_spacing, error);
    case MESH_KIND_SHEET:
        return mesh_sheet(&problem->mesh, from->sheet_size, from->sheet_spacing, error);
    case MESH_KIND_CABLE:
        return mesh_cable(&problem->mesh, from->cable_length, from->cable_spacing, error);
    case MESH_KIND_FILE:
        break;
    }
    return mesh_read(&problem->mesh, from->file, isnan(from->scale) ? 0 : from->scale, &problem->notes,
                     error);
}

/* The region of a tag; -1 with an error if there is none. */
static int region_of_tag(const struct config *config, int32_t tag, struct error *error)
{
    int region = config_region_of_tag(config, tag);
    if (region >= 0)
        return region;
    error_at(error, STATUS_INPUT, config->path, 0, 0,
             "elements with tag %d belong to no region; add the tag to one of tissue.regions", tag);
    return -1;
}

/* element_region[]; runs of equal tags are looked up once */
static enum status assign_regions(struct problem *problem, const struct config *config, struct error *error)
{
    const struct mesh *mesh = &problem->mesh;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int same = e > 0 && mesh->tag[e] == mesh->tag[e - 1];
        problem->element_region[e] =
            same ? problem->element_region[e - 1] : region_of_tag(config, mesh->tag[e], error);
        if (problem->element_region[e] < 0)
            return STATUS_INPUT;
    }
    for (int r = 0; r < config->tissue.regions; r++)
        for (int k = 0; k < config->tissue.region[r].tags.count; k++) {
            int32_t tag = config->tissue.region[r].tags.tag[k];
            int64_t e = 0;
            while (e < mesh->elements && mesh->tag[e] != tag)
                e++;
            if (e == mesh->elements)
                return error_at(error, STATUS_INPUT, config->path, 0, 0,
                                "tissue.regions[%d]: no element of the mesh has tag %d", r, tag);
        }
    return STATUS_OK;
}

/* D = sigma / (chi Cm) in mm^2/ms. With S/m = uS/um: sigma in mS/mm times mV gives uA/mm, over chi (1/mm) and
 * Cm (uF/mm^2) that is mm^2/ms when sigma is in mS/mm; 1 S/m = 1 mS/mm. */
static void make_regions(struct problem *problem, const struct config *config)
{
    double unit = config->tissue.surface_to_volume * config->tissue.capacitance;
    for (int r = 0; r < config->tissue.regions; r++) {
        struct region *region = problem->region + r;
        double sigma[3];
        region->isotropic = config_conductivity(sigma, config->tissue.region + r);
        region->model = config->tissue.region[r].model;
        region->parameter = config->tissue.region[r].parameter;
        for (int c = 0; c < 3; c++)
            region->diffusion[c] = sigma[c] / unit;
    }
}

static enum status make_probes(struct problem *problem, const struct config *config, struct error *error)
{
    const struct config_output *output = &config->output;
    enum status status = STATUS_OK;
    problem->probe = array_zeroed(output->probes, sizeof *problem->probe, "the probes", &status, error);
    if (status)
        return status;
    for (int p = 0; p < output->probes; p++) {
        snprintf(problem->probe[p].name, sizeof problem->probe[p].name, "%s", output->probe[p].name);
        memcpy(problem->probe[p].point, output->probe[p].point, sizeof problem->probe[p].point);
    }
    status = probes_locate(problem->probe, output->probes, &problem->mesh, error);
    return status ? at_key(error, config, "output.probes") : STATUS_OK;
}

static enum status make_stimuli(struct problem *problem, const struct config *config, struct error *error)
{
    for (int s = 0; s < config->stimuli; s++) {
        const struct config_stimulus *from = config->stimulus + s;
        int32_t *node;
        struct stimulus *to = problem->stimulus + s;
        char key[32];
        enum status status = selection_nodes(from, &problem->mesh, &node, &to->nodes, error);
        snprintf(key, sizeof key, "stimuli[%d]", s);
        if (status)
            return at_key(error, config, key);
        to->node = node;
        to->current = from->current;
        to->start = from->start;
        to->duration = from->duration;
        to->period = from->count == 1 ? 0 : from->period;
        to->count = from->count;
        problem->stimuli = s + 1;
    }
    return STATUS_OK;
}

enum status problem_create(struct problem *problem, const struct config *config, struct error *error)
{
    memset(problem, 0, sizeof *problem);
    double begin = clock_seconds();
    enum status status = make_mesh(problem, &config->mesh, error);
    if (status == STATUS_INPUT && config->mesh.kind != MESH_KIND_FILE) /* a file's errors name the file */
        return at_key(error, config, "mesh");
    if (status)
        return status;
    if (config->tissue.fibers == FIBERS_TURNING)
        status = mesh_turn_fibers(&problem->mesh, config->tissue.fiber_across, config->tissue.fiber_degrees,
                                  error);
    if (status)
        return at_key(error, config, "tissue.fibers");
    problem->read_seconds = clock_seconds() - begin;
    problem->region =
        array_zeroed(config->tissue.regions, sizeof *problem->region, "the regions", &status, error);
    problem->element_region =
        array_zeroed(problem->mesh.elements, sizeof *problem->element_region, "the regions", &status, error);
    problem->stimulus =
        array_zeroed(config->stimuli, sizeof *problem->stimulus, "the stimuli", &status, error);
    TRY(assign_regions(problem, config, error));
    if (status)
        return status;
    make_regions(problem, config);
    status = make_stimuli(problem, config, error);
    TRY(make_probes(problem, config, error));
    problem->params = config->physics;
    problem->params.region = problem->region;
    problem->params.regions = config->tissue.regions;
    problem->params.element_region = problem->element_region;
    problem->params.fiber = config->tissue.fibers == FIBERS_UNIFORM ? config->tissue.fiber : NULL;
    problem->params.stimulus = problem->stimulus;
    problem->params.stimuli = problem->stimuli;
    return status;
}

enum status problem_check_initial(const struct config *config, struct error *error)
{
    const char *file = config->initial.file;
    if (!file || access(file, R_OK) == 0)
        return STATUS_OK;
    return error_at(error, STATUS_INPUT, config->path, 0, 0, "initial.file: %s: %s", file, strerror(errno));
}

void problem_free(struct problem *problem)
{
    mesh_free(&problem->mesh);
    for (int s = 0; s < problem->stimuli; s++)
        free((void *)(uintptr_t)problem->stimulus[s].node);
    free(problem->region);
    free(problem->element_region);
    free(problem->stimulus);
    free(problem->probe);
    memset(problem, 0, sizeof *problem);
}

double problem_bytes(const struct problem *problem)
{
    double bytes = mesh_bytes(&problem->mesh) + 4 * (double)problem->mesh.elements;
    for (int s = 0; s < problem->stimuli; s++)
        bytes += 4 * (double)problem->stimulus[s].nodes;
    return bytes;
}
