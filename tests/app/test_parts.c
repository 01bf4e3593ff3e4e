/* test_parts.c: what a config gives to lines, triangles, junctions of a network and the heart in a conductor:
 * cross-sections, membranes of their own, shares of a conductance, axes, factors and sigma_i + sigma_e. */
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_file.h"
#include "app/problem/problem.h"
#include "app/problem/torso.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

static void make(struct config *config, struct problem *problem, const char *rest)
{
    struct error error = {0};
    char text[2000];
    snprintf(text, sizeof text,
             "version: 1\ntime: {end: 1 ms, step: 0.02 ms}\ntissue:\n  surface_to_volume: 1400 /cm\n%s",
             rest);
    CHECK_OK(config_parse(config, "parts.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(problem_create(problem, config, NULL, &error), error);
}

static void write_text(const char *path, const char *nodes, const char *elements)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%s$EndNodes\n$Elements\n%s$EndElements\n",
            nodes, elements);
    CHECK(fclose(file) == 0, "%s", path);
}

/* A tetrahedron, a triangle and a line of tags 10, 20 and 30; a network whose end has two nodes in its reach
 */
static void test_sections(void)
{
    struct config config;
    struct problem problem;
    write_text("parts.msh", "7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 2 0 0\n6 1 2 0\n7 4 0 0\n",
               "3\n1 4 2 10 1 1 2 3 4\n2 2 2 20 1 2 5 6\n3 1 2 30 1 5 7\n");
    write_text("tree.msh", "2\n1 0.5 0 -3\n2 0.5 0 0\n", "1\n1 1 2 1 1 1 2\n");
    make(&config, &problem,
         "  regions:\n"
         "    - {tags: [41], conductance: 6 uS}\n"
         "    - {tags: [10], model: passive, conductivity: 0.1 S/m}\n"
         "    - {tags: [20], model: passive, conductivity: 0.1 S/m, thickness: 0.3 mm}\n"
         "    - {tags: [30, 40], model: passive, conductivity: 0.1 S/m, radius: 0.47203487194131480 mm, "
         "surface_to_volume: "
         "2800 /cm}\n"
         "mesh:\n"
         "  file: parts.msh\n"
         "  scale: 1 mm\n"
         "  network: [{file: tree.msh, tag: 40, radius: 0.6 mm, junction_tag: 41}]\n");
    const struct tensors tensors = {&problem.mesh, problem.region, problem.element_region, NULL};
    double mass[42] = {0}, junction = 0;
    for (int64_t e = 0; e < problem.mesh.elements; e++) {
        double k[4][4];
        mass[problem.mesh.tag[e]] += tensor_stiffness(&tensors, e, k);
        junction += problem.mesh.tag[e] == 41 ? k[0][0] : 0;
    }
    CHECK_CLOSE(mass[10], 1.0 / 6, 1e-14);
    CHECK_CLOSE(mass[20], 1.0 * 0.3, 1e-14); /* mm^2 mm */
    CHECK_CLOSE(mass[30], 2.0 * 0.7 * 2, 1e-14);
    CHECK_CLOSE(mass[40], 3.0 * 0.7 * 2, 1e-14);
    CHECK(mass[41] == 0 && problem.network->junctions == 2, "%d junctions", (int)problem.network->junctions);
    CHECK_CLOSE(junction, 6e-3 / (140 * 0.01), 1e-12); /* mS over chi Cm: of both together */
    CHECK_CLOSE(problem.region[1].diffusion[0], 0.1 / (140 * 0.01), 1e-14);
    CHECK_CLOSE(problem.region[3].diffusion[0], 0.1 / (280 * 0.01), 1e-14);
    problem_free(&problem);
    config_free(&config);
    remove("parts.msh");
    remove("tree.msh");
}

/* A slab of tags 1, 2 and 3 along x, whose fibres and sheets lie askew */
static void write_axes(void)
{
    const double size[3] = {3, 1, 1}, fiber[3] = {0.6, 0.8, 0}, sheet[3] = {0, 0, -2};
    struct mesh mesh;
    struct error error = {0};
    CHECK_OK(mesh_slab(&mesh, size, 0.5, &error), error);
    mesh.fiber_location = LOCATION_ELEMENT;
    mesh.fiber = calloc(3 * (size_t)mesh.elements, sizeof *mesh.fiber);
    mesh.sheet = calloc(3 * (size_t)mesh.elements, sizeof *mesh.sheet);
    CHECK(mesh.fiber && mesh.sheet, "no memory");
    for (int64_t e = 0; e < mesh.elements; e++) {
        double x = 0;
        for (int c = 0; c < 4; c++)
            x += mesh.point[3 * (int64_t)mesh.vertex[4 * e + c]] / 4;
        mesh.tag[e] = 1 + (int32_t)x;
        memcpy(mesh.fiber + 3 * e, fiber, sizeof fiber);
        memcpy(mesh.sheet + 3 * e, sheet, sizeof sheet);
    }
    CHECK_OK(mesh_write(&mesh, "axes.vtu", true, &error), error);
    mesh_free(&mesh);
}

/* The heart in a conductor: sigma_i + sigma_e along the tissue's axes, times its factors */
static void test_conductor(void)
{
    struct config config;
    struct problem problem;
    write_axes();
    make(&config, &problem,
         "  regions:\n"
         "    - tags: [1]\n"
         "      model: passive\n"
         "      scale: 0.5\n"
         "      conductivity:\n"
         "        intra: {longitudinal: 0.3 S/m, transverse: 0.1 S/m, normal: 0.05 S/m}\n"
         "        extra: {longitudinal: 0.6 S/m, transverse: 0.4 S/m, normal: 0.2 S/m}\n"
         "    - {model: passive, conductivity: {intra: 0.2 S/m, extra: 0.3 S/m}}\n"
         "mesh: {file: axes.vtu, scale: 1 mm}\n"
         "ecg:\n"
         "  electrodes: {a: [0 mm, 0 mm, 0 mm], b: [3 mm, 0 mm, 0 mm]}\n"
         "  conductor: {file: axes.vtu, scale: 1 mm, regions: [{tags: [3],\n"
         "    conductivity: {longitudinal: 0.5 S/m, transverse: 0.3 S/m, normal: 0.1 S/m}}]}\n");
    const struct torso *torso = problem.torso;
    const struct tensors tensors = {&torso->mesh, torso->region, torso->element_region, NULL};
    for (int64_t e = 0; e < torso->mesh.elements; e++) {
        double got[6];
        /* along (0.6, 0.8, 0), (0, 0, 1) and (0.8, -0.6, 0) */
        static const double axes[3][3] = {
            {0.5 * 0.9, 0.5 * 0.5, 0.5 * 0.25}, {0.5, 0.5, 0.5}, {0.5, 0.3, 0.1}};
        const int tag = torso->mesh.tag[e];
        CHECK(torso->element_region[e] == tag - 1, "element %d: %d", (int)e, torso->element_region[e]);
        CHECK(tensor_of_element(&tensors, e, got), "element %d has no tensor", (int)e);
        const double *d = axes[tag - 1];
        const double want[6] = {
            0.36 * d[0] + 0.64 * d[2], 0.48 * (d[0] - d[2]), 0, 0.64 * d[0] + 0.36 * d[2], 0, d[1]};
        for (int k = 0; k < 6; k++)
            CHECK_CLOSE(got[k], want[k], 1e-14);
    }
    problem_free(&problem);
    config_free(&config);
    remove("axes.vtu");
}

int main(void)
{
    test_sections();
    test_conductor();
    return 0;
}
