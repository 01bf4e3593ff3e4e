/* test_volume.c: a box, a ball and a slanted cube stimulate their volume on 20 meshes with `full`, within 1 % where edges
 * are a third of the radius; also what is thinner than an element. Where no element is cut a weight is a
 * share of elements; conditions on nodes, and networks, give whole nodes. A condition is integrated once. */
#include <stdlib.h>
#include <string.h>

#include "solver/mesh/check.h"
#include "tests/support/mesh_sample.h"
#include "tests/support/node_weights.h"

#ifdef __SANITIZE_ADDRESS__
enum { MESHES = 4, ALL = MESHES };
#else
enum { MESHES = 13, ALL = 20 };
#endif

static const struct where *parse(struct arena *arena, const char *text)
{
    struct where *where;
    struct error error = {0};
    int at;
    CHECK_OK(where_parse(&where, arena, text, WHERE_CONDITION, &at, &error), error);
    return where;
}

/* The charge that those weights give, mm^d: sum_i w_i int phi_i */
static double charge_of(const struct mesh *mesh, const double *weight)
{
    const int corners = mesh->dimension + 1;
    const double factorial[] = {1, 1, 2, 6};
    double sum = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int c = 0; c < corners; c++)
            sum += weight[mesh->vertex[e * corners + c]] * mesh_measure(mesh, e) /
                   (factorial[mesh->dimension] * corners);
    return sum;
}

/* The weights of a condition on a mesh; the caller frees them. */
static double *weights_of(const struct mesh *mesh, const char *text, struct volume *volume)
{
    struct arena arena = {0};
    struct environment environment = {.mesh = mesh};
    struct error error = {0};
    double *weight = malloc((size_t)mesh->nodes * sizeof *weight);
    int at;
    CHECK(weight, "no memory");
    CHECK_OK(node_weights(weight, volume, &environment, parse(&arena, text), &at, &error), error);
    environment_free(&environment);
    arena_free(&arena);
    return weight;
}

static void test_charge(const struct mesh *mesh, const char *text, double want, double *worst)
{
    struct volume volume;
    double *weight = weights_of(mesh, text, &volume), charge = charge_of(mesh, weight);
    const double off = fabs(charge / want - 1);
    CHECK(off < 0.01, "%d-D, %d nodes, %s: %g, not %g", mesh->dimension, (int)mesh->nodes, text, charge,
          want);
    CHECK(fabs(volume.given / charge - 1) < 1e-12 && fabs(volume.asked / want - 1) < 0.01, "%s: %g and %g",
          text, volume.given, volume.asked);
    *worst = fmax(*worst, off);
    free(weight);
}

/* Lines, triangles or tetrahedra with edges of a third of the radius, bent so that no two are alike */
static void test_shapes(int k, double worst[3])
{
    const int dimension = k < 4    ? 1
                          : k < 10 ? 2
                                   : 3,
              edges[] = {12, dimension > 1 ? 12 : 0, dimension > 2 ? 12 : 0};
    const double edge = 0.1 + 0.07 * k, radius = 3 * edge, pi = 3.14159265358979323846;
    struct mesh mesh = mesh_sample_lattice(dimension, edges, (const double[]){edge, edge, edge});
    double at[3] = {0};
    char text[600];
    mesh_sample_bend(&mesh, (k % 3) * 0.1 * edge, dimension);
    for (int c = 0; c < dimension; c++)
        at[c] = edge * (6 + 0.7 * (bits_random((uint64_t)(100 + 3 * k + c)) - 0.5));
    snprintf(text, sizeof text, "box([%.9g mm, %.9g mm, %.9g mm], [%.9g mm, %.9g mm, %.9g mm])",
             at[0] - radius, at[1] - radius, at[2] - radius, at[0] + radius, at[1] + radius, at[2] + radius);
    test_charge(&mesh, text, pow(2 * radius, dimension), &worst[0]);
    snprintf(text, sizeof text, "ball([%.9g mm, %.9g mm, %.9g mm], %.9g mm)", at[0], at[1], at[2], radius);
    test_charge(&mesh, text,
                dimension == 1   ? 2 * radius
                : dimension == 2 ? pi * radius * radius
                                 : 4 * pi / 3 * radius * radius * radius,
                &worst[1]);
    /* a segment, square or cube turned by unit vectors */
    static const double turned[4][3][3] = {
        [1] = {{1}},
        [2] = {{0.6, 0.8}, {-0.8, 0.6}},
        [3] = {{2. / 3, 2. / 3, 1. / 3}, {-2. / 3, 1. / 3, 2. / 3}, {1. / 3, -2. / 3, 2. / 3}}};
    for (int c = 0, used = 0; c < dimension; c++) {
        const double *n = turned[dimension][c];
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "%sabs(%.17g * (x - %.9g mm) + %.17g * (y - %.9g mm) + %.17g * (z - %.9g mm)) < %.9g mm",
                     c ? " and " : "", n[0], at[0], n[1], at[1], n[2], at[2], radius);
    }
    test_charge(&mesh, text, pow(2 * radius, dimension), &worst[2]);
    mesh_free(&mesh);
}

/* Between two planes closer to each other than nodes are: no node is inside */
static void test_thin(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){6, 4, 5}, (const double[]){0.4, 0.4, 0.4});
    struct volume volume;
    double *weight = weights_of(&mesh, "1.05 mm < x < 1.15 mm", &volume);
    CHECK_CLOSE(volume.asked, 0.1 * 1.6 * 2, 1e-12);
    CHECK(fabs(charge_of(&mesh, weight) / volume.asked - 1) < 0.01, "%g", charge_of(&mesh, weight));
    free(weight);
    mesh_free(&mesh);
}

/* Without cut elements a weight is the share of the elements around a node, to 1/256; of an array and of a
 * tag */
static void test_exact(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){4, 3, 3}, (const double[]){0.5, 0.5, 0.5});
    struct volume volume;
    double *weight = weights_of(&mesh, "tag = 2", &volume);
    double *all = calloc((size_t)mesh.nodes, sizeof *all),
           *inside = calloc((size_t)mesh.nodes, sizeof *inside);
    CHECK(all && inside, "no memory");
    for (int64_t k = 0; k < 4 * mesh.elements; k++) {
        all[mesh.vertex[k]] += mesh_measure(&mesh, k / 4);
        inside[mesh.vertex[k]] += mesh.tag[k / 4] == 2 ? mesh_measure(&mesh, k / 4) : 0;
    }
    for (int64_t i = 0; i < mesh.nodes; i++)
        CHECK(fabs(weight[i] - inside[i] / all[i]) <= 1.0 / 512 && fmod(weight[i] * 256, 1) == 0,
              "node %d: %g", (int)i, weight[i]);
    CHECK_CLOSE(volume.asked, 2 * 1.5 * 1.5 / 4, 1e-12);
    free(weight);
    weight = weights_of(&mesh, "x + y > -1 mm", &volume);
    for (int64_t i = 0; i < mesh.nodes; i++)
        CHECK(weight[i] == 1, "node %d: %.17g in all of the mesh", (int)i, weight[i]);
    free(weight);
    free(all);
    free(inside);
    mesh_free(&mesh);
}

/* Conditions on nodes give whole nodes. */
static void test_whole(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){4, 3, 3}, (const double[]){0.5, 0.5, 0.5});
    struct volume volume;
    double *weight = weights_of(&mesh, "random(0.5, 1) and x < 1.1 mm", &volume);
    int64_t found = 0;
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const bool want = where_random(1, i) < 0.5 && mesh.point[3 * i] < 1.1;
        found += want;
        CHECK(weight[i] == want, "node %d: %g", (int)i, weight[i]);
    }
    CHECK(found > 5 && isnan(volume.asked), "%d nodes, %g", (int)found, volume.asked);
    free(weight);
    mesh_free(&mesh);
}

/* A line in a mesh of tetrahedra: its own nodes are whole, those that it shares when its tag is named. */
static void test_lines(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){4, 3, 3}, (const double[]){0.5, 0.5, 0.5});
    struct volume volume;
    const int64_t tetrahedra = mesh.elements, own = mesh.nodes;
    mesh.elements += 2;
    mesh.nodes++;
    mesh.vertex = realloc(mesh.vertex, 4 * (size_t)mesh.elements * sizeof *mesh.vertex);
    mesh.tag = realloc(mesh.tag, (size_t)mesh.elements * sizeof *mesh.tag);
    mesh.point = realloc(mesh.point, 3 * (size_t)mesh.nodes * sizeof *mesh.point);
    CHECK(mesh.vertex && mesh.tag && mesh.point, "no memory");
    const int32_t line[2][4] = {{0, (int32_t)own, (int32_t)own, (int32_t)own}, {0, 1, 1, 1}};
    memcpy(mesh.vertex + 4 * tetrahedra, line, sizeof line);
    mesh.tag[tetrahedra] = mesh.tag[tetrahedra + 1] = 9;
    memcpy(mesh.point + 3 * own, (const double[]){-0.1, 0, 0}, 3 * sizeof(double));
    double *weight = weights_of(&mesh, "x < 0.25 mm", &volume);
    CHECK(weight[own] == 1 && weight[0] > 0.5 && weight[0] < 1 && weight[1] > 0 && weight[1] < 0.5,
          "%g, %g and %g", weight[own], weight[0], weight[1]);
    CHECK_CLOSE(volume.asked, 0.25 * 1.5 * 1.5, 1e-12);
    free(weight);
    weight = weights_of(&mesh, "tag = 9", &volume);
    for (int64_t i = 0; i <= own; i++)
        CHECK(weight[i] == (i < 2 || i == own), "node %d: %g", (int)i, weight[i]);
    free(weight);
    mesh_free(&mesh);
}

/* A condition is integrated once on a mesh, also one that another text parses to; the latest stay. */
static void test_again(void)
{
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){4, 3, 3}, (const double[]){0.5, 0.5, 0.5});
    static const char *const texts[] = {"ball([0.9 mm, 0.7 mm, 0.8 mm], 0.6 mm) and x > 0.5 mm",
                                        "ball([900 um, 700 um, 800 um], 600 um) and x > 500 um",
                                        "ball([0.9 mm, 0.7 mm, 0.8 mm], 0.6 mm) and x > 0.6 mm",
                                        "ball([0.9 mm, 0.7 mm, 0.8 mm], 0.7 mm) and x > 0.5 mm",
                                        "tag = 1",
                                        "tag = 2",
                                        "tag in [1, 2]"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    struct arena arena = {0};
    struct environment environment = {.mesh = &mesh};
    struct error error = {0};
    struct volume volume, own;
    double *weight = malloc((size_t)mesh.nodes * sizeof *weight);
    const size_t bytes = (size_t)mesh.nodes * sizeof *weight;
    int at, kept = 0;
    CHECK(weight, "no memory");
    for (int k = 0; k < 2 * TEXTS; k++) {
        const char *text = texts[k % TEXTS];
        const struct environment_weights *before = environment.weights;
        double *want = weights_of(&mesh, text, &own);
        CHECK_OK(node_weights(weight, &volume, &environment, parse(&arena, text), &at, &error), error);
        CHECK(memcmp(weight, want, bytes) == 0 && memcmp(&volume, &own, sizeof own) == 0, "%s", text);
        CHECK((environment.weights == before) == (k == 1 || k >= TEXTS), "%s, %d", text, k);
        free(want);
    }
    for (int k = 0; k < 50; k++) {
        char text[60];
        snprintf(text, sizeof text, "x > %g mm", 0.01 * k);
        CHECK_OK(node_weights(weight, &volume, &environment, parse(&arena, text), &at, &error), error);
    }
    for (const struct environment_weights *one = environment.weights; one; one = one->next)
        kept++;
    CHECK(kept > TEXTS && kept < 50, "%d conditions", kept);
    free(weight);
    environment_free(&environment);
    arena_free(&arena);
    mesh_free(&mesh);
}

int main(int argc, char **argv)
{
    const int meshes = argc > 1 && strcmp(argv[1], "full") == 0 ? ALL : MESHES;
    double worst[3] = {0};
    for (int k = 0; k < meshes; k++)
        test_shapes(k, worst);
    printf("largest error of the charge on %d meshes: boxes %.2g, balls %.2g, slanted %.2g\n", meshes,
           worst[0], worst[1], worst[2]);
    test_thin();
    test_exact();
    test_whole();
    test_lines();
    test_again();
    return 0;
}
