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
#include "solver/params.h"

static const char what[] = "the places of blocks";

/* By size, and the last by quality */
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

/* In a mixed mesh blocks have the elements of the highest dimension only. */
static bool is_of_blocks(const struct mesh *mesh, int64_t e)
{
    return mesh_corners(mesh, e) > mesh->dimension;
}

/* The surroundings of an element, within three mean edges */
struct around {
    int64_t elements;
    double edge, spread[3][3]; /* mean of the edges; sum of x x' */
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

/* frame <- fibre, sheet and normal of the element; those that its region does not have, by the shape around
 * it */
static void find_frame(double frame[3][3], const struct tensors *tensors, int64_t e, struct around *around)
{
    const struct mesh *mesh = tensors->mesh;
    double tangent[3][3] = {{0}};
    double second[5][3] = {{0}, {0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}; /* the first one across the fibre */
    int axes = tensor_axes(tensors, e, frame);
    if (axes == 3)
        return;
    if (mesh->dimension == 3) {
        find_axes(tangent, around->spread);
        memcpy(second[0], tangent[0], sizeof second[0]);
        memcpy(second[1], tangent[2], sizeof second[1]);
    } else {
        find_tangents(tangent, mesh, e);
        memcpy(second[0], tangent[1], sizeof second[0]);
        memcpy(second[1], tangent[0], sizeof second[1]);
    }
    if (axes == 0)
        memcpy(frame[0], second[1], sizeof frame[0]);
    for (int k = 0; k < 5 && !(reject(frame[1], second[k], frame[0]) > 0.5);)
        k++;
    vec3_cross(frame[2], frame[0], frame[1]);
}

/* axis[3] <- frame[k], if it is tangential to the mesh, and two across; else false. A cable has one
 * direction, that of the axis nearest to it. */
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

/* ranked[at most 2 SAMPLE] <- of the region's elements; returns how many */
static int64_t rank_elements(struct ranked *ranked, const struct tensors *tensors, int r, int64_t every,
                             double (*key)(const struct mesh *, int64_t))
{
    int64_t count = 0, seen = 0;
    for (int64_t e = 0; e < tensors->mesh->elements; e++)
        if (tensors->element_region[e] == r && is_of_blocks(tensors->mesh, e) && seen++ % every == 0)
            ranked[count++] = (struct ranked){key(tensors->mesh, e), e};
    qsort(ranked, (size_t)count, sizeof *ranked, compare_ranked);
    return count;
}

/* Whether all of the sorted elements are alike */
static bool is_even(const struct ranked *ranked, int64_t count)
{
    return ranked[count - 1].key - ranked[0].key <= 1e-6 * fabs(ranked[0].key);
}

static void put_position(struct front_block_position position[3], uint8_t there[3],
                         const struct tensors *tensors, int64_t element, struct around *around,
                         const double width[3])
{
    double frame[3][3];
    find_frame(frame, tensors, element, around);
    for (int k = 0; k < 3; k++) {
        position[k] = (struct front_block_position){
            .element = element, .edge = around->edge, .scale = fmax(width[k], around->edge)};
        memcpy(position[k].fiber, frame[0], sizeof frame[0]);
        memcpy(position[k].sheet, frame[1], sizeof frame[1]);
        there[k] = lay_axis(position[k].axis, frame, k, tensors->mesh, element);
    }
}

enum status front_block_positions_choose(struct front_block_position position[FRONT_BLOCK_POSITIONS][3],
                                         uint8_t there[FRONT_BLOCK_POSITIONS][3],
                                         const struct tensors *tensors, int r, const double width[3],
                                         struct error *error)
{
    enum { SAMPLE = 50000 };
    const struct mesh *mesh = tensors->mesh;
    struct near near[FRONT_BLOCK_POSITIONS * CANDIDATES] = {0};
    int64_t candidate[FRONT_BLOCK_POSITIONS * CANDIDATES], elements = 0, count = 0;
    int first[FRONT_BLOCK_POSITIONS + 1] = {0};
    bool even = false;
    enum status status = STATUS_OK;
    memset(there, 0, FRONT_BLOCK_POSITIONS * sizeof *there);
    for (int64_t e = 0; e < mesh->elements; e++)
        elements += tensors->element_region[e] == r && is_of_blocks(mesh, e);
    int64_t every = elements / SAMPLE + 1;
    struct ranked *size = array_new(elements / every + 1, sizeof *size, what, &status, error);
    struct ranked *flat = array_new(elements / every + 1, sizeof *flat, what, &status, error);
    TRY_DONE(status);
    if (elements > 0) {
        count = rank_elements(size, tensors, r, every, mean_edge);
        rank_elements(flat, tensors, r, every, flatness);
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
        struct around around = {0};
        int here = first[p + 1] - first[p];
        if (here > 0) {
            int64_t e = choose_element(&around, mesh, candidate + first[p], near + first[p], here);
            put_position(position[p], there[p], tensors, e, &around, width);
        }
    }
done:
    near_free(near, first[FRONT_BLOCK_POSITIONS]);
    free(size);
    free(flat);
    return status;
}
