/* test_front_block.c: blocks cut out of random graded meshes of a few elements, many of which lie apart or
 * between elements far larger: every block holds the element that it was cut around. Where blocks are cut, along which
 * axes, and what they hold, of lattices turned in space, against plain loops over all elements. */
#include "kernels/base/vec3.h"
#include "solver/mesh/extract.h"
#include "solver/mesh/check.h"
#include "solver/step/front_block_positions.h"
#include "tests/support/case.h"
#include "tests/support/plain_block.h"

/* Planes of a lattice at distances that grow from each to the next, nodes moved at random, and one element in
 * `every` of it, where the first is always one */
static struct mesh make_graded(uint64_t seed, int dimension, uint64_t every)
{
    struct error error = {0};
    struct mesh mesh, all = mesh_sample_lattice(dimension, (const int[]){3, 3, 3}, (const double[]){1, 1, 1});
    const double growth = 1 + 5 * bits_random(seed * 10000);
    uint8_t *keep = calloc((size_t)all.elements, 1);
    CHECK(keep, "no memory");
    for (int64_t i = 0; i < 3 * all.nodes; i++)
        if (i % 3 < dimension)
            all.point[i] = pow(growth, all.point[i] + 0.3 * bits_random(seed * 10000 + 1 + (uint64_t)i));
    for (int64_t e = 0; e < all.elements; e++)
        keep[e] = e == 0 || bits_random(seed * 10000 + 5000 + (uint64_t)e) * (double)every < 1;
    CHECK_OK(mesh_extract(&mesh, &all, keep, NULL, &error), error);
    free(keep);
    mesh_free(&all);
    return mesh;
}

/* Returns the number of blocks. */
static int64_t test_graded(uint64_t seed, int dimension, uint64_t every)
{
    struct error error = {0};
    struct mesh mesh = make_graded(seed, dimension, every);
    const struct region region = {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1};
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    const struct tensors tensors = {&mesh, &region, element_region, NULL};
    struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
    uint8_t there[FRONT_BLOCK_POSITIONS][3];
    int64_t count = 0;
    CHECK(element_region, "no memory");
    CHECK_OK(front_block_positions_choose(position, there, &tensors, 0, (const double[]){1, 1, 1}, &error),
             error);
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++)
        for (int k = 0; k < 3; k++) {
            struct front_block block;
            double centre[3], near[3];
            bool found = false;
            if (!there[p][k])
                continue;
            CHECK_OK(front_blocks_cut((struct front_block *const[]){&block}, &mesh,
                                      (const struct front_block_position *const[]){&position[p][k]}, 1,
                                      &error),
                     error);
            mesh_centre(centre, &mesh, position[p][k].element);
            for (int64_t e = 0; e < block.mesh.elements; e++) {
                mesh_centre(near, &block.mesh, e);
                found |= mesh_distance(near, centre) < 1e-9;
            }
            CHECK(found, "seed %llu: %lld elements without the block's own", (unsigned long long)seed,
                  (long long)block.mesh.elements);
            front_block_free(&block);
            count++;
        }
    free(element_region);
    mesh_free(&mesh);
    return count;
}

/* ---- against plain loops ---- */

/* A lattice, its nodes moved by up to `bend` mm, sheared so that no two walls are normal to each other, and turned in space */
static struct mesh make_turned(int dimension, const int edges[3], double bend, double shear,
                               double turn[3][3])
{
    struct mesh mesh = mesh_sample_lattice(dimension, edges, (const double[]){0.2, 0.25, 0.3});
    const double a = 0.7, b = 0.4;
    const double turned[3][3] = {{cos(a), -sin(a) * cos(b), sin(a) * sin(b)},
                                 {sin(a), cos(a) * cos(b), -cos(a) * sin(b)},
                                 {0, sin(b), cos(b)}};
    mesh_sample_bend(&mesh, bend, dimension);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        double at[3];
        memcpy(at, mesh.point + 3 * i, sizeof at);
        at[1] += shear * at[2];
        at[0] += shear * (at[1] + at[2]);
        for (int c = 0; c < 3; c++)
            mesh.point[3 * i + c] = vec3_dot(turned[c], at);
    }
    for (int k = 0; k < 3; k++) /* turn[k]: where axis k of the lattice points */
        for (int c = 0; c < 3; c++)
            turn[k][c] = turned[c][k];
    return mesh;
}

static double mean_edge_of(const struct mesh *mesh, int64_t e)
{
    const int d = mesh->dimension;
    double sum = 0;
    for (int a = 0; a <= d; a++)
        for (int b = 0; b <= d; b++)
            sum += mesh_distance(mesh_sample_corner(mesh, e, a), mesh_sample_corner(mesh, e, b));
    return sum / (d * (d + 1));
}

/* The measure over the mean edge to the power d, whose square ranks elements by quality */
static double quality_of(const struct mesh *mesh, int64_t e)
{
    return fabs(mesh_measure(mesh, e)) / pow(mean_edge_of(mesh, e), mesh->dimension);
}

struct keyed {
    double key;
    int64_t element;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* *edge and spread <- the mean edge around element e, and the sum of x x' over the first corners there; returns how
 * many elements are around it */
static int64_t look_around(const struct mesh *mesh, int64_t e, double *edge, double spread[3][3])
{
    int64_t found = 0;
    const double reach = 3 * mean_edge_of(mesh, e);
    *edge = 0;
    memset(spread, 0, 9 * sizeof **spread);
    for (int64_t o = 0; o < mesh->elements; o++) {
        double x[3];
        vec3_between(x, mesh_sample_corner(mesh, e, 0), mesh_sample_corner(mesh, o, 0));
        if (!(vec3_length(x) <= reach))
            continue;
        found++;
        *edge += mean_edge_of(mesh, o);
        for (int i = 0; i < 9; i++)
            spread[i / 3][i % 3] += x[i / 3] * x[i % 3];
    }
    *edge /= (double)found;
    return found;
}

static double along_spread(double spread[3][3], const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += a[i / 3] * spread[i / 3][i % 3] * b[i % 3];
    return sum;
}

/* Fibres lie along x of the lattice, sheets along y; `axes` of them are given */
static void check_position(const struct front_block_position *position, const uint8_t *there,
                           const struct mesh *mesh, const double width[3], int axes, bool box, bool askew,
                           double spread[3][3], double edge, double turn[3][3])
{
    double frame[3][3];
    int laid = 0;
    memcpy(frame[0], position[0].fiber, sizeof frame[0]);
    memcpy(frame[1], position[0].sheet, sizeof frame[1]);
    vec3_cross(frame[2], frame[0], frame[1]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK(fabs(vec3_dot(frame[i], frame[j]) - (i == j)) < 1e-9, "frame %d %d", i, j);
    if (axes > 0)
        CHECK(fabs(fabs(vec3_dot(frame[0], turn[0])) - 1) < 1e-9, "another fibre");
    if (axes == 3)
        CHECK(fabs(fabs(vec3_dot(frame[1], turn[1])) - 1) < 1e-9, "another sheet");
    if (box) /* of axes of the lattice */
        for (int k = 0; k < 3; k++) {
            double most = 0;
            for (int j = 0; j < 3; j++)
                most = fmax(most, fabs(vec3_dot(frame[k], turn[j])));
            CHECK(most > 1 - 1e-9, "axis %d is askew to the walls: %g", k, most);
        }
    if (askew && axes == 0 &&
        mesh->dimension == 3) { /* fibre, normal, sheet of what is around, from long to thin */
        const double size = along_spread(spread, frame[0], frame[0]);
        for (int k = 0; k < 3; k++)
            CHECK(fabs(along_spread(spread, frame[k], frame[(k + 1) % 3])) < 1e-7 * size, "no axis: %g of %g",
                  along_spread(spread, frame[k], frame[(k + 1) % 3]), size);
        CHECK(size >= along_spread(spread, frame[2], frame[2]) &&
                  along_spread(spread, frame[2], frame[2]) >= along_spread(spread, frame[1], frame[1]),
              "the axes' order");
    }
    for (int k = 0; k < 3; k++) {
        CHECK_CLOSE(position[k].edge, edge, 1e-12);
        CHECK(position[k].scale == fmax(width[k], position[k].edge), "scale %g", position[k].scale);
        if (!there[k])
            continue;
        laid++;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                CHECK(fabs(vec3_dot(position[k].axis[i], position[k].axis[j]) - (i == j)) < 1e-9,
                      "axes %d %d", i, j);
        if (mesh->dimension < 3)
            CHECK(fabs(vec3_dot(position[k].axis[0], turn[2])) < 1e-9, "a front that leaves the mesh");
        if (mesh->dimension == 3)
            CHECK(fabs(fabs(vec3_dot(position[k].axis[0], frame[k])) - 1) < 1e-9,
                  "a front along another axis");
    }
    CHECK(laid == mesh->dimension, "%d fronts", laid);
}

/* Two thirds of the elements belong to region 0; `axes`: how many directions it has */
static void test_turned(int dimension, const int edges[3], double bend, double shear, int axes, double unit)
{
    static const double ranks[FRONT_BLOCK_POSITIONS] = {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.05};
    struct error error = {0};
    double turn[3][3], width[3] = {1.5 * unit, unit, 0.9 * unit};
    struct mesh mesh = make_turned(dimension, edges, bend, shear, turn);
    const struct region region[2] = {{.diffusion = {0.1, axes ? 0.05 : 0.1,
                                                    axes == 3 ? 0.02
                                                    : axes    ? 0.05
                                                              : 0.1},
                                      .isotropic = axes == 0},
                                     {.diffusion = {0.2, 0.2, 0.2}, .isotropic = 1}};
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
    uint8_t there[FRONT_BLOCK_POSITIONS][3];
    int64_t count = 0;
    CHECK(element_region, "no memory");
    for (int64_t e = 0; e < mesh.elements; e++) {
        element_region[e] = bend > 0 && e % 3 == 1;
        count += element_region[e] == 0;
    }
    if (axes)
        mesh_sample_directions(&mesh, LOCATION_ELEMENT, axes == 3);
    for (int64_t e = 0; e < mesh.elements && axes; e++) {
        memcpy(mesh.fiber + 3 * e, turn[0], sizeof turn[0]);
        if (axes == 3)
            memcpy(mesh.sheet + 3 * e, turn[1], sizeof turn[1]);
    }
    struct keyed *ranked[2];
    for (int q = 0; q < 2; q++) { /* by size, by quality; no two are alike */
        int64_t at = 0;
        CHECK(ranked[q] = calloc((size_t)count, sizeof **ranked), "no memory");
        for (int64_t e = 0; e < mesh.elements; e++)
            if (element_region[e] == 0)
                ranked[q][at++] = (struct keyed){(q ? quality_of : mean_edge_of)(&mesh, e), e};
        qsort(ranked[q], (size_t)count, sizeof **ranked, by_key);
    }
    const struct tensors tensors = {&mesh, region, element_region, NULL};
    CHECK_OK(front_block_positions_choose(position, there, &tensors, 0, width, &error), error);
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++) {
        if (bend == 0) { /* all elements are alike in two dimensions; here only those of the middle matter */
            CHECK(dimension == 3 || p == 3 || there[p][0] + there[p][1] + there[p][2] == 0,
                  "one place is enough");
            if (there[p][0] + there[p][1] + there[p][2] == 0)
                continue;
        }
        double edge, spread[3][3], own_edge, own_spread[3][3];
        int64_t chosen = -1, most = 0;
        for (int k = 0; k < 5 && bend > 0; k++) {
            const int64_t middle = (int64_t)(ranks[p] * (double)(count - 1)), step = count / 100 + 1,
                          at = middle + (const int[]){0, 1, -1, 2, -2}[k] * step;
            if (at < 0 || at >= count)
                continue;
            const int64_t e = ranked[p == 7][at].element;
            const int64_t around = look_around(&mesh, e, &own_edge, own_spread);
            if (around <= most)
                continue;
            most = around;
            chosen = e;
        }
        if (bend > 0)
            CHECK(position[p][0].element == chosen, "place %d: element %lld, want %lld", p,
                  (long long)position[p][0].element, (long long)chosen);
        look_around(&mesh, position[p][0].element, &edge, spread);
        check_position(position[p], there[p], &mesh, width, axes, bend == 0 && shear == 0, shear > 0, spread,
                       edge, turn);
        for (int k = 0; k < 3; k++)
            if (there[p][k] && (p + k) % 3 == 0) /* for time */
                check_block(&mesh, &position[p][k], bend == 0 && shear == 0);
    }
    free(ranked[0]);
    free(ranked[1]);
    free(element_region);
    mesh_free(&mesh);
}

/* Far from all walls the axes are those of space. */
static void test_inside(void)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){24, 24, 24}, (const double[]){0.2, 0.2, 0.2});
    const struct region region[2] = {{.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1},
                                     {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1}};
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
    uint8_t there[FRONT_BLOCK_POSITIONS][3];
    CHECK(element_region, "no memory");
    for (int64_t e = 0; e < mesh.elements; e++) { /* region 1 in the middle */
        double centre[3];
        mesh_centre(centre, &mesh, e);
        element_region[e] = mesh_distance(centre, (const double[]){2.4, 2.4, 2.4}) < 0.3;
    }
    const struct tensors tensors = {&mesh, region, element_region, NULL};
    CHECK_OK(front_block_positions_choose(position, there, &tensors, 1, (const double[]){0.01, 0.01, 0.01},
                                          &error),
             error);
    const double *fiber = position[3][0].fiber, *sheet = position[3][0].sheet;
    CHECK(there[3][0] && fabs(fiber[0]) == 1 && fabs(sheet[2]) == 1, "axes (%g, %g, %g), (%g, %g, %g)",
          fiber[0], fiber[1], fiber[2], sheet[0], sheet[1], sheet[2]);
    free(element_region);
    mesh_free(&mesh);
}

/* In a turned sheet the one element of region 1 lies at several distances from one wall. Its axes are those of the wall if both nodes of
 * one of the wall's edges are within 7 scales and 12 edges, else those of space. */
static void test_reach(void)
{
    struct error error = {0};
    double turn[3][3], centre[3];
    struct mesh mesh = make_turned(2, (const int[]){40, 40, 0}, 0, 0, turn);
    const struct region region[2] = {{.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1},
                                     {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1}};
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    const struct tensors tensors = {&mesh, region, element_region, NULL};
    int seen[2] = {0};
    CHECK(element_region, "no memory");
    for (int64_t e = mesh.elements / 2, k = 0; k < 2 * 17;
         e++, k++) { /* a row of the lattice in its middle */
        const double sizes[] = {0.05, 0.35, 10};
        double need = INFINITY;
        mesh_centre(centre, &mesh, e);
        for (int64_t n = 0; n < mesh.nodes; n++)
            for (int64_t o = 0; o < mesh.nodes && fabs(vec3_dot(mesh.point + 3 * n, turn[0])) < 1e-9;
                 o += 41) {
                const double *at = mesh.point + 3 * n, *next = mesh.point + 3 * o;
                if (fabs(mesh_distance(at, next) - 0.25) < 1e-9 && fabs(vec3_dot(next, turn[0])) < 1e-9)
                    need = fmin(need, fmax(mesh_distance(at, centre), mesh_distance(next, centre)));
            }
        element_region[e] = 1;
        for (int w = 0; w < 3; w++) {
            struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
            uint8_t there[FRONT_BLOCK_POSITIONS][3];
            const double width[3] = {0.1 * sizes[w], sizes[w], 0.2 * sizes[w]};
            CHECK_OK(front_block_positions_choose(position, there, &tensors, 1, width, &error), error);
            CHECK(position[3][0].element == e, "another element");
            const double edge = position[3][0].edge, reach = fmin(7 * fmax(edge, sizes[w]), 12 * edge);
            const bool aligned = fabs(vec3_dot(position[3][0].fiber, turn[0])) < 1e-9;
            CHECK(aligned == (need <= reach), "a wall at %g mm, a reach of %g mm: axes of %s", need, reach,
                  aligned ? "the wall" : "space");
            seen[aligned]++;
        }
        element_region[e] = 0;
    }
    CHECK(seen[0] > 20 && seen[1] > 20, "%d of the wall, %d of space", seen[1], seen[0]);
    free(element_region);
    mesh_free(&mesh);
}

/* On a lattice of coarse elements a front through a block is as fast as the cable with that edge has it, a few percent
 * slower than on a fine mesh; and it is waited for where it takes long from node to node. */
static void test_speed(int dimension, double spacing)
{
    struct error error = {0};
    struct test_case c;
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
    uint8_t there[FRONT_BLOCK_POSITIONS][3];
    struct front_block block;
    double speed;
    memset(&c, 0, sizeof c);
    c.mesh = mesh_sample_lattice(dimension, (const int[]){dimension == 1 ? 60 : 40, 4, 0},
                                 (const double[]){spacing, spacing, spacing});
    case_furnish(&c, "mitchell-schaeffer", 0);
    c.region[0].diffusion[0] = c.region[0].diffusion[1] = c.region[0].diffusion[2] = 0.1;
    for (int64_t e = 0; e < c.mesh.elements; e++)
        c.element_region[e] = 0;
    struct front front = {.params = &c.params, .region = c.region, .queue = queue};
    CHECK_OK(front_fine(&front, &error), error);
    const double fine = sqrt(0.1) * front.speed.fine, width = 2 * 0.1 / fine,
                 want = fine * (1 - front.speed.bend * spacing * spacing / 0.1);
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(front_block_positions_choose(position, there, &tensors, 0, (const double[]){width, width, width},
                                          &error),
             error);
    int along = 0; /* the axis of the lattice's x */
    for (int k = 0; k < 3; k++)
        along = there[3][k] && fabs(position[3][k].axis[0][0]) > 0.99 ? k : along;
    CHECK(there[3][along], "no front along x");
    CHECK_OK(front_blocks_cut((struct front_block *const[]){&block}, &c.mesh,
                              (const struct front_block_position *const[]){&position[3][along]}, 1, &error),
             error);
    CHECK_OK(front_block_speed(&speed, &block, &front, (const double[]){0.1, 0.1, 0.1}, 0.1, &error), error);
    printf("%d-D, edges of %g mm: %.4f mm/ms, by the cable %.4f, on a fine mesh %.4f\n", dimension, spacing,
           speed, want, fine);
    if (spacing < 0.5)
        CHECK(fabs(speed - want) < 0.1 * (fine - want) + 1e-4, "%g mm/ms, want %g", speed, want);
    else
        CHECK(speed > 0.1 * fine && speed < 0.95 * fine, "a front that is to be slow has %g mm/ms", speed);
    CHECK(front.speed.rest == front.speed.fine && front.speed.bend > 0, "bend %g", front.speed.bend);
    CHECK_CLOSE(front_enough(&front.speed) * front_enough(&front.speed) * front.speed.bend, FRONT_TOLERANCE,
                1e-12);
    front_block_free(&block);
    queue_free(queue);
    case_free(&c);
}

int main(void)
{
    int64_t blocks = 0;
    for (uint64_t seed = 0; seed < 120; seed++)
        blocks += test_graded(seed, 1 + (int)(seed % 3), 1 + seed / 3 % 5 * 3);
    printf("%lld blocks of 120 meshes\n", (long long)blocks);
    CHECK(blocks > 1000, "%lld blocks", (long long)blocks);
    for (int axes = 0; axes <= 3; axes += axes ? 2 : 1) {
        test_turned(3, (const int[]){9, 4, 4}, 0, 0, axes, 0.1);
        test_turned(3, (const int[]){9, 4, 4}, 0.02, 0.5, axes, 0.1);
        test_turned(3, (const int[]){22, 3, 2}, 0.02, 0, axes, 0.1);
        test_turned(2, (const int[]){30, 12, 0}, 0, 0, axes, 0.3);
        test_turned(2, (const int[]){30, 5, 0}, 0.02, 0.5, axes, 0.2);
    }
    test_inside();
    test_reach();
    test_speed(1, 0.2);
    test_speed(1, 0.4);
    test_speed(1, 2);
    test_speed(2, 0.2);
    return 0;
}
