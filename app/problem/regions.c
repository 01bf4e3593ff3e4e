/* regions.c: assign elements and nodes to regions by tag and position. */
#include "app/problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_report.h"
#include "kernels/base/array.h"

static const char what[] = "the regions";

enum { MOST_STRAYS = 20 };

/* Tags that no region has: dimension of their elements, and number of elements */
struct strays {
    int32_t tag[MOST_STRAYS];
    int dimension[MOST_STRAYS];
    int64_t elements[MOST_STRAYS];
    int tags;
};

static void count_stray(struct strays *strays, int32_t tag, int dimension)
{
    int k = 0;
    while (k < strays->tags && (strays->tag[k] != tag || strays->dimension[k] != dimension))
        k++;
    if (k == MOST_STRAYS)
        return;
    if (k == strays->tags) {
        strays->dimension[k] = dimension;
        strays->tag[strays->tags++] = tag;
        strays->elements[k] = 0;
    }
    strays->elements[k]++;
}

/* Refuses a tag of region r (perhaps given by name) that an earlier region without `where` already has. */
static enum status check_claimed(const struct config *config, int r, const char *key, struct faults *faults)
{
    const struct config_region *region = config->tissue.region;
    for (int q = 0; q < r && !region[r].where; q++)
        for (int k = 0; k < region[r].tags.count && !region[q].where; k++)
            if (config_tag_listed(&region[q].tags, region[r].tags.tag[k], region[r].tags.dimension[k]))
                return config_fault(faults, config, key, "tag %d is already in another region",
                                    (int)region[r].tags.tag[k]);
    return STATUS_OK;
}

/* Resolves the named tags of the regions on the mesh. */
static enum status resolve_tags(const struct mesh *mesh, const struct config *config, struct faults *faults)
{
    enum status status = STATUS_OK;
    for (int r = 0; r < config->tissue.regions; r++) {
        struct error inner;
        const struct config_key key = config_key("tissue.regions[%d].tags", r);
        if (environment_resolve_tags(&config->tissue.region[r].tags, mesh, &inner))
            FAULTS_TRY(config_fault(faults, config, key.text, "%s", inner.text));
        FAULTS_TRY(check_claimed(config, r, key.text, faults));
    }
    return status;
}

/* of[count] <- r where it is -1 and both holds[] and tagged[] are not 0 (NULL = everywhere). Returns the number of
 * entries where both hold, including those already assigned. */
static int64_t claim_unclaimed(int32_t *of, int64_t count, int r, const uint8_t *tagged, const double *holds)
{
    int64_t claimed = 0;
#pragma omp parallel for schedule(static) reduction(+ : claimed)
    for (int64_t i = 0; i < count; i++) {
        bool has = (!tagged || tagged[i]) && (!holds || holds[i] != 0);
        claimed += has;
        if (has && of[i] < 0)
            of[i] = (int32_t)r;
    }
    return claimed;
}

/* values[] <- the expression at `key` of the config */
static enum status evaluate_key(double *values, struct environment *environment, const struct where *where,
                                enum location location, const struct config *config, const char *key,
                                struct faults *faults)
{
    struct error inner = {0};
    int at;
    return environment_values(environment, where, location, values, &at, &inner)
               ? config_fault_within(faults, config, key, at, &inner)
               : STATUS_OK;
}

/* of[] <- the region of each element or node, -1 = none; claimed[r] += the number that match region r */
static enum status assign_regions(int32_t *of, enum location location, const struct config *config,
                                  struct environment *environment, int64_t *claimed, struct faults *faults)
{
    const struct mesh *mesh = environment->mesh;
    int64_t count = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    enum status status = STATUS_OK;
    uint8_t *tagged = array_new(count, sizeof *tagged, what, &status, faults->error);
    double *holds = NULL;
    if (config_regions_by_position(config))
        holds = array_new(count, sizeof *holds, what, &status, faults->error);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (status ? 0 : count); i++)
        of[i] = -1;
    for (int r = 0; r < config->tissue.regions && (!status || status == STATUS_INPUT) && tagged; r++) {
        const struct config_region *region = &config->tissue.region[r];
        enum status found = STATUS_OK;
        if (location == LOCATION_NODE && config_is_resistor(region))
            continue; /* resistors have no cells */
        if (region->where)
            found = evaluate_key(holds, environment, region->where, location, config,
                                 config_key("tissue.regions[%d].where", r).text, faults);
        environment_mark_tags(tagged, mesh, &region->tags, location);
        if (!found)
            claimed[r] += claim_unclaimed(of, count, r, tagged, region->where ? holds : NULL);
        status = found ? found : status;
    }
    free(tagged);
    free(holds);
    return status;
}

static bool is_junction(const struct config *config, int32_t tag)
{
    bool is = false;
    for (int n = 0; n < config->mesh.networks; n++)
        is = is || (config->mesh.network[n].junctions == NETWORK_ENDS &&
                    config->mesh.network[n].junction_tag == tag);
    return is;
}

static enum status check_elements(const struct problem *problem, const struct config *config,
                                  struct faults *faults)
{
    const struct mesh *mesh = &problem->mesh;
    struct strays strays = {.tags = 0};
    const bool is_carp = strcmp(problem->notes.format, "openCARP") == 0;
    enum status status = STATUS_OK;
    for (int64_t e = 0; e < mesh->elements; e++)
        if (problem->element_region[e] < 0)
            count_stray(&strays, mesh->tag[e], mesh_corners(mesh, e) - 1);
    for (int k = 0; k < strays.tags; k++)
        status = config_fault(faults, config, "tissue.regions",
                              "%lld %s with tag %d belong to no region; %s`cardiac mesh extract IN OUT "
                              "--regions TAGS` takes what is no tissue out of the mesh",
                              (long long)strays.elements[k],
                              mesh_is_mixed(mesh) ? mesh_elements_name(strays.dimension[k]) : "elements",
                              strays.tag[k],
                              strays.tag[k] == 0 && is_carp ? "0 is openCARP's tag of a bath: "
                                                            : "add the tag to one of them, or ");
    for (int r = 0; r < config->tissue.regions; r++)
        for (int k = 0; k < config->tissue.region[r].tags.count; k++) {
            int32_t tag = config->tissue.region[r].tags.tag[k];
            if (!environment_tag_there(&config->tissue.region[r].tags, k, mesh))
                status = config_fault(faults, config, config_key("tissue.regions[%d].tags", r).text,
                                      "no element of the mesh has tag %d%s", tag,
                                      is_junction(config, tag)
                                          ? ": no end of its network has a node of the mesh within radius"
                                          : "");
        }
    return status;
}

static enum status check_nodes(const struct problem *problem, const struct config *config,
                               struct faults *faults)
{
    int64_t strays = 0, first = -1;
    for (int64_t i = problem->mesh.nodes - 1; i >= 0; i--)
        if (problem->node_region[i] < 0) {
            strays++;
            first = i;
            if (!config_regions_by_position(config))
                problem->node_region[i] = 0; /* a node of resistors only: lines_check() refuses it */
        }
    if (!strays || !config_regions_by_position(config))
        return STATUS_OK;
    const double *p = problem->mesh.point + 3 * first;
    return config_fault(faults, config, "tissue.regions",
                        "%lld nodes belong to no region, the first at [%.6g mm, %.6g mm, %.6g mm]; add a "
                        "last region without `where` for the rest",
                        (long long)strays, p[0], p[1], p[2]);
}

static enum status check_found(const struct problem *problem, const struct config *config,
                               struct faults *faults)
{
    enum status status = check_elements(problem, config, faults);
    if (problem->node_region)
        FAULTS_TRY(check_nodes(problem, config, faults));
    return status;
}

/* problem->scale[k] <- the factor of direction k at the elements of region r */
static enum status evaluate_scale(struct problem *problem, int k, const struct config *config, int r,
                                  struct environment *environment, struct faults *faults)
{
    static const char *const direction[] = {".longitudinal", ".transverse", ".normal"};
    const struct config_region *from = &config->tissue.region[r];
    const struct config_key key =
        config_key("tissue.regions[%d].scale%s", r, from->scale ? "" : direction[k]);
    const struct where *factor = from->scale ? from->scale : from->scale_axis[k];
    const int64_t elements = problem->mesh.elements;
    enum status status = STATUS_OK;
    double *value = array_new(elements, sizeof *value, what, &status, faults->error);
    if (!status && !problem->scale[k])
        problem->scale[k] = array_zeroed(elements, sizeof *value, what, &status, faults->error);
    for (int64_t e = 0; e < elements && !status && !factor; e++)
        value[e] = 1;
    if (!status && factor)
        status = evaluate_key(value, environment, factor, LOCATION_ELEMENT, config, key.text, faults);
    for (int64_t e = 0; e < elements && !status; e++) {
        if (problem->element_region[e] != r)
            continue;
        problem->scale[k][e] = value[e];
        if (!(value[e] >= 0 && value[e] < HUGE_VAL))
            status = config_fault(faults, config, key.text, "is %g in element %lld; it must be at least 0",
                                  value[e], (long long)e);
    }
    problem->region[r].scale[k] = problem->scale[k];
    free(value);
    return status;
}

/* problem->scale[] <- the factors of all regions that have them; a factor for all directions is in scale[0] */
static enum status assign_scale(struct problem *problem, const struct config *config,
                                struct environment *environment, struct faults *faults)
{
    enum status status = STATUS_OK;
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct config_region *from = &config->tissue.region[r];
        enum status found = STATUS_OK;
        if ((status && status != STATUS_INPUT) ||
            !(from->scale || from->scale_axis[0] || from->scale_axis[1] || from->scale_axis[2]))
            continue;
        const int arrays = from->scale ? 1 : from->scale_axis[1] == from->scale_axis[2] ? 2 : 3;
        for (int k = 0; k < arrays && !found; k++)
            found = evaluate_scale(problem, k, config, r, environment, faults);
        for (int k = arrays; k < 3; k++)
            problem->region[r].scale[k] = problem->region[r].scale[arrays - 1];
        status = found ? found : status;
    }
    return status;
}

void regions_renew_scale(struct region *region, double *const scale[3])
{
    const double *const was[] = {region->scale[0], region->scale[1], region->scale[2]};
    for (int k = 0; k < 3; k++)
        region->scale[k] = was[k] ? scale[was[k] == was[0] ? 0 : was[k] == was[1] ? 1 : 2] : NULL;
}

enum status regions_assign(struct problem *problem, const struct config *config,
                           struct environment *environment, struct faults *faults)
{
    int regions = config->tissue.regions;
    enum status status = resolve_tags(environment->mesh, config, faults);
    if (status)
        return status;
    int64_t *claimed = array_zeroed(regions, sizeof *claimed, what, &status, faults->error);
    bool resistors = false;
    for (int r = 0; r < regions; r++)
        resistors = resistors || config_is_resistor(&config->tissue.region[r]);
    if (config_regions_by_position(config) || resistors)
        problem->node_region =
            array_new(problem->mesh.nodes, sizeof *problem->node_region, what, &status, faults->error);
    if (status)
        goto done;
    TRY_DONE(assign_regions(problem->element_region, LOCATION_ELEMENT, config, environment, claimed, faults));
    if (problem->node_region)
        TRY_DONE(assign_regions(problem->node_region, LOCATION_NODE, config, environment, claimed, faults));
    TRY_DONE(check_found(problem, config, faults));
    for (int r = 0; r < regions && !status; r++)
        if (config->tissue.region[r].where && claimed[r] == 0)
            status = config_fault(faults, config, config_key("tissue.regions[%d].where", r).text,
                                  "it holds at no element or node of the mesh");
    if (!status)
        status = assign_scale(problem, config, environment, faults);
done:
    free(claimed);
    return status;
}

void regions_of_nodes(int32_t *region, const struct problem *problem)
{
    const struct mesh *mesh = &problem->mesh;
    if (problem->node_region)
        memcpy(region, problem->node_region, (size_t)mesh->nodes * sizeof *region);
    else
        mesh_node_regions(mesh, problem->element_region, problem->params.regions, region);
}
