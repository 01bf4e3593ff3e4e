/* test_places.c: regions, factors and stimuli by expressions on real meshes, against the same written in C
 * from the mesh's arrays, and where in a config the faults of names are marked. */
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_file.h"
#include "app/problem/heart.h"
#include "app/problem/problem.h"
#include "solver/cells/stimulus.h"
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"
#include "tests/support/septum.h"

static const char mesh_path[] = "places.msh";

static const char head[] = "version: 1\n"
                           "time: {end: 1 ms, step: 0.02 ms}\n";
static const char ellipsoid[] = "mesh: {ellipsoid: {size: [5 mm, 12 mm, 3 mm], edge: 1.7 mm}}\n";
static const char named[] =
    "mesh: {ellipsoid: {size: [5 mm, 12 mm, 3 mm], edge: 1.7 mm}, surfaces: {base: 1, epi: 2, lv: 3}}\n";
static const char tagged[] = "mesh: {file: places.msh, scale: 1 mm}\n";

static void parse(struct config *config, const char *mesh, const char *rest, struct error *error)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%stissue:\n  surface_to_volume: 1400 /cm\n%s", head, mesh, rest);
    CHECK_OK(config_parse(config, "places.yaml", "", text, strlen(text), NULL, 0, error), *error);
}

static void make(struct config *config, struct problem *problem, const char *mesh, const char *rest)
{
    struct error error = {0};
    parse(config, mesh, rest, &error);
    CHECK_OK(problem_create(problem, config, NULL, &error), error);
}

static void finish(struct config *config, struct problem *problem)
{
    problem_free(problem);
    config_free(config);
}

static double mean(const struct mesh *mesh, const double *value, int stride, int64_t e)
{
    double sum = 0;
    for (int c = 0; c <= mesh->dimension; c++)
        sum += value[mesh->vertex[e * (mesh->dimension + 1) + c] * stride];
    return sum / (mesh->dimension + 1);
}

/* A slab of tags 1, 2 and 3 along x, each of a third */
static void write_tagged(void)
{
    const double size[3] = {3, 1, 0.75};
    struct mesh mesh;
    struct error error = {0};
    CHECK_OK(mesh_slab(&mesh, size, 0.25, &error), error);
    for (int64_t e = 0; e < mesh.elements; e++)
        mesh.tag[e] = 1 + (int32_t)mean(&mesh, mesh.point, 3, e);
    double *label = calloc((size_t)mesh.nodes, sizeof *label), *fibrosis = calloc((size_t)mesh.elements, 8);
    CHECK(label && fibrosis, "no memory");
    for (int64_t i = 0; i < mesh.nodes; i++)
        label[i] = (double)(i % 4);
    for (int64_t e = 0; e < mesh.elements; e++)
        fibrosis[e] = (double)(e % 9) / 8;
    CHECK_OK(mesh_fields_add(&mesh.fields, "label", LOCATION_NODE, 1, label, &error), error);
    CHECK_OK(mesh_fields_add(&mesh.fields, "fibrosis", LOCATION_ELEMENT, 1, fibrosis, &error), error);
    CHECK_OK(mesh_names_add(&mesh.names, "scar", 3, 2, &error), error);
    CHECK_OK(mesh_write(&mesh, mesh_path, true, &error), error);
    mesh_free(&mesh);
}

/* The first region that has tag and place, element by element and node by node; a factor on some; nodes of a
 * stimulus. Tags of a node are those of its elements. */
static void test_slab(void)
{
    struct config config;
    struct problem problem;
    make(
        &config, &problem, tagged,
        "  regions:\n"
        "    - {where: y < 0.4 mm and tag != 2, model: passive, conductivity: 0.1 S/m, scale: 0.5}\n"
        "    - {tags: [2, 3], where: 'random(0.4, 9)', model: mitchell-schaeffer, conductivity: 0.1 S/m,\n"
        "       scale: x / (2 mm)}\n"
        "    - {model: tp06-epi, conductivity: 0.2 S/m}\n"
        "stimuli:\n"
        "  - {where: tag = 2 and 0.25 mm <= z, duration: 1 ms, current: 50 uA/uF}\n"
        "  - {where: 'box([0 mm, 0 mm, 0 mm], [0.5 mm, 0.5 mm, 0.5 mm])', duration: 1 ms, current: 9 uA/uF}\n"
        "  - {box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}, duration: 1 ms, current: 9 uA/uF}\n");
    const struct mesh *mesh = &problem.mesh;
    int64_t of[3] = {0}, moved = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double x = mean(mesh, mesh->point, 3, e), y = mean(mesh, mesh->point + 1, 3, e);
        int want = y < 0.4 && mesh->tag[e] != 2 ? 0 : mesh->tag[e] != 1 && where_random(9, e) < 0.4 ? 1 : 2;
        CHECK(problem.element_region[e] == want, "element %d: %d", (int)e, problem.element_region[e]);
        if (want < 2)
            CHECK(problem.region[want].scale[0][e] == (want ? x / 2 : 0.5), "element %d: %g", (int)e,
                  problem.region[want].scale[0][e]);
        of[want]++;
    }
    CHECK(of[0] > 20 && of[1] > 20 && of[2] > 20 && !problem.region[2].scale[0], "%d %d %d", (int)of[0],
          (int)of[1], (int)of[2]);
    uint8_t *tags = calloc((size_t)mesh->nodes, 1), *stimulated = calloc((size_t)mesh->nodes, 1);
    CHECK(tags && stimulated, "no memory");
    for (int64_t k = 0; k < 4 * mesh->elements; k++) {
        tags[mesh->vertex[k]] |= (uint8_t)(1 << mesh->tag[k / 4]);
        stimulated[mesh->vertex[k]] |= mesh->tag[k / 4] == 2 && mean(mesh, mesh->point + 2, 3, k / 4) > 0.25;
    }
    for (int64_t i = 0, k = 0; i < mesh->nodes; i++) {
        int want = mesh->point[3 * i + 1] < 0.4 && !(tags[i] & 4) ? 0
                   : tags[i] & 12 && where_random(9, i) < 0.4     ? 1
                                                                  : 2;
        CHECK(problem.node_region[i] == want, "node %d: %d", (int)i, problem.node_region[i]);
        bool found = k < problem.stimulus[0].nodes && problem.stimulus[0].node[k] == i;
        CHECK(stimulated[i] == found, "node %d: %d", (int)i, found);
        k += found;
        moved += found;
    }
    CHECK(moved > 5 && problem.params.node_region == problem.node_region, "%d nodes", (int)moved);
    CHECK(problem.stimulus[1].nodes == 27 && problem.stimulus[2].nodes == 27 &&
              memcmp(problem.stimulus[1].node, problem.stimulus[2].node, 27 * sizeof(int32_t)) == 0,
          "box(..) is not the box of %d nodes", (int)problem.stimulus[2].nodes);
    free(tags), free(stimulated);
    finish(&config, &problem);
}

/* Arrays of the mesh file at nodes and elements, each asked for at both, and a tag by its name there */
static void test_fields(void)
{
    struct config config;
    struct problem problem;
    make(&config, &problem, tagged,
         "  regions:\n"
         "    - {where: label = 2 or fibrosis > 0.8 and tag = scar, model: passive, conductivity: 0.1 S/m,\n"
         "       scale: 1 - 0.5 * fibrosis + label}\n"
         "    - {model: tp06-epi, conductivity: 0.2 S/m}\n"
         "stimuli:\n"
         "  - {where: tag = scar and fibrosis > 0.4, duration: 1 ms, current: 50 uA/uF}\n");
    const struct mesh *mesh = &problem.mesh;
    int32_t *first = calloc((size_t)mesh->nodes, sizeof *first);
    double *label = calloc((size_t)mesh->nodes, sizeof *label);
    uint8_t *scar = calloc((size_t)mesh->nodes, 1), *stimulated = calloc((size_t)mesh->nodes, 1);
    CHECK(first && label && scar && stimulated, "no memory");
    for (int64_t k = 4 * mesh->elements - 1; k >= 0; k--) {
        first[mesh->vertex[k]] = (int32_t)(k / 4);
        scar[mesh->vertex[k]] |= mesh->tag[k / 4] == 2;
        stimulated[mesh->vertex[k]] |= mesh->tag[k / 4] == 2 && (double)(k / 4 % 9) / 8 > 0.4;
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        label[i] = (double)(i % 4);
    int64_t held = 0, on = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double mean_label = mean(mesh, label, 1, e), fibrosis = (double)(e % 9) / 8;
        bool want = mean_label == 2 || (fibrosis > 0.8 && mesh->tag[e] == 2);
        CHECK(problem.element_region[e] == !want, "element %d", (int)e);
        if (want)
            CHECK(problem.region[0].scale[0][e] == 1 - 0.5 * fibrosis + mean_label, "element %d", (int)e);
        held += want;
    }
    for (int64_t i = 0; i < mesh->nodes; i++) {
        bool want = label[i] == 2 || ((double)(first[i] % 9) / 8 > 0.8 && scar[i]);
        CHECK(problem.node_region[i] == !want, "node %d", (int)i);
        on += stimulated[i];
    }
    CHECK(held > 20 && on > 10 && problem.stimulus[0].nodes == on, "%d elements, %d nodes", (int)held,
          (int)on);
    free(first), free(label), free(scar), free(stimulated);
    finish(&config, &problem);
}

/* What stands between the surfaces of a ventricle, as `cardiac mesh coordinates` has it, whether the config names
 * them or not */
static void test_heart(const char *from)
{
    struct config config;
    struct problem problem;
    struct coordinates coordinates = {0};
    struct error error = {0};
    uint8_t *on;
    make(&config, &problem, from,
         "  regions:\n"
         "    - {where: transmural < 0.4, model: tp06-endo, conductivity: 0.1 S/m}\n"
         "    - {model: tp06-epi, conductivity: 0.1 S/m, scale: 1 - 0.5 * apicobasal}\n"
         "stimuli:\n"
         "  - {where: distance_to(lv) < 2.6 mm, duration: 1 ms, current: 50 uA/uF}\n"
         "  - {where: distance_to(3) < 2.6 mm, start: 2 ms, duration: 1 ms, current: 50 uA/uF}\n");
    const struct mesh *mesh = &problem.mesh;
    CHECK_OK(heart_surfaces(&on, mesh, &config.mesh, NULL, &error), error);
    CHECK_OK(coordinates_make(&coordinates, mesh, on, COORDINATES_ALL, &error), error);
    int64_t held = 0, inner = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        int want = mean(mesh, coordinates.transmural, 1, e) < 0.4 ? 0 : 1;
        CHECK(problem.element_region[e] == want, "element %d: %d", (int)e, problem.element_region[e]);
        if (want)
            CHECK(problem.region[1].scale[0][e] == 1 - 0.5 * mean(mesh, coordinates.apicobasal, 1, e),
                  "element %d", (int)e);
        held += want;
    }
    for (int64_t i = 0; i < mesh->nodes; i++) {
        CHECK(problem.node_region[i] == !(coordinates.transmural[i] < 0.4), "node %d", (int)i);
    }
    /* whole where all corners of a node's elements are within 2.6 mm, nothing where none is */
    uint8_t *nearest = calloc((size_t)mesh->nodes, 1), *farthest = calloc((size_t)mesh->nodes, 1);
    CHECK(nearest && farthest, "no memory");
    for (int64_t k = 0; k < 16 * mesh->elements; k++) {
        const bool within = coordinates.distance[HEART_LV][mesh->vertex[k / 16 * 4 + k % 4]] < 2.6;
        nearest[mesh->vertex[k / 4]] |= within;
        farthest[mesh->vertex[k / 4]] |= !within;
    }
    const struct stimulus *stimulus = problem.stimulus;
    for (int64_t i = 0, k = 0; i < mesh->nodes; i++) {
        const bool found = k < stimulus->nodes && stimulus->node[k] == i;
        const double weight = found ? stimulus_weight(stimulus, k) : 0;
        CHECK((weight == 1 || farthest[i]) && (weight == 0 || nearest[i]), "node %d: %g", (int)i, weight);
        inner += !farthest[i];
        k += found;
    }
    CHECK(held > 50 && held < mesh->elements - 50 && inner > 20, "%d elements, %d nodes", (int)held,
          (int)inner);
    CHECK(stimulus[1].nodes == stimulus[0].nodes &&
              memcmp(stimulus[1].node, stimulus[0].node, (size_t)stimulus->nodes * sizeof(int32_t)) == 0 &&
              stimulus[0].weight && stimulus[1].weight &&
              memcmp(stimulus[1].weight, stimulus[0].weight, (size_t)stimulus->nodes * sizeof(double)) == 0,
          "%d nodes at mark 3, which is the lv's", (int)stimulus[1].nodes);
    free(nearest), free(farthest);
    coordinates_free(&coordinates);
    free(on);
    finish(&config, &problem);
}

/* Around an ellipsoid with a septum: segments in elements, at nodes and of a stimulus; a coordinate that goes
 * from 1 to 0 within elements */
static void test_around(void)
{
    struct config config;
    struct problem problem;
    struct mesh written;
    struct error error = {0};
    double away, off;
    make_septum(&written, 1.4);
    CHECK_OK(mesh_write(&written, "septum.msh", true, &error), error);
    mesh_free(&written);
    make(&config, &problem,
         "mesh: {file: septum.msh, scale: 1 mm, surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}\n",
         "  regions:\n"
         "    - {where: aha(16) or aha(6) and transmural < 0.5, model: passive, conductivity: 0.1 S/m}\n"
         "    - {where: rotational < 0.1 or rotational > 0.9, model: tp06-endo, conductivity: 0.1 S/m}\n"
         "    - {model: tp06-epi, conductivity: 0.1 S/m}\n"
         "stimuli:\n"
         "  - {where: aha(9), duration: 1 ms, current: 50 uA/uF}\n"
         "  - {where: rotational < 0.1 or rotational > 0.9, start: 2 ms, duration: 1 ms, current: 50 "
         "uA/uF}\n");
    const struct mesh *mesh = &problem.mesh;
    int64_t of[3] = {0}, across = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double x[3] = {mean(mesh, mesh->point, 3, e), mean(mesh, mesh->point + 1, 3, e),
                             mean(mesh, mesh->point + 2, 3, e)};
        const double r = septum_rotational(x), from = fmin(r, 1 - r);
        const int segment = septum_segment(x, &away, &off);
        of[problem.element_region[e]]++;
        if (x[0] * x[0] + x[1] * x[1] < 9 || away < 0.03 || off < 0.02 || fabs(from - 0.1) < 0.03)
            continue;
        if (segment == 16)
            CHECK(problem.element_region[e] == 0, "element %d: %d", (int)e, problem.element_region[e]);
        else if (segment != 6)
            CHECK(problem.element_region[e] == (from < 0.1 ? 1 : 2), "element %d: %d", (int)e,
                  problem.element_region[e]);
        across += from < 0.01;
    }
    CHECK(of[0] > 50 && of[1] > 50 && of[2] > 50 && across > 20, "%d %d %d elements, %d where 1 is 0",
          (int)of[0], (int)of[1], (int)of[2], (int)across);
    for (int s = 0; s < 2; s++) {
        const struct stimulus *stimulus = problem.stimulus + s;
        CHECK(stimulus->nodes > 20, "stimulus %d: %d nodes", s, (int)stimulus->nodes);
        for (int64_t k = 0; k < stimulus->nodes; k++) {
            const double *x = mesh->point + 3 * (int64_t)stimulus->node[k], r = septum_rotational(x);
            const int segment = septum_segment(x, &away, &off);
            if (x[0] * x[0] + x[1] * x[1] < 25)
                continue;
            CHECK(s ? fmin(r, 1 - r) < 0.16 : segment == 9 || away < 0.05 || off < 0.1,
                  "stimulus %d: node %d in segment %d, at %g", s, (int)stimulus->node[k], segment, r);
        }
    }
    finish(&config, &problem);
    parse(&config, ellipsoid, "  regions: [{where: aha(7), model: passive, conductivity: 1}]\n", &error);
    CHECK(problem_create(&problem, &config, NULL, &error) == STATUS_INPUT, "a left ventricle alone");
    CHECK(strstr(error.text, "places.yaml:6:21: tissue.regions[0].where: rotational requires the surfaces"),
          "%s", error.text);
    finish(&config, &problem);
}

static void test_faults(void)
{
    static const struct {
        const char *region, *said;
    } rows[] = {
        {"- {where: x < 1 mm or transmurl > 0.3, model: passive, conductivity: 1}",
         "places.yaml:7:27: tissue.regions[0].where: no variable is named 'transmurl' (did you mean "
         "'transmural'?)"},
        {"- {where: \"x < 1 mm or f > 0.3\", model: passive, conductivity: 1}", "places.yaml:7:28: "},
        {"- {where: 'distance_to(rv) < 1 mm', model: passive, conductivity: 1}",
         "places.yaml:7:16: tissue.regions[0].where: "},
        {"- {where: 'distance_to(scra) < 1 mm', model: passive, conductivity: 1}", "no surface 'scra'"},
        {"- {where: 'distance_to(9) < 1 mm', model: passive, conductivity: 1}", "no surface '9'"},
        {"- {where: tag = 4, model: passive, conductivity: 1}", "7:15: tissue.regions[0].where: no element"},
        {"- {where: tag = scat, model: passive, conductivity: 1}",
         "the mesh has no region 'scat'; its regions: scar"},
        {"- {where: x < 2 mm, model: passive, conductivity: 1}", "elements with tag 3 belong to no region"},
        {"- {where: 'random(0.7, 1)', model: passive, conductivity: 1}",
         "nodes belong to no region, the first at ["},
        {"- {where: x > 9 mm, model: passive, conductivity: 1}\n    - {model: passive, conductivity: 1}",
         "it holds at no element or node of the mesh"},
        {"- {scale: 1 - x / (1 mm), model: passive, conductivity: 1}",
         "places.yaml:7:15: tissue.regions[0].scale: is -"},
        {"- {scale: 1 mm / (x - x), model: passive, conductivity: 1}", "is inf in element 0"},
        {"- where: >\n        x < 1 mm or\n        f > 0.3\n      model: passive\n      conductivity: 1",
         "arrays of the mesh: label, fibrosis (12 characters into it)"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct config config;
        struct problem problem;
        struct error error = {0};
        char rest[400];
        snprintf(rest, sizeof rest, "  regions:\n    %s\n", rows[k].region);
        parse(&config, tagged, rest, &error);
        CHECK(problem_create(&problem, &config, NULL, &error) == STATUS_INPUT, "%s: taken", rows[k].region);
        CHECK(strstr(error.text, rows[k].said), "%s: %s", rows[k].region, error.text);
        finish(&config, &problem);
    }
}

/* Each short form of a selection has the nodes and weights of its condition; those of a box and of tags,
 * which cut no element, are the shares of the elements that lie inside, and lists give whole nodes. */
static void test_short_forms(void)
{
    FILE *list = fopen("places.vtx", "w");
    CHECK(list && fprintf(list, "3\nextra\n7 2\n11\n") > 0 && fclose(list) == 0,
          "places.vtx was not written");
    struct config config;
    struct problem problem;
    make(&config, &problem, tagged,
         "  regions: [{model: passive, conductivity: 0.1 S/m}]\n"
         "stimuli:\n"
         "  - {box: {min: [0, 0.25, 0], max: [0.5, 1, 0.5]}, duration: 1 ms, current: 9 uA/uF}\n"
         "  - {where: 'box([0 mm, 0.25 mm, 0 mm], [0.5 mm, 1 mm, 0.5 mm])', duration: 1 ms, current: 9 "
         "uA/uF}\n"
         "  - {sphere: {centre: [1, 0, 0], radius: 0.5}, duration: 1 ms, current: 9 uA/uF}\n"
         "  - {where: 'ball([1 mm, 0 mm, 0 mm], 0.5 mm)', duration: 1 ms, current: 9 uA/uF}\n"
         "  - {tags: [3, scar], duration: 1 ms, current: 9 uA/uF}\n"
         "  - {where: 'tag in [scar, 3]', duration: 1 ms, current: 9 uA/uF}\n"
         "  - {tags: all, duration: 1 ms, current: 9 uA/uF}\n"
         "  - {where: 1 = 1, duration: 1 ms, current: 9 uA/uF}\n"
         "  - {nodes: places.vtx, duration: 1 ms, current: 9 uA/uF}\n");
    const struct mesh *mesh = &problem.mesh;
    double *inside[2] = {calloc((size_t)mesh->nodes, 8), calloc((size_t)mesh->nodes, 8)};
    double *all = calloc((size_t)mesh->nodes, 8);
    CHECK(inside[0] && inside[1] && all, "no memory");
    for (int64_t v = 0; v < 4 * mesh->elements; v++) {
        const double volume = mesh_measure(mesh, v / 4), x = mean(mesh, mesh->point, 3, v / 4);
        const double y = mean(mesh, mesh->point + 1, 3, v / 4), z = mean(mesh, mesh->point + 2, 3, v / 4);
        all[mesh->vertex[v]] += volume;
        inside[0][mesh->vertex[v]] += x < 0.5 && y > 0.25 && z < 0.5 ? volume : 0;
        inside[1][mesh->vertex[v]] += mesh->tag[v / 4] != 1 ? volume : 0;
    }
    for (int s = 0; s < 9; s++) {
        const struct stimulus *stimulus = &problem.stimulus[s], *condition = &problem.stimulus[s | 1];
        int64_t k = 0;
        for (int32_t i = 0; i < mesh->nodes && s / 2 != 1; i++) {
            double want = s / 2 == 0   ? inside[0][i] / all[i]
                          : s / 2 == 2 ? inside[1][i] / all[i]
                                       : s / 2 == 3 || i == 2 || i == 7 || i == 11;
            bool found = k < stimulus->nodes && stimulus->node[k] == i;
            CHECK(fabs((found ? stimulus_weight(stimulus, k) : 0) - want) <= 1.0 / 512,
                  "stimulus %d, node %d: %g", s, (int)i, want);
            k += found;
        }
        CHECK((s / 2 == 1 || k == stimulus->nodes) && stimulus->nodes > 2, "stimulus %d has %d nodes of %d",
              s, (int)stimulus->nodes, (int)k);
        if (s < 8)
            CHECK(stimulus->nodes == condition->nodes &&
                      memcmp(stimulus->node, condition->node, (size_t)stimulus->nodes * sizeof(int32_t)) ==
                          0 &&
                      !stimulus->weight == !condition->weight &&
                      (!stimulus->weight || memcmp(stimulus->weight, condition->weight,
                                                   (size_t)stimulus->nodes * sizeof(double)) == 0),
                  "stimulus %d is not its condition", s);
    }
    free(inside[0]);
    free(inside[1]);
    free(all);
    finish(&config, &problem);
    make(&config, &problem, ellipsoid,
         "  regions: [{where: surface(epi), model: passive, conductivity: 0.1 S/m},\n"
         "            {model: passive, conductivity: 0.2 S/m}]\n"
         "stimuli:\n"
         "  - {where: surface(lv), duration: 1 ms, current: 9 uA/uF}\n"
         "  - {where: distance_to(lv) < 1e-6 mm, duration: 1 ms, current: 9 uA/uF}\n");
    CHECK(problem.stimulus[1].nodes == problem.stimulus[0].nodes &&
              memcmp(problem.stimulus[1].node, problem.stimulus[0].node,
                     (size_t)problem.stimulus[0].nodes * sizeof(int32_t)) == 0,
          "%d nodes, and the surface %d", (int)problem.stimulus[1].nodes, (int)problem.stimulus[0].nodes);
    for (int64_t e = 0; e < problem.mesh.elements; e++) {
        bool on = false;
        for (int c = 0; c < 4; c++)
            on = on || problem.node_region[problem.mesh.vertex[4 * e + c]] == 0;
        CHECK(on == (problem.element_region[e] == 0), "element %d", (int)e);
    }
    finish(&config, &problem);
}

/* Factors by direction; that across the sheet is the transverse one unless it is given. */
static void test_directions(void)
{
    struct config config;
    struct problem problem;
    make(&config, &problem, ellipsoid,
         "  fibers: [1, 0, 0]\n"
         "  regions:\n"
         "    - {where: x < 0 mm, model: passive, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 "
         "S/m},\n"
         "       scale: {longitudinal: 2 + x / (10 mm), transverse: 0.5}}\n"
         "    - {model: passive, conductivity: 0.1 S/m, scale: 3}\n");
    const struct region *by = problem.region;
    CHECK(by[0].scale[0] && by[0].scale[1] == by[0].scale[2] && by[1].scale[0] == by[1].scale[2], "arrays");
    int64_t of[2] = {0};
    for (int64_t e = 0; e < problem.mesh.elements; e++) {
        const int r = problem.element_region[e];
        const double x = mean(&problem.mesh, problem.mesh.point, 3, e);
        CHECK_CLOSE(by[r].scale[0][e], r ? 3 : 2 + x / 10, 1e-15);
        CHECK_CLOSE(by[r].scale[1][e], r ? 3 : 0.5, 0);
        of[r]++;
    }
    CHECK(of[0] > 20 && of[1] > 20, "%d %d", (int)of[0], (int)of[1]);
    finish(&config, &problem);
}

int main(void)
{
    write_tagged();
    test_slab();
    test_short_forms();
    test_fields();
    test_heart(ellipsoid);
    test_heart(named);
    test_around();
    test_faults();
    remove(mesh_path);
    test_directions();
    return 0;
}
