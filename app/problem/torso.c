/* torso.c: read a conductor, and copy the tissue's fibres and conductivities to its heart. */
#include "app/problem/torso.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/environment.h"
#include "kernels/base/array.h"
#include "solver/mesh/nearest.h"

static const char what[] = "the conductor";
static const char file_key[] = "ecg.conductor.file";

static const double node_slack = 1e-3; /* of an edge: how far outside a node of the tissue may be */

static enum status read_mesh(struct torso *torso, const struct config *config, struct faults *faults)
{
    const struct config_ecg *from = &config->ecg;
    struct mesh_notes notes;
    struct error inner = {0};
    const struct array_selection none = {.inputs = config->inputs};
    if (mesh_read(&torso->mesh, from->torso, isnan(from->torso_scale) ? 0 : from->torso_scale, &none, &notes,
                  &inner))
        return config_fault_found(faults, config, file_key, &inner);
    if (torso->mesh.dimension != 3)
        return config_fault(faults, config, file_key, "%s: has no tetrahedra", from->torso);
    if (mesh_is_mixed(&torso->mesh))
        return config_fault(faults, config, file_key,
                            "%s: a conductor is of tetrahedra alone; `cardiac mesh extract IN OUT --regions "
                            "TAGS` takes them out of what else the file has",
                            from->torso);
    return notes.health.components == 1
               ? STATUS_OK
               : config_fault(faults, config, file_key,
                              "%s: has %lld parts that no element joins; a conductor must be one",
                              from->torso, (long long)notes.health.components);
}

/* element_region[] <- the regions of the parts without cells, -1 elsewhere */
static enum status assign_passive(struct torso *torso, const struct config *config, struct faults *faults)
{
    const struct config_ecg *from = &config->ecg;
    const struct mesh *mesh = &torso->mesh;
    int first = torso->regions - from->passives;
    enum status status = STATUS_OK;
    uint8_t *tagged = array_new(mesh->elements, sizeof *tagged, what, &status, faults->error);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        torso->element_region[e] = -1;
    for (int p = 0; p < from->passives && (!status || status == STATUS_INPUT) && tagged; p++) {
        const struct tag_list *tags = &from->passive[p].tags;
        struct error inner = {0};
        int64_t count = 0, twice = -1;
        const struct config_key key = config_key("ecg.conductor.regions[%d].tags", p);
        if (environment_resolve_tags(tags, mesh, &inner)) {
            status = config_fault(faults, config, key.text, "%s", inner.text);
            continue;
        }
        environment_mark_tags(tagged, mesh, tags, LOCATION_ELEMENT);
        for (int64_t e = 0; e < mesh->elements; e++) {
            count += tagged[e];
            if (tagged[e] && torso->element_region[e] >= 0)
                twice = e;
            else if (tagged[e])
                torso->element_region[e] = first + p;
        }
        if (twice >= 0)
            status = config_fault(faults, config, key.text, "tag %d is already in another region",
                                  (int)mesh->tag[twice]);
        else if (count == 0)
            status = config_fault(faults, config, key.text, "no element of %s has such a tag", from->torso);
    }
    free(tagged);
    return status;
}

static void make_regions(struct torso *torso, const struct problem *problem, const struct config *config)
{
    int tissue = config->tissue.regions;
    for (int r = 0; r < torso->regions; r++) {
        struct region *region = &torso->region[r];
        region->isotropic = r < tissue ? config_bulk(region->diffusion, &config->tissue.region[r])
                                       : config_passive(region->diffusion, &config->ecg.passive[r - tissue]);
        if (r >= tissue)
            continue;
        memcpy(region->scale, problem->region[r].scale, sizeof region->scale);
        regions_renew_scale(region, torso->scale);
    }
}

/* Copies region, directions and factors of the tissue's element `from` to the conductor's element e. */
static void copy_element(struct torso *torso, double *fiber, double *sheet, int64_t e,
                         const struct problem *problem, const struct tensors *tissue, int64_t from)
{
    double axis[3][3] = {{0}};
    torso->element_region[e] = problem->element_region[from];
    tensor_axes(tissue, from, axis);
    memcpy(fiber + 3 * e, axis[0], sizeof axis[0]);
    memcpy(sheet + 3 * e, axis[1], sizeof axis[1]);
    for (int k = 0; k < 3 && torso->scale[k]; k++)
        torso->scale[k][e] = problem->scale[k][from];
}

/* corner[][4], from[] <- the nodes and element numbers of the tissue's tetrahedra; skips the lines of networks. Returns
 * their number. */
static int64_t list_tetrahedra(int32_t *corner, int32_t *from, const struct mesh *mesh)
{
    int64_t count = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        if (mesh_corners(mesh, e) == 4) {
            memcpy(corner + 4 * count, mesh->vertex + 4 * e, 4 * sizeof *corner);
            from[count++] = (int32_t)e;
        }
    return count;
}

/* Regions and directions of the heart's elements <- those of the tissue's element nearest to their centres */
static enum status lay_tissue(struct torso *torso, double *fiber, double *sheet,
                              const struct problem *problem, const struct config *config,
                              struct faults *faults)
{
    const struct mesh *mesh = &torso->mesh;
    const struct tensors tissue = {&problem->mesh, torso->region, problem->element_region,
                                   problem->params.fiber};
    struct nearest nearest = {0};
    int64_t stray = mesh->elements, hearts = 0, from = -1;
    enum status status = STATUS_OK;
    int32_t *corner = array_new(4 * problem->mesh.elements, sizeof *corner, what, &status, faults->error);
    int32_t *element = array_new(problem->mesh.elements, sizeof *element, what, &status, faults->error);
    if (!status)
        status = nearest_create(&nearest, problem->mesh.point, corner, 4,
                                list_tetrahedra(corner, element, &problem->mesh), faults->error);
    TRY_DONE(status);
#pragma omp parallel for schedule(dynamic, 256) firstprivate(from) reduction(min : stray) reduction(+ : hearts)
    for (int64_t e = 0; e < mesh->elements; e++) {
        double centre[3], distance;
        if (torso->element_region[e] >= 0)
            continue;
        mesh_centre(centre, mesh, e);
        from = nearest_find(&nearest, centre, from, &distance);
        hearts++;
        if (distance > mesh_longest_edge(mesh, e))
            stray = stray < e ? stray : e;
        copy_element(torso, fiber, sheet, e, problem, &tissue, element[from]);
    }
    double away = 0;
    if (stray < mesh->elements) {
        double centre[3];
        mesh_centre(centre, mesh, stray);
        nearest_find(&nearest, centre, -1, &away);
    }
    if (hearts == 0)
        status = config_fault(faults, config, "ecg.conductor.regions",
                              "have every element of %s: none is left for the heart, whose tag is in no list",
                              config->ecg.torso);
    else if (stray < mesh->elements)
        status = config_fault(faults, config, "ecg.conductor.regions",
                              "element %lld of %s has tag %d, which is in no list and so the heart's, but is "
                              "%.3g mm from the tissue",
                              (long long)stray, config->ecg.torso, (int)mesh->tag[stray], away);
done:
    nearest_free(&nearest);
    free(corner);
    free(element);
    return status;
}

/* fiber[], sheet[] <- the file's directions in the parts without cells, at elements */
static void lay_passive(const struct torso *torso, double *fiber, double *sheet, const struct config *config)
{
    const struct mesh *mesh = &torso->mesh;
    const struct tensors tensors = {mesh, torso->region, torso->element_region, NULL};
    int first = config->tissue.regions;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++)
        if (torso->element_region[e] >= first) {
            double axis[3][3] = {{0}};
            tensor_axes(&tensors, e, axis);
            memcpy(fiber + 3 * e, axis[0], sizeof axis[0]);
            memcpy(sheet + 3 * e, axis[1], sizeof axis[1]);
        }
}

/* The conductor's directions at elements <- the tissue's in the heart, the file's elsewhere */
static enum status lay_directions(struct torso *torso, const struct problem *problem,
                                  const struct config *config, struct faults *faults)
{
    struct mesh *mesh = &torso->mesh;
    const struct tensors tensors = {mesh, torso->region, torso->element_region, NULL};
    struct error inner = {0};
    enum status status = STATUS_OK;
    double *fiber = array_zeroed(3 * mesh->elements, sizeof *fiber, what, &status, faults->error);
    double *sheet = array_zeroed(3 * mesh->elements, sizeof *sheet, what, &status, faults->error);
    if (!status)
        status = lay_tissue(torso, fiber, sheet, problem, config, faults);
    if (!status)
        lay_passive(torso, fiber, sheet, config);
    free(mesh->fiber);
    free(mesh->sheet);
    mesh->fiber = fiber;
    mesh->sheet = sheet;
    mesh->fiber_location = LOCATION_ELEMENT;
    return !status && tensors_check(&tensors, &inner) ? config_fault_found(faults, config, file_key, &inner)
                                                      : status;
}

/* Finds node[] and electrode[]; adds a fault if nodes of the tissue are outside the conductor. */
static enum status locate_all(struct torso *torso, const struct problem *problem, const struct config *config,
                              struct faults *faults)
{
    const struct mesh *mesh = &torso->mesh, *tissue = &problem->mesh;
    const struct config_ecg *from = &config->ecg;
    int64_t outside = 0, worst = 0;
    enum status status = STATUS_OK;
    double *point = array_new(3 * (int64_t)from->positions, sizeof *point, what, &status, faults->error);
    TRY_DONE(status);
    for (int e = 0; e < from->positions; e++)
        memcpy(point + 3 * e, from->electrode[e].point, sizeof from->electrode[e].point);
    TRY_DONE(conductor_locate(torso->node, mesh, tissue->point, tissue->nodes, point, from->positions,
                              faults->error));
    torso->electrode = torso->node + tissue->nodes;
    for (int64_t i = 0; i < tissue->nodes; i++) {
        const struct conductor_position *position = &torso->node[i];
        outside += position->distance > 0 &&
                   position->distance > node_slack * mesh_longest_edge(mesh, position->element);
        worst = position->distance > torso->node[worst].distance ? i : worst;
    }
    if (outside > 0)
        status = config_fault(
            faults, config, file_key,
            "%lld of %lld nodes of the tissue lie outside the conductor, node %lld by %.3g mm",
            (long long)outside, (long long)tissue->nodes, (long long)worst, torso->node[worst].distance);
done:
    free(point);
    return status;
}

static double volume(const struct mesh *mesh, const int32_t *region, int below)
{
    double sum = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        sum += region[e] < below && mesh_corners(mesh, e) == 4 ? mesh_measure(mesh, e) / 6 : 0;
    return sum;
}

static enum status fill(struct torso *torso, const struct problem *problem, const struct config *config,
                        struct faults *faults)
{
    enum status status = read_mesh(torso, config, faults);
    if (status)
        return status;
    int64_t elements = torso->mesh.elements;
    torso->regions = config->tissue.regions + config->ecg.passives;
    torso->region = array_zeroed(torso->regions, sizeof *torso->region, what, &status, faults->error);
    torso->element_region = array_new(elements, sizeof *torso->element_region, what, &status, faults->error);
    for (int k = 0; k < 3 && problem->scale[k]; k++)
        torso->scale[k] = array_zeroed(elements, sizeof *torso->scale[k], what, &status, faults->error);
    torso->node = array_new(problem->mesh.nodes + config->ecg.positions, sizeof *torso->node, what, &status,
                            faults->error);
    if (status)
        return status;
    make_regions(torso, problem, config);
    TRY(assign_passive(torso, config, faults));
    TRY(lay_directions(torso, problem, config, faults));
    TRY(locate_all(torso, problem, config, faults));
    torso->heart = volume(&torso->mesh, torso->element_region, config->tissue.regions);
    torso->tissue = volume(&problem->mesh, problem->element_region, config->tissue.regions);
    return STATUS_OK;
}

enum status torso_create(struct problem *problem, const struct config *config, struct faults *faults)
{
    enum status status = STATUS_OK;
    if (!config->ecg.torso || config->ecg.electrodes == 0)
        return STATUS_OK;
    if (problem->mesh.dimension != 3)
        return config_fault(faults, config, "ecg.conductor",
                            "the tissue must be of tetrahedra, which a conductor contains");
    problem->torso = array_zeroed(1, sizeof *problem->torso, what, &status, faults->error);
    return status ? status : fill(problem->torso, problem, config, faults);
}

void torso_free(struct torso *torso)
{
    if (!torso)
        return;
    mesh_free(&torso->mesh);
    free(torso->region);
    free(torso->element_region);
    for (int k = 0; k < 3; k++)
        free(torso->scale[k]);
    free(torso->node);
    free(torso);
}

/* The electrode farthest outside */
static int farthest(const struct torso *torso, int electrodes)
{
    int worst = 0;
    for (int e = 1; e < electrodes; e++)
        worst = torso->electrode[e].distance > torso->electrode[worst].distance ? e : worst;
    return worst;
}

void torso_describe(FILE *file, const struct problem *problem, const struct config *config)
{
    const struct torso *torso = problem->torso;
    if (!torso)
        return;
    int worst = farthest(torso, config->ecg.positions);
    fprintf(
        file,
        "conductor: %lld nodes, %lld tetrahedra; its heart has %.4g mm^3, the tissue %.4g mm^3; electrodes "
        "are at most %.3g mm outside (%s), and moved to its surface\n",
        (long long)torso->mesh.nodes, (long long)torso->mesh.elements, torso->heart, torso->tissue,
        torso->electrode[worst].distance, config->ecg.electrode[worst].name);
}

void torso_warning(FILE *file, const struct problem *problem, const struct config *config)
{
    const struct torso *torso = problem->torso;
    int far = 0;
    if (!torso)
        return;
    for (int e = 0; e < config->ecg.positions; e++)
        far += torso->electrode[e].distance > mesh_longest_edge(&torso->mesh, torso->electrode[e].element);
    int worst = farthest(torso, config->ecg.positions);
    if (fabs(torso->heart / torso->tissue - 1) > 0.1)
        fprintf(file,
                "ecg.conductor: its heart, elements of tags in no list of regions, has %.4g mm^3, the tissue "
                "%.4g mm^3\n",
                torso->heart, torso->tissue);
    else if (far > 0)
        fprintf(
            file,
            "ecg.conductor: electrodes far outside were moved to its surface: %d, of these %s by %.3g mm\n",
            far, config->ecg.electrode[worst].name, torso->electrode[worst].distance);
}

enum status torso_fields(double *field, const struct problem *problem, const struct config *config,
                         struct error *error)
{
    const struct torso *torso = problem->torso;
    const struct tensors tensors = {&torso->mesh, torso->region, torso->element_region, NULL};
    return conductor_fields(field, &tensors, torso->electrode, config->ecg.positions, torso->node,
                            problem->mesh.nodes, error);
}

double torso_bytes(const struct problem *problem)
{
    const struct torso *torso = problem->torso;
    return torso ? mesh_bytes(&torso->mesh) +
                       (double)torso->mesh.elements *
                           (4 + 8 * (!!torso->scale[0] + !!torso->scale[1] + !!torso->scale[2])) +
                       (double)problem->mesh.nodes * sizeof *torso->node
                 : 0;
}

double torso_set_up_bytes(const struct problem *problem)
{
    return problem->torso ? conductor_bytes(&problem->torso->mesh) : 0;
}
