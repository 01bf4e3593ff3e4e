/* lines.c: join networks to the mesh; check cross-sections and masses. */
#include "app/problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/meshio/mesh_report.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/printed.h"
#include "solver/matrix/tensor.h"

static const char what[] = "the networks";

/* Checks that no element of the mesh itself has a tag of a network. */
static enum status check_tags(const struct mesh *mesh, const struct config *config, struct faults *faults)
{
    enum status status = STATUS_OK;
    for (int n = 0; n < config->mesh.networks; n++) {
        const struct config_network *network = &config->mesh.network[n];
        for (int k = 0; k < 2; k++) {
            const int tag = k ? network->junction_tag : network->tag;
            bool used = false;
            for (int64_t e = 0; tag > 0 && e < mesh->elements; e++)
                used = used || mesh->tag[e] == tag;
            if (used)
                FAULTS_TRY(config_fault(faults, config,
                                        config_key("mesh.network[%d].%s", n, k ? "junction_tag" : "tag").text,
                                        "the mesh has elements of tag %d; choose another", tag));
        }
    }
    return status;
}

static enum status join(struct problem_mesh *to, int n, const struct config *config, struct error *error)
{
    const struct array_selection none = {.inputs = config->inputs};
    const struct config_network *from = &config->mesh.network[n];
    double scale = isnan(from->scale) ? config->mesh.scale : from->scale;
    struct network network = {.tag = from->tag,
                              .junction = from->junctions == NETWORK_ENDS ? from->junction_tag : 0,
                              .fused = from->junctions == NETWORK_FUSED,
                              .radius = from->radius};
    enum status status;
    TRY_DONE(mesh_read(&network.lines, from->file, isnan(scale) ? 0 : scale, &none, NULL, error));
    status = mesh_join_network(&to->mesh, &network, &to->network[n], error);
done:
    mesh_free(&network.lines);
    return status;
}

enum status lines_join(struct problem_mesh *to, const struct config *config, struct faults *faults)
{
    enum status status = STATUS_OK;
    to->network = array_zeroed(config->mesh.networks, sizeof *to->network, what, &status, faults->error);
    TRY(status);
    TRY(check_tags(&to->mesh, config, faults));
    for (int n = 0; n < config->mesh.networks; n++) {
        struct error inner = {0};
        if (join(to, n, config, &inner))
            FAULTS_TRY(
                config_fault_found(faults, config, config_key("mesh.network[%d].file", n).text, &inner));
    }
    return status;
}

/* The elements of a region of one dimension: their number and first few tags */
struct counted {
    int64_t elements;
    int tags;
    int32_t tag[8];
    char text[200];
};

static void count_elements(struct counted *counted, const struct problem *problem, int r, int dimension)
{
    enum { SHOWN = sizeof counted->tag / sizeof *counted->tag };
    const struct mesh *mesh = &problem->mesh;
    *counted = (struct counted){0};
    for (int64_t e = 0; e < mesh->elements; e++) {
        int k = 0;
        if (problem->element_region[e] != r || mesh_corners(mesh, e) != dimension + 1)
            continue;
        counted->elements++;
        while (k < counted->tags && counted->tag[k] != mesh->tag[e])
            k++;
        if (k == counted->tags && k < SHOWN)
            counted->tag[counted->tags++] = mesh->tag[e];
    }
    compare_sort_few(counted->tag, counted->tags);
    for (int k = 0; k < counted->tags; k++)
        printed_item(counted->text, sizeof counted->text, "tag %d", counted->tag[k]);
}

/* Whether cross-sections matter: the mesh is mixed, or a region has one or consists of resistors */
static bool needs_sections(const struct problem *problem)
{
    bool given = mesh_is_mixed(&problem->mesh);
    for (int r = 0; r < problem->params.regions; r++) {
        const struct region *region = &problem->region[r];
        given = given || region->section[1] > 0 || region->section[2] > 0 || region->resistor;
    }
    return given;
}

/* Checks that resistors are lines, that other lines and triangles of a region have a cross-section, and that a given
 * cross-section applies to some element. */
static enum status check_section(const struct problem *problem, const struct config *config, int r, int d,
                                 struct faults *faults)
{
    static const char *const needed[4] = {"", "need a radius", "need thickness", ""};
    const struct region *region = &problem->region[r];
    const double section = region->section[d];
    struct counted counted;
    count_elements(&counted, problem, r, d);
    if (region->resistor && d > 1 && counted.elements > 0)
        return config_fault(faults, config, config_key("tissue.regions[%d].conductance", r).text,
                            "%lld %s (%s) are not lines; a resistor is a line", (long long)counted.elements,
                            mesh_elements_name(d), counted.text);
    if (!region->resistor && d < 3 && counted.elements > 0 && !(section > 0))
        return config_fault(faults, config, config_key("tissue.regions[%d]", r).text,
                            "%lld %s (%s) %s: the mesh has elements of several dimensions, or other "
                            "regions have a cross-section",
                            (long long)counted.elements, mesh_elements_name(d), counted.text, needed[d]);
    if (counted.elements == 0 && section > 0)
        return config_fault(faults, config,
                            config_key("tissue.regions[%d].%s", r, d == 2 ? "thickness" : "radius").text,
                            "the region has no %s", mesh_elements_name(d));
    return STATUS_OK;
}

/* mass[nodes] <- the lumped mass from all elements; lines[nodes] <- from elements of lower dimension than the mesh */
static enum status find_masses(double **mass, double **lines, const struct problem *problem,
                               struct error *error)
{
    const struct mesh *mesh = &problem->mesh;
    const struct tensors tensors = {mesh, problem->region, problem->element_region, problem->params.fiber};
    enum status status = STATUS_OK;
    *mass = array_zeroed(mesh->nodes, sizeof **mass, what, &status, error);
    *lines = array_zeroed(mesh->nodes, sizeof **lines, what, &status, error);
    for (int64_t e = 0; e < mesh->elements && !status; e++) {
        const int corners = mesh_corners(mesh, e);
        double k[4][4], own = tensor_stiffness(&tensors, e, k) / corners;
        for (int c = 0; c < corners; c++) {
            int32_t i = mesh->vertex[e * (mesh->dimension + 1) + c];
            (*mass)[i] += own;
            (*lines)[i] += corners <= mesh->dimension ? own : 0;
        }
    }
    return status;
}

/* problem->fused <- the number of nodes shared by elements of the highest dimension and of lower ones; fused_share <-
 * the mean share of their mass that comes from the lower ones */
static void note_fused(struct problem *problem, const double *mass, const double *lines)
{
    double share = 0;
    for (int64_t i = 0; i < problem->mesh.nodes; i++)
        if (lines[i] > 0 && lines[i] < mass[i]) {
            problem->fused++;
            share += lines[i] / mass[i];
        }
    problem->fused_share = problem->fused ? share / (double)problem->fused : 0;
}

/* Checks that every node has mass, and every line except resistors a length. */
static enum status check_masses(struct problem *problem, const struct config *config, struct faults *faults)
{
    const struct mesh *mesh = &problem->mesh;
    double *mass = NULL, *lines = NULL;
    int64_t empty = 0, first = -1, flat = 0, flat_element = -1;
    enum status status = find_masses(&mass, &lines, problem, faults->error);
    for (int64_t i = mesh->nodes - 1; i >= 0 && !status; i--)
        if (!(mass[i] > 0)) {
            empty++;
            first = i;
        }
    for (int64_t e = mesh->elements - 1; e >= 0 && !status; e--) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        if (mesh_corners(mesh, e) == 2 && !problem->region[problem->element_region[e]].resistor &&
            !(mesh_distance(mesh->point + 3 * (int64_t)vertex[0], mesh->point + 3 * (int64_t)vertex[1]) >
              0)) {
            flat++;
            flat_element = e;
        }
    }
    if (!status)
        note_fused(problem, mass, lines);
    free(mass);
    free(lines);
    if (status)
        return status;
    if (flat > 0)
        return config_fault(faults, config, "tissue.regions",
                            "%lld lines without length are no resistors, the first element %lld (counted "
                            "from 0)",
                            (long long)flat, (long long)flat_element);
    if (empty == 0)
        return STATUS_OK;
    return config_fault(faults, config, "tissue.regions",
                        "%lld nodes belong to resistors alone and have no membrane, the first at [%.6g mm, "
                        "%.6g mm, %.6g mm]",
                        (long long)empty, mesh->point[3 * first], mesh->point[3 * first + 1],
                        mesh->point[3 * first + 2]);
}

/* Divides problem->scale[0] of each network junction by the number of junctions at its end; scale[0] must exist. */
static enum status share_junctions(struct problem *problem, const struct config *config, struct error *error)
{
    const struct mesh *mesh = &problem->mesh;
    const int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    int32_t *count = array_zeroed(mesh->nodes, sizeof *count, what, &status, error);
    uint8_t *shared = array_zeroed(mesh->elements, sizeof *shared, what, &status, error);
    for (int64_t e = 0; e < mesh->elements && !status; e++)
        for (int n = 0; n < config->mesh.networks && !shared[e]; n++) {
            const struct config_network *network = &config->mesh.network[n];
            shared[e] = network->junctions == NETWORK_ENDS && mesh->tag[e] == network->junction_tag;
            count[mesh->vertex[e * corners]] += shared[e];
        }
    for (int64_t e = 0; e < mesh->elements && !status; e++) {
        struct region *region = &problem->region[problem->element_region[e]];
        if (!region->resistor)
            continue;
        if (!region->scale[0])
            problem->scale[0][e] = 1;
        if (shared[e])
            problem->scale[0][e] /= count[mesh->vertex[e * corners]];
    }
    for (int r = 0; r < problem->params.regions && !status; r++)
        if (problem->region[r].resistor)
            problem->region[r].scale[0] = problem->scale[0];
    free(count);
    free(shared);
    return status;
}

enum status lines_check(struct problem *problem, const struct config *config, struct faults *faults)
{
    enum status status = STATUS_OK;
    if (!needs_sections(problem))
        return STATUS_OK;
    for (int r = 0; r < problem->params.regions; r++)
        for (int d = 1; d < 4; d++)
            FAULTS_TRY(check_section(problem, config, r, d, faults));
    if (status)
        return status;
    if (config->mesh.networks > 0) {
        if (!problem->scale[0])
            problem->scale[0] =
                array_zeroed(problem->mesh.elements, sizeof **problem->scale, what, &status, faults->error);
        TRY(status);
        TRY(share_junctions(problem, config, faults->error));
    }
    return check_masses(problem, config, faults);
}

static void describe_network(FILE *file, const struct network_report *report, int n)
{
    fprintf(file, "network %d: %lld tree%s, %lld end%s", n, (long long)report->trees,
            report->trees == 1 ? "" : "s", (long long)report->ends, report->ends == 1 ? "" : "s");
    if (report->ends > report->free)
        fprintf(file, ", %lld of them %.3g to %.3g mm from the nearest node of the mesh",
                (long long)(report->ends - report->free), report->least, report->most);
    fprintf(file, "; %lld resistor%s\n", (long long)report->junctions, report->junctions == 1 ? "" : "s");
}

void lines_describe(FILE *file, const struct problem *problem)
{
    for (int n = 0; n < problem->networks; n++)
        describe_network(file, &problem->network[n], n);
    if (problem->fused > 0)
        fprintf(file,
                "fused: %lld nodes belong to %s and to elements of a lower dimension, on average %.3g %% of "
                "their mass\n",
                (long long)problem->fused, mesh_elements_name(problem->mesh.dimension),
                100 * problem->fused_share);
}

void lines_warning(FILE *file, const struct problem *problem)
{
    int64_t ends = 0, free = 0, trees = 0, loose = 0, doubles = 0;
    double farthest = 0;
    for (int n = 0; n < problem->networks; n++) {
        const struct network_report *report = &problem->network[n];
        ends += report->ends;
        free += report->free;
        trees += report->trees;
        loose += report->loose;
        doubles += report->doubles;
        farthest = fmax(farthest, report->farthest);
    }
    if (doubles > 0)
        fprintf(file,
                "mesh.network: %lld nodes at the same place as another one of a network; no current flows "
                "between them: give lines that meet one node\n",
                (long long)doubles);
    else if (free > 0)
        fprintf(
            file,
            "mesh.network: %lld of %lld ends have no node of the mesh within radius, the farthest is %.3g "
            "mm away; %lld of %lld trees are joined nowhere\n",
            (long long)free, (long long)ends, farthest, (long long)loose, (long long)trees);
    else if (loose > 0)
        fprintf(file, "mesh.network: %lld of %lld trees are joined nowhere\n", (long long)loose,
                (long long)trees);
}
