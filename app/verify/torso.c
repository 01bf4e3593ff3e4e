/* torso.c: the potentials of a dipole in a bounded conductor of two concentric balls, and in a ball so large that
 * it is practically unbounded.
 *
 * The tissue is a small ball of volume v with a uniform gradient, V = g . x: the dipole p = -v sigma_i g at its
 * centre c, where the conductor around it is uniform (app/verify/ecg.c), and phi = p . grad Z(c). For a current of
 * 1 A into the surface of the ball of radius R, with conductivity s1 within radius a and s2 outside it, the
 * potential within a is
 *
 *   Z = sum_(n > 0) c_n r^n P_n(cos), c_n = (1 + b)(2 n + 1) / (4 pi s2 R^(n+1) (n - (n + 1) b
 * (a/R)^(2n+1))), b = n (s2 - s1) / (n s1 + (n + 1) s2)
 *
 * by continuity of potential and current at a, up to terms common to all electrodes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/heart/conductor.h"
#include "solver/heart/electrodes.h"
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/surface.h"

enum { ELECTRODES = 4, TERMS = 200 };

static const double pi = 3.14159265358979323846;
static const double inner = 40, heart = 8, centre[3] = {15, -6, 10}; /* mm */
static const double inside = 0.6, outside = 0.2;                     /* S/m */
static const double along = 0.34, across = 0.06;                     /* S/m, sigma_i */
static const double fiber[3] = {0.6, 0.48, 0.64}, slope[3] = {3, -2, 4};
/* Directions of the electrodes, through surface nodes of the lattice's cube */
static const double direction[ELECTRODES][3] = {{0, 0, 1}, {-1, 0.5, 0.25}, {0.5, -1, -0.25}, {1, 0.25, 0.5}};

/* A ball around `centre`: a lattice of `edges` edges across whose cubic shells are projected onto spheres */
static enum status make_heart(struct mesh *mesh, int edges, struct error *error)
{
    const double size[3] = {edges, edges, edges};
    TRY(mesh_slab(mesh, size, 1, error));
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double *p = mesh->point + 3 * i, most = 0, length = 0;
        for (int d = 0; d < 3; d++) {
            p[d] = 2 * p[d] / edges - 1;
            most = fmax(most, fabs(p[d]));
            length += p[d] * p[d];
        }
        for (int d = 0; d < 3; d++)
            p[d] = centre[d] + (length > 0 ? p[d] * heart * most / sqrt(length) : 0);
    }
    return STATUS_OK;
}

/* Position of a surface node of the cube in layer k of `layers`: linearly from the cube to the ball of radius
 * `inner`, then geometrically to `radius` */
static void put_node(double *point, const double *on_cube, int k, int layers, double radius)
{
    double length = vec3_length(on_cube);
    double s = 2.0 * k / layers;
    double r = s <= 1 ? length + (inner - length) * s : inner * pow(radius / inner, s - 1);
    for (int d = 0; d < 3; d++)
        point[d] = on_cube[d] * r / length;
}

/* Splits the prism between a triangle and its copy in the next layer into three tetrahedra. The diagonal of a side
 * starts at its lower-numbered node, so neighbouring prisms match. */
static void split_prism(struct mesh *mesh, int64_t at, const int32_t low[3], const int32_t high[3])
{
    int order[3] = {0, 1, 2};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            if (low[order[b]] > low[order[b + 1]]) {
                int swapped = order[b];
                order[b] = order[b + 1];
                order[b + 1] = swapped;
            }
    for (int t = 0; t < 3; t++) {
        int32_t *vertex = mesh->vertex + 4 * (at + t);
        for (int c = 0; c < 4; c++)
            vertex[c] = c <= 2 - t ? low[order[c]] : high[order[c - 1]];
        if (mesh_measure(mesh, at + t) < 0) {
            int32_t swapped = vertex[0];
            vertex[0] = vertex[1];
            vertex[1] = swapped;
        }
    }
}

/* A ball: a cube of `edges` edges across in `edges` layers, half of which are within `inner`. (*region)[elements]:
 * 0 within `inner`, 1 outside */
static enum status make_ball(struct mesh *mesh, int32_t **region, int edges, double radius,
                             struct error *error)
{
    const double half = 0.45 * inner, size[3] = {edges, edges, edges};
    struct mesh cube = {0};
    struct mesh_surface skin = {0};
    int32_t *on_surface = NULL; /* [nodes of the cube] index among its surface nodes */
    enum status status;
    TRY_DONE(mesh_slab(&cube, size, 1, error));
    for (int64_t i = 0; i < 3 * cube.nodes; i++)
        cube.point[i] = half * (2 * cube.point[i] / edges - 1);
    TRY_DONE(mesh_surface_create(&skin, &cube, NULL, error));
    int64_t on_skin = 6 * (int64_t)edges * edges + 2;
    *mesh = (struct mesh){.dimension = 3,
                          .nodes = cube.nodes + on_skin * edges,
                          .elements = cube.elements + 3 * skin.faces * edges};
    TRY_DONE(mesh_allocate(mesh, 0, error));
    *region = array_zeroed(mesh->elements, sizeof **region, "the balls", &status, error);
    on_surface = array_new(cube.nodes, sizeof *on_surface, "the balls", &status, error);
    TRY_DONE(status);
    memcpy(mesh->point, cube.point, (size_t)(3 * cube.nodes) * sizeof *cube.point);
    memcpy(mesh->vertex, cube.vertex, (size_t)(4 * cube.elements) * sizeof *cube.vertex);
    int64_t nodes = cube.nodes, elements = cube.elements;
    for (int k = 1; k <= edges; k++) {
        int32_t on_layer = 0;
        for (int64_t i = 0; i < cube.nodes; i++) {
            const double *p = cube.point + 3 * i;
            if (fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])) < half * (1 - 1e-9))
                continue;
            on_surface[i] = on_layer++;
            put_node(mesh->point + 3 * nodes++, p, k, edges, radius);
        }
        for (int64_t f = 0; f < skin.faces; f++, elements += 3) {
            int32_t low[3], high[3];
            for (int c = 0; c < 3; c++) {
                int32_t i = skin.face[3 * f + c];
                high[c] = (int32_t)nodes - on_layer + on_surface[i];
                low[c] = k == 1 ? i : high[c] - on_layer;
            }
            split_prism(mesh, elements, low, high);
            for (int t = 0; t < 3; t++)
                (*region)[elements + t] = k > edges / 2;
        }
    }
done:
    mesh_free(&cube);
    mesh_surface_free(&skin);
    free(on_surface);
    return status;
}

/* p, in S/m mV mm^2 */
static void find_dipole(double p[3])
{
    for (int d = 0; d < 3; d++)
        p[d] = -4 * pi / 3 * pow(heart, 3) *
               (across * slope[d] + (along - across) * vec3_dot(fiber, slope) * fiber[d]);
}

/* p . grad Z(c), mV, for an electrode in direction e (a unit vector) on the ball of radius R */
static double ball_potential(const double p[3], const double e[3], double radius)
{
    double r = vec3_length(centre), x = vec3_dot(centre, e) / r, sum = 0;
    double before = 1, legendre = x, slope_before = 0, slope_now = 1; /* P_(n-1), P_n and their derivatives */
    for (int n = 1; n <= TERMS; n++) {
        double b = n * (outside - inside) / (n * inside + (n + 1) * outside);
        double c = (1 + b) * (2 * n + 1) /
                   (4 * pi * outside * radius * radius * (n - (n + 1) * b * pow(inner / radius, 2 * n + 1))) *
                   pow(r / radius, n - 1);
        sum += c * (n * legendre * vec3_dot(p, centre) / r +
                    slope_now * (vec3_dot(p, e) - x * vec3_dot(p, centre) / r));
        double next = ((2 * n + 1) * x * legendre - n * before) / (n + 1);
        double slope_next = slope_before + (2 * n + 1) * legendre;
        before = legendre;
        legendre = next;
        slope_before = slope_now;
        slope_now = slope_next;
    }
    return sum;
}

/* potential[ELECTRODES] <- of the dipole, at point[], in a conductor with sigma[0] within `inner`, sigma[1] outside */
static enum status find_potentials(double *potential, int edges, double radius, const double sigma[2],
                                   double point[ELECTRODES][3], struct error *error)
{
    struct mesh ball = {0}, tissue = {0};
    const struct region region[2] = {{.isotropic = 1, .diffusion = {sigma[0]}},
                                     {.isotropic = 1, .diffusion = {sigma[1]}}};
    const struct region cells = {.diffusion = {along, across, across}};
    struct conductor_position *position = NULL;
    int32_t *of_ball = NULL, *of_tissue = NULL;
    double *weight = NULL;
    enum status status;
    TRY_DONE(make_ball(&ball, &of_ball, edges, radius, error));
    TRY_DONE(make_heart(&tissue, edges, error));
    of_tissue = array_zeroed(tissue.elements, sizeof *of_tissue, "the balls", &status, error);
    position = array_new(tissue.nodes + ELECTRODES, sizeof *position, "the balls", &status, error);
    weight = array_new(tissue.nodes * ELECTRODES, sizeof *weight, "the balls", &status, error);
    TRY_DONE(status);
    const struct tensors conductor = {&ball, region, of_ball, NULL},
                         sigma_i = {&tissue, &cells, of_tissue, fiber};
    TRY_DONE(conductor_locate(position, &ball, tissue.point, tissue.nodes, point[0], ELECTRODES, error));
    TRY_DONE(conductor_fields(weight, &conductor, position + tissue.nodes, ELECTRODES, position, tissue.nodes,
                              error));
    TRY_DONE(electrodes_field_weights(weight, ELECTRODES, &sigma_i, error));
    for (int e = 0; e < ELECTRODES; e++) {
        potential[e] = 0;
        for (int64_t i = 0; i < tissue.nodes; i++)
            potential[e] += weight[e * tissue.nodes + i] * vec3_dot(slope, tissue.point + 3 * i);
    }
done:
    mesh_free(&ball);
    mesh_free(&tissue);
    free(position);
    free(weight);
    free(of_ball);
    free(of_tissue);
    return status;
}

/* value[0], value[1] <- the potentials with *edges and with 2 *edges edges */
static enum status refine(const struct verify *verify, double value[2][ELECTRODES], double radius,
                          const double sigma[2], double point[ELECTRODES][3], int *edges, struct error *error)
{
    *edges = verify->extent == EXTENT_FULL ? 16 : 8;
    TRY(find_potentials(value[0], *edges, radius, sigma, point, error));
    return find_potentials(value[1], 2 * *edges, radius, sigma, point, error);
}

static void put_electrodes(double point[ELECTRODES][3], double unit_vector[ELECTRODES][3], double radius)
{
    for (int e = 0; e < ELECTRODES; e++)
        for (int d = 0; d < 3; d++) {
            unit_vector[e][d] = direction[e][d] / vec3_length(direction[e]);
            point[e][d] = radius * unit_vector[e][d];
        }
}

static enum status check_concentric(struct verify *verify, const double sigma[2], struct error *error)
{
    const double radius = 80;
    double point[ELECTRODES][3], unit_vector[ELECTRODES][3], found[2][ELECTRODES], p[3], squares[2] = {0};
    int edges;
    put_electrodes(point, unit_vector, radius);
    find_dipole(p);
    TRY(refine(verify, found, radius, sigma, point, &edges, error));
    verify_case(verify, "a dipole between electrodes on concentric balls, %d and %d edges across", edges,
                2 * edges);
    for (int e = 1; e < ELECTRODES; e++) {
        double want = ball_potential(p, unit_vector[e], radius) - ball_potential(p, unit_vector[0], radius);
        double coarse = found[0][e] - found[0][0], fine = found[1][e] - found[1][0];
        char what[100];
        snprintf(what, sizeof what, "electrodes %d and 0, %.4g mV: h -> 0, over the exact one", e, want);
        verify_interval(verify, what, (4 * fine - coarse) / 3 / want, 0.997, 1.003);
        squares[0] += (coarse - want) * (coarse - want);
        squares[1] += (fine - want) * (fine - want);
    }
    verify_interval(verify, "order, of the root of the mean square",
                    verify_order(sqrt(squares[0]), sqrt(squares[1])), 1.8, 2.2);
    return STATUS_OK;
}

static enum status check_unbounded(struct verify *verify, double sigma, struct error *error)
{
    const double alike[2] = {sigma, sigma}, radius = 400, away = 40;
    double point[ELECTRODES][3], unit_vector[ELECTRODES][3], found[2][ELECTRODES], p[3];
    int edges;
    put_electrodes(point, unit_vector, away);
    find_dipole(p);
    TRY(refine(verify, found, radius, alike, point, &edges, error));
    verify_case(verify, "a dipole at electrodes %g mm from the middle of a ball of %g mm", away, radius);
    for (int e = 0; e < ELECTRODES; e++) {
        double to[3], want;
        for (int d = 0; d < 3; d++)
            to[d] = point[e][d] - centre[d];
        want = vec3_dot(p, to) / (4 * pi * inside * pow(vec3_dot(to, to), 1.5));
        char what[100];
        snprintf(what, sizeof what, "electrode %d: h -> 0, over %.4g mV without bounds", e, want);
        verify_interval(verify, what, (4 * found[1][e] - found[0][e]) / 3 / want, 0.97, 1.03);
    }
    return STATUS_OK;
}

/* The planted error: the conductivities of the balls are swapped. */
enum status verify_torso(struct verify *verify, struct error *error)
{
    const double sigma[2] = {verify->inject ? outside : inside, verify->inject ? inside : outside};
    TRY(check_concentric(verify, sigma, error));
    return check_unbounded(verify, sigma[0], error);
}
