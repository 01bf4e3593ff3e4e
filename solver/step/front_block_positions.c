/* front_block_positions.c: ranks a region's elements, measures the surroundings of some, and finds axes
 * through them. */
#include "solver/step/front_block_positions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"
#include "solver/mesh/near.h"
#include "solver/mesh/surface.h"
#include "solver/params.h"

static const char what[] = "the places of blocks";

/* Ranks by size; the last one by quality */
static const double rank[FRONT_BLOCK_POSITIONS] = {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.05};

static double mean_edge(const struct mesh *mesh, int64_t e)
{
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    double sum = 0;
    int edges = 0;
    for (int a = 0; a <= mesh->dimension; a++)
        for (int b = a + 1; b <= mesh->dimension; b++, edges++)
            sum += mesh_distance(mesh->point + 3 * (int64_t)vertex[a], mesh->point + 3 * (int64_t)vertex[b]);
    return sum / edges;
}

/* Monotonic in quality (solver/mesh/stats.h), without a root: |e|^2 over the mean edge to the 2 d */
static double flatness(const struct mesh *mesh, int64_t e)
{
    double gradient[4][3], edge = mean_edge(mesh, e), power = 1;
    double measure = simplex_gradients(mesh, e, gradient);
    for (int k = 0; k < mesh->dimension; k++)
        power *= edge * edge;
    return measure * measure / power;
}

/* In a mixed mesh only elements of the highest dimension are used. */
static bool is_of_blocks(const struct mesh *mesh, int64_t e)
{
    return mesh_corners(mesh, e) > mesh->dimension;
}

/* The surroundings of an element, within three mean edges */
struct around {
    int64_t elements;
    double edge, spread[3][3]; /* mean edge; sum of x x' */
};

static void gather_around(struct around *around, const struct mesh *mesh, const struct near *near)
{
    int corners = mesh->dimension + 1;
    const double *centre = near->centre;
    *around = (struct around){0};
    for (int64_t k = 0; k < near->elements; k++) {
        int64_t e = near->element[k];
        const double *point = mesh->point + 3 * (int64_t)mesh->vertex[e * corners];
        if (!is_of_blocks(mesh, e))
            continue;
        around->elements++;
        around->edge += mean_edge(mesh, e);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                around->spread[i][j] += (point[i] - centre[i]) * (point[j] - centre[j]);
    }
    around->edge /= (double)around->elements;
}

/* axis[3] <- eigenvectors of the symmetric a, ascending by eigenvalue, by Jacobi's rotations */
static void find_axes(double axis[3][3], double a[3][3])
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int order[3] = {0, 1, 2};
    for (int pass = 0; pass < 60; pass++) {
        int p = pairs[pass % 3][0], q = pairs[pass % 3][1];
        if (!(fabs(a[p][q]) > 1e-9 * (fabs(a[p][p]) + fabs(a[q][q]))))
            continue;
        double slope = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (slope < 0 ? -1 : 1) / (fabs(slope) + sqrt(slope * slope + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
            double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - s * y;
            a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = a[p][k], y = a[q][k], vx = v[p][k], vy = v[q][k];
            a[p][k] = c * x - s * y;
            a[q][k] = s * x + c * y;
            v[p][k] = c * vx - s * vy;
            v[q][k] = s * vx + c * vy;
        }
    }
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && a[order[j]][order[j]] < a[order[j - 1]][order[j - 1]]; j--) {
            int held = order[j];
            order[j] = order[j - 1];
            order[j - 1] = held;
        }
    for (int k = 0; k < 3; k++)
        memcpy(axis[k], v[order[k]], sizeof axis[k]);
}

/* to[] <- a without its component along the unit vector b, normalised; returns its length before that */
static double reject(double to[3], const double a[3], const double b[3])
{
    double along = vec3_dot(a, b), length;
    for (int c = 0; c < 3; c++)
        to[c] = a[c] - along * b[c];
    length = vec3_length(to);
    for (int c = 0; c < 3 && length > 0; c++)
        to[c] /= length;
    return length;
}

/* tangent[d][3] <- orthonormal in the element */
static void find_tangents(double tangent[3][3], const struct mesh *mesh, int64_t e)
{
    const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
    const double *first = mesh->point + 3 * (int64_t)vertex[0];
    double edge[2][3] = {{0}};
    for (int k = 0; k < 2 && k < mesh->dimension; k++)
        vec3_between(edge[k], first, mesh->point + 3 * (int64_t)vertex[k + 1]);
    memcpy(tangent[0], edge[0], sizeof tangent[0]);
    vec3_normalise(tangent[0]);
    if (mesh->dimension > 1)
        reject(tangent[1], edge[1], tangent[0]);
}

/* A boundary face near a block: its unit normal, a multiple of its area, and its distance from the centre */
struct wall {
    double normal[3], weight, distance;
};

/* normal <- mean normal of the nearest wall among faces at 60 degrees or more to `other` (NULL = none): of
 * those about as near as the nearest one and parallel to it; false if there is none */
static bool find_wall(double normal[3], const struct wall *wall, int64_t walls, const double *other,
                      double edge)
{
    const double turned = 0.5, parallel = 0.8;
    const struct wall *nearest = NULL;
    for (int64_t w = 0; w < walls; w++)
        if ((!other || fabs(vec3_dot(wall[w].normal, other)) < turned) &&
            (!nearest || wall[w].distance < nearest->distance))
            nearest = &wall[w];
    if (!nearest)
        return false;
    memset(normal, 0, 3 * sizeof *normal);
    for (int64_t w = 0; w < walls; w++) {
        const double cosine = vec3_dot(wall[w].normal, nearest->normal);
        if (wall[w].distance < nearest->distance + edge && fabs(cosine) > parallel)
            for (int c = 0; c < 3; c++)
                normal[c] += copysign(wall[w].weight, cosine) * wall[w].normal[c];
    }
    vec3_normalise(normal);
    return true;
}

/* *wall <- [*walls] the boundary faces of the mesh whose nodes all lie within `reach` of near->centre; the
 * elements of `near` include all that have one of these nodes. Errors: STATUS_RUN without memory. */
static enum status list_walls(struct wall **wall, int64_t *walls, const struct mesh *mesh,
                              const struct near *near, double reach, struct error *error)
{
    const int corners = mesh->dimension + 1;
    int64_t faces = 0, room = 0;
    enum status status = STATUS_OK;
    struct mesh_face *face = array_new(corners * near->elements, sizeof *face, what, &status, error);
    *walls = 0;
    TRY(status);
    for (int64_t i = 0; i < near->elements; i++) {
        const int64_t first = (int64_t)near->element[i] * corners;
        int beyond = 0, last = -1; /* number of its nodes beyond `reach`, and the last of them */
        for (int a = 0; a < corners; a++)
            if (mesh_distance(mesh->point + 3 * (int64_t)mesh->vertex[first + a], near->centre) > reach) {
                beyond++;
                last = a;
            }
        for (int left_out = 0; left_out < corners && is_of_blocks(mesh, near->element[i]); left_out++)
            if (beyond == 0 || (beyond == 1 && left_out == last))
                face[faces++] = mesh_face_of(mesh->vertex + first, corners, left_out, first + left_out);
    }
    qsort(face, (size_t)faces, sizeof *face, mesh_face_compare);
    for (int64_t i = 0, next; i < faces && !status; i = next) {
        double gradient[4][3], middle[3] = {0};
        for (next = i + 1; next < faces && mesh_face_compare(&face[i], &face[next]) == 0;)
            next++;
        if (next > i + 1)
            continue;
        for (int a = 0; a < corners - 1; a++)
            for (int c = 0; c < 3; c++)
                middle[c] += mesh->point[3 * (int64_t)face[i].node[a] + c] / (corners - 1);
        struct wall own = {.distance = mesh_distance(middle, near->centre)};
        const double volume = simplex_gradients(mesh, face[i].from / corners, gradient);
        memcpy(own.normal, gradient[face[i].from % corners], sizeof own.normal);
        own.weight = volume * vec3_normalise(own.normal);
        status = array_grow((void **)wall, &room, *walls, sizeof **wall, what, error);
        if (!status)
            (*wall)[(*walls)++] = own;
    }
    free(face);
    return status;
}

/* Whether each wall is normal to one of three axes, two of which are given */
static bool is_box(double across[2][3], const struct wall *wall, int64_t walls)
{
    const double aligned = 0.95;
    double third[3];
    vec3_cross(third, across[0], across[1]);
    const double *const axis[3] = {across[0], across[1], third};
    for (int64_t w = 0; w < walls; w++) {
        double most = 0;
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(vec3_dot(wall[w].normal, axis[k])));
        if (most < aligned)
            return false;
    }
    return walls > 0;
}

/* across[0], [1] <- in a box the normals of its walls; in a sheet the normal of one wall and of the sheet;
 * in another solid the directions of smallest and middle extent of the surroundings; without walls the
 * coordinate axes */
static void find_shape(double across[2][3], const struct mesh *mesh, int64_t e, const struct wall *wall,
                       int64_t walls, struct around *around)
{
    double axis[3][3], normal[3] = {0};
    if (mesh->dimension == 2) {
        find_tangents(axis, mesh, e);
        vec3_cross(across[1], axis[0], axis[1]);
    }
    if (!find_wall(across[0], wall, walls, NULL, around->edge) || mesh->dimension == 2)
        return;
    if (find_wall(normal, wall, walls, across[0], around->edge))
        reject(across[1], normal, across[0]);
    if (!is_box(across, wall, walls)) {
        find_axes(axis, around->spread);
        memcpy(across[0], axis[0], sizeof axis[0]);
        memcpy(across[1], axis[1], sizeof axis[1]);
    }
}

/* frame <- fibre, sheet and normal of the element; those that its region does not have are chosen by shape
 * or, failing that, along the coordinate axes */
static void find_frame(double frame[3][3], const struct tensors *tensors, int64_t e, const struct wall *wall,
                       int64_t walls, struct around *around)
{
    double across[5][3] = {{0}, {0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    int axes = tensor_axes(tensors, e, frame);
    if (axes == 3)
        return;
    find_shape(across, tensors->mesh, e, wall, walls, around);
    if (axes == 0) {
        vec3_cross(frame[0], across[0], across[1]);
        for (int k = 4; k > 1 && !(vec3_length(frame[0]) > 0.5); k--)
            if (!(fabs(vec3_dot(across[k], across[0])) > 0.7))
                reject(frame[0], across[k], across[0]);
        vec3_normalise(frame[0]);
    }
    for (int k = 0; k < 5 && !(reject(frame[1], across[k], frame[0]) > 0.5);)
        k++;
    vec3_cross(frame[2], frame[0], frame[1]);
}

/* axis[3] <- frame[k] and two directions across it; false if frame[k] is not tangential to the mesh. A
 * cable has one direction, for the nearest axis. */
static bool lay_axis(double axis[3][3], double frame[3][3], int k, const struct mesh *mesh, int64_t e)
{
    double tangent[3][3] = {{0}}, length = 1;
    int nearest = 0;
    memcpy(axis[0], frame[k], sizeof axis[0]);
    if (mesh->dimension < 3) {
        find_tangents(tangent, mesh, e);
        for (int c = 0; c < 3; c++)
            axis[0][c] = vec3_dot(frame[k], tangent[0]) * tangent[0][c] +
                         vec3_dot(frame[k], tangent[1]) * tangent[1][c];
        length = vec3_length(axis[0]);
        for (int c = 0; c < 3; c++)
            axis[0][c] /= length;
    }
    for (int j = 1; j < 3; j++)
        if (fabs(vec3_dot(frame[j], tangent[0])) > fabs(vec3_dot(frame[nearest], tangent[0])))
            nearest = j;
    if (mesh->dimension == 1 ? k != nearest : !(length > 0.7))
        return false;
    if (!(reject(axis[1], frame[(k + 1) % 3], axis[0]) > 0.5))
        reject(axis[1], frame[(k + 2) % 3], axis[0]);
    vec3_cross(axis[2], axis[0], axis[1]);
    return true;
}

enum { CANDIDATES = 5 };

/* candidate[] <- elements near that rank; returns how many */
static int find_candidates(int64_t candidate[CANDIDATES], const struct ranked *ranked, int64_t count,
                           double where)
{
    int64_t middle = (int64_t)(where * (double)(count - 1)), step = count / 100 + 1;
    int found = 0;
    for (int k = 0; k < CANDIDATES; k++) {
        int64_t at = middle + (k + 1) / 2 * (k % 2 ? step : -step);
        if (at >= 0 && at < count)
            candidate[found++] = ranked[at].index;
    }
    return found;
}

/* The candidate with the most elements around it */
static int64_t choose_element(struct around *best, const struct mesh *mesh, const int64_t *candidate,
                              const struct near *near, int count)
{
    int64_t chosen = -1;
    for (int k = 0; k < count; k++) {
        struct around around;
        gather_around(&around, mesh, &near[k]);
        if (chosen < 0 || around.elements > best->elements) {
            chosen = candidate[k];
            *best = around;
        }
    }
    return chosen;
}

enum { PARTS = 64 };

static bool is_of_region(const struct tensors *tensors, int r, int64_t e)
{
    return tensors->element_region[e] == r && is_of_blocks(tensors->mesh, e);
}

/* before[] <- the number of the region's elements before each part of the mesh, and in total */
static void count_parts(int64_t before[PARTS + 1], const struct tensors *tensors, int r)
{
    const int64_t elements = tensors->mesh->elements;
    before[0] = 0;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PARTS; p++) {
        before[p + 1] = 0;
        for (int64_t e = elements * p / PARTS; e < elements * (p + 1) / PARTS; e++)
            before[p + 1] += is_of_region(tensors, r, e);
    }
    for (int p = 0; p < PARTS; p++)
        before[p + 1] += before[p];
}

/* ranked[at most 2 SAMPLE] <- elements 0, `every`, 2 `every`, ... of the region; returns their number */
static int64_t rank_elements(struct ranked *ranked, const struct tensors *tensors, int r,
                             const int64_t before[PARTS + 1], int64_t every,
                             double (*key)(const struct mesh *, int64_t))
{
    const int64_t elements = tensors->mesh->elements, count = (before[PARTS] + every - 1) / every;
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PARTS; p++) {
        int64_t seen = before[p];
        for (int64_t e = elements * p / PARTS; e < elements * (p + 1) / PARTS; e++) {
            if (!is_of_region(tensors, r, e))
                continue;
            if (seen % every == 0)
                ranked[seen / every] = (struct ranked){key(tensors->mesh, e), e};
            seen++;
        }
    }
    qsort(ranked, (size_t)count, sizeof *ranked, compare_ranked);
    return count;
}

/* Whether all of the sorted elements are equal in the key */
static bool is_even(const struct ranked *ranked, int64_t count)
{
    return ranked[count - 1].key - ranked[0].key <= 1e-6 * fabs(ranked[0].key);
}

static void put_position(struct front_block_position position[3], uint8_t there[3],
                         const struct tensors *tensors, int64_t element, const struct around *around,
                         double frame[3][3], const double width[3])
{
    for (int k = 0; k < 3; k++) {
        position[k] = (struct front_block_position){
            .element = element, .edge = around->edge, .scale = fmax(width[k], around->edge)};
        memcpy(position[k].fiber, frame[0], sizeof frame[0]);
        memcpy(position[k].sheet, frame[1], sizeof frame[1]);
        there[k] = lay_axis(position[k].axis, frame, k, tensors->mesh, element);
    }
}

/* Sets the positions of element[], -1 = none */
static enum status put_positions(struct front_block_position position[FRONT_BLOCK_POSITIONS][3],
                                 uint8_t there[FRONT_BLOCK_POSITIONS][3], const struct tensors *tensors,
                                 const int64_t element[FRONT_BLOCK_POSITIONS],
                                 struct around around[FRONT_BLOCK_POSITIONS], const double width[3],
                                 struct error *error)
{
    const double most = 12; /* edges: about as many nodes as a block has */
    const struct mesh *mesh = tensors->mesh;
    const double extent = near_extent(mesh);
    struct near near[FRONT_BLOCK_POSITIONS] = {0};
    double reach[FRONT_BLOCK_POSITIONS] = {0}, unused[3][3];
    enum status status = STATUS_OK;
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++) {
        near[p].radius = -1;
        if (element[p] < 0 || mesh->dimension == 1 || tensor_axes(tensors, element[p], unused) == 3)
            continue;
        double scale = fmax(around[p].edge, fmax(width[0], fmax(width[1], width[2])));
        mesh_centre(near[p].centre, mesh, element[p]);
        reach[p] = fmin(FRONT_BLOCK_LENGTH * scale / 2, most * around[p].edge);
        near[p].radius = reach[p] + extent;
    }
    TRY_DONE(near_find(near, FRONT_BLOCK_POSITIONS, mesh, error));
#pragma omp parallel for schedule(dynamic, 1)
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++) {
        struct wall *wall = NULL;
        int64_t walls = 0;
        double frame[3][3];
        struct error inner = {0};
        enum status own = STATUS_OK;
        if (element[p] < 0)
            continue;
        if (near[p].radius > 0)
            own = list_walls(&wall, &walls, mesh, &near[p], reach[p], &inner);
        error_first(&status, error, own, &inner);
        if (!own) {
            find_frame(frame, tensors, element[p], wall, walls, &around[p]);
            put_position(position[p], there[p], tensors, element[p], &around[p], frame, width);
        }
        free(wall);
    }
done:
    near_free(near, FRONT_BLOCK_POSITIONS);
    return status;
}

enum status front_block_positions_choose(struct front_block_position position[FRONT_BLOCK_POSITIONS][3],
                                         uint8_t there[FRONT_BLOCK_POSITIONS][3],
                                         const struct tensors *tensors, int r, const double width[3],
                                         struct error *error)
{
    enum { SAMPLE = 50000 };
    const struct mesh *mesh = tensors->mesh;
    struct near near[FRONT_BLOCK_POSITIONS * CANDIDATES] = {0};
    int64_t candidate[FRONT_BLOCK_POSITIONS * CANDIDATES], before[PARTS + 1], count = 0;
    int64_t element[FRONT_BLOCK_POSITIONS] = {-1, -1, -1, -1, -1, -1, -1, -1};
    struct around around[FRONT_BLOCK_POSITIONS] = {0};
    int first[FRONT_BLOCK_POSITIONS + 1] = {0};
    bool even = false;
    enum status status = STATUS_OK;
    memset(there, 0, FRONT_BLOCK_POSITIONS * sizeof *there);
    count_parts(before, tensors, r);
    const int64_t elements = before[PARTS];
    int64_t every = elements / SAMPLE + 1;
    struct ranked *size = array_new(elements / every + 1, sizeof *size, what, &status, error);
    struct ranked *flat = array_new(elements / every + 1, sizeof *flat, what, &status, error);
    TRY_DONE(status);
    if (elements > 0) {
        count = rank_elements(size, tensors, r, before, every, mean_edge);
        rank_elements(flat, tensors, r, before, every, flatness);
        even = is_even(size, count) && is_even(flat, count);
    }
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++) {
        const struct ranked *ranked = p < FRONT_BLOCK_POSITIONS - 1 ? size : flat;
        int64_t ranks = even && rank[p] != 0.5 ? 0 : count;
        first[p + 1] = first[p] + find_candidates(candidate + first[p], ranked, ranks, rank[p]);
    }
    for (int k = 0; k < first[FRONT_BLOCK_POSITIONS]; k++) {
        memcpy(near[k].centre, mesh->point + 3 * (int64_t)mesh->vertex[candidate[k] * (mesh->dimension + 1)],
               sizeof near[k].centre);
        near[k].radius = 3 * mean_edge(mesh, candidate[k]);
    }
    TRY_DONE(near_find(near, first[FRONT_BLOCK_POSITIONS], mesh, error));
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++) {
        int here = first[p + 1] - first[p];
        if (here > 0)
            element[p] = choose_element(&around[p], mesh, candidate + first[p], near + first[p], here);
    }
    TRY_DONE(put_positions(position, there, tensors, element, around, width, error));
done:
    near_free(near, first[FRONT_BLOCK_POSITIONS]);
    free(size);
    free(flat);
    return status;
}
