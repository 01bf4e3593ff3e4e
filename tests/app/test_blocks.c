/* test_blocks.c: conductivities found by blocks, held to plane fronts through straight bars of uneven meshes:
 * a slab of slivers; `full DATA [MESH]`: with steeper fronts, and hearts of that folder and ventricles, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/meshio/mesh_file.h"
#include "app/problem/velocity.h"
#include "solver/mesh/extract.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/refine.h"
#include "solver/matrix/simplex.h"
#include "tests/support/check.h"

static const double wanted[3] = {0.6, 0.25, 0.2}; /* m/s along fibre, sheet, normal */
static const double slow[3] = {0.15, 0.15, 0.15}, alike[3] = {0.25, 0.25, 0.25};

/* Around `middle` along axis[0], so long and wide, mm */
struct bar {
    const char *name;
    double middle[3], axis[2][3], length, width;
};

static double local(const struct bar *bar, const double *point, double *aside)
{
    double s[3] = {0}, third[3];
    for (int c = 0; c < 3; c++)
        third[c] = bar->axis[0][(c + 1) % 3] * bar->axis[1][(c + 2) % 3] -
                   bar->axis[0][(c + 2) % 3] * bar->axis[1][(c + 1) % 3];
    for (int c = 0; c < 3; c++) {
        s[0] += (point[c] - bar->middle[c]) * bar->axis[0][c];
        s[1] += (point[c] - bar->middle[c]) * bar->axis[1][c];
        s[2] += (point[c] - bar->middle[c]) * third[c];
    }
    *aside = fmax(fabs(s[1]), fabs(s[2]));
    return s[0];
}

static struct mesh cut_bar(const struct mesh *mesh, const struct bar *bar)
{
    struct mesh submesh;
    struct error error = {0};
    uint8_t *keep = calloc((size_t)mesh->elements, 1);
    CHECK(keep, "no memory");
    for (int64_t e = 0; e < mesh->elements; e++) {
        double centre[3] = {0}, aside;
        for (int a = 0; a < 4; a++)
            for (int c = 0; c < 3; c++)
                centre[c] += mesh->point[3 * (int64_t)mesh->vertex[4 * e + a] + c] / 4;
        keep[e] = fabs(local(bar, centre, &aside)) < bar->length / 2 && aside < bar->width / 2;
    }
    CHECK_OK(mesh_extract(&submesh, mesh, keep, NULL, &error), error);
    free(keep);
    return submesh;
}

/* Of a front that starts at one end, over the middle half of the bar */
static double run_front(const struct mesh *mesh, const struct bar *bar,
                        const struct monodomain_params *params)
{
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    double n = 0, s1 = 0, t1 = 0, spread = 0, common = 0, missed = 0;
    double *time = malloc((size_t)mesh->nodes * sizeof *time);
    CHECK(time, "no memory");
    CHECK_OK(queue_new(&queue, backend_find("cpu", &error), 0, &error), error);
    CHECK_OK(monodomain_create(&sim, mesh, params, queue, &error), error);
    CHECK_OK(monodomain_voltage(sim, time, &error), error);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double aside;
        if (local(bar, mesh->point + 3 * i, &aside) < -0.35 * bar->length)
            time[i] = 20;
    }
    CHECK_OK(monodomain_set(sim, 0, time, &error), error);
    CHECK_OK(monodomain_advance(sim, (int64_t)(1.5 * bar->length / 0.2 / params->step), &error), error);
    CHECK_OK(monodomain_get(sim, monodomain_find(sim, "activation_time"), time, &error), error);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            double aside, s = local(bar, mesh->point + 3 * i, &aside);
            if (s < -0.15 * bar->length || s > 0.35 * bar->length || aside > 0.35 * bar->width)
                continue;
            if (isnan(time[i])) {
                missed++;
            } else if (pass == 0) {
                n++;
                s1 += s;
                t1 += time[i];
            } else {
                spread += (s - s1 / n) * (s - s1 / n);
                common += (s - s1 / n) * (time[i] - t1 / n);
            }
        }
    monodomain_free(sim);
    queue_free(queue);
    free(time);
    return missed / 2 > n / 10 ? 0 : spread / common;
}

/* The elements' fibre and sheet such that axis k of their frame runs along the bar */
static void lay_frame(struct mesh *submesh, const struct bar *bar, int k)
{
    double third[3];
    for (int c = 0; c < 3; c++)
        third[c] = bar->axis[0][(c + 1) % 3] * bar->axis[1][(c + 2) % 3] -
                   bar->axis[0][(c + 2) % 3] * bar->axis[1][(c + 1) % 3];
    const double *axis[] = {bar->axis[0], bar->axis[1], third};
    for (int64_t i = 0; i < submesh->elements; i++) {
        memcpy(submesh->fiber + 3 * i, axis[(3 - k) % 3], 3 * sizeof(double));
        memcpy(submesh->sheet + 3 * i, axis[(4 - k) % 3], 3 * sizeof(double));
    }
}

/* Tuned for the bar's own blocks to these speeds along fibre, sheet and normal, with each of the frame's axes
 * along it in turn, one where all speeds are alike; returns the largest error */
static double try_bar(const struct mesh *mesh, const struct bar *bar, const char *model, double step,
                      const double speed[3])
{
    static const char *const names[] = {"along fibres", "in the sheet", "across sheets"};
    static const char format[] =
        "version: 1\nmesh: {cable: {length: 6 mm, spacing: 2 mm}}\n"
        "tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [{model: %s, velocity: "
        "{longitudinal: %g m/s, transverse: %g m/s, normal: %g m/s}}]}\ntime: {end: 2 ms, step: %g ms}\n"
        "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]\n";
    char text[1000];
    double worst = 0;
    const bool isotropic = speed[0] == speed[1] && speed[1] == speed[2];
    struct config config;
    struct error error = {0};
    struct mesh submesh = cut_bar(mesh, bar);
    snprintf(text, sizeof text, format, model, speed[0], speed[1], speed[2], step);
    CHECK_OK(config_parse(&config, "blocks.yaml", "", text, strlen(text), NULL, 0, &error), error);
    int32_t *element_region = calloc((size_t)submesh.elements, sizeof *element_region);
    submesh.fiber_location = LOCATION_ELEMENT;
    submesh.fiber = calloc((size_t)submesh.elements, 3 * sizeof *submesh.fiber);
    submesh.sheet = calloc((size_t)submesh.elements, 3 * sizeof *submesh.sheet);
    CHECK(element_region && submesh.fiber && submesh.sheet, "no memory");
    for (int k = 0; k < (isotropic ? 1 : 3); k++) {
        struct region region = {
            .model = config.tissue.region[0].model, .diffusion = {9, 4, 1}, .isotropic = isotropic};
        struct monodomain_params params = config.physics;
        params.activation_threshold = monodomain_params_default().activation_threshold; /* as of a problem */
        struct velocity_goal goal = {0};
        int bad;
        lay_frame(&submesh, bar, k);
        params.region = &region;
        params.regions = 1;
        params.element_region = element_region;
        enum status status = velocity_find(&goal, &config, &params, &submesh, &bad, &error);
        if (status == STATUS_INPUT) { /* what no conductivity gives is told */
            CHECK(k > 0, "%s: %s", bar->name, error.text);
            printf("%s, %s: %s\n", bar->name, names[k], error.text);
            continue;
        }
        CHECK_OK(status, error);
        memcpy(region.diffusion, goal.mesh, sizeof goal.mesh);
        double measured = run_front(&submesh, bar, &params);
        printf(
            "%s, %s: %d nodes, asked %.3g m/s, measured %.4f (%+.1f %%), %.3g times the fine conductivity\n",
            bar->name, names[k], (int)submesh.nodes, speed[k], measured, 100 * (measured / speed[k] - 1),
            goal.mesh[k] / goal.fine[k]);
        fflush(stdout);
        worst = fmax(worst, fabs(measured / speed[k] - 1));
    }
    free(element_region);
    config_free(&config);
    mesh_free(&submesh);
    return worst;
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* A slab whose nodes are moved until elements are nearly flat, but none is turned */
static struct mesh make_slivers(const double size[3], double h)
{
    struct mesh mesh;
    struct error error = {0};
    uint64_t state = 1;
    CHECK_OK(mesh_slab(&mesh, size, h, &error), error);
    for (int pass = 0; pass < 4; pass++)
        for (int64_t i = 0; i < mesh.nodes; i++)
            for (int c = 0; c < 3; c++) {
                double *x = &mesh.point[3 * i + c];
                if (*x > h / 2 && *x < size[c] - h / 2)
                    *x += 0.25 * h * (uniform(&state) - 0.5);
            }
    return mesh;
}

static void test_slivers(double length, double width, const char *model, double step, const double speed[3])
{
    const double size[3] = {length, width, width};
    struct mesh mesh = make_slivers(size, 1);
    const struct bar bar = {
        "slivers of 1 mm", {length / 2, width / 2, width / 2}, {{1, 0, 0}, {0, 1, 0}}, length + 2, width + 2};
    double worst = try_bar(&mesh, &bar, model, step, speed);
    CHECK(worst < 0.05, "%g", worst);
    mesh_free(&mesh);
}

static void test_ventricle(double edge)
{
    const double size[3] = {20, 40, 10};
    const struct bar bars[] = {{"", {25, 0, -6}, {{0, 0, 1}, {0, 1, 0}}, 24, 8},
                               {"", {25, 0, -6}, {{0, 1, 0}, {0, 0, 1}}, 20, 7}};
    struct mesh mesh;
    struct error error = {0};
    CHECK_OK(mesh_ellipsoid(&mesh, size, edge, &error), error);
    for (int b = 0; b < 2; b++) {
        struct bar bar = bars[b];
        char name[60];
        snprintf(name, sizeof name, "ellipsoid of %g mm, bar %d", edge, b + 1);
        bar.name = name;
        if (edge < 0.6) {
            bar.length /= 2;
            bar.width /= 2;
        }
        double worst = try_bar(&mesh, &bar, "tp06-epi", 0.05, wanted);
        CHECK(worst < 0.05, "%g", worst);
    }
    mesh_free(&mesh);
}

static void test_heart(const char *data, const char *file, int splits, const struct bar *bar, int bars)
{
    char path[1000];
    struct mesh mesh, fine;
    struct error error = {0};
    snprintf(path, sizeof path, "%s/meshes/%s", data, file);
    if (access(path, R_OK) != 0) {
        printf("%s: skipped, it is not there\n", path);
        return;
    }
    CHECK_OK(mesh_read(&mesh, path, 1, NULL, NULL, &error), error);
    for (int k = 0; k < splits; k++) {
        CHECK_OK(mesh_refine(&fine, &mesh, &error), error);
        mesh_free(&mesh);
        mesh = fine;
    }
    for (int b = 0; b < bars; b++) {
        double worst = try_bar(&mesh, &bar[b], "tp06-epi", 0.05, wanted);
        CHECK(worst < 0.05, "%g", worst);
    }
    mesh_free(&mesh);
}

int main(int argc, char **argv)
{
    static const struct bar geo1[] = {
        {"geo1, bar 1", {-26.8, -16.2, 4.8}, {{0.635, 0.643, 0.428}, {-0.075, -0.500, 0.863}}, 28, 9},
        {"geo1, bar 2", {-25.6, 29.5, 26.5}, {{-0.780, 0.612, 0.130}, {0.514, 0.507, 0.692}}, 28, 9},
        {"geo1, bar 3", {-34.0, -20.3, -8.4}, {{0.249, 0.094, 0.964}, {0.078, -0.994, 0.077}}, 28, 9}};
    static const struct bar crtdemo[] = {
        {"crtdemo, bar 1", {64.3, -31.5, -5.7}, {{-0.810, -0.573, 0.123}, {-0.535, 0.637, -0.555}}, 34, 12},
        {"crtdemo, bar 2", {84.2, -50.9, -59.0}, {{0.893, -0.322, -0.316}, {0.259, -0.208, 0.943}}, 34, 12}};
    const char *which = argc > 3 ? argv[3] : ""; /* part of a mesh's name; the others are left out */
    if (argc < 3) {
        test_slivers(14, 4, "mitchell-schaeffer", 0.2, slow);
        return 0;
    }
    if (strstr("slivers", which)) {
        test_slivers(14, 4, "bueno-orovio-epi", 0.1, alike);
        test_slivers(24, 7, "tp06-epi", 0.05, wanted);
    }
    if (strstr("geo1", which))
        test_heart(argv[2], "cobiveco_geo1/heart_geo1_464k.ele.gz", 0, geo1, 3);
    if (strstr("crtdemo", which))
        test_heart(argv[2], "crtdemo/crtdemo.ele.gz", 1, crtdemo, 2);
    if (strstr("ellipsoid 1.2", which))
        test_ventricle(1.2);
    if (strstr("ellipsoid 0.8", which))
        test_ventricle(0.8);
    if (strstr("ellipsoid 0.4", which))
        test_ventricle(0.4);
    return 0;
}
